// kill -9 of the dispatcher at any moment: nothing is lost, and nothing arrives under another id. KILLS says how often;
// `npm run test:kills` does it a hundred times.
import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { testApp } from '../../test/support/app.ts';
import { startReceiver, until } from '../../test/support/receiver.ts';
import { sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import { emit } from '../events/emit.ts';

const script = fileURLToPath(new URL('../../test/support/dispatcher-main.ts', import.meta.url));
const kills = Number(process.env.KILLS ?? 12);
const events = kills * 250;

test(`after ${kills} kills -9 of the dispatcher every event has arrived under the id it was stored with`, async () => {
  const t = await testApp({ OUTBOUND_ALLOW: '127.0.0.0/8' });
  const receiver = await startReceiver();
  const start = async (): Promise<ChildProcess> => {
    const child = fork(script, [t.app.db.url], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    await once(child, 'message');
    return child;
  };
  try {
    const wid = await t.call<string>('webhookCreate', { title: 'Killed', options: { url: receiver.url } });
    // Slow enough that the kills meet requests under way, and now and then refused.
    receiver.answer = (_request, response) =>
      void setTimeout(() => response.writeHead(receiver.posts.length % 7 === 0 ? 500 : 200).end(), 40);
    await t.app.db.transaction((tx) =>
      emit(
        tx,
        t.account.id,
        Array.from({ length: events }, (_, no) => ({ type: 'email.open', source: 'subscriber', data: { no } })),
      ),
    );
    const rows = await t.app.db.rows<{ event_id: string }>(sql`
      select event_id from webhook_event where account_id = ${t.account.id} and webhook_id = ${parseId(wid)}`);
    const waits = async () =>
      (await t.app.db.row<{ count: number }>(sql`
        select count(*) as count from webhook_event where webhook_id = ${parseId(wid)}`))!.count;
    for (let kill = 0; kill < kills; kill++) {
      const child = await start();
      const before = receiver.posts.length;
      await until('a request has come', async () => receiver.posts.length > before || (await waits()) === 0);
      await new Promise((resolve) => setTimeout(resolve, (kill * 17) % 50));
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    assert.ok((await waits()) > 0, 'the kills fell into the delivery');
    const last = await start();
    await until('everything has arrived', async () => (await waits()) === 0, 30_000 + events * 10);
    last.kill('SIGKILL');
    await once(last, 'exit');
    const stored = new Set(rows.map((row) => row.event_id));
    assert.equal(stored.size, events);
    assert.deepEqual(new Set(receiver.eventIds()), stored);
    assert.equal(receiver.mostAtOnce, 1);
    const attempts = await t.app.db.row<{ count: number; under_way: number }>(sql`
      select count(*) as count, count(*) filter (where outcome = 'under way') as under_way
      from webhook_attempt
      where webhook_id = ${parseId(wid)}`);
    assert.ok(attempts!.count >= receiver.posts.length, 'no request without a row');
    assert.equal(attempts!.under_way, 0);
  } finally {
    await receiver.close();
    t.app.outbound.close();
    await t.close();
  }
});
