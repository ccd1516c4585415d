// The delivery engine in the test's process: one or several workers, scripted sinks as relays, a fresh database. Writes
// recipients straight into the tables and reads every state back; the sinks' logs are the truth to compare with. With
// TIMETABLE=random the tasks of the timetable run all the while.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { renderPacked } from '../../../src/base/messages.ts';
import { sql } from '../../../src/db/connect.ts';
import { formatId } from '../../../src/db/ids.ts';
import { stateNames, states } from '../../../src/db/states.ts';
import { startWorker, type Worker } from '../../../src/delivery/worker.ts';
import { launchedTo, listOf } from '../builders/campaigns.ts';
import { shownState } from '../database/shown-state.ts';
import { type TestApp, testApp } from '../installation/app.ts';
import { type Disturbance, disturb } from '../run/timetable.ts';

export type Recipient = {
  email: string;
  state: string;
  attempts: number;
  resent: number;
  code: number | null;
  reason: string | null;
  nextAt: Date | null;
};
export type Progress = Record<
  'recipients' | 'queued' | 'trying' | 'accepted' | 'later' | 'failed' | 'unclear' | 'resent',
  number
> & {
  delivery_status: string;
  status_reason: string;
};

export class Engine {
  readonly app: TestApp;
  readonly #folder: string;
  #disturbance: Disturbance | undefined;
  #workers: Worker[] = [];

  private constructor(app: TestApp, folder: string) {
    this.app = app;
    this.#folder = folder;
  }

  static async start(
    settings: Record<string, string>,
    workers = 1,
    timeScale = 1,
    through?: (databaseUrl: string) => Promise<string>,
  ): Promise<Engine> {
    const folder = mkdtempSync(join(tmpdir(), 'engine-'));
    const engine = new Engine(await testApp({ DATA_DIR: folder, ...settings }, through), folder);
    for (let i = 0; i < workers; i++) engine.#workers.push(await startWorker(engine.app.app, {}, timeScale));
    if (process.env['TIMETABLE'] === 'random') engine.#disturbance = disturb(engine.app.app, 'here');
    return engine;
  }

  async addWorker(timeScale = 1): Promise<void> {
    this.#workers.push(await startWorker(this.app.app, {}, timeScale));
  }

  progress(id: number): Promise<Progress> {
    return this.app.call('campaignProgress', { cid: formatId(id) });
  }

  /** On a busy machine a domain seems slow, and its recipients are deferred for 20 s each time: after 10 s they no longer are. */
  async untilStatus(id: number, status: string, seconds = 60): Promise<void> {
    const startedAt = performance.now();
    while ((await this.status(id)).status !== status) {
      const waitedMs = performance.now() - startedAt;
      if (waitedMs > seconds * 1_000) assert.fail(`not ${status}: ${JSON.stringify(await this.status(id))}`);
      if (waitedMs > 10_000) await this.#hurrySpared(id);
      await sleep(50);
    }
  }

  async #hurrySpared(id: number): Promise<void> {
    await this.app.app.db.run(sql`
      with spared as (
        update delivery
        set next_at = now()
        where campaign_id = ${id} and state = ${states.later} and reason = 'spared' and next_at > now()
        returning seq
      )
      update chunk
      set due_at = now()
      where campaign_id = ${id} and state = 'waiting' and exists (select from spared where spared.seq = any (seqs))`);
  }

  /** Makes a campaign to these addresses and sets it going. */
  async send(emails: readonly string[], html?: string): Promise<number> {
    return this.sendTo(await listOf(this.app, emails), html);
  }

  /** Creates a campaign to all members of a list and starts it. */
  sendTo(list: string, html?: string): Promise<number> {
    return launchedTo(this.app, list, html);
  }

  async recipients(id: number): Promise<Recipient[]> {
    const rows = await this.app.app.db.rows<Omit<Recipient, 'state'> & { state: number }>(sql`
      select email, ${shownState} as state, attempts, resent, reply_code as code, reason, next_at as "nextAt"
      from delivery
      where campaign_id = ${id}
      order by seq`);
    const identity = await this.app.app.db.row<{ holds: boolean }>(sql`
      select coalesce(sum(recipients), 0) = ${rows.length} as holds from tally where campaign_id = ${id}`);
    assert.ok(identity!.holds, 'the tally holds as many recipients as there are');
    return rows.map((row) => ({ ...row, state: stateNames[row.state]! }));
  }

  async status(id: number): Promise<{ status: string; reason: string }> {
    const row = await this.app.app.db.row<{ status: string; reason: string }>(
      sql`select status, status_reason as reason from campaign where id = ${id}`,
    );
    return { status: row!.status, reason: renderPacked(row!.reason) };
  }

  /** Resolves with the recipients when all of them satisfy the check. */
  async until(id: number, check: (all: Recipient[]) => boolean, seconds = 60): Promise<Recipient[]> {
    const deadline = performance.now() + seconds * 1_000;
    for (;;) {
      const all = await this.recipients(id);
      if (check(all)) return all;
      if (performance.now() > deadline) {
        const open = all.filter((item) => item.state !== 'accepted').slice(0, 12);
        assert.fail(`not within ${seconds} s: ${all.length} recipients, not accepted ${JSON.stringify(open)}`);
      }
      await sleep(50);
    }
  }

  /** Nothing is queued or being tried any more. */
  settled(id: number, seconds?: number): Promise<Recipient[]> {
    return this.until(id, (all) => all.every((item) => item.state !== 'queued' && item.state !== 'trying'), seconds);
  }

  /** Makes what waits for another time due now. */
  async hurry(id: number): Promise<void> {
    await this.app.app.db.run(sql`update chunk set due_at = now() where campaign_id = ${id} and state = 'waiting'`);
  }

  async stop(): Promise<void> {
    const disturbed = await this.#disturbance?.stop().catch((error: Error) => error);
    await Promise.all(this.#workers.map((worker) => worker.stop()));
    await this.app.close();
    rmSync(this.#folder, { recursive: true });
    if (disturbed) throw disturbed;
  }
}

/** `count` addresses. */
export const people = (count: number, domain = 'good.example', name = 'ok'): string[] =>
  Array.from({ length: count }, (_, n) => `${name}.${n}@${domain}`);

export function countBy<T>(all: readonly T[], name: (one: T) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const one of all) counts[name(one)] = (counts[name(one)] ?? 0) + 1;
  return counts;
}
