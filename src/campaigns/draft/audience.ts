// Writes the audience of a draft: its lists, its segments, and the lists and segments it excludes.
// Guarantees that every list and segment belongs to the account; each function replaces what was chosen before.
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';

/** The segments of lists that stay are kept. @throws Fault LIST_UNKNOWN, CAMPAIGN_OPTION_INVALID */
export async function setLists(
  context: Context,
  campaignId: number,
  named: readonly string[],
  member: string,
): Promise<void> {
  const { tx, account } = context;
  if (named.length === 0) throw fault('CAMPAIGN_OPTION_INVALID', 'campaign.no_list_named', { member });
  const ids = await lockNamed(context, 'list', named, member);
  await tx.run(sql`
    delete from campaign_segment s
    where s.account_id = ${account.id}
      and s.campaign_id = ${campaignId}
      and not exists (
        select from segment g
        where g.account_id = s.account_id and g.id = s.segment_id and g.list_id = any (${ids}::int[])
      )`);
  await tx.run(sql`delete from campaign_list where account_id = ${account.id} and campaign_id = ${campaignId}`);
  await tx.run(sql`
    insert into campaign_list (account_id, campaign_id, list_id, position)
    select ${account.id}::int, ${campaignId}::int, id, ord
    from unnest(${ids}::int[]) with ordinality as w(id, ord)`);
}

/** Segments must be built on a list of the campaign. @throws Fault SEGMENT_INVALID */
export async function setSegments(
  context: Context,
  campaignId: number,
  named: readonly string[],
  member: string,
): Promise<void> {
  const { tx, account } = context;
  const publicIds = [...new Set(named.filter((id) => id !== ''))];
  const ids = publicIds.map(parseId);
  const found = await tx.rows<{ id: number; fits: boolean }>(sql`
    select g.id, l.list_id is not null as fits
    from segment g
    left join campaign_list l
      on l.account_id = g.account_id
      and l.campaign_id = ${campaignId}
      and l.list_id = g.list_id
    where g.account_id = ${account.id}
      and g.id = any (${ids}::int[])`);
  for (const [i, publicId] of publicIds.entries()) {
    const segment = found.find((row) => row.id === ids[i]);
    if (!segment) throw fault('SEGMENT_INVALID', 'campaign.segment_unknown', { member, id: publicId.slice(0, 40) });
    if (!segment.fits) throw fault('SEGMENT_INVALID', 'campaign.segment_of_other_list', { member, id: publicId });
  }
  await tx.run(sql`delete from campaign_segment where account_id = ${account.id} and campaign_id = ${campaignId}`);
  await tx.run(sql`
    insert into campaign_segment (account_id, campaign_id, segment_id)
    select ${account.id}::int, ${campaignId}::int, unnest(${ids}::int[])`);
}

/** Lists or segments whose members are left out. @throws Fault LIST_UNKNOWN, SEGMENT_INVALID */
export async function setExclusions(
  context: Context,
  campaignId: number,
  kind: 'list' | 'segment',
  named: readonly string[],
  member: string,
): Promise<void> {
  const { tx, account } = context;
  const ids = await lockNamed(
    context,
    kind,
    named.filter((id) => id !== ''),
    member,
  );
  await tx.run(sql`
    delete from campaign_exclusion
    where account_id = ${account.id}
      and campaign_id = ${campaignId}
      and kind = ${kind}`);
  await tx.run(sql`
    insert into campaign_exclusion (account_id, campaign_id, kind, target_id)
    select ${account.id}::int, ${campaignId}::int, ${kind}, unnest(${ids}::int[])`);
}

/** Locks lists or segments, so that none is deleted until the campaign is written. @returns their ids, each once */
async function lockNamed(
  { tx, account }: Context,
  kind: 'list' | 'segment',
  named: readonly string[],
  member: string,
): Promise<number[]> {
  const publicIds = [...new Set(named)];
  const ids = publicIds.map(parseId);
  const found = await tx.rows<{ id: number }>(sql`
    select id
    from ${kind === 'list' ? sql`list` : sql`segment`}
    where account_id = ${account.id}
      and id = any (${ids}::int[])
    order by id
    for key share`);
  const missing = publicIds.find((_id, i) => !found.some((row) => row.id === ids[i]));
  if (missing !== undefined)
    throw fault(kind === 'list' ? 'LIST_UNKNOWN' : 'SEGMENT_INVALID', `campaign.${kind}_unknown`, {
      member,
      id: missing.slice(0, 40),
    });
  return ids;
}
