// campaignRevisions: the texts of a campaign that were sent one after the other, and what came of each.
import { z } from 'zod';
import type { Context } from '../../base/context.ts';
import { authorName } from '../../campaigns/draft/editors/edits.ts';
import { revisionsOf } from '../../campaigns/model/revision.ts';
import { sql } from '../../db/connect.ts';
import { formatDate } from '../../method/date.ts';
import { method } from '../../method/method.ts';
import { id, params } from '../../method/params.ts';
import { keptSums, reportedCampaign } from './campaign.ts';
import { type GroupSums, groupShape, revisionSums } from './variants.ts';

const shape = z.array(
  z.object({
    revision: z.int().meta({ description: 'From 1, which is what was launched.' }),
    published_at: z.string(),
    by: z.string().meta({
      description: 'The user or API key that changed the text last; "" for the first revision and for the program.',
    }),
    ...groupShape,
    recipients: z.int().meta({ description: 'Who gets or got this text.' }),
  }),
);

export const revisionsMethod = method({
  name: 'campaignRevisions',
  group: 'reports',
  summary: 'Returns the texts of a campaign that was corrected after its launch, and how many got each.',
  description:
    'Oldest first. Empty for a campaign that was not corrected. Recipients who were frozen with a text keep it, and so do those who may have received it; a recipient of a paused campaign whom no message was sent to gets the latest. campaignGet shows whether a correction is not published yet.',
  params: params({ cid: id('The campaign.') }),
  returns: shape,
  faults: ['CAMPAIGN_UNKNOWN'],
  scope: 'read',
  narrowed: true,
  reads: true,
  example: { params: { cid: '{{campaign}}' } },
  run: listRevisions,
});

/** @throws Fault CAMPAIGN_UNKNOWN */
async function listRevisions(context: Context, { cid }: { cid: string }): Promise<z.input<typeof shape>> {
  const { tx } = context;
  const of = await reportedCampaign(context, cid);
  const count = await revisionsOf(tx, of);
  if (count === 1) return [];
  const published = await tx.rows<{ revision: number; at: Date; by: string }>(sql`
    select 1 as revision, min(frozen_at) as at, '' as by
    from frozen_content
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}
    union all
    select no, published_at, ${authorName(sql`campaign_revision`)}
    from campaign_revision
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}
    order by revision`);
  const sums = (await keptSums<GroupSums[] | null>(tx, of, 'revisions')) ?? (await revisionSums(tx, of, count));
  return published.map(({ revision, at, by }) => ({
    revision,
    published_at: formatDate(at),
    by,
    ...sums[revision - 1]!,
  }));
}
