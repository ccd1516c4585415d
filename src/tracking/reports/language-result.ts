// campaignLanguages: the language versions of a campaign, their texts, and their results since the launch.
import { z } from 'zod';
import type { Context } from '../../base/context.ts';
import { removedLanguages } from '../../campaigns/model/variant.ts';
import { type Queries, sql } from '../../db/connect.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { method } from '../../method/method.ts';
import { id, params } from '../../method/params.ts';
import { keptSums, reportedCampaign } from './campaign.ts';
import { type GroupSums, groupShape, languageSums } from './variants.ts';

const shape = z.array(
  z.object({
    variant: z.int().meta({
      description:
        'Its number, for campaignPreview and campaignSendTest; 0 is the campaign itself, -1 one that was removed.',
    }),
    language: z.string().meta({ description: 'Of the campaign itself "": everyone whose language has no version.' }),
    subject: z.string(),
    preview_text: z.string(),
    from_name: z.string().meta({ description: '"" where it is that of the campaign.' }),
    html: z.string(),
    plain: z.string(),
    removed: z.boolean().meta({
      description:
        'Whether it was removed while the email was running; its texts are empty, and those who got it are counted.',
    }),
    ...groupShape,
  }),
);

export const languagesMethod = method({
  name: 'campaignLanguages',
  group: 'reports',
  summary: 'Returns the language versions of a campaign, with the results of each.',
  description:
    'The first one is the campaign itself. Empty for a campaign without versions. Numbers are of people; machines are left out. They are 0 before the launch.',
  params: params({ cid: id('The campaign.') }),
  returns: shape,
  faults: ['CAMPAIGN_UNKNOWN'],
  scope: 'read',
  narrowed: true,
  reads: true,
  example: { params: { cid: '{{campaign}}' } },
  run: showLanguages,
});

/** @throws Fault CAMPAIGN_UNKNOWN */
async function showLanguages({ tx, ...context }: Context, { cid }: { cid: string }): Promise<z.input<typeof shape>> {
  const of = await reportedCampaign({ tx, ...context }, cid);
  const texts = await textsOf(tx, of);
  const removed = await removedLanguages(tx, of);
  const versions = [
    ...texts.map((version) => ({ ...version, removed: false })),
    ...removed.map((language) => ({ ...nothing, language, removed: true })),
  ];
  if (versions.length === 1) return [];
  const languages = versions.slice(1).map(({ language }) => language);
  const sums = (await keptSums<GroupSums[] | null>(tx, of, 'languages')) ?? (await languageSums(tx, of, languages));
  return versions.map((version, no) => ({ ...version, ...sums[no]! }));
}

type Texts = Pick<
  z.input<typeof shape>[number],
  'variant' | 'language' | 'subject' | 'preview_text' | 'from_name' | 'html' | 'plain'
>;

const nothing: Texts = {
  variant: -1,
  language: '',
  subject: '',
  preview_text: '',
  from_name: '',
  html: '',
  plain: '',
};

/** The campaign itself first, without its content, which campaignContent returns. */
function textsOf(db: Queries, of: CampaignKey): Promise<Texts[]> {
  return db.rows<Texts>(sql`
    select 0 as variant, '' as language, subject, preview_text, '' as from_name, '' as html, '' as plain
    from campaign
    where account_id = ${of.account}
      and id = ${of.campaign}
    union all
    select no, language, subject, coalesce(preview_text, ''), coalesce(from_name, ''), coalesce(html, ''), coalesce(plain, '')
    from campaign_variant
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}
      and language <> ''
    order by variant`);
}
