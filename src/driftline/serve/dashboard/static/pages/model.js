/** One model: figures over time, contenders, what it learned, snapshots and audit. */
import { get, listed, modelLink, modelPath, now } from "../api.js";
import { el, replace } from "../dom.js";
import { throttled } from "../live.js";
import { contendersPanel } from "../panels/contenders.js";
import { auditPanel, snapshotsPanel } from "../panels/history.js";
import { insidePanel } from "../panels/inside.js";
import { overTimePanel } from "../panels/over_time.js";
import { errorField, recent, traffic, windowFor } from "../recent.js";
import { brief, count, duration, loss, number, percent, rate, shown } from "../text.js";
import { stateOf } from "./overview.js";

const PAUSE = 2000;
const SLOW_PAUSE = 6000;

/** Return the page. */
export async function modelPage({ model: name, failed, admin }) {
  const said = el("p", { role: "status", class: "note" });
  const problem = el("p", { class: "problem", role: "alert" });
  const head = el("div", { class: "top-line" });
  const tiles = el("dl", { class: "tiles" });

  /** Run a change, say what happened, and load everything again. */
  const act = async (change, done) => {
    replace(problem);
    try {
      await change();
      replace(said, done);
      await loadAll();
    } catch (error) {
      if (error.status === 401) failed(error);
      else replace(problem, error.message);
    }
  };

  const info = await get(modelPath(name));
  const overTime = overTimePanel(info.regresses);
  const contenders = contendersPanel(name, { act, admin });
  const inside = insidePanel();
  const snapshots = snapshotsPanel(name, { act });
  const audit = auditPanel();
  const node = el(
    "div",
    {},
    head,
    said,
    problem,
    tiles,
    overTime.node,
    contenders.node,
    inside.node,
    admin ? el("div", { class: "grid2 block" }, snapshots.node, audit.node) : null,
  );

  const loadNumbers = async () => {
    const [model, series, alarms] = await Promise.all([
      get(modelPath(name)),
      get(modelPath(name, "series")),
      get(modelPath(name, "alarms")),
    ]);
    const all = listed(series, "series");
    replace(head, headOf(model));
    replace(tiles, tilesOf(model, all[0]));
    overTime.update(all, listed(alarms, "alarms"));
    contenders.update(model, all);
  };
  const loadInside = async () => {
    const [leaders, weights] = await Promise.all([
      get(modelPath(name, "leaders")),
      get(modelPath(name, "weights")),
    ]);
    inside.update(listed(leaders, "leaders"), listed(weights, "weights"));
  };
  const loadHistory = async () => {
    if (!admin) return;
    const [stored, entries] = await Promise.all([
      get(modelPath(name, "snapshots")),
      get("/v1/audit?limit=200"),
    ]);
    snapshots.update(listed(stored, "snapshots"));
    audit.update(listed(entries, "entries").filter((one) => one.model === name).slice(0, 20));
  };
  const loadAll = () => Promise.all([loadNumbers(), loadInside(), loadHistory()]);

  const guarded = (task) => async () => {
    try {
      await task();
      replace(problem);
    } catch (error) {
      replace(problem, error.message);
      if (error.status === 401) failed(error);
    }
  };
  const numbersSoon = throttled(guarded(loadNumbers), PAUSE);
  const insideSoon = throttled(guarded(loadInside), SLOW_PAUSE);
  const historySoon = throttled(guarded(loadHistory), PAUSE);
  await loadAll();
  return {
    node,
    title: brief(name, 40),
    update(message) {
      if (message.model && message.model !== name) return;
      numbersSoon();
      insideSoon();
      if (message.kind !== "counts") historySoon();
    },
    leave() {
      for (const soon of [numbersSoon, insideSoon, historySoon]) soon.cancel();
    },
  };
}

function headOf(model) {
  const asking = model.spec.asking ? `, asks for labels (${shown(model.spec.asking.kind)})` : "";
  return [
    el("div", {}, el("h1", {}, el("bdi", {}, brief(model.name))), " ", stateOf(model), el("p", { class: "note" }, `${shown(model.spec.learner)}${asking}, position ${count(model.position)}`)),
    el("a", { class: "button main", href: modelLink(model.name, "label"), "data-key": "label" }, "Label examples"),
  ];
}

function tilesOf(model, series) {
  const buckets = series?.buckets ?? [];
  const window = windowFor(buckets);
  const counts = model.contenders[0].counts;
  const over = counts.labelled ? `last ${count(Math.min(window, counts.labelled))} labels` : "no labels yet";
  const write = model.regresses ? number : percent;
  const error = recent(buckets, errorField(model.regresses), "labelled", window) ?? counts.error;
  const tiles = [
    ["Predictions", rate(series ? traffic(series, now(), model.created_at) : null), `${count(counts.asked)} in all`],
    [model.regresses ? "Absolute error" : "Error", write(error), over],
    ["Log loss", loss(recent(buckets, "log_loss", "judged", window) ?? counts.log_loss), over],
    ["Labels", count(counts.labelled), `${count(model.unmatched_labels)} wait for their example`],
    ["Open tickets", count(model.open_tickets), "wait for a label"],
    ["Label latency", duration(counts.latency), "mean"],
  ].filter(([what]) => !(model.regresses && what === "Log loss"));
  return tiles.map(([what, value, note]) => el("div", {}, el("dt", {}, what), el("dd", {}, value), el("dd", {}, note)));
}
