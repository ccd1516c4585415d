// Deletes the recipients of autoresponders and of emails of automations that are older than their account keeps them. A portion in each
// transaction: its sums are added to those that reports show, and of an autoresponder the occasions stay, so that none is sent
// twice. An automation needs none: its runs never come back to a step. What is not finished is never deleted, whatever its age.

import { monthOfAutoresponders } from '../../campaigns/model/month.ts';
import { revisionOf, variantWithin } from '../../campaigns/model/revision.ts';
import { type Database, type Sql, sql, type Tx } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { states } from '../../db/states.ts';
import { opensOf } from '../../tracking/reports/campaign.ts';
import { addFolded, type Folded } from '../../tracking/reports/folded.ts';

/** Recipients that one transaction reads, the first by number: those planned first are those that age first. */
const sizes = { portion: 5_000 };
const foldMs = 5 * 60_000;

/** @returns how many recipients were deleted */
export async function foldRecipients(
  db: Database,
  signal: AbortSignal,
  { id: account, days }: { id: number; days: number },
  portion = sizes.portion,
): Promise<number> {
  const campaigns = await db.rows<CampaignKey & { isOfAutomation: boolean }>(sql`
    select account_id as account, id as campaign, coalesce(auto ->> 'event' = 'automation', false) as "isOfAutomation"
    from campaign
    where account_id = ${account}
      and type = 'auto'
      and status <> 'draft'
    order by id`);
  let count = 0;
  for (const { isOfAutomation, ...of } of campaigns)
    for (let after = 0, goesOn = true; goesOn && !signal.aborted; ) {
      const looked = { days, after, portion, isOfAutomation };
      const folded = await db.transaction((tx) => foldPortion(tx, of, looked), foldMs);
      count += folded.count;
      after = folded.last ?? after;
      goesOn = folded.last !== null;
    }
  return count;
}

type Portion = { days: number; after: number; portion: number; isOfAutomation: boolean };

/** @returns `last`: the number up to which it looked; null when nothing further is old enough */
async function foldPortion(
  tx: Tx,
  of: CampaignKey,
  { days, after, portion, isOfAutomation }: Portion,
): Promise<{ count: number; last: number | null }> {
  const row = await tx.row<Folded & { count: number; last: number | null }>(sql`
    with looked as (
      select seq, due_at
      from delivery
      where ${ofCampaign(of)}
        and seq > ${after}
      order by seq
      limit ${portion}
    ), gone as (
      delete from delivery d
      using looked l
      where d.account_id = ${of.account}
        and d.campaign_id = ${of.campaign}
        and d.month = ${monthOfAutoresponders}
        and d.seq = l.seq
        and d.state in (${states.accepted}, ${states.failed}, ${states.skipped})
        and d.done_at < now() - make_interval(days => ${days})
      returning d.*
    ), kept as (
      insert into past_occasion (account_id, campaign_id, contact_id, occasion)
      select account_id, campaign_id, contact_id, occasion
      from gone
      where not ${isOfAutomation}
      on conflict do nothing
    ), reacted as (
      delete from engagement e using gone g where ${isRowOf(sql`e`, sql`g`)} and e.month = ${monthOfAutoresponders} returning e.*
    ), followed as (
      delete from link_engagement e using gone g where ${isRowOf(sql`e`, sql`g`)} and e.month = ${monthOfAutoresponders} returning e.*
    ), noticed as (
      delete from notice n using gone g where ${isRowOf(sql`n`, sql`g`)} returning n.*
    ), converted as (
      update conversion c set contact_id = null from gone g where ${isRowOf(sql`c`, sql`g`)} and c.contact_id is not null
    ), left_by as (
      select distinct k.contact_id
      from consent k
      where k.account_id = ${of.account}
        and k.contact_id = any (array(select contact_id from gone))
        and k.kind = 'unsubscribe'
        and k.detail ->> 'campaign' = ${formatId(of.campaign)}
    ), sent_mail as (
      select g.seq, g.domain, coalesce(g.language, '') as language, g.state, g.reason,
        (g.state = ${states.accepted})::int as sent, (n.seq is null and g.state = ${states.accepted})::int as accepted,
        (n.seq is not null or g.state = ${states.failed})::int as bounces,
        coalesce((${opensOf} > 0)::int, 0) as opens, coalesce((e.clicks > 0)::int, 0) as clicks,
        (l.contact_id is not null)::int as unsubscribes
      from gone g
      left join noticed n on n.seq = g.seq and n.kind = 'bounce'
      left join reacted e on e.seq = g.seq
      left join left_by l on l.contact_id = g.contact_id
    )
    select (select count(*)::int from gone) as count, (
        -- Further on all are younger.
        select case when min(due_at) < now() - make_interval(days => ${days}) then max(seq) end from looked
      ) as last,
      ${sumsOf(of)}`);
  const { count, last, ...sums } = row!;
  if (count > 0) await addFolded(tx, of, sums);
  return { count, last };
}

/** SQL: the columns of Folded, from the rows that `foldPortion` deletes. */
const sumsOf = (of: CampaignKey): Sql => sql`
  ${objectOf(sql`
    select class as name, jsonb_build_object('count', count(*)) as numbers
    from (
      select coalesce(reason, 'generic') as class from gone where state = ${states.failed} and reason is distinct from 'unclear'
      union all
      select class from noticed where kind = 'bounce'
    ) refusal
    group by class`)} as bounces,
  ${objectOf(sql`
    select 'all' as name, jsonb_build_object(
      'complaints', (select count(distinct seq) from noticed where kind = 'complaint'),
      'opens', coalesce(sum(${opensOf}), 0), 'uniqueOpens', count(*) filter (where ${opensOf} > 0),
      'clicks', coalesce(sum(clicks), 0), 'usersWhoClicked', count(*) filter (where clicks > 0),
      'machineOpens', coalesce(sum(machine_opens), 0), 'uniqueMachineOpens', count(*) filter (where machine_opens > 0),
      'machineClicks', coalesce(sum(machine_clicks), 0),
      'usersWithMachineClicks', count(*) filter (where machine_clicks > 0),
      'lastOpenAt', max(coalesce(last_open_at, first_click_at)), 'lastClickAt', max(last_click_at),
      'people', (select count(*) from followed where clicks > 0),
      'machines', (select count(*) from followed where machine_clicks > 0)) as numbers
    from reacted e`)} as stats,
  ${objectOf(sql`
    select (link_no + 1)::text as name, jsonb_build_object('clicks', sum(clicks), 'unique', count(*) filter (where clicks > 0),
      'machine_clicks', sum(machine_clicks)) as numbers
    from followed
    group by link_no`)} as links,
  ${objectOf(sql`
    select domain as name, jsonb_build_object('emails', count(*), 'accepted', sum(accepted), 'bounces', sum(bounces), 'opens', sum(opens),
      'clicks', sum(clicks), 'unsubscribes', sum(unsubscribes)) as numbers
    from sent_mail
    group by domain`)} as domains,
  ${objectOf(sql`select language as name, ${groupNumbers} as numbers from sent_mail group by language`)} as languages,
  ${objectOf(sql`
    select ${revisionOf(sql`f`)}::text as name, ${groupNumbers} as numbers
    from sent_mail m
    join frozen_content f
      on f.account_id = ${of.account}
      and f.campaign_id = ${of.campaign}
      and ${variantWithin(sql`f`)} = 0
      -- All are of the first one until there is another.
      and (f.recipients is null or m.seq <@ f.recipients)
    group by 1`)} as revisions`;

const ofCampaign = ({ account, campaign }: CampaignKey): Sql =>
  sql`account_id = ${account} and campaign_id = ${campaign} and month = ${monthOfAutoresponders}`;

/** SQL: both are rows of one recipient. */
const isRowOf = (row: Sql, recipient: Sql): Sql => sql`
  ${row}.account_id = ${recipient}.account_id and ${row}.campaign_id = ${recipient}.campaign_id and ${row}.seq = ${recipient}.seq`;

/** SQL: rows with a name and numbers as one object. */
const objectOf = (rows: Sql): Sql =>
  sql`(select coalesce(jsonb_object_agg(name, numbers), '{}') from (${rows}) as part)`;

const groupNumbers = sql`jsonb_build_object('recipients', count(*), 'sent', sum(sent), 'opens', sum(opens), 'clicks', sum(clicks),
  'unsubscribes', sum(unsubscribes))`;
