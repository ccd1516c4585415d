// Adds a text to the history of a campaign.
import type { Context } from '../../../base/context.ts';
import { sql } from '../../../db/connect.ts';
import type { Campaign } from '../../model/campaign.ts';
import type { BodyFormat } from '../../model/source-format.ts';

/** What replaces a body; conflict: it was not saved, because another person had changed the content. */
export const replacements = ['edit', 'template', 'import', 'restore', 'conflict'] as const;
export type Replacement = Exclude<(typeof replacements)[number], 'conflict'>;

export type Body = Pick<Campaign, 'html' | 'plain' | 'plainGenerated' | 'source'> & {
  sourceFormat: BodyFormat | 'part';
};
export type Author = { userId: number | null; keyId: number | null };

/** Versions kept per campaign; the oldest are deleted first. */
export const maxVersions = 50;

/** Adds a version, written by `author`, and deletes the oldest when there are too many. */
export async function insertVersion(
  { tx, account, now }: Context,
  campaignId: number,
  { html, plain, plainGenerated, source, sourceFormat }: Body,
  replacedBy: Replacement | 'conflict',
  author: Author,
): Promise<void> {
  const row = await tx.row<{ no: number }>(sql`
    insert into campaign_version (account_id, campaign_id, no, html, plain, plain_generated, source, source_format, replaced_by, kept_at,
      user_id, key_id)
    select ${account.id}, ${campaignId}, coalesce(max(no), 0) + 1, ${html}, ${plain}, ${plainGenerated}, ${source}, ${sourceFormat},
      ${replacedBy}, ${now}, ${author.userId}, ${author.keyId}
    from campaign_version
    where account_id = ${account.id}
      and campaign_id = ${campaignId}
    returning no`);
  await tx.run(sql`
    delete from campaign_version
    where account_id = ${account.id}
      and campaign_id = ${campaignId}
      and no <= ${row!.no - maxVersions}`);
}
