/** The champion and its challengers side by side, with a button to promote a challenger. */
import { modelPath, post } from "../api.js";
import { confirmed } from "../confirm.js";
import { el, replace, table } from "../dom.js";
import { common, errorField, sum } from "../recent.js";
import { brief, count, loss, number, percent, shown } from "../text.js";

/** Return {node, update}. `done()` is called after a change. */
export function contendersPanel(name, { act, admin }) {
  const body = el("div", {});
  const node = el("section", { class: "panel block" }, el("h2", {}, "Champion and challengers"), body);

  const promote = async (challenger) => {
    const sure = await confirmed(
      `Promote ${brief(challenger, 40)}?`,
      `From now on ${brief(challenger, 40)} answers the predictions of ${brief(name, 40)}. The champion becomes a challenger and keeps learning.`,
      "Promote",
    );
    if (sure) await act(() => post(modelPath(name, "promote"), { challenger }), `${brief(challenger, 40)} is the champion now.`);
  };

  return {
    node,
    update(info, series) {
      const { contenders, regresses } = info;
      if (contenders.length < 2) {
        replace(body, el("p", { class: "empty" }, "No challengers. Add one with POST ", el("code", {}, "…/challengers"), ": it predicts and learns on the same traffic, and can be promoted here."), alone(contenders[0], regresses));
        return;
      }
      const figures = compare(contenders, series, regresses);
      const write = regresses ? number : percent;
      const first = figures[0];
      const rows = contenders.map((one, k) => [
        [el("bdi", {}, brief(one.name)), el("span", { class: "tag" }, one.role)],
        shown(one.spec.learner),
        count(figures[k].labelled),
        judged(write, figures[k].error, k ? first.error : null),
        ...(regresses ? [] : [judged(loss, figures[k].logLoss, k ? first.logLoss : null)]),
        count(one.features),
        admin && one.role === "challenger"
          ? el("button", { type: "button", "data-key": `promote ${one.name}`, "aria-label": `Promote ${brief(one.name)}`, click: () => promote(one.name) }, "Promote")
          : "",
      ]);
      const header = ["contender", "learner", "labels", regresses ? "absolute error" : "error", ...(regresses ? [] : ["log loss"]), "features", ""];
      replace(
        body,
        el("p", { class: "note" }, "Figures on the same examples: those since the newest contender joined."),
        table("Champion and challengers", header, rows, "contenders"),
      );
    },
  };
}

/** Return a figure, marked as better or worse than that of the champion. */
function judged(write, value, champion) {
  if (value === null || champion === null || value === champion) return write(value);
  const better = value < champion;
  return el("span", { class: better ? "better" : "worse", title: better ? "better than the champion" : "worse than the champion" }, `${write(value)} ${better ? "▼" : "▲"}`);
}

/** Return the figures of all contenders on the examples that all of them have seen. */
function compare(contenders, series, regresses) {
  const known = contenders.map((one) => series.find((other) => other.contender === one.name) ?? { buckets: [] });
  return common(known).map((buckets) => {
    const [labelled, times] = [sum(buckets, "labelled"), sum(buckets, "judged")];
    return {
      labelled,
      error: labelled ? sum(buckets, errorField(regresses)) / labelled : null,
      logLoss: times ? sum(buckets, "log_loss") / times : null,
    };
  });
}

function alone(champion, regresses) {
  const { counts } = champion;
  const write = regresses ? number : percent;
  return el("p", { class: "note" }, `The champion has seen ${count(counts.labelled)} labels, with an error of ${write(counts.error)} since it was added.`);
}
