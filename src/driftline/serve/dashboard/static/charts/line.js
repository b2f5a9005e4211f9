/** A line chart over time, with numbered alarms. */
import { svg } from "../dom.js";
import { brief, moment, number, shown } from "../text.js";
import { lineStyle } from "./figure.js";
import { tickText, ticks, timeText, timeTicks } from "./scale.js";

const TOP = 20;
const BOTTOM = 30;
const LETTER = 7.2;
const RIGHT = 10;

/** Return the height of a chart of this width. */
export function heightFor(width) {
  return Math.round(Math.min(260, Math.max(180, width * 0.42)));
}

/**
 * Return the frame of a chart: its scales and the nodes of its axes. `x` and `y` are
 * {low, high}; y may have `percent`, or a `unit`
 * {name, size}.
 */
export function frame(width, height, x, y) {
  const span = x.high - x.low || 1;
  const rise = y.high - y.low || 1;
  const unit = y.unit ?? { size: 1 };
  const places = ticks(y.low / unit.size, y.high / unit.size, 4);
  const texts = places.map((at) => (unit.name ? `${number(at)} ${unit.name}` : tickText(at, y.percent)));
  const left = 14 + LETTER * Math.max(3, ...texts.map((text) => text.length));
  const px = (value) => left + ((value - x.low) / span) * (width - left - RIGHT);
  const py = (value) => height - BOTTOM - ((value - y.low) / rise) * (height - TOP - BOTTOM);
  const rows = places.map((at, k) => {
    const height = py(at * unit.size).toFixed(1);
    return [
      svg("path", { class: k || at * unit.size !== y.low ? "grid" : "base", d: `M${left.toFixed(1)} ${height}H${width - RIGHT}` }),
      svg("text", { class: "tick", x: (left - 7).toFixed(1), y: height, dy: ".35em", "text-anchor": "end" }, texts[k]),
    ];
  });
  const most = Math.max(2, Math.floor(width / 110));
  const columns = timeTicks(x.low, x.high, most).map((at) => {
    const side = px(at) < left + 20 ? "start" : px(at) > width - 30 ? "end" : "middle";
    return svg("text", { class: "tick", x: px(at).toFixed(1), y: height - 8, "text-anchor": side }, timeText(at, span));
  });
  return { px, py, nodes: [rows, columns] };
}

/** Return the path of values over places; a value that is not known interrupts the line. */
export function path(places, values, px, py) {
  let pen = "M";
  let drawn = "";
  values.forEach((value, k) => {
    if (typeof value !== "number" || !Number.isFinite(value)) {
      pen = "M";
      return;
    }
    drawn += `${pen}${px(places[k]).toFixed(1)} ${py(value).toFixed(1)}`;
    pen = "L";
  });
  return drawn;
}

/** Return vertical lines with numbers. An alarm is {at, title}. */
export function alarmMarks(alarms, low, high, px, height) {
  let last = -Infinity;
  return alarms.map((alarm, k) => {
    if (alarm.at < low || alarm.at > high) return null;
    const x = px(alarm.at);
    const badge = x - last >= 16;
    if (badge) last = x;
    return svg(
      "g",
      { class: "alarm" },
      svg("title", {}, `${k + 1}: ${shown(alarm.title)}, ${moment(alarm.at)}`),
      svg("path", { d: `M${x.toFixed(1)} ${TOP - 4}V${height - BOTTOM}` }),
      badge ? svg("text", { x: x.toFixed(1), y: TOP - 8, "text-anchor": "middle" }, String(k + 1)) : null,
    );
  });
}

/** Return the highest and lowest known value of many lists. */
function extent(lists) {
  const all = lists.flat().filter((one) => typeof one === "number" && Number.isFinite(one));
  return all.length ? [Math.min(...all), Math.max(...all)] : null;
}

/**
 * Return a chart for `figure().draw`. `at` holds times, `lines` holds {name, values}. Values are
 * shares if `percent` is set; `write` returns the text of a value, and `unit` the unit
 * of an axis up to a value. `none` is shown if there is no value.
 */
export function lineChart({ title, at, lines, percent = false, alarms = [], write, unit = null, none = "No labels yet." }) {
  const range = extent(lines.map((line) => line.values));
  if (!range) return { empty: none };
  if (at.length < 2) return { empty: "The line begins with the second point in time. Wait a moment." };
  const high = Math.max(range[1] * 1.08, range[0] + 1e-9, percent ? 0.02 : 0.05);
  const x = { low: at[0], high: at[at.length - 1] };
  const y = { low: Math.min(0, range[0]), high: percent ? Math.min(1, high) : high, percent, unit: unit?.(high) };
  const last = (line) => line.values.findLast((one) => Number.isFinite(one));
  const ends = lines.map((line) => `${brief(line.name, 40)} ${write(last(line))}`);
  return {
    header: ["time", ...lines.map((line) => brief(line.name, 30))],
    rows: every(at, 40).map((k) => [moment(at[k]), ...lines.map((line) => write(line.values[k]))]),
    svg(width) {
      const height = heightFor(width);
      const { px, py, nodes } = frame(width, height, x, y);
      return svg(
        "svg",
        { class: "chart", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${title}. Last values: ${ends.join(", ")}.` },
        nodes,
        alarmMarks(alarms, x.low, x.high, px, height),
        // the first line is drawn last, above the others
        lines.map((line, k) => svg("path", { class: "line", d: path(at, line.values, px, py), ...lineStyle(k) })).reverse(),
      );
    },
  };
}

/** Return up to `most` indices of a list, evenly spread, the last one first. */
export function every(list, most) {
  const step = Math.max(1, Math.ceil(list.length / most));
  const found = [];
  for (let k = list.length - 1; k >= 0; k -= step) found.push(k);
  return found;
}
