// How many events per second one dispatcher delivers to a receiver that answers at once, alone and next to receivers
// that are dead (no listener), silent, or slow, each with its own backlog. The two are measured in turn, so that other
// load affects both. Run: npm run bench -- webhooks [events per round, 20000] [rounds, 3]. Prints one line of JSON;
// exits with 1 when the goals (5,000 events/s, at most 20 % lost to the others) are missed.

import { readFileSync } from 'node:fs';
import { freePort } from '../../src/base/free-port.ts';
import { sql } from '../../src/db/connect.ts';
import { parseId } from '../../src/db/ids.ts';
import { emit } from '../../src/events/emit.ts';
import { startDispatcher } from '../../src/webhooks/dispatch.ts';
import { madeUpEvent } from '../support/builders/events.ts';
import { testApp } from '../support/installation/app.ts';
import { startHostileHttp } from '../support/network/hostile-http.ts';
import { startReceiver } from '../support/network/receiver.ts';
import { until } from '../support/run/until.ts';

const count = Number(process.argv[2] ?? 20_000);
const turns = Number(process.argv[3] ?? 3);
const t = await testApp({ OUTBOUND_ALLOW: '127.0.0.0/8' });
const receiver = await startReceiver();
// Only the bytes are taken: what the receiver does with them is not what is measured.
receiver.answer = (_request, response) => {
  receiver.posts.length = 0;
  response.end();
};
const hostile = await startHostileHttp();
const create = (event: string) =>
  t.call<string>('webhookCreate', {
    title: 'Bench',
    options: { url: receiver.url, secret_key: 'correct horse', events: [event] },
  });
const give = async (type: 'email.open' | 'email.click', events: number) => {
  for (let from = 0; from < events; from += 1_000)
    await t.app.db.transaction((tx) =>
      emit(
        tx,
        t.account.id,
        Array.from({ length: Math.min(1_000, events - from) }, (_, no) =>
          madeUpEvent(type, {
            campaign: 'a0b1c2d3',
            list: 'b1d2e3f4',
            contact: 'c0a1b2c3',
            email: `contact${no}@example.com`,
            ip: '192.0.2.7',
            user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
            ts: '2026-01-15 09:30:00',
          }),
        ),
      ),
    );
};

/** Microseconds of CPU of this process, and of the sessions that the database has for it. */
type Turn = { eventsPerS: number; cpuUsPerEvent: number; databaseUsPerEvent: number };

/** Seconds of CPU, user and system, of the database's sessions, by process. */
async function databaseSeconds(): Promise<Map<number, number>> {
  const rows = await t.app.db.rows<{ pid: number }>(sql`
    select pid from pg_stat_activity where datname = current_database()`);
  // proc(5): utime and stime, in hundredths of a second.
  const used = (pid: number) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  };
  return new Map(rows.map(({ pid }) => [pid, used(pid)]));
}

async function measure(wid: string): Promise<Turn> {
  await give('email.open', count);
  const before = await databaseSeconds();
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  const dispatcher = startDispatcher(t.app);
  await until(
    'all have arrived',
    async () => !(await t.app.db.row(sql`select 1 from webhook_event where webhook_id = ${parseId(wid)} limit 1`)),
    240_000,
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  let databaseS = 0;
  for (const [pid, used] of await databaseSeconds()) databaseS += used - (before.get(pid) ?? 0);
  await dispatcher.stop();
  return {
    eventsPerS: Math.round(count / seconds),
    cpuUsPerEvent: Math.round((user + system) / count),
    databaseUsPerEvent: Math.round((databaseS * 1e6) / count),
  };
}

const median = (all: number[]) => all.sort((a, b) => a - b)[Math.floor(all.length / 2)]!;

try {
  const wid = await create('email.open');
  const dead = `http://127.0.0.1:${await freePort()}/hook`;
  const addresses = [dead, hostile.url('never'), hostile.url('drip-head'), hostile.url('drip-body')];
  const slow: string[] = [];
  for (const url of addresses) {
    const id = await create('email.click');
    await t.app.db.run(sql`update webhook set url = ${url} where id = ${parseId(id)}`);
    slow.push(id);
  }
  await give('email.click', 2_000);
  const ids = slow.map(parseId);
  await t.app.db.run(sql`update webhook set status = 'paused' where id = any (${ids}::int[])`);
  await measure(wid);
  const alone: Turn[] = [];
  const beside: Turn[] = [];
  for (let turn = 0; turn < turns; turn++) {
    alone.push(await measure(wid));
    await t.app.db.run(sql`update webhook set status = 'active', failing_since = null where id = any (${ids}::int[])`);
    await t.app.db.run(sql`
      update webhook_delivery
      set failures = 0, next_at = now()
      where webhook_id = any (${ids}::int[])`);
    beside.push(await measure(wid));
    await t.app.db.run(sql`update webhook set status = 'paused' where id = any (${ids}::int[])`);
  }
  const ratio = median(beside.map((run, i) => run.eventsPerS / alone[i]!.eventsPerS));
  const eventsPerS = median(alone.map((run) => run.eventsPerS));
  const met = eventsPerS >= 5_000 && ratio >= 0.8;
  console.log(
    JSON.stringify({
      events: count,
      eventsPerS,
      besideSlowOnes: median(beside.map((run) => run.eventsPerS)),
      ratio: Number(ratio.toFixed(3)),
      cpuUsPerEvent: median(alone.map((run) => run.cpuUsPerEvent)),
      databaseUsPerEvent: median(alone.map((run) => run.databaseUsPerEvent)),
      cpuUsPerEventBeside: median(beside.map((run) => run.cpuUsPerEvent)),
      databaseUsPerEventBeside: median(beside.map((run) => run.databaseUsPerEvent)),
      requestsToSlowOnes: hostile.requests.length,
      met,
    }),
  );
  process.exitCode = met ? 0 : 1;
} finally {
  await hostile.close();
  await receiver.close();
  t.app.outbound.close();
  await t.close();
}
