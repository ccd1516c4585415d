// The nightly run of the clean-up rules. A portion is one transaction, and what was done no longer matches its rule: a run that
// is killed loses nothing and does nothing twice, and the next one continues.
import { onBehalf } from '../../accounts/account/system-context.ts';
import type { Context } from '../../base/context.ts';
import { empty, sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import type { TaskContext } from '../../jobs/tasks.ts';
import { findSubscription } from '../members/subscription.ts';
import { deleteSubscription, unsubscribe } from '../members/unsubscribe.ts';
import { writeTags } from '../tags/tags.ts';
import { matches } from './matches.ts';
import { type Rule, ruleColumns } from './rule.ts';

/** Subscriptions of one transaction. */
const atOnce = 200;
/** To find a portion among a million contacts that do not match. */
const findMs = 5 * 60_000;

/** Of the consent log: why the contact was changed. */
export const cleanUpReason = 'clean-up';

type Chosen = { contactId: number; listId: number };

export async function cleanUpContacts({ app, signal }: Pick<TaskContext, 'app' | 'signal'>): Promise<void> {
  const rules = await app.db.rows<Rule>(sql`
    select ${ruleColumns}
    from clean_up_rule
    where enabled_at is not null
    order by account_id, id`);
  for (const rule of rules) await runRule(app, rule, signal);
}

async function runRule(app: TaskContext['app'], rule: Rule, signal: AbortSignal): Promise<void> {
  let last: Chosen | undefined;
  let isFirst = true;
  do {
    if (signal.aborted) return;
    const [after, starts]: [Chosen | undefined, boolean] = [last, isFirst];
    last = await onBehalf(
      app,
      rule.accountId,
      '',
      (context) => runPortion(context, rule, after, starts),
      findMs + 5_000,
    );
    isFirst = false;
  } while (last !== undefined);
}

/** @returns the last one of a full portion; undefined when there are no more, or the rule is off */
async function runPortion(
  context: Context,
  rule: Rule,
  after: Chosen | undefined,
  isFirst: boolean,
): Promise<Chosen | undefined> {
  const { tx } = context;
  // Switching the rule off waits for this portion, and then no other begins.
  const isOn = await tx.row(sql`
    select
    from clean_up_rule
    where account_id = ${rule.accountId}
      and id = ${rule.id}
      and enabled_at is not null
    for no key update`);
  if (!isOn) return undefined;
  await tx.run(sql`select set_config('statement_timeout', ${String(findMs)}, true)`);
  const chosen = await tx.rows<Chosen>(sql`
    select s.contact_id as "contactId", s.list_id as "listId"
    ${matches(rule)}
      ${after ? sql`and (s.contact_id, s.list_id) > (${after.contactId}::int, ${after.listId}::int)` : empty}
    order by s.contact_id, s.list_id
    limit ${atOnce}
    -- What another process is changing is looked at again next night.
    for update of s skip locked`);
  const count = await carryOut(context, rule, chosen);
  await tx.run(sql`
    update clean_up_rule
    set last_run_at = now(), total_count = total_count + ${count},
      last_count = ${count} + case when ${isFirst} then 0 else last_count end
    where account_id = ${rule.accountId}
      and id = ${rule.id}`);
  return chosen.length === atOnce ? chosen.at(-1) : undefined;
}

/** @returns how many subscriptions, or contacts with a new tag */
async function carryOut(context: Context, rule: Rule, chosen: readonly Chosen[]): Promise<number> {
  const detail = { reason: cleanUpReason, rule: formatId(rule.id) };
  if (rule.action === 'tag') {
    const ids = [...new Set(chosen.map(({ contactId }) => contactId))];
    return writeTags(context, { add: [rule.tag], remove: [] }, sql`select unnest(${ids}::int[])`, ids.length, detail);
  }
  for (const { contactId, listId } of chosen) {
    const subscription = (await findSubscription(context, listId, formatId(contactId)))!;
    if (rule.action === 'remove') await deleteSubscription(context, subscription, 'admin', detail);
    else await unsubscribe(context, subscription, { source: 'admin', ip: '', reason: cleanUpReason, detail });
  }
  return chosen.length;
}
