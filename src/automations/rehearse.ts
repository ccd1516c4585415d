// automationRehearse and automationPreview: goes through what is being edited as one contact would today, waits skipped, and sends its emails as test messages
// to the person who asks. Guarantees that nothing else happens: no run, no figures, no field, list, event or notice. docs/flows.md,
// "Rehearsal".
import { addressKey } from '../audience/address.ts';
import { latestEvent } from '../audience/events/read.ts';
import { readSubscription } from '../audience/members/subscription.ts';
import type { Context } from '../base/context.ts';
import { fault } from '../base/faults.ts';
import { type Message, message } from '../base/messages.ts';
import { isZone } from '../base/zones.ts';
import { lockCampaign } from '../campaigns/model/campaign.ts';
import { languagesOf } from '../campaigns/model/variant.ts';
import { orderTests } from '../campaigns/release/send-test.ts';
import { type Sql, sql } from '../db/connect.ts';
import { formatId, parseId } from '../db/ids.ts';
import { versionOfContact } from '../delivery/launch/language-versions.ts';
import { formatDate } from '../method/date.ts';
import { problemsOf } from './complete.ts';
import { type Automation, needAutomation } from './model/automation.ts';
import { everyStep, flowOf, stepAfter } from './model/flow.ts';
import { zoneOfMember } from './run/runs.ts';
import { matchingOf } from './steps/condition.ts';
import type { Due } from './steps/kind.ts';
import { dueOf, hasArms, onlyWaits, type Step } from './steps/steps.ts';
import { endOf } from './steps/wait-for.ts';

/** What a rehearsal does with a step: sends its email (or only shows it), skips its wait, takes an arm, or leaves it out. */
export const rehearsed = ['sent', 'would_send', 'skipped', 'yes', 'no', 'left_out'] as const;
type Rehearsed = (typeof rehearsed)[number];

export const rehearsalEnds = ['completed', 'goal'] as const;

type Reader = Due & { zone: string };

export const arms = ['yes', 'no'] as const;
type Arm = (typeof arms)[number];

type Given = {
  id: string;
  email_address?: string | undefined;
  pretend: readonly { step: string; arm: Arm }[];
};

/** @throws Fault AUTOMATION_UNKNOWN, AUTOMATION_INVALID, ADDRESS_UNKNOWN, SENDING_NOT_ALLOWED, CAMPAIGN_OPTION_INVALID, TOO_MANY_CALLS */
export function rehearseAutomation(context: Context, given: Given) {
  if (!context.account.maySend) throw fault('SENDING_NOT_ALLOWED', 'campaign.sending_not_allowed');
  return goThrough(context, given, true);
}

/** The same way, and nothing is sent. @throws Fault AUTOMATION_UNKNOWN, AUTOMATION_INVALID, ADDRESS_UNKNOWN */
export const previewAutomation = (context: Context, given: Given) => goThrough(context, given, false);

async function goThrough(context: Context, given: Given, sends: boolean) {
  const automation = await needAutomation(context, given.id);
  await needRehearsable(context, automation);
  const pretended = armsOf(automation.definition.steps, given.pretend);
  const to = await ownAddress(context);
  const reader = await readerOf(context, automation.listId, given.email_address?.trim() ?? '', to);
  const { goal, steps } = automation.definition;
  const reached = goal !== null && goal.filter.length > 0 && (await matches(context, automation, goal, reader));
  const flow = flowOf(steps);
  const zone = reader && isZone(reader.zone) ? reader.zone : context.account.timeZone;
  const { trigger } = automation.definition;
  const event = trigger?.type === 'event' ? trigger.name : '';
  const latest =
    reader && (await latestEvent(context.tx, { account: context.account.id, contact: reader.contact, name: event }));
  const path = [];
  let at = context.now;
  for (let key = reached ? null : flow.first; key !== null; ) {
    const { step } = flow.steps.get(key)!;
    const arm = pretended.get(key);
    const done = await rehearse(context, automation, step, reader, { to: sends ? to : '', event, arm });
    at = leftAt(step, at, zone, done.did);
    path.push({ step: key, type: step.type, at: formatDate(at), pretended: arm !== undefined, ...done });
    key = stepAfter(flow, key, done.did === 'yes');
  }
  return {
    to,
    contact: reader?.email ?? '',
    event: latest ? formatDate(latest.at) : '',
    path,
    outcome: reached ? ('goal' as const) : ('completed' as const),
  };
}

/** The same problems as at a start, but those of the trigger. @throws Fault AUTOMATION_INVALID */
async function needRehearsable(context: Context, automation: Automation): Promise<void> {
  const found = await problemsOf(context, automation);
  const problems: Message[] = found
    .filter(({ step }) => step !== '')
    .map(({ step, problem }) => message('automation.at_step', { step, problem }));
  if (automation.definition.steps.length === 0) problems.push(message('automation.no_steps'));
  if (problems.length > 0) throw fault('AUTOMATION_INVALID', 'automation.not_rehearsable', { problems });
}

/** The arms to take whatever the contact is, by step. @throws Fault AUTOMATION_INVALID for a step that has no arms */
function armsOf(steps: readonly Step[], pretend: Given['pretend']): Map<string, Arm> {
  const armed = new Set(everyStep(steps).flatMap((step) => (hasArms(step) ? [step.key] : [])));
  for (const [i, { step }] of pretend.entries())
    if (!armed.has(step))
      throw fault('AUTOMATION_INVALID', 'automation.no_arms', { member: `pretend.${i}.step`, step: step.slice(0, 40) });
  return new Map(pretend.map(({ step, arm }) => [step, arm]));
}

/** When the contact continues: what it waits for comes at once, or not until the time is over. */
const leftAt = (step: Step, at: Date, zone: string, did: Rehearsed): Date =>
  step.type === 'wait_for' ? (did === 'yes' ? at : endOf(step, at, zone)) : dueOf(step, at, zone);

async function rehearse(
  context: Context,
  automation: Automation,
  step: Step,
  reader: Reader | undefined,
  /** `to`: '' sends nothing. */
  { to, event, arm }: { to: string; event: string; arm: Arm | undefined },
): Promise<{ did: Rehearsed; campaign: string; language: string }> {
  const done = (did: Rehearsed) => ({ did, campaign: '', language: '' });
  if (arm) return done(arm);
  // No event comes; conditions may match.
  if (step.type === 'wait_for' && step.filter.length === 0) return done('no');
  if (hasArms(step)) return done((await matches(context, automation, step, reader)) ? 'yes' : 'no');
  if (step.type !== 'send') return done(onlyWaits(step) ? 'skipped' : 'left_out');
  const { tx, account } = context;
  const of = { account: account.id, campaign: parseId(step.campaign) };
  const languages = await languagesOf(tx, of);
  const tags = languages.map((one) => one.language);
  const version = await tx.row<{ language: string | null }>(sql`
    select ${versionOfContact(of.account, tags, sql`${reader?.contact ?? 0}::int`)} as language`);
  const language = version?.language ?? '';
  const variant = languages.find((one) => one.language === language)?.no ?? 0;
  const email = { campaign: formatId(of.campaign), language };
  if (to === '') return { did: 'would_send', ...email };
  await orderTests(context, await lockCampaign(context, step.campaign), {
    emails: [to],
    variant,
    reader: { contact: reader?.contact ?? 0, list: automation.listId, event },
  });
  return { did: 'sent', ...email };
}

/** Whether the contact matches conditions now; no contact matches none. @throws Fault AUTOMATION_INVALID */
async function matches(
  context: Context,
  { id, title, listId }: Automation,
  conditions: Parameters<typeof matchingOf>[2],
  reader: Reader | undefined,
): Promise<boolean> {
  if (!reader) return false;
  const found = await matchingOf(context, { automation: id, title, list: listId }, conditions, [reader]);
  if ('unfit' in found) throw fault('AUTOMATION_INVALID', 'automation.not_rehearsable', { problems: [found.unfit] });
  return found.matching.has(reader.contact);
}

/** A key stands for no person: it rehearses with the address of the account. */
async function ownAddress({ tx, account, caller }: Context): Promise<string> {
  if (caller.kind !== 'user') return account.email;
  return (await tx.row<{ email: string }>(sql`select email from app_user where id = ${caller.userId}`))!.email;
}

/** The contact named; else the one with the person's address, else the oldest subscriber. @throws Fault ADDRESS_UNKNOWN */
async function readerOf(context: Context, list: number, named: string, own: string): Promise<Reader | undefined> {
  if (named !== '') {
    const { contactId } = await readSubscription(context, list, named);
    return readReader(context, list, sql`s.contact_id = ${contactId}`);
  }
  const subscribed = sql`s.status = 'subscribed'`;
  return (
    (await readReader(context, list, sql`${subscribed} and c.email_key = ${addressKey(own) ?? ''}`)) ??
    (await readReader(context, list, subscribed))
  );
}

const readReader = ({ tx, account }: Context, list: number, which: Sql): Promise<Reader | undefined> =>
  tx.row<Reader>(sql`
    select 0 as no, c.id as contact, c.email, c.domain, ${zoneOfMember} as zone
    from subscription s
    join contact c on c.account_id = s.account_id and c.id = s.contact_id
    join list li on li.account_id = s.account_id and li.id = s.list_id
    where s.account_id = ${account.id}
      and s.list_id = ${list}
      and ${which}
    order by s.status_at, s.contact_id
    limit 1`);
