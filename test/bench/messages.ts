// Single messages beside a large campaign: `npm run bench -- messages [recipients of the campaign] [messages]`.
// The time from the call of messageSend to the relay's 250, first on the idle program, then while the campaign is being
// sent; real PostgreSQL, two workers, one SMTP sink for both. Prints p50, p95 and the highest, and the campaign's rate.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { readEmbeddedUrl } from '../../src/db/embedded/embedded.ts';
import { parseId } from '../../src/db/ids.ts';
import { Installation } from '../support/installation/installation.ts';
import { startSinkProcess } from '../support/smtp-sink/process.ts';

/** A minute has 300 calls for a key. */
const everyMs = 250;

const recipients = Number(process.argv[2] ?? 100_000);
const messages = Number(process.argv[3] ?? 100);

const sink = await startSinkProcess();
const installation = new Installation({ SMTP_URL: sink.url, CHROMIUM_PATH: 'none' });
try {
  await installation.start();
  const idle = await measured('idle');
  const list = await installation.call<string>('listCreate', { title: 'Everybody' });
  await fill(list);
  const cid = await installation.draft(list);
  await installation.call('campaignSendNow', { cid });
  await installation.until('the campaign is being sent', async () => (await progress(cid)).accepted > 0);
  const before = await progress(cid);
  const startedAt = performance.now();
  const beside = await measured('beside');
  const after = await progress(cid);
  const rate = ((after.accepted - before.accepted) * 1_000) / (performance.now() - startedAt);
  console.log(
    [
      `${messages} messages, one every ${everyMs} ms; campaign to ${recipients}`,
      `idle                 ${idle}`,
      `beside the campaign  ${beside}`,
      `campaign             ${rate.toFixed(0)} messages/s meanwhile, ${after.delivery_status} at the end`,
    ].join('\n'),
  );
} finally {
  await installation.remove();
  await sink.close();
}

type Progress = { accepted: number; delivery_status: string };

function progress(cid: string): Promise<Progress> {
  return installation.call('campaignProgress', { cid });
}

/** Sends the messages and returns the times from the calls to the relay's replies, as text. */
async function measured(name: string): Promise<string> {
  const calledAt = new Map<string, number>();
  const calls: Promise<unknown>[] = [];
  for (let n = 0; n < messages; n++) {
    const to = `${name}.${n}@example.com`;
    calledAt.set(to, Date.now());
    calls.push(installation.call('messageSend', { to, subject: `Message ${n}`, html: '<p>Hello</p>' }));
    await sleep(everyMs);
  }
  await Promise.all(calls);
  await installation.until(
    'all messages are accepted',
    async () => [...calledAt.keys()].every((to) => sink.accepted().has(to)),
    120,
    500,
  );
  const times = sink
    .entries()
    .filter(({ event, to }) => event === 'accepted' && calledAt.has(to!))
    .map(({ atMs, to }) => atMs - calledAt.get(to!)!)
    .toSorted((a, b) => a - b);
  const at = (share: number) => `${times[Math.min(times.length - 1, Math.floor(times.length * share))]!.toFixed(0)} ms`;
  return `p50 ${at(0.5)}, p95 ${at(0.95)}, highest ${at(1)}`;
}

/** Subscribed members straight into the tables: importing is measured elsewhere. */
async function fill(list: string): Promise<void> {
  const client = new pg.Client({ connectionString: readEmbeddedUrl(installation.dataDir) });
  await client.connect();
  try {
    await client.query(
      `with made as (
         insert into contact (account_id, email, email_key, domain)
         select l.account_id, address, address, split_part(address, '@', 2)
         from list l, generate_series(1, $2::int) n, lateral (select format('reader.%s@mailbox%s.example', n, n % 300)) a(address)
         where l.id = $1
         returning account_id, id
       )
       insert into subscription (account_id, list_id, contact_id, status, fields, optin_at)
       select account_id, $1, id, 'subscribed', jsonb_build_object('FNAME', 'Ada'), now()
       from made`,
      [parseId(list), recipients],
    );
    await client.query('analyze contact');
    await client.query('analyze subscription');
  } finally {
    await client.end();
  }
}
