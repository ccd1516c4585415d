// How fast mail may leave: by relay, by receiving domain and by account; and how a domain that asks for less is spared.
// Promises that one domain's trouble never costs another domain a token or a wait, and memory for those in use only.
// Pure: milliseconds of a monotonic clock and chance come from the caller. Which replies ask for less is verdict.ts's.
import { type Bucket, bucketOf, isFull, spend, waitMs } from './bucket.ts';

/** What a message is bound for. `domain` is the part after the @ in lower case. */
export type Bound = { domain: string; account: string; relay: string };

/** `took`: the receiving side took or judged the message. `slower`: it wants less, now. `nothing`: it was not asked. */
export type Heard = 'took' | 'slower' | 'nothing';

export type PaceRules = {
  /** Messages a second; undefined is without limit. */
  perSecond(kind: 'relay' | 'domain' | 'account', name: string): number | undefined;
  /** From 0 to less than 1, evenly: pauses differ by ±10 %, so that workers do not come back together. */
  random(): number;
  /** Most messages under way at once to a domain nothing is known of yet; it grows with each one taken. */
  firstWindow?: number;
};

/** The first pause of a domain, doubled with every further one up to the ceiling. */
export const firstPauseMs = 5_000;
export const longestPauseMs = 15 * 60_000;
/** Messages under way at once to a recovering domain at which it counts as recovered. */
export const recoveredWindow = 64;
/** A recovered domain forgets one pause for each such time without a further one. */
export const forgetMs = 10 * 60_000;
/** Above so many remembered names, those at rest are dropped. */
const remembered = 10_000;
const never = Number.NEGATIVE_INFINITY;

/** A message that has been let go. Give it back with what was heard. */
export type Started = {
  readonly domain: string;
  readonly at: number;
  /** When it began to wait for the receiving side; before that it waited for the relay, or behind others. */
  turnAt?: number;
};

type Destination = {
  underWay: number;
  /** How many pauses in a row; sets the length of the next. */
  pauses: number;
  pausedAt: number;
  pausedUntil: number;
  /** Most messages under way while recovering; infinite when healthy. */
  window: number;
  /** When those under way were started; the oldest is the first. */
  readonly since: Set<Started>;
  /** When it last took or judged one, and how long that takes it, on average of late. */
  tookAt: number;
  tookMs: number;
};

/** Why a message may not start. `slow`: the domain keeps those under way waiting; the others of it would wait in vain. */
export type Held = { why: 'pause' | 'window' | 'slow' | 'rate' | 'account'; ms: number };

/** A message waits long when it waits this long, and so many times longer than others do. */
const slowMs = 1_000;
const slowFactor = 5;
/** Messages under way to a domain that keeps all of them waiting: each holds a connection that others could use. */
const slowWindow = 1;
/** So many may wait long at a domain that takes others meanwhile. */
const maxWaiting = 2;
/** Others are served as well, when one of them was taken within this time. */
const othersMs = 5_000;

export class Pace {
  readonly #rules: PaceRules;
  readonly #destinations = new Map<string, Destination>();
  readonly #buckets = new Map<string, Bucket>();
  #sweepAbove = remembered;
  /** How long a message takes that is judged, on average of late. */
  #usualMs = 0;
  /** When a message was last taken that did not wait long. */
  #quickAt = never;

  constructor(rules: PaceRules) {
    this.#rules = rules;
  }

  /** 0: it may start now. Else milliseconds after which to ask again. Takes nothing; several may be asked in a row. */
  mayStart(bound: Bound, now: number): number {
    const closed = this.#closedMs(bound.domain, now);
    if (closed > 0) return closed;
    let longest = 0;
    for (const bucket of this.#bucketsOf(bound, now)) longest = Math.max(longest, waitMs(bucket, now));
    return longest;
  }

  /** As mayStart, with the reason. A pause or rate asks for another time, a window for the end of one under way. */
  held(bound: Bound, now: number): Held | undefined {
    const to = this.#destination(bound.domain, now);
    if (now < to.pausedUntil) return { why: 'pause', ms: Math.ceil(to.pausedUntil - now) };
    if (this.#isSlow(to, now)) return { why: 'slow', ms: 100 };
    if (to.underWay >= to.window) return { why: 'window', ms: 100 };
    for (const kind of ['account', 'domain', 'relay'] as const) {
      const bucket = this.#bucketOf(kind, bound[kind], now);
      const ms = bucket ? waitMs(bucket, now) : 0;
      if (ms > 0) return { why: kind === 'account' ? 'account' : 'rate', ms };
    }
    return undefined;
  }

  /** Takes the tokens of a message that mayStart let go. */
  start(bound: Bound, now: number): Started {
    for (const bucket of this.#bucketsOf(bound, now)) spend(bucket);
    const to = this.#destination(bound.domain, now);
    to.underWay++;
    const started = { domain: bound.domain, at: now };
    to.since.add(started);
    return started;
  }

  /** How many messages of an account may start now, and the wait for a worthwhile number when there are few. */
  allowance(kind: 'account' | 'relay', name: string, now: number): { left: number; ms: number } {
    const bucket = this.#bucketOf(kind, name, now);
    if (!bucket) return { left: Number.POSITIVE_INFINITY, ms: 0 };
    const ready = waitMs(bucket, now) === 0;
    const worthwhile = Math.max(1, bucket.burst / 2);
    if (ready && bucket.tokens > worthwhile - 1e-9) return { left: Math.max(1, Math.floor(bucket.tokens)), ms: 0 };
    return { left: 0, ms: Math.max(1, Math.ceil(((worthwhile - bucket.tokens) * 1_000) / bucket.perSecond)) };
  }

  /** From now on it is the receiving side that keeps it waiting. */
  turn(started: Started, now: number): void {
    started.turnAt ??= now;
  }

  /** How long the receiving side takes for a message, on average of late. */
  get usualMs(): number {
    return this.#usualMs;
  }

  /** Messages a second to a domain, where that is limited. */
  perSecondTo(domain: string): number | undefined {
    return this.#rules.perSecond('domain', domain);
  }

  /** Every started message is ended once. Answers how long its domain is paused from now on, 0 when it is not. */
  end(started: Started, heard: Heard, now: number): number {
    const to = this.#destinations.get(started.domain);
    if (!to) return 0;
    to.underWay = Math.max(0, to.underWay - 1);
    to.since.delete(started);
    const ms = now - (started.turnAt ?? started.at);
    if (heard !== 'nothing') this.#usualMs += (ms - this.#usualMs) / 50;
    if (heard === 'took') {
      to.tookMs += (ms - to.tookMs) / (to.tookAt === never ? 1 : 8);
      to.tookAt = now;
      if (ms <= this.#longMs) this.#quickAt = now;
    }
    if (heard === 'slower') this.#pause(to, started, now);
    else if (heard === 'took') this.#recover(to, started, now);
    return Math.max(0, to.pausedUntil - now);
  }

  /** Domains being spared, for people to see. */
  spared(now: number): { domain: string; pausedMs: number; window: number }[] {
    return [...this.#destinations]
      .filter(([, to]) => to.pausedUntil > now || to.window !== Number.POSITIVE_INFINITY)
      .map(([domain, to]) => ({ domain, pausedMs: Math.max(0, to.pausedUntil - now), window: to.window }));
  }

  get size(): number {
    return this.#destinations.size + this.#buckets.size;
  }

  #closedMs(domain: string, now: number): number {
    const to = this.#destinations.get(domain);
    if (!to) return 0;
    if (now < to.pausedUntil) return Math.ceil(to.pausedUntil - now);
    // Its own answers open the window further; the wait is only for a caller that does not look again by itself.
    return to.underWay >= to.window ? 100 : 0;
  }

  get #longMs(): number {
    return Math.max(slowMs, this.#usualMs * slowFactor);
  }

  /** It holds connections for long, while others are served at once. */
  #isSlow(to: Destination, now: number): boolean {
    if (to.underWay < slowWindow) return false;
    const longMs = this.#longMs;
    if (to.tookMs > longMs && now - this.#quickAt < othersMs) return true;
    let most = now - to.tookAt <= longMs ? maxWaiting : 0;
    for (const { at, turnAt } of to.since) {
      if (now - at <= longMs) return false;
      if (turnAt !== undefined && now - turnAt > longMs && --most < 0) return true;
    }
    return false;
  }

  #pause(to: Destination, started: Started, now: number): void {
    // What was under way when it asked for less says it again; that is no further request.
    if (started.at <= to.pausedAt) return;
    to.pauses = Math.max(0, to.pauses - this.#forgotten(to, now)) + 1;
    const fullMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (to.pauses - 1));
    to.pausedAt = now;
    to.pausedUntil = now + fullMs * (0.9 + 0.2 * this.#rules.random());
    to.window = 1;
  }

  /** One more at once for each message taken: the window doubles with every round, as TCP's slow start. */
  #recover(to: Destination, started: Started, now: number): void {
    if (to.window === Number.POSITIVE_INFINITY || started.at <= to.pausedAt || now < to.pausedUntil) return;
    to.window++;
    if (to.window >= recoveredWindow) to.window = Number.POSITIVE_INFINITY;
  }

  #forgotten(to: Destination, now: number): number {
    return Math.max(0, Math.floor((now - to.pausedUntil) / forgetMs));
  }

  #destination(domain: string, now: number): Destination {
    let to = this.#destinations.get(domain);
    if (!to) {
      this.#sweep(now);
      to = {
        underWay: 0,
        pauses: 0,
        pausedAt: never,
        pausedUntil: never,
        window: this.#rules.firstWindow ?? Number.POSITIVE_INFINITY,
        since: new Set(),
        tookAt: never,
        tookMs: 0,
      };
      this.#destinations.set(domain, to);
    }
    return to;
  }

  #bucketsOf(bound: Bound, now: number): Bucket[] {
    const buckets: Bucket[] = [];
    for (const kind of ['relay', 'domain', 'account'] as const) {
      const bucket = this.#bucketOf(kind, bound[kind], now);
      if (bucket) buckets.push(bucket);
    }
    return buckets;
  }

  #bucketOf(kind: 'relay' | 'domain' | 'account', name: string, now: number): Bucket | undefined {
    const perSecond = this.#rules.perSecond(kind, name);
    if (perSecond === undefined) return undefined;
    const key = `${kind} ${name}`;
    let bucket = this.#buckets.get(key);
    if (bucket?.perSecond !== perSecond) {
      // A changed rate begins without the savings of the old one.
      bucket = { ...bucketOf(perSecond, now), ...(bucket ? { tokens: Math.min(1, bucket.tokens) } : {}) };
      this.#sweep(now);
      this.#buckets.set(key, bucket);
    }
    return bucket;
  }

  /** Drops what says nothing: a full bucket, a healthy domain with nothing under way. */
  #sweep(now: number): void {
    if (this.size < this.#sweepAbove) return;
    for (const [domain, to] of this.#destinations) {
      const quiet = to.underWay === 0 && now >= to.pausedUntil;
      if (quiet && this.#forgotten(to, now) >= to.pauses) this.#destinations.delete(domain);
    }
    for (const [key, bucket] of this.#buckets) if (isFull(bucket, now)) this.#buckets.delete(key);
    // Where all are in use, not every further name may cost a walk over all of them.
    this.#sweepAbove = Math.max(remembered, this.size * 2);
  }
}
