/** The possible answers to a question: a button for each label, or a field for another value. */
import { el } from "../dom.js";
import { brief, labelText, percent } from "../text.js";

const DIGITS = "1234567890";

/** Return the key of the answer with this index; empty after the tenth. */
export function keyOf(index) {
  return DIGITS[index] ?? "";
}

/** Return the index of the answer of a key; -1 if it has none. */
export function indexOf(key) {
  return key.length === 1 ? DIGITS.indexOf(key) : -1;
}

/**
 * Return nodes. `labels` are the known labels, `question` has the prediction, `fixed` is whether
 * other labels are impossible, `numeric` whether labels are numbers. `answer(label)` is called.
 */
export function answerButtons({ labels, question, fixed, numeric, answer }) {
  const share = (label) => question.probability?.[String(label)];
  const buttons = labels.map((label, k) => {
    const predicted = label === question.label;
    const name = labelText(label);
    const about = [predicted ? "predicted" : "", share(label) === undefined ? "" : percent(share(label))].filter(Boolean).join(", ");
    return el(
      "button",
      { type: "button", class: predicted ? "predicted" : "", "aria-keyshortcuts": keyOf(k), click: () => answer(label) },
      keyOf(k) ? el("kbd", { "aria-hidden": "true" }, keyOf(k)) : null,
      el("bdi", {}, brief(name)),
      about ? el("span", { class: "share" }, about) : null,
    );
  });
  return [el("div", { class: "answers", role: "group", "aria-label": "Labels" }, buttons), fixed ? null : otherAnswer(numeric, answer)];
}

function otherAnswer(numeric, answer) {
  const name = numeric ? "Value" : "Another label";
  const input = el("input", { type: numeric ? "number" : "text", step: "any", required: true, maxlength: "200", "aria-label": name, placeholder: name });
  const submit = (event) => {
    event.preventDefault();
    const value = numeric ? input.valueAsNumber : input.value;
    if (numeric && !Number.isFinite(value)) return;
    answer(value);
  };
  return el("form", { class: "other answers", submit }, input, el("button", { type: "submit" }, "Answer"));
}
