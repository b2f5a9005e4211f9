/** The frame of the dashboard: routes, the connection, and the login. */
import { Problem, call, get, modelLink } from "./api.js";
import { el, replace } from "./dom.js";
import { Live } from "./live.js";
import { labellingPage } from "./pages/labelling.js";
import { loginPage } from "./pages/login.js";
import { modelPage } from "./pages/model.js";
import { overviewPage } from "./pages/overview.js";
import { brief } from "./text.js";

const EVENTS = ["counts", "alarm", "model"];
const place = (id) => document.getElementById(id);
let current = null;
let opened = 0;
let admin = false;

/** Return {page, model} of the part of the address after "#". */
function route() {
  const parts = location.hash.replace(/^#\/?/, "").split("/");
  if (parts[0] !== "models" || !parts[1]) return { make: overviewPage, crumbs: [] };
  let model;
  try {
    model = decodeURIComponent(parts[1]);
  } catch {
    return { make: overviewPage, crumbs: [] };
  }
  const home = { name: model, to: modelLink(model) };
  if (parts[2] === "label") return { make: labellingPage, model, crumbs: [home, { name: "labelling" }] };
  return { make: modelPage, model, crumbs: [{ name: model }] };
}

function show(page, crumbs) {
  current = page;
  document.title = page.title ? `${page.title} · driftline` : "driftline";
  replace(
    place("crumbs"),
    crumbs.map((one) => [
      el("span", { "aria-hidden": "true" }, "/"),
      one.to ? el("a", { href: one.to }, el("bdi", {}, brief(one.name, 40))) : el("bdi", { "aria-current": "page" }, brief(one.name, 40)),
    ]),
  );
  replace(place("page"), page.node);
}

/** After a failed call of a page: without a session the login is shown. */
function failed(error) {
  if (error.status === 401) logIn();
}

function logIn() {
  live.close();
  current?.leave?.();
  state("off");
  place("logout").hidden = true;
  const page = loginPage({ done: start });
  show(page, []);
  page.focus.focus();
}

/** Show the page of the address. */
async function open() {
  const mine = ++opened;
  current?.leave?.();
  const { make, model, crumbs } = route();
  let page;
  try {
    page = await make({ model, failed, admin });
  } catch (error) {
    if (mine !== opened) return;
    if (error instanceof Problem && error.status === 401) return void logIn();
    page = { title: "Problem", node: problemPage(error) };
  }
  if (mine !== opened) return void page.leave?.();
  const moved = current !== null;
  show(page, crumbs);
  if (moved) place("page").focus({ preventScroll: true });
}

function problemPage(error) {
  const missing = error.status === 404;
  return el(
    "section",
    { class: "plain" },
    el("h1", {}, missing ? "Not found" : "This page could not be loaded"),
    el("p", { class: "problem", role: "alert" }, error.message),
    el("p", {}, el("button", { type: "button", click: start }, "Try again"), " ", el("a", { href: "#/" }, "All models")),
  );
}

/** Show the state of the connection: "connecting", "live", "lost" or "off". */
function state(now, seconds = 0) {
  const words = { connecting: "Connecting", live: "Live", lost: "Connection lost", off: "" };
  const node = place("connection");
  if (node.dataset.state !== now) {
    node.dataset.state = now;
    replace(node, words[now]);
    // the stream is also refused when the session has ended, but it does not tell the reason
    if (now === "lost") get("/v1/session").catch(failed);
  }
  const lost = place("lost");
  // while it connects again, the warning stays until the connection is there
  if (now === "lost") {
    lost.hidden = false;
    replace(lost, el("span", {}, "Connection lost. The numbers below may be old."), el("span", { "aria-live": "off" }, ` Next attempt in ${seconds} s.`));
  } else if (now !== "connecting") lost.hidden = true;
}

const live = new Live("/v1/events", EVENTS, {
  onUpdate: (message) => current?.update?.(message),
  onState: (now, seconds) => {
    const back = now === "live" && place("connection").dataset.was === "lost";
    if (now === "live" || now === "lost") place("connection").dataset.was = now;
    state(now, seconds);
    if (back) current?.update?.({});
  },
});

/** Ask who is logged in, and show the page of the address or the login. */
async function start() {
  try {
    const session = await get("/v1/session");
    admin = session.scopes.includes("admin");
    place("logout").hidden = session.open;
  } catch (error) {
    if (error.status === 401) return void logIn();
    place("logout").hidden = error.status !== 403;
    show({ title: "Problem", node: problemPage(error) }, []);
    return;
  }
  await open();
  live.open();
}

place("logout").addEventListener("click", async () => {
  try {
    await call("DELETE", "/v1/session");
  } finally {
    logIn();
  }
});
addEventListener("hashchange", open);
start();
