/** An example for a person: long texts as text, other features as a table. */
import { el, table } from "../dom.js";
import { brief, count, number, shown, shownText } from "../text.js";

const LONG = 40;
const FIRST = 30;

/** Return nodes that show an example: a dict of features, or a list of numbers. */
export function exampleView(x) {
  const pairs = Array.isArray(x) ? x.map((value, k) => [String(k), value]) : Object.entries(x);
  const isText = ([, value]) => typeof value === "string" && (value.length > LONG || value.includes("\n"));
  const texts = pairs.filter(isText);
  const fields = pairs.filter((pair) => !isText(pair));
  const rows = fields.map(([name, value]) => [el("bdi", { title: brief(name, 200) }, brief(name)), valueView(value)]);
  const header = ["feature", "value"];
  const rest = rows.slice(FIRST);
  return [
    texts.map(([name, value]) =>
      el("div", { class: "text-field" }, el("h3", {}, el("bdi", {}, brief(name))), el("p", { dir: "auto", tabindex: "0" }, shownText(value))),
    ),
    rows.length ? table("Features", header, rows.slice(0, FIRST), "features") : null,
    rest.length ? el("details", {}, el("summary", {}, `${count(rest.length)} more features`), table("More features", header, rest, "features")) : null,
    pairs.length ? null : el("p", { class: "empty" }, "This example has no features."),
  ];
}

function valueView(value) {
  if (value === null) return el("span", { class: "note" }, "missing");
  if (typeof value === "number") return number(value, 6);
  return el("bdi", {}, typeof value === "boolean" ? String(value) : shown(value) || '""');
}
