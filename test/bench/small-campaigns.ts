// How soon many small campaigns begin that are due in the same minute: `npm run bench -- small-campaigns [campaigns] [recipients]
// [workers]`, by default 2,000 campaigns to 20 people each. The whole program over a real PostgreSQL to smtp-sink. Prints when all were
// launched, when each had sent its first message, and the CPU time that a campaign takes.
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { draft, fill, inDatabase } from '../support/bench/letter.ts';
import { installPostfix, startSink } from '../support/bench/postfix.ts';
import { cpuOf } from '../support/bench/processes.ts';
import { Installation } from '../support/installation/installation.ts';

const goalSeconds = 60;

const [campaigns = 2_000, recipients = 20, workers = 2] = process.argv.slice(2).map(Number);
installPostfix();
const sink = await startSink();
const installation = new Installation({
  SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none`,
  WORKERS: `${workers}`,
  API_RATE: '1000000',
});
try {
  await installation.start();
  await schedule();
  const before = cpuOf(installation);
  const times = await send();
  const after = cpuOf(installation);
  const each = (part: 'work' | 'postgres') => (((after[part] - before[part]) * 1e3) / campaigns).toFixed(1);
  console.log(
    `${campaigns} campaigns to ${recipients} people each, ${workers} workers\n` +
      `all launched after ${times.launched.toFixed(1)} s, first message of each after ${times.begun.toFixed(1)} s (goal ${goalSeconds}), ` +
      `the last message after ${times.ended.toFixed(1)} s\n` +
      `CPU of a campaign: workers ${each('work')} ms, PostgreSQL ${each('postgres')} ms`,
  );
} finally {
  await installation.remove();
  sink.stop();
}

/** Makes the campaigns, scheduled for tomorrow. */
async function schedule(): Promise<void> {
  const list = await installation.call<string>('listCreate', { title: 'Readers' });
  await fill(installation, list, recipients);
  const first = await draft(installation, list);
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 19).replace('T', ' ');
  let left = campaigns - 1;
  await installation.call('campaignSchedule', { cid: first, schedule_time: tomorrow });
  const makeSome = async () => {
    while (left-- > 0) {
      const cid = await installation.call<string>('campaignReplicate', { cid: first });
      await installation.call('campaignSchedule', { cid, schedule_time: tomorrow });
    }
  };
  await Promise.all([1, 2, 3, 4].map(makeSome));
}

/** Makes them due in a second. @returns seconds from then */
async function send(): Promise<{ launched: number; begun: number; ended: number }> {
  const seconds = { launched: 0, begun: 0, ended: 0 };
  await inDatabase(installation, async (client) => {
    const { rows } = await client.query<{ due: Date }>(
      `with due as (select now() + interval '1 second' as at)
       update campaign set schedule_at = date_trunc('second', at) from due where status = 'scheduled' returning schedule_at as due`,
    );
    const due = rows[0]!.due;
    const value = async (what: string) => (await one(client, `select ${what}::float8 as value`, [due])) ?? 0;
    const since = (time: string) => `extract(epoch from ${time} - $1::timestamptz)`;
    for (;;) {
      const left = await one(client, `select count(*)::int as value from campaign where status <> 'sent'`);
      if (left === 0) break;
      await sleep(200);
    }
    seconds.launched = await value(`(select ${since('max(send_at)')} from campaign)`);
    seconds.begun = await value(
      `(select ${since('max(at)')} from (select min(done_at) as at from delivery group by campaign_id) as first)`,
    );
    seconds.ended = await value(`(select ${since('max(done_at)')} from delivery)`);
  });
  return seconds;
}

async function one(client: pg.Client, text: string, values: Date[] = []): Promise<number | undefined> {
  const { rows } = await client.query<{ value: number }>(text, values);
  return rows[0]?.value;
}
