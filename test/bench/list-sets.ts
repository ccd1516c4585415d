// What a set of lists costs: the same methods called with a key for all lists and with keys for 1, 5, 50 and all 60 of them, in an account
// of 1,000,000 contacts (one in ten on two lists) and 1,200 campaigns: `npm run bench -- list-sets [contacts] [rounds]`. The key for all 60 reads
// the same rows as the one without a set. Then the condition on campaigns that go to segments, one by one deeper: to a segment, to one
// that names another campaign, and so on. Prints one line of JSON: medians in milliseconds, and their ratio to those without a set.
import pg from 'pg';
import { readEmbeddedUrl } from '../../src/db/embedded/embedded.ts';
import { formatId } from '../../src/db/ids.ts';
import { Installation } from '../support/installation/installation.ts';

const contacts = Number(process.argv[2] ?? 1_000_000);
const lists = 60;
const campaigns = 1_200;
const rounds = Number(process.argv[3] ?? 7);
const installation = new Installation({ WORKERS: '1', API_RATE: '1000000' });
try {
  await installation.start();
  const client = new pg.Client({ connectionString: readEmbeddedUrl(installation.dataDir) });
  client.on('error', () => undefined);
  await client.connect();
  const ids: string[] = [];
  for (let n = 0; n < lists; n++) ids.push(await installation.call<string>('listCreate', { title: `Club ${n}` }));
  await fill();
  const keys = new Map<string, string>();
  for (const size of [undefined, 1, 5, 50, lists])
    keys.set(
      size === undefined ? 'no set' : String(size),
      await installation.call<string>('apikeyAdd', { label: `${size}`, ...(size && { lists: ids.slice(0, size) }) }),
    );
  const call = async (key: string, method: string, params: Record<string, unknown>): Promise<void> => {
    const answer = await fetch(`${installation.base}/api/${method}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(params),
    });
    if (answer.status !== 200) throw new Error(`${method}: ${await answer.text()}`);
    await answer.arrayBuffer();
  };
  const [first] = ids;
  const { rows: someone } = await client.query<{ email: string }>(
    `select c.email
     from list l
     join subscription s on s.account_id = l.account_id and s.list_id = l.id
     join contact c on c.account_id = s.account_id and c.id = s.contact_id
     where l.name = 'Club 0'
     limit 1`,
  );
  const email = someone[0]!.email;
  const filter = [{ field: 'FNAME', condition: 'starts', value: 'Ada 1' }];
  const asked: [name: string, method: string, params: Record<string, unknown>][] = [
    ['lists with their counts', 'lists', {}],
    ['Home', 'homeSummary', {}],
    ['a page of contacts', 'contacts', { limit: 25 }],
    ['contacts by part of the address', 'contacts', { query: 'reader.600', limit: 25 }],
    ['one contact', 'contactGet', { email }],
    ['how many contacts', 'contactCount', {}],
    ['how many contacts with a name', 'contactCount', { filter }],
    ['a segment of one list, counted', 'segmentPreview', { list: first, match: 'all', filter }],
    ['a page of members', 'listMembers', { id: first, limit: 25 }],
    ['campaigns', 'campaignSearch', { limit: 25 }],
  ];
  const results: Record<string, Record<string, number>> = {};
  for (const [name, method, params] of asked) results[name] = await measured(method, params);

  const chain: Record<string, Record<string, number>> = {};
  for (const [name, make] of [
    ['to a segment', toSegments],
    ['to a segment that names another campaign', namingCampaigns],
  ] as const) {
    await make();
    chain[name] = await measured('campaignSearch', { limit: 25 });
  }
  const ratios = Object.fromEntries(
    Object.entries({ ...results, ...chain }).map(([name, of]) => [
      name,
      Object.fromEntries(Object.entries(of).map(([set, ms]) => [set, Math.round((100 * ms) / of['no set']!) / 100])),
    ]),
  );
  console.log(JSON.stringify({ contacts, lists, campaigns, results, chain, ratios }));
  await client.end();

  /** The median for each key, called in turn, so that no key has a quieter time. */
  async function measured(method: string, params: Record<string, unknown>): Promise<Record<string, number>> {
    const times = new Map<string, number[]>([...keys.keys()].map((name) => [name, []]));
    for (let round = -1; round < rounds; round++)
      for (const [name, key] of keys) {
        const startedAt = performance.now();
        await call(key, method, params);
        if (round >= 0) times.get(name)!.push(performance.now() - startedAt);
      }
    const result = Object.fromEntries([...times].map(([name, all]) => [name, Math.round(10 * middle(all)) / 10]));
    console.error(method, JSON.stringify(params), JSON.stringify(result));
    return result;
  }

  async function fill(): Promise<void> {
    await client.query('begin');
    // The lists and the contacts are made right here.
    await client.query(`set local postrider.parents_held = 'yes'`);
    await client.query(
      `create temporary table club on commit drop as
       select account_id, id, (row_number() over (order by name, id))::int - 1 as no from list where name like 'Club %'`,
    );
    await client.query(
      `with made as (
         insert into contact (account_id, email, email_key, domain)
         select a.account_id, address, address, split_part(address, '@', 2)
         from (select min(account_id) as account_id from club) a, generate_series(1, $1::int) n,
           lateral (select format('reader.%s@mailbox%s.example', n, n % 300)) b(address)
         returning account_id, id
       )
       insert into subscription (account_id, list_id, contact_id, status, fields, optin_at, signup_at, status_at)
       select m.account_id, c.id, m.id, 'subscribed', jsonb_build_object('FNAME', 'Ada ' || m.id % 1000), now(), now(), now()
       from made m
       join club c on c.no = m.id % $2::int or (m.id % 10 = 0 and c.no = (m.id / 10 + 7) % $2::int)`,
      [contacts, lists],
    );
    await client.query(
      `with made as (
         insert into campaign (account_id, type, status, title, subject, from_name, reply_to, send_at)
         select a.account_id, 'html', 'sent', 'News ' || n, 'News', 'Editors', 'editors@example.com', now() - make_interval(hours => n)
         from (select min(account_id) as account_id from club) a, generate_series(1, $1::int) n
         returning account_id, id, substr(title, 6)::int as no
       )
       insert into campaign_list (account_id, campaign_id, list_id)
       select m.account_id, m.id, c.id from made m join club c on c.no = m.no % $2::int`,
      [campaigns, lists],
    );
    await client.query('commit');
    await client.query('vacuum analyze contact, subscription, campaign, campaign_list');
  }

  async function toSegments(): Promise<void> {
    await client.query(
      `insert into segment (account_id, list_id, title, match, filter)
       select account_id, id, 'Readers', 'all', '[{"field": "EMAIL", "condition": "contains", "value": "reader"}]'
       from list
       where name like 'Club %'`,
    );
    await client.query(
      `insert into campaign_segment (account_id, campaign_id, segment_id)
       select l.account_id, l.campaign_id, s.id
       from campaign_list l
       join segment s on s.account_id = l.account_id and s.list_id = l.list_id`,
    );
    await client.query('vacuum analyze segment, campaign_segment');
  }

  /** Each segment names the latest campaign of its list, which goes to the segment itself. */
  async function namingCampaigns(): Promise<void> {
    const { rows } = await client.query<{ segment: number; campaign: number }>(
      `select s.id as segment, max(l.campaign_id) as campaign
       from segment s
       join campaign_list l on l.account_id = s.account_id and l.list_id = s.list_id
       group by s.id`,
    );
    for (const { segment, campaign } of rows)
      await client.query('update segment set filter = $2 where id = $1', [
        segment,
        JSON.stringify([{ field: 'opened', condition: 'is', value: formatId(campaign) }]),
      ]);
  }
} finally {
  await installation.remove();
}

function middle(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.floor(sorted.length / 2)]!) / 2;
}
