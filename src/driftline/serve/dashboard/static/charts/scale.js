/** Places and texts of ticks. */
import { number } from "../text.js";

/** Return round places from `low` to `high`, about `most` of them. */
export function ticks(low, high, most = 5) {
  if (!(high > low)) return [low];
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough * 0.999);
  const places = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k += 1) places.push(Number((k * step).toPrecision(12)));
  return places;
}

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];

/** Return places at round local times; `low` and `high` are seconds since 1970. */
export function timeTicks(low, high, most = 5) {
  const days = Math.ceil((high - low) / 86400 / most);
  const step = STEPS.find((one) => (high - low) / one <= most) ?? 86400 * days;
  const shift = new Date(low * 1000).getTimezoneOffset() * 60;
  const places = [];
  for (let at = Math.ceil((low - shift) / step) * step + shift; at <= high; at += step) places.push(at);
  return places;
}

/** Return the text of a time on an axis: the day, the minute or the second. */
export function timeText(at, span) {
  const date = new Date(at * 1000);
  if (span > 3 * 86400) return date.toLocaleDateString("en-GB", { day: "numeric", month: "short" });
  const parts = { hour: "2-digit", minute: "2-digit", ...(span < 600 ? { second: "2-digit" } : {}) };
  return date.toLocaleTimeString("en-GB", parts);
}

/** Return the text of a number on an axis. */
export function tickText(value, percent) {
  if (percent) return `${number(100 * value)}%`;
  if (Math.abs(value) >= 1e6) return `${number(value / 1e6)} M`;
  return Math.abs(value) >= 1e4 ? `${number(value / 1e3)} k` : number(value);
}
