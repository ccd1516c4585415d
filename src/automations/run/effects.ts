// What a step does to the contacts that are on it, in the transaction that moves them on: a recipient of the step's email, a
// changed field, a list, an event, a notice to the owner. Nothing here leaves the database; delivery, the outbox and the
// queue do.

import { subscribe } from '../../audience/members/subscribe.ts';
import { findSubscription, type Subscription } from '../../audience/members/subscription.ts';
import { unsubscribe } from '../../audience/members/unsubscribe.ts';
import { updateSubscription } from '../../audience/members/update.ts';
import type { SegmentFilter } from '../../audience/model/segment.ts';
import { segmentCondition } from '../../audience/segments/condition-sql.ts';
import { idsIn } from '../../audience/segments/describe.ts';
import { namesFor } from '../../audience/segments/references.ts';
import type { Context } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import { type Message, message } from '../../base/messages.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { addRows, roundedUp } from '../../delivery/launch/autoresponder-planner.ts';
import { emit } from '../../events/emit.ts';
import { enqueue } from '../../jobs/queue.ts';
import { formatDate } from '../../method/date.ts';
import type { Step } from '../model/definition.ts';

/** A contact on a step that is due. */
export type Due = { no: number; contact: number; email: string; domain: string };

export type StepOf = { automation: number; title: string; list: number };

/** Why a step cannot be carried out for anyone, with nothing changed; or the contacts that match, for a condition. */
export type Effect = { unfit: Message } | { matching: ReadonlySet<number> };

const done: Effect = { matching: new Set() };

/** Steps whose effect is written contact by contact: fewer of them fit into a transaction. */
export const isContactwise = ({ type }: Step): boolean =>
  ['set_field', 'add_to_list', 'remove_from_list', 'notify'].includes(type);

/** Carries out a step for contacts that are subscribed to the list. */
export async function carryOut(context: Context, of: StepOf, step: Step, due: readonly Due[]): Promise<Effect> {
  if (due.length === 0) return done;
  switch (step.type) {
    case 'wait':
    case 'wait_until':
      return done;
    case 'condition':
      return matchingOf(context, of, step, due);
    case 'send':
      return send(context, of, step, due);
    case 'set_field':
      return setField(context, of, step, due);
    case 'add_to_list':
    case 'remove_from_list':
      return changeList(context, step, due);
    case 'webhook':
      return report(context, of, step, due);
    case 'notify':
      return notify(context, step, due);
  }
}

/** The contacts among these that match conditions now. */
export async function matchingOf(
  context: Context,
  of: StepOf,
  { match, filter }: { match: 'all' | 'any'; filter: SegmentFilter },
  due: readonly Due[],
): Promise<Effect> {
  const names = await namesFor(context, [filter]);
  const missing = idsIn(filter).find((id) => !names.has(id));
  if (missing !== undefined) return { unfit: message('automation.condition_gone', { id: missing }) };
  const scope = { accountId: context.account.id, listId: of.list, zone: context.account.timeZone, few: true };
  const rows = await context.tx.rows<{ contact: number }>(sql`
    select s.contact_id as contact
    from subscription s
    join contact c on c.account_id = s.account_id and c.id = s.contact_id
    where s.account_id = ${context.account.id}
      and s.list_id = ${of.list}
      and s.contact_id = any (${due.map(({ contact }) => contact)}::int[])
      and ${segmentCondition(match, filter, scope)}`);
  return { matching: new Set(rows.map((row) => row.contact)) };
}

/** The key of a run among the occasions of an email: a run gets the email of a step once. */
export const occasionOf = (no: number): string => `run ${no}`;

async function send(
  { tx, account, now }: Context,
  of: StepOf,
  { campaign: named }: Extract<Step, { type: 'send' }>,
  due: readonly Due[],
): Promise<Effect> {
  const campaign = parseId(named);
  const email = await tx.row(sql`
    select
    from campaign
    where account_id = ${account.id}
      and id = ${campaign}
      and type = 'auto'
      and status in ('launching', 'sending', 'paused')
    for key share`);
  if (!email) return { unfit: message('automation.email_gone', { id: named }) };
  await tx.run(sql`
    insert into occasion_plan (account_id, campaign_id, planned_to, changed_from)
    values (${account.id}, ${campaign}, now(), now())
    on conflict do nothing`);
  // Numbers the recipients.
  await tx.run(sql`
    select from occasion_plan where account_id = ${account.id} and campaign_id = ${campaign} for update`);
  const dueAt = roundedUp(now);
  const recipients = due.map(({ no, contact, email, domain }) => ({
    contact,
    list: of.list,
    email,
    domain,
    occasion: occasionOf(no),
    due_at: dueAt,
    late: false,
  }));
  await addRows(tx, { account: account.id, campaign }, recipients);
  return done;
}

async function setField(
  context: Context,
  of: StepOf,
  { field, value }: Extract<Step, { type: 'set_field' }>,
  due: readonly Due[],
): Promise<Effect> {
  const known = await context.tx.row(sql`
    select from field where account_id = ${context.account.id} and list_id = ${of.list} and tag = ${field}`);
  if (!known) return { unfit: message('automation.field_gone', { tag: field }) };
  for (const { contact } of due) {
    const before = await subscriptionOf(context, of.list, contact);
    if (!before || (before.fields[field] ?? '') === value) continue;
    const vars = { values: { [field]: value }, email: undefined, special: {} };
    // Without the fields: a required one that is empty must not keep the contact on the step.
    await updateSubscription(context, before, [], vars, undefined, 'admin');
  }
  return done;
}

async function changeList(
  context: Context,
  { type, list: named }: Extract<Step, { type: 'add_to_list' | 'remove_from_list' }>,
  due: readonly Due[],
): Promise<Effect> {
  const list = parseId(named);
  const known = await context.tx.row(sql`
    select from list where account_id = ${context.account.id} and id = ${list} for key share`);
  if (!known) return { unfit: message('automation.list_gone', { id: named }) };
  for (const { contact, email } of due) {
    const before = await subscriptionOf(context, list, contact);
    if (type === 'add_to_list') await add(context, list, email, before);
    else if (before?.status === 'subscribed') await unsubscribe(context, before, { source: 'admin', ip: '' });
  }
  return done;
}

/** A contact that has left the list before is not brought back. */
async function add(context: Context, listId: number, email: string, before: Subscription | undefined): Promise<void> {
  if (before && before.status !== 'pending') return;
  try {
    await subscribe(context, {
      listId,
      fields: [],
      email,
      vars: { values: {}, email: undefined, special: {} },
      doubleOptin: false,
      updateExisting: true,
      sendWelcome: false,
      source: 'admin',
      ip: '',
    });
  } catch (error) {
    // Suppressed: it stays off the list. Nothing was written.
    if (!(error instanceof Fault)) throw error;
  }
}

async function report(
  context: Context,
  of: StepOf,
  step: Extract<Step, { type: 'webhook' }>,
  due: readonly Due[],
): Promise<Effect> {
  const fields = await context.tx.rows<{ contact: number; fields: Record<string, string> }>(sql`
    select contact_id as contact, fields
    from subscription
    where account_id = ${context.account.id}
      and list_id = ${of.list}
      and contact_id = any (${due.map(({ contact }) => contact)}::int[])`);
  const fieldsOf = new Map(fields.map((row) => [row.contact, row.fields]));
  await emit(
    context.tx,
    context.account.id,
    due.map(({ contact, email }) => ({
      type: 'automation.step',
      source: 'admin',
      listId: of.list,
      data: {
        automation: formatId(of.automation),
        title: of.title,
        step: step.key,
        name: step.name,
        contact: formatId(contact),
        list: formatId(of.list),
        email,
        fields: { EMAIL: email, ...fieldsOf.get(contact) },
        ts: formatDate(context.now),
      },
    })),
  );
  return done;
}

/** One email about all contacts that are due together. */
async function notify(
  { tx, account }: Context,
  { subject, text }: Extract<Step, { type: 'notify' }>,
  due: readonly Due[],
): Promise<Effect> {
  const addresses = due.map(({ email }) => email).join('\n');
  await enqueue(tx, 'sendAccountNotice', { account_id: account.id, subject, text: `${text}\n\n${addresses}\n` });
  return done;
}

const subscriptionOf = (context: Context, list: number, contact: number) =>
  findSubscription(context, list, formatId(contact));
