// The A/B test of a campaign as it is stored, and which variant a recipient or the public gets. division.ts decides who gets
// what; the launch and the end of the test write its decision to frozen_content.recipients.
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { type Queries, type Sql, sql } from '../../db/connect.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { revisionOf, revisionStep } from './revision.ts';

/** Versions for other languages, per campaign. */
export const maxLanguages = 20;

export const winners = ['clicks', 'opens', 'manual'] as const;
export type Winner = (typeof winners)[number];

/** What decided. */
export const deciders = ['clicks', 'opens', 'person'] as const;

export type CampaignTest = {
  share: number;
  winner: Winner;
  waitMinutes: number;
  /** With the campaign itself. */
  variants: number;
  /** Null before the launch. */
  testSize: number | null;
  dueAt: Date | null;
  chosen: number | null;
  decidedAt: Date | null;
  decidedBy: (typeof deciders)[number] | null;
};

/** The test of a campaign; undefined if it has none. */
export function readTest(db: Queries, of: CampaignKey): Promise<CampaignTest | undefined> {
  return db.row<CampaignTest>(sql`
    select share, winner, wait_minutes as "waitMinutes", test_size as "testSize", due_at as "dueAt", chosen,
      decided_at as "decidedAt", decided_by as "decidedBy", 1 + (
        select count(*)::int
        from campaign_variant v
        where v.account_id = t.account_id and v.campaign_id = t.campaign_id
      ) as variants
    from campaign_test t
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}`);
}

/** How many variants or language versions a campaign has: 1 without any. */
export async function variantCount(
  { tx, account }: Pick<Context, 'tx' | 'account'>,
  campaignId: number,
): Promise<number> {
  const row = await tx.row<{ count: number }>(sql`
    select 1 + count(*)::int as count
    from campaign_variant
    where account_id = ${account.id}
      and campaign_id = ${campaignId}`);
  return row!.count;
}

/** The language versions by number; none for a campaign with an A/B test. */
export function languagesOf(db: Queries, of: CampaignKey): Promise<{ no: number; language: string }[]> {
  return db.rows(sql`
    select no, language
    from campaign_variant
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}
      and language <> ''
    order by no`);
}

/**
 * The languages that recipients who come now can get, of an email whose recipients come one by one: those of the latest revision, not
 * those of a correction that is not published. Before it is frozen, those that are written.
 */
export async function languagesInForce(db: Queries, of: CampaignKey): Promise<string[]> {
  const rows = await db.rows<{ language: string }>(sql`
    select f.language
    from frozen_content f
    join campaign c on c.account_id = f.account_id and c.id = f.campaign_id
    where f.account_id = ${of.account}
      and f.campaign_id = ${of.campaign}
      and f.language <> ''
      and ${revisionOf(sql`f`)} = c.revision
    union all
    select language
    from campaign_variant
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}
      and language <> ''
      and not exists (
        select from frozen_content where account_id = ${of.account} and campaign_id = ${of.campaign}
      )`);
  return rows.map(({ language }) => language);
}

/** The languages that some revision has and the email no longer, in alphabetical order. */
export async function removedLanguages(db: Queries, of: CampaignKey): Promise<string[]> {
  const rows = await db.rows<{ language: string }>(sql`
    select distinct f.language
    from frozen_content f
    where f.account_id = ${of.account}
      and f.campaign_id = ${of.campaign}
      and f.language <> ''
      and not exists (
        select
        from campaign_variant v
        where v.account_id = f.account_id and v.campaign_id = f.campaign_id and v.language = f.language
      )
    order by f.language`);
  return rows.map(({ language }) => language);
}

/** @throws Fault CAMPAIGN_OPTION_INVALID */
export async function needNoLanguages(
  { tx, account }: Context,
  campaignId: number,
  key: 'ab_test.not_with_languages',
  member: string,
): Promise<void> {
  if ((await languagesOf(tx, { account: account.id, campaign: campaignId })).length > 0)
    throw fault('CAMPAIGN_OPTION_INVALID', key, { member });
}

/** @throws Fault INVALID_PARAMETER */
export async function needVariant(
  context: Pick<Context, 'tx' | 'account'>,
  campaignId: number,
  variant: number,
): Promise<void> {
  if (variant > 0 && variant >= (await variantCount(context, campaignId)))
    throw fault('INVALID_PARAMETER', 'ab_test.variant_unknown', { member: 'variant', variant });
}

/** SQL: the row of campaign c that everyone may read: of its latest revision the variant chosen, the campaign itself until then. */
export const publicVariant: Sql = sql`(
  select coalesce(max(x.variant) filter (where upper_inf(x.recipients) and x.language = ''), max(x.variant - x.variant % ${revisionStep}::int), 0)
  from frozen_content x
  where x.account_id = c.account_id and x.campaign_id = c.id
)`;

/**
 * SQL: the row of frozen_content of a recipient: of its language, or the one whose ranges have its number. The languages of an
 * autoresponder have the same ranges, those of its revisions, and the first of them is the email itself, which a recipient gets whose
 * language its revision does not have. @param d the row in delivery
 */
export const frozenOfRecipient = (d: Sql): Sql => sql`(
  select coalesce(
      min(x.variant) filter (
        where case
          when ${d}.language is null then x.recipients @> ${d}.seq
          else x.language = ${d}.language and coalesce(x.recipients @> ${d}.seq, true)
        end
      ),
      min(x.variant) filter (where x.language = '' and x.recipients @> ${d}.seq),
      0
    )
  from frozen_content x
  where x.account_id = ${d}.account_id and x.campaign_id = ${d}.campaign_id
)`;
