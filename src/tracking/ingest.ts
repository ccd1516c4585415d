// Stores opens and clicks with group commit: hits wait in a queue and are written together in one transaction. There are a few
// queues, so that this process reads requests and makes answers while the database works; those of one recipient are always in the
// same queue, in order. While the database is unavailable they wait in memory; only when too many wait, or cannot be written at
// all, are they dropped.
// Anyone who has a message can request its addresses without end: how much is kept for a recipient is bounded.
import { setTimeout as sleep } from 'node:timers/promises';
import { isMoving, readMoves } from '../accounts/account/moves.ts';
import { isUntracked } from '../audience/contacts/tracking.ts';
import type { App } from '../base/context.ts';
import { isTransient, isUnavailable, prepared, sql, type Tx } from '../db/connect.ts';
import { formatId, maxId } from '../db/ids.ts';
import { cut, jsonb } from '../db/jsonb.ts';
import { clickHoldMs } from '../events/click-hold.ts';
import { type Event, emit } from '../events/emit.ts';
import { subscriptionsTo } from '../events/types.ts';
import { formatDate } from '../method/date.ts';
import { uncountBursts } from './bursts.ts';
import type { RecipientIds } from './tokens.ts';

export type Hit = RecipientIds & {
  kind: 'open' | 'click';
  link: number | null;
  url: string;
  at: Date;
  ip: string;
  userAgent: string;
  machine: string | null;
};

export type Ingest = {
  /** Resolves when the hit is committed or dropped. Never rejects: the person who clicked goes on to the page. */
  take(hit: Hit): Promise<void>;
};

/** Opens of a message by one recipient that are stored one by one and have an event; as many clicks, and both by machines. */
const maxStoredPerRecipient = 200;
/** As above, the number that is counted. Further ones change nothing. */
const maxCountedPerRecipient = 1_000;

/** Transactions at a time. */
const queueCount = 2;
/** Hits per transaction. */
const maxGroupSize = 2_000;
/** Hits that wait in a queue for the database; further hits are dropped. */
const maxQueued = 25_000;

/** How often dropped hits are logged. */
const dropLogMs = 10_000;
const maxRetryMs = 5_000;

type QueuedHit = { hit: Hit; resolve: () => void };

export function createIngest(app: App): Ingest {
  let dropped = 0;
  let logAt = 0;
  const drop = (group: readonly QueuedHit[], why: unknown) => {
    dropped += group.length;
    for (const { resolve } of group) resolve();
    if (performance.now() < logAt) return;
    app.log.error({ err: why, hits: dropped }, 'opens and clicks were dropped');
    dropped = 0;
    logAt = performance.now() + dropLogMs;
  };
  const queues = Array.from({ length: queueCount }, () => createQueue(app, drop));
  return {
    take: (hit) => new Promise((resolve) => queues[hit.seq % queueCount]!({ hit, resolve })),
  };
}

/** @returns adds a hit */
function createQueue(app: App, drop: (group: readonly QueuedHit[], why: unknown) => void): (queued: QueuedHit) => void {
  let queue: QueuedHit[] = [];
  let writing = false;

  const writeGroups = async () => {
    if (writing) return;
    writing = true;
    for (let waitMs = 100; queue.length > 0; ) {
      const group = queue.slice(0, maxGroupSize);
      try {
        await app.db.transaction((tx) =>
          writeHits(
            tx,
            group.map(({ hit }) => hit),
          ),
        );
        for (const { resolve } of group) resolve();
        waitMs = 100;
      } catch (error) {
        if (isMoving(error)) {
          // Those of an account that is between two installations go on to the new one (src/move/hits.ts).
          const kept = await keepMoving(app, group).catch(() => undefined);
          if (kept === undefined) await sleep(waitMs, undefined, { ref: false });
          for (const { resolve } of kept ?? []) resolve();
          queue = queue.filter((queued) => !kept?.includes(queued));
          continue;
        }
        if (isUnavailable(error) || isTransient(error)) {
          await sleep(waitMs, undefined, { ref: false });
          waitMs = Math.min(maxRetryMs, waitMs * 2);
          continue;
        }
        drop(group, error);
      }
      queue = queue.slice(group.length);
    }
    writing = false;
  };

  return (queued) => {
    if (queue.length >= maxQueued) return drop([queued], new Error('too many hits wait for the database'));
    queue.push(queued);
    // Lets all requests of this event loop turn join the group.
    setImmediate(writeGroups);
  };
}

/** Keeps the hits of accounts whose rows may not be written now. @returns them */
async function keepMoving({ db }: App, group: readonly QueuedHit[]): Promise<QueuedHit[]> {
  const moving = await readMoves(db, sql`not writes`);
  const kept = group.filter(({ hit }) => moving.some(({ account }) => account === hit.account));
  await db.run(sql`
    insert into moved_hit (account, hit)
    select (h ->> 'account')::int, h
    from jsonb_array_elements(${jsonb(kept.map(({ hit }) => hit))}::jsonb) as h`);
  return kept;
}

/**
 * Writes hits, their sums, and the events of people's hits. Hits of unknown recipients, of those who do not want to be tracked, and beyond
 * the bounds of a recipient are ignored.
 */
export async function writeHits(tx: Tx, hits: readonly Hit[]): Promise<void> {
  const written = await tx.rows<WrittenHit>(
    prepared(sql`
    with incoming as (
      select *
      -- Not jsonb, which is built before it is read: 5 instead of 9 microseconds a hit.
      from json_to_recordset(${rowsOf(hits)}::json) as g(account_id int, campaign_id int, seq int, kind text, link_no int,
        at timestamptz, ip text, user_agent text, machine text, url text)
    ), numbered as (
      select g.*, c.month, c.type in ('html', 'plain') as is_campaign, d.contact_id, d.list_id, d.email, case when d.contact_id > ${maxId} then d.occasion else '' end as message,
        row_number() over (partition by g.account_id, g.campaign_id, g.seq, g.kind, g.machine is null order by g.at)
          + coalesce(
            case
              when g.kind = 'open' and g.machine is null then e.opens
              when g.kind = 'open' then e.machine_opens
              when g.machine is null then e.clicks
              else e.machine_clicks
            end,
            0
          ) as number
      from incoming g
      join campaign c on c.account_id = g.account_id and c.id = g.campaign_id
      -- "offset 0" makes each one look into the partition of the month, where a join might read all of them.
      cross join lateral (
        select contact_id, list_id, email, occasion
        from delivery
        where account_id = g.account_id
          and campaign_id = g.campaign_id
          and seq = g.seq
          and month = c.month
          and not ${isUntracked(sql`delivery`)}
        offset 0
      ) d
      left join lateral (
        select opens, clicks, machine_opens, machine_clicks
        from engagement
        where account_id = g.account_id
          and campaign_id = g.campaign_id
          and seq = g.seq
          and month = c.month
        offset 0
      ) e on true
    ), matched as (
      select *
      from numbered
      where number <= ${maxCountedPerRecipient}
    ), written as (
      insert into hit (account_id, campaign_id, seq, kind, link_no, at, ip, user_agent, machine)
      select account_id, campaign_id, seq, kind, link_no, at, ip, user_agent, machine
      from matched
      where number <= ${maxStoredPerRecipient}
    ), sums as (
      ${sumsOfRecipients}
    ), summed as (
      insert into engagement as e (account_id, campaign_id, seq, month, contact_id, opens, clicks, machine_opens, machine_clicks,
        last_open_at, first_click_at, last_click_at, first_hit_at, last_hit_at)
      select account_id, campaign_id, seq, month, contact_id, opens, clicks, machine_opens, machine_clicks,
        last_open_at, first_click_at, last_click_at, first_hit_at, last_hit_at
      from sums
      -- Always in the same order, so that two processes never deadlock.
      order by account_id, campaign_id, seq
      on conflict (account_id, campaign_id, seq, month) do update
      set opens = e.opens + excluded.opens, clicks = e.clicks + excluded.clicks,
        machine_opens = e.machine_opens + excluded.machine_opens, machine_clicks = e.machine_clicks + excluded.machine_clicks,
        last_open_at = greatest(e.last_open_at, excluded.last_open_at),
        first_click_at = least(e.first_click_at, excluded.first_click_at), last_click_at = greatest(e.last_click_at, excluded.last_click_at),
        first_hit_at = least(e.first_hit_at, excluded.first_hit_at), last_hit_at = greatest(e.last_hit_at, excluded.last_hit_at)
      returning account_id, campaign_id, seq, opens, clicks
    ), reacted as (
      ${newReactions}
    ), linked as (
      insert into link_engagement as l (account_id, campaign_id, link_no, seq, month, contact_id, clicks, machine_clicks)
      select account_id, campaign_id, link_no, seq, month, contact_id, count(*) filter (where machine is null), count(*) filter (where machine is not null)
      from matched
      where kind = 'click'
      group by account_id, campaign_id, link_no, seq, month, contact_id
      order by account_id, campaign_id, link_no, seq
      on conflict (account_id, campaign_id, link_no, seq, month) do update
      set clicks = l.clicks + excluded.clicks, machine_clicks = l.machine_clicks + excluded.machine_clicks
    )
    select account_id as account, campaign_id as campaign, contact_id as contact, list_id as list, email, kind, at, ip, url,
      user_agent as "userAgent", message
    from matched
    where machine is null
      and number <= ${maxStoredPerRecipient}
      -- Otherwise no webhook gets an event of it.
      and account_id in (
        select account_id
        from webhook
        where status <> 'off'
          and events && ${hitEvents}::text[]
      )`),
  );
  for (const [account, ofAccount] of Map.groupBy(written, ({ account }) => account))
    await emit(tx, account, ofAccount.map(eventOf));
  await uncountBursts(
    tx,
    hits.filter(({ kind, machine }) => kind === 'click' && machine === null),
  );
}

/** What the transaction adds for each recipient. */
const sumsOfRecipients = sql`
  select account_id, campaign_id, seq, month, contact_id, is_campaign,
    count(*) filter (where kind = 'open' and machine is null) as opens,
    count(*) filter (where kind = 'click' and machine is null) as clicks,
    count(*) filter (where kind = 'open' and machine is not null) as machine_opens,
    count(*) filter (where kind = 'click' and machine is not null) as machine_clicks,
    max(at) filter (where kind = 'open' and machine is null) as last_open_at,
    min(at) filter (where kind = 'click' and machine is null) as first_click_at,
    max(at) filter (where kind = 'click' and machine is null) as last_click_at,
    min(at) as first_hit_at,
    max(at) as last_hit_at
  from matched
  group by account_id, campaign_id, seq, month, contact_id, is_campaign`;

/**
 * Contacts whose sums have nothing from before, for summaries.ts: a row for each campaign. What is added and what it comes to are grouped,
 * not joined: the planner expects one hit, and would compare each recipient of a group with all others.
 */
const newReactions = sql`
  insert into new_reaction (account_id, campaign_id, opened, clicked)
  select account_id, campaign_id, coalesce(array_agg(contact_id) filter (where added = total), '{}'),
    coalesce(array_agg(contact_id) filter (where added_clicks > 0 and added_clicks = total_clicks), '{}')
  from (
    select account_id, campaign_id, max(contact_id) as contact_id, max(added) as added, max(added_clicks) as added_clicks,
      max(total) as total, max(total_clicks) as total_clicks
    from (
      select account_id, campaign_id, seq, contact_id, opens + clicks as added, clicks as added_clicks,
        null::int as total, null::int as total_clicks
      from sums
      where is_campaign
        and opens + clicks > 0
      union all
      select account_id, campaign_id, seq, null, null, null, opens + clicks, clicks
      from summed
    ) as part
    group by account_id, campaign_id, seq
  ) as recipient
  where added = total
    or (added_clicks > 0 and added_clicks = total_clicks)
  group by account_id, campaign_id`;

const rowsOf = (hits: readonly Hit[]): string =>
  jsonb(
    hits.map((hit) => ({
      account_id: hit.account,
      campaign_id: hit.campaign,
      seq: hit.seq,
      kind: hit.kind,
      link_no: hit.link,
      at: hit.at,
      ip: hit.ip,
      user_agent: cut(hit.userAgent, 300),
      machine: hit.machine,
      url: hit.url,
    })),
  );

const hitEvents = [...new Set([...subscriptionsTo('email.open'), ...subscriptionsTo('email.click')])];

type WrittenHit = {
  /** The public id of a single message; '' for a campaign. */
  message: string;
  account: number;
  campaign: number;
  contact: number;
  list: number;
  email: string;
  kind: 'open' | 'click';
  at: Date;
  ip: string;
  url: string;
  userAgent: string;
};

function eventOf(hit: WrittenHit): Event {
  const message = {
    ...(hit.message === ''
      ? { campaign: formatId(hit.campaign), list: formatId(hit.list), contact: formatId(hit.contact) }
      : { campaign: '', list: '', contact: '', message: hit.message }),
    email: hit.email,
    ip: hit.ip,
    user_agent: hit.userAgent,
    ts: formatDate(hit.at),
  };
  const ofList = hit.message === '' ? { listId: hit.list } : {};
  return hit.kind === 'open'
    ? { type: 'email.open', source: 'subscriber', ...ofList, data: message }
    : {
        type: 'email.click',
        source: 'subscriber',
        ...ofList,
        holdMs: clickHoldMs,
        data: { ...message, url: hit.url },
      };
}
