// Campaigns whose segments ask what contacts did (a follow-up to those who did not open): hours may pass between the launch, which
// freezes the audience, and the attempt. So their segments are frozen too, and each recipient is asked again right before it is sent
// to. All other campaigns have none, and pay nothing.

import { usesActions } from '../../audience/model/segment.ts';
import { type AudienceSegments, inExcludedSegments, inSegments } from '../../audience/segments/audience.ts';
import { idsIn } from '../../audience/segments/describe.ts';
import { namesFor } from '../../audience/segments/references.ts';
import { type Sql, sql, type Tx } from '../../db/connect.ts';
import type { Chunk } from './chunk.ts';

/** Whether an audience depends on what contacts did. */
export const isAskedAgain = ({ segments, excluded }: AudienceSegments): boolean =>
  [...segments, ...excluded].some(({ filter }) => usesActions(filter));

/**
 * SQL that is true for recipient p if it is no longer in the audience; undefined if that is not asked. Refers to the aliases s, c
 * and p. What refers to a campaign or list that is deleted by now cannot be asked, and the audience stays as it was.
 */
export async function hasLeftSegment(tx: Tx, { account, askedAgain }: Chunk): Promise<Sql | undefined> {
  if (!askedAgain) return undefined;
  const { segments, excluded } = askedAgain;
  const filters = [...segments, ...excluded].map(({ filter }) => filter);
  const names = await namesFor({ tx, account: { id: account } }, filters);
  if (filters.flatMap(idsIn).some((id) => !names.has(id))) return undefined;
  const few = { few: true };
  return sql`(
    not exists (select from (select p.list_id) as l where ${inSegments(account, segments, few)})
    or ${inExcludedSegments(account, excluded, sql`p.contact_id`, few)}
  )`;
}
