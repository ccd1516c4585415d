// Forty accounts send a campaign each at the same moment, each with a quota of its own: no account is over, and none is starved. Prints the
// waits: from the common start to the first and to the last email of each account.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launchedTo, listOf } from '../../test/support/builders/campaigns.ts';
import { Stage } from '../../test/support/delivery/stage.ts';
import { until } from '../../test/support/run/until.ts';
import { sentThisMonth } from '../accounts/account/monthly-quota.ts';
import { sql } from '../db/connect.ts';
import { formatId } from '../db/ids.ts';

const accounts = Number(process.env['TEST_ACCOUNTS'] ?? 40);
const recipients = Number(process.env['TEST_CONTACTS'] ?? 200);

let stage: Stage;
before(async () => {
  stage = await Stage.start({ workers: 2, relay: 'tls=none&connections=8&rate=400/s', sink: { hash: false } });
});
after(() => stage.stop());

test(`${accounts} accounts send at once: none over the quota, none starved`, async (t) => {
  const app = stage.engine.app;
  // A third of them reach the quota: 60, 80 and 100 % of what they send.
  const clients: { id: number; quota: number; domain: string; campaign: number }[] = [];
  await stage.db.run(
    sql`insert into heartbeat (instance, place, held) values ('test', 'test', 'test') on conflict (single) do update set held = 'test'`,
  );
  for (let n = 0; n < accounts; n++) {
    const client = await app.anotherAccount('pro');
    const quota = [0.6, 0.8, 1][n % 3]! * recipients;
    await app.call('accountLimitsUpdate', { account: formatId(client.account.id), monthly_quota: quota });
    const domain = `client${n}.example`;
    const emails = Array.from({ length: recipients }, (_, r) => `r${r}@${domain}`);
    const own = { app: app.app, ...client };
    clients.push({ id: client.account.id, quota, domain, campaign: await launchedTo(own, await listOf(own, emails)) });
  }
  const total = clients.reduce((sum, { quota }) => sum + quota, 0);
  const startedAt = Date.now();
  await stage.db.run(sql`update heartbeat set held = ''`);
  let over = 0;
  const used = async () => {
    const rows = await stage.db.rows<{ id: number; used: number; quota: number }>(sql`
      select a.id, ${sentThisMonth(sql`a`)} as used, a.monthly_quota as quota from account a where a.monthly_quota is not null`);
    over += rows.filter((row) => row.used > row.quota).length;
    return rows.reduce((sum, row) => sum + row.used, 0);
  };
  await until('all quotas are used', async () => (await used()) === total, 240_000);
  await until(
    'all outcomes are written',
    async () => {
      const row = await stage.db.row<{ accepted: number }>(
        sql`select coalesce(sum(accepted), 0)::int as accepted from tally`,
      );
      return row!.accepted === total;
    },
    60_000,
  );
  const reached = Map.groupBy(stage.sink.accepted(), ({ to }) => to!.split('@')[1]!);
  const times = clients.map(({ domain, quota }) => {
    const entries = reached.get(domain) ?? [];
    assert.equal(new Set(entries.map(({ to }) => to)).size, quota, `${domain}: not one more or less than its quota`);
    const at = entries.map((entry) => entry.atMs - startedAt).toSorted((a, b) => a - b);
    return { first: at[0]!, last: at.at(-1)! };
  });
  const mean = (of: (one: (typeof times)[number]) => number) =>
    times.reduce((sum, one) => sum + of(one), 0) / times.length;
  const worst = (of: (one: (typeof times)[number]) => number) => Math.max(...times.map(of));
  const first = { mean: mean((one) => one.first), worst: worst((one) => one.first) };
  const last = { mean: mean((one) => one.last), worst: worst((one) => one.last) };
  t.diagnostic(
    `${accounts} accounts × ${recipients} recipients, ${total} within the quotas; over the quota at any look: ${over}. ` +
      `First email after ${Math.round(first.mean)} ms on average, ${Math.round(first.worst)} ms at worst; ` +
      `last after ${Math.round(last.mean)} ms on average, ${Math.round(last.worst)} ms at worst`,
  );
  assert.equal(over, 0);
  assert.ok(first.worst < 3 * first.mean + 1_000, 'no account begins much later than the others');
  assert.ok(last.worst < 2 * last.mean, 'no account ends much later than the others');
  await stage.db.run(sql`update account set monthly_quota = null`);
  for (const { campaign } of clients) await stage.engine.untilStatus(campaign, 'sent', 120);
});
