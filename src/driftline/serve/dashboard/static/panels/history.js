/** Snapshots, with a button to roll back, and the audit trail. */
import { modelPath, post } from "../api.js";
import { confirmed } from "../confirm.js";
import { el, replace, table } from "../dom.js";
import { ago, brief, bytes, count, moment, shown } from "../text.js";

/** Return {node, update}. */
export function snapshotsPanel(name, { act }) {
  const body = el("div", {});
  const take = el(
    "button",
    { type: "button", click: () => act(() => post(modelPath(name, "snapshot")), "The snapshot is stored.") },
    "Take a snapshot",
  );
  const node = el("section", { class: "panel" }, el("div", { class: "top-line" }, el("h2", {}, "Snapshots"), take), body);

  const rollBack = async (one) => {
    const sure = await confirmed(
      `Roll back to position ${count(one.position)}?`,
      `The model returns to its state of ${moment(one.at)}. What it learned after that is undone; the log keeps it.`,
      "Roll back",
    );
    if (sure) await act(() => post(modelPath(name, "rollback"), { snapshot: one.id }), `Rolled back to position ${count(one.position)}.`);
  };

  return {
    node,
    update(snapshots) {
      if (!snapshots.length) {
        replace(body, el("p", { class: "empty" }, "No snapshots yet. The service takes them from time to time."));
        return;
      }
      const rows = [...snapshots].reverse().map((one) => [
        moment(one.at),
        shown(one.kind),
        count(one.position),
        bytes(one.size),
        el("button", { type: "button", "data-key": `rollback ${one.id}`, "aria-label": `Roll back to position ${one.position}`, click: () => rollBack(one) }, "Roll back"),
      ]);
      replace(body, table("Snapshots", ["time", "kind", "position", "size", ""], rows));
    },
  };
}

/** Return {node, update}. */
export function auditPanel() {
  const body = el("div", {});
  const node = el("section", { class: "panel" }, el("h2", {}, "Audit"), body);
  return {
    node,
    update(entries) {
      if (!entries.length) {
        replace(body, el("p", { class: "empty" }, "Nothing yet. Changes of the model are listed here, with who made them."));
        return;
      }
      const rows = entries.map((one) => [
        el("span", { title: moment(one.at) }, ago(one.at)),
        el("bdi", {}, brief(one.who || "–")),
        shown(one.what),
        el("bdi", {}, brief(one.detail, 120)),
      ]);
      replace(body, table("Audit", ["when", "who", "what", "detail"], rows, "texts"));
    },
  };
}
