// Freezes the audience of a large campaign portion by portion, while workers send to the first ones. Each portion is one transaction, which
// also writes how far it went: after a crash the next run continues there, with the next number. It continues while the campaign is
// paused, and ends with its stop or deletion. Several runs take turns by the lock of the row.
import type { AudienceSegments } from '../../audience/segments/audience.ts';
import type { App } from '../../base/context.ts';
import type { Log } from '../../base/log.ts';
import { emitCampaignEvent } from '../../campaigns/model/events.ts';
import { monthOf } from '../../campaigns/model/month.ts';
import { type Database, raw, sql, type Tx } from '../../db/connect.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { chunkChannel } from '../../jobs/channels.ts';
import { finishIfDone } from '../outcomes/finish.ts';
import { doubtAfter, redoLost } from '../recovery/redo.ts';
import { freezeAudience, type Timing } from './freeze-audience.ts';
import { nextBound, nextSize, type portionSizes } from './portion.ts';

/** A portion takes seconds; on a machine that is short of everything it may take minutes. */
const portionMs = 10 * 60_000;

export async function isFreezing(db: Database, { account, campaign }: CampaignKey): Promise<boolean> {
  const row = await db.row(sql`select from freezing where account_id = ${account} and campaign_id = ${campaign}`);
  return row !== undefined;
}

type How = { log: Log; signal: AbortSignal | undefined; sizes: typeof portionSizes };

/** Freezes what is left of an audience; does nothing when the campaign is not being frozen. */
export async function freezeRest(app: App, of: CampaignKey, { log, signal, sizes }: How): Promise<void> {
  let analysed = 0;
  for (let size = sizes.first; ; ) {
    const startedAt = performance.now();
    const frozen = await app.db.transaction((tx) => freezeNext(tx, of, size), portionMs + 5_000);
    if (!frozen) return;
    // The planner must know of the new rows, but a tenth more does not change a plan.
    if (frozen.isLast || frozen.recipients > 4 * analysed) {
      await analyseMonth(app.db, of, log);
      analysed = frozen.recipients;
    }
    if (frozen.isLast) {
      // A worker that ended the last chunk before this commit has left it to us.
      await app.db.transaction((tx) => finishIfDone(tx, of));
      return;
    }
    if (signal?.aborted) throw new Error('interrupted; continues with the next worker');
    size = Math.min(sizes.most, nextSize(size, performance.now() - startedAt));
  }
}

type Frozen = { isLast: boolean; recipients: number };

/** @returns undefined when there is nothing left to freeze */
async function freezeNext(tx: Tx, of: CampaignKey, size: number): Promise<Frozen | undefined> {
  const campaign = await lockCampaign(tx, of);
  const begun = campaign && (await lockFreezing(tx, of));
  if (!begun) return undefined;
  await tx.run(sql`select set_config('statement_timeout', ${String(portionMs)}, true)`);
  const { startedAt, recipients: before } = begun;
  const upto = await nextBound(tx, of, begun.upto, size);
  const portion = { after: begun.upto, upto, recipients: before, startedAt };
  const recipients = before + (await freezeAudience(tx, of, campaign, begun.audience, portion));
  await redoLost(tx, of);
  if (begun.doubted) await doubtAfter(tx, of, before);
  if (upto === null) {
    await tx.run(sql`delete from freezing where account_id = ${of.account} and campaign_id = ${of.campaign}`);
    // Of contacts that are not in the audience.
    await tx.run(sql`delete from lost_attempt where account_id = ${of.account} and campaign_id = ${of.campaign}`);
    if (begun.announces) await emitStarted(tx, of, { title: campaign.title, now: campaign.sendAt }, recipients);
  } else
    await tx.run(sql`
      update freezing
      set upto = ${upto}, recipients = ${recipients}
      where account_id = ${of.account}
        and campaign_id = ${of.campaign}`);
  await tx.run(sql`select pg_notify(${chunkChannel}, '')`);
  return { isLast: upto === null, recipients };
}

/**
 * Locks the campaign as little as possible: it can be paused, resumed and sent meanwhile. Its end, its deletion and every change wait for
 * the portion, and a portion for them.
 */
function lockCampaign(
  tx: Tx,
  { account, campaign }: CampaignKey,
): Promise<(Timing & { title: string; sendAt: Date }) | undefined> {
  return tx.row(sql`
    select title, send_at as "sendAt", time_match as "timeMatch", best_hour as "bestHour", schedule_at as "scheduleAt",
      match_at as "matchAt",
      not any_time and (
        select coalesce(settings ->> 'send_window', '') <> '' from account where id = ${account}
      ) as "hasWindow"
    from campaign
    where account_id = ${account}
      and id = ${campaign}
    for key share`);
}

type Begun = {
  upto: number;
  recipients: number;
  startedAt: string;
  audience: AudienceSegments;
  announces: boolean;
  doubted: boolean;
};

function lockFreezing(tx: Tx, { account, campaign }: CampaignKey): Promise<Begun | undefined> {
  return tx.row<Begun>(sql`
    select upto, recipients, started_at::text as "startedAt", audience, announces, doubted
    from freezing
    where account_id = ${account}
      and campaign_id = ${campaign}
    for update`);
}

/** Announces that a campaign has started, when all its recipients are known. */
export async function emitStarted(
  tx: Tx,
  of: CampaignKey,
  { title, now: at }: { title: string; now: Date },
  recipients: number,
): Promise<void> {
  await emitCampaignEvent(tx, of, 'campaign.started', { title, at, recipients });
}

/** Lets the planner know of the recipients of a campaign. */
export async function analyseMonth(db: Database, of: CampaignKey, log: Log): Promise<void> {
  try {
    const partition = await db.row<{ name: string }>(sql`
      select tableoid::regclass::text as name
      from delivery
      where account_id = ${of.account}
        and campaign_id = ${of.campaign}
        and month = ${monthOf(of)}
      limit 1`);
    if (partition) await db.run(sql`analyze (skip_locked) ${raw(partition.name)} (account_id, campaign_id, seq)`);
  } catch (error) {
    log.warn({ err: error }, 'the statistics of the recipients could not be updated');
  }
}
