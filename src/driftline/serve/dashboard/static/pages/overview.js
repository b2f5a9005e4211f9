/** All models: traffic, error, log loss, open tickets and state. */
import { get, listed, modelLink, modelPath, now } from "../api.js";
import { spark } from "../charts/spark.js";
import { el, replace } from "../dom.js";
import { throttled } from "../live.js";
import { errorField, recent, traffic, windowFor, windowed } from "../recent.js";
import { brief, count, loss, number, percent, rate, shown } from "../text.js";

const WITH_SERIES = 30;
const PAUSE = 2000;

/** Return the page. */
export async function overviewPage({ failed }) {
  const lead = el("p", { class: "note" });
  const cards = el("ul", { class: "cards" });
  const problem = el("p", { class: "problem", role: "alert" });
  const node = el("div", {}, el("h1", {}, "Models"), lead, problem, cards);
  const series = new Map();
  const changed = new Set();

  const load = async () => {
    const models = listed(await get("/v1/models"), "models");
    const wanted = models.slice(0, WITH_SERIES).filter(({ name }) => !series.has(name) || changed.has(name));
    changed.clear();
    await Promise.all(wanted.map(async ({ name }) => series.set(name, await championSeries(name))));
    replace(lead, models.length ? `${models.length} ${models.length === 1 ? "model" : "models"}` : null);
    replace(cards, models.length ? models.map((model) => card(model, series.get(model.name))) : empty());
  };
  const soon = throttled(async () => {
    try {
      await load();
      replace(problem);
    } catch (error) {
      replace(problem, error.message);
      if (error.status === 401) failed(error);
    }
  }, PAUSE);
  await load();
  return {
    node,
    title: "Models",
    update(message) {
      if (message.model) changed.add(message.model);
      else series.clear();
      soon();
    },
    leave: () => soon.cancel(),
  };
}

/** Return the series of the champion; undefined if the model was deleted a moment ago. */
async function championSeries(name) {
  try {
    return listed(await get(modelPath(name, "series")), "series")[0];
  } catch (error) {
    if (error.status === 404) return undefined;
    throw error;
  }
}

function empty() {
  return el(
    "li",
    { class: "card" },
    el("h2", {}, "No models yet"),
    el("p", {}, "Create one with the Python client:"),
    el("p", {}, el("code", {}, 'client.create("spam", labels=["ham", "spam"])')),
    el("p", {}, "or send ", el("code", {}, "POST /v1/models"), ". The model appears here at once."),
  );
}

function card(model, series) {
  const { name, regresses, contenders } = model;
  const [champion] = contenders;
  const buckets = series?.buckets ?? [];
  const window = windowFor(buckets);
  const error = errorField(regresses);
  const errors = windowed(buckets, error, "labelled", window);
  const write = regresses ? number : percent;
  const counts = champion?.counts ?? {};
  const facts = [
    ["predictions", rate(series ? traffic(series, now(), model.created_at) : null)],
    [regresses ? "abs. error" : "error", write(errors.at(-1) ?? counts.error)],
    ["log loss", loss(recent(buckets, "log_loss", "judged", window) ?? counts.log_loss)],
    ["open tickets", count(model.open_tickets)],
    ["labels learned", count(counts.labelled)],
    ["challengers", count(contenders.length - 1)],
  ];
  return el(
    "li",
    { class: "card" },
    el(
      "div",
      { class: "top" },
      el(
        "div",
        {},
        el("h2", {}, el("a", { href: modelLink(name), "data-key": `open ${name}` }, el("bdi", {}, brief(name)))),
        el("span", { class: "note" }, shown(model.spec.learner)),
      ),
      stateOf(model),
    ),
    el("dl", { class: "facts" }, facts.map(([what, value]) => el("div", {}, el("dt", {}, what), el("dd", {}, value)))),
    el(
      "div",
      { class: "foot" },
      spark(errors.slice(-200), "Error over time") ?? el("span", { class: "note" }, counts.labelled ? "The curve starts soon" : "No labels yet"),
      model.open_tickets ? el("a", { class: "button", href: modelLink(name, "label"), "data-key": `label ${name}` }, "Label examples") : null,
    ),
  );
}

/** Return a badge with the state of a model. */
export function stateOf(model) {
  const ready = model.ready !== false;
  return el("span", { class: ready ? "state ready" : "state bad" }, ready ? "ready" : "not ready");
}
