// Follows the links of a campaign in the background, and keeps the results for campaignCheck, which never waits for them. One link of
// a host at a time. May run twice: a result replaces the one before.
import type { App, PrepareContext } from '../../../base/context.ts';
import { type Queries, sql } from '../../../db/connect.ts';
import { parseId } from '../../../db/ids.ts';
import type { CampaignKey } from '../../../db/keys.ts';
import { enqueue } from '../../../jobs/queue.ts';
import type { Payload, TaskContext } from '../../../jobs/tasks.ts';
import { type FollowedAddress, followedAddresses } from './addresses.ts';
import { type Followed, followLink } from './follow-link.ts';

/** A link that works is followed again after a day, another one soon: its author may be repairing it. */
const goodForHours = 24;
const badForMinutes = 10;
/** The links that are left then are followed by the next run. */
const maxRunMs = 120_000;
const hostsAtOnce = 4;
/** Timeouts after which a host is left alone until the next run. */
const timeoutsOfHost = 2;
const keptDays = 30;

/** Queues the following of a campaign's links, if one has no recent result. The check works without it, such as in a database on stand-by. */
export async function followLater({ app, account, log }: PrepareContext, cid: string): Promise<void> {
  if (app.config.followLinks === 'no') return;
  try {
    await queueDue(app, { account: account.id, campaign: parseId(cid) });
  } catch (error) {
    log.warn({ err: error }, 'links of a campaign cannot be queued to be followed');
  }
}

async function queueDue(app: App, of: CampaignKey): Promise<void> {
  const due = await dueLinks(app, app.db, of);
  if (due.length === 0) return;
  await enqueue(
    app.db,
    'followLinks',
    { account_id: of.account, campaign_id: of.campaign },
    { key: `follow_links_${of.account}_${of.campaign}` },
  );
}

/** The task. */
export async function followLinks(
  { app, signal }: Pick<TaskContext, 'app' | 'signal'>,
  { account_id: accountId, campaign_id: campaignId }: Payload<'followLinks'>,
): Promise<void> {
  const until = performance.now() + maxRunMs;
  const byHost = Map.groupBy(
    await dueLinks(app, app.db, { account: accountId, campaign: campaignId }),
    ({ address }) => new URL(address).host,
  );
  const hosts = [...byHost.values()];
  const unknownNames: FollowedAddress[] = [];
  let answers = 0;
  const worker = async () => {
    for (let links = hosts.shift(); links; links = hosts.shift()) {
      let timeouts = 0;
      for (const link of links) {
        if (signal.aborted || performance.now() > until || timeouts >= timeoutsOfHost) break;
        const result = await followLink(app.outbound, link.address, { ownUrl: app.baseUrl, signal });
        if (result.outcome === 'failing' && result.reason === 'timeout') timeouts++;
        if (result.outcome !== 'unknown' && result.reason === 'name') {
          unknownNames.push(link);
          continue;
        }
        answers++;
        await keep(app.db, accountId, link, result);
      }
    }
  };
  await Promise.all(Array.from({ length: hostsAtOnce }, worker));
  // A name server that knows none of several names knows none of the web.
  if (answers > 0 || byHost.size === 1)
    for (const link of unknownNames) await keep(app.db, accountId, link, { outcome: 'gone', reason: 'name' });
  await app.db.run(sql`
    delete from followed_link
    where account_id = ${accountId}
      and followed_at < now() - make_interval(days => ${keptDays})`);
}

async function keep(db: Queries, accountId: number, { hash }: FollowedAddress, result: Followed): Promise<void> {
  if (result.outcome === 'unknown') return;
  await db.run(sql`
    insert into followed_link (account_id, hash, outcome, reason)
    values (${accountId}, ${hash}, ${result.outcome}, ${result.reason})
    on conflict (account_id, hash) do update
    set followed_at = excluded.followed_at, outcome = excluded.outcome, reason = excluded.reason`);
}

/** The links of a campaign that is not yet sent, without those that have a recent result. */
async function dueLinks(app: App, db: Queries, of: CampaignKey): Promise<FollowedAddress[]> {
  const campaign = await db.row(sql`
    select from campaign
    where account_id = ${of.account}
      and id = ${of.campaign}
      and status in ('draft', 'scheduled')`);
  if (!campaign) return [];
  const links = followedAddresses(await contentsOf(db, of), app.baseUrl);
  if (links.length === 0) return [];
  const recent = await db.rows<{ hash: string }>(sql`
    select encode(hash, 'hex') as hash
    from followed_link
    where account_id = ${of.account}
      and hash = any(${links.map(({ hash }) => hash)}::bytea[])
      and followed_at > now() - case outcome
        when 'answered' then make_interval(hours => ${goodForHours})
        else make_interval(mins => ${badForMinutes})
      end`);
  const known = new Set(recent.map(({ hash }) => hash));
  return links.filter(({ hash }) => !known.has(hash.toString('hex')));
}

/** What the campaign and its variants are written with. */
export async function contentsOf(db: Queries, of: CampaignKey): Promise<{ html: string; plain: string }[]> {
  return db.rows<{ html: string; plain: string }>(sql`
    select case when type = 'plain' then '' else html end as html, plain
    from campaign
    where account_id = ${of.account}
      and id = ${of.campaign}
    union all
    select coalesce(html, ''), coalesce(plain, '')
    from campaign_variant
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}`);
}
