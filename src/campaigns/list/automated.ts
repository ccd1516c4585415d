// Which campaigns are sent by something other than a person: autoresponders, the emails of automations, and the originals that
// recurring campaigns copy; and what they belong to.
import { z } from 'zod';
import type { Context } from '../../base/context.ts';
import { type Sql, sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';

export const belongsTo = z
  .object({ kind: z.enum(['', 'automation', 'recurring']), id: z.string(), title: z.string() })
  .meta({ description: 'The automation or the recurring campaign (kind) whose email it is; empty texts for others.' });
type BelongsTo = z.input<typeof belongsTo>;

const nothing: BelongsTo = { kind: '', id: '', title: '' };

/** What belongs to what, by the id of the campaign. */
export type Owners = ReadonlyMap<number, BelongsTo>;

export const ownerOf = (owners: Owners, cid: string): BelongsTo => owners.get(parseId(cid)) ?? nothing;

/** Drafts belong to the steps they are in; emails of a running version stay with their automation. */
export async function ownersOf({ tx, account }: Context): Promise<Owners> {
  const rows = await tx.rows<{
    kind: 'automation' | 'recurring';
    id: number;
    title: string;
    cid: string | null;
    campaign: number | null;
  }>(sql`
    select 'automation' as kind, a.id, a.title, step.campaign #>> '{}' as cid, null::int as campaign
    from automation a
    cross join lateral jsonb_path_query(a.definition, '$.** ? (@.type == "send").campaign') as step(campaign)
    where a.account_id = ${account.id}
    union all
    select 'automation', a.id, a.title, null, c.id
    from campaign c
    join automation a on a.account_id = c.account_id and a.id = (c.auto ->> 'automation')::int
    where c.account_id = ${account.id}
      and c.type = 'auto'
    union all
    select 'recurring', r.id, r.title, null, r.original_id
    from recurring r
    where r.account_id = ${account.id}
      and r.original_id is not null`);
  return new Map(
    rows.map(({ kind, id, title, cid, campaign }) => [
      campaign ?? parseId(cid ?? ''),
      { kind, id: formatId(id), title },
    ]),
  );
}

/** The condition on `c` that it is one of them. */
export const isAutomated = (owners: Owners): Sql => sql`(c.type = 'auto' or c.id = any (${[...owners.keys()]}::int[]))`;
