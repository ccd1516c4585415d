// A crew: real worker processes with a database and a sink for one test, to be killed at a known point of their work.
// The test's process runs the sink and optionally a proxy before the workers' database; both can hold a step until the
// worker is dead. ended() waits for the end of a campaign and compares the database with the sink's log.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../../src/db/connect.ts';
import { formatId } from '../../../src/db/ids.ts';
import { type StateName, stateNames } from '../../../src/db/states.ts';
import { launchedTo, listOf } from '../builders/campaigns.ts';
import { checkInvariants, watchMoves } from '../database/invariants.ts';
import { DatabaseProxy } from '../database/proxy.ts';
import { shownState } from '../database/shown-state.ts';
import { type TestApp, testApp } from '../installation/app.ts';
import { type Program, startProgram } from '../installation/program.ts';
import { type Entry, type Sink, type SinkOptions, startSink } from '../smtp-sink/sink.ts';

export type Person = {
  email: string;
  state: StateName;
  attempts: number;
  resent: number;
  crashes: number;
  reply: string | null;
};
export type Ended = {
  people: Person[];
  accepted: Map<string, Entry[]>;
  /** Messages beyond the first of a recipient. */
  copies: number;
  /** Copies marked as such. */
  resent: number;
  in(state: StateName): Person[];
  /** In other states than this one, with their replies: what a failed test shows. */
  others(state: StateName): Person[];
};
export type CrewOptions = {
  sink?: SinkOptions;
  /** Connections of all workers to the sink: one by default, so that the message in flight of a single worker is known exactly. */
  connections?: number;
  /** What the relay is given at most, by all workers together. */
  perSecond?: number;
  /** Further settings of the workers and of the test's own program. */
  settings?: Record<string, string>;
};

export class Crew {
  readonly t: TestApp;
  readonly sink: Sink;
  readonly proxy: DatabaseProxy;
  readonly dataDir: string;
  readonly #settings: Record<string, string>;
  readonly #programs: Program[] = [];
  readonly #watches: (() => Promise<void>)[] = [];

  private constructor(t: TestApp, sink: Sink, proxy: DatabaseProxy, settings: Record<string, string>) {
    this.t = t;
    this.sink = sink;
    this.proxy = proxy;
    this.dataDir = mkdtempSync(join(tmpdir(), 'crew-'));
    this.#settings = settings;
  }

  static async start({
    sink: script = {},
    connections = 1,
    perSecond,
    settings = {},
  }: CrewOptions = {}): Promise<Crew> {
    const sink = await startSink({ hash: false, ...script });
    const t = await testApp(settings);
    await watchMoves(t.app.db);
    const proxy = await DatabaseProxy.start(t.app.db.url);
    return new Crew(t, sink, proxy, {
      SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none&connections=${connections}${perSecond === undefined ? '' : `&rate=${perSecond}/s`}`,
      LOG_LEVEL: 'warn',
      ...settings,
    });
  }

  /** Starts a worker whose database is behind the proxy. @param crashAt see crash-at.ts */
  worker(crashAt = '', more: Record<string, string> = {}): Program {
    const program = startProgram(
      ['work'],
      {
        ...this.#settings,
        DATABASE_URL: this.proxy.url,
        DATA_DIR: this.dataDir,
        ...(crashAt === '' ? {} : { CRASH_AT: crashAt }),
        ...more,
      },
      crashAt === '' ? [] : ['--import', join(import.meta.dirname, 'crash-at.ts')],
    );
    this.#programs.push(program);
    return program;
  }

  /** kill -9 of all workers, and the wait for their end. */
  async killAll(): Promise<void> {
    for (const program of this.#programs) program.kill('SIGKILL');
    await Promise.all(this.#programs.map((program) => program.ended));
  }

  /** A launched campaign to these addresses. */
  async campaign(emails: readonly string[], html?: string): Promise<number> {
    return launchedTo(this.t, await listOf(this.t, emails), html);
  }

  async people(id: number): Promise<Person[]> {
    const rows = await this.t.app.db.rows<Omit<Person, 'state'> & { state: number }>(sql`
      select email, ${shownState} as state, attempts, resent, crashes, reply from delivery where campaign_id = ${id} order by seq`);
    return rows.map((row) => ({ ...row, state: stateNames[row.state]! }));
  }

  /** Accepted messages of a campaign, by the beginning of the Message-ID; others, such as goodbyes, are left out. */
  acceptedOf(id: number): Entry[] {
    return this.sink.accepted().filter((entry) => entry.messageId?.startsWith(`<${id.toString(36)}.`));
  }

  /** Later attempts and copies need not wait for their time. */
  async makeDue(id: number): Promise<void> {
    await this.t.app.db.run(sql`
      update chunk set due_at = now() where campaign_id = ${id} and state = 'waiting' and due_at > now()`);
  }

  /** Checks the accounting continuously until stop(). */
  watch(id: number): { stop(): Promise<void> } {
    let on = true;
    const broken: unknown[] = [];
    const watching = (async () => {
      while (on) {
        const row = await this.t.app.db.row<{ holds: boolean; tally: number[]; counted: number[] }>(sql`
          with counted as (
            select array[count(*)::int, count(*) filter (where state = 0)::int, count(*) filter (where state = 1)::int,
              count(*) filter (where state = 2)::int, count(*) filter (where state = 3)::int, count(*) filter (where state = 4)::int,
              count(*) filter (where state = 5)::int, count(*) filter (where state = 6)::int] as v
            from (select ${shownState} as state from delivery where campaign_id = ${id}) as recipients
          ), tallied as (
            select array[sum(recipients)::int, sum(queued)::int, sum(trying)::int, sum(accepted)::int, sum(later)::int,
              sum(failed)::int, sum(skipped)::int, sum(unclear)::int] as v
            from tally where campaign_id = ${id}
          )
          select c.v = t.v as holds, c.v as counted, t.v as tally from counted c, tallied t`);
        if (row?.holds !== true) broken.push(row);
        await sleep(100);
      }
    })();
    const end = async () => {
      on = false;
      await watching;
    };
    this.#watches.push(end);
    return {
      async stop() {
        await end();
        assert.deepEqual(broken, [], 'the accounting held at every look');
      },
    };
  }

  /** Waits until no recipient is queued, trying or later (nor unclear, when copies are sent automatically). */
  async settled(id: number, { hold = false, seconds = 60 } = {}): Promise<Person[]> {
    const open = hold ? ['queued', 'trying', 'later'] : ['queued', 'trying', 'later', 'unclear'];
    const deadline = performance.now() + seconds * 1_000;
    for (;;) {
      const people = await this.people(id);
      const left = people.filter((recipient) => open.includes(recipient.state));
      if (left.length === 0) return people;
      if (performance.now() > deadline)
        assert.fail(
          `campaign ${formatId(id)}: ${left.length} are left after ${seconds} s, such as ${JSON.stringify(left[0])}\n${this.#programs.at(-1)?.output.slice(-2_000)}`,
        );
      await sleep(100);
    }
  }

  /** Waits as settled() does and checks every invariant. */
  async ended(id: number, audience: readonly string[], { hold = false, seconds = 60 } = {}): Promise<Ended> {
    const people = await this.settled(id, { hold, seconds });
    await checkInvariants(this.t.app.db, this.sink.log, { campaign: id, audience });
    const messages = this.acceptedOf(id);
    const accepted = new Map<string, Entry[]>();
    for (const entry of messages) accepted.set(entry.to!, [...(accepted.get(entry.to!) ?? []), entry]);
    return {
      people,
      accepted,
      copies: messages.length - accepted.size,
      resent: people.reduce((sum, recipient) => sum + recipient.resent, 0),
      in: (state) => people.filter((recipient) => recipient.state === state),
      others: (state) => people.filter((recipient) => recipient.state !== state),
    };
  }

  /** The lines of all workers' journals. */
  journal(): string[] {
    const folder = join(this.dataDir, 'journal');
    return readdirSync(folder)
      .filter((name) => name.endsWith('.log'))
      .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'));
  }

  async close(): Promise<void> {
    await this.killAll();
    await Promise.all(this.#watches.map((end) => end()));
    await this.proxy.close();
    await this.sink.close();
    await this.t.close();
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}
