// What an automation lacks to be started: a trigger, steps, and everything that they refer to. The screen shows the same list
// while a draft is edited.
import { type Field, fieldsOf, findField, readFieldText } from '../audience/model/field.ts';
import type { SegmentFilter } from '../audience/model/segment.ts';
import { readFilter } from '../audience/segments/read-filter.ts';
import { checkObjects } from '../audience/segments/references.ts';
import type { Context } from '../base/context.ts';
import { Fault } from '../base/faults.ts';
import { type Message, message } from '../base/messages.ts';
import { unwrittenHtml } from '../campaigns/check/unwritten.ts';
import { sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import type { Automation } from './model/automation.ts';
import type { Step, Trigger } from './model/definition.ts';
import { everyStep } from './model/flow.ts';

/** `step` is the key of a step; '' for the trigger and the goal. */
export type Problem = { step: string; problem: Message };

export async function problemsOf(context: Context, automation: Automation): Promise<Problem[]> {
  const { definition, listId } = automation;
  const fields = await fieldsOf(context, listId);
  const found: Problem[] = [];
  const add = (step: string, problem: Message | undefined) => {
    if (problem) found.push({ step, problem });
  };
  add(
    '',
    definition.trigger
      ? await problemOfTrigger(context, automation, fields, definition.trigger)
      : message('automation.no_trigger'),
  );
  if (definition.goal && definition.goal.filter.length > 0)
    add('', await problemOfFilter(context, fields, definition.goal.filter));
  const steps = everyStep(definition.steps);
  if (steps.length === 0) add('', message('automation.no_steps'));
  const emails = new Set<string>();
  for (const step of steps) {
    add(step.key, await problemOfStep(context, automation, fields, step));
    if (step.type !== 'send') continue;
    if (emails.has(step.campaign) && step.campaign !== '')
      add(step.key, message('automation.email_twice', { title: await titleOf(context, step.campaign) }));
    emails.add(step.campaign);
  }
  return found;
}

async function problemOfTrigger(
  context: Context,
  { id: automationId, listId }: Automation,
  fields: readonly Field[],
  trigger: Trigger,
): Promise<Message | undefined> {
  switch (trigger.type) {
    case 'subscribed':
    case 'confirmed':
      return undefined;
    case 'field':
      return problemOfField(fields, trigger.field);
    case 'date':
      return (
        problemOfField(fields, trigger.field) ??
        (findField(fields, trigger.field)!.type === 'date'
          ? undefined
          : message('automation.field_no_date', { tag: trigger.field }))
      );
    case 'segment': {
      const segment = await context.tx.row(sql`
        select
        from segment
        where account_id = ${context.account.id}
          and list_id = ${listId}
          and id = ${parseId(trigger.segment)}`);
      return segment ? undefined : message('automation.segment_missing');
    }
    case 'clicked': {
      const campaign = await context.tx.row(sql`
        select
        from campaign
        where account_id = ${context.account.id}
          and id = ${parseId(trigger.campaign)}
          and type <> 'message'`);
      return campaign ? undefined : message('automation.campaign_missing');
    }
    case 'event':
      return trigger.name === '' ? message('automation.event_missing') : undefined;
    case 'webhook': {
      const webhook = await context.tx.row(sql`
        select
        from automation_webhook
        where account_id = ${context.account.id}
          and automation_id = ${automationId}`);
      return webhook ? undefined : message('automation.webhook_missing');
    }
  }
}

async function problemOfStep(
  context: Context,
  automation: Automation,
  fields: readonly Field[],
  step: Step,
): Promise<Message | undefined> {
  switch (step.type) {
    case 'wait':
    case 'wait_until':
      return undefined;
    case 'condition':
      return problemOfFilter(context, fields, step.filter);
    case 'send':
      return problemOfEmail(context, automation, step.campaign);
    case 'set_field':
      return problemOfField(fields, step.field) ?? problemOfValue(fields, step);
    case 'add_to_list':
    case 'remove_from_list': {
      const list = await context.tx.row(sql`
        select from list where account_id = ${context.account.id} and id = ${parseId(step.list)}`);
      return list ? undefined : message('automation.list_missing');
    }
    case 'webhook':
      return step.name === '' ? message('automation.name_missing') : undefined;
    case 'notify':
      return step.subject === '' ? message('automation.subject_missing') : undefined;
  }
}

function problemOfField(fields: readonly Field[], tag: string): Message | undefined {
  if (tag === '') return message('automation.field_missing');
  return findField(fields, tag) ? undefined : message('automation.field_unknown', { tag });
}

/** The address of a contact is not a value to set. */
function problemOfValue(fields: readonly Field[], step: Extract<Step, { type: 'set_field' }>): Message | undefined {
  const field = findField(fields, step.field)!;
  if (field.tag === 'EMAIL') return message('automation.field_missing');
  return readFieldText(field, step.value).ok ? undefined : message('automation.field_value', { tag: field.tag });
}

async function problemOfFilter(
  context: Context,
  fields: readonly Field[],
  filter: SegmentFilter,
): Promise<Message | undefined> {
  if (filter.length === 0) return message('automation.condition_missing');
  try {
    await checkObjects(context, readFilter(fields, filter));
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error.text;
    throw error;
  }
}

export type Email = {
  title: string;
  type: string;
  status: string;
  isTest: boolean;
  html: string;
  auto: { event?: string; automation?: number } | null;
};

export const emailOf = ({ tx, account }: Context, named: string): Promise<Email | undefined> =>
  tx.row<Email>(sql`
    select title, type, status, auto, html, exists (
        select from campaign_variant v where v.account_id = campaign.account_id and v.campaign_id = campaign.id
      ) as "isTest"
    from campaign
    where account_id = ${account.id}
      and id = ${parseId(named)}
      and type <> 'message'`);

/** A draft, or the email that an earlier start has made of one. */
async function problemOfEmail(context: Context, { id }: Automation, named: string): Promise<Message | undefined> {
  const email = await emailOf(context, named);
  if (!email) return message('automation.email_missing');
  if (email.isTest) return message('automation.email_tested', { title: email.title });
  if (email.type === 'plain') return message('automation.email_plain', { title: email.title });
  const isOwn = email.auto?.event === 'automation' && email.auto.automation === id;
  const isDraft = email.status === 'draft' && (email.type === 'html' || email.auto?.event === 'automation');
  const isRunning = isOwn && ['launching', 'sending', 'paused'].includes(email.status);
  if (!isDraft && !isRunning) return message('automation.email_used', { title: email.title });
  switch (unwrittenHtml(email.html).state) {
    case 'empty':
      return message('automation.email_empty', { title: email.title });
    case 'letter':
    case 'template':
      return message('automation.email_sample', { title: email.title });
    case 'written':
      return undefined;
  }
}

const titleOf = async (context: Context, named: string): Promise<string> =>
  (await emailOf(context, named))?.title ?? named;
