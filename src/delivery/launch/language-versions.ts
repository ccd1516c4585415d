// Which language version each recipient gets: that of its language (pt-br), else of the language without its region (pt), else the
// campaign itself. Recipients are numbered so that those of one version are together, and the version has the ranges of their
// numbers, as a variant of an A/B test has: nothing is stored with a recipient, so no crash can change it. Recipients of autoresponders
// and automations come one by one, and have the language of their version in their row.

import { languagesOf } from '../../campaigns/model/variant.ts';
import { type Queries, type Sql, sql, type Tx } from '../../db/connect.ts';
import type { CampaignKey } from '../../db/keys.ts';

export type VersionRange = { version: number; first: number; last: number };

/** How recipients are numbered. */
export type Numbering = {
  /** Of what is due together. */
  order: Sql;
  /** Within a group, so that a receiving domain is spread over the whole delivery. */
  shuffle: Sql;
  /** The last number that is taken. */
  after: number;
};

/** SQL: the CTE `numbered`, the rows of the CTE `timed` with `seq`, `version` and the group of rows that are together (`part`). */
export async function numberedRecipients(tx: Tx, of: CampaignKey, { order, shuffle, after }: Numbering): Promise<Sql> {
  const languages = await languagesOf(tx, of);
  if (languages.length === 0)
    return sql`numbered as (
      select t.*, ${after}::int + row_number() over (order by ${order}, ${shuffle}, contact_id) as seq, 0 as version, 0 as part
      from timed t
    )`;
  return sql`
    edition as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(languages)}::jsonb) as e(no int, language text)
    ), spoken as (
      select t.*, coalesce(exact.no, general.no, 0) as version
      from timed t
      left join edition exact on exact.language = ${tagOf(sql`t.language`)}
      left join edition general on general.language = split_part(${tagOf(sql`t.language`)}, '-', 1)
    ), numbered as materialized (
      select s.*, ${after}::int + row_number() over (order by ${order}, version, ${shuffle}, contact_id) as seq,
        dense_rank() over (order by ${order}, version) as part
      from spoken s
    )`;
}

/**
 * SQL: the language of the version that a contact gets whose recipients come one by one; null for the email itself.
 * @param contact its number
 */
export function versionOfContact(account: number, languages: readonly string[], contact: Sql): Sql {
  if (languages.length === 0) return sql`null::text`;
  return sql`(
    select tag
    from contact c, unnest(${[...languages]}::text[]) as tag
    where c.account_id = ${account}
      and c.id = ${contact}
      and tag in (${tagOf(sql`c.language`)}, split_part(${tagOf(sql`c.language`)}, '-', 1))
    order by length(tag) desc
    limit 1
  )`;
}

/** Languages are compared in lower case and with hyphens. */
const tagOf = (language: Sql): Sql => sql`replace(lower(${language}), '_', '-')`;

/** SQL: the ranges of the CTE `numbered` as JSON; [] without language versions. */
export const versionRanges: Sql = sql`(
  select coalesce(jsonb_agg(jsonb_build_object('version', version, 'first', first, 'last', last)), '[]')
  from (
    select version, min(seq) as first, max(seq) as last
    from numbered
    where part > 0
    group by part, version
  ) r
)`;

/**
 * Writes down who gets which version, in addition to those of earlier portions. A version without recipients has no ranges. Workers
 * read the ranges with the content, so its hash changes with them.
 */
export async function recordVersions(db: Queries, of: CampaignKey, ranges: readonly VersionRange[]): Promise<void> {
  await db.run(sql`
    update frozen_content f
    set recipients = coalesce(f.recipients, '{}') + r.recipients,
      content_hash = md5(f.content_hash || r.recipients::text)
    from (
      select version, range_agg(int4range(first, last, '[]')) as recipients
      from jsonb_to_recordset(${JSON.stringify(ranges)}::jsonb) as v(version int, first int, last int)
      group by version
    ) r
    where f.account_id = ${of.account}
      and f.campaign_id = ${of.campaign}
      and f.variant = r.version`);
}
