/** A figure: a caption, a chart that is drawn for the width it has, a legend and its numbers. */
import { el, replace, svg, table } from "../dom.js";
import { brief } from "../text.js";

const COLOURS = 6;
const DASHES = ["none", "8 4", "2.5 3", "9 3 2 3"];

/** Return the presentation attributes of the line with this index: colour and dashes. */
export function lineStyle(index) {
  return {
    stroke: `var(--c${index % COLOURS})`,
    "stroke-dasharray": DASHES[Math.floor(index / COLOURS) % DASHES.length],
  };
}

/** Return a legend: one entry for each name. */
export function legend(names, values = []) {
  return el(
    "ul",
    { class: "legend" },
    names.map((name, k) =>
      el(
        "li",
        {},
        svg(
          "svg",
          { class: "swatch", viewBox: "0 0 30 8", "aria-hidden": "true" },
          svg("path", { d: "M0 4H30", ...lineStyle(k) }),
        ),
        el("bdi", { class: "long", title: brief(name, 200) }, brief(name, 40)),
        values[k] ? el("b", {}, values[k]) : null,
      ),
    ),
  );
}

/**
 * Return {node, draw}. `draw(chart)` shows a chart: `chart.svg(width)` returns its drawing,
 * `chart.legend` is a node, `chart.empty` a sentence that is shown instead of a chart, and
 * `chart.rows` with `chart.header` are its numbers as a table.
 */
export function figure(title, note = "") {
  const picture = el("div", { class: "picture" });
  const under = el("div", {});
  const body = el("div", {});
  const numbers = el("details", {}, el("summary", {}, "Show as a table"), body);
  const node = el("figure", { "aria-label": title }, el("figcaption", {}, title), note ? el("p", { class: "note" }, note) : null);
  node.append(picture, under, numbers);
  let chart = null;
  let width = 0;
  const paint = () => {
    if (!chart || !width) return;
    replace(picture, chart.empty ? el("p", { class: "empty" }, chart.empty) : chart.svg(width));
  };
  const fill = () => {
    if (chart?.rows && numbers.open) replace(body, table(title, chart.header, chart.rows));
  };
  numbers.addEventListener("toggle", fill);
  new ResizeObserver(([entry]) => {
    const now = Math.floor(entry.contentRect.width);
    if (now === width) return;
    width = now;
    requestAnimationFrame(paint);
  }).observe(picture);
  return {
    node,
    draw(next) {
      chart = next;
      paint();
      replace(under, next.empty ? null : next.legend);
      numbers.hidden = Boolean(next.empty) || !next.rows;
      fill();
    },
  };
}
