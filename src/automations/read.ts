// Automations as methods return them: the list, and one with its steps, its figures and what it lacks.

import { isDeepStrictEqual } from 'node:util';
import { labelsOf, type OrderFilters, passes, type StoredLabel, shownLabels } from '../accounts/labels/label.ts';
import { fieldsOf } from '../audience/model/field.ts';
import type { Match, SegmentFilter } from '../audience/model/segment.ts';
import { fieldNames, filterInWords, idsIn } from '../audience/segments/describe.ts';
import { namesFor } from '../audience/segments/references.ts';
import type { Context } from '../base/context.ts';
import { renderMessage, renderPacked } from '../base/messages.ts';
import type { AutoSettings } from '../campaigns/model/autoresponder.ts';
import { type Status, shownStatus, shownStatuses } from '../campaigns/model/campaign.ts';
import type { autoEvents } from '../campaigns/model/options.ts';
import { sql } from '../db/connect.ts';
import { formatId, parseId } from '../db/ids.ts';
import { formatDate } from '../method/date.ts';
import type { Page } from '../method/paging.ts';
import { conversionsOfAll } from '../tracking/conversions.ts';
import { webhookOf } from './automation-webhook.ts';
import { problemsOf } from './complete.ts';
import { type Automation, automationLabels, needAutomation } from './model/automation.ts';
import type { Definition } from './model/definition.ts';
import { everyStep } from './model/flow.ts';
import { publishedOf } from './start.ts';
import { type emailStates, stateOfEmail } from './steps/send.ts';
import { hasArms, type Step } from './steps/steps.ts';

type Figures = Record<'entered' | 'waiting' | 'passed' | 'unsubscribed' | 'deleted' | 'goal' | 'removed', number>;

const none: Figures = { entered: 0, waiting: 0, passed: 0, unsubscribed: 0, deleted: 0, goal: 0, removed: 0 };

type Listed = {
  id: number;
  title: string;
  status: Automation['status'];
  statusReason: string;
  list: number;
  listName: string;
  version: number;
  definition: Definition;
  createdAt: Date;
  startedAt: Date | null;
  figures: Figures | null;
  hidden: boolean;
  labels: StoredLabel[];
};

const of = { accountId: sql`a.account_id`, objectId: sql`a.id`, isHidden: sql`a.is_hidden` };

/** A page of automations, newest first, and the autoresponders, each an automation of one step. */
export async function listAutomations(
  { tx, account, language }: Context,
  { start, limit, ...filters }: Page & OrderFilters,
) {
  const chosen = passes(automationLabels, filters, of);
  const hidden = passes(automationLabels, { ...filters, hidden: true }, of);
  const count = await tx.row<{ total: number; hidden: number }>(sql`
    select count(*) filter (where ${chosen}) as total, count(*) filter (where ${hidden}) as hidden
    from automation a
    where a.account_id = ${account.id}`);
  const rows = await tx.rows<Listed>(sql`
    select a.id, a.title, a.status, a.status_reason as "statusReason", a.list_id as list, l.name as "listName", a.version,
      a.definition, a.created_at as "createdAt", a.started_at as "startedAt",
      (
        select jsonb_build_object('entered', t.entered, 'waiting', t.waiting, 'passed', t.passed,
          'unsubscribed', t.unsubscribed, 'deleted', t.deleted, 'goal', t.goal, 'removed', t.removed)
        from automation_tally t
        where t.account_id = a.account_id and t.automation_id = a.id and t.step = ''
      ) as figures,
      a.is_hidden as hidden, ${labelsOf(automationLabels, of.accountId, of.objectId)} as labels
    from automation a
    join list l on l.account_id = a.account_id and l.id = a.list_id
    where a.account_id = ${account.id}
      and ${chosen}
    order by a.created_at desc, a.id
    limit ${limit}
    offset ${start * limit}`);
  return {
    total: count!.total,
    hidden: count!.hidden,
    data: rows.map((row) => ({
      id: formatId(row.id),
      title: row.title,
      status: row.status,
      status_reason: renderPacked(row.statusReason, language),
      list: formatId(row.list),
      list_name: row.listName,
      trigger: row.definition.trigger?.type ?? ('' as const),
      steps: everyStep(row.definition.steps).length,
      version: row.version,
      figures: row.figures ?? none,
      date_created: formatDate(row.createdAt),
      date_started: formatDate(row.startedAt),
      labels: shownLabels(row.labels),
      hidden: row.hidden,
    })),
  };
}

export const autoresponderStatuses = [...shownStatuses, 'active'] as const;

/** What an autoresponder waits for. */
export type Occasion = AutoSettings & { event: (typeof autoEvents)[number] };

/** As methods return it; empty for what has none. */
export const shownOccasion = (auto: Occasion | null) => ({
  event: auto?.event ?? ('' as const),
  amount: auto?.time ?? 0,
  unit: auto?.units ?? ('' as const),
  direction: auto?.direction ?? ('' as const),
  field: auto?.tag ?? '',
});

type Autoresponder = {
  id: number;
  title: string;
  status: Status;
  list: number;
  listName: string;
  auto: Occasion | null;
  waiting: number;
  sent: number;
  entered: number;
};

/** Those of the API as they are, shown as automations of one step. */
export async function listAutoresponders({ tx, account }: Context, { start, limit }: Page) {
  const of = sql`
    c.account_id = ${account.id}
    and c.type = 'auto'
    and c.auto ->> 'event' is distinct from 'automation'`;
  const count = await tx.row<{ total: number }>(sql`select count(*) as total from campaign c where ${of}`);
  const rows = await tx.rows<Autoresponder>(sql`
    select c.id, c.title, c.status, coalesce(l.id, -1) as list, coalesce(l.name, '') as "listName", c.auto,
      coalesce(t.waiting, 0)::int as waiting, coalesce(t.sent, 0)::int as sent, coalesce(t.entered, 0)::int as entered
    from campaign c
    left join lateral (
      select cl.list_id
      from campaign_list cl
      where cl.account_id = c.account_id and cl.campaign_id = c.id
      order by cl.position, cl.list_id
      limit 1
    ) first on true
    left join list l on l.account_id = c.account_id and l.id = first.list_id
    left join lateral (
      select sum(t.queued + t.trying + t.later + t.unclear) as waiting, sum(t.accepted) as sent, sum(t.recipients) as entered
      from tally t
      where t.account_id = c.account_id and t.campaign_id = c.id
    ) t on true
    where ${of}
    order by c.created_at desc, c.id
    limit ${limit}
    offset ${start * limit}`);
  return {
    total: count!.total,
    data: rows.map((row) => ({
      campaign: formatId(row.id),
      title: row.title,
      status: row.status === 'sending' || row.status === 'launching' ? ('active' as const) : shownStatus[row.status],
      list: row.list === -1 ? '' : formatId(row.list),
      list_name: row.listName,
      ...shownOccasion(row.auto),
      entered: row.entered,
      waiting: row.waiting,
      sent: row.sent,
    })),
  };
}

/** @throws Fault AUTOMATION_UNKNOWN */
export async function automationInfo(context: Context, { id }: { id: string }) {
  const { tx, account, language } = context;
  const automation = await needAutomation(context, id);
  const { definition } = automation;
  const published = await publishedOf(context, automation);
  const list = await tx.row<{ name: string }>(sql`
    select name from list where account_id = ${account.id} and id = ${automation.listId}`);
  const problems = await problemsOf(context, automation);
  return {
    id: formatId(automation.id),
    title: automation.title,
    list: formatId(automation.listId),
    list_name: list!.name,
    status: automation.status,
    status_reason: renderPacked(automation.statusReason, language),
    version: automation.version,
    has_changes: automation.version > 0 && !isDeepStrictEqual(published, definition),
    date_created: formatDate(automation.createdAt),
    date_started: formatDate(automation.startedAt),
    trigger: definition.trigger ?? {},
    reentry: definition.reentry,
    goal: definition.goal ?? {},
    steps: definition.steps,
    problems: problems.map(({ step, problem }) => ({ step, problem: renderMessage(problem, language) })),
    readings: await readingsOf(context, automation.listId, definition),
    names: await namesOf(context, definition),
    languages: await languagesOfEmails(context, definition),
    emails: await emailsOf(context, definition),
    webhook: await webhookOf(context, automation.id),
    labels: await labelsOfAutomation(context, automation.id),
    hidden: automation.hidden,
    late: automation.late,
    ...(await figuresOf(context, automation)),
  };
}

async function labelsOfAutomation({ tx, account }: Context, id: number) {
  const row = await tx.row<{ labels: StoredLabel[] }>(
    sql`select ${labelsOf(automationLabels, sql`${account.id}`, sql`${id}`)} as labels`,
  );
  return shownLabels(row!.labels);
}

/** The conditions in words: by the key of the step, those of the goal by ''. */
async function readingsOf(
  context: Context,
  listId: number,
  { goal, steps }: Definition,
): Promise<Record<string, string>> {
  const conditions: [string, Match, SegmentFilter][] = everyStep(steps).flatMap((step) =>
    hasArms(step) ? [[step.key, step.match, step.filter]] : [],
  );
  if (goal && goal.filter.length > 0) conditions.push(['', goal.match, goal.filter]);
  const names = await namesFor(
    context,
    conditions.map(([, , filter]) => filter),
  );
  const fields = conditions.length === 0 ? [] : fieldNames(await fieldsOf(context, listId));
  return Object.fromEntries(
    conditions.map(([key, match, filter]) => [
      key,
      filter.length === 0
        ? ''
        : filterInWords(match, filter, context.language, new Map([...withIds(names, filter), ...fields])),
    ]),
  );
}

/** Ids that were deleted stay missing, so that the words say it. */
const withIds = (names: ReadonlyMap<string, string>, filter: SegmentFilter) =>
  new Map(idsIn(filter).flatMap((id) => (names.has(id) ? [[id, names.get(id)!] as const] : [])));

/** The names of what the trigger and the steps refer to, by id. */
async function namesOf({ tx, account }: Context, { trigger, steps }: Definition): Promise<Record<string, string>> {
  const named = [
    ...(trigger?.type === 'segment' ? [trigger.segment] : []),
    ...(trigger?.type === 'clicked' ? [trigger.campaign] : []),
    ...everyStep(steps).flatMap((step) => ('campaign' in step ? [step.campaign] : 'list' in step ? [step.list] : [])),
  ].map(parseId);
  const rows = await tx.rows<{ id: number; name: string }>(sql`
    select id, title as name from campaign where account_id = ${account.id} and id = any (${named}::int[])
    union all
    select id, name from list where account_id = ${account.id} and id = any (${named}::int[])
    union all
    select id, title as name from segment where account_id = ${account.id} and id = any (${named}::int[])`);
  return Object.fromEntries(rows.map((row) => [formatId(row.id), row.name]));
}

/** The languages that the emails have versions for, by campaign; those without are left out. */
async function languagesOfEmails({ tx, account }: Context, { steps }: Definition): Promise<Record<string, string[]>> {
  const emails = everyStep(steps).flatMap((step) => (step.type === 'send' ? [parseId(step.campaign)] : []));
  const rows = await tx.rows<{ campaign: number; languages: string[] }>(sql`
    select campaign_id as campaign, array_agg(language order by no) as languages
    from campaign_variant
    where account_id = ${account.id}
      and campaign_id = any (${emails}::int[])
      and language <> ''
    group by campaign_id`);
  return Object.fromEntries(rows.map(({ campaign, languages }) => [formatId(campaign), languages]));
}

type ShownEmail = {
  subject: string;
  preview_text: string;
  status: (typeof shownStatuses)[number];
  state: (typeof emailStates)[number];
};

/** What the cards of the steps show of their emails, by campaign. */
async function emailsOf({ tx, account }: Context, { steps }: Definition): Promise<Record<string, ShownEmail>> {
  const emails = everyStep(steps).flatMap((step) => (step.type === 'send' ? [parseId(step.campaign)] : []));
  const rows = await tx.rows<{ id: number; subject: string; preview: string; status: Status; html: string }>(sql`
    select id, subject, preview_text as preview, status, html
    from campaign
    where account_id = ${account.id}
      and id = any (${emails}::int[])
      and type <> 'message'`);
  return Object.fromEntries(
    rows.map(({ id, subject, preview, status, html }) => [
      formatId(id),
      { subject, preview_text: preview, status: shownStatus[status], state: stateOfEmail(html) },
    ]),
  );
}

type Sent = { sending: number; sent: number; not_sent: number };

/** The figures of the whole and of each step, with those of versions that contacts are still on. */
async function figuresOf({ tx, account }: Context, { id, definition }: Automation) {
  const tallies = await tx.rows<Figures & { step: string; yes: number; no: number }>(sql`
    select step, entered, waiting, passed, took_yes as yes, took_no as no, unsubscribed, deleted, goal, removed
    from automation_tally
    where account_id = ${account.id}
      and automation_id = ${id}`);
  const versions = await tx.rows<{ definition: Definition }>(sql`
    select definition
    from automation_version
    where account_id = ${account.id}
      and automation_id = ${id}`);
  const every = [definition, ...versions.map((version) => version.definition)].flatMap(({ steps }) => everyStep(steps));
  const emails = every.filter((step): step is Extract<Step, { type: 'send' }> => step.type === 'send');
  const counts = await tx.rows<Sent & { campaign: number }>(sql`
    select campaign_id as campaign, sum(queued + trying + later + unclear)::int as sending, sum(accepted)::int as sent,
      sum(failed + skipped)::int as not_sent
    from tally
    where account_id = ${account.id}
      and campaign_id = any (${emails.map(({ campaign }) => parseId(campaign))}::int[])
    group by campaign_id`);
  const sentOf = (key: string): Sent => {
    const own = new Set(emails.filter((step) => step.key === key).map(({ campaign }) => parseId(campaign)));
    const rows = counts.filter(({ campaign }) => own.has(campaign));
    const sum = (of: keyof Sent) => rows.reduce((total, row) => total + row[of], 0);
    return { sending: sum('sending'), sent: sum('sent'), not_sent: sum('not_sent') };
  };
  const total = tallies.find(({ step }) => step === '');
  const { step: _whole, yes: _yes, no: _no, ...figures } = total ?? { step: '', yes: 0, no: 0, ...none };
  return {
    figures,
    conversions: await conversionsOfAll(
      tx,
      account.id,
      emails.map(({ campaign }) => parseId(campaign)),
    ),
    step_figures: tallies.filter(({ step }) => step !== '').map((tally) => ({ ...tally, ...sentOf(tally.step) })),
  };
}
