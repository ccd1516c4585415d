// Creates, changes, pauses and resumes recurring campaigns. A change is used by the next issue; what was made before stays as it is.
import type { z } from 'zod';
import { needRightToSend } from '../accounts/keys/permissions.ts';
import type { Context } from '../base/context.ts';
import { fault } from '../base/faults.ts';
import { sql } from '../db/connect.ts';
import { formatId } from '../db/ids.ts';
import { isWebAddress } from '../method/params.ts';
import type { SourceKind } from './feed/fetch.ts';
import { createOriginal, needOriginal } from './original.ts';
import { needNext, readSchedule, readZone, type schedule } from './read-schedule.ts';
import { lockRecurring } from './schedule/recurring.ts';

type GivenSchedule = z.output<typeof schedule>;
type Settings = {
  title: string;
  schedule: GivenSchedule;
  time_zone?: string | undefined;
  source: SourceKind;
  source_url: string;
  max_items: number;
  approve: boolean;
};

/** @returns the id. @throws Fault RECURRING_INVALID, LIST_UNKNOWN, CAMPAIGN_UNKNOWN */
export async function createRecurring(
  context: Context,
  given: Settings & { list?: string | undefined; campaign?: string | undefined },
): Promise<string> {
  const { tx, account, now } = context;
  const when = readSchedule(given.schedule);
  const zone = readZone(given.time_zone ?? account.timeZone);
  needNext(when, zone, now);
  needAddress(given.source_url);
  const title = given.title.trim();
  if (given.campaign === undefined && given.list === undefined)
    throw fault('RECURRING_INVALID', 'recurring.no_list', { member: 'list' });
  const original = given.campaign
    ? await needOriginal(context, given.campaign)
    : await createOriginal(context, { title, list: given.list!, source: given.source });
  const row = await tx.row<{ id: number }>(sql`
    insert into recurring (account_id, title, original_id, schedule, time_zone, source, source_url, max_items, approve)
    values (${account.id}, ${title}, ${original}, ${JSON.stringify(when)}, ${zone}, ${given.source}, ${given.source_url.trim()},
      ${given.max_items}, ${given.approve})
    returning id`);
  return formatId(row!.id);
}

/** Members that are left out stay as they are. @throws Fault RECURRING_UNKNOWN, RECURRING_INVALID */
export async function updateRecurring(
  context: Context,
  given: { id: string } & { [M in keyof Settings]?: Settings[M] | undefined },
): Promise<true> {
  const { tx, account, now } = context;
  const old = await lockRecurring(context, given.id);
  if (old.status !== 'paused') needRightToSend(context.caller, 'id');
  const when = given.schedule === undefined ? old.schedule : readSchedule(given.schedule);
  const zone = given.time_zone === undefined ? old.timeZone : readZone(given.time_zone);
  const next = needNext(when, zone, now);
  if (given.source_url !== undefined) needAddress(given.source_url);
  const isOtherTime = JSON.stringify(when) !== JSON.stringify(sorted(old.schedule, when)) || zone !== old.timeZone;
  const source = given.source ?? old.source;
  const url = given.source_url?.trim() ?? old.sourceUrl;
  const isOtherSource = source !== old.source || url !== old.sourceUrl;
  const nextAt = old.status === 'paused' ? null : isOtherTime ? next : old.nextAt;
  await tx.run(sql`
    update recurring
    set title = ${given.title?.trim() ?? old.title}, schedule = ${JSON.stringify(when)}, time_zone = ${zone},
      source = ${source}, source_url = ${url}, max_items = ${given.max_items ?? old.maxItems},
      approve = ${given.approve ?? old.approve},
      etag = case when ${isOtherSource} then '' else etag end,
      last_modified = case when ${isOtherSource} then '' else last_modified end,
      next_at = ${nextAt},
      -- A new address is tried immediately, and what is due now stays due.
      try_at = case when ${isOtherTime || isOtherSource} then ${nextAt} else try_at end,
      changed_at = now()
    where account_id = ${account.id}
      and id = ${old.id}`);
  return true;
}

/** Issues that were made stay as campaigns. @throws Fault RECURRING_UNKNOWN */
export async function deleteRecurring(context: Context, { id }: { id: string }): Promise<true> {
  const recurring = await lockRecurring(context, id);
  if (recurring.status !== 'paused') needRightToSend(context.caller, 'id');
  await context.tx.run(sql`
    delete from recurring where account_id = ${context.account.id} and id = ${recurring.id}`);
  return true;
}

/** @throws Fault RECURRING_UNKNOWN, RECURRING_STATE_CONFLICT */
export async function resumeRecurring(context: Context, { id }: { id: string }): Promise<true> {
  const { tx, account, now } = context;
  const recurring = await lockRecurring(context, id);
  if (recurring.status === 'active') throw fault('RECURRING_STATE_CONFLICT', 'recurring.already_active');
  if (recurring.originalId === null) throw fault('RECURRING_STATE_CONFLICT', 'recurring.original_gone');
  const next = needNext(recurring.schedule, recurring.timeZone, now);
  await tx.run(sql`
    update recurring
    set status = 'active', started = true, next_at = ${next}, try_at = ${next}, changed_at = now()
    where account_id = ${account.id}
      and id = ${recurring.id}`);
  return true;
}

/** @throws Fault RECURRING_UNKNOWN, RECURRING_STATE_CONFLICT */
export async function pauseRecurring(context: Context, { id }: { id: string }): Promise<true> {
  const { tx, account } = context;
  const recurring = await lockRecurring(context, id);
  if (recurring.status === 'paused') throw fault('RECURRING_STATE_CONFLICT', 'recurring.already_paused');
  await tx.run(sql`
    update recurring
    set status = 'paused', next_at = null, try_at = null, changed_at = now()
    where account_id = ${account.id}
      and id = ${recurring.id}`);
  return true;
}

/** The stored schedule with its members in the order of another one: the database has its own. */
function sorted(stored: object, like: object): object {
  const members = stored as Record<string, unknown>;
  const names = [...new Set([...Object.keys(like), ...Object.keys(members)])];
  return Object.fromEntries(names.filter((name) => name in members).map((name) => [name, members[name]]));
}

function needAddress(url: string): void {
  if (!isWebAddress(url.trim())) throw fault('RECURRING_INVALID', 'recurring.not_an_address', { member: 'source_url' });
}
