// Creates, changes and deletes automations. A change concerns the draft only: what is running stays as it was started, until the
// next start makes a version of it.
import { needRightToSend } from '../accounts/keys/permissions.ts';
import { changeLabel, type LabelChange, labelChanges } from '../accounts/labels/label.ts';
import { fieldsOf, findField } from '../audience/model/field.ts';
import { needList } from '../audience/model/list.ts';
import type { Context } from '../base/context.ts';
import { fault } from '../base/faults.ts';
import { sql } from '../db/connect.ts';
import { formatId, parseId } from '../db/ids.ts';
import { type Automation, automationLabels, lockAutomation } from './model/automation.ts';
import { type Definition, emptyDefinition } from './model/definition.ts';
import { everyStep } from './model/flow.ts';
import { fillTemplate, type TemplateName } from './templates.ts';

/** @throws Fault LIST_UNKNOWN */
export async function createAutomation(
  context: Context,
  given: { title: string; list: string; template?: TemplateName | undefined },
): Promise<string> {
  const list = await needList(context, given.list, 'list');
  const definition = given.template ? await fillTemplate(context, list.id, given.template) : emptyDefinition;
  const row = await context.tx.row<{ id: number }>(sql`
    insert into automation (account_id, list_id, title, definition)
    values (${context.account.id}, ${list.id}, ${given.title.trim()}, ${JSON.stringify(definition)})
    returning id`);
  return formatId(row!.id);
}

/** What changes nothing of what is run. */
type Arrangement = { hidden?: boolean | undefined } & { [C in LabelChange]?: string | undefined };

/** @throws Fault AUTOMATION_UNKNOWN, AUTOMATION_STATE_CONFLICT, LABEL_UNKNOWN, LABEL_INVALID */
export async function updateAutomation(
  context: Context,
  given: { id: string; title?: string | undefined } & Arrangement & {
      [M in keyof Definition]?: Definition[M] | undefined;
    },
): Promise<true> {
  const automation = await lockAutomation(context, given.id);
  if (given.hidden && automation.status === 'active')
    throw fault('AUTOMATION_STATE_CONFLICT', 'automation.active_not_hidden', { member: 'hidden' });
  for (const change of labelChanges) {
    const label = given[change];
    if (label !== undefined)
      await changeLabel(context, automationLabels, automation.id, { change, label, member: change });
  }
  const { trigger, reentry, goal, steps } = automation.definition;
  const definition: Definition = {
    trigger: given.trigger === undefined ? trigger : given.trigger,
    reentry: given.reentry ?? reentry,
    goal: given.goal === undefined ? goal : given.goal,
    steps: given.steps ?? steps,
  };
  await needOwnReferences(context, automation, definition);
  await context.tx.run(sql`
    update automation
    set title = ${given.title?.trim() ?? automation.title}, definition = ${JSON.stringify(definition)}, is_hidden = ${given.hidden ?? automation.hidden},
      changed_at = now()
    where account_id = ${context.account.id}
      and id = ${automation.id}`);
  return true;
}

/**
 * What a caller with a set of lists adds refers to what it sees, and changes no field that is the same on all lists: the automation works for
 * the account. @throws Fault AUTOMATION_INVALID, NOT_ALLOWED
 */
async function needOwnReferences(context: Context, before: Automation, after: Definition): Promise<void> {
  const { tx, account, caller } = context;
  if (caller.lists === null) return;
  const known = new Set(idsIn(before.definition));
  const added = idsIn(after).filter((id) => !known.has(id));
  const seen = await tx.rows<{ id: number }>(sql`
    select id
    from (
      select id from list where account_id = ${account.id}
      union all
      select id from campaign where account_id = ${account.id}
      union all
      select id from segment where account_id = ${account.id}
    ) as any_of
    where id = any (${added.map(parseId)}::int[])`);
  const missing = added.find((id) => !seen.some((row) => row.id === parseId(id)));
  if (missing !== undefined) throw fault('AUTOMATION_INVALID', 'automation.refers_to_unknown', { id: missing });
  const fields = await fieldsOf(context, before.listId);
  for (const step of everyStep(after.steps))
    if (step.type === 'set_field' && findField(fields, step.field)?.ofAccount)
      throw fault('NOT_ALLOWED', 'field.of_all_lists', { member: 'steps', tag: step.field });
}

/** All texts in a definition that have the form of a public id. */
const idsIn = (definition: Definition): string[] => [
  ...new Set([...JSON.stringify(definition).matchAll(/"([abcdf][0-9a-f]{7})"/g)].map((match) => match[1]!)),
];

/** Contacts inside go no further; its emails stay as campaigns. @throws Fault AUTOMATION_UNKNOWN */
export async function deleteAutomation(context: Context, { id }: { id: string }): Promise<true> {
  const automation = await lockAutomation(context, id);
  if (automation.status !== 'draft') needRightToSend(context.caller, 'id');
  await context.tx.run(sql`
    delete from automation where account_id = ${context.account.id} and id = ${automation.id}`);
  return true;
}
