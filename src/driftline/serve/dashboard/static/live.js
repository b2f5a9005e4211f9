/** Server-sent events, with reconnection and a state that the page shows. */

const FIRST_WAIT = 1000;
const LONGEST_WAIT = 15000;

/**
 * A stream of updates. `onUpdate(message)` gets each decoded message, `onState(state, seconds)`
 * gets "connecting", "live" or "lost" and the seconds until the next attempt.
 */
export class Live {
  constructor(path, names, { onUpdate, onState }) {
    Object.assign(this, { path, names, onUpdate, onState, source: null, timer: 0, wait: FIRST_WAIT, next: 0 });
  }

  /** Connect. A connection that is open is closed first. */
  open() {
    this.close();
    this.onState("connecting", 0);
    const source = new EventSource(this.path);
    this.source = source;
    source.addEventListener("open", () => {
      this.wait = FIRST_WAIT;
      this.onState("live", 0);
    });
    source.addEventListener("error", () => this.lost());
    const take = (event) => {
      let message = null;
      try {
        message = JSON.parse(event.data);
      } catch {
        return; // a line that is no message
      }
      this.onUpdate(message);
    };
    for (const name of this.names) source.addEventListener(name, take);
  }

  /** Wait, twice as long after each failed attempt, and connect again. */
  lost() {
    this.source?.close();
    this.next = Date.now() + this.wait;
    this.wait = Math.min(LONGEST_WAIT, 2 * this.wait);
    clearInterval(this.timer);
    const step = () => {
      const seconds = Math.ceil((this.next - Date.now()) / 1000);
      if (seconds <= 0) this.open();
      else this.onState("lost", seconds);
    };
    this.timer = setInterval(step, 250);
    step();
  }

  close() {
    clearInterval(this.timer);
    this.source?.close();
    this.source = null;
  }
}

/** Return a function that runs `task` soon after a call, at most once in `pause` milliseconds. */
export function throttled(task, pause) {
  let timer = 0;
  let last = -Infinity;
  let running = false;
  const run = async () => {
    timer = 0;
    last = Date.now();
    running = true;
    await task();
    running = false;
  };
  const soon = () => {
    if (timer) return;
    if (running) timer = setTimeout(() => ((timer = 0), soon()), pause);
    else timer = setTimeout(run, Math.max(0, last + pause - Date.now()));
  };
  soon.cancel = () => clearTimeout(timer);
  return soon;
}
