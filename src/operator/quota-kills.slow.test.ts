// A campaign larger than the monthly quota, sent by worker processes that are killed at random: never over the quota, which is used to
// the last email, and no one is lost when it is raised. TEST_CONTACTS and TEST_KILLS change the size.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { launchedTo, listOf } from '../../test/support/builders/campaigns.ts';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { type Program, startProgram } from '../../test/support/installation/program.ts';
import { diceOf } from '../../test/support/judges/dice.ts';
import { type Sink, startSink } from '../../test/support/smtp-sink/sink.ts';
import { sentThisMonth } from '../accounts/account/monthly-quota.ts';
import { sql } from '../db/connect.ts';
import { formatId } from '../db/ids.ts';

const contacts = Number(process.env['TEST_CONTACTS'] ?? 3_000);
const kills = Number(process.env['TEST_KILLS'] ?? 12);
const quota = Math.floor(contacts * 0.6) + 7;
const limitMs = 8 * 60_000;

let app: TestApp;
let sink: Sink;
let folder: string;
before(async () => {
  sink = await startSink({ hash: false });
  app = await testApp();
  folder = mkdtempSync(join(tmpdir(), 'quota-'));
});
after(async () => {
  await app.close();
  await sink.close();
  rmSync(folder, { recursive: true, force: true });
});

const worker = (): Program =>
  startProgram(['work'], {
    DATABASE_URL: app.app.db.url,
    DATA_DIR: folder,
    LOG_LEVEL: 'error',
    SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none&rate=250/s`,
  });
const setQuota = (monthly_quota: number) =>
  app.call('accountLimitsUpdate', { account: formatId(app.account.id), monthly_quota });

test(`a quota of ${quota} holds for ${contacts} recipients over ${kills} kills`, async (t) => {
  await setQuota(quota);
  const emails = Array.from({ length: contacts }, (_, n) => `r${n}@quota.example`);
  const campaign = await launchedTo(app, await listOf(app, emails));
  const counts = async () =>
    (await app.app.db.row<{ used: number; begun: number; accepted: number; trying: number }>(sql`
      select ${sentThisMonth(sql`a`)} as used, (
          select count(*)::int from delivery where campaign_id = ${campaign} and attempts > 0
        ) + (
          select coalesce(sum(upper(r) - lower(r)), 0)::int
          from chunk k, unnest(k.marked) as r
          where k.campaign_id = ${campaign}
        ) as begun,
        (select count(*)::int from delivery where campaign_id = ${campaign} and state = 2) as accepted,
        (select coalesce(sum(trying), 0)::int from tally where campaign_id = ${campaign}) as trying
      from account a
      where a.id = ${app.account.id}`))!;
  const people = () => new Set(sink.accepted().map(({ to }) => to)).size;
  const dice = diceOf(7);
  const running = [worker(), worker()];
  const startedAt = performance.now();
  let killed = 0;
  let most = 0;
  let looks = 0;
  const look = async () => {
    const now = await counts();
    most = Math.max(most, now.used, people());
    looks += 1;
    assert.equal(now.used, now.begun, 'the count is that of the ledger at every moment');
    assert.ok(now.used <= quota && people() <= quota, `${now.used} counted, ${people()} reached`);
    assert.ok(performance.now() - startedAt < limitMs, `in time: ${JSON.stringify(now)}, ${killed} kills`);
    return now;
  };
  try {
    for (let now = await look(); now.used < quota || now.trying > 0 || killed < kills; now = await look()) {
      await sleep(50 + dice.below(250));
      if (killed >= kills || now.accepted === 0) continue;
      const at = dice.below(running.length);
      running[at]!.kill('SIGKILL');
      await running[at]!.ended;
      running[at] = worker();
      killed += 1;
    }
    const atQuota = { ...(await counts()), people: people() };
    assert.equal(atQuota.used, quota, 'the quota is used to the last email');
    await setQuota(0);
    await (async () => {
      while ((await counts()).accepted < contacts) {
        assert.ok(performance.now() - startedAt < limitMs, JSON.stringify(await counts()));
        await app.app.db.run(sql`update chunk set due_at = now() where state = 'waiting' and due_at > now()`);
        await sleep(250);
      }
    })();
    const resent = await app.app.db.row<{ count: number }>(sql`
      select coalesce(sum(resent), 0)::int as count from delivery where campaign_id = ${campaign}`);
    const copies = sink.accepted().length - people();
    assert.equal(people(), contacts, 'no one is lost');
    assert.ok(copies <= resent!.count, `${copies} copies, ${resent!.count} marked`);
    assert.equal((await counts()).used, contacts);
    t.diagnostic(
      `${contacts} recipients, quota ${quota}, ${killed} kills, ${looks} looks: at most ${most}; ${atQuota.people} people reached at the quota; then all, ${copies} marked copies`,
    );
  } finally {
    for (const program of running) program.kill('SIGKILL');
    await Promise.all(running.map(({ ended }) => ended));
  }
});
