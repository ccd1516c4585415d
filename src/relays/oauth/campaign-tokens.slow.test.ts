// Access tokens that end in the middle of a campaign, and a provider that fails then: no recipient is lost, gets two messages, or needs a
// further attempt.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { launchedTo, listOf } from '../../../test/support/builders/campaigns.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { startTokenServer, type TokenServer, tokenClient } from '../../../test/support/network/token-server.ts';
import { until } from '../../../test/support/run/until.ts';
import { type Sink, startSink } from '../../../test/support/smtp-sink/sink.ts';
import { sql } from '../../db/connect.ts';
import { startWorker, type Worker } from '../../delivery/worker.ts';

const user = 'sender@sender.example';
let app: TestApp;
let folder: string;
let tokens: TokenServer;
let sink: Sink;
let worker: Worker | undefined;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tokens-'));
  tokens = await startTokenServer();
  const isValid = (token: string) => tokens.isValid(token);
  sink = await startSink({ auth: { user, password: '', required: true, mechanisms: ['XOAUTH2'], isValid } });
  app = await testApp({ DATA_DIR: folder, OUTBOUND_ALLOW: '127.0.0.1', INBOX_PORT: '9' });
});
afterEach(async () => {
  await worker?.stop();
  await app.app.db.run(sql`delete from relay`);
  Object.assign(tokens, { lifetimeS: 3_600, fail: undefined });
});
after(async () => {
  await app.close();
  await sink.close();
  await tokens.close();
  rmSync(folder, { recursive: true });
});

const relay = (more: Record<string, unknown>) =>
  app.call<string>('relayCreate', {
    host: '127.0.0.1',
    port: sink.port,
    tls: 'none',
    username: user,
    auth: 'oauth',
    oauth: { ...tokenClient, token_url: tokens.tokenUrl, refresh_token: tokens.refreshToken() },
    ...more,
  });

let lists = 0;
async function beginCampaign(count: number): Promise<void> {
  lists += 1;
  const addresses = Array.from({ length: count }, (_, i) => `ok.${lists}.${i}@x.example`);
  await launchedTo(app, await listOf(app, addresses));
}
const accepted = (of: number) =>
  sink.log.filter(({ event, to }) => event === 'accepted' && to?.startsWith(`ok.${of}.`)).map(({ to }) => to!);

test('tokens of five seconds end in the middle of a campaign, and sessions with them: each recipient gets one message', async () => {
  tokens.lifetimeS = 5;
  await relay({ rate: 20, connections: 4 });
  worker = await startWorker(app.app, {});
  const before = tokens.issued.length;
  await beginCampaign(260);
  await until('all are accepted', async () => accepted(lists).length >= 260, 60_000);
  assert.equal(new Set(accepted(lists)).size, 260);
  assert.equal(accepted(lists).length, 260);
  assert.ok(tokens.issued.length - before >= 2, `${tokens.issued.length - before} renewals`);
  const row = await app.app.db.row<{ retried: number }>(sql`
    select count(*)::int as retried from delivery where attempts > 1`);
  assert.equal(row!.retried, 0);
});

test('the provider fails during a campaign: the relay rests with the reason, and no one is lost', async () => {
  tokens.lifetimeS = 2;
  await relay({ rate: 20, connections: 2 });
  worker = await startWorker(app.app, {});
  await beginCampaign(120);
  await until('it sends', async () => accepted(lists).length > 10);
  tokens.fail = { status: 503, body: '{"error":"temporarily_unavailable"}' };
  await until(
    'it rests',
    async () => /temporarily_unavailable/.test((await app.call<{ reason: string }[]>('relays'))[0]!.reason),
    20_000,
  );
  tokens.fail = undefined;
  const since = performance.now();
  await until('all are accepted', async () => accepted(lists).length >= 120, 60_000);
  assert.ok(performance.now() - since < 60_000);
  assert.equal(new Set(accepted(lists)).size, 120);
});
