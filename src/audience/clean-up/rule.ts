// A clean-up rule: which subscriptions it chooses and what happens to them. It does not change once created; it is off until a
// person who has seen its preview switches it on.
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { empty, type Sql, sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { isTag, maxTagLength, tagKey } from '../model/contact-tag.ts';
import { needList } from '../model/list.ts';

export const maxRules = 50;
export const maxDays = 3_650;
export const maxCampaigns = 100;
export const kinds = ['unconfirmed', 'inactive'] as const;
export const actions = ['remove', 'unsubscribe', 'tag'] as const;

export type Rule = {
  accountId: number;
  id: number;
  /** Null for all lists. */
  listId: number | null;
  kind: (typeof kinds)[number];
  days: number;
  /** Of an inactive contact: campaigns it received without a reaction. */
  campaigns: number;
  action: (typeof actions)[number];
  tag: string;
};

export const ruleColumns: Sql = sql`
  account_id as "accountId", id, list_id as "listId", kind, days, campaigns, action, tag`;

export type RuleGiven = {
  kind: Rule['kind'];
  days: number;
  action: Rule['action'];
  list_id: string;
  campaigns: number;
  tag: string;
};

/** A rule as it is stored, which needs no place of its own yet. @throws Fault LIST_UNKNOWN, CLEAN_UP_RULE_INVALID, INVALID_PARAMETER */
export async function readRule(context: Context, given: RuleGiven): Promise<Omit<Rule, 'id'>> {
  const { kind, days, action, campaigns } = given;
  const list = given.list_id === '' ? undefined : await needList(context, given.list_id, 'list_id');
  const isInactive = kind === 'inactive';
  // Someone who never confirmed has nothing to unsubscribe from.
  if (!isInactive && action !== 'remove')
    throw fault('CLEAN_UP_RULE_INVALID', 'cleanup.not_for_kind', { member: 'action' });
  if (!isInactive && campaigns !== 0)
    throw fault('CLEAN_UP_RULE_INVALID', 'cleanup.not_for_kind', { member: 'campaigns' });
  if (isInactive && campaigns === 0)
    throw fault('CLEAN_UP_RULE_INVALID', 'cleanup.campaigns_missing', { member: 'campaigns', max: maxCampaigns });
  const tag = action === 'tag' ? tagKey(given.tag) : '';
  if (action === 'tag' && !isTag(tag))
    throw fault('INVALID_PARAMETER', 'contact.tag_invalid', {
      member: 'tag',
      value: given.tag.slice(0, 80),
      count: maxTagLength,
    });
  return { accountId: context.account.id, listId: list?.id ?? null, kind, days, campaigns, action, tag };
}

/** @throws Fault LIST_UNKNOWN, CLEAN_UP_RULE_INVALID, INVALID_PARAMETER, TOO_LARGE */
export async function createRule(context: Context, given: RuleGiven): Promise<string> {
  const { tx, account } = context;
  const { listId, kind, days, campaigns, action, tag } = await readRule(context, given);
  // Two calls at once count one after the other.
  const { count } = (await tx.row<{ count: number }>(sql`
    with one as (select from account where id = ${account.id} for no key update)
    select count(*)::int as count
    from clean_up_rule, one
    where account_id = ${account.id}`))!;
  if (count >= maxRules) throw fault('TOO_LARGE', 'cleanup.too_many', { member: 'kind', count: maxRules });
  const row = await tx.row<{ id: number }>(sql`
    insert into clean_up_rule (account_id, list_id, kind, days, campaigns, action, tag)
    values (${account.id}, ${listId}, ${kind}, ${days}, ${campaigns}, ${action}, ${tag})
    returning id`);
  return formatId(row!.id);
}

/** @param lock against changes until the transaction ends. @throws Fault CLEAN_UP_RULE_UNKNOWN */
export async function needRule({ tx, account }: Context, named: string, lock = true): Promise<Rule> {
  const rule = await tx.row<Rule>(sql`
    select ${ruleColumns}
    from clean_up_rule
    where account_id = ${account.id}
      and id = ${parseId(named)}
    ${lock ? sql`for no key update` : empty}`);
  if (!rule) throw fault('CLEAN_UP_RULE_UNKNOWN', 'cleanup.unknown', { member: 'id', id: named.slice(0, 40) });
  return rule;
}
