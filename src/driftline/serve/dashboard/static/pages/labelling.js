/** Answer the questions of a model by keyboard: an example, its prediction and its explanation. */
import { Answers } from "../answers.js";
import { get, listed, modelPath, post } from "../api.js";
import { signedBars } from "../charts/bars.js";
import { figure } from "../charts/figure.js";
import { el, replace } from "../dom.js";
import { throttled } from "../live.js";
import { answerButtons, indexOf } from "../panels/answer_buttons.js";
import { exampleView } from "../panels/example.js";
import { ago, brief, count, labelText, number, percent } from "../text.js";

const AHEAD = 20;
const FEW = 5;
const BARS = 10;
const PAUSE = 2000;
const HELP = [
  [["1", "9"], "give a label"],
  [["s", "→"], "skip"],
  [["←"], "back to the skipped one"],
  [["d"], "cannot tell"],
  [["z"], "take the last answer back"],
];

/** Return the page. */
export async function labellingPage({ model: name, failed }) {
  const info = await get(modelPath(name));
  const [champion] = info.contenders;
  const labels = info.regresses ? [] : champion.labels;
  const fixed = !info.regresses && Boolean(info.spec.labels);
  const numeric = info.regresses || (labels.length > 0 && labels.every((one) => typeof one === "number"));

  let queue = [];
  let skipped = [];
  let current = null;
  const handled = new Set();
  const explanations = new Map();

  const progress = el("div", { class: "progress" });
  const problem = el("div", { class: "problem", role: "alert" });
  const spoken = el("p", { class: "unseen", role: "status" });
  const question = el("section", { class: "panel question", tabindex: "-1", "aria-label": "Question" });
  const buttons = el("section", { class: "panel choice", "aria-label": "Answer" });
  const bars = figure("Explanation");
  const body = el("div", { class: "labelling" }, question, el("div", { class: "side" }, buttons, bars.node));
  const node = el("div", {}, el("h1", {}, "Label examples for ", el("bdi", {}, brief(name))), spoken, progress, problem, body);

  const answers = new Answers(
    ({ ticket, y, dismissed }) => post(modelPath(name, dismissed ? "dismiss" : "label"), dismissed ? { ticket } : { ticket, y }, { keepalive: true }),
    () => showProgress(),
  );

  function showProgress() {
    const { held, sent, waiting, refused, outbox } = answers;
    replace(
      progress,
      el("span", {}, el("b", {}, count(sent)), " sent"),
      skipped.length ? el("span", {}, el("b", {}, count(skipped.length)), " skipped") : null,
      held
        ? el(
            "span",
            { class: "held" },
            held.dismissed ? "Cannot tell. " : ["Answered ", el("b", {}, brief(labelText(held.y), 30)), ". "],
            el("button", { type: "button", "data-key": "undo", click: takeBack }, el("kbd", { "aria-hidden": "true" }, "z"), " Take back"),
          )
        : null,
      waiting ? el("span", { class: "problem" }, `${count(outbox.length)} not sent yet: ${waiting}`) : null,
    );
    if (refused.length) replace(problem, refused.slice(-3).map((one) => el("p", {}, `The answer to ticket ${brief(one.answer.ticket, 40)} was refused: ${one.why}`)));
  }

  /** Fetch questions that are not known here. */
  async function fetchMore() {
    const limit = Math.min(1000, AHEAD + skipped.length + answers.unsent);
    const found = listed(await get(`${modelPath(name, "questions")}?limit=${limit}`), "questions");
    const known = new Set([...queue, ...skipped, current].map((one) => one?.ticket));
    queue.push(...found.filter((one) => !handled.has(one.ticket) && !known.has(one.ticket)));
    if (!current) next();
  }
  const moreSoon = throttled(async () => {
    try {
      await fetchMore();
    } catch (error) {
      if (error.status === 401) failed(error);
      else if (!current) replace(problem, error.message);
    }
  }, PAUSE);

  function next() {
    show(queue.shift() ?? null);
    if (queue.length < FEW) moreSoon();
  }

  function show(one) {
    current = one;
    for (const part of [buttons, bars.node]) part.hidden = !one;
    if (!one) {
      replace(question, emptyState());
      return;
    }
    replace(question, el("h2", {}, predictionText(one)), el("p", { class: "note" }, `Asked ${ago(one.at)}. Worth ${number(one.worth)}.`), exampleView(one.x));
    replace(buttons, el("h2", {}, info.regresses ? "Which value is right?" : "Which label is right?"), answerButtons({ labels, question: one, fixed, numeric, answer: give }), moreButtons());
    explain(one);
    for (const ahead of queue.slice(0, 2)) explanationOf(ahead);
  }

  function predictionText(one) {
    if (info.regresses) return ["Predicted ", el("b", {}, number(one.score, 4))];
    if (one.label === null) return "No prediction yet: the model knows no label";
    const share = one.probability?.[String(one.label)];
    return ["Predicted ", el("bdi", {}, brief(labelText(one.label), 40)), share === undefined ? "" : ` with ${percent(share)}`];
  }

  function emptyState() {
    return [
      el("h2", {}, skipped.length ? "Only skipped questions are left" : "No open questions"),
      el("p", { class: "empty" }, skipped.length ? `You skipped ${count(skipped.length)}.` : "Every label that the model wanted is there. New questions appear here at once."),
      skipped.length ? el("button", { type: "button", click: again }, "Show them again") : null,
    ];
  }

  function moreButtons() {
    const button = (key, text, click) => el("button", { type: "button", "aria-keyshortcuts": key, click }, el("kbd", { "aria-hidden": "true" }, key), text);
    return el("div", { class: "more" }, button("s", "Skip", skip), button("d", "Cannot tell", () => finish({ dismissed: true })), el("details", { "data-key": "keys" }, el("summary", {}, "Keys"), helpList()));
  }

  function helpList() {
    return el("ul", { class: "keys" }, HELP.map(([keys, what]) => el("li", {}, keys.map((key, k) => [k ? (key === "9" ? " to " : " or ") : "", el("kbd", {}, key)]), ` ${what}`)));
  }

  function explanationOf(one) {
    if (!explanations.has(one.ticket)) {
      explanations.set(one.ticket, post(modelPath(name, "explain"), { ticket: one.ticket }).catch((error) => ({ failed: error.message })));
      if (explanations.size > 100) explanations.delete(explanations.keys().next().value);
    }
    return explanations.get(one.ticket);
  }

  async function explain(one) {
    bars.draw({ empty: "Loading." });
    const found = await explanationOf(one);
    if (current !== one) return;
    if (found.failed) {
      bars.draw({ empty: `No explanation: ${found.failed}` });
      return;
    }
    const pairs = Array.isArray(found.contributions) ? found.contributions : Object.entries(found.contributions);
    const label = brief(labelText(found.label), 40);
    const chart = signedBars({
      title: found.label === null || info.regresses ? "Contributions to the score" : `What speaks for ${label}`,
      rows: pairs.slice(0, BARS).map(([feature, value]) => ({ name: feature, value })),
      header: ["feature", "contribution"],
      empty: "The model has learned nothing about this example yet.",
      write: (value) => (value > 0 ? "+" : "") + number(value, 2),
    });
    const note = info.regresses ? "Contributions to the value that the model predicts now." : ["What the model says now: bars to the right speak for ", el("bdi", {}, label), ", bars to the left against it."];
    bars.draw({ ...chart, legend: el("p", { class: "note" }, note) });
  }

  // answers -----------------------------------------------------------------------------------
  function give(y) {
    if (!info.regresses && !labels.includes(y)) labels.push(y);
    finish({ y });
  }

  function finish(answer) {
    if (!current) return;
    handled.add(current.ticket);
    answers.add({ ticket: current.ticket, question: current, ...answer });
    const said = answer.dismissed ? "Cannot tell." : `Answered ${labelText(answer.y)}.`;
    next();
    say(said);
  }

  function skip() {
    if (!current) return;
    skipped.push(current);
    next();
    say("Skipped.");
    showProgress();
  }

  /** Return to the question that was skipped last. */
  function back() {
    if (!skipped.length) return;
    if (current) queue.unshift(current);
    show(skipped.pop());
    say("Back.");
    showProgress();
  }

  /** Ask the skipped questions again. */
  function again() {
    queue.push(...skipped);
    skipped = [];
    next();
    showProgress();
  }

  function takeBack() {
    const answer = answers.takeBack();
    if (!answer) {
      say("There is no answer to take back: it has been sent.");
      return;
    }
    handled.delete(answer.ticket);
    if (current) queue.unshift(current);
    show(answer.question);
    say("Taken back.");
  }

  /** Tell screen readers what happened, and which question is next. */
  function say(what) {
    const ask = current ? (current.label === null ? " Next question." : ` Next question, predicted ${labelText(current.label)}.`) : " No open questions.";
    replace(spoken, what + ask);
    question.focus({ preventScroll: true });
  }

  const KEYS = { s: skip, ArrowRight: skip, ArrowLeft: back, d: () => finish({ dismissed: true }), z: takeBack };
  function press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.defaultPrevented) return;
    if (event.target.closest?.("input, textarea, select, dialog")) return;
    const index = indexOf(event.key);
    const action = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (index >= 0 && current && index < labels.length) give(labels[index]);
    else if (action) action();
    else return;
    event.preventDefault();
  }
  const hold = (event) => {
    if (answers.unsent) event.preventDefault();
  };
  const hide = () => answers.release();
  document.addEventListener("keydown", press);
  addEventListener("beforeunload", hold);
  addEventListener("pagehide", hide);

  const leave = () => {
    moreSoon.cancel();
    answers.release();
    document.removeEventListener("keydown", press);
    removeEventListener("beforeunload", hold);
    removeEventListener("pagehide", hide);
  };
  try {
    await fetchMore();
  } catch (error) {
    leave();
    throw error;
  }
  if (!current) show(null);
  showProgress();
  return {
    node,
    title: `Labelling ${brief(name, 40)}`,
    update(message) {
      if ((!message.model || message.model === name) && queue.length < FEW) moreSoon();
    },
    leave,
  };
}
