// Freezes the audience of a campaign, or a portion of it: one row for each recipient, with its number and the time at which it is due,
// those who are left out counted by reason, and chunks for the recipients. All in the caller's transaction, so that a
// recipient without a chunk, or one that is not counted, is never seen.
import { usesActions } from '../../audience/model/segment.ts';
import { suppressed } from '../../audience/model/suppression.ts';
import { type AudienceSegments, excludedConditions, inSegments } from '../../audience/segments/audience.ts';
import { type Message, message } from '../../base/messages.ts';
import { monthOf } from '../../campaigns/model/month.ts';
import { type CampaignTest, readTest } from '../../campaigns/model/variant.ts';
import { preparing, type Sql, sql, type Tx } from '../../db/connect.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { cutByZone, cutChunks, cutTestChunks, type ZoneRange } from '../ledger/cut-chunks.ts';
import { timedByBestHour } from './best-hour.ts';
import { numberedRecipients, recordVersions, type VersionRange, versionRanges } from './language-versions.ts';
import { dueTimes } from './local-time.ts';
import { inPortion, isFirst, isSince, joinedBefore, ofPortion, type Portion } from './portion.ts';

/** When the recipients of a campaign are due. */
export type Timing = {
  timeMatch: boolean;
  bestHour: boolean;
  scheduleAt: Date | null;
  matchAt: Date | null;
  /** Its recipients are cut by zone, for the send window. */
  hasWindow: boolean;
};

/** Sent by its recipients' clocks. A campaign that is sent now goes to all of them immediately. */
export const isTimeMatched = ({ timeMatch, scheduleAt }: Timing): boolean => timeMatch && scheduleAt !== null;

/** An audience in which a variant would have no recipient. */
export class TooFewForTest extends Error {
  readonly reason: Message;
  constructor(recipients: number, variants: number) {
    super('there are fewer recipients than variants');
    this.reason = message('pause.too_few_for_test', { recipients, variants });
  }
}

/** @returns how many recipients the portion has. @throws TooFewForTest */
export async function freezeAudience(
  tx: Tx,
  of: CampaignKey,
  timing: Timing,
  audience: AudienceSegments,
  portion: Portion,
): Promise<number> {
  const once = preparing(tx);
  const abTest = await readTest(once, of);
  const counts = await insertRecipients(tx, of, { timing, audience, abTest, portion });
  if (abTest && counts.recipients > 0 && counts.recipients < abTest.variants)
    throw new TooFewForTest(counts.recipients, abTest.variants);
  if (counts.versions.length > 0) await recordVersions(tx, of, counts.versions);
  await countExcluded(tx, of, counts, audience.segments, portion);
  if (abTest) await cutTestChunks(tx, of, abTest, counts.recipients);
  else if (counts.zones.length > 0) await cutByZone(tx, of, counts.zones);
  else await cutChunks(tx, of, portion.recipients);
  // Last: workers change the same row.
  await once.run(sql`
    insert into tally as t (account_id, campaign_id, shard, recipients, queued)
    values (${of.account}, ${of.campaign}, 0, ${counts.recipients}, ${counts.recipients})
    on conflict (account_id, campaign_id, shard) do update
    set recipients = t.recipients + excluded.recipients, queued = t.queued + excluded.queued`);
  return counts.recipients;
}

type AudienceCounts = {
  /** With a send window: the ranges of recipients by zone. */
  zones: ZoneRange[];
  /** With language versions: the ranges of recipients by version. */
  versions: VersionRange[];
  recipients: number;
  duplicate: number;
  suppressed: number;
  paused: number;
  by_list: number;
  by_segment: number;
  members: number;
};

type Freezing = {
  timing: Timing;
  audience: AudienceSegments;
  abTest: CampaignTest | undefined;
  portion: Portion;
};

async function insertRecipients(
  tx: Tx,
  of: CampaignKey,
  { timing, audience: { segments, excluded }, abTest, portion }: Freezing,
): Promise<AudienceCounts> {
  // Otherwise the same contacts would be the test group of every campaign.
  const shuffle = abTest ? sql`hashint8extended(contact_id, ${of.campaign})` : sql`hashint4(contact_id)`;
  const byZone = timing.hasWindow ? sql`zone collate "C"` : sql`true`;
  const { account: accountId, campaign: campaignId } = of;
  const timed = await timedRecipients(tx, of, timing, portion);
  const { byList, bySegment } = await excludedConditions(preparing(tx), of, sql`p.contact_id`, excluded);
  const chosen = inSegments(accountId, segments);
  const counts = await tx.row<AudienceCounts>(sql`
    with member as (
      select s.contact_id, s.list_id, l.position, c.language, c.email, c.email_key, c.domain, coalesce(nullif(c.time_zone, ''), nullif(li.time_zone, ''), '') as zone,
        coalesce(c.paused_until > now(), false) as paused
      from campaign_list l
      join list li on li.account_id = l.account_id and li.id = l.list_id
      join subscription s
        on s.account_id = l.account_id
        and s.list_id = l.list_id
        and s.status = 'subscribed'
      join contact c on c.account_id = s.account_id and c.id = s.contact_id
      where l.account_id = ${accountId}
        and l.campaign_id = ${campaignId}
        ${inPortion(portion)}
        ${joinedBefore(portion)}
        and ${chosen}
    ), person as (
      select distinct on (contact_id) contact_id, list_id, language, email, email_key, domain, zone, paused
      from member
      order by contact_id, position, list_id
    ), unlisted as (
      select p.* from person p where not ${byList}
    ), wanted as (
      select p.* from unlisted p where not ${bySegment}
    ), kept as (
      select p.*
      from wanted p
      where not ${suppressed(accountId, sql`p.email_key`, sql`p.domain`)}
    ), awake as (
      select k.* from kept k where not k.paused
    ), ${timed}, zoned as (
      select due_at, zone, count(*)::int as count
      from timed
      where ${timing.hasWindow}
      group by due_at, zone
    ), ${await numberedRecipients(tx, of, { order: sql`due_at, ${byZone}`, shuffle, after: portion.recipients })}, frozen as (
      insert into delivery (account_id, campaign_id, seq, month, contact_id, list_id, email, domain, due_at)
      select ${accountId}::int, ${campaignId}::int, seq, ${monthOf(of)}, contact_id, list_id, email, domain, due_at
      from numbered
      returning seq
    )
    select (select count(*) from frozen) as recipients, (
        select coalesce(jsonb_agg(jsonb_build_object('zone', r.zone, 'first', r.last - r.count + 1, 'last', r.last, 'due_at', r.due_at) order by r.last), '[]')
        from (select due_at, zone, count, ${portion.recipients}::int + sum(count) over (order by due_at, zone collate "C") as last from zoned) r
      ) as zones, ${versionRanges} as versions,
      (select count(*) from member) as members, (select count(*) from member) - (select count(*) from person) as duplicate,
      (select count(*) from person) - (select count(*) from unlisted) as by_list,
      (select count(*) from unlisted) - (select count(*) from wanted) as by_segment,
      (select count(*) from wanted) - (select count(*) from kept) as suppressed,
      (select count(*) from kept) - (select count(*) from awake) as paused`);
  return counts!;
}

/** SQL: the CTE `timed`, in which each row of the CTE `awake` has the time at which it is due, and those that it needs. */
async function timedRecipients(tx: Tx, of: CampaignKey, timing: Timing, portion: Portion): Promise<Sql> {
  if (timing.bestHour) return timedByBestHour(tx, of, portion);
  if (!isTimeMatched(timing))
    return sql`timed as (select k.*, ${portion.startedAt}::timestamptz as due_at from awake k)`;
  const due = await dueTimes(tx, of, { scheduledAt: timing.scheduleAt!, matchAt: timing.matchAt }, portion);
  return sql`timed as (
      select k.*, coalesce((${JSON.stringify(due.byZone)}::jsonb ->> k.zone)::timestamptz, ${due.otherwise}::timestamptz) as due_at
      from awake k
    )`;
}

/** Counts the contacts left out, by the reasons of the prediction (campaigns/check/audience.ts). */
async function countExcluded(
  tx: Tx,
  { account: accountId, campaign: campaignId }: CampaignKey,
  counts: AudienceCounts,
  segments: AudienceSegments['segments'],
  portion: Portion,
): Promise<void> {
  const unseen = segments.some(({ filter }) => usesActions(filter))
    ? sql`count(*) filter (
        where c.untracked and not ${inSegments(accountId, segments)}
          and ${inSegments(accountId, segments, { withUntracked: true, few: true })}
      )::int`
    : sql`0`;
  const subscribed = sql`
    from campaign_list l
    join subscription s on s.account_id = l.account_id and s.list_id = l.list_id and s.status = 'subscribed'
    join contact c on c.account_id = s.account_id and c.id = s.contact_id
    where l.account_id = ${accountId}
      and l.campaign_id = ${campaignId}
      ${inPortion(portion)}
      ${joinedBefore(portion)}`;
  const chosen =
    segments.length === 0
      ? { outside: 0, unseen: 0 }
      : (await tx.row<{ outside: number; unseen: number }>(sql`
          select count(*)::int - ${counts.members}::int as outside, ${unseen} as unseen ${subscribed}`))!;
  const signedUpSince = isFirst(portion) ? sql`false` : isSince(sql`s.signup_at`, portion);
  await tx.run(sql`
    insert into exclusion as e (account_id, campaign_id, reason, count)
    select ${accountId}::int, ${campaignId}::int, reason, count
    from (
      values ('duplicate', ${counts.duplicate}::int), ('suppressed', ${counts.suppressed}::int), ('paused', ${counts.paused}::int),
        ('excluded_list', ${counts.by_list}::int), ('excluded_segment', ${counts.by_segment}::int),
        ('segment', ${chosen.outside - chosen.unseen}::int), ('untracked', ${chosen.unseen}::int)
      union all
      select s.status, count(*)::int
      from campaign_list l
      join subscription s on s.account_id = l.account_id and s.list_id = l.list_id and s.status <> 'subscribed'
      where l.account_id = ${accountId}
        and l.campaign_id = ${campaignId}
        ${ofPortion(portion)}
        and not ${signedUpSince}
      group by s.status
    ) as left_out (reason, count)
    where count > 0
    on conflict (account_id, campaign_id, reason) do update
    set count = e.count + excluded.count`);
}
