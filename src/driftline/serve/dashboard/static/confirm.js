/** Ask before a change of a model. */
import { el } from "./dom.js";

/** Show a question and return whether the user confirmed it. */
export function confirmed(question, explanation, action) {
  return new Promise((resolve) => {
    const dialog = el(
      "dialog",
      { "aria-labelledby": "confirm-question", close: () => (dialog.remove(), resolve(dialog.returnValue === "yes")) },
      el(
        "form",
        { method: "dialog" },
        el("h2", { id: "confirm-question" }, question),
        el("p", {}, explanation),
        el(
          "div",
          { class: "row" },
          el("button", { value: "no" }, "Cancel"),
          el("button", { value: "yes", class: "main" }, action),
        ),
      ),
    );
    document.body.append(dialog);
    dialog.showModal();
  });
}
