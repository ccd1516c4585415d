// How many events a second one dispatcher brings to a receiver that answers at once, alone and beside receivers that
// never answer. Run: node test/bench/webhooks.ts [events, 20000]. Prints one line of JSON; asserts nothing.
import { sql } from '../../src/db/connect.ts';
import { parseId } from '../../src/db/ids.ts';
import { emit } from '../../src/events/emit.ts';
import { startDispatcher } from '../../src/webhooks/dispatch.ts';
import { testApp } from '../support/app.ts';
import { startHostileHttp } from '../support/hostile-http.ts';
import { startReceiver, until } from '../support/receiver.ts';

const count = Number(process.argv[2] ?? 20_000);
const t = await testApp({ OUTBOUND_ALLOW: '127.0.0.0/8' });
const receiver = await startReceiver();
const hostile = await startHostileHttp();
const create = (url: string) =>
  t.call<string>('webhookCreate', {
    title: 'Bench',
    options: { url: receiver.url, secret_key: 'correct horse', events: [url === '' ? 'email.open' : 'email.click'] },
  });

async function measure(): Promise<number> {
  const wid = await create('');
  for (let i = 0; i < count / 1_000; i++)
    await t.app.db.transaction((tx) =>
      emit(
        tx,
        t.account.id,
        Array.from({ length: 1_000 }, (_, no) => ({
          type: 'email.open',
          source: 'subscriber',
          data: { campaign: 'a0b1c2d3', list: 'b1d2e3f4', contact: 'c0a1b2c3', email: `contact${no}@example.com` },
        })),
      ),
    );
  const startedAt = performance.now();
  const dispatcher = startDispatcher(t.app);
  const waits = async () => {
    const row = await t.app.db.row(sql`select 1 from webhook_event where webhook_id = ${parseId(wid)} limit 1`);
    return row !== undefined;
  };
  await until('all have arrived', async () => !(await waits()), 120_000);
  const seconds = (performance.now() - startedAt) / 1000;
  await dispatcher.stop();
  await t.call('webhookDelete', { wid });
  return Math.round(count / seconds);
}

try {
  await measure();
  const alone = await measure();
  for (const behaviour of ['never', 'drip-head', 'drip-body']) {
    const wid = await create(behaviour);
    await t.app.db.run(sql`update webhook set url = ${hostile.url(behaviour)} where id = ${parseId(wid)}`);
  }
  await t.app.db.transaction((tx) => emit(tx, t.account.id, [{ type: 'email.click', source: 'subscriber', data: {} }]));
  const besideMute = await measure();
  console.log(JSON.stringify({ events: count, eventsPerS: alone, besideDeadReceivers: besideMute }));
} finally {
  await hostile.close();
  await receiver.close();
  t.app.outbound.close();
  await t.close();
}
