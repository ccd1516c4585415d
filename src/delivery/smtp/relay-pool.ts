// Carries messages to the relays: a few connections each, several messages under way on each. One face: carry().
// Promises an outcome for every message, shares by weight among the relays, and that one that cannot be reached, greets
// with a refusal or takes no password rests while the others carry on. What an outcome means is verdict.ts's to say.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../base/log.ts';
import { type Bucket, bucketOf, spend, waitMs } from '../pace/bucket.ts';
import { RelayChoice } from '../pace/relay-choice.ts';
import { type Connection, type Message, type Outcome, openConnection } from './connection.ts';
import { describeRelay, type Relay } from './relay.ts';

export type Courier = {
  /** A failure before MAIL means that there was no relay to be had: nobody was named to anybody. */
  carry(message: Message & Begun): Promise<Outcome>;
  /** Messages that can be under way at once without waiting. */
  readonly capacity: number;
  /** Messages a second that all relays together may be given by this process; undefined where one has no limit. */
  readonly perSecond: number | undefined;
  /** 0 when a relay may be had, else the milliseconds until one may be tried again. */
  restMs(): number;
  /** How each relay fares, for people to see. */
  relays(): RelayFare[];
  /** Lets what is under way finish, then closes. */
  close(): Promise<void>;
};

/** Asked before a connection is given to a message that had to wait for one; it is withheld when that took too long. */
export type Begun = { mayBegin?(): boolean };

/** `reason` is what went wrong last, '' when nothing is wrong. */
export type RelayFare = { id: string; connections: number; restMs: number; reason: string };

export type CourierOptions = {
  /** Our name in EHLO. */
  ehloName: string;
  log: Log;
  timeScale?: number;
  maxConnections?: number;
  /** Processes that share each relay's rate. */
  sharers?: () => number;
  /** Takes messages out of the day's quota of a relay that is being warmed up. */
  reserve?: (relay: Relay, count: number) => Promise<{ granted: number; retryMs: number }>;
};

/** Messages given to one connection at once: one being answered, one being sent, one waiting. */
const depth = 3;
const restMs = { first: 1_000, most: 60_000, refusedPassword: 60_000 };
/** A connection that has kept its messages waiting for so long gets no further ones. */
const stuckMs = 1_000;
const stuckLookMs = 500;
/**
 * A server may take the minutes of RFC 5321 for its answer on one connection of ten. Those beyond are given up after this
 * while others wait for a connection: a domain that has died would else hold all of them.
 */
const patienceMs = 30_000;
const patientShare = 0.1;
/** How long a relay that took no further connection is left at those it has. */
const crowdedMs = 60_000;
/** Refusals of the relay itself (421 to MAIL and the like) in a row, over any connections, that end in a rest. */
const maxDismissals = 5;
const quotaPortion = 50;

type Line = {
  relay: Relay;
  /** `promised` messages have been given the connection and are not in its queue yet. */
  connections: Map<Connection, { movedAt: number; promised: number }>;
  opening: number;
  /** At most so many connections until `crowdedUntil`. */
  crowd: number;
  crowdedUntil: number;
  dismissals: number;
  /** Rested for dismissals: it connects and greets, so that only a message can tell whether it works again. */
  onTrial: boolean;
  /** What was told last of its TLS. */
  notes: string;
  bucket: Bucket | undefined;
  /** Messages left of the portion taken from the day's quota. */
  credit: number;
  reserving: boolean;
  closedUntil: number;
  lastFailure: Outcome | undefined;
};
type Given = { line: Line; connection: Connection } | Outcome;

export function createCourier(relays: readonly Relay[], options: CourierOptions): Courier {
  const scale = options.timeScale ?? 1;
  const lines = relays.map(
    (relay): Line => ({
      relay,
      connections: new Map(),
      opening: 0,
      crowd: Number.POSITIVE_INFINITY,
      crowdedUntil: 0,
      dismissals: 0,
      onTrial: false,
      notes: '',
      bucket: undefined,
      credit: relay.warmUp && options.reserve ? 0 : Number.POSITIVE_INFINITY,
      reserving: false,
      closedUntil: 0,
      lastFailure: undefined,
    }),
  );
  const lineOf = new Map(lines.map((line) => [line.relay, line]));
  const choice = new RelayChoice(relays, { firstMs: restMs.first * scale, longestMs: restMs.most * scale });
  let waiting: (Begun & { settle(given: Given): void })[] = [];
  let closing = false;
  let later: NodeJS.Timeout | undefined;

  /** The most weight among the relays that work. */
  const heaviest = (): number => {
    if (lines.length === 1) return lines[0]!.relay.weight || 1;
    let most = 0;
    for (const { relay } of lines) if (!choice.isDoubtful(relay.id)) most = Math.max(most, relay.weight);
    return most || Number.MIN_VALUE;
  };

  const maxOf = (line: Line) => {
    const own = Math.max(1, Math.min(line.relay.connections, options.maxConnections ?? Number.POSITIVE_INFINITY));
    // Under full load every connection is busy, and what a relay carries goes by their number.
    const share = line.relay.weight === 0 ? 1 : line.relay.weight / heaviest();
    const fair = Math.max(1, Math.round(own * Math.min(1, share)));
    return performance.now() < line.crowdedUntil ? Math.max(1, Math.min(fair, line.crowd)) : fair;
  };

  /** The relay's own rate, shared out among the processes that use it. */
  const paceOf = (line: Line, now: number): Bucket | undefined => {
    if (line.relay.ratePerSecond === undefined) return undefined;
    const perSecond = line.relay.ratePerSecond / Math.max(1, options.sharers?.() ?? 1);
    if (line.bucket?.perSecond !== perSecond) line.bucket = bucketOf(perSecond, now);
    return line.bucket;
  };

  const freeOf = (line: Line, now: number): Connection | undefined => {
    let best: Connection | undefined;
    let least = depth;
    for (const [connection, { movedAt, promised }] of line.connections) {
      const pending = connection.pending + promised;
      if (!connection.usable || pending >= least || (pending > 0 && now - movedAt > stuckMs)) continue;
      least = pending;
      best = connection;
    }
    return best;
  };

  const isStuck = (connection: Connection, movedAt: number, now: number, ms: number) =>
    connection.pending > 0 && now - movedAt > ms;

  /** Nobody is to wait behind a mail that is not answered. */
  const relieve = () => {
    const now = performance.now();
    for (const line of lines) {
      for (const [connection, { movedAt }] of line.connections)
        if (connection.pending > 1 && isStuck(connection, movedAt, now, stuckMs)) connection.giveBackQueued();
      if (waiting.length > 0) giveUpStuck(line, now);
    }
  };

  const giveUpStuck = (line: Line, now: number) => {
    const limitMs = patienceMs * scale;
    const stuck = [...line.connections]
      .filter(([connection, { movedAt }]) => isStuck(connection, movedAt, now, limitMs))
      .sort(([, a], [, b]) => a.movedAt - b.movedAt)
      .map(([connection]) => connection);
    const surplus = stuck.length - Math.floor(maxOf(line) * patientShare);
    if (surplus <= 0) return;
    // Where nothing moves for several domains it is the relay that stands still.
    const domains = new Set(stuck.map(({ foremost }) => foremost?.rcptTo.replace(/^.*@/, '').toLowerCase()));
    if (stuck.length === line.connections.size && domains.size > 1) return;
    for (const connection of stuck.filter(({ foremost }) => foremost?.dotted === false).slice(0, surplus))
      connection.giveUp();
  };
  const relieving = setInterval(relieve, Math.max(50, Math.min(stuckLookMs, patienceMs * scale)));
  relieving.unref();

  const mayTake = (line: Line, now: number) => {
    if (line.credit < 1) return false;
    const bucket = paceOf(line, now);
    return !bucket || waitMs(bucket, now) === 0;
  };

  /** A connection for the next message, by the relays' weights. */
  const take = (): Given | undefined => {
    const now = performance.now();
    const chosen = choice.choose(now, (relay) => {
      const line = lineOf.get(relay)!;
      return line.connections.size > 0 && mayTake(line, now) && freeOf(line, now) !== undefined;
    });
    if (!('relay' in chosen)) return undefined;
    const line = lineOf.get(chosen.relay)!;
    const connection = freeOf(line, now)!;
    if (line.bucket) spend(line.bucket);
    line.credit -= 1;
    const state = line.connections.get(connection)!;
    if (connection.pending + state.promised === 0) state.movedAt = now;
    state.promised += 1;
    return { line, connection };
  };

  const open = async (line: Line) => {
    line.opening += 1;
    const opened = await openConnection(line.relay, { ehloName: options.ehloName, timeScale: scale }).catch(
      (error: Error) => ({
        ok: false as const,
        outcome: lostAtConnect(error.message),
      }),
    );
    line.opening -= 1;
    if (!opened.ok) {
      if (line.connections.size > 0) {
        // It serves, but takes no more at once: the limit of many providers.
        line.crowd = line.connections.size;
        line.crowdedUntil = performance.now() + crowdedMs * scale;
      } else setAside(line, opened.outcome);
    } else {
      if (!line.onTrial) choice.worked(line.relay.id);
      tellNotes(line, opened.connection.notes);
      line.connections.set(opened.connection, { movedAt: performance.now(), promised: 0 });
      opened.connection.closed.then(() => {
        line.connections.delete(opened.connection);
        serve();
      });
    }
    serve();
  };

  const setAside = (line: Line, failure: Outcome) => {
    line.lastFailure = failure;
    const refused = failure.kind === 'reply' && failure.stage === 'auth';
    choice.failed(line.relay.id, performance.now(), refused ? restMs.refusedPassword * scale : 0);
    options.log.warn(
      {
        relay: describeRelay(line.relay),
        failure: tellFailure(line),
        restMs: Math.round(choice.restMs(line.relay.id, performance.now())),
      },
      'a relay cannot be used and rests',
    );
  };

  /** Told when it changes, not with every connection. */
  const tellNotes = (line: Line, notes: readonly string[]) => {
    const told = notes.join('; ');
    if (told === line.notes) return;
    line.notes = told;
    const relay = describeRelay(line.relay);
    if (told === '') options.log.info({ relay }, 'a relay has TLS with a valid certificate again');
    else options.log.warn({ relay, notes: told }, 'mail goes to a relay without TLS, or without knowing whose it is');
  };

  const reserve = (line: Line) => {
    if (line.reserving || performance.now() < line.closedUntil) return;
    line.reserving = true;
    options.reserve!(line.relay, quotaPortion)
      .then(({ granted, retryMs }) => {
        line.credit += granted;
        if (granted === 0) line.closedUntil = performance.now() + retryMs;
      })
      .catch(() => {
        line.closedUntil = performance.now() + 1_000;
      })
      .finally(() => {
        line.reserving = false;
        serve();
      });
  };

  /** Milliseconds until this relay may be tried: it rests, or the day's quota is used up. */
  const restOf = (line: Line, now: number): number =>
    Math.max(
      choice.restMs(line.relay.id, now),
      line.credit < 1 && !line.reserving ? Math.max(0, line.closedUntil - now) : 0,
    );

  const rest = (): number => {
    const now = performance.now();
    return Math.min(...lines.map((line) => restOf(line, now)));
  };

  /** Relays with weight share the load; those of weight 0 are for when all others rest. */
  const toOpen = (now: number): Line | undefined => {
    const awake = lines.filter((line) => restOf(line, now) === 0);
    const regular = awake.filter((line) => line.relay.weight > 0 && !choice.isDoubtful(line.relay.id));
    const known = regular.length > 0 ? regular : awake;
    // One that failed last is tried with a single connection.
    const doubtful = awake.find(
      (line) => choice.isDoubtful(line.relay.id) && line.opening === 0 && !(line.onTrial && line.connections.size > 0),
    );
    if (doubtful) return doubtful;
    const load = (line: Line) => (line.connections.size + line.opening) / (line.relay.weight || 1);
    let best: Line | undefined;
    for (const line of known) {
      if (choice.isDoubtful(line.relay.id) || line.connections.size + line.opening >= maxOf(line)) continue;
      if (!best || load(line) < load(best)) best = line;
    }
    return best;
  };

  /** Gives those who wait a connection, opens further ones, or tells them that there is none to be had. */
  const serve = () => {
    while (waiting.length > 0) {
      if (waiting[0]!.mayBegin?.() === false) {
        waiting.shift()!.settle({ kind: 'withheld' });
        continue;
      }
      const given = take();
      if (!given) break;
      waiting.shift()!.settle(given);
    }
    if (waiting.length === 0 || closing) return;
    const now = performance.now();
    for (const line of lines) if (line.credit < 1) reserve(line);
    const line = toOpen(now);
    if (line) void open(line);
    else if (rest() > 0 && lines.every((one) => one.connections.size === 0 || one.credit < 1 || one.onTrial)) {
      if (lines.some((one) => one.opening > 0 || one.reserving)) return;
      const last = lines.find((one) => one.lastFailure);
      // What was said at MAIL was said to another message: these have been named to nobody.
      const failure =
        last?.lastFailure && !last.onTrial
          ? last.lastFailure
          : lostAtConnect((last && tellFailure(last)) || 'no relay can be used now');
      const all = waiting;
      waiting = [];
      for (const { settle } of all) settle(failure);
      return;
    }
    // What waits for a token, or behind a connection that is stuck, is not woken by an answer.
    later ??= setTimeout(() => {
      later = undefined;
      serve();
    }, nextLookMs(now));
  };

  const nextLookMs = (now: number): number => {
    let least = 250;
    for (const line of lines) {
      const bucket = line.connections.size > 0 ? paceOf(line, now) : undefined;
      if (bucket) least = Math.min(least, Math.max(1, waitMs(bucket, now)));
    }
    return least;
  };

  const next = async ({ mayBegin }: Begun): Promise<Given> => {
    const given = waiting.length === 0 ? take() : undefined;
    if (given && lines.length === 1) return given;
    if (given) {
      // A relay with weight and no connection yet never has room: it gets its first one beside.
      for (const line of lines)
        if (
          line.relay.weight > 0 &&
          line.connections.size + line.opening === 0 &&
          restOf(line, performance.now()) === 0 &&
          line.credit >= 1
        )
          void open(line);
      return given;
    }
    return new Promise((settle) => {
      waiting.push({ settle, ...(mayBegin ? { mayBegin } : {}) });
      serve();
    });
  };

  /** What an outcome tells about the relay. @returns whether the message may go another way at once */
  const learn = (line: Line, connection: Connection, outcome: Outcome): boolean => {
    const state = line.connections.get(connection);
    // Those given back by a connection that is stuck have not been moved by it.
    if (state && !(outcome.kind === 'lost' && outcome.untried)) state.movedAt = performance.now();
    const dismissed =
      (outcome.kind === 'reply' && outcome.code === 421 && outcome.stage === 'mail') ||
      (outcome.kind === 'lost' && !outcome.dotted && outcome.stage === 'mail' && outcome.untried !== true);
    const unheard = outcome.kind === 'lost' && outcome.untried === true;
    if (dismissed ? ++line.dismissals >= maxDismissals || line.onTrial : unheard && line.onTrial) {
      line.dismissals = 0;
      line.onTrial = true;
      setAside(line, outcome);
    } else if (!dismissed && !unheard) {
      if (line.onTrial) choice.worked(line.relay.id);
      line.onTrial = false;
      if (outcome.kind === 'reply') {
        line.dismissals = 0;
        line.lastFailure = undefined;
      }
    }
    const cut = outcome.kind === 'lost' && !outcome.dotted && (outcome.why === 'closed' || outcome.why === 'reset');
    return (cut || dismissed) && !closing;
  };

  return {
    get capacity() {
      return lines.reduce((sum, line) => sum + maxOf(line) * depth, 0);
    },
    get perSecond() {
      if (relays.some((relay) => relay.ratePerSecond === undefined)) return undefined;
      return relays.reduce((sum, relay) => sum + relay.ratePerSecond!, 0) / Math.max(1, options.sharers?.() ?? 1);
    },
    restMs: rest,
    relays() {
      const now = performance.now();
      return lines.map((line) => ({
        id: line.relay.id,
        connections: line.connections.size,
        restMs: Math.round(restOf(line, now)),
        reason:
          line.credit < 1 && line.closedUntil > now ? "the day's quota of the warm-up is used up" : tellFailure(line),
      }));
    },
    async carry(message) {
      // Once more over another connection, where the first was cut before the dot: a relay that dies costs nobody a try.
      for (let again = true; ; again = false) {
        if (closing) return { kind: 'withheld' };
        const given = await next(message);
        if ('kind' in given) return given;
        const state = given.line.connections.get(given.connection);
        if (state) state.promised -= 1;
        const outcome = await given.connection.send(message);
        const mayGoOn = learn(given.line, given.connection, outcome);
        if (waiting.length > 0) serve();
        if (!again || !mayGoOn) return outcome;
        // A server that closes after so many mails cuts the one behind them, which it has not looked at.
        if (lines.length === 1 && !(outcome.kind === 'lost' && outcome.stage === 'mail')) return outcome;
      }
    },
    async close() {
      closing = true;
      clearTimeout(later);
      clearInterval(relieving);
      await Promise.race([
        Promise.all(lines.flatMap((line) => [...line.connections.keys()].map((connection) => connection.close()))),
        sleep(20_000, undefined, { ref: false }),
      ]);
      for (const line of lines) for (const connection of line.connections.keys()) connection.destroy();
    },
  };
}

function tellFailure({ lastFailure }: Line): string {
  if (!lastFailure || lastFailure.kind === 'withheld') return '';
  if (lastFailure.kind === 'lost') return `${lastFailure.why} at ${lastFailure.stage}: ${lastFailure.text}`;
  return `${lastFailure.code} at ${lastFailure.stage}: ${lastFailure.text}`;
}

const lostAtConnect = (text: string) => ({
  kind: 'lost' as const,
  stage: 'connect' as const,
  dotted: false,
  why: 'closed' as const,
  text,
});
