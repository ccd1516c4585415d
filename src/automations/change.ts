// Creates, changes and deletes automations. A change concerns the draft only: what is running stays as it was started, until the
// next start makes a version of it.
import { needRightToSend } from '../accounts/keys/permissions.ts';
import { changeLabel, type LabelChange, labelChanges } from '../accounts/labels/label.ts';
import { needList } from '../audience/model/list.ts';
import type { Context } from '../base/context.ts';
import { fault } from '../base/faults.ts';
import { sql } from '../db/connect.ts';
import { formatId } from '../db/ids.ts';
import { automationLabels, lockAutomation } from './model/automation.ts';
import { type Definition, emptyDefinition } from './model/definition.ts';
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
    throw fault('AUTOMATION_STATE_CONFLICT', 'automation.active_not_hidden');
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
  await context.tx.run(sql`
    update automation
    set title = ${given.title?.trim() ?? automation.title}, definition = ${JSON.stringify(definition)}, is_hidden = ${given.hidden ?? automation.hidden},
      changed_at = now()
    where account_id = ${context.account.id}
      and id = ${automation.id}`);
  return true;
}

/** Contacts inside go no further; its emails stay as campaigns. @throws Fault AUTOMATION_UNKNOWN */
export async function deleteAutomation(context: Context, { id }: { id: string }): Promise<true> {
  const automation = await lockAutomation(context, id);
  if (automation.status !== 'draft') needRightToSend(context.caller, 'id');
  await context.tx.run(sql`
    delete from automation where account_id = ${context.account.id} and id = ${automation.id}`);
  return true;
}
