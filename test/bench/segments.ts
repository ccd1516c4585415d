// How fast segments of a large list are counted and paged, by the whole program with its own PostgreSQL:
// `npm run bench -- segments [contacts]`. Twelve typical segments on 1,000,000 members with four fields, three campaigns
// sent to all of them; each beside the yardstick of the same run: count(*) of the list. Prints one line of JSON.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { readEmbeddedUrl } from '../../src/db/embedded/embedded.ts';
import { formatId, parseId } from '../../src/db/ids.ts';
import { Installation } from '../support/installation/installation.ts';

type Condition = { field: string; condition: string; value: string };

const contacts = Number(process.argv[2] ?? 1_000_000);
const rounds = 5;
const installation = new Installation({ WORKERS: '1', CHROMIUM_PATH: 'none' });
try {
  await installation.start();
  const client = new pg.Client({ connectionString: readEmbeddedUrl(installation.dataDir) });
  await client.connect();
  const list = await installation.call<string>('listCreate', { title: 'Everybody' });
  for (const [tag, type] of [
    ['CITY', 'text'],
    ['AGE', 'number'],
    ['BIRTHDAY', 'date'],
  ])
    await installation.call('listMergeVarAdd', { id: list, tag, name: tag, options: { field_type: type } });
  await fill(parseId(list));
  const campaigns: string[] = [];
  for (const no of [1, 2, 3]) campaigns.push(await sent(parseId(list), no));
  for (const id of campaigns) await summarised(parseId(id));
  await client.query('vacuum analyze contact, subscription, delivery, engagement, recipient_block');
  await client.query('checkpoint').catch(() => undefined);

  const one = (field: string, condition: string, value: string): Condition[] => [{ field, condition, value }];
  const segments: [name: string, match: 'all' | 'any', filter: object[]][] = [
    ['city is', 'all', one('CITY', 'is', 'Town 7')],
    ['first name starts', 'all', one('FNAME', 'starts', 'Ada 1')],
    ['age greater', 'all', one('AGE', 'greater', '60')],
    [
      'age between and city one of',
      'all',
      [...one('AGE', 'greater', '30'), ...one('AGE', 'less', '40'), ...one('CITY', 'isoneof', 'Town 1;Town 2;Town 3')],
    ],
    ['domain is', 'all', one('DOMAIN', 'is', 'mailbox17.example')],
    ['signed up within 30 days', 'all', one('signup_time', 'greater', '30 days')],
    ['opened a campaign', 'all', one('opened', 'is', campaigns[0]!)],
    ['did not open the last three', 'all', one('not_opened', 'is', 'last 3')],
    ['opened in the last 30 days', 'all', one('opened', 'is', '30 days')],
    ['did not open in the last 30 days', 'all', one('opened', 'not', '30 days')],
    ['clicked or city', 'any', [...one('clicked', 'is', campaigns[1]!), ...one('CITY', 'is', 'Town 9')]],
    [
      'group',
      'all',
      [
        ...one('LANGUAGE', 'is', 'de'),
        { match: 'any', filter: [...one('AGE', 'less', '20'), ...one('opened', 'is', campaigns[2]!)] },
      ],
    ],
  ];
  const listMs = await median(async () => {
    await client.query(
      `select count(*) from subscription where account_id = (select min(account_id) from list) and list_id = $1 and status = 'subscribed'`,
      [parseId(list)],
    );
  });
  const results: Record<string, { members: number; countMs: number; pageMs: number }> = {};
  for (const [name, match, filter] of segments) {
    let members = 0;
    const countMs = await median(async () => {
      members = (await installation.call<{ count: number }>('segmentPreview', { list, match, filter })).count;
    });
    const segment = await installation.call<string>('listSegmentCreate', { list, title: name, match, filter });
    const pageMs = await median(() => installation.call('listSegmentMembers', { id: segment, limit: 100 }));
    results[name] = { members, countMs, pageMs };
    if (process.stderr.isTTY) console.error(name, results[name]);
  }
  const counts = Object.values(results).map((result) => result.countMs);
  const pages = Object.values(results).map((result) => result.pageMs);
  console.log(
    JSON.stringify({ contacts, listMs, countMedianMs: middle(counts), pageMedianMs: middle(pages), results }),
  );
  await client.end();

  async function fill(listId: number): Promise<void> {
    await client.query('begin');
    // The list and the contacts are made right here.
    await client.query(`set local postrider.parents_held = 'yes'`);
    await client.query(
      `with made as (
         insert into contact (account_id, email, email_key, domain, language)
         select l.account_id, address, address, split_part(address, '@', 2), (array['en', 'de', 'fr', 'es'])[1 + n % 4]
         from list l, generate_series(1, $2::int) n,
           lateral (select format('reader.%s@mailbox%s.example', n, n % 300)) a(address)
         where l.id = $1
         returning account_id, id
       )
       insert into subscription (account_id, list_id, contact_id, status, fields, optin_at, signup_at, status_at)
       select account_id, $1, id, case when id % 20 = 0 then 'unsubscribed' else 'subscribed' end,
         jsonb_build_object('FNAME', 'Ada ' || id % 1000, 'LNAME', 'Löwe', 'CITY', 'Town ' || id % 300,
           'AGE', (18 + id % 70)::text, 'BIRTHDAY', (date '1950-01-01' + id % 20000)::text),
         at, at, at
       from (select made.*, now() - make_interval(mins => id % 1000000) as at from made) made`,
      [listId, contacts],
    );
    await client.query('commit');
  }

  /** A campaign sent to all; a third opened it, one in twenty clicked. */
  async function sent(listId: number, no: number): Promise<string> {
    const row = (
      await client.query<{ account_id: number; id: number }>(
        `insert into campaign (account_id, type, status, title, subject, from_name, reply_to, send_at)
         select account_id, 'html', 'sent', 'News', 'News', 'Editors', 'editors@example.com', now() - make_interval(days => $2)
         from list
         where id = $1
         returning account_id, id`,
        [listId, no],
      )
    ).rows[0]!;
    await client.query('insert into campaign_list (account_id, campaign_id, list_id) values ($1, $2, $3)', [
      row.account_id,
      row.id,
      listId,
    ]);
    await client.query(
      `insert into delivery (account_id, campaign_id, seq, month, contact_id, list_id, email, domain, state, due_at, done_at)
       select account_id, $2, row_number() over (), (select month from campaign where id = $2), contact_id, list_id, 'r@mailbox.example', 'mailbox.example', 2, now(), now()
       from subscription
       where list_id = $1`,
      [listId, row.id],
    );
    await client.query(
      `insert into engagement (account_id, campaign_id, seq, month, contact_id, opens, clicks, last_open_at)
       select account_id, campaign_id, seq, (select month from campaign where id = $1), contact_id, 1,
         case when seq % 21 = 0 then 1 else 0 end, now()
       from delivery
       where campaign_id = $1
         and hashint4(seq + $2) % 3 = 0`,
      [row.id, no],
    );
    await client.query(
      `insert into tally (account_id, campaign_id, shard, recipients, accepted)
       select $1, $2, 0, count(*), count(*)
       from delivery
       where campaign_id = $2`,
      [row.account_id, row.id],
    );
    return formatId(row.id);
  }

  /** Waits for the task that the end of a campaign queues. */
  async function summarised(id: number): Promise<void> {
    await client.query(
      `select graphile_worker.add_job('summariseRecipients', json_build_object('account_id', account_id, 'campaign_id', id))
       from campaign
       where id = $1`,
      [id],
    );
    for (;;) {
      const { rowCount } = await client.query('select from recipient_summary where campaign_id = $1 and accepted > 0', [
        id,
      ]);
      if (rowCount === 1) return;
      await sleep(200);
    }
  }
} finally {
  await installation.remove();
}

async function median(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const startedAt = performance.now();
    await work();
    times.push(performance.now() - startedAt);
  }
  return Math.round(middle(times));
}

function middle(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.round((sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.floor(sorted.length / 2)]!) / 2);
}
