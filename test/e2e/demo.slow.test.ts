// `postrider demo` in a running installation: filled within a minute, once only, with a campaign in progress.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { Installation } from '../support/installation/installation.ts';
import { bareEnvironment } from '../support/installation/service.ts';

const installation = new Installation();
before(() => installation.start());
after(() => installation.remove());

const run = async (...words: string[]) =>
  promisify(execFile)(process.execPath, [join(import.meta.dirname, '../../src/main.ts'), ...words], {
    env: { ...bareEnvironment, DATA_DIR: installation.dataDir, LOG_LEVEL: 'warn' },
  });
const ask = async <T>(method: string, params: object = {}) =>
  JSON.parse((await run('call', method, JSON.stringify(params), '--account', 'demo@example.com')).stdout) as T;

test('it creates everything within a minute, prints a working login, and refuses to run twice', async (t) => {
  const startedAt = performance.now();
  const { stdout } = await run('demo');
  const seconds = (performance.now() - startedAt) / 1_000;
  t.diagnostic(`it took ${seconds.toFixed(1)} s`);
  // A minute on a machine that does nothing else; tests run beside others.
  assert.ok(seconds < 180, `it took ${seconds} s`);
  const password = /password (\S+)/.exec(stdout)![1]!;
  const signedIn = await fetch(`${installation.base}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'demo@example.com', password }),
  });
  assert.equal(signedIn.status, 200);

  const campaigns =
    await ask<{ id: string; delivery_status: string; type: string; emails_sent: number }[]>('campaigns');
  const sent = campaigns.filter((campaign) => campaign.delivery_status === 'sent');
  assert.equal(sent.length, 8);
  assert.equal(campaigns.filter((campaign) => campaign.delivery_status === 'scheduled').length, 1);
  assert.equal(campaigns.filter((campaign) => campaign.type === 'auto').length, 3);
  await installation.until('contacts are in the automation', async () => {
    const { data } = await ask<{ data: { status: string; figures: { waiting: number } }[] }>('automations');
    return data.length === 1 && data[0]!.status === 'active' && data[0]!.figures.waiting > 20;
  });
  const lists = await ask<{ member_count: number }[]>('lists');
  assert.equal(lists.length, 3);
  assert.ok(lists.reduce((sum, list) => sum + list.member_count, 0) > 3_000);

  // The sums agree with the rows they stand for.
  for (const { id } of sent.slice(0, 2)) {
    const stats = await ask<Record<string, number>>('campaignStats', { cid: id });
    assert.ok(stats.unique_opens! > stats.users_who_clicked! && stats.users_who_clicked! > 10);
    for (const name of ['hard_bounces', 'unsubscribes', 'machine_opens'])
      assert.ok(stats[name]! > 0, `${name} of ${id}: ${JSON.stringify(stats)}`);
    const { total } = await ask<{ total: number }>('campaignOpened', { cid: id, limit: 1 });
    assert.equal(total, stats.unique_opens);
    const recipients = await ask<{ total: number }>('campaignRecipients', { cid: id, filter: 'accepted', limit: 1 });
    assert.equal(recipients.total, stats.emails_sent);
  }
  const home = await ask<{ results: unknown[]; growth: unknown[] }>('homeSummary');
  assert.equal(home.results.length, 5);
  assert.ok(home.growth.length >= 10);

  const cid = /campaigns\/([a-f0-9]{8})/.exec(stdout)![1]!;
  await installation.until('part of the running campaign has arrived', async () => {
    const progress = await ask<{ accepted: number; delivery_status: string }>('campaignProgress', { cid });
    return progress.accepted > 3 && progress.delivery_status === 'sending';
  });
  await assert.rejects(run('demo'), /The demo account already exists/);
});
