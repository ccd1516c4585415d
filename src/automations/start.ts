// Starts, publishes and pauses automations. A start makes a version of what is being edited, turns the drafts that it sends into
// emails of the automation, and launches them; all of it is one transaction. Contacts inside stay on their version.
import { isDeepStrictEqual } from 'node:util';
import { mayDo } from '../accounts/keys/permissions.ts';
import type { Context } from '../base/context.ts';
import { Fault, fault } from '../base/faults.ts';
import { message } from '../base/messages.ts';
import { needApproved } from '../campaigns/approval/needed.ts';
import { lockCampaign } from '../campaigns/model/campaign.ts';
import { publishIfCorrected } from '../campaigns/release/publish.ts';
import { needSendable } from '../campaigns/release/sendable.ts';
import { sql } from '../db/connect.ts';
import { enqueue } from '../jobs/queue.ts';
import { problemsOf } from './complete.ts';
import { type Automation, lockAutomation } from './model/automation.ts';
import type { Definition } from './model/definition.ts';
import { everyStep } from './model/flow.ts';
import { isContactwise } from './steps/steps.ts';
import { emailSettings } from './templates.ts';
import { columnsOf, type Trigger } from './triggers/triggers.ts';

/** @returns the version in force. @throws Fault AUTOMATION_UNKNOWN, AUTOMATION_INVALID and those of needSendable */
export async function startAutomation(context: Context, { id }: { id: string }): Promise<number> {
  const automation = await lockAutomation(context, id);
  needRightsOfSteps(context, automation.definition);
  const problems = await problemsOf(context, automation);
  if (problems.length > 0)
    throw fault('AUTOMATION_INVALID', 'automation.incomplete', {
      problems: problems.map(({ step, problem }) =>
        step === '' ? problem : message('automation.at_step', { step, problem }),
      ),
    });
  for (const step of everyStep(automation.definition.steps))
    if (step.type === 'send') await makeEmail(context, automation, step.campaign);
  const before = await publishedOf(context, automation);
  const isNew = !isDeepStrictEqual(before, automation.definition);
  const version = automation.version + (isNew ? 1 : 0);
  if (isNew)
    await context.tx.run(sql`
      insert into automation_version (account_id, automation_id, no, definition)
      values (${context.account.id}, ${automation.id}, ${version}, ${JSON.stringify(automation.definition)})`);
  const { trigger } = automation.definition;
  await activate(context, automation, version, trigger!);
  if (automation.status !== 'active' || !isDeepStrictEqual(before?.trigger, trigger))
    await lookAgain(context, automation);
  return version;
}

/** Steps change contacts in the name of the person who starts them. @throws Fault NOT_ALLOWED */
function needRightsOfSteps({ caller }: Context, { steps }: Definition): void {
  const changing = everyStep(steps).find((step) => isContactwise(step) && step.type !== 'notify');
  if (changing && !mayDo(caller, 'contacts:write'))
    throw fault('NOT_ALLOWED', 'automation.changes_contacts', { member: 'id', type: changing.type });
}

/** Contacts stay where they are, and no contact enters. @throws Fault AUTOMATION_UNKNOWN, AUTOMATION_STATE_CONFLICT */
export async function pauseAutomation(context: Context, { id }: { id: string }): Promise<true> {
  const automation = await lockAutomation(context, id);
  if (automation.status !== 'active') throw fault('AUTOMATION_STATE_CONFLICT', 'automation.not_active');
  await context.tx.run(sql`
    update automation
    set status = 'paused', status_reason = '', changed_at = now()
    where account_id = ${context.account.id}
      and id = ${automation.id}`);
  return true;
}

/** The definition in force; undefined before the first start. */
export async function publishedOf(
  { tx, account }: Context,
  { id, version }: Automation,
): Promise<Definition | undefined> {
  const row = await tx.row<{ definition: Definition }>(sql`
    select definition
    from automation_version
    where account_id = ${account.id}
      and automation_id = ${id}
      and no = ${version}`);
  return row?.definition;
}

/** Turns a draft into an email of the automation and launches it; of one that is launched it publishes a corrected text. */
async function makeEmail(context: Context, automation: Automation, named: string): Promise<void> {
  const { tx, account } = context;
  const email = await lockCampaign(context, named);
  if (email.status !== 'draft') {
    await publishIfCorrected(context, email);
    return;
  }
  const of = sql`account_id = ${account.id} and campaign_id = ${email.id}`;
  for (const table of [sql`campaign_list`, sql`campaign_segment`, sql`campaign_exclusion`, sql`campaign_test`])
    await tx.run(sql`delete from ${table} where ${of}`);
  await tx.run(sql`delete from campaign_variant where ${of} and language = ''`);
  await tx.run(sql`
    insert into campaign_list (account_id, campaign_id, list_id)
    values (${account.id}, ${email.id}, ${automation.listId})`);
  const auto = { ...emailSettings, automation: automation.id };
  await tx.run(sql`
    update campaign
    set type = 'auto', auto = ${JSON.stringify(auto)}, time_match = false, best_hour = false
    where account_id = ${account.id}
      and id = ${email.id}`);
  try {
    await needSendable(context, email.id);
    await needApproved(context, email.id);
  } catch (error) {
    // Which of the emails it is.
    if (!(error instanceof Fault)) throw error;
    throw new Fault(error.fault, message('automation.email_not_ready', { title: email.title, problem: error.text }));
  }
  await tx.run(sql`
    update campaign
    set status = 'launching', schedule_at = null, match_at = null, changed_at = now(), undo_until = null, is_hidden = false
    where account_id = ${account.id}
      and id = ${email.id}`);
  await enqueue(tx, 'launchCampaign', { account_id: account.id, campaign_id: email.id });
}

async function activate(context: Context, { id }: Automation, version: number, trigger: Trigger): Promise<void> {
  const { field, value, imports } = columnsOf(trigger);
  await context.tx.run(sql`
    update automation
    set status = 'active', status_reason = '', version = ${version}, changed_at = now(), started_at = coalesce(started_at, now()),
      is_hidden = false,
      trigger_type = ${trigger.type},
      trigger_field = ${field}, trigger_value = ${value}, trigger_imports = ${imports},
      -- Of all versions: contacts may still be on the way through an earlier one.
      waits_for = array(
        select distinct step ->> 'name'
        from automation_version v, jsonb_path_query(v.definition, 'strict $.**?(@.type == "wait_for" && @.name != "")') as step
        where v.account_id = automation.account_id
          and v.automation_id = automation.id
      )
    where account_id = ${context.account.id}
      and id = ${id}`);
}

/** What happened before, or during a pause, lets no contact enter. */
async function lookAgain({ tx, account }: Context, { id }: Automation): Promise<void> {
  await tx.run(sql`
    update automation
    set scan_at = now(), scanned_to = null, scan_to = null, scan_after = null
    where account_id = ${account.id}
      and id = ${id}`);
  await tx.run(sql`delete from automation_member where account_id = ${account.id} and automation_id = ${id}`);
  await tx.run(sql`
    delete from automation_signal where account_id = ${account.id} and automation_id = ${id} and kind = 'enter'`);
}
