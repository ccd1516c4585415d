// How fast messages may leave, by relay, recipient domain and account, and how a domain that asks for less is slowed down.
// Guarantees that trouble at one domain never costs another domain a token or a wait. Only domains in use take memory.
// Pure: the caller gives the monotonic clock and the random numbers. Which replies ask for less is left to verdict.ts.
import { type Bucket, bucketOf, isFull, overdraw, spend, waitMs } from '../../relays/rates/bucket.ts';

/** Where a message goes. `domain` is the part after the @ in lower case. */
export type Bound = { domain: string; account: string; relay: string };

/** `took`: the receiving side accepted or judged the message. `slower`: it asks for less. `nothing`: it was not asked. */
export type Feedback = 'took' | 'slower' | 'nothing';

export type PaceRules = {
  /** Messages a second; undefined is without limit. */
  perSecond(kind: 'relay' | 'domain' | 'account', name: string): number | undefined;
  /** From 0 to less than 1, evenly: pauses differ by ±10 %, so that workers do not come back together. */
  random(): number;
  /** Maximum messages in flight to a domain nothing is known of yet; grows with each one accepted. */
  firstWindow?: number;
  /** The pace that has priority under the same rates. A message that starts here also takes a token there, even if none is left. */
  ahead?: Pace;
};

/** The first pause of a domain; each further one doubles it up to the maximum. */
export const firstPauseMs = 5_000;
export const maxPauseMs = 15 * 60_000;
/** Messages in flight at which a recovering domain counts as recovered. */
export const recoveredWindow = 64;
/** A recovered domain's pause count drops by one for each such time without a pause. */
export const forgetMs = 10 * 60_000;
/** Above this many names, idle ones are dropped. */
const maxIdle = 10_000;
const never = Number.NEGATIVE_INFINITY;

/** A message that has been started; it is ended with the feedback it got. */
export type Started = {
  readonly domain: string;
  readonly at: number;
  /** When it started to wait for the receiving side; before, it waited for the relay or behind other messages. */
  turnAt?: number;
};

type Destination = {
  inFlight: number;
  /** Pauses in a row; sets the length of the next. */
  pauses: number;
  pausedAt: number;
  pausedUntil: number;
  /** Maximum messages in flight while recovering; infinite when healthy. */
  window: number;
  /** Messages in flight, the oldest first. */
  readonly started: Set<Started>;
  /** When it last accepted or judged a message, and how long that takes it on recent average. */
  tookAt: number;
  tookMs: number;
};

/** Why a message may not start. `slow`: the domain keeps those in flight waiting, so further ones would only wait too. */
export type Held = { why: 'pause' | 'window' | 'slow' | 'rate' | 'account'; ms: number };

/** A message waits long if it waits this long and this many times longer than usual. */
const slowMs = 1_000;
const slowFactor = 5;
/** Messages in flight to a domain that makes every message wait: each of them holds a connection that others could use. */
const slowWindow = 1;
/** This many may wait long at a domain that accepts others in the same time. */
const maxWaiting = 2;
/** Other messages count as moving if one of them was accepted within this time. */
const othersMs = 5_000;

export class Pace {
  readonly #rules: PaceRules;
  readonly #destinations = new Map<string, Destination>();
  readonly #buckets = new Map<string, Bucket>();
  #sweepAbove = maxIdle;
  /** How long a judged message takes, on recent average. */
  #usualMs = 0;
  /** When a message that did not wait long was last accepted. */
  #quickAt = never;

  constructor(rules: PaceRules) {
    this.#rules = rules;
  }

  /** Why a message may not start now; undefined if it may. */
  held(bound: Bound, now: number): Held | undefined {
    const to = this.#destination(bound.domain, now);
    if (now < to.pausedUntil) return { why: 'pause', ms: Math.ceil(to.pausedUntil - now) };
    if (this.#isSlow(to, now)) return { why: 'slow', ms: 100 };
    if (to.inFlight >= to.window) return { why: 'window', ms: 100 };
    for (const kind of ['account', 'domain', 'relay'] as const) {
      const bucket = this.#bucketOf(kind, bound[kind], now);
      const ms = bucket ? waitMs(bucket, now) : 0;
      if (ms > 0) return { why: kind === 'account' ? 'account' : 'rate', ms };
    }
    return undefined;
  }

  /** How long a domain is paused from now on; 0 if it is not. */
  pausedMs(domain: string, now: number): number {
    return Math.max(0, Math.ceil((this.#destinations.get(domain)?.pausedUntil ?? never) - now));
  }

  /** Takes the tokens of a message that may start. */
  start(bound: Bound, now: number): Started {
    for (const bucket of this.#bucketsOf(bound, now)) spend(bucket);
    this.#rules.ahead?.yieldTo(bound, now);
    const to = this.#destination(bound.domain, now);
    to.inFlight++;
    const started = { domain: bound.domain, at: now };
    to.started.add(started);
    return started;
  }

  /** Another pace with the same rates, which goes first, has started a message. */
  yieldTo(bound: Bound, now: number): void {
    for (const bucket of this.#bucketsOf(bound, now)) overdraw(bucket, now);
    this.#rules.ahead?.yieldTo(bound, now);
  }

  /** How many messages may start now; if only a few, none, and the wait for a worthwhile number. */
  allowance(kind: 'account' | 'relay', name: string, now: number): { left: number; ms: number } {
    const bucket = this.#bucketOf(kind, name, now);
    if (!bucket) return { left: Number.POSITIVE_INFINITY, ms: 0 };
    const ready = waitMs(bucket, now) === 0;
    const worthwhile = Math.max(1, bucket.burst / 2);
    if (ready && bucket.tokens > worthwhile - 1e-9) return { left: Math.max(1, Math.floor(bucket.tokens)), ms: 0 };
    return { left: 0, ms: Math.max(1, Math.ceil(((worthwhile - bucket.tokens) * 1_000) / bucket.perSecond)) };
  }

  /** From now on the message waits for the receiving side. */
  turn(started: Started, now: number): void {
    started.turnAt ??= now;
  }

  /** How long the receiving side takes for a message, on recent average. */
  get usualMs(): number {
    return this.#usualMs;
  }

  /** Messages a second to a domain; undefined without a limit. */
  perSecondTo(domain: string): number | undefined {
    return this.#rules.perSecond('domain', domain);
  }

  /** Ends a started message, exactly once. @returns milliseconds its domain is paused from now on, 0 if it is not */
  end(started: Started, feedback: Feedback, now: number): number {
    const to = this.#destinations.get(started.domain);
    if (!to) return 0;
    to.inFlight = Math.max(0, to.inFlight - 1);
    to.started.delete(started);
    const ms = now - (started.turnAt ?? started.at);
    // A server that took minutes for one message says little about the others.
    if (feedback !== 'nothing') this.#usualMs += (Math.min(ms, this.#longMs) - this.#usualMs) / 50;
    if (feedback === 'took') {
      to.tookMs += (ms - to.tookMs) / (to.tookAt === never ? 1 : 8);
      to.tookAt = now;
      if (ms <= this.#longMs) this.#quickAt = now;
    }
    if (feedback === 'slower') this.#pause(to, started, now);
    else if (feedback === 'took') this.#recover(to, started, now);
    return Math.max(0, to.pausedUntil - now);
  }

  /** The domains being spared, for people to see. */
  spared(now: number): { domain: string; pausedMs: number; window: number }[] {
    return [...this.#destinations]
      .filter(([, to]) => to.pausedUntil > now || to.window !== Number.POSITIVE_INFINITY)
      .map(([domain, to]) => ({ domain, pausedMs: Math.max(0, to.pausedUntil - now), window: to.window }));
  }

  get size(): number {
    return this.#destinations.size + this.#buckets.size;
  }

  get #longMs(): number {
    return Math.max(slowMs, this.#usualMs * slowFactor);
  }

  /** Whether a domain holds connections for long while others are quick. */
  #isSlow(to: Destination, now: number): boolean {
    if (to.inFlight < slowWindow) return false;
    const longMs = this.#longMs;
    if (to.tookMs > longMs && now - this.#quickAt < othersMs) return true;
    let left = now - to.tookAt <= longMs ? maxWaiting : 0;
    for (const { at, turnAt } of to.started) {
      if (now - at <= longMs) return false;
      if (turnAt !== undefined && now - turnAt > longMs && --left < 0) return true;
    }
    return false;
  }

  #pause(to: Destination, started: Started, now: number): void {
    // Messages in flight when it asked for less get the same reply; that is no further request.
    if (started.at <= to.pausedAt) return;
    to.pauses = Math.max(0, to.pauses - this.#expiredPauses(to, now)) + 1;
    const fullMs = Math.min(maxPauseMs, firstPauseMs * 2 ** (to.pauses - 1));
    to.pausedAt = now;
    to.pausedUntil = now + fullMs * (0.9 + 0.2 * this.#rules.random());
    to.window = 1;
  }

  /** One more in flight for each accepted message: the window doubles with every round, like TCP's slow start. */
  #recover(to: Destination, started: Started, now: number): void {
    if (to.window === Number.POSITIVE_INFINITY || started.at <= to.pausedAt || now < to.pausedUntil) return;
    to.window++;
    if (to.window >= recoveredWindow) to.window = Number.POSITIVE_INFINITY;
  }

  #expiredPauses(to: Destination, now: number): number {
    return Math.max(0, Math.floor((now - to.pausedUntil) / forgetMs));
  }

  #destination(domain: string, now: number): Destination {
    let to = this.#destinations.get(domain);
    if (!to) {
      this.#sweep(now);
      to = {
        inFlight: 0,
        pauses: 0,
        pausedAt: never,
        pausedUntil: never,
        window: this.#rules.firstWindow ?? Number.POSITIVE_INFINITY,
        started: new Set(),
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
      // A changed rate starts without the reserve of the old one.
      bucket = { ...bucketOf(perSecond, now), ...(bucket ? { tokens: Math.min(1, bucket.tokens) } : {}) };
      this.#sweep(now);
      this.#buckets.set(key, bucket);
    }
    return bucket;
  }

  /** Drops what holds no information: full buckets, healthy domains with nothing in flight. */
  #sweep(now: number): void {
    if (this.size < this.#sweepAbove) return;
    for (const [domain, to] of this.#destinations) {
      const quiet = to.inFlight === 0 && now >= to.pausedUntil;
      if (quiet && this.#expiredPauses(to, now) >= to.pauses) this.#destinations.delete(domain);
    }
    for (const [key, bucket] of this.#buckets) if (isFull(bucket, now)) this.#buckets.delete(key);
    // If all are in use, not every further name may cost a scan of all.
    this.#sweepAbove = Math.max(maxIdle, this.size * 2);
  }
}
