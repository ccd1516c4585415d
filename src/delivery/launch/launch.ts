// Launch: turns a campaign into chunks that workers can take. In one transaction the content is frozen, the audience is
// frozen into one row for each recipient, excluded contacts are counted by reason, and chunks are cut. A crash during the
// launch leaves nothing behind and the task starts over; a launched campaign is not launched twice. One that keeps failing is
// paused with the reason.

import { accountById } from '../../accounts/account/account.ts';
import { usesActions } from '../../audience/model/segment.ts';
import { suppressed } from '../../audience/model/suppression.ts';
import {
  type AudienceSegments,
  excludedConditions,
  inSegments,
  segmentsAtLaunch,
} from '../../audience/segments/audience.ts';
import type { App } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import type { Log } from '../../base/log.ts';
import { type Message, message } from '../../base/messages.ts';
import { withDocuments } from '../../base/threads/outside.ts';
import { withdrawnAtLaunch } from '../../campaigns/approval/needed.ts';
import { type Gathered, gatherInlineImages } from '../../campaigns/content/pictures/inline-images.ts';
import { emitCampaignEvent } from '../../campaigns/model/events.ts';
import { monthOf } from '../../campaigns/model/month.ts';
import { type CampaignTest, readTest } from '../../campaigns/model/variant.ts';
import { inArchiveAtLaunch } from '../../campaigns/public-archive/archive.ts';
import { needSendable } from '../../campaigns/release/sendable.ts';
import { type Database, isTransient, isUnavailable, raw, type Sql, sql, type Tx } from '../../db/connect.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { chunkChannel } from '../../jobs/channels.ts';
import { addJob } from '../../jobs/queue.ts';
import type { Payload, TaskContext } from '../../jobs/tasks.ts';
import { isAskedAgain } from '../ledger/asked-again.ts';
import { cutByZone, cutChunks, cutTestChunks, type ZoneRange } from '../ledger/cut-chunks.ts';
import { finishIfDone } from '../outcomes/finish.ts';
import { pauseAutomatically } from '../outcomes/pause-automatically.ts';
import { redoLost } from '../recovery/redo.ts';
import { timedByBestHour } from './best-hour.ts';
import { freezeContent } from './freeze-content.ts';
import { numberedRecipients, recordVersions, type VersionRange, versionRanges } from './language-versions.ts';
import { dueTimes, startsAt, widestSpread } from './local-time.ts';
import { type Publishes, publishRevision } from './revision.ts';

/** Failures after which a campaign is paused: about ten seconds, and half an hour for errors that may not occur again. */
const maxFailures = 3;
const maxTransientFailures = 8;

/** Addresses of pictures kept for the report. */
const maxLeftOut = 100;

/** A million rows take longer than an ordinary statement may. */
const launchMs = 10 * 60_000;

/** Freezes the content and the audience of a campaign and cuts it into chunks. */
export async function launchCampaign(
  { app, log }: TaskContext,
  { account_id, campaign_id }: Payload<'launchCampaign'>,
  attempt = 1,
): Promise<void> {
  const of = { account: account_id, campaign: campaign_id };
  try {
    await launch(app, of, log);
  } catch (error) {
    if (isUnavailable(error) || attempt < (isTransient(error) ? maxTransientFailures : maxFailures)) throw error;
    log.error({ err: error, ...of }, 'a campaign could not be launched; it is paused');
    await app.db.transaction((tx) => pauseAutomatically(tx, of, message('pause.launch_failed')));
  }
}

/**
 * Launches a campaign that is in state launching; does nothing when it is in another. What takes long, such as fetching pictures,
 * comes before the transaction; when the campaign was changed meanwhile, it is done again.
 */
export async function launch(app: App, of: CampaignKey, log: Log = app.log): Promise<void> {
  let ended: Ended = 'changed';
  while (ended === 'changed') {
    const prepared = await prepare(app, log, of);
    if (!prepared) return;
    ended = await launchPrepared(app, of, prepared);
  }
  // The planner must know of the new rows: the statements of the send loops are planned from these statistics. Not within
  // the transaction, where it would wait for every vacuum and keep other launches waiting.
  if (ended.recipients > 1_000)
    await analyseMonth(app.db, of).catch((error) =>
      log.warn({ err: error }, 'the statistics of the recipients could not be updated'),
    );
}

/** What was found out before the transaction, about a version of the campaign. */
type Prepared = Gathered & { version: string };

/** How a transaction ended: launched to so many, none of them if it is paused instead; or not at all, since the campaign was changed. */
type Ended = 'changed' | { recipients: number };

const nothing = { recipients: 0 } as const satisfies Ended;

/** @returns undefined when the campaign is not to be launched now */
async function prepare(app: App, log: Log, of: CampaignKey): Promise<Prepared | undefined> {
  const version = await versionOf(app, of);
  if (version === undefined) return undefined;
  return { version, ...(await gatherInlineImages(app, log, of)) };
}

/** Launches what is prepared, or pauses the campaign with the reason for which it cannot be sent. */
async function launchPrepared(app: App, of: CampaignKey, prepared: Prepared): Promise<Ended> {
  try {
    return await withDocuments(of.account, () =>
      app.db.transaction((tx) => launchIn(tx, app, of, prepared), launchMs + 5_000),
    );
  } catch (error) {
    if (!(error instanceof TooFewForTest)) throw error;
    await app.db.transaction((tx) => pauseAutomatically(tx, of, error.reason));
    return nothing;
  }
}

/** @throws TooFewForTest */
async function launchIn(tx: Tx, app: App, of: CampaignKey, prepared: Prepared): Promise<Ended> {
  const campaign = await lockLaunching(tx, of);
  if (!campaign) return nothing;
  if (campaign.version !== prepared.version) return 'changed';
  const unfit = await unfitReason(app, tx, of);
  if (unfit !== undefined) {
    await pauseAutomatically(tx, of, message('pause.not_sendable', { reason: unfit }));
    return nothing;
  }
  await tx.run(sql`select set_config('statement_timeout', ${String(launchMs)}, true)`);
  await recordLeftOut(tx, of, prepared.leftOut);
  if (campaign.publishes) {
    await publishRevision(app, tx, of, { publishes: campaign.publishes, pictures: prepared.pictures });
    return nothing;
  }
  await freezeContent(app, tx, of, prepared.pictures);
  return campaign.type === 'auto'
    ? startAutoresponder(tx, of, campaign)
    : { recipients: await startCampaign(tx, of, campaign) };
}

/** Locks the campaign if it is still to be launched. */
function lockLaunching(tx: Tx, { account, campaign }: CampaignKey): Promise<Launched | undefined> {
  return tx.row<Launched>(sql`
    select title, type, send_at as "sendAt", now() as now, time_match as "timeMatch", best_hour as "bestHour",
      schedule_at as "scheduleAt", match_at as "matchAt", changed_at::text as version, publishes,
      not any_time and (
        select coalesce(settings ->> 'send_window', '') <> '' from account where id = ${account}
      ) as "hasWindow"
    from campaign
    where account_id = ${account}
      and id = ${campaign}
      and ${isLaunching}
    for update`);
}

/** The audience of an autoresponder grows as occasions come; see autoresponder-planner.ts. */
async function startAutoresponder(tx: Tx, of: CampaignKey, launched: Launched): Promise<Ended> {
  await tx.run(sql`
    update campaign
    set status = 'sending', send_at = coalesce(send_at, now())
    where account_id = ${of.account}
      and id = ${of.campaign}`);
  await emitStarted(tx, of, launched, 0);
  return nothing;
}

/** @returns the number of recipients */
async function startCampaign(tx: Tx, of: CampaignKey, launched: Launched): Promise<number> {
  const audience = await segmentsAtLaunch(tx, of);
  // Before the recipients, which are in the partition of this month.
  await tx.run(sql`
    update campaign
    set status = 'sending', send_at = now(), changed_at = now(), in_archive = ${inArchiveAtLaunch},
      due_until = case when ${launched.bestHour || isTimeMatched(launched)} then now() end,
      asked_again = ${isAskedAgain(audience) ? JSON.stringify(audience) : null}::jsonb
    where account_id = ${of.account}
      and id = ${of.campaign}`);
  const recipients = await freezeAudience(tx, of, launched, audience);
  await emitStarted(tx, of, launched, recipients);
  await redoLost(tx, of);
  await finishIfDone(tx, of);
  await tx.run(sql`select pg_notify(${chunkChannel}, '')`);
  return recipients;
}

/** Skipped when a campaign is relaunched after a change during a pause. */
async function emitStarted(tx: Tx, of: CampaignKey, launched: Launched, recipients: number): Promise<void> {
  const { title, sendAt, now: at } = launched;
  if (sendAt === null) await emitCampaignEvent(tx, of, 'campaign.started', { title, at, recipients });
}

async function analyseMonth(db: Database, of: CampaignKey): Promise<void> {
  const partition = await db.row<{ name: string }>(sql`
    select tableoid::regclass::text as name
    from delivery
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}
      and month = ${monthOf(of)}
    limit 1`);
  if (partition) await db.run(sql`analyze (skip_locked) ${raw(partition.name)} (account_id, campaign_id, seq)`);
}

/** Records for the report which pictures could not be embedded. */
async function recordLeftOut(tx: Tx, of: CampaignKey, leftOut: readonly string[]): Promise<void> {
  await tx.run(sql`
    update campaign
    set pictures_left_out = ${JSON.stringify(leftOut.slice(0, maxLeftOut).map((address) => address.slice(0, 500)))}
    where account_id = ${of.account}
      and id = ${of.campaign}`);
}

/** Changes with every change of a campaign that is to be launched now; undefined when it is not. */
async function versionOf({ db }: App, { account, campaign }: CampaignKey): Promise<string | undefined> {
  const row = await db.row<{ version: string }>(sql`
    select changed_at::text as version
    from campaign
    where account_id = ${account}
      and id = ${campaign}
      and ${isLaunching}`);
  return row?.version;
}

/** SQL: the campaign is to be launched, and its sender can no longer undo that. */
const isLaunching = sql`status = 'launching' and (undo_until is null or undo_until <= now())`;

/**
 * Starts the campaigns that are due by the database's clock, each once, however many processes call this.
 * @returns how many were started
 */
export async function startDue(db: Database, latenessSeconds = 4 * 3_600): Promise<number> {
  await pauseLateCampaigns(db, latenessSeconds);
  return db.run(sql`
    with due as (
      select account_id, id
      from campaign
      where status = 'scheduled'
        and schedule_at <= now() + ${widestSpread}
        and ${startsAt} <= now()
      order by schedule_at
      limit 100
      for update skip locked
    ), started as (
      update campaign c
      set status = 'launching', changed_at = now(),
        -- Up to a minute is in time: workers check every second, and a restart takes some.
        late_seconds = case
          when ${startsAt} < now() - interval '1 minute' then extract(epoch from now() - ${startsAt})::int
          else 0
        end
      from due
      where c.account_id = due.account_id
        and c.id = due.id
      returning c.account_id, c.id
    )
    select ${addJob('launchCampaign', { account_id: sql`account_id`, campaign_id: sql`id` })}
    from started`);
}

/**
 * Pauses campaigns found so late that their sender may no longer want them, and notifies their owners; campaignResume sends them.
 */
async function pauseLateCampaigns(db: Database, latenessSeconds: number): Promise<void> {
  const isLate = sql`
    status = 'scheduled'
    and schedule_at <= now() + ${widestSpread}
    and ${startsAt} < now() - make_interval(secs => ${latenessSeconds})`;
  const found = await db.rows<CampaignKey>(sql`
    select c.account_id as account, c.id as campaign from campaign c where ${isLate} limit 100`);
  for (const of of found)
    await db.transaction(async (tx) => {
      const late = await tx.run(sql`
        update campaign c
        set status = 'launching', late_seconds = extract(epoch from now() - ${startsAt})::int
        where account_id = ${of.account}
          and id = ${of.campaign}
          and ${isLate}`);
      if (late > 0) await pauseAutomatically(tx, of, message('pause.late'));
    });
}

/**
 * Why a campaign can no longer be sent since it was scheduled, or was changed while it was paused: a field, list, domain or plan it needs
 * may be gone since, or it was approved as something else. What it is made of is locked for the rest of the transaction.
 */
async function unfitReason(app: App, tx: Tx, of: CampaignKey): Promise<Message | string | undefined> {
  try {
    const account = (await accountById(tx, of.account))!;
    await needSendable({ app, tx, account }, of.campaign);
    return await withdrawnAtLaunch(tx, account, of);
  } catch (error) {
    if (error instanceof Fault) return error.text ?? error.message;
    throw error;
  }
}

type Launched = {
  title: string;
  /** Null before the first launch. */
  sendAt: Date | null;
  now: Date;
  type: string;
  timeMatch: boolean;
  bestHour: boolean;
  scheduleAt: Date | null;
  matchAt: Date | null;
  version: string;
  /** It was launched before, and its corrected text is published. */
  publishes: Publishes | null;
  /** Its recipients are cut by zone, for the send window. */
  hasWindow: boolean;
};

/** Sent by its recipients' clocks. A campaign that is sent now goes to all of them immediately. */
const isTimeMatched = ({ timeMatch, scheduleAt }: Launched): boolean => timeMatch && scheduleAt !== null;

/** @returns the number of recipients. @throws TooFewForTest */
async function freezeAudience(
  tx: Tx,
  of: CampaignKey,
  campaign: Launched,
  audience: AudienceSegments,
): Promise<number> {
  const abTest = await readTest(tx, of);
  const counts = await insertRecipients(tx, of, campaign, audience, abTest);
  if (abTest && counts.recipients > 0 && counts.recipients < abTest.variants)
    throw new TooFewForTest(counts.recipients, abTest.variants);
  await tx.run(sql`
    insert into tally (account_id, campaign_id, shard, recipients, queued)
    values (${of.account}, ${of.campaign}, 0, ${counts.recipients}, ${counts.recipients})`);
  if (counts.versions.length > 0) await recordVersions(tx, of, counts.versions);
  await insertExclusions(tx, of, counts, audience.segments);
  if (abTest) await cutTestChunks(tx, of, abTest, counts.recipients);
  else if (counts.zones.length > 0) await cutByZone(tx, of, counts.zones);
  else await cutChunks(tx, of);
  return counts.recipients;
}

/** An audience in which a variant would have no recipient. */
class TooFewForTest extends Error {
  readonly reason: Message;
  constructor(recipients: number, variants: number) {
    super('there are fewer recipients than variants');
    this.reason = message('pause.too_few_for_test', { recipients, variants });
  }
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

async function insertRecipients(
  tx: Tx,
  of: CampaignKey,
  campaign: Launched,
  { segments, excluded }: AudienceSegments,
  abTest: CampaignTest | undefined,
): Promise<AudienceCounts> {
  // Otherwise the same contacts would be the test group of every campaign.
  const shuffle = abTest ? sql`hashint8extended(contact_id, ${of.campaign})` : sql`hashint4(contact_id)`;
  const byZone = campaign.hasWindow ? sql`zone collate "C"` : sql`true`;
  const { account: accountId, campaign: campaignId } = of;
  const timed = await timedRecipients(tx, of, campaign);
  const { byList, bySegment } = await excludedConditions(
    tx,
    { account: accountId, campaign: campaignId },
    sql`p.contact_id`,
    excluded,
  );
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
      where ${campaign.hasWindow}
      group by due_at, zone
    ), ${await numberedRecipients(tx, of, sql`due_at, ${byZone}`, shuffle)}, frozen as (
      insert into delivery (account_id, campaign_id, seq, month, contact_id, list_id, email, domain, due_at)
      select ${accountId}::int, ${campaignId}::int, seq, ${monthOf(of)}, contact_id, list_id, email, domain, due_at
      from numbered
      returning seq
    )
    select (select count(*) from frozen) as recipients, (
        select coalesce(jsonb_agg(jsonb_build_object('zone', r.zone, 'first', r.last - r.count + 1, 'last', r.last, 'due_at', r.due_at) order by r.last), '[]')
        from (select due_at, zone, count, sum(count) over (order by due_at, zone collate "C") as last from zoned) r
      ) as zones, ${versionRanges} as versions,
      (select count(*) from member) as members, (select count(*) from member) - (select count(*) from person) as duplicate,
      (select count(*) from person) - (select count(*) from unlisted) as by_list,
      (select count(*) from unlisted) - (select count(*) from wanted) as by_segment,
      (select count(*) from wanted) - (select count(*) from kept) as suppressed,
      (select count(*) from kept) - (select count(*) from awake) as paused`);
  return counts!;
}

/** SQL: the CTE `timed`, in which each row of the CTE `awake` has the time at which it is due, and those that it needs. */
async function timedRecipients(tx: Tx, of: CampaignKey, campaign: Launched): Promise<Sql> {
  if (campaign.bestHour) return timedByBestHour(tx, of);
  if (!isTimeMatched(campaign)) return sql`timed as (select k.*, now() as due_at from awake k)`;
  const due = await dueTimes(tx, of, { scheduledAt: campaign.scheduleAt!, matchAt: campaign.matchAt });
  return sql`timed as (
      select k.*, coalesce((${JSON.stringify(due.byZone)}::jsonb ->> k.zone)::timestamptz, ${due.otherwise}::timestamptz) as due_at
      from awake k
    )`;
}

/** Counts the contacts left out, by the reasons of the prediction (campaigns/check/audience.ts). */
async function insertExclusions(
  tx: Tx,
  { account: accountId, campaign: campaignId }: CampaignKey,
  counts: AudienceCounts,
  segments: AudienceSegments['segments'],
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
      and l.campaign_id = ${campaignId}`;
  const chosen =
    segments.length === 0
      ? { outside: 0, unseen: 0 }
      : (await tx.row<{ outside: number; unseen: number }>(sql`
          select count(*)::int - ${counts.members}::int as outside, ${unseen} as unseen ${subscribed}`))!;
  await tx.run(sql`
    insert into exclusion (account_id, campaign_id, reason, count)
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
      group by s.status
    ) as left_out (reason, count)
    where count > 0`);
}
