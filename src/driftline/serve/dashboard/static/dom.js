/**
 * Build nodes. Text from the service only becomes text nodes and plain attribute values.
 * Nothing in the dashboard parses HTML, so names in the data cannot bring markup or scripts.
 */
const SVG = "http://www.w3.org/2000/svg";

function filled(node, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, String(value));
  }
  node.append(...children.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false));
  return node;
}

/** Return an HTML element. A property that is a function listens to the event of its name. */
export function el(name, props = {}, ...children) {
  return filled(document.createElement(name), props, children);
}

/** Return an SVG element. */
export function svg(name, props = {}, ...children) {
  return filled(document.createElementNS(SVG, name), props, children);
}

/**
 * Replace the children of a node. The focus returns to the new element with the same data-key,
 * and a <details> with the same data-key stays open.
 */
export function replace(node, ...children) {
  const focused = node.contains(document.activeElement) ? document.activeElement.dataset?.key : undefined;
  const open = new Set([...node.querySelectorAll("details[open][data-key]")].map((one) => one.dataset.key));
  node.replaceChildren(...children.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false));
  for (const one of node.querySelectorAll("[data-key]")) {
    if (open.has(one.dataset.key)) one.open = true;
    if (focused !== undefined && one.dataset.key === focused) one.focus({ preventScroll: true });
  }
}

/** Return a table. A cell is text or a node; the first cell of each row is its header. */
export function table(caption, header, rows, kind = "") {
  return el(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    el(
      "table",
      { class: kind },
      el("caption", { class: "unseen" }, caption),
      el("thead", {}, el("tr", {}, header.map((one) => el("th", { scope: "col" }, one)))),
      el(
        "tbody",
        {},
        rows.map((row) =>
          el("tr", {}, row.map((cell, k) => (k ? el("td", {}, cell) : el("th", { scope: "row" }, cell)))),
        ),
      ),
    ),
  );
}
