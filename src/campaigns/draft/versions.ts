// Earlier bodies of a campaign. Before a body is changed it is kept, so that every change can be taken back; typing is
// kept once in a while, not with every letter. Who changes a body calls `keepBody` first, within the same transaction.
import type { Context } from '../../base/context.ts';
import { sql } from '../../db/connect.ts';
import type { Campaign } from '../record.ts';

/** What takes the place of a body. */
export type Replacement = 'edit' | 'template' | 'import' | 'restore';

/** Earlier bodies of one campaign at most; the oldest go first. */
export const maxVersions = 50;
/** Changes by typing that follow each other closer than this are one. */
const typingMs = 2 * 60_000;

/** Keeps the body as it stands, before `replacement` takes its place. */
export async function keepBody(context: Context, campaign: Campaign, replacement: Replacement): Promise<void> {
  const { tx, account } = context;
  if (campaign.html === '' && campaign.plain === '') return;
  const last = await tx.row<{ no: number; sameBody: boolean; replacedBy: Replacement; keptAt: Date }>(sql`
    select v.no, v.html = c.html and v.plain = c.plain as "sameBody", v.replaced_by as "replacedBy", v.kept_at as "keptAt"
    from campaign_version v
    join campaign c on c.account_id = v.account_id and c.id = v.campaign_id
    where v.account_id = ${account.id}
      and v.campaign_id = ${campaign.id}
    order by v.no desc
    limit 1`);
  if (last && !worthKeeping(last, replacement, context.now)) return;
  const no = (last?.no ?? 0) + 1;
  await tx.run(sql`
    insert into campaign_version (account_id, campaign_id, no, html, plain, plain_generated, replaced_by, kept_at)
    values (${account.id}, ${campaign.id}, ${no}, ${campaign.html}, ${campaign.plain}, ${campaign.plainGenerated}, ${replacement}, ${context.now})`);
  await tx.run(sql`
    delete from campaign_version
    where account_id = ${account.id}
      and campaign_id = ${campaign.id}
      and no <= ${no - maxVersions}`);
}

/** Whether a body differs enough, or is about to go for good, so that it is kept beside the last one that was. */
export function worthKeeping(
  last: { sameBody: boolean; replacedBy: Replacement; keptAt: Date },
  replacement: Replacement,
  now: Date,
): boolean {
  if (last.sameBody) return false;
  if (replacement !== 'edit' || last.replacedBy !== 'edit') return true;
  return now.getTime() - last.keptAt.getTime() >= typingMs;
}
