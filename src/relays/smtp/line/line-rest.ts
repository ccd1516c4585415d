// A rest that the replies of a relay have shown to be due, and that all processes keep: a quota is used up, or the relay refuses all
// recipients alike. What follows from it is left to line-state.ts.
import { cut } from '../../../db/jsonb.ts';

export type Rest = {
  why: 'quota' | 'same_reply';
  ms: number;
  /** As the relay sent it. */
  reply: string;
  /** The refusals that all recipients got, as signatureOf() in rates/same-reply.ts gives them. */
  signatures?: readonly string[];
};

const maxReply = 300;

export class LineRest {
  #rest: (Rest & { until: number }) | undefined;
  /** When this process saw the last rest begin. */
  since = Number.NEGATIVE_INFINITY;
  /** Counts what this process found out and other processes should know soon. */
  changes = 0;

  /** A rest that is not over. */
  at(now: number): Rest | undefined {
    const rest = this.#rest;
    if (!rest || rest.until <= now) return undefined;
    const { until, ...known } = rest;
    return { ...known, ms: until - now };
  }

  /** The rest that nothing has ended yet, over or not, with its whole length. */
  get last(): Rest | undefined {
    return this.#rest;
  }

  begin(now: number, rest: Rest): void {
    this.#set(now, rest);
    this.since = now;
    this.changes += 1;
  }

  /** The relay takes messages again. @returns whether there was a rest, over or not */
  end(): boolean {
    if (!this.#rest) return false;
    this.#rest = undefined;
    this.changes += 1;
    return true;
  }

  /** What another process has found out. @returns whether there was a rest, over or not */
  adopt(now: number, rest: Rest | undefined): boolean {
    const had = this.#rest !== undefined;
    if (rest && !had) this.since = now;
    if (rest) this.#set(now, rest);
    else this.#rest = undefined;
    return had;
  }

  #set(now: number, rest: Rest): void {
    this.#rest = { ...rest, until: now + rest.ms, reply: cut(rest.reply, maxReply) };
  }
}
