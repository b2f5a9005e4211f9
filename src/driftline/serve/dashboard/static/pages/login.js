/** Log in by token. The service answers with a cookie that scripts cannot read. */
import { call, post } from "../api.js";
import { el, replace } from "../dom.js";

/** Return the page. `done()` is called after the login. */
export function loginPage({ done }, why = "") {
  const problem = el("p", { class: "problem", role: "alert" }, why);
  const token = el("input", {
    id: "token",
    name: "token",
    type: "password",
    required: true,
    autocomplete: "current-password",
    spellcheck: "false",
    "aria-describedby": "token-note",
  });
  const button = el("button", { class: "main", type: "submit" }, "Log in");
  const submit = async (event) => {
    event.preventDefault();
    button.disabled = true;
    try {
      const { scopes } = await post("/v1/session", { token: token.value.trim() });
      if (scopes.includes("predict") || scopes.includes("admin")) {
        token.value = "";
        done();
        return;
      }
      await call("DELETE", "/v1/session");
      replace(problem, `The dashboard needs a token with the scope predict. This one has ${scopes.join(" and ")}.`);
      token.focus();
    } catch (error) {
      const refused = error.status === 401 || error.status === 403;
      replace(problem, refused ? "The service does not accept this token. Check that you copied all of it." : error.message);
      token.focus();
    } finally {
      button.disabled = false;
    }
  };
  const form = el(
    "form",
    { class: "login", submit },
    el("h1", {}, "Log in"),
    el("label", { for: "token" }, "Token"),
    token,
    el("p", { class: "note", id: "token-note" }, "A token looks like dl_name_secret. ", el("code", {}, "driftline token"), " makes one."),
    problem,
    button,
  );
  return { node: form, title: "Log in", focus: token };
}
