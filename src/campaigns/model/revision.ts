// Revisions: texts that were corrected after the launch. frozen_content has the rows of each revision after those of the earlier
// ones, and who gets which is in their `recipients`, as for variants: nothing is stored with a recipient.

import { type Queries, type Sql, sql } from '../../db/connect.ts';
import type { CampaignKey } from '../../db/keys.ts';

/** The variants of revision n are numbered from (n - 1) × this: a campaign has at most 21 language versions. */
export const revisionStep = 32;

/** frozen_content.variant is a smallint. */
export const maxRevisions = 1_000;

/** SQL: the variant or language version of a row of frozen_content. */
export const variantWithin = (row: Sql): Sql => sql`(${row}.variant % ${revisionStep}::int)`;
/** SQL: its revision, from 1. */
export const revisionOf = (row: Sql): Sql => sql`(1 + ${row}.variant / ${revisionStep}::int)`;

/** How many revisions a campaign has: 1 without a correction. */
export async function revisionsOf(db: Queries, of: CampaignKey): Promise<number> {
  const row = await db.row<{ revision: number }>(sql`
    select revision from campaign where account_id = ${of.account} and id = ${of.campaign}`);
  return row!.revision;
}
