// The cost of calls over HTTP and XML-RPC, with server, database and client on one machine: campaigns() of 1,000 out of
// 100,000, campaignCreate with 200 kB, and small calls per second. `--check` fails above 60 ms, above 15 ms, below
// 2,000/s.

import http from 'node:http';
import { encodeCall } from '../support/builders/xmlrpc-client.ts';
import { testApp } from '../support/installation/app.ts';

const campaigns = 100_000;

const app = await testApp({ API_RATE: '1000000', API_PARALLEL: '10000' });
const base = await app.listen();
const agent = new http.Agent({ keepAlive: true, maxSockets: 16 });
const list = await app.call<string>('listCreate', { title: 'Readers' });

// HTML of 4 kB that does not compress, as it would be after TOAST; a fifth of the campaigns have been sent.
await app.app.db.pool.query(`
  set statement_timeout = 0;
  with made as (
    insert into campaign (account_id, type, status, title, subject, from_name, reply_to, html, plain, created_at, send_at)
    select ${app.account.id}, 'html', case when n % 5 = 0 then 'sent' else 'draft' end, 'Campaign ' || n, 'Subject ' || n, 'The editors',
      'editors@example.com', (select string_agg(md5((n * 1000 + k)::text), '') from generate_series(1, 128) k), 'Text ' || n,
      now() - make_interval(mins => n), case when n % 5 = 0 then now() - make_interval(mins => n) end
    from generate_series(1, ${campaigns}) n
    returning account_id, id, status
  ), listed as (
    insert into campaign_list (account_id, campaign_id, list_id)
    select m.account_id, m.id, l.id from made m, list l
  )
  insert into tally (account_id, campaign_id, shard, recipients, accepted)
  select account_id, id, shard, 10, 10 from made, generate_series(0, 3) shard where status = 'sent'`);
await app.app.db.pool.query('vacuum analyze');

const newest = await medianMs(15, () => post('campaigns', { limit: 1_000 }));
const deep = await medianMs(15, () => post('campaigns', { limit: 1_000, start: 50 }));
const filtered = await medianMs(15, () => post('campaigns', { limit: 1_000, filters: { status: 'sent' } }));
const html = `<p>${'Lorem ipsum dolor sit amet, *|FNAME|* consetetur. '.repeat(4_000)}</p>`;
const options = {
  list_id: list,
  subject: 'News',
  from_email: 'a@example.com',
  from_name: 'A',
};
const create = await medianMs(40, () =>
  post('campaignCreate', { type: 'HTML', options, content: { html, plain: 'Hello' } }),
);
const generated = await medianMs(15, () =>
  post('campaignCreate', { type: 'HTML', options: { ...options, generate_text: true }, content: { html } }),
);
const pings = await aSecond(() => post('ping', {}));
const small = await aSecond(() => post('campaigns', { limit: 1 }));

const figures = {
  campaigns_1000_newest_ms: newest,
  campaigns_1000_page_50_ms: deep,
  campaigns_1000_sent_ms: filtered,
  create_200kb_ms: create,
  create_200kb_generate_text_ms: generated,
  ping_per_s: pings,
  campaigns_1_per_s: small,
};
console.log(JSON.stringify(figures, null, 2));
agent.destroy();
await app.close();
if (process.argv.includes('--check') && (newest > 60 || create > 15 || pings < 2_000)) {
  console.error('A figure is out of its bounds.');
  process.exitCode = 1;
}

async function post(method: string, params: Record<string, unknown>): Promise<string> {
  const body = encodeCall(method, [{ apikey: app.key, ...params }]);
  return new Promise((resolve, reject) => {
    const request = http.request(
      base,
      { method: 'POST', agent, headers: { 'content-type': 'text/xml' } },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part) => parts.push(part));
        response.on('end', () => {
          const text = Buffer.concat(parts).toString();
          text.includes('<fault>') ? reject(new Error(text.slice(0, 500))) : resolve(text);
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

async function medianMs(times: number, act: () => Promise<unknown>): Promise<number> {
  const took: number[] = [];
  for (let i = 0; i < times; i++) {
    const start = performance.now();
    await act();
    took.push(performance.now() - start);
  }
  took.sort((a, b) => a - b);
  return Math.round(took[times >> 1]! * 10) / 10;
}

/** How many a second, 16 at once, over three seconds. */
async function aSecond(act: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  let count = 0;
  const one = async () => {
    while (performance.now() - start < 3_000) {
      await act();
      count++;
    }
  };
  await Promise.all(Array.from({ length: 16 }, one));
  return Math.round(count / ((performance.now() - start) / 1000));
}
