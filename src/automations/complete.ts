// What an automation lacks to be started: a trigger, steps, and everything that they refer to. The screen shows the same list
// while a draft is edited.
import { fieldsOf } from '../audience/model/field.ts';
import type { Context } from '../base/context.ts';
import { type Message, message } from '../base/messages.ts';
import type { Automation } from './model/automation.ts';
import { everyStep } from './model/flow.ts';
import { problemOfData } from './steps/data-conditions.ts';
import { problemOfFilter } from './steps/problems.ts';
import { titleOfEmail } from './steps/send.ts';
import { problemOfStep } from './steps/steps.ts';
import { problemOfTrigger } from './triggers/triggers.ts';

/** `step` is the key of a step; '' for the trigger and the goal. */
export type Problem = { step: string; problem: Message };

export async function problemsOf(context: Context, automation: Automation): Promise<Problem[]> {
  const { definition, listId } = automation;
  const fields = await fieldsOf(context, listId);
  const draft = { automation: automation.id, list: listId, fields };
  const found: Problem[] = [];
  const add = (step: string, problem: Message | undefined) => {
    if (problem) found.push({ step, problem });
  };
  add(
    '',
    definition.trigger ? await problemOfTrigger(context, draft, definition.trigger) : message('automation.no_trigger'),
  );
  if (definition.goal && definition.goal.filter.length > 0)
    add('', await problemOfFilter(context, fields, definition.goal.filter));
  if (definition.goal) add('', problemOfData(definition.goal.data));
  const steps = everyStep(definition.steps);
  if (steps.length === 0) add('', message('automation.no_steps'));
  const emails = new Set<string>();
  for (const step of steps) {
    add(step.key, await problemOfStep(context, draft, step));
    if (step.type !== 'send') continue;
    if (emails.has(step.campaign) && step.campaign !== '')
      add(step.key, message('automation.email_twice', { title: await titleOfEmail(context, step.campaign) }));
    emails.add(step.campaign);
  }
  return found;
}
