// The methods about clean-up rules.
import { z } from 'zod';
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { formatDate } from '../../method/date.ts';
import { method } from '../../method/method.ts';
import { named } from '../../method/named.ts';
import { id, integer, oneOf, params, text } from '../../method/params.ts';
import { countOf, previewed, previewOf } from './preview.ts';
import { actions, createRule, kinds, maxCampaigns, maxDays, maxRules, needRule, type Rule, readRule } from './rule.ts';

const ruleId = id('The rule.');
const choosesNow =
  'An unconfirmed rule chooses subscriptions that wait for their confirmation for at least so many days. An inactive rule chooses those that are subscribed for at least so many days, whose contact has received so many campaigns (by the list, if the rule has one) and has opened or clicked nothing since the first of these. Only HTML campaigns with tracked opens count, three days after they were sent; opens and clicks of machines do not. Contacts who are not tracked or get plain text are never chosen.';

const ruleRecord = named(
  'CleanUpRule',
  z.object({
    id: z.string(),
    kind: z.enum(kinds),
    list_id: z.string().meta({ description: 'Empty for all lists.' }),
    days: z.int(),
    campaigns: z.int().meta({ description: 'Of an inactive rule; otherwise 0.' }),
    action: z.enum(actions),
    tag: z.string(),
    enabled: z.boolean(),
    created_at: z.string(),
    enabled_at: z.string().meta({ description: 'Empty while the rule is off.' }),
    last_run_at: z.string().meta({ description: 'Empty before the first run.' }),
    last_count: z.int().meta({ description: 'Subscriptions (with tag: contacts) that the last run changed.' }),
    total_count: z.int().meta({ description: 'The same for all runs.' }),
  }),
);

const ruleGiven = {
  kind: oneOf('unconfirmed or inactive.', kinds),
  days: integer('Days since the sign-up, or since the subscription began.', 1, maxDays),
  action: oneOf('remove, unsubscribe or tag; for an unconfirmed rule only remove.', actions),
  list_id: id('Only subscriptions to this list; default all.').default(''),
  campaigns: integer('For an inactive rule: campaigns received without a reaction.', 0, maxCampaigns).default(0),
  tag: text('For the action tag.', 200).default(''),
};

const preview = z.object({
  count: z.int().meta({ description: 'How many subscriptions the rule chooses now.' }),
  contacts: z.int().meta({ description: 'How many contacts have these subscriptions.' }),
  first: z
    .array(
      z.object({
        contact_id: z.string(),
        email: z.string(),
        list_id: z.string(),
        list_title: z.string(),
        since: z.string().meta({
          description:
            'When the contact signed up; of an inactive rule, when it received the first campaign that counts.',
        }),
      }),
    )
    .meta({ description: `The first ${previewed} of them.` }),
});

export const cleanUpMethods = [
  method({
    name: 'cleanUpRules',
    group: 'contacts',
    summary: 'Lists the clean-up rules, oldest first.',
    params: params({}),
    returns: z.array(ruleRecord),
    faults: [],
    scope: 'read',
    reads: true,
    example: { params: {} },
    run: listRules,
  }),
  method({
    name: 'cleanUpRuleCreate',
    group: 'contacts',
    summary: 'Creates a clean-up rule, which is off, and returns its id.',
    description: `${choosesNow} Every night the rule does to them what its action says: remove deletes the subscription, and with its last one the contact; unsubscribe unsubscribes, with the reason clean-up; tag adds a tag to the contact. No one is put on the suppression list, and no email is sent. Nothing happens before cleanUpRuleEnable. A rule cannot be changed; create another one. An account has at most ${maxRules}.`,
    params: params(ruleGiven),
    returns: z.string(),
    faults: ['LIST_UNKNOWN', 'CLEAN_UP_RULE_INVALID', 'INVALID_PARAMETER', 'TOO_LARGE'],
    scope: 'write',
    example: { params: { kind: 'inactive', list_id: '{{list}}', days: 180, campaigns: 10, action: 'unsubscribe' } },
    run: createRule,
  }),
  method({
    name: 'cleanUpRulePreview',
    group: 'contacts',
    summary: 'Returns which subscriptions a clean-up rule chooses now, whether it is on or off.',
    description: 'By the same statement as the nightly run.',
    params: params({ id: ruleId }),
    returns: preview,
    faults: ['CLEAN_UP_RULE_UNKNOWN'],
    scope: 'read',
    reads: true,
    example: { params: { id: '{{clean_up_rule}}' } },
    run: async (context, given) => previewOf(context, await needRule(context, given.id, false)),
  }),
  method({
    name: 'cleanUpCount',
    group: 'contacts',
    summary: 'Counts what a clean-up rule would choose now, before it is created.',
    description: 'By the same statement as the nightly run. Takes what cleanUpRuleCreate takes.',
    params: params(ruleGiven),
    returns: preview.pick({ count: true, contacts: true }),
    faults: ['LIST_UNKNOWN', 'CLEAN_UP_RULE_INVALID', 'INVALID_PARAMETER'],
    scope: 'read',
    reads: true,
    example: { params: { kind: 'inactive', list_id: '{{list}}', days: 180, campaigns: 10, action: 'unsubscribe' } },
    run: async (context, given) => countOf(context, await readRule(context, given)),
  }),
  method({
    name: 'cleanUpRuleEnable',
    group: 'contacts',
    summary: 'Switches a clean-up rule on, by the count of its preview.',
    description:
      'Refused if the rule chooses more subscriptions now than the preview showed: look at the preview again. It runs for the first time in the coming night (UTC).',
    params: params({
      id: ruleId,
      count: integer('The count that cleanUpRulePreview returned.', 0, 2_147_483_647),
    }),
    returns: z.boolean(),
    faults: ['CLEAN_UP_RULE_UNKNOWN', 'CLEAN_UP_PREVIEW_OLD'],
    scope: 'write',
    example: { params: { id: '{{clean_up_rule}}', count: 0 } },
    run: enable,
  }),
  method({
    name: 'cleanUpRuleDisable',
    group: 'contacts',
    summary: 'Switches a clean-up rule off; a run in progress ends with the portion at hand.',
    params: params({ id: ruleId }),
    returns: z.boolean(),
    faults: ['CLEAN_UP_RULE_UNKNOWN'],
    scope: 'write',
    example: { params: { id: '{{clean_up_rule}}' } },
    async run(context, given) {
      await setEnabled(context, await needRule(context, given.id), false);
      return true;
    },
  }),
  method({
    name: 'cleanUpRuleDelete',
    group: 'contacts',
    summary: 'Deletes a clean-up rule. What it did stays done.',
    params: params({ id: ruleId }),
    returns: z.boolean(),
    faults: ['CLEAN_UP_RULE_UNKNOWN'],
    scope: 'write',
    example: { params: { id: '{{clean_up_rule}}' } },
    async run(context, given) {
      const rule = await needRule(context, given.id);
      await context.tx.run(sql`
        delete from clean_up_rule
        where account_id = ${rule.accountId}
          and id = ${rule.id}`);
      return true;
    },
  }),
];

async function enable(context: Context, given: { id: string; count: number }): Promise<boolean> {
  const rule = await needRule(context, given.id);
  const { count } = await previewOf(context, rule);
  if (count > given.count) throw fault('CLEAN_UP_PREVIEW_OLD', 'cleanup.preview_old', { member: 'count', count });
  await setEnabled(context, rule, true);
  return true;
}

async function setEnabled({ tx }: Context, rule: Rule, enabled: boolean): Promise<void> {
  await tx.run(sql`
    update clean_up_rule
    set enabled_at = case when ${enabled} then coalesce(enabled_at, now()) end
    where account_id = ${rule.accountId}
      and id = ${rule.id}`);
}

type RuleRow = Omit<Rule, 'accountId'> & {
  createdAt: Date;
  enabledAt: Date | null;
  lastRunAt: Date | null;
  lastCount: number;
  totalCount: number;
};

async function listRules({ tx, account }: Context) {
  const rows = await tx.rows<RuleRow>(sql`
    select id, list_id as "listId", kind, days, campaigns, action, tag, created_at as "createdAt", enabled_at as "enabledAt",
      last_run_at as "lastRunAt", last_count as "lastCount", total_count as "totalCount"
    from clean_up_rule
    where account_id = ${account.id}
    order by created_at, id`);
  return rows.map((row) => ({
    id: formatId(row.id),
    kind: row.kind,
    list_id: row.listId === null ? '' : formatId(row.listId),
    days: row.days,
    campaigns: row.campaigns,
    action: row.action,
    tag: row.tag,
    enabled: row.enabledAt !== null,
    created_at: formatDate(row.createdAt),
    enabled_at: formatDate(row.enabledAt),
    last_run_at: formatDate(row.lastRunAt),
    last_count: row.lastCount,
    total_count: row.totalCount,
  }));
}
