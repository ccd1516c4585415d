// Two installations, each with a PostgreSQL of its own, a web process and a worker, one sink for what both send, and the mover as a process.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccount, setAccount } from '../../../src/accounts/account/account.ts';
import { createKey } from '../../../src/accounts/keys/key.ts';
import { addMember, createUser } from '../../../src/accounts/people/user.ts';
import type { App } from '../../../src/base/context.ts';
import { freePort } from '../../../src/base/free-port.ts';
import { connect, type Database, sql } from '../../../src/db/connect.ts';
import { formatId } from '../../../src/db/ids.ts';
import { wholeSchema } from '../database/database.ts';
import { type OwnServer, ownServer } from '../database/two-servers.ts';
import { appOn, type TestApp } from '../installation/app.ts';
import { type Program, startProgram } from '../installation/program.ts';
import { type Sink, startSink } from '../smtp-sink/sink.ts';

export type Cell = {
  db: Database;
  /** Of the web process. */
  url: string;
  settings: Record<string, string>;
  app: App;
  start(...commands: ('web' | 'work')[]): Promise<Program[]>;
};

export type CellAccount = {
  id: number;
  name: string;
  key: string;
  /** Calls a method at a cell with the key of the account. */
  call<T = unknown>(cell: Cell, method: string, params?: Record<string, unknown>): Promise<T>;
  /** As above, for builders of tests, at the first cell. */
  call1: TestApp['call'];
};

export type Cells = {
  one: Cell;
  two: Cell;
  sink: Sink;
  account(email: string): Promise<CellAccount>;
  /** `postrider account move` in the first cell. */
  mover(account: CellAccount, ...more: string[]): Program;
  /** The same in the second one. */
  moverBack(account: CellAccount): Program;
  close(): Promise<void>;
};

export async function twoCells(settings: Record<string, string> = {}): Promise<Cells> {
  const servers: OwnServer[] = await Promise.all([ownServer(), ownServer()]);
  const sink = await startSink({ hash: false });
  const programs: Program[] = [];
  const folders: string[] = [];
  const cell = async (no: number, secretOf?: Cell): Promise<Cell> => {
    const databaseUrl = await servers[no - 1]!.create('cell');
    await wholeSchema.migrate(databaseUrl);
    const DATA_DIR = mkdtempSync(join(tmpdir(), `cell-${no}-`));
    folders.push(DATA_DIR);
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const own = {
      ...settings,
      DATABASE_URL: databaseUrl,
      DATA_DIR,
      PORT: String(port),
      BASE_URL: url,
      CELL: String(no),
      SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none&connections=4`,
      CHROMIUM_PATH: 'none',
      FOLLOW_LINKS: 'no',
      OUTBOUND_ALLOW: '127.0.0.0/8',
    };
    if (secretOf) {
      const prepared = startProgram(['cell', 'prepare', '--to', databaseUrl], secretOf.settings);
      if ((await prepared.ended) !== 0) throw new Error(prepared.output);
    }
    const app = await appOn(databaseUrl, own);
    // An installation has an account of its operator.
    const { id } = await createAccount(app.db, { name: `Operator ${no}`, email: `operator${no}@example.com` });
    await addMember(
      app.db,
      id,
      (await createUser(app.db, { email: `operator${no}@example.com`, password: 'correct horse' })).id,
      'owner',
    );
    return {
      db: connect(databaseUrl, { name: 'test', maxConnections: 4, statementTimeoutMs: 600_000 }),
      url,
      settings: own,
      app,
      async start(...commands) {
        const started = commands.map((command) => startProgram([command], own));
        programs.push(...started);
        await Promise.all(started.map(({ ready }) => ready));
        for (const { alive, output } of started) if (!alive) throw new Error(output);
        return started;
      },
    };
  };
  const move = (from: Cell, to: Cell, { name }: CellAccount, more: string[]): Program => {
    const program = startProgram(
      ['account', 'move', name, '--to', to.settings['DATABASE_URL']!, ...more],
      from.settings,
    );
    programs.push(program);
    return program;
  };
  const one = await cell(1);
  const two = await cell(2, one);
  return {
    one,
    two,
    sink,
    async account(email) {
      const { id } = await createAccount(one.db, { name: email, email });
      await setAccount(one.db, id, { plan: 'pro' });
      const user = await createUser(one.db, { email, password: 'correct horse' });
      await addMember(one.db, id, user.id, 'owner');
      const { key } = await createKey(one.db, id, { label: 'test', scope: 'full' });
      const callAt = async <T>(at: Cell, method: string, params: Record<string, unknown> = {}) => {
        const response = await fetch(`${at.url}/api/${method}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify(params),
        });
        const value = (await response.json()) as T;
        if (response.status !== 200) throw new Error(`${method}: ${response.status} ${JSON.stringify(value)}`);
        return value;
      };
      return { id, name: formatId(id), key, call: callAt, call1: (method, params) => callAt(one, method, params) };
    },
    mover: (account, ...more) => move(one, two, account, more),
    moverBack: (account) => move(two, one, account, []),
    async close() {
      await Promise.all(programs.filter(({ alive }) => alive).map((program) => program.stop()));
      for (const { db, app } of [one, two]) {
        await db.close();
        await app.db.close();
      }
      await sink.close();
      await Promise.all(servers.map((server) => server.close()));
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Which of the cells has the account: it can be used there. */
export async function ownersOf({ one, two }: Cells, { id }: CellAccount): Promise<('one' | 'two')[]> {
  const owns = async ({ db }: Cell) =>
    (await db.row(sql`
      select
      from account a
      where id = ${id}
        and not exists (select from account_move m where m.account = a.id and not m.writes)`)) !== undefined;
  // The new one first: then an account that passes on between the two looks is not seen twice.
  const second = await owns(two);
  const first = await owns(one);
  return [...(first ? (['one'] as const) : []), ...(second ? (['two'] as const) : [])];
}
