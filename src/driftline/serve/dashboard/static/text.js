/** Write numbers, times and untrusted names. */

const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const KEPT = "\u200c\u200d\u200e\u200f";
const LONGEST = 60;
const TAIL = 20;
export const MISSING = "–";

/** Return the text with invisible and direction-changing characters as escapes. */
export function shown(value) {
  const escape = (c) => (KEPT.includes(c) ? c : `\\u{${c.codePointAt(0).toString(16)}}`);
  return String(value).replace(HIDDEN, escape);
}

/** Return the text of an example: like `shown`, but line breaks and tabs stay. */
export function shownText(value) {
  return String(value)
    .split(/(\r\n|[\n\t])/)
    .map((part) => (/^(\r\n|[\n\t])$/.test(part) ? part : shown(part)))
    .join("");
}

/** Return the text; a long one keeps its start and its end. */
export function brief(value, longest = LONGEST) {
  const all = [...shown(value)];
  if (all.length <= longest) return all.join("");
  const tail = Math.min(TAIL, Math.floor(longest / 3));
  return `${all.slice(0, longest - tail - 1).join("")}…${all.slice(-tail).join("")}`;
}

/** Return a label as text. Labels may be strings, numbers or booleans. */
export function labelText(value) {
  return value === null || value === undefined ? MISSING : shown(value === "" ? '""' : value);
}

const known = (value) => typeof value === "number" && Number.isFinite(value);

/** Return a whole number with separators. */
export function count(value) {
  return known(value) ? Math.round(value).toLocaleString("en-GB") : MISSING;
}

/** Return a share as per cent. */
export function percent(value, decimals = 1) {
  return known(value) ? `${(100 * value).toFixed(decimals)}%` : MISSING;
}

/** Return a log loss. */
export function loss(value) {
  return known(value) ? value.toFixed(3) : MISSING;
}

/** Return a number with a few digits. */
export function number(value, digits = 3) {
  if (!known(value)) return MISSING;
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e7)) return value.toExponential(digits - 1);
  return String(Number(value.toPrecision(Math.max(digits, Math.floor(Math.log10(size || 1)) + 1))));
}

/** Return a rate per second. */
export function rate(value) {
  if (!known(value)) return MISSING;
  return `${value >= 10 ? count(value) : number(value, 2)}/s`;
}

const UNITS = [
  ["d", 86400],
  ["h", 3600],
  ["min", 60],
  ["s", 1],
  ["ms", 1e-3],
];

/** Return the natural unit of a duration in seconds, as {name, size}. */
export function timeUnit(seconds) {
  const [name, size] = UNITS.find(([, one]) => seconds >= one) ?? UNITS.at(-1);
  return { name, size };
}

/** Return a duration in its natural unit, from seconds. */
export function duration(seconds) {
  if (!known(seconds)) return MISSING;
  if (seconds <= 0) return "0 s";
  const { name, size } = timeUnit(seconds);
  return `${number(seconds / size, 2)} ${name}`;
}

/** Return how long ago a time was, from seconds since 1970. */
export function ago(at, now = Date.now() / 1000) {
  if (!known(at)) return MISSING;
  return now - at < 1 ? "now" : `${duration(Math.floor(now - at))} ago`;
}

/** Return a time of day with its date, from seconds since 1970. */
export function moment(at) {
  if (!known(at)) return MISSING;
  const date = new Date(at * 1000);
  return date.toLocaleString("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", second: "2-digit" });
}

/** Return a size in bytes. */
export function bytes(value) {
  if (!known(value)) return MISSING;
  const units = ["B", "kB", "MB", "GB"];
  const k = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, value)) / 3));
  return `${number(value / 1000 ** k)} ${units[k]}`;
}
