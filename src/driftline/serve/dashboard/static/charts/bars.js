/** Horizontal bars: contributions, weights and probabilities with a sign. */
import { svg } from "../dom.js";
import { brief, number, shown } from "../text.js";

const ROW = 30;
const ROOM = 64;

/**
 * Return a chart for `figure().draw`: one row for each {name, value}, names above their bars.
 * Negative values extend to the left of the middle.
 */
export function signedBars({ title, rows, header, empty, write = (value) => number(value) }) {
  if (!rows.length) return { empty };
  const most = Math.max(...rows.map((row) => Math.abs(row.value)), 1e-12);
  const signed = rows.some((row) => row.value < 0);
  return {
    header,
    rows: rows.map((row) => [brief(row.name), write(row.value)]),
    svg(width) {
      const height = ROW * rows.length + 2;
      const room = width - ROOM;
      const zero = signed ? room / 2 : 0;
      const unit = (signed ? room / 2 : room) / most;
      return svg(
        "svg",
        { class: "chart bars", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title },
        rows.map((row, k) => {
          const y = ROW * k;
          const size = Math.max(1, Math.abs(row.value) * unit);
          return svg(
            "g",
            {},
            svg("title", {}, `${shown(row.name)}: ${write(row.value)}`),
            svg("text", { class: "name", x: 0, y: y + 12 }, brief(row.name, Math.floor(width / 8.2))),
            svg("path", { class: "track", d: `M0 ${y + 21.5}H${room}` }),
            svg("rect", { class: row.value < 0 ? "against" : "for", x: (row.value < 0 ? zero - size : zero).toFixed(1), y: y + 17, width: size.toFixed(1), height: 9, rx: 2 }),
            svg("text", { class: "tick", x: width, y: y + 21.5, dy: ".35em", "text-anchor": "end" }, write(row.value)),
          );
        }),
        signed ? svg("path", { class: "base", d: `M${zero} 14V${height}` }) : null,
      );
    },
  };
}
