// Carries one group of recipients at the pace their domains allow. A domain that is slow, limited or spared holds nobody
// else: its recipients wait aside for a moment and are then put off without an attempt.
// Promises an outcome for every recipient, by the end of `rest` at the latest.

import type { Heard, Held, Pace } from '../pace/pace.ts';
import type { Verdict } from '../verdict/verdict.ts';
import type { Marked } from './chunk.ts';

/** Not given to anybody, and to be tried when `ms` have passed. */
export type Deferred = { kind: 'deferred'; ms: number; why: string };
export type Result = Verdict | Deferred;
export type Carried = { marked: Marked; verdict: Result };

export type GroupSend = {
  /** Resolves when the group has gone out, but for those that keep others waiting. */
  most: Promise<void>;
  /** Resolves when nothing of it is left. */
  rest: Promise<void>;
  readonly done: boolean;
  /** The outcomes since the last call. */
  take(): Carried[];
};

export type GroupSendOptions = {
  pace: Pace;
  account: number;
  /** When the recipients were read, by performance.now(). */
  readAt: number;
  /** How long those under way may keep the lane, where that is longer than usual. */
  minGraceMs?: number;
  /** Most messages under way at once. */
  room(): number;
  canContinue(): boolean;
  /**
   * @param mayBegin false when he is to be read anew before anybody is told of him
   * @param onTurn to be called when only the server's answer is waited for
   */
  carry(one: Marked, mayBegin: () => boolean, onTurn: () => void): Promise<{ verdict: Verdict; heard: Heard }>;
  /** How long a recipient is put off that may not start now. */
  defer(one: Marked, held: Held): Deferred;
};

/** How long those under way may keep the lane after the last one was started, and after the last one that ended. */
const graceMs = 300;
const quietMs = 100;
const quietFactor = 4;
/** How long recipients wait aside for their domain before they are put off. */
const asideMs = 5_000;
const lookMs = 50;
/** Whoever is not begun by then is read anew first: he may have left meanwhile. The group takes longer than foreseen. */
const freshMs = 800;

export function startGroupSend(marked: readonly Marked[], parts: GroupSendOptions): GroupSend {
  const { pace } = parts;
  // However long the reading took, some go: else a slow database would have them read for ever.
  const freshUntil = Math.max(parts.readAt + freshMs, performance.now() + 100);
  const isFresh = () => performance.now() <= freshUntil;
  let outcomes: Carried[] = [];
  const aside = new Map<string, Marked[]>();
  let under = 0;
  let endedAt = 0;
  let failure: unknown;
  let wake = () => {};
  const turn = (ms?: number) =>
    new Promise<void>((resolve) => {
      const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const end = (one: Marked, verdict: Result) => {
    outcomes.push({ marked: one, verdict });
  };
  const boundOf = (one: Marked) => ({ domain: one.domain, account: String(parts.account), relay: '' });

  const send = (one: Marked) => {
    const started = pace.start(boundOf(one), performance.now());
    under += 1;
    parts
      .carry(one, isFresh, () => pace.turn(started, performance.now()))
      .then(
        ({ verdict, heard }) => {
          endedAt = performance.now();
          pace.end(started, heard, endedAt);
          end(one, verdict);
          under -= 1;
          if (aside.size > 0) look(one.domain);
          wake();
        },
        (error) => {
          pace.end(started, 'nothing', performance.now());
          failure ??= error;
          under -= 1;
          wake();
        },
      );
  };

  /** @returns whether it has been dealt with; else it waits aside */
  const offer = (one: Marked): boolean => {
    if (!parts.canContinue()) {
      end(one, { kind: 'withheld' });
      return true;
    }
    const held = pace.held(boundOf(one), performance.now());
    if (!held && !isFresh()) end(one, { kind: 'withheld' });
    else if (!held) send(one);
    else if (held.why === 'account') end(one, { kind: 'withheld' });
    else if (held.why === 'pause' || held.why === 'slow') end(one, parts.defer(one, held));
    else return false;
    return true;
  };

  const look = (domain: string) => {
    const list = aside.get(domain);
    if (!list) return;
    let dealt = 0;
    while (dealt < list.length && under < parts.room() && offer(list[dealt]!)) dealt += 1;
    if (dealt === list.length) aside.delete(domain);
    else if (dealt > 0) aside.set(domain, list.slice(dealt));
  };

  const giveUpAside = () => {
    for (const list of aside.values())
      for (const one of list)
        end(
          one,
          parts.canContinue()
            ? parts.defer(one, pace.held(boundOf(one), performance.now()) ?? { why: 'window', ms: 0 })
            : { kind: 'withheld' },
        );
    aside.clear();
  };

  const lead = async () => {
    for (const one of marked) {
      if (!offer(one)) {
        const list = aside.get(one.domain);
        if (list) list.push(one);
        else aside.set(one.domain, [one]);
      }
      while (under >= parts.room() && failure === undefined) await turn();
      if (failure !== undefined) throw failure;
    }
    // One that is not answered keeps the lane no longer than the others need: they would all wait for it.
    const begunAt = performance.now();
    const quiet = Math.max(quietMs, pace.usualMs * quietFactor);
    const leftMs = () => {
      const now = performance.now();
      return Math.max(
        begunAt + (parts.minGraceMs ?? 0) - now,
        Math.min(begunAt + graceMs, Math.max(begunAt, endedAt) + quiet) - now,
      );
    };
    for (let left = leftMs(); (under > 0 || aside.size > 0) && left > 0; left = leftMs()) {
      await turn(Math.min(left, aside.size > 0 ? lookMs : left));
      for (const domain of [...aside.keys()]) look(domain);
    }
    if (failure !== undefined) throw failure;
  };

  const follow = async () => {
    const until = performance.now() + asideMs;
    while (under > 0 || aside.size > 0) {
      for (const domain of [...aside.keys()]) look(domain);
      if (aside.size > 0 && (performance.now() > until || !parts.canContinue())) giveUpAside();
      if (under > 0 || aside.size > 0) await turn(aside.size > 0 ? lookMs : undefined);
    }
    if (failure !== undefined) throw failure;
  };

  const most = lead();
  const rest = most.then(follow);
  // Whoever waits for neither must not bring the process down; both are awaited in turn.
  rest.catch(() => {});
  return {
    most,
    rest,
    get done() {
      return under === 0 && aside.size === 0;
    },
    take() {
      const taken = outcomes;
      outcomes = [];
      return taken;
    },
  };
}
