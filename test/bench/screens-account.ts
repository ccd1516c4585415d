// The large account of the screens' benchmark: a list of all contacts with three segments, campaigns of all states, one of
// them sent to 100,000 with opens, clicks and unsubscribes, suppressions and an audit log of a year.
import type pg from 'pg';
import { formatId, parseId } from '../../src/db/ids.ts';

type Call = <T = unknown>(method: string, params: Record<string, unknown>) => Promise<T>;
export type LargeAccount = {
  accountId: number;
  listId: number;
  list: string;
  /** A draft to the whole list. */
  draft: string;
  /** The campaign with 100,000 recipients. */
  cid: string;
  /** One of them. */
  email: string;
};

export async function buildAccount(
  client: pg.Client,
  call: Call,
  contacts: number,
  campaigns: number,
): Promise<LargeAccount> {
  const list = await call<string>('listCreate', { title: 'Everybody' });
  for (const [tag, type] of [
    ['CITY', 'text'],
    ['AGE', 'number'],
  ])
    await call('listMergeVarAdd', { id: list, tag, name: tag, options: { field_type: type } });
  await call('listCreate', { title: 'Small' });
  const listId = parseId(list);
  const accountId = (await client.query<{ account_id: number }>('select account_id from list where id = $1', [listId]))
    .rows[0]!.account_id;
  await fillList(client, accountId, listId, contacts);
  await fillCampaigns(client, accountId, listId, campaigns);
  const options = { list_id: list, subject: 'Hello', from_email: 'editors@example.com', from_name: 'The editors' };
  const draft = await call<string>('campaignCreate', {
    type: 'HTML',
    options: { ...options, generate_text: true },
    content: {
      html: '<p>Hello *|FNAME|*, <a href="https://example.com/">read on</a>. <a href="*|UNSUB|*">Leave</a></p>',
    },
  });
  const cid = await fillReport(client, accountId, listId, Math.min(contacts, 100_000));
  for (const [title, field, condition, value] of [
    ['Old', 'AGE', 'greater', '60'],
    ['Town 7', 'CITY', 'is', 'Town 7'],
    ['Opened', 'opened', 'is', cid],
  ])
    await call('listSegmentCreate', { list, title, match: 'all', filter: [{ field, condition, value }] });
  await client.query(
    `insert into suppression (account_id, kind, value, reason, created_at)
     select $1, 'address', format('gone%s@mailbox.example', n), 'bounce', now() - make_interval(mins => n)
     from generate_series(1, 50000) as n`,
    [accountId],
  );
  await client.query(
    `insert into audit_entry (account_id, door, method, at)
     select $1, 'json', 'campaignUpdate', now() - make_interval(mins => 100000 - n)
     from generate_series(1, 100000) as n`,
    [accountId],
  );
  // What autovacuum does within a minute.
  await client.query('vacuum analyze');
  return { accountId, listId, list, draft, cid, email: 'reader4711@mailbox211.example' };
}

async function fillList(client: pg.Client, accountId: number, listId: number, contacts: number): Promise<void> {
  await client.query('begin');
  await client.query(`set local postrider.parents_held = 'yes'`);
  await client.query(
    `with made as (
       insert into contact (account_id, email, email_key, domain, language)
       select $1, address, address, split_part(address, '@', 2), (array['en', 'de', 'fr', 'es'])[1 + n % 4]
       from generate_series(1, $3::int) n,
         lateral (select format('reader%s@mailbox%s.example', n, n % 300)) a(address)
       returning id
     )
     insert into subscription (account_id, list_id, contact_id, status, fields, optin_at, confirm_at, signup_at, status_at,
       changed_at, unsubscribe_at)
     select $1, $2, id, case when id % 20 = 0 then 'unsubscribed' else 'subscribed' end,
       jsonb_build_object('FNAME', 'Ada ' || id % 1000, 'LNAME', 'Löwe', 'CITY', 'Town ' || id % 300, 'AGE', (18 + id % 70)::text),
       at, at, at, at, at, case when id % 20 = 0 then now() end
     from (select made.*, now() - make_interval(mins => id % 1000000) as at from made) made`,
    [accountId, listId, contacts],
  );
  await client.query('commit');
}

async function fillCampaigns(client: pg.Client, accountId: number, listId: number, campaigns: number): Promise<void> {
  await client.query(
    `insert into campaign (account_id, type, status, paused_from, title, subject, from_name, reply_to, html, created_at, send_at)
     select $1, 'html', status, case when status = 'paused' then 'sending' end,
       'Newsletter ' || n || ' of week ' || n % 53, 'What is new in town ' || n % 700 || ', for you', 'The editors',
       'editors@example.com', repeat('<p>Some text of a campaign</p>', 40), at, case when status = 'sent' then at end
     from (
       select n, now() - make_interval(mins => n) as at,
         case when n % 5000 = 0 then 'paused' else (array['draft', 'sent', 'sent', 'sent'])[1 + n % 4] end as status
       from generate_series(1, $2::int) as n
     ) made`,
    [accountId, campaigns],
  );
  await client.query(
    `insert into campaign_list (account_id, campaign_id, list_id)
     select account_id, id, $2 from campaign where account_id = $1`,
    [accountId, listId],
  );
  await client.query(
    `insert into tally (account_id, campaign_id, shard, recipients, accepted)
     select account_id, id, 0, 1000, 1000 from campaign where account_id = $1 and status = 'sent'`,
    [accountId],
  );
}

/** A campaign sent to so many: 2 % refused, 40 % opened, 5 % clicked one of four links, 0.5 % left. */
async function fillReport(client: pg.Client, accountId: number, listId: number, recipients: number): Promise<string> {
  const { id } = (
    await client.query<{ id: number }>(
      `insert into campaign (account_id, type, status, title, subject, from_name, reply_to, html, send_at, finished_at)
       values ($1, 'html', 'sent', 'The large one', 'News', 'Editors', 'editors@example.com', '<p>News</p>',
         now() - interval '2 days', now() - interval '2 days')
       returning id`,
      [accountId],
    )
  ).rows[0]!;
  const run = (statement: string, ...further: unknown[]) => client.query(statement, [accountId, id, ...further]);
  await run('insert into campaign_list (account_id, campaign_id, list_id) values ($1, $2, $3)', listId);
  await run(`insert into frozen_content (account_id, campaign_id, compiled, content_hash) values ($1, $2, '{}', 'x')`);
  await run(
    `insert into link (account_id, campaign_id, no, target)
     select $1, $2, no, 'https://example.com/' || no from generate_series(0, 3) as no`,
  );
  await run(
    `insert into delivery (account_id, campaign_id, seq, month, contact_id, list_id, email, domain, state, due_at, done_at, reply_code,
       reply, reason)
     select $1, $2, n, (select month from campaign where account_id = $1 and id = $2), id, $3, email, domain, case when n % 50 = 0 then 4 else 2 end, now() - interval '2 days',
       now() - interval '2 days' + make_interval(secs => n / 300), case when n % 50 = 0 then 550 else 250 end,
       case when n % 50 = 0 then '550 no such user' else '250 ok' end, case when n % 50 = 0 then 'hard' end
     from (
       select id, email, domain, row_number() over (order by id)::int as n
       from contact
       where account_id = $1 and (id % 7 = 0 or email_key = 'reader4711@mailbox211.example')
       limit $4
     ) as made`,
    listId,
    recipients,
  );
  await run(
    `insert into tally (account_id, campaign_id, shard, recipients, accepted, failed)
     select $1, $2, 0, count(*), count(*) filter (where state = 2), count(*) filter (where state = 4)
     from delivery where account_id = $1 and campaign_id = $2`,
  );
  const hits = `insert into hit (account_id, campaign_id, seq, kind, link_no, at, machine)
     select $1, $2, seq, $3, case when $3 = 'click' then seq % 4 end, done_at + make_interval(mins => seq % 1500),
       case when seq % 13 = 0 then 'scanner' end
     from delivery where account_id = $1 and campaign_id = $2 and state = 2 and hashint4(seq) % 100 between 0 and $4`;
  await run(hits, 'open', 40);
  await run(hits, 'click', 5);
  const month = '(select month from campaign where account_id = $1 and id = $2)';
  const sums = `count(*) filter (where kind = 'click' and machine is null),
       count(*) filter (where kind = 'click' and machine is not null)`;
  await run(
    `insert into engagement (account_id, campaign_id, seq, month, contact_id, opens, machine_opens, clicks, machine_clicks,
       last_open_at, first_hit_at, last_hit_at)
     select $1, $2, h.seq, ${month}, d.contact_id, count(*) filter (where kind = 'open' and machine is null),
       count(*) filter (where kind = 'open' and machine is not null), ${sums}, max(at), min(at), max(at)
     from hit h join delivery d using (account_id, campaign_id, seq)
     where account_id = $1 and campaign_id = $2
     group by h.seq, d.contact_id`,
  );
  await run(
    `insert into link_engagement (account_id, campaign_id, link_no, seq, month, contact_id, clicks, machine_clicks)
     select $1, $2, h.link_no, h.seq, ${month}, d.contact_id, ${sums}
     from hit h join delivery d using (account_id, campaign_id, seq)
     where account_id = $1 and campaign_id = $2 and kind = 'click'
     group by h.link_no, h.seq, d.contact_id`,
  );
  await run(
    `insert into consent (account_id, contact_id, list_id, kind, at, source, detail)
     select $1, contact_id, list_id, 'unsubscribe', done_at + interval '1 hour', 'link', jsonb_build_object('campaign', $3::text)
     from delivery where account_id = $1 and campaign_id = $2 and seq % 200 = 7`,
    formatId(id),
  );
  return formatId(id);
}
