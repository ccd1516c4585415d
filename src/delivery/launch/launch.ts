// Launch: turns a campaign into chunks that workers can take. In one transaction the content is frozen, and the audience of a small
// campaign, or the first portion of a large one. A crash before its commit leaves nothing behind and the task starts over; a launched
// campaign is not launched twice. The other portions follow in transactions of their own (freeze-rest.ts) while
// workers send to the first. A launch that keeps failing is paused with the reason.

import { accountById } from '../../accounts/account/account.ts';
import { isWorking } from '../../accounts/account/moves.ts';
import { segmentsAtLaunch } from '../../audience/segments/audience.ts';
import type { App, Context } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import type { Log } from '../../base/log.ts';
import { type Message, message } from '../../base/messages.ts';
import { withDocuments } from '../../base/threads/outside.ts';
import { withdrawnAtLaunch } from '../../campaigns/approval/needed.ts';
import { type Gathered, gatherInlineImages } from '../../campaigns/content/pictures/inline-images.ts';
import { inArchiveAtLaunch } from '../../campaigns/public-archive/archive.ts';
import { needLaunchable } from '../../campaigns/release/sendable.ts';
import { type Database, isTransient, isUnavailable, preparing, sql, type Tx } from '../../db/connect.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { chunkChannel } from '../../jobs/channels.ts';
import { addJob } from '../../jobs/queue.ts';
import type { Payload, TaskContext } from '../../jobs/tasks.ts';
import { isAskedAgain } from '../ledger/asked-again.ts';
import { finishIfDone } from '../outcomes/finish.ts';
import { pauseAutomatically } from '../outcomes/pause-automatically.ts';
import { redoLost } from '../recovery/redo.ts';
import { freezeAudience, isTimeMatched, type Timing, TooFewForTest } from './freeze-audience.ts';
import { freezeContent } from './freeze-content.ts';
import { analyseMonth, emitStarted, freezeRest, isFreezing } from './freeze-rest.ts';
import { startsAt, widestSpread } from './local-time.ts';
import { firstBound, fromTheStart, portionSizes } from './portion.ts';
import { type Publishes, publishRevision } from './revision.ts';

/** Failures after which a campaign is paused: about ten seconds, and half an hour for errors that may not occur again. */
const maxFailures = 3;
const maxTransientFailures = 8;

/** Addresses of pictures kept for the report. */
const maxLeftOut = 100;

/** An audience that is frozen as a whole takes longer than an ordinary statement may: a million recipients about fifteen seconds. */
const launchMs = 60 * 60_000;

/** Freezes the content and the audience of a campaign and cuts it into chunks. */
export async function launchCampaign(
  { app, log, signal }: TaskContext,
  { account_id, campaign_id }: Payload<'launchCampaign'>,
  attempt = 1,
): Promise<void> {
  const of = { account: account_id, campaign: campaign_id };
  try {
    await launch(app, of, { log, signal });
  } catch (error) {
    if (isUnavailable(error) || attempt < (isTransient(error) ? maxTransientFailures : maxFailures)) throw error;
    log.error({ err: error, ...of }, 'a campaign could not be launched; it is paused');
    await app.db.transaction((tx) => pauseAutomatically(tx, of, message('pause.launch_failed')));
  }
}

/** How a launch runs. `signal` is aborted when the process is to end. */
type How = { log: Log; signal?: AbortSignal; sizes?: typeof portionSizes };

/**
 * Launches a campaign that is in state launching, and freezes what an earlier launch left to freeze; does nothing when there is neither.
 * What takes long, such as fetching pictures, comes before the transaction; when the campaign was changed meanwhile, it is done again.
 */
export async function launch(app: App, of: CampaignKey, how: Partial<How> = {}): Promise<void> {
  const { log = app.log, signal, sizes = portionSizes } = how;
  // Before a corrected text is published, so that its recipients are all there.
  if (await isFreezing(app.db, of)) await freezeRest(app, of, { log, signal, sizes });
  let ended: Ended = 'changed';
  while (ended === 'changed') {
    const prepared = await prepare(app, log, of);
    if (!prepared) return;
    ended = await launchPrepared(app, of, { ...prepared, sizes });
  }
  // The planner must know of the new rows: the statements of the send loops are planned from these statistics. Not within
  // the transaction, where it would wait for every vacuum and keep other launches waiting.
  if (ended.recipients > 1_000) await analyseMonth(app.db, of, log);
  if (!ended.isComplete) await freezeRest(app, of, { log, signal, sizes });
}

/** What was found out before the transaction, about a version of the campaign. */
type Prepared = Gathered & { version: string };
type Launching = Prepared & { sizes: typeof portionSizes };

/**
 * How a transaction ended: launched to so many so far, none of them if it is paused instead; or not at all, since the campaign
 * was changed.
 */
type Ended = 'changed' | { recipients: number; isComplete: boolean };

const nothing = { recipients: 0, isComplete: true } as const satisfies Ended;

/** @returns undefined when the campaign is not to be launched now */
async function prepare(app: App, log: Log, of: CampaignKey): Promise<Prepared | undefined> {
  const version = await versionOf(app, of);
  if (version === undefined) return undefined;
  return { version, ...(await gatherInlineImages(app, log, of)) };
}

/** Launches what is prepared, or pauses the campaign with the reason for which it cannot be sent. */
async function launchPrepared(app: App, of: CampaignKey, prepared: Launching): Promise<Ended> {
  try {
    return await withDocuments(of.account, () =>
      app.db.transaction((tx) => launchIn(tx, app, of, prepared), launchMs + 5_000),
    );
  } catch (error) {
    const reason = refusal(error);
    if (reason === undefined) throw error;
    await app.db.transaction((tx) => pauseAutomatically(tx, of, reason));
    return nothing;
  }
}

/** Why the audience or the content is refused; undefined for an error after which the launch is tried again. */
function refusal(error: unknown): Message | undefined {
  if (error instanceof TooFewForTest) return error.reason;
  if (error instanceof Fault && error.fault === 'CONTENT_INVALID')
    return message('pause.not_sendable', { reason: error.text });
  return undefined;
}

/** @throws TooFewForTest, Fault CONTENT_INVALID */
async function launchIn(tx: Tx, app: App, of: CampaignKey, prepared: Launching): Promise<Ended> {
  // Many small campaigns may be due at the same minute: what is read and written once for each is planned once.
  const once = preparing(tx);
  const campaign = await lockLaunching(once, of);
  if (!campaign) return nothing;
  if (campaign.version !== prepared.version) return 'changed';
  const account = (await accountById(once, of.account))!;
  const context = { app, tx: once, account };
  const unfit = await unfitReason(context, of);
  if (unfit !== undefined) {
    await pauseAutomatically(tx, of, message('pause.not_sendable', { reason: unfit }));
    return nothing;
  }
  await once.run(sql`select set_config('statement_timeout', ${String(launchMs)}, true)`);
  await recordLeftOut(once, of, prepared.leftOut);
  if (campaign.publishes) {
    await publishRevision({ ...context, tx }, of.campaign, {
      publishes: campaign.publishes,
      pictures: prepared.pictures,
    });
    return nothing;
  }
  await freezeContent(context, of.campaign, prepared.pictures);
  return campaign.type === 'auto'
    ? startAutoresponder(tx, of, campaign)
    : startCampaign(tx, of, campaign, prepared.sizes);
}

/** Locks the campaign if it is still to be launched. */
function lockLaunching(tx: Tx, { account, campaign }: CampaignKey): Promise<Launched | undefined> {
  return tx.row<Launched>(sql`
    select title, type, send_at as "sendAt", now() as now, now()::text as "startedAt", time_match as "timeMatch", best_hour as "bestHour",
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
  if (launched.sendAt === null) await emitStarted(tx, of, launched, 0);
  return nothing;
}

/** @throws TooFewForTest */
async function startCampaign(tx: Tx, of: CampaignKey, launched: Launched, sizes: typeof portionSizes): Promise<Ended> {
  const once = preparing(tx);
  const audience = await segmentsAtLaunch(once, of);
  // Before the recipients, which are in the partition of this month.
  await once.run(sql`
    update campaign
    set status = 'sending', send_at = now(), changed_at = now(), in_archive = ${inArchiveAtLaunch},
      due_until = case when ${launched.bestHour || isTimeMatched(launched)} then now() end,
      asked_again = ${isAskedAgain(audience) ? JSON.stringify(audience) : null}::jsonb
    where account_id = ${of.account}
      and id = ${of.campaign}`);
  const upto = await firstBound(tx, of, sizes);
  const portion = { after: fromTheStart, upto, recipients: 0, startedAt: launched.startedAt };
  const recipients = await freezeAudience(tx, of, launched, audience, portion);
  // Skipped when a campaign is relaunched after a change during a pause.
  const announces = launched.sendAt === null;
  if (upto !== null)
    await tx.run(sql`
      insert into freezing (account_id, campaign_id, upto, recipients, audience, announces)
      values (${of.account}, ${of.campaign}, ${upto}, ${recipients}, ${JSON.stringify(audience)}, ${announces})`);
  else if (announces) await emitStarted(once, of, launched, recipients);
  await redoLost(tx, of);
  await finishIfDone(tx, of);
  await once.run(sql`select pg_notify(${chunkChannel}, '')`);
  return { recipients, isComplete: upto === null };
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
        and ${isWorking(sql`account_id`)}
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
    select c.account_id as account, c.id as campaign
    from campaign c
    where ${isLate}
      and ${isWorking(sql`c.account_id`)}
    limit 100`);
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
async function unfitReason(
  { tx, account }: Pick<Context, 'tx' | 'account'>,
  of: CampaignKey,
): Promise<Message | string | undefined> {
  try {
    await needLaunchable({ tx, account }, of.campaign);
    return await withdrawnAtLaunch(tx, account, of);
  } catch (error) {
    if (error instanceof Fault) return error.text ?? error.message;
    throw error;
  }
}

type Launched = Timing & {
  title: string;
  /** Null before the first launch. */
  sendAt: Date | null;
  now: Date;
  startedAt: string;
  type: string;
  version: string;
  /** It was launched before, and its corrected text is published. */
  publishes: Publishes | null;
};
