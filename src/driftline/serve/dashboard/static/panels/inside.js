/** What the champion has learned: the leading experts of a Tracker, and the largest weights. */
import { signedBars } from "../charts/bars.js";
import { figure } from "../charts/figure.js";
import { el } from "../dom.js";

const SHOWN = 12;

/** Return {node, update}. `update(leaders, weights)` gets lists; a list is null if it is not known. */
export function insidePanel() {
  const leaders = figure("Leading experts", "The experts of the Tracker with the largest weights in its vote.");
  const weights = figure("Largest weights", "Bars to the left are negative.");
  const node = el("div", { class: "grid2 block" }, leaders.node, weights.node);
  return {
    node,
    update(experts, features) {
      leaders.draw(
        signedBars({
          title: "Leading experts",
          rows: experts.slice(0, SHOWN).map((one) => ({ name: one.name, value: one.weight })),
          header: ["expert", "weight"],
          empty: "This learner has no experts. A Tracker has.",
        }),
      );
      weights.draw(
        signedBars({
          title: "Largest weights",
          rows: features.slice(0, SHOWN).map(([name, value]) => ({ name, value })),
          header: ["feature", "weight"],
          empty: "No weights yet, or a learner without weights for single features.",
        }),
      );
    },
  };
}
