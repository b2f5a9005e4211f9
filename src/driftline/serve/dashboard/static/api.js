/** Call the service. A failed call throws a Problem with a sentence for the user. */

export class Problem extends Error {
  /** `status` is 0 if no answer came. `detail` is the sentence to show. */
  constructor(status, detail, retryAfter = 0) {
    super(detail);
    this.status = status;
    this.retryAfter = retryAfter;
  }

  /** Whether the same call may work later. */
  get passing() {
    return this.status === 0 || this.status === 429 || this.status === 503;
  }
}

const WORDS = {
  0: "The service does not answer. Check that it is running and that you are connected.",
  401: "Log in first: the session has ended or the token was revoked.",
  403: "Your token does not allow this. Log in with a token that has the scope it needs.",
  429: "The service is busy. Try again in a moment.",
  503: "The service is not ready. Try again in a moment.",
};

let ahead = 0;

/** Return the time on the clock of the service, in seconds since 1970. */
export function now() {
  return Date.now() / 1000 + ahead;
}

function compareClocks(answer) {
  const theirs = Date.parse(answer.headers.get("Date") ?? "") / 1000;
  const difference = theirs + 0.5 - Date.now() / 1000;
  if (Number.isFinite(theirs)) ahead = Math.abs(difference) > 2 ? difference : 0;
}

async function problemOf(answer) {
  let detail = "";
  try {
    const body = await answer.json();
    detail = String(body.detail || body.title || "");
  } catch {
    // not a problem document: a proxy may have answered
  }
  const words = WORDS[answer.status] ?? `The service answered ${answer.status}.`;
  return new Problem(answer.status, detail || words, Number(answer.headers.get("Retry-After")) || 0);
}

/** Send a request and return the decoded JSON; null for an empty answer. */
export async function call(method, path, body, options = {}) {
  let answer;
  try {
    answer = await fetch(path, {
      method,
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: "same-origin",
      ...options,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, WORDS[0]);
  }
  compareClocks(answer);
  if (!answer.ok) throw await problemOf(answer);
  const text = await answer.text();
  return text ? JSON.parse(text) : null;
}

export const get = (path, options) => call("GET", path, undefined, options);
export const post = (path, body = {}, options) => call("POST", path, body, options);

/** Return a name as a part of an address. */
const part = (name) => encodeURIComponent(name.toWellFormed());

/** Return the path of a model's route in the API. */
export function modelPath(name, route = "") {
  return `/v1/models/${part(name)}${route && `/${route}`}`;
}

/** Return the link to a model's page in the dashboard. */
export function modelLink(name, page = "") {
  return `#/models/${part(name)}${page && `/${page}`}`;
}

/** Return a list that is the whole answer or stands in it under a name. */
export function listed(answer, name) {
  return Array.isArray(answer) ? answer : (answer?.[name] ?? []);
}
