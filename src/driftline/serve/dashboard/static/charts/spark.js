/** A small line without axes, for the overview. */
import { svg } from "../dom.js";
import { path } from "./line.js";

/** Return a sparkline of values from 0 to their maximum; `title` describes it. */
export function spark(values, title) {
  const known = values.filter((one) => Number.isFinite(one));
  if (known.length < 2) return null;
  const [width, height] = [120, 28];
  const high = Math.max(...known, 1e-9);
  const px = (k) => 1 + (k / (values.length - 1)) * (width - 2);
  const py = (value) => height - 2 - (value / high) * (height - 4);
  return svg(
    "svg",
    { class: "spark", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title },
    svg("path", { class: "line", d: path(values.map((_, k) => k), values, px, py), stroke: "var(--c0)" }),
  );
}
