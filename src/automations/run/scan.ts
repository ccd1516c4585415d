// Triggers that no change reports, looked up at intervals: who joined or left a segment, who clicked, whose date has come. What is
// found becomes signals, in the transaction that records how far the look has come.

import { isWorking } from '../../accounts/account/moves.ts';
import { fieldsOf } from '../../audience/model/field.ts';
import { segmentCondition } from '../../audience/segments/condition-sql.ts';
import { zoneOf } from '../../audience/segments/days.ts';
import { idsIn } from '../../audience/segments/describe.ts';
import { rereadFilter } from '../../audience/segments/read-filter.ts';
import { namesFor } from '../../audience/segments/references.ts';
import type { App } from '../../base/context.ts';
import { type Message, message } from '../../base/messages.ts';
import { occasionsBetween } from '../../campaigns/release/occasions.ts';
import { sql, type Tx } from '../../db/connect.ts';
import { canBeDue, factsOf } from '../../delivery/launch/autoresponder-planner.ts';
import { isRedone } from '../../delivery/ledger/timeline.ts';
import { ruleOfDate } from '../triggers/date.ts';
import type { Watched } from '../triggers/kind.ts';
import { type TriggerOf, watchedBy } from '../triggers/triggers.ts';
import { eachAutomation } from './each.ts';
import { pauseUnfit } from './pause-unfit.ts';
import { type AutomationKey, versionOf, zoneOfMember } from './runs.ts';

/** How often segments and clicks are looked at, and dates: a look reads the whole list. */
const segmentSeconds = 60;
const dateSeconds = 300;
/** A look that takes long rests that many times as long. */
const restFactor = 20;
/** Contacts read in one transaction. */
const portion = 20_000;
/** A million members take longer than an ordinary statement may. */
const lookMs = 60_000;

/** Looks up the triggers that are due, each once. @returns how many were looked at */
export async function scanTriggers(
  { db, log, config }: Pick<App, 'db' | 'log' | 'config'>,
  clock?: Date,
): Promise<number> {
  const due = await db.rows<AutomationKey>(sql`
    select account_id as account, id as automation
    from automation
    where status = 'active'
      and trigger_type in ('segment', 'clicked', 'date')
      and scan_at <= coalesce(${clock ?? null}::timestamptz, now())
      and ${isWorking(sql`account_id`)}
    order by scan_at
    limit 20`);
  return eachAutomation(log, due, async (of) => {
    const unfit = await db.transaction((tx) => scan(tx, of, config.maxLateness * 3_600_000, clock), lookMs + 5_000);
    if (unfit) await db.transaction((tx) => pauseUnfit(tx, of, unfit));
    return 1;
  });
}

type Scanned = AutomationKey & {
  list: number;
  version: number;
  now: Date;
  accountZone: string;
  scannedTo: Date | null;
  scanTo: Date | null;
  after: number | null;
};

/** @returns why it cannot be looked up, with nothing changed */
async function scan(
  tx: Tx,
  of: AutomationKey,
  latenessMs: number,
  clock: Date | undefined,
): Promise<Message | undefined> {
  const row = await tx.row<Omit<Scanned, keyof AutomationKey>>(sql`
    select a.list_id as list, a.version, now() as now, o.time_zone as "accountZone", a.scanned_to as "scannedTo",
      a.scan_to as "scanTo", a.scan_after as after
    from automation a
    join account o on o.id = a.account_id
    where a.account_id = ${of.account}
      and a.id = ${of.automation}
      and a.status = 'active'
      and a.scan_at <= coalesce(${clock ?? null}::timestamptz, now())
      and ${isRedone}
    for no key update of a skip locked`);
  if (!row) return undefined;
  const scanned: Scanned = { ...of, ...row, now: clock ?? row.now };
  const { trigger } = (await versionOf(tx, of, row.version)).definition;
  await tx.run(sql`select set_config('statement_timeout', ${String(lookMs)}, true)`);
  if (trigger?.type === 'date') return scanDates(tx, scanned, trigger, latenessMs);
  const segment = trigger && (await watchedBy(tx, scanned, trigger));
  if (!segment) return message('automation.trigger_gone');
  return scanSegment(tx, scanned, segment);
}

/** The first look only records who is in the segment. */
async function scanSegment(
  tx: Tx,
  of: Scanned,
  { match, filter: given, change }: Watched,
): Promise<Message | undefined> {
  const account = { tx, account: { id: of.account } };
  const filter = rereadFilter(await fieldsOf(account, of.list), given);
  const names = await namesFor(account, [filter]);
  if (idsIn(filter).some((id) => !names.has(id))) return message('automation.trigger_gone');
  const isFirst = of.scannedTo === null;
  const beganAt = performance.now();
  const zone = await zoneOf(tx, of.account);
  await tx.run(sql`
    with inside as materialized (
      select s.contact_id
      from subscription s
      join contact c on c.account_id = s.account_id and c.id = s.contact_id
      where s.account_id = ${of.account}
        and s.list_id = ${of.list}
        and s.status = 'subscribed'
        and ${segmentCondition(match, filter, { accountId: of.account, listId: of.list, zone })}
    ), changed as materialized (
      -- A full join and, below, an array: with statistics that lag behind, the planner would choose nested loops over
      -- all members.
      select coalesce(i.contact_id, m.contact_id) as contact_id, i.contact_id is not null as is_inside
      from inside i
      full join (
        select contact_id
        from automation_member
        where account_id = ${of.account}
          and automation_id = ${of.automation}
      ) as m on m.contact_id = i.contact_id
      where i.contact_id is null or m.contact_id is null
    ), joined as (
      insert into automation_member (account_id, automation_id, contact_id)
      select ${of.account}::int, ${of.automation}::int, contact_id
      from changed
      where is_inside
      on conflict do nothing
      returning contact_id
    ), gone as (
      delete from automation_member
      where account_id = ${of.account}
        and automation_id = ${of.automation}
        and contact_id = any (array(select contact_id from changed where not is_inside))
      returning contact_id
    )
    insert into automation_signal (account_id, automation_id, contact_id, kind)
    select ${of.account}::int, ${of.automation}::int, contact_id, 'enter'
    from ${change === 'joined' ? sql`joined` : sql`gone`} as found
    where not ${isFirst}
    order by contact_id`);
  const seconds = Math.max(segmentSeconds, ((performance.now() - beganAt) / 1_000) * restFactor);
  await tx.run(sql`
    update automation
    set scanned_to = ${of.now}, scan_at = ${of.now}::timestamptz + make_interval(secs => ${seconds})
    where account_id = ${of.account}
      and id = ${of.automation}`);
  return undefined;
}

/**
 * What is due from the last look until now; the first look begins there. What nothing looked for in time is late: it is counted, and
 * lets no contact in unless the trigger says so.
 */
async function scanDates(
  tx: Tx,
  of: Scanned,
  trigger: TriggerOf<'date'>,
  latenessMs: number,
): Promise<Message | undefined> {
  const fromAt = of.scannedTo ?? of.now;
  // What is due exactly now is included.
  const toAt = of.scanTo ?? new Date(of.now.getTime() + 1);
  const rule = ruleOfDate(trigger);
  const members = await tx.rows<{ contact: number; zone: string; day: string | null }>(sql`
    select s.contact_id as contact, ${zoneOfMember} as zone, s.fields ->> ${trigger.field}::text as day
    from subscription s
    join contact c on c.account_id = s.account_id and c.id = s.contact_id
    join list li on li.account_id = s.account_id and li.id = s.list_id
    where s.account_id = ${of.account}
      and s.list_id = ${of.list}
      and s.status = 'subscribed'
      and s.contact_id > ${of.after ?? -2_147_483_648}
      and ${canBeDue(rule, trigger.field, fromAt, toAt)}
    order by s.contact_id
    limit ${portion}`);
  const found = members.flatMap(({ contact, zone, day }) => {
    const facts = { ...factsOf({ signupAt: null, day, zone }, of.accountZone), sendHour: trigger.hour };
    return occasionsBetween(rule, facts, fromAt, toAt).map(({ key, dueAt }) => ({ contact, occasion: key, at: dueAt }));
  });
  const inTime = trigger.late === 'enter' ? found : found.filter(({ at }) => !isLate(at, of.now, latenessMs));
  await tx.run(sql`
    insert into automation_signal (account_id, automation_id, contact_id, kind, occasion, at)
    select ${of.account}::int, ${of.automation}::int, contact, 'enter', occasion, at
    from jsonb_to_recordset(${JSON.stringify(inTime)}::jsonb) as f(contact int, occasion text, at timestamptz)
    order by occasion, contact`);
  const isDone = members.length < portion;
  await tx.run(sql`
    update automation
    set scanned_to = ${isDone ? toAt : fromAt}, scan_to = ${isDone ? null : toAt},
      scan_after = ${isDone ? null : members.at(-1)!.contact},
      scan_at = ${of.now}::timestamptz + make_interval(secs => ${isDone ? dateSeconds : 0}),
      late = late + ${found.length - inTime.length}
    where account_id = ${of.account}
      and id = ${of.automation}`);
  return undefined;
}

/** Whether a date has been due for too long to let its contact in. */
export const isLate = (dueAt: Date, now: Date, latenessMs: number): boolean =>
  now.getTime() - dueAt.getTime() > latenessMs;
