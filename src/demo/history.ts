// Makes a campaign that appears to have been sent long ago: its recipients with their outcomes, who opened and clicked
// when, who left. All of it in one transaction, so that no worker ever finds anything to send. What happens to whom is
// chosen by a hash of subject and address: the same every time.
import { monthOf } from '../campaigns/model/month.ts';
import { type Sql, sql, type Tx } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import type { CampaignKey } from '../db/keys.ts';
import { states } from '../db/states.ts';
import type { Letter } from './letters.ts';

/** @param cid a draft whose content has been frozen in the same transaction */
export async function sentLongAgo(tx: Tx, accountId: number, cid: string, list: string, letter: Letter): Promise<void> {
  const campaignId = parseId(cid);
  const listId = parseId(list);
  const month = monthOf({ account: accountId, campaign: campaignId });
  const of = sql`account_id = ${accountId} and campaign_id = ${campaignId} and month = ${month}`;
  const sentAt = sql`(date_trunc('hour', now()) - make_interval(days => ${letter.daysAgo}::int, hours => 2))`;
  // Before the recipients, which are in the partition of its month.
  await tx.run(sql`
    update campaign
    set status = 'sent', created_at = ${sentAt} - interval '2 days', send_at = ${sentAt},
      finished_at = ${sentAt} + interval '6 minutes', changed_at = ${sentAt}
    where account_id = ${accountId}
      and id = ${campaignId}`);
  await tx.run(sql`
    insert into delivery (account_id, campaign_id, seq, month, contact_id, list_id, email, domain, state, attempts, due_at, first_at,
      done_at, reply_code, reply, reason)
    select ${accountId}::int, ${campaignId}::int, seq, ${month}, contact_id, list_id, email, domain,
      case when luck < 20 then 4 else 2 end, case when luck % 50 = 7 then 2 else 1 end, ${sentAt}, at, at,
      case when luck < 12 then 550 when luck < 16 then 552 when luck < 20 then 554 else 250 end,
      case when luck < 12 then '5.1.1 The mailbox does not exist' when luck < 16 then '5.2.2 The mailbox is full'
        when luck < 20 then '5.7.1 Refused by policy of the receiver' else '2.0.0 Taken' end,
      case when luck < 12 then 'hard' when luck < 16 then 'soft' when luck < 20 then 'blocked' end
    from (
      select row_number() over (order by s.contact_id)::int as seq, s.contact_id, s.list_id, c.email, c.domain,
        ${luckOf(letter, 'fate', sql`c.email`)} as luck,
        ${sentAt} + make_interval(secs => 0.1 * row_number() over (order by s.contact_id)) as at
      from subscription s
      join contact c on c.account_id = s.account_id and c.id = s.contact_id
      where s.account_id = ${accountId}
        and s.list_id = ${listId}
        and s.confirm_at < ${sentAt}
        and s.status = 'subscribed'
    ) as chosen`);
  await tx.run(sql`
    insert into tally (account_id, campaign_id, shard, recipients, accepted, failed)
    select ${accountId}::int, ${campaignId}::int, 0, count(*)::int, count(*) filter (where state = ${states.accepted})::int,
      count(*) filter (where state = ${states.failed})::int
    from delivery
    where ${of}`);
  const key = { account: accountId, campaign: campaignId };
  await hits(tx, of, key, letter);
  await leavers(tx, of, key, cid, letter);
}

/** 0 to 999, from a hash of what is asked about whom: not of the campaign's id, which other campaigns of the account change. */
const luckOf = ({ subject }: Letter, what: string, whom: Sql): Sql =>
  sql`(abs(hashtext(${`${subject} ${what} `}::text || ${whom})::bigint) % 1000)`;

async function hits(tx: Tx, of: Sql, key: CampaignKey, letter: Letter): Promise<void> {
  const luck = (what: string) => luckOf(letter, what, sql`d.email`);
  const month = monthOf(key);
  // Most read within hours, some after days.
  const later = (what: string) => sql`make_interval(mins => (3 + power(${luck(what)} / 1000.0, 4) * 5000)::int)`;
  const insert = (columns: Sql, where: Sql) => sql`
    insert into hit (account_id, campaign_id, seq, kind, link_no, at, ip, user_agent, machine)
    select d.account_id, d.campaign_id, d.seq, ${columns}
    from delivery d
    where d.account_id = ${key.account}
      and d.campaign_id = ${key.campaign}
      and d.month = ${month}
      and d.state = ${states.accepted}
      and ${where}`;
  const opened = sql`${luck('open')} < ${letter.opened * 10}::int`;
  const clicked = sql`${opened} and ${luck('click')} < ${letter.clicked * 10}::int`;
  const person = sql`'192.0.2.7', 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0', null`;
  const openedAt = sql`d.done_at + ${later('when')}`;
  // A link further up is followed more often.
  const link = sql`least((power(${luck('link')} / 1000.0, 2) * 4)::int, 3)`;
  await tx.run(insert(sql`'open', null, ${openedAt}, ${person}`, opened));
  await tx.run(
    insert(sql`'open', null, ${openedAt} + ${later('again')}, ${person}`, sql`${opened} and ${luck('twice')} < 280`),
  );
  await tx.run(insert(sql`'click', ${link}, ${openedAt} + interval '50 seconds', ${person}`, clicked));
  await tx.run(
    insert(
      sql`'open', null, d.done_at + interval '4 seconds', '198.51.100.9', 'Scanner/2', 'within seconds of the delivery'`,
      sql`${luck('machine')} < 130`,
    ),
  );
  await tx.run(
    insert(
      sql`'click', 0, d.done_at + interval '5 seconds', '198.51.100.9', 'Scanner/2', 'within seconds of the delivery'`,
      sql`${luck('machine')} < 40`,
    ),
  );
  await tx.run(sql`delete from hit where account_id = ${key.account} and campaign_id = ${key.campaign} and at > now()`);
  await tx.run(sql`
    insert into engagement (account_id, campaign_id, seq, month, contact_id, opens, clicks, machine_opens, machine_clicks,
      last_open_at, first_click_at, last_click_at, first_hit_at, last_hit_at)
    select account_id, campaign_id, seq, ${month}, d.contact_id, count(*) filter (where kind = 'open' and machine is null),
      count(*) filter (where kind = 'click' and machine is null), count(*) filter (where kind = 'open' and machine is not null),
      count(*) filter (where kind = 'click' and machine is not null),
      max(at) filter (where kind = 'open' and machine is null), min(at) filter (where kind = 'click' and machine is null),
      max(at) filter (where kind = 'click' and machine is null), min(at), max(at)
    from hit
    join delivery d using (account_id, campaign_id, seq)
    where ${of}
    group by account_id, campaign_id, seq, d.contact_id`);
  await tx.run(sql`
    insert into link_engagement (account_id, campaign_id, link_no, seq, month, contact_id, clicks, machine_clicks)
    select account_id, campaign_id, link_no, seq, ${month}, d.contact_id, count(*) filter (where machine is null), count(*) filter (where machine is not null)
    from hit
    join delivery d using (account_id, campaign_id, seq)
    where ${of}
      and kind = 'click'
    group by account_id, campaign_id, link_no, seq, d.contact_id`);
}

/** Some unsubscribe by the mail's link; whose address does not exist gets nothing any more. */
async function leavers(tx: Tx, of: Sql, key: CampaignKey, cid: string, letter: Letter): Promise<void> {
  const month = monthOf(key);
  await tx.run(sql`
    with gone as (
      select d.contact_id, d.list_id, d.done_at + interval '3 hours' as at, ${luckOf(letter, 'why', sql`d.email`)} as luck
      from delivery d
      where d.account_id = ${key.account}
        and d.campaign_id = ${key.campaign}
        and d.month = ${month}
        and d.state = ${states.accepted}
        and ${luckOf(letter, 'leave', sql`d.email`)} < 8
    ), left_list as (
      update subscription s
      set status = 'unsubscribed', status_at = gone.at, unsubscribe_at = gone.at, changed_at = gone.at,
        unsubscribe_campaign_id = ${key.campaign}
      from gone
      where s.account_id = ${key.account}
        and s.list_id = gone.list_id
        and s.contact_id = gone.contact_id
    )
    insert into consent (account_id, contact_id, list_id, kind, at, source, ip, detail)
    select ${key.account}::int, contact_id, list_id, 'unsubscribe', at, 'link', '192.0.2.7',
      jsonb_build_object('campaign', ${cid}::text, 'reason',
        case when luck < 400 then 'too many mails' when luck < 600 then 'no longer interested' else '' end)
    from gone`);
  await tx.run(sql`
    update subscription s
    set status = 'bounced', status_at = d.done_at, changed_at = d.done_at
    from delivery d
    where d.account_id = ${key.account}
      and d.campaign_id = ${key.campaign}
      and d.month = ${month}
      and d.reason = 'hard'
      and s.account_id = d.account_id
      and s.list_id = d.list_id
      and s.contact_id = d.contact_id`);
  await tx.run(sql`
    insert into suppression (account_id, kind, value, reason, campaign_id, detail, created_at)
    select account_id, 'address', lower(email), 'bounce', campaign_id, reply, done_at
    from delivery
    where ${of}
      and reason = 'hard'
    on conflict do nothing`);
}
