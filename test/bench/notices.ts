// How much a campaign slows down while services report 1,000 notices a second, one a request, over the whole program. The
// notices are about the messages of an earlier campaign, so each of them has all its effects: half are hard bounces, some
// complaints. Campaigns alone and with notices take turns, so that other load affects both. The first turn is not counted: the
// cold start would slow down the first campaign alone, which flatters the ratio.
// Run: npm run bench -- notices [notices a second, 1000] [recipients, 20000] [relay's messages a second, 0: no limit]
// Prints one line of JSON.
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../src/db/connect.ts';
import { readEmbeddedUrl } from '../../src/db/embedded/embedded.ts';
import { parseId } from '../../src/db/ids.ts';
import { messageIdOf } from '../../src/delivery/message/header.ts';
import { tokensOf } from '../../src/tracking/token-secret.ts';
import { appOn } from '../support/installation/app.ts';
import { Installation } from '../support/installation/installation.ts';
import { startSinkProcess } from '../support/smtp-sink/process.ts';

const perSecond = Number(process.argv[2] ?? 1_000);
const recipients = Number(process.argv[3] ?? 20_000);
const relayRate = Number(process.argv[4] ?? 0);
/** The first one warms up. */
const turns = 3;

const sink = await startSinkProcess({}, `tls=none&connections=4${relayRate > 0 ? `&rate=${relayRate}` : ''}`);
const installation = new Installation({ SMTP_URL: sink.url, WORKERS: '1', CHROMIUM_PATH: 'none' });
try {
  await installation.start();
  const app = await appOn(readEmbeddedUrl(installation.dataDir)!);
  const { url } = await installation.call<{ url: string }>('noticeSourceCreate', { service: 'generic' });
  // As many as are reported while the campaigns are sent, and some more.
  const reported = Math.round(perSecond * turns * (relayRate > 0 ? (1.2 * recipients) / relayRate : recipients / 400));
  const bodies = await notices(parseId(await sentBefore(reported))!);
  const alone: number[] = [];
  const beside: number[] = [];
  let posted = { count: 0, ms: [] as number[] };
  const share = Math.ceil(bodies.length / turns);
  for (let turn = 0; turn < turns; turn++) {
    const rateAlone = await rateOf(`alone ${turn}`);
    const stop = new AbortController();
    const posting = post(url, bodies.slice(turn * share, (turn + 1) * share), stop.signal);
    const rateBeside = await rateOf(`beside ${turn}`);
    stop.abort();
    const result = await posting;
    posted = { count: posted.count + result.count, ms: turn > 0 ? [...posted.ms, ...result.ms] : [] };
    if (turn === 0) continue;
    alone.push(rateAlone);
    beside.push(rateBeside);
  }
  const waitFrom = performance.now();
  for (;;) {
    const left = await app.db.row<{ count: number }>(sql`select count(*) as count from incoming_notice`);
    if (left!.count === 0) break;
    await sleep(50);
  }
  const backlogMs = performance.now() - waitFrom;
  const source = (await installation.call<{ matched: number; unknown: number }[]>('noticeSources'))[0];
  const counted = await app.db.row<{ count: number }>(sql`select count(*) as count from notice`);
  const ms = posted.ms.sort((left, right) => left - right);
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  console.log(
    JSON.stringify({
      recipients,
      relayRate,
      perSecondWanted: perSecond,
      posted: posted.count,
      matched: source!.matched,
      unknown: source!.unknown,
      recorded: counted!.count,
      p50Ms: Math.round(ms[Math.floor(ms.length / 2)] ?? 0),
      p99Ms: Math.round(ms[Math.floor(ms.length * 0.99)] ?? 0),
      backlogMs: Math.round(backlogMs),
      alone: alone.map(Math.round),
      beside: beside.map(Math.round),
      ratio: Number((mean(beside) / mean(alone)).toFixed(3)),
    }),
  );
  await app.db.close();

  /** Body of a request for each message of the campaign. */
  async function notices(campaignId: number): Promise<string[]> {
    const rows = await app.db.rows<{ account: number; seq: number; email: string }>(sql`
      select account_id as account, seq, email from delivery where campaign_id = ${campaignId} order by seq`);
    return rows.map(({ account, seq, email }, index) => {
      const ids = { account, campaign: campaignId, seq };
      const { message } = tokensOf(app).tokens({ ...ids, contact: 0, lists: [] });
      const message_id = messageIdOf(ids, seq, message, 'example.com');
      if (index % 20 === 0) return JSON.stringify({ type: 'complaint', email, message_id });
      const reply = index % 2 ? '550 5.1.1 User unknown' : '552 5.2.2 Mailbox full';
      return JSON.stringify({ type: 'bounce', email, message_id, reply });
    });
  }

  /** A campaign whose messages were accepted, without sending them. */
  async function sentBefore(count: number): Promise<string> {
    const cid = await campaign('reported', count);
    await app.db.run(sql`
      insert into delivery (account_id, campaign_id, seq, month, contact_id, list_id, email, domain, state, due_at, first_at, done_at)
      select c.account_id, ${parseId(cid)}, row_number() over (), (select month from campaign where id = ${parseId(cid)}), c.id, s.list_id, c.email, c.domain, 2, now(), now(), now()
      from contact c
      join subscription s on s.account_id = c.account_id and s.contact_id = c.id`);
    await app.db.run(sql`analyze delivery`);
    return cid;
  }

  async function campaign(name: string, count = recipients): Promise<string> {
    const list = await installation.call<string>('listCreate', { title: name });
    await app.db.run(sql`
      with made as (
        insert into contact (account_id, email, email_key, domain)
        select l.account_id, address, address, split_part(address, '@', 2)
        from list l
        cross join generate_series(1, ${count}::int) n
        cross join lateral (select format('%s.%s@mailbox%s.example', replace(${name}, ' ', '-'), n, n % 300)) a(address)
        where l.id = ${parseId(list)}
        returning account_id, id
      )
      insert into subscription (account_id, list_id, contact_id, status, fields, optin_at)
      select account_id, ${parseId(list)}, id, 'subscribed', '{}', now()
      from made`);
    return installation.call<string>('campaignCreate', {
      type: 'HTML',
      options: { list_id: list, subject: 'News', from_email: 'editors@example.com', from_name: 'The editors' },
      content: { html: `<p>${'Words. '.repeat(500)}</p><a href="*|UNSUB|*">Leave</a>`, plain: 'Words *|UNSUB|*' },
    });
  }

  /** Messages a second, from the first to the last. */
  async function rateOf(name: string): Promise<number> {
    const cid = await campaign(name);
    const { from, to } = await sent(cid);
    return (recipients * 1_000) / (to - from);
  }

  async function sent(cid: string): Promise<{ from: number; to: number }> {
    await installation.call('campaignSendNow', { cid });
    let from = 0;
    for (;;) {
      const { accepted } = await installation.call<{ accepted: number }>('campaignProgress', { cid });
      if (accepted > 0 && from === 0) from = performance.now();
      if (accepted === recipients) return { from, to: performance.now() };
      await sleep(100);
    }
  }

  /** Posts at the rate until all are sent or it is stopped. */
  async function post(
    to: string,
    all: readonly string[],
    signal: AbortSignal,
  ): Promise<{ count: number; ms: number[] }> {
    const agent = new Agent({ keepAlive: true, maxSockets: 50 });
    const ms: number[] = [];
    const startedAt = performance.now();
    const open: Promise<void>[] = [];
    let count = 0;
    while (count < all.length && !signal.aborted) {
      const due = Math.min(all.length, Math.floor(((performance.now() - startedAt) * perSecond) / 1_000));
      for (; count < due; count++) {
        const body = all[count]!;
        const at = performance.now();
        open.push(
          new Promise((resolve, reject) => {
            const sending = request(to, { method: 'POST', agent }, (response) => {
              response.resume().on('end', () => {
                if (response.statusCode !== 200) return reject(new Error(`answered ${response.statusCode}`));
                ms.push(performance.now() - at);
                resolve();
              });
            });
            sending.on('error', reject);
            sending.end(body);
          }),
        );
      }
      await sleep(10);
    }
    await Promise.all(open);
    agent.destroy();
    return { count, ms };
  }
} finally {
  await installation.remove();
  await sink.close();
}
