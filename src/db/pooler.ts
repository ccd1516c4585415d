// Refuses a database that is reached through a connection pooler which gives each transaction another server connection, as
// PgBouncer does in transaction mode. Notifications, advisory locks and prepared statements belong to a session and would be
// lost there without an error: workers would take each other for dead. A pooler that keeps sessions whole is no problem.
import pg from 'pg';
import { target } from './connection/target.ts';

/** Connections opened at most to see whether two clients share one of the server. */
const maxProbes = 5;
const answerMs = 5_000;

export class PoolerRefused extends Error {
  constructor(name: string) {
    super(
      `DATABASE_URL leads to ${name} that gives each transaction another connection of the server. Postrider needs whole ` +
        'sessions (notifications, advisory locks, prepared statements). Connect to PostgreSQL itself, or let the pooler keep ' +
        'sessions (PgBouncer: pool_mode = session). docs/operations.md says how many connections are needed.',
    );
  }
}

/**
 * The check of `refusePooler` over a connection of its own, which changes no setting: in the sessions of such a pooler they would
 * stay for other programs.
 */
export async function needSessions(url: string): Promise<void> {
  const client = await open(url);
  await refusePooler(client, url).finally(() => client.end());
}

/**
 * Costs one query on a direct connection: there the server's process is the one that it named when the connection began.
 * @param url where `client` is connected to
 * @throws PoolerRefused
 */
export async function refusePooler(client: pg.ClientBase, url: string): Promise<void> {
  const named = (client as pg.ClientBase & { processID: number }).processID;
  const used = await serverProcess(client);
  if (used !== named && (await isShared(client, used, url))) throw new PoolerRefused(await nameOf(url));
}

/** Whether other clients, each in a transaction, take the server connection that this one had. */
async function isShared(client: pg.ClientBase, used: number, url: string): Promise<boolean> {
  const others: pg.Client[] = [];
  try {
    while (others.length < maxProbes) {
      const other = await open(url);
      others.push(other);
      await other.query('begin');
      if ((await serverProcess(other)) === used || (await serverProcess(client)) !== used) return true;
    }
    return false;
  } finally {
    for (const other of others) await other.query('rollback').catch(() => {});
    await Promise.all(others.map((other) => other.end().catch(() => {})));
  }
}

async function serverProcess(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]!.pid;
}

/** PgBouncer has a database of its name for its administrators; to others it answers that they are not allowed. */
async function nameOf(url: string): Promise<string> {
  const administration = URL.parse(url);
  if (!administration) return 'a connection pooler';
  administration.pathname = '/pgbouncer';
  let client: pg.Client | undefined;
  const answer = await open(administration.href)
    .then(async (opened) => {
      client = opened;
      return JSON.stringify((await opened.query('show version')).rows);
    })
    .catch((error: Error) => error.message);
  await client?.end().catch(() => {});
  return /pgbouncer 1|not allowed/i.test(answer) ? 'PgBouncer, a connection pooler' : 'a connection pooler';
}

async function open(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    ...target(url),
    application_name: 'postrider start',
    connectionTimeoutMillis: answerMs,
    query_timeout: answerMs,
  });
  // A connection that breaks afterwards; the next statement reports it.
  client.on('error', () => {});
  await client.connect();
  return client;
}
