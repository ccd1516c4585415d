// The open connections to one relay, and how many messages each of them holds.
// Guarantees that a message goes to the least busy connection, and never to one on which nothing has moved for a second, and that
// a connection with nothing to do, or with as many messages as it may carry, ends with QUIT.
// Opening connections and judging the relay is left to relay-line.ts.
import type { Connection } from '../connection.ts';

/** Messages assigned to one connection at a time: one being answered, one being sent, one waiting. */
export const assignedAtOnce = 3;
/** A connection that has kept its messages waiting for this long is stuck and gets no more. */
const stuckMs = 1_000;

type Load = {
  /** When the server last answered, or when the connection last got a message while idle. */
  progressAt: number;
  /** Messages assigned to the connection that are not in its queue yet. */
  reserved: number;
  /** All messages assigned to it since it was opened. */
  carried: number;
};

export class LineConnections {
  readonly #loads = new Map<Connection, Load>();

  get size(): number {
    return this.#loads.size;
  }

  /** Those that may get messages, without one of them. */
  usableBeside(connection: Connection): number {
    let count = 0;
    for (const other of this.#loads.keys()) if (other !== connection && other.usable) count += 1;
    return count;
  }

  add(connection: Connection): void {
    this.#loads.set(connection, { progressAt: performance.now(), reserved: 0, carried: 0 });
  }

  remove(connection: Connection): void {
    this.#loads.delete(connection);
  }

  /** The connection for the next message; undefined when all are full or stuck. @param max messages that one may carry */
  freest(now: number, max = Number.POSITIVE_INFINITY): Connection | undefined {
    let best: Connection | undefined;
    let fewest = assignedAtOnce;
    for (const [connection, { progressAt, reserved, carried }] of this.#loads) {
      const held = connection.pending + reserved;
      if (!connection.usable || held >= fewest || (held > 0 && now - progressAt > stuckMs) || carried >= max) continue;
      fewest = held;
      best = connection;
    }
    return best;
  }

  /** Reserves a place for a message that is about to be sent; `sending` ends the reservation. */
  reserve(connection: Connection, now: number): void {
    const load = this.#loads.get(connection)!;
    if (connection.pending + load.reserved === 0) load.progressAt = now;
    load.reserved += 1;
    load.carried += 1;
  }

  sending(connection: Connection): void {
    const load = this.#loads.get(connection);
    if (load) load.reserved -= 1;
  }

  /** Whether the last message that a connection may carry is in its queue. */
  isUsedUp(connection: Connection, max: number): boolean {
    const load = this.#loads.get(connection);
    return load !== undefined && load.carried >= max && load.reserved === 0;
  }

  progressed(connection: Connection, now: number): void {
    const load = this.#loads.get(connection);
    if (load) load.progressAt = now;
  }

  /** For how long a connection has had nothing to do; 0 while it has. */
  idleMs(connection: Connection, now: number): number {
    const load = this.#loads.get(connection);
    return !load || connection.pending + load.reserved > 0 ? 0 : now - load.progressAt;
  }

  /** Ends the connections that have had nothing to do for `limitMs`. */
  closeIdle(now: number, limitMs: number): void {
    for (const connection of this.#loads.keys())
      if (connection.usable && this.idleMs(connection, now) > limitMs) void connection.close();
  }

  /** How long the server has kept a message waiting, the longest first; empty while it reads one. */
  waitsMs(now: number, patienceMs: number): number[] {
    const connections = [...this.#loads.keys()];
    if (connections.some((connection) => connection.isRead(now, patienceMs))) return [];
    return connections
      .flatMap(({ waitsSince }) => (waitsSince === undefined ? [] : [now - waitsSince]))
      .sort((a, b) => b - a);
  }

  /** Whether a message waits for the reply to MAIL. */
  get waitsAtMail(): boolean {
    return [...this.#loads.keys()].some(({ waitsAtMail }) => waitsAtMail);
  }

  /** Takes back all messages that cannot have been accepted. */
  withdraw(): void {
    for (const connection of this.#loads.keys()) connection.withdraw();
  }

  /** Returns the messages queued behind one that the server does not answer, so that they go another way. */
  releaseQueued(now: number): void {
    for (const [connection, load] of this.#loads)
      if (connection.pending > 1 && isStuck(connection, load, now, stuckMs)) connection.releaseQueued();
  }

  /** Ends the connections that have been stuck longest, all but `tolerated` of those stuck for `limitMs`. */
  giveUpStuck(now: number, limitMs: number, tolerated: number): void {
    const stuck = [...this.#loads]
      .filter(([connection, load]) => isStuck(connection, load, now, limitMs) && !connection.isRead(now, limitMs))
      .sort(([, a], [, b]) => a.progressAt - b.progressAt)
      .map(([connection]) => connection);
    const surplus = stuck.length - tolerated;
    if (surplus <= 0) return;
    // If nothing moves for several domains, the relay itself is stuck.
    const domains = new Set(
      stuck.map(({ oldestInFlight }) => oldestInFlight?.rcptTo.replace(/^.*@/, '').toLowerCase()),
    );
    if (stuck.length === this.#loads.size && domains.size > 1) return;
    for (const connection of stuck.filter(({ oldestInFlight }) => oldestInFlight?.dotted === false).slice(0, surplus))
      connection.giveUp();
  }

  /** Closes the idlest connections beyond `max`, each after its queue. */
  shrinkTo(max: number): void {
    const usable = [...this.#loads.keys()].filter((connection) => connection.usable);
    usable.sort((a, b) => b.pending - a.pending);
    for (const connection of usable.slice(max)) void connection.close();
  }

  /** Returns the messages that are not written yet, so that they go another way. */
  releaseUnwritten(): void {
    for (const connection of this.#loads.keys()) connection.releaseQueued();
  }

  /** Ends the connections that have been stuck for `limitMs` with a message that the server cannot have accepted. */
  giveUpUndotted(now: number, limitMs: number): void {
    for (const [connection, load] of this.#loads)
      if (isStuck(connection, load, now, limitMs) && connection.oldestInFlight?.dotted === false) connection.giveUp();
  }

  /** Resolves when every connection has finished its queue and closed. */
  async close(): Promise<void> {
    await Promise.all([...this.#loads.keys()].map((connection) => connection.close()));
  }

  destroy(): void {
    for (const connection of this.#loads.keys()) connection.destroy();
  }
}

function isStuck(connection: Connection, { progressAt }: Load, now: number, limitMs: number): boolean {
  return connection.pending > 0 && now - progressAt > limitMs;
}
