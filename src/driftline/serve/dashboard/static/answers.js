/**
 * Answers on their way to the service. The last answer is held for a few seconds, so that it can
 * be taken back; the others are sent in order. An answer that could not be delivered is sent again.
 */

const HOLD = 4000;
const FIRST_WAIT = 1000;
const LONGEST_WAIT = 15000;

export class Answers {
  /**
   * `send(answer)` delivers one answer or throws a Problem. `onChange()` is called after every
   * change of `held`, `outbox`, `sent`, `refused` and `waiting`.
   */
  constructor(send, onChange, hold = HOLD) {
    Object.assign(this, { send, onChange, hold, held: null, outbox: [], sent: 0, refused: [], waiting: "" });
    this.holdTimer = 0;
    this.sending = false;
    this.wait = FIRST_WAIT;
    this.retryTimer = 0;
  }

  /** Hold an answer; the one before goes out. */
  add(answer) {
    this.release();
    this.held = answer;
    this.holdTimer = setTimeout(() => this.release(), this.hold);
    this.onChange();
  }

  /** Take the held answer back and return it; null if it has gone out. */
  takeBack() {
    clearTimeout(this.holdTimer);
    const answer = this.held;
    this.held = null;
    this.onChange();
    return answer;
  }

  /** Send the held answer now. */
  release() {
    clearTimeout(this.holdTimer);
    if (this.held) this.outbox.push(this.held);
    this.held = null;
    this.deliver();
    this.onChange();
  }

  /** The number of answers that have not reached the service. */
  get unsent() {
    return this.outbox.length + (this.held ? 1 : 0);
  }

  async deliver() {
    if (this.sending) return;
    this.sending = true;
    clearTimeout(this.retryTimer);
    while (this.outbox.length) {
      try {
        await this.send(this.outbox[0]);
        this.sent += 1;
      } catch (problem) {
        if (problem.passing || problem.status === 401) {
          this.waiting = problem.message;
          this.retryTimer = setTimeout(() => this.deliver(), Math.max(this.wait, 1000 * (problem.retryAfter || 0)));
          this.wait = Math.min(LONGEST_WAIT, 2 * this.wait);
          break;
        }
        this.refused.push({ answer: this.outbox[0], why: problem.message });
      }
      this.outbox.shift();
      this.waiting = "";
      this.wait = FIRST_WAIT;
      this.onChange();
    }
    this.sending = false;
    this.onChange();
  }
}
