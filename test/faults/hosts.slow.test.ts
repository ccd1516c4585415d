// Two worker machines and one database (faults F12, F19): a fail-over to a replica that lacks the last commits, and a
// primary that is away for a while. Nothing is lost and no recipient gets an unmarked second copy. Each machine is a
// worker with host name, process ids and DATA_DIR of its own. FAILOVERS sets the number of rounds.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { accountById, createAccount } from '../../src/accounts/account/account.ts';
import { createLog } from '../../src/base/log.ts';
import { type Database, sql } from '../../src/db/connect.ts';
import { migrate } from '../../src/db/migrate/migrate.ts';
import { warnOfServer } from '../../src/db/server-check.ts';
import { call } from '../../src/doors/call.ts';
import { migrateQueue } from '../../src/jobs/queue-schema.ts';
import { launchedTo, listOf } from '../support/builders/campaigns.ts';
import { checkInvariants, watchMoves } from '../support/database/invariants.ts';
import { DatabaseProxy } from '../support/database/proxy.ts';
import { missingForReplicas, type Pair, ReplicatedCluster } from '../support/database/replicated.ts';
import { people } from '../support/delivery/engine.ts';
import { appOn } from '../support/installation/app.ts';
import { missingForHosts, type Program, startProgram } from '../support/installation/program.ts';
import { type Sink, startSink } from '../support/smtp-sink/sink.ts';

const rounds = Number(process.env['FAILOVERS'] ?? 3);
const recipients = Number(process.env['RECIPIENTS'] ?? 8_000);
const perSecond = 1_500;
/** How far the replica is behind. */
const behindMs = 2_000;

const skip = missingForReplicas() ?? missingForHosts() ?? false;

let cluster: ReplicatedCluster;
let list: string;
before(async () => {
  if (skip) return;
  cluster = await ReplicatedCluster.create(async (url) => {
    await migrate(url);
    await migrateQueue(url, createLog('silent', 'test'));
    const app = await appOn(url);
    const { id } = await createAccount(app.db, { name: 'Test organisation', email: 'owner@example.com' });
    const caller = { call: callAs(app, id) };
    list = await listOf(caller, people(1));
    await addMembers(app.db);
    await watchMoves(app.db);
    await app.db.close();
  });
});
after(() => cluster?.close());

/** Makes the list's only member one of `recipients`, faster than the method does. */
async function addMembers(db: Database): Promise<void> {
  await db.run(sql`
    with added as (
      insert into contact (account_id, email, email_key, domain)
      select account_id, address, address, domain
      from contact, unnest(${people(recipients).slice(1)}::text[]) as address
      returning account_id, id
    )
    insert into subscription (account_id, contact_id, list_id, status, fields)
    select a.account_id, a.id, s.list_id, s.status, s.fields
    from added a, subscription s`);
  await db.run(sql`analyze`);
}

type App = Awaited<ReturnType<typeof appOn>>;

const callAs =
  (app: App, accountId: number) =>
  async <T>(method: string, params: Record<string, unknown> = {}) =>
    (await call(app, method, params, { kind: 'system', accountId }, 'json')) as T;

class Hosts {
  readonly pair: Pair;
  readonly proxy: DatabaseProxy;
  readonly sink: Sink;
  readonly app: App;
  readonly programs: Program[] = [];
  readonly #folders: string[] = [];

  private constructor(pair: Pair, proxy: DatabaseProxy, sink: Sink, app: App) {
    this.pair = pair;
    this.proxy = proxy;
    this.sink = sink;
    this.app = app;
  }

  static async start(names: readonly string[]): Promise<Hosts> {
    const pair = await cluster.pair();
    const proxy = await DatabaseProxy.start(pair.url);
    const hosts = new Hosts(pair, proxy, await startSink({ hash: false }), await appOn(proxy.url));
    for (const name of names) hosts.add(name);
    for (const program of hosts.programs)
      await hosts.until('a worker is ready', () => program.output.includes('worker ready'));
    return hosts;
  }

  add(name: string): void {
    const folder = mkdtempSync(join(tmpdir(), `${name}-`));
    this.#folders.push(folder);
    this.programs.push(
      startProgram(
        ['work'],
        {
          DATABASE_URL: this.proxy.url,
          DATA_DIR: folder,
          SMTP_URL: `smtp://127.0.0.1:${this.sink.port}?tls=none&connections=4&rate=${perSecond}/s`,
        },
        [],
        name,
      ),
    );
  }

  get db(): Database {
    return this.app.db;
  }

  async launch(): Promise<number> {
    const { id } = (await this.db.row<{ id: number }>(sql`select id from account`))!;
    const account = (await accountById(this.db, id))!;
    return launchedTo({ app: this.app, account, call: callAs(this.app, id) }, list);
  }

  /** A machine is lost with its journals. */
  async lose(nth: number): Promise<void> {
    this.programs[nth]!.kill('SIGKILL');
    await this.programs[nth]!.ended;
    rmSync(this.#folders[nth]!, { recursive: true, force: true });
  }

  /** The primary dies, and the replica takes its place, `behindMs` behind. */
  async failOver(): Promise<void> {
    await this.pair.freezeReplica();
    await sleep(behindMs);
    this.proxy.goDown();
    await this.pair.killPrimary();
    this.proxy.leadTo(await this.pair.promote());
    this.proxy.gone = false;
  }

  /** @returns how many messages were accepted twice or more, and how many copies are marked */
  async settled(campaign: number, seconds = 150): Promise<{ doubles: number; marked: number }> {
    await this.until(
      'the campaign is sent',
      async () =>
        (await this.db
          .row<{ status: string }>(sql`select status from campaign where id = ${campaign}`)
          .catch(() => undefined)) !== undefined &&
        (await this.db.row<{ status: string }>(sql`select status from campaign where id = ${campaign}`))!.status ===
          'sent',
      seconds,
    );
    const marked = await this.db.row<{ resent: number }>(
      sql`select sum(resent)::int as resent from delivery where campaign_id = ${campaign}`,
    );
    const accepted = new Set(this.sink.accepted().map((entry) => entry.to!));
    return { doubles: this.sink.counts.accepted - accepted.size, marked: marked!.resent };
  }

  check(campaign: number) {
    return checkInvariants(this.db, this.sink.log, { campaign, audience: people(recipients) });
  }

  async until(what: string, check: () => boolean | Promise<boolean>, seconds = 60): Promise<void> {
    const deadline = performance.now() + seconds * 1_000;
    while (!(await check())) {
      if (performance.now() > deadline)
        assert.fail(
          `not within ${seconds} s: ${what}\n${this.programs.map((program) => program.output.slice(-3_000)).join('\n---\n')}`,
        );
      await sleep(20);
    }
  }

  async close(): Promise<void> {
    for (const program of this.programs) program.kill('SIGKILL');
    await Promise.all(this.programs.map((program) => program.ended));
    await this.app.db.close();
    await this.proxy.close();
    await this.sink.close();
    await this.pair.close();
    for (const folder of this.#folders) rmSync(folder, { recursive: true, force: true });
  }
}

for (let round = 1; round <= rounds; round++)
  test(`F19 after a fail-over to a replica that is 2 s behind, no recipient is lost or gets an unmarked copy (round ${round})`, {
    skip,
  }, async () => {
    const hosts = await Hosts.start(['host-a', 'host-b']);
    try {
      const campaign = await hosts.launch();
      await hosts.until('a quarter is accepted', () => hosts.sink.counts.accepted > recipients / 4);
      await hosts.failOver();
      const before = hosts.sink.counts.accepted;
      const backAt = performance.now();
      await hosts.until('sending continues', () => hosts.sink.counts.accepted > before + 100);
      const pausedMs = Math.round(performance.now() - backAt);
      const { doubles, marked } = await hosts.settled(campaign);
      console.log(`accepted before: ${before}, paused ${pausedMs} ms, accepted twice: ${doubles}, marked: ${marked}`);

      await hosts.check(campaign);
    } finally {
      await hosts.close();
    }
  });

test('F19 after a fail-over in which a machine is lost with the primary, the recipients it may have sent to get marked copies', {
  skip,
}, async () => {
  const hosts = await Hosts.start(['host-a', 'host-b']);
  try {
    const campaign = await hosts.launch();
    await hosts.until('a quarter is accepted', () => hosts.sink.counts.accepted > recipients / 4);
    await Promise.all([hosts.failOver(), sleep(behindMs).then(() => hosts.lose(1))]);
    const before = hosts.sink.counts.accepted;
    const { doubles, marked } = await hosts.settled(campaign, 240);
    console.log(`accepted before: ${before}, accepted twice: ${doubles}, marked: ${marked}`);
    assert.ok(marked > 0);
    await hosts.check(campaign);
  } finally {
    await hosts.close();
  }
});

test('a start warns of an asynchronous standby', { skip }, async () => {
  const hosts = await Hosts.start([]);
  try {
    const lines: { msg: string; standbys?: string[] }[] = [];
    const log = createLog('warn', 'test', { write: (line: string) => void lines.push(JSON.parse(line)) });
    await warnOfServer(hosts.app.db, 1, log);
    assert.equal(lines.length, 1);
    assert.match(lines[0]!.msg, /asynchronous/);
    assert.ok(lines[0]!.standbys!.length > 0);
  } finally {
    await hosts.close();
  }
});

test('F12 after 20 s without the primary, two machines send no copy', { skip }, async () => {
  const hosts = await Hosts.start(['host-a', 'host-b']);
  try {
    const campaign = await hosts.launch();
    await hosts.until('a quarter is accepted', () => hosts.sink.counts.accepted > recipients / 4);
    hosts.proxy.goDown();
    await sleep(20_000);
    hosts.proxy.gone = false;
    const result = await hosts.settled(campaign);
    assert.deepEqual(result, { doubles: 0, marked: 0 });
    await hosts.check(campaign);
  } finally {
    await hosts.close();
  }
});
