// Carries messages to the relays: a few connections each, several messages under way on each. One face: carry().
// Promises an outcome for every message; a relay that cannot be reached rests, and another is used meanwhile.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../log.ts';
import { type Connection, type Message, type Outcome, openConnection } from './smtp/connection.ts';
import { describeRelay, type Relay } from './smtp/relay.ts';

export type Courier = {
  carry(message: Message): Promise<Outcome>;
  /** Messages that can be under way at once without waiting. */
  readonly capacity: number;
  /** Lets what is under way finish, then closes. */
  close(): Promise<void>;
};

/** Messages given to one connection at once: one being answered, one being sent, one waiting. */
const depth = 3;
const restMs = { first: 1_000, most: 60_000 };

type Line = {
  relay: Relay;
  connections: Set<Connection>;
  opening: number;
  restUntil: number;
  restMs: number;
  lastFailure: Outcome | undefined;
};

/** @param ehloName our name in EHLO */
export function createCourier(
  relays: readonly Relay[],
  options: { ehloName: string; log: Log; timeScale?: number; mostConnections?: number },
): Courier {
  const lines: Line[] = relays.map((relay) => ({
    relay,
    connections: new Set(),
    opening: 0,
    restUntil: 0,
    restMs: restMs.first,
    lastFailure: undefined,
  }));
  const mostOf = (line: Line) =>
    Math.max(1, Math.min(line.relay.connections, options.mostConnections ?? Number.POSITIVE_INFINITY));
  let waiting: ((connection: Connection | Outcome) => void)[] = [];
  let closing = false;

  const free = (): Connection | undefined => {
    let best: Connection | undefined;
    for (const line of lines) {
      for (const connection of line.connections) {
        if (connection.usable && connection.pending < depth && (!best || connection.pending < best.pending))
          best = connection;
      }
    }
    return best;
  };

  const open = async (line: Line) => {
    line.opening += 1;
    const opened = await openConnection(line.relay, {
      ehloName: options.ehloName,
      ...(options.timeScale ? { timeScale: options.timeScale } : {}),
    }).catch((error: Error) => ({
      ok: false as const,
      outcome: {
        kind: 'lost' as const,
        stage: 'connect' as const,
        dotted: false,
        why: 'closed' as const,
        text: error.message,
      },
    }));
    line.opening -= 1;
    if (!opened.ok) {
      line.lastFailure = opened.outcome;
      line.restUntil = performance.now() + line.restMs;
      line.restMs = Math.min(restMs.most, line.restMs * 2);
      options.log.warn(
        { relay: describeRelay(line.relay), failure: opened.outcome.text, restMs: line.restMs },
        'a relay cannot be used and rests',
      );
    } else {
      line.restMs = restMs.first;
      line.connections.add(opened.connection);
      opened.connection.closed.then(() => {
        line.connections.delete(opened.connection);
        serve();
      });
    }
    serve();
  };

  /** Gives those who wait a connection, opens further ones, or tells them that there is none to be had. */
  const serve = () => {
    while (waiting.length > 0) {
      const connection = free();
      if (!connection) break;
      waiting.shift()!(connection);
    }
    if (waiting.length === 0 || closing) return;
    const now = performance.now();
    const usable = lines.filter((line) => line.restUntil <= now && line.connections.size + line.opening < mostOf(line));
    // Relays with weight share the load; those with weight 0 are for when all others rest.
    const chosen = usable.filter((line) => line.relay.weight > 0);
    const pool =
      chosen.length > 0 ? chosen : lines.every((line) => line.relay.weight === 0 || line.restUntil > now) ? usable : [];
    const line = pool.sort(
      (a, b) =>
        (a.connections.size + a.opening) / (a.relay.weight || 1) -
        (b.connections.size + b.opening) / (b.relay.weight || 1),
    )[0];
    if (line) {
      void open(line);
      return;
    }
    const anyAlive = lines.some((one) => one.connections.size > 0 || one.opening > 0);
    if (!anyAlive) {
      const failure = lines.find((one) => one.lastFailure)?.lastFailure;
      const told: Outcome = failure ?? {
        kind: 'lost',
        stage: 'connect',
        dotted: false,
        why: 'closed',
        text: 'no relay can be reached',
      };
      const all = waiting;
      waiting = [];
      for (const resolve of all) resolve(told);
    }
  };

  return {
    get capacity() {
      return lines.reduce((sum, line) => sum + mostOf(line) * depth, 0);
    },
    async carry(message) {
      if (closing) return { kind: 'withheld' };
      let given: Connection | Outcome | undefined = free();
      if (!given) {
        given = await new Promise<Connection | Outcome>((resolve) => {
          waiting.push(resolve);
          serve();
        });
      }
      if ('kind' in given) return given;
      const outcome = await given.send(message);
      serve();
      return outcome;
    },
    async close() {
      closing = true;
      await Promise.race([
        Promise.all(lines.flatMap((line) => [...line.connections].map((connection) => connection.close()))),
        sleep(20_000, undefined, { ref: false }),
      ]);
      for (const line of lines) for (const connection of line.connections) connection.destroy();
    },
  };
}
