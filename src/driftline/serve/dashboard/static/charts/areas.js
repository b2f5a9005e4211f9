/** Shares of labels over time, stacked to 100%. */
import { svg } from "../dom.js";
import { brief, moment, percent } from "../text.js";
import { every, frame, heightFor } from "./line.js";

/**
 * Return a chart for `figure().draw`. `at` holds times, `lines` holds {name, values}: counts or
 * shares of each label at each time.
 */
export function areaChart({ title, at, lines }) {
  const sums = at.map((_, k) => lines.reduce((sum, line) => sum + (line.values[k] || 0), 0));
  const kept = at.map((_, k) => k).filter((k) => sums[k] > 0);
  if (!kept.length) return { empty: "No labels yet." };
  if (kept.length < 2) return { empty: "The chart begins with the second point in time. Wait a moment." };
  const times = kept.map((k) => at[k]);
  let below = kept.map(() => 0);
  const layers = lines.map((line) => {
    const above = kept.map((k, j) => below[j] + (line.values[k] || 0) / sums[k]);
    const layer = { name: line.name, below, above };
    below = above;
    return layer;
  });
  const share = (layer, j) => layer.above[j] - layer.below[j];
  const last = times.length - 1;
  return {
    header: ["time", ...lines.map((line) => brief(line.name, 30))],
    rows: every(times, 40).map((j) => [moment(times[j]), ...layers.map((layer) => percent(share(layer, j)))]),
    svg(width) {
      const height = heightFor(width);
      const { px, py, nodes } = frame(width, height, { low: times[0], high: times[last] }, { low: 0, high: 1, percent: true });
      const ends = layers.map((layer) => `${brief(layer.name, 40)} ${percent(share(layer, last))}`);
      return svg(
        "svg",
        { class: "chart", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${title}. At the end: ${ends.join(", ")}.` },
        layers.map((layer, k) => {
          const there = times.map((t, j) => `${px(t).toFixed(1)} ${py(layer.above[j]).toFixed(1)}`);
          const back = times.map((t, j) => `${px(t).toFixed(1)} ${py(layer.below[j]).toFixed(1)}`).reverse();
          return svg("path", { class: "area", d: `M${there.join("L")}L${back.join("L")}Z`, fill: `var(--c${k % 6})` });
        }),
        nodes,
      );
    },
  };
}
