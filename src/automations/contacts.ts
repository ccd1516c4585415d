// Contacts of an automation: who is on a step, where a contact is and how it came there, taking one out, and moving those inside
// to the version in force.
import { needContact, readContact } from '../audience/model/contact.ts';
import type { Context } from '../base/context.ts';
import { fault } from '../base/faults.ts';
import { sql } from '../db/connect.ts';
import { formatId } from '../db/ids.ts';
import { formatDate } from '../method/date.ts';
import type { Page } from '../method/paging.ts';
import { type Automation, lockAutomation, needAutomation } from './model/automation.ts';
import type { Definition } from './model/definition.ts';
import { everyStep } from './model/flow.ts';
import { moveRuns, type Outcome } from './run/runs.ts';
import { publishedOf } from './start.ts';

type Run = {
  contact: number;
  email: string | null;
  version: number;
  step: string;
  enteredAt: Date;
  stepAt: Date;
  dueAt: Date;
  endedAt: Date | null;
  outcome: Outcome | null;
  trail: { step: string; at: string }[];
};

const runColumns = sql`
  r.contact_id as contact, c.email, r.version, r.step, r.entered_at as "enteredAt", r.step_at as "stepAt", r.due_at as "dueAt",
  r.ended_at as "endedAt", r.outcome, r.trail`;

const shown = (run: Run) => ({
  contact: formatId(run.contact),
  email: run.email ?? '',
  version: run.version,
  step: run.step,
  entered_at: formatDate(run.enteredAt),
  step_at: formatDate(run.stepAt),
  due_at: run.endedAt ? '' : formatDate(run.dueAt),
  ended_at: formatDate(run.endedAt),
  outcome: run.outcome ?? ('' as const),
});

/** The contacts that are inside, those due first. @throws Fault AUTOMATION_UNKNOWN */
export async function contactsInside(
  context: Context,
  { id, step, start, limit }: { id: string; step?: string | undefined } & Page,
) {
  const { tx, account } = context;
  const automation = await needAutomation(context, id);
  const of = sql`
    r.account_id = ${account.id}
    and r.automation_id = ${automation.id}
    and r.ended_at is null
    ${step === undefined ? sql`` : sql`and r.step = ${step}`}`;
  const count = await tx.row<{ total: number }>(sql`select count(*) as total from automation_run r where ${of}`);
  const rows = await tx.rows<Run>(sql`
    select ${runColumns}
    from automation_run r
    left join contact c on c.account_id = r.account_id and c.id = r.contact_id
    where ${of}
    order by r.due_at, r.no
    limit ${limit}
    offset ${start * limit}`);
  return { total: count!.total, data: rows.map(shown) };
}

/** Each time that a contact was in the automation, the latest first. @throws Fault AUTOMATION_UNKNOWN, ADDRESS_UNKNOWN */
export async function explainContact(context: Context, given: { id: string; email_address: string }) {
  const { tx, account } = context;
  const automation = await needAutomation(context, given.id);
  const contact = (await readContact(context, given.email_address, 'email_address')).id;
  const runs = await tx.rows<Run>(sql`
    select ${runColumns}
    from automation_run r
    left join contact c on c.account_id = r.account_id and c.id = r.contact_id
    where r.account_id = ${account.id}
      and r.automation_id = ${automation.id}
      and r.contact_id = ${contact}
    order by r.entered_at desc, r.no desc
    limit 100`);
  return runs.map((run) => ({
    ...shown(run),
    trail: run.trail.map(({ step, at }) => ({ step, at: formatDate(new Date(at)) })),
  }));
}

/** Each time that a contact was in an automation of the account, those inside first, the latest 100. @throws Fault ADDRESS_UNKNOWN */
export async function contactAutomations(context: Context, given: { email: string }) {
  const { tx, account } = context;
  const contact = (await readContact(context, given.email)).id;
  const runs = await tx.rows<
    Run & { automation: number; title: string; status: Automation['status']; definition: Definition }
  >(sql`
    select ${runColumns}, r.automation_id as automation, a.title, a.status, v.definition
    from automation_run r
    join automation a on a.account_id = r.account_id and a.id = r.automation_id
    join automation_version v on v.account_id = r.account_id and v.automation_id = r.automation_id and v.no = r.version
    left join contact c on c.account_id = r.account_id and c.id = r.contact_id
    where r.account_id = ${account.id}
      and r.contact_id = ${contact}
    order by r.ended_at desc nulls first, r.entered_at desc, r.no desc
    limit 100`);
  return runs.map((run) => ({
    automation: formatId(run.automation),
    title: run.title,
    status: run.status,
    step_type: everyStep(run.definition.steps).find(({ key }) => key === run.step)?.type ?? ('' as const),
    ...shown(run),
  }));
}

/** Takes a contact out. @throws Fault AUTOMATION_UNKNOWN, ADDRESS_UNKNOWN, AUTOMATION_STATE_CONFLICT */
export async function removeContact(context: Context, given: { id: string; email_address: string }): Promise<true> {
  const { tx, account, now } = context;
  const automation = await needAutomation(context, given.id);
  const contact = (await needContact(context, given.email_address, 'email_address')).id;
  const run = await tx.row<{ no: number; step: string }>(sql`
    select no, step
    from automation_run
    where account_id = ${account.id}
      and automation_id = ${automation.id}
      and contact_id = ${contact}
      and ended_at is null
    for no key update`);
  if (!run)
    throw fault('AUTOMATION_STATE_CONFLICT', 'automation.contact_not_inside', {
      member: 'email_address',
      email: given.email_address.slice(0, 80),
    });
  const of = { account: account.id, automation: automation.id };
  await moveRuns(tx, of, [{ no: run.no, from: run.step, outcome: 'removed' }], now);
  return true;
}

/**
 * Moves contacts of earlier versions to the running version if it still has the step they are on. A wait in progress
 * ends when it would have.
 * @returns how many were moved, and how many finish on their version
 * @throws Fault AUTOMATION_UNKNOWN, AUTOMATION_STATE_CONFLICT
 */
export async function moveContacts(context: Context, { id }: { id: string }) {
  const { tx, account } = context;
  const automation = await lockAutomation(context, id);
  const definition = await publishedOf(context, automation);
  if (!definition) throw fault('AUTOMATION_STATE_CONFLICT', 'automation.never_started');
  const keys = everyStep(definition.steps).map(({ key }) => key);
  const of = sql`
    account_id = ${account.id}
    and automation_id = ${automation.id}
    and ended_at is null
    and version < ${automation.version}`;
  const moved = await tx.run(sql`
    update automation_run
    set version = ${automation.version}
    where ${of}
      and step = any (${keys}::text[])`);
  const rest = await tx.row<{ count: number }>(sql`select count(*) as count from automation_run where ${of}`);
  return { moved, kept: rest!.count };
}
