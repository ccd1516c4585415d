// A campaign in the middle of sending, on servers of its own: they take no writes for 20 seconds, and a balancer leads to a standby
// that is promoted later. Nothing is lost, no recipient gets two copies, and sending continues without help.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { DatabaseProxy } from '../../../test/support/database/proxy.ts';
import { missingForReplicas, type Pair, ReplicatedCluster } from '../../../test/support/database/replicated.ts';
import { countBy, Engine, people } from '../../../test/support/delivery/engine.ts';
import { startSink } from '../../../test/support/smtp-sink/sink.ts';
import { createLog } from '../../base/log.ts';
import { migrateQueue } from '../../jobs/queue-schema.ts';
import { createIngest } from '../../tracking/ingest.ts';
import { sql } from '../connect.ts';
import { migrate } from '../migrate/migrate.ts';

const skip = missingForReplicas() ?? false;
const count = 2_500;

let cluster: ReplicatedCluster;
before(async () => {
  if (skip) return;
  cluster = await ReplicatedCluster.create(async (url) => {
    await migrate(url);
    await migrateQueue(url, createLog('silent', 'test'));
  });
});
after(() => cluster?.close());

async function alter(url: string, readOnly: 'on' | 'off'): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`alter system set default_transaction_read_only = ${readOnly}`);
  await client.query('select pg_reload_conf()');
  await client.end();
}

/** Sends a campaign of 2,500 at 100 a second, and lets `disturb` have its way after 300 of them. */
async function duringCampaign(disturb: (parts: { pair: Pair; proxy: DatabaseProxy; engine: Engine }) => Promise<void>) {
  const pair = await cluster.pair();
  const proxy = await DatabaseProxy.start(pair.url);
  const sink = await startSink();
  const relay = `smtp://127.0.0.1:${sink.port}?tls=none&connections=4&rate=100/s`;
  const engine = await Engine.start({ SMTP_URL: relay }, 2, 1, async () => proxy.url);
  try {
    const id = await engine.send(people(count));
    while (sink.counts.accepted < 300) await sleep(20);
    await disturb({ pair, proxy, engine });
    const all = await engine.until(id, (every) => every.every(({ state }) => state === 'accepted'), 120);
    assert.ok(
      all.every(({ resent }) => resent === 0),
      'no recipient was unclear',
    );
    const copies = countBy(sink.accepted(), (entry) => entry.to!);
    assert.deepEqual([Object.keys(copies).length, sink.counts.accepted], [count, count]);
    await engine.untilStatus(id, 'sent');
  } finally {
    await engine.stop();
    await proxy.close();
    await sink.close();
    await pair.close();
  }
}

test('a database that is read-only for 20 s delays a campaign, and opens of that time are counted', { skip }, () =>
  duringCampaign(async ({ pair, engine }) => {
    const { app, account } = engine.app;
    const sent = await app.db.row<{ campaign: number; seq: number }>(
      sql`select campaign_id as campaign, seq from delivery where state = 2 limit 1`,
    );
    await alter(pair.url, 'on');
    const taken = createIngest(app).take({
      account: account.id,
      ...sent!,
      kind: 'open',
      link: null,
      url: '',
      at: new Date(),
      ip: '192.0.2.1',
      userAgent: 'Mozilla/5.0',
      machine: null,
    });
    await sleep(20_000);
    await alter(pair.url, 'off');
    await taken;
    const opens = await app.db.row<{ opens: number }>(sql`select sum(opens)::int as opens from engagement`);
    assert.equal(opens?.opens, 1);
  }),
);

test('a balancer that leads to a standby before that is promoted delays a campaign', { skip }, () =>
  duringCampaign(async ({ pair, proxy }) => {
    proxy.goDown();
    await pair.killPrimary();
    proxy.leadTo(pair.replicaUrl);
    proxy.gone = false;
    await sleep(10_000);
    await pair.promote();
  }),
);
