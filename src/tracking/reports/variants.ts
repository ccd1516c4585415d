// The results of an A/B test by variant, and of a campaign by language version. Only people count, never machines; and only the test group is compared: the
// recipients who got the chosen variant later got it at another time, from another hour's attention.

import { z } from 'zod';
import { type Division, rangeOf } from '../../campaigns/model/division.ts';
import { monthOf } from '../../campaigns/model/month.ts';
import { revisionOf, variantWithin } from '../../campaigns/model/revision.ts';
import { type Queries, type Sql, sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { states } from '../../db/states.ts';
import { opensOf } from './campaign.ts';
import { foldedPart, withFolded } from './folded.ts';

/** Recipients, and people among them. */
export const groupShape = {
  recipients: z.int(),
  sent: z.int(),
  opens: z.int().meta({ description: 'People who opened it; a click counts as an open.' }),
  clicks: z.int().meta({ description: 'People who clicked.' }),
  unsubscribes: z.int(),
};
export type GroupSums = z.output<z.ZodObject<typeof groupShape>>;

/** The sums of the variants in the test group, and those of the other recipients. */
export type TestSums = { variants: GroupSums[]; rest: GroupSums };

export async function testSums(db: Queries, of: CampaignKey, division: Division): Promise<TestSums> {
  const starts = Array.from({ length: division.variants }, (_, variant) => rangeOf(variant, division)[0]);
  // The last group is that of the others.
  const sums = await groupSums(db, of, [...starts, division.testSize + 1]);
  return { variants: sums.slice(0, -1), rest: sums.at(-1)! };
}

/** The sums of the campaign itself and of its language versions. @param languages those it has in their order, then those it had */
export async function languageSums(db: Queries, of: CampaignKey, languages: readonly string[]): Promise<GroupSums[]> {
  if (await comesOneByOne(db, of)) return sumsByLanguage(db, of, languages);
  return sumsByRange(db, of, variantWithin(sql`frozen_content`), languages.length + 1);
}

/** The sums of the revisions, of all their versions. */
export async function revisionSums(db: Queries, of: CampaignKey, revisions: number): Promise<GroupSums[]> {
  const sums = await sumsByRange(db, of, sql`(${revisionOf(sql`frozen_content`)} - 1)`, revisions);
  return withFolded(sums, await foldedPart(db, of, 'revisions'), (_, at) => String(at + 1));
}

/** The sums by what the numbers of the recipients say. @param key of a row of frozen_content, from 0 */
async function sumsByRange(db: Queries, of: CampaignKey, key: Sql, count: number): Promise<GroupSums[]> {
  const ranges = await db.rows<{ key: number; first: number }>(sql`
    select ${key} as key, lower(r) as first
    from frozen_content, unnest(recipients) as r
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}
    order by lower(r)`);
  const groups = await groupSums(
    db,
    of,
    ranges.map(({ first }) => first),
  );
  return Array.from({ length: count }, (_, no) =>
    groups.filter((_, at) => ranges[at]!.key === no).reduce(added, noSums),
  );
}

const comesOneByOne = (db: Queries, of: CampaignKey): Promise<unknown> =>
  db.row(sql`select from campaign where account_id = ${of.account} and id = ${of.campaign} and type = 'auto'`);

/** Of an autoresponder or an email of an automation, whose recipients have the language of their version. */
async function sumsByLanguage(db: Queries, of: CampaignKey, languages: readonly string[]): Promise<GroupSums[]> {
  const language = sql`coalesce(d.language, '')`;
  const hits = sql`engagement e join delivery d using (account_id, campaign_id, month, seq)`;
  const rows = await sumsBy(db, of, { ofRecipient: language, ofHit: language, hits });
  const all = ['', ...languages];
  const sums = all.map((language): GroupSums => {
    const { part: _part, ...found } = rows.find(({ part }) => part === language) ?? { part: '', ...noSums };
    return found;
  });
  return withFolded(sums, await foldedPart(db, of, 'languages'), (_, at) => all[at]!);
}

const noSums: GroupSums = { recipients: 0, sent: 0, opens: 0, clicks: 0, unsubscribes: 0 };

const added = (a: GroupSums, b: GroupSums): GroupSums => ({
  recipients: a.recipients + b.recipients,
  sent: a.sent + b.sent,
  opens: a.opens + b.opens,
  clicks: a.clicks + b.clicks,
  unsubscribes: a.unsubscribes + b.unsubscribes,
});

/** The sums of groups of recipients; group n begins with the nth number. */
async function groupSums(db: Queries, of: CampaignKey, groups: readonly number[]): Promise<GroupSums[]> {
  if (groups.length === 0) return [];
  const ofRecipient = sql`width_bucket(d.seq, ${[...groups]}::int[])`;
  const ofHit = sql`width_bucket(e.seq, ${[...groups]}::int[])`;
  const rows = await sumsBy(db, of, { ofRecipient, ofHit, hits: sql`engagement e` });
  return groups.map((_, at): GroupSums => {
    const { part: _part, ...found } = rows.find(({ part }) => part === at + 1) ?? { part: 0, ...noSums };
    return found;
  });
}

/** What recipients are grouped by: an expression on a row of `delivery d`, the same on a row of `hits`, and those: `engagement e`. */
type Part = { ofRecipient: Sql; ofHit: Sql; hits: Sql };

function sumsBy(db: Queries, of: CampaignKey, part: Part): Promise<(GroupSums & { part: unknown })[]> {
  const cid = formatId(of.campaign);
  return db.rows<GroupSums & { part: unknown }>(sql`
    with got as (
      select ${part.ofRecipient} as part, count(*)::int as recipients, count(*) filter (where state = ${states.accepted})::int as sent
      from delivery d
      where account_id = ${of.account}
        and campaign_id = ${of.campaign}
        and month = ${monthOf(of)}
      group by 1
    ), did as (
      select ${part.ofHit} as part, count(*) filter (where ${opensOf} > 0)::int as opens, count(*) filter (where e.clicks > 0)::int as clicks
      from ${part.hits}
      where account_id = ${of.account}
        and campaign_id = ${of.campaign}
        and month = ${monthOf(of)}
      group by 1
    ), gone as (
      select ${part.ofRecipient} as part, count(distinct k.contact_id)::int as unsubscribes
      from consent k
      join delivery d
        on d.account_id = k.account_id
        and d.campaign_id = ${of.campaign}
        and d.contact_id = k.contact_id
        and d.month = ${monthOf(of)}
      where k.account_id = ${of.account}
        and k.detail ? 'campaign'
        and k.detail ->> 'campaign' = ${cid}
        and k.kind = 'unsubscribe'
      group by 1
    )
    select part, recipients, sent, coalesce(opens, 0) as opens, coalesce(clicks, 0) as clicks, coalesce(unsubscribes, 0) as unsubscribes
    from got
    left join did using (part)
    left join gone using (part)`);
}
