// A database connection of its own that is kept open, for what belongs to a session: notifications and advisory locks.
// Guarantees that it is reopened after every kind of failure, including a server that accepts a connection and never
// answers, and that the loss is noticed within `pingMs` and `answerMs`. Notifications sent in between are lost.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { tcpKeepAlive } from './connect.ts';
import { readOnlyError } from './connection/failures.ts';
import { prepareSession, unlimited } from './connection/session-settings.ts';
import { target } from './connection/target.ts';

export type Session = {
  /** Resolves when the first connection is open, or could not be opened. */
  attempted: Promise<void>;
  stop(): Promise<void>;
};

export type SessionOptions = {
  /** Shown in pg_stat_activity. */
  name: string;
  /** Prepares a new connection; when it rejects, the connection is closed and the next one is opened. */
  onOpen(client: pg.Client): Promise<void>;
  onNotification?(channel: string, payload: string): void;
  /** Called once for each connection that `onOpen` was called for, unless the session was stopped. */
  onLost?(wasOpen: boolean): void;
  onFailure(error: unknown): void;
  pingMs?: number;
  /** For connecting, and for the answer to each statement. */
  answerMs?: number;
};

const defaultAnswerMs = 5_000;
const retryMs = 500;
const defaultPingMs = 10_000;

/** Opens the session, and opens it again whenever it is lost. */
export function keepSession(url: string, options: SessionOptions): Session {
  const stopping = new AbortController();
  const attempted = Promise.withResolvers<void>();
  const run = async () => {
    while (!stopping.signal.aborted) {
      const wasOpen = await connection(url, options, stopping.signal, attempted.resolve).catch((error) => {
        // A certificate of the URL that cannot be read any more.
        options.onFailure(error);
        return false;
      });
      attempted.resolve();
      // One that worked was probably cut; the server may be there.
      await sleep(wasOpen ? 50 : retryMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  };
  const running = run();
  return {
    attempted: attempted.promise,
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/** One connection from its start to its end. @returns whether it was open */
async function connection(
  url: string,
  {
    name,
    onOpen,
    onNotification,
    onLost,
    onFailure,
    pingMs = defaultPingMs,
    answerMs = defaultAnswerMs,
  }: SessionOptions,
  stopping: AbortSignal,
  opened: () => void,
): Promise<boolean> {
  const client = new pg.Client({
    ...target(url),
    application_name: name,
    ...tcpKeepAlive,
    connectionTimeoutMillis: answerMs,
    query_timeout: answerMs,
  });
  let state: 'connecting' | 'preparing' | 'open' | 'lost' = 'connecting';
  let wasOpen = false;
  const over = new AbortController();
  const lose = () => {
    if (!stopping.aborted && (state === 'preparing' || state === 'open')) onLost?.(wasOpen);
    state = 'lost';
    over.abort();
  };
  client.on('error', lose);
  client.on('end', lose);
  stopping.addEventListener('abort', lose);
  if (onNotification) client.on('notification', ({ channel, payload }) => onNotification(channel, payload ?? ''));
  try {
    await client.connect();
    await prepareSession(client, unlimited);
    await needPrimary(client);
    if (!over.signal.aborted) {
      state = 'preparing';
      await onOpen(client);
    }
    if (!over.signal.aborted) {
      state = 'open';
      wasOpen = true;
      opened();
    }
    while (!over.signal.aborted) {
      await sleep(pingMs, undefined, { signal: over.signal }).catch(() => {});
      if (!over.signal.aborted) await needPrimary(client);
    }
  } catch (error) {
    if (!stopping.aborted) onFailure(error);
  }
  lose();
  stopping.removeEventListener('abort', lose);
  // Not waited for: a server that does not answer would not answer to this either.
  client.end().catch(() => {});
  setTimeout(() => client.connection.stream.destroy(), 1_000).unref();
  return wasOpen;
}

/** A standby would give locks that hold for it alone, and has no notifications. */
async function needPrimary(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ isStandby: boolean }>('select pg_is_in_recovery() as "isStandby"');
  if (rows[0]!.isStandby) throw readOnlyError();
}
