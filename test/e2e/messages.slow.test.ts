// kill -9 of web processes and workers while programs send single messages and contacts sign up: after a successful answer no
// message and no confirmation is lost, one idempotency key makes one message, a job that runs again writes no second confirmation,
// and every second copy is marked. The sink's log is the truth. KILLS is the number of kills, DICE the seed of their times.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../src/base/free-port.ts';
import { sql } from '../../src/db/connect.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { type Program, startProgram } from '../support/installation/program.ts';
import { diceOf } from '../support/judges/dice.ts';
import { until } from '../support/run/until.ts';
import { startSink } from '../support/smtp-sink/sink.ts';

const kills = Number(process.env.KILLS ?? 12);
const dice = diceOf(Number(process.env.DICE ?? 1));
const timeout = 180_000 + kills * 15_000;
const perRound = 4;
/** The sink answers most of them half a second after their dot, so that kills come in between. */
const slowly = (n: number) => (n % 4 === 0 ? '' : 'delay500-dot.');
const address = (n: number) => `${slowly(n)}message.${n}@example.com`;
const contact = (n: number) => `${slowly(n)}contact.${n}@example.com`;

type Info = { id: string; purpose: string; has_content: boolean; recipients: { email: string; resent: number }[] };

test('kill -9 of web processes and workers: no answered message is lost, none is sent twice unmarked', {
  timeout,
}, async () => {
  const sink = await startSink();
  const t = await testApp();
  const service = await Processes.start(t, sink.port);
  try {
    const list = await t.call<string>('listCreate', { title: 'Letter' });
    const idOf = new Map<number, string>();
    const request = async (n: number) => {
      const given = { to: address(n), subject: `Message ${n}`, plain: 'Hello', idempotency_key: `key ${n}` };
      // As a careful program does: the same call again until there is an answer.
      await until(`message ${n} is answered`, async () => {
        const sent = await service.post<{ id: string }>('messageSend', given);
        if (sent) idOf.set(n, sent.id);
        return sent !== undefined;
      });
      const member = { id: list, email_address: contact(n) };
      await until(`contact ${n} has signed up`, async () => {
        if ((await service.post('listSubscribe', member)) !== undefined) return true;
        // A call whose answer was lost may have subscribed the contact: asked again, it would get a second confirmation.
        return (await service.post<{ status: string }>('listMemberInfo', member))?.status === 'pending';
      });
    };
    let messages = 0;
    for (let killed = 0; killed < kills; killed++) {
      const sending = Promise.all(Array.from({ length: perRound }, (_, i) => request(messages + i)));
      await sleep(dice.below(1_000));
      await service.killOne(killed);
      await sending;
      messages += perRound;
    }
    const copiesOf = () => Map.groupBy(sink.accepted(), ({ to }) => to!);
    const all = Array.from({ length: messages }, (_, n) => [address(n), contact(n)]).flat();
    await settled(t);
    const again = await t.call<{ id: string }>('messageSend', {
      ...{ to: address(0), subject: 'Message 0', plain: 'Hello', idempotency_key: 'key 0' },
    });
    assert.equal(again.id, idOf.get(0), 'the same key gives the same message');
    assert.equal(new Set(idOf.values()).size, messages);
    const copies = copiesOf();
    let doubled = 0;
    for (const to of all) {
      const count = copies.get(to)?.length ?? 0;
      const { data } = await t.call<{ data: Info[] }>('messages', { email: to });
      assert.ok(count >= 1, `the message to ${to} was lost: ${JSON.stringify(data)}`);
      assert.equal(data.length, 1, `${data.length} messages to ${to}`);
      const [{ has_content, purpose, recipients }] = data as [Info];
      assert.equal(has_content, purpose === 'message', 'no content of the program is kept');
      if (count > 1) doubled += 1;
      assert.ok(recipients[0]!.resent >= count - 1, `a second copy to ${to} is not marked`);
    }
    console.log(
      `${messages} messages and as many confirmations, ${kills} kills: 0 lost, ${doubled} doubled, all of them marked`,
    );
  } finally {
    await service.stop();
    await t.close();
    await sink.close();
  }
});

/** Waits for the last outcome; deferred recipients and further copies need not wait for their time. */
async function settled(t: TestApp): Promise<void> {
  let open: unknown[] = [];
  let jobs: unknown[] = [];
  const isOver = async () => {
    await t.app.db.run(sql`update chunk set due_at = now() where state = 'waiting' and due_at > now()`);
    open = await t.app.db.rows(sql`
      select state, resent, attempts, reply, email from delivery where state not in (2, 4, 5) limit 5`);
    jobs = await t.app.db.rows(sql`
      select attempts, last_error, run_at, locked_at, locked_by, now() as now
      from graphile_worker.jobs
      where task_identifier = 'sendConfirmation'
      limit 5`);
    return open.length === 0 && jobs.length === 0;
  };
  await until('all outcomes are written', isOver, 300_000).catch((error: Error) => {
    throw new Error(`${error.message}: ${JSON.stringify({ open, jobs })}`);
  });
}

/** A web process and two workers on one database, each started again as soon as it is killed. */
class Processes {
  readonly #folder = mkdtempSync(join(tmpdir(), 'kills-'));
  readonly #key: string;
  readonly #base: string;
  readonly #start: (() => Program)[];
  #running: Program[] = [];

  private constructor(t: TestApp, port: number, sinkPort: number) {
    const settings = {
      DATABASE_URL: t.app.db.url,
      DATA_DIR: this.#folder,
      SMTP_URL: `smtp://127.0.0.1:${sinkPort}?tls=none&connections=4`,
      LOG_LEVEL: 'warn',
    };
    this.#key = t.key;
    this.#base = `http://127.0.0.1:${port}`;
    const worker = () => startProgram(['work'], settings);
    this.#start = [() => startProgram(['web'], { ...settings, PORT: String(port) }), worker, worker];
  }

  static async start(t: TestApp, sinkPort: number): Promise<Processes> {
    const all = new Processes(t, await freePort(), sinkPort);
    all.#running = all.#start.map((start) => start());
    await Promise.all(all.#running.map(({ ready }) => ready));
    return all;
  }

  /** Every third time the web process, otherwise a worker, once it is up. */
  async killOne(nth: number): Promise<void> {
    const at = nth % 3;
    const victim = this.#running[at]!;
    await victim.ready;
    assert.ok(victim.alive, victim.output);
    victim.kill('SIGKILL');
    await victim.ended;
    this.#running[at] = this.#start[at]!();
  }

  /** Undefined without a successful answer. */
  async post<T>(method: string, params: Record<string, unknown>): Promise<T | undefined> {
    try {
      const response = await fetch(`${this.#base}/api/${method}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' },
        body: JSON.stringify(params),
      });
      const answer = (await response.json()) as T;
      return response.ok ? answer : undefined;
    } catch {
      return undefined;
    }
  }

  async stop(): Promise<void> {
    for (const program of this.#running) program.kill('SIGKILL');
    await Promise.all(this.#running.map(({ ended }) => ended));
    rmSync(this.#folder, { recursive: true });
  }
}
