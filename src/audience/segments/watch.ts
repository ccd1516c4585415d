// The events segment.joined and segment.left: nothing that changes a contact says which segments it is in, so the segments of
// accounts with a webhook for these events are looked at regularly. What a look finds is recorded together with its events, so
// each change of a contact is one event, wherever a worker dies.
import { isWorking } from '../../accounts/account/moves.ts';
import type { App } from '../../base/context.ts';
import { isUnavailable, sql, type Tx } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { jsonb } from '../../db/jsonb.ts';
import { emitSet } from '../../events/emit.ts';
import { memberTypes, subscriptionsTo } from '../../events/types.ts';
import type { TaskContext } from '../../jobs/tasks.ts';
import { formatDate } from '../../method/date.ts';
import { followsList, type Match, type SegmentFilter } from '../model/segment.ts';
import { segmentCondition } from './condition-sql.ts';
import { zoneOf } from './days.ts';
import { idsIn } from './describe.ts';
import { namesFor } from './references.ts';

/** Between two looks at a segment. */
const lookSeconds = 60;
/** A look that takes long rests that many times as long. */
const restFactor = 20;
/** A segment that follows its list is looked at when a subscription has changed since its last look, and this long after it anyway. */
const quietHours = 6;
/** How long a change may take to be committed: its time is that at which its transaction began. */
const longestChangeMinutes = 15;
/** Changes of one transaction, each with its events. */
export const portion = { changes: 20_000 };
/** A million members take longer than an ordinary statement may. */
const lookMs = 60_000;

type SegmentKey = { account: number; segment: number };
type Watched = SegmentKey & {
  list: number;
  title: string;
  match: Match;
  filter: SegmentFilter;
  isRecorded: boolean;
  now: Date;
};

/** Looks at each segment that is due. A segment is looked at by one worker at a time. */
export async function watchSegments({ app, signal }: Pick<TaskContext, 'app' | 'signal'>): Promise<void> {
  await chooseSegments(app);
  await passOverQuiet(app);
  const due = await app.db.rows<SegmentKey>(sql`
    select account_id as account, segment_id as segment
    from segment_watch
    where look_at <= now()
      and ${isWorking(sql`account_id`)}
    order by look_at`);
  for (const key of due) {
    try {
      let isFull = true;
      while (isFull && !signal.aborted) isFull = await app.db.transaction((tx) => look(tx, key), lookMs + 5_000);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      app.log.error({ err: error, ...key }, 'segment check failed; retrying');
    }
  }
}

/** Watches the segments of lists that a webhook wants these events of, and no longer the others. */
async function chooseSegments({ db }: Pick<App, 'db'>): Promise<void> {
  const isWanted = sql`exists (
    select
    from webhook w
    where w.account_id = g.account_id
      and w.status <> 'off'
      and w.events && ${[...new Set(memberTypes.flatMap(subscriptionsTo))]}::text[]
      and (w.list_id is null or w.list_id = g.list_id)
  )`;
  await db.run(sql`
    delete from segment_watch h
    using segment g
    where g.account_id = h.account_id
      and g.id = h.segment_id
      and not ${isWanted}`);
  await db.run(sql`
    insert into segment_watch (account_id, segment_id)
    select g.account_id, g.id
    from segment g
    where ${isWanted}
      and not exists (select from segment_watch h where h.account_id = g.account_id and h.segment_id = g.id)
    on conflict do nothing`);
}

/** Segments that follow their list wait for another look while nothing has changed in it. */
async function passOverQuiet({ db }: Pick<App, 'db'>): Promise<void> {
  const since = sql`h.looked_at - make_interval(mins => ${longestChangeMinutes})`;
  await db.run(sql`
    update segment_watch h
    set look_at = now() + make_interval(secs => ${lookSeconds})
    from segment g
    where g.account_id = h.account_id
      and g.id = h.segment_id
      and h.look_at <= now()
      and h.follows_list
      and h.looked_at > now() - make_interval(hours => ${quietHours})
      and g.changed_at < ${since}
      and not exists (
        select
        from subscription s
        where s.account_id = g.account_id
          and s.list_id = g.list_id
          and s.changed_at >= ${since}
      )`);
}

/** @returns whether there may be more changes */
async function look(tx: Tx, key: SegmentKey): Promise<boolean> {
  const row = await tx.row<Omit<Watched, keyof SegmentKey>>(sql`
    select g.list_id as list, g.title, g.match, g.filter, h.looked_at is not null as "isRecorded", now() as now
    from segment_watch h
    join segment g on g.account_id = h.account_id and g.id = h.segment_id
    where h.account_id = ${key.account}
      and h.segment_id = ${key.segment}
      and h.look_at <= now()
    for no key update of h skip locked`);
  if (!row) return false;
  const watched: Watched = { ...key, ...row };
  const beganAt = performance.now();
  const names = await namesFor({ tx, account: { id: key.account } }, [row.filter]);
  // A segment about a deleted campaign or list has no members that could be found.
  const canBeRead = idsIn(row.filter).every((id) => names.has(id));
  await tx.run(sql`select set_config('statement_timeout', ${String(lookMs)}, true)`);
  const changes = canBeRead ? await recordChanges(tx, watched) : [];
  // The first look only records who is in the segment.
  if (row.isRecorded) await emitChanges(tx, watched, changes);
  const isFull = row.isRecorded && changes.length === portion.changes;
  const seconds = isFull ? 0 : Math.max(lookSeconds, ((performance.now() - beganAt) / 1_000) * restFactor);
  await tx.run(sql`
    update segment_watch
    set looked_at = now(), look_at = now() + make_interval(secs => ${seconds}), follows_list = ${!isFull && followsList(row.filter)}
    where account_id = ${key.account}
      and segment_id = ${key.segment}`);
  return isFull;
}

type Change = { contact: number; joined: boolean };

async function recordChanges(
  tx: Tx,
  { account, segment, list, match, filter, isRecorded }: Watched,
): Promise<Change[]> {
  const zone = await zoneOf(tx, account);
  const inside = sql`
    select s.contact_id
    from subscription s
    join contact c on c.account_id = s.account_id and c.id = s.contact_id
    where s.account_id = ${account}
      and s.list_id = ${list}
      and s.status = 'subscribed'
      and ${segmentCondition(match, filter, { accountId: account, listId: list, zone })}`;
  if (!isRecorded) {
    await tx.run(sql`
      insert into segment_member (account_id, segment_id, contact_id)
      select ${account}::int, ${segment}::int, contact_id
      from (${inside}) as i
      on conflict do nothing`);
    return [];
  }
  // A full join and an array: with statistics that lag behind, the planner would choose nested loops over all members.
  return tx.rows<Change>(sql`
    with inside as materialized (${inside}), changed as materialized (
      select coalesce(i.contact_id, m.contact_id) as contact, i.contact_id is not null as joined
      from inside i
      full join (
        select contact_id
        from segment_member
        where account_id = ${account}
          and segment_id = ${segment}
      ) as m on m.contact_id = i.contact_id
      where i.contact_id is null or m.contact_id is null
      order by 1
      limit ${portion.changes}
    ), added as (
      insert into segment_member (account_id, segment_id, contact_id)
      select ${account}::int, ${segment}::int, contact
      from changed
      where joined
      on conflict do nothing
    ), removed as (
      delete from segment_member
      where account_id = ${account}
        and segment_id = ${segment}
        and contact_id = any (array(select contact from changed where not joined))
    )
    select contact, joined from changed`);
}

/** Events of contacts that still exist; the deletion of a contact is an event of its own. */
async function emitChanges(
  tx: Tx,
  { account, segment, list, title, now }: Watched,
  changes: readonly Change[],
): Promise<void> {
  if (changes.length === 0) return;
  const same = { segment: formatId(segment), list: formatId(list), title, ts: formatDate(now) };
  const rows = changes.map(({ contact, joined }) => ({
    contact,
    type: joined ? 'segment.joined' : 'segment.left',
    data: { ...same, contact: formatId(contact) },
  }));
  await emitSet(
    tx,
    account,
    memberTypes,
    sql`
      select e.type, 'admin'::text as source, ${list}::int as list_id,
        e.data || jsonb_build_object('email', c.email, 'fields', jsonb_build_object('EMAIL', c.email) || s.fields) as data
      from jsonb_to_recordset(${jsonb(rows)}::jsonb) as e(type text, contact int, data jsonb)
      join contact c on c.account_id = ${account}::int and c.id = e.contact
      join subscription s on s.account_id = c.account_id and s.contact_id = c.id and s.list_id = ${list}`,
  );
}
