// How many events a second are stored, and how fast segments ask for them: `npm run bench -- events [contacts] [events] [rounds]`.
// Batches of 100 events with data, value and id through the JSON door, eight at a time, beside the yardstick of the same run: bare
// inserts of the same rows and ids, 100 in a transaction. Then segments about events over a million contacts and ten million events,
// beside count(*) of the list, a bare read of all its members and, for each, of the events it is about. The whole program with its own
// PostgreSQL. On a machine that does other things too, the least of the rounds says more than the median: [median, least], in
// milliseconds. Prints one line of JSON.
import pg from 'pg';
import { readEmbeddedUrl } from '../../src/db/embedded/embedded.ts';
import { parseId } from '../../src/db/ids.ts';
import { Installation } from '../support/installation/installation.ts';

const contacts = Number(process.argv[2] ?? 1_000_000);
const events = Number(process.argv[3] ?? 10_000_000);
const inBatch = 100;
const atOnce = 8;
const batches = 300;
const rounds = Number(process.argv[4] ?? 5);

const installation = new Installation({ WORKERS: '1', API_RATE: '1000000', API_PARALLEL: '64' });
try {
  await installation.start();
  const client = new pg.Client({ connectionString: readEmbeddedUrl(installation.dataDir) });
  await client.connect();
  const list = await installation.call<string>('listCreate', { title: 'Everybody' });
  const account = await fill(parseId(list));

  const data = (n: number) => ({
    cart_url: `https://shop.example/cart/${n}`,
    items: [{ sku: `T-${n % 50}`, price: '59.90' }],
  });
  const send = (from: number) =>
    installation.call('eventSendBatch', {
      events: Array.from({ length: inBatch }, (_, i) => ({
        name: 'cart.abandoned',
        email_address: `reader.${1 + ((from + i) % contacts)}@mailbox.example`,
        id: String(from + i),
        value: 59.9,
        data: data(from + i),
      })),
    });
  for (let n = 0; n < 20; n++) await send(10_000_000 + n * inBatch);
  const perSecond = await rate(async (no) => void (await send(no * inBatch)));
  const bare = await Promise.all(Array.from({ length: atOnce }, () => connected()));
  const bareInserts = await rate(async (no, connection) => {
    const rows = Array.from({ length: inBatch }, (_, i) => ({
      contact: i + 1,
      at: new Date(),
      value: 59.9,
      data: data(i),
      digest: `00000000-0000-4000-8000-${String(no * inBatch + i).padStart(12, '0')}`,
    }));
    const text = JSON.stringify(rows);
    const own = bare[connection]!;
    await own.query('begin');
    await own.query(
      `insert into event_id (account_id, digest) select $1, digest from jsonb_to_recordset($2::jsonb) as e(digest uuid)`,
      [account, text],
    );
    await own.query(
      `insert into contact_event (account_id, contact_id, name_no, at, value, data)
       select $1, contact, 1, at, value, data
       from jsonb_to_recordset($2::jsonb) as e(contact int, at timestamptz, value numeric, data jsonb)`,
      [account, text],
    );
    await own.query('commit');
  });
  for (const own of bare) await own.end();

  await seed(account);
  const ofList = `from subscription where account_id = $1 and list_id = $2 and status = 'subscribed'`;
  const listMs = await times(() => client.query(`select count(*) ${ofList}`, [account, parseId(list)]));
  const membersMs = await times(() => client.query(`select count(contact_id) ${ofList}`, [account, parseId(list)]));
  const event = (value: string, more: object = {}, condition = 'is') => [{ field: 'event', condition, value, ...more }];
  const total = (value: string) => ({ where: [{ field: 'data.total', condition: 'greater', value }] });
  const segments: [string, object[]][] = [
    ['did within 30 days', event('order.placed', { days: 30 })],
    ['did not within 30 days', event('order.placed', { days: 30 }, 'not')],
    ['did at any time', event('order.placed')],
    ['twice within 90 days', event('order.placed', { days: 90, times: 2 })],
    ['with data within 30 days', event('order.placed', { days: 30, ...total('50') })],
    ['twice with data within 30 days', event('order.placed', { days: 30, times: 2, ...total('50') })],
    ['did the frequent one within 7 days', event('page.viewed', { days: 7 })],
    ['did not the frequent one within 30 days', event('page.viewed', { days: 30 }, 'not')],
  ];
  const results: Record<string, { members: number; ms: Times; events: number; eventsMs: Times }> = {};
  for (const [name, filter] of segments) {
    const asked = filter[0] as { value: string; days?: number; where?: unknown };
    let members = 0;
    const ms = await times(async () => {
      members = (await installation.call<{ count: number }>('segmentPreview', { list, match: 'all', filter })).count;
    });
    let events = 0;
    const eventsMs = await times(async () => {
      const { rows } = await client.query<{ count: number }>(
        `select count(${asked.where ? 'data' : '*'})::int as count
         from contact_event
         where account_id = $1
           and name_no = (select no from event_name where account_id = $1 and name = $2)
           and at > now() - make_interval(days => $3)`,
        [account, asked.value, asked.days ?? 36_500],
      );
      events = rows[0]!.count;
    });
    results[name] = { members, ms, events, eventsMs };
  }
  console.log(JSON.stringify({ contacts, events, perSecond, bareInserts, listMs, membersMs, results }));
  await client.end();

  async function fill(listId: number): Promise<number> {
    await client.query('begin');
    await client.query(`set local postrider.parents_held = 'yes'`);
    await client.query(
      `with made as (
         insert into contact (account_id, email, email_key, domain)
         select l.account_id, address, address, 'mailbox.example'
         from list l, generate_series(1, $2::int) n, lateral (select format('reader.%s@mailbox.example', n)) a(address)
         where l.id = $1
         returning account_id, id
       )
       insert into subscription (account_id, list_id, contact_id, status, signup_at, status_at)
       select account_id, $1, id, 'subscribed', at, at
       from made, lateral (select now() - make_interval(secs => id % 1000000) as at) as a`,
      [listId, contacts],
    );
    await client.query('commit');
    const { rows } = await client.query<{ account_id: number }>('select account_id from list where id = $1', [listId]);
    return rows[0]!.account_id;
  }

  /** Events of 90 days: eight in ten are views of pages, one in ten an order with a total. */
  async function seed(accountId: number): Promise<void> {
    await client.query(
      `insert into event_name (account_id, name) values ($1, 'page.viewed'), ($1, 'order.placed'), ($1, 'login') on conflict do nothing`,
      [accountId],
    );
    await client.query(
      `with people as (
         select array_agg(id order by id) as ids from contact where account_id = $1
       ), names as (
         select (select no from event_name where account_id = $1 and name = 'page.viewed') as viewed,
           (select no from event_name where account_id = $1 and name = 'order.placed') as placed,
           (select no from event_name where account_id = $1 and name = 'login') as login
       )
       insert into contact_event (account_id, contact_id, name_no, at, value, data)
       select $1, ids[1 + (n::bigint * 7919 + n / 13) % $2], case n % 10 when 0 then placed when 1 then login else viewed end,
         now() - interval '90 days' + n * (interval '90 days' / $3),
         case n % 10 when 0 then n % 100 end,
         case n % 10 when 0 then jsonb_build_object('total', n % 100, 'no', n) else jsonb_build_object('page', '/' || n % 1000) end
       from people, names, generate_series(1, $3::int) n`,
      [accountId, contacts, events],
    );
    await client.query('vacuum analyze contact_event, event_name, contact, subscription');
    await client.query('checkpoint').catch(() => undefined);
  }

  async function connected(): Promise<pg.Client> {
    const own = new pg.Client({ connectionString: readEmbeddedUrl(installation.dataDir) });
    await own.connect();
    return own;
  }
} finally {
  await installation.remove();
}

/** Events a second. */
async function rate(work: (no: number, connection: number) => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async (_, connection) => {
      while (next < batches) await work(next++, connection);
    }),
  );
  return Math.round((batches * inBatch * 1_000) / (performance.now() - startedAt));
}

type Times = [median: number, least: number];

async function times(work: () => Promise<unknown>): Promise<Times> {
  const all: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const startedAt = performance.now();
    await work();
    all.push(performance.now() - startedAt);
  }
  all.sort((a, b) => a - b);
  return [Math.round(all[Math.floor(rounds / 2)]!), Math.round(all[0]!)];
}
