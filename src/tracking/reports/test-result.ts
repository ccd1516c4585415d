// campaignTestGet: the A/B test of a campaign, its settings before the launch and its results since.
import { z } from 'zod';
import type { Context } from '../../base/context.ts';
import { type Message, message, renderMessage } from '../../base/messages.ts';
import { variantName } from '../../campaigns/model/division.ts';
import { type CampaignTest, deciders, readTest, winners } from '../../campaigns/model/variant.ts';
import { type Queries, sql } from '../../db/connect.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { formatDate } from '../../method/date.ts';
import { method } from '../../method/method.ts';
import { id, params } from '../../method/params.ts';
import { keptSums, reportedCampaign } from './campaign.ts';
import { type Comparison, compareRates, significantFrom } from './significance.ts';
import { groupShape, type TestSums, testSums } from './variants.ts';

/** What a variant can have of its own. */
const ownParts = ['subject', 'preview_text', 'from_name', 'html', 'plain'] as const;
const testStates = ['draft', 'sending', 'waiting', 'decided'] as const;

const shape = z.object({
  on: z.boolean().meta({ description: 'Whether the campaign has a test.' }),
  share: z.int(),
  winner: z.enum(['', ...winners]),
  wait_minutes: z.int(),
  state: z.enum(['', ...testStates]).meta({
    description: 'sending: to the test group; waiting: for the time or for a person; "" without a test.',
  }),
  test_recipients: z.int(),
  due_time: z.string().meta({ description: 'When the winner is determined; "" while that is not known.' }),
  chosen: z.int().meta({ description: 'The variant that the other recipients get; -1 until then.' }),
  decided_time: z.string(),
  decided_by: z.enum(['', ...deciders]),
  variants: z.array(
    z.object({
      variant: z.int(),
      subject: z.string().meta({ description: 'As in the message, also where the variant has none of its own.' }),
      preview_text: z.string().meta({ description: '"" where the variant has none of its own, as below.' }),
      from_name: z.string(),
      html: z.string(),
      plain: z.string(),
      differs: z.array(z.enum(ownParts)).meta({ description: 'What the variant has of its own.' }),
      ...groupShape,
    }),
  ),
  rest: z.object(groupShape).meta({ description: 'The recipients outside the test group.' }),
  best: z.int().meta({ description: 'The variant that is ahead.' }),
  confidence: z.number().meta({
    description:
      'How sure it is, in percent, that the best variant is better than each other one: a two-proportion z-test, corrected for the number of variants; 0 with too few events to say.',
  }),
  significant: z.boolean().meta({ description: `Whether the confidence is at least ${significantFrom} percent.` }),
  summary: z.string().meta({ description: 'The comparison in words, in the language of the caller.' }),
});

export const testInfoMethod = method({
  name: 'campaignTestGet',
  group: 'reports',
  summary: 'Returns the A/B test of a campaign: its settings, and its results by variant.',
  description:
    'Numbers are of people; machines are left out. Those of the variants are of the test group only: the recipients who got the winner later are in rest. Without a test on is false.',
  params: params({ cid: id('The campaign.') }),
  returns: shape,
  faults: ['CAMPAIGN_UNKNOWN'],
  scope: 'read',
  narrowed: true,
  reads: true,
  example: { params: { cid: '{{campaign}}' } },
  run: showTest,
});

/** @throws Fault CAMPAIGN_UNKNOWN */
async function showTest(context: Context, { cid }: { cid: string }): Promise<z.input<typeof shape>> {
  const { tx } = context;
  const of = await reportedCampaign(context, cid);
  const abTest = await readTest(tx, of);
  if (!abTest) return withoutTest;
  const texts = await variantTexts(tx, of);
  const { testSize } = abTest;
  const found =
    testSize === null
      ? undefined
      : ((await keptSums<TestSums | null>(tx, of, 'test')) ??
        (await testSums(tx, of, { variants: abTest.variants, testSize })));
  const by = await decisiveOf(tx, of, abTest);
  const compared = compareRates(
    (found?.variants ?? []).map((sums, variant) => ({ variant, sent: sums.sent, events: sums[by] })),
  );
  const events = (found?.variants ?? []).map((sums) => sums[by]);
  return {
    on: true,
    share: abTest.share,
    winner: abTest.winner,
    wait_minutes: abTest.waitMinutes,
    state: await stateOf(tx, of, abTest),
    test_recipients: testSize ?? 0,
    due_time: abTest.chosen === null ? formatDate(abTest.dueAt) : '',
    chosen: abTest.chosen ?? -1,
    decided_time: formatDate(abTest.decidedAt),
    decided_by: abTest.decidedBy ?? '',
    variants: texts.map((variant, no) => ({ variant: no, ...variant, ...(found?.variants[no] ?? noSums) })),
    rest: found?.rest ?? noSums,
    best: compared.best,
    confidence: compared.confidence,
    significant: compared.confidence >= significantFrom,
    summary: found ? renderMessage(summaryOf(compared, events, found, by), context.language) : '',
  };
}

function summaryOf(
  { best, confidence }: Comparison,
  events: number[],
  { variants }: TestSums,
  by: 'clicks' | 'opens',
): Message {
  if (events.every((count) => count === 0)) return message('ab_test.summary.none');
  const rates = variants.map((sums) => (sums.sent === 0 ? 0 : sums[by] / sums.sent));
  if (rates.every((rate) => rate === rates[0])) return message('ab_test.summary.equal');
  if (confidence >= significantFrom) return message('ab_test.summary.better', { name: variantName(best), confidence });
  return message('ab_test.summary.chance', { name: variantName(best) });
}

/** What decides; for a choice by hand, clicks where they are counted. */
async function decisiveOf(
  db: Queries,
  of: CampaignKey,
  { winner, decidedBy }: CampaignTest,
): Promise<'clicks' | 'opens'> {
  if (winner !== 'manual') return winner;
  if (decidedBy === 'clicks' || decidedBy === 'opens') return decidedBy;
  const row = await db.row<{ clicks: boolean }>(sql`
    select track_html_clicks or track_text_clicks as clicks
    from campaign
    where account_id = ${of.account}
      and id = ${of.campaign}`);
  return row!.clicks ? 'clicks' : 'opens';
}

async function stateOf(
  db: Queries,
  of: CampaignKey,
  { testSize, chosen }: CampaignTest,
): Promise<(typeof testStates)[number]> {
  if (testSize === null) return 'draft';
  if (chosen !== null) return 'decided';
  const open = await db.row(sql`
    select from chunk
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}
      and kind = 'first'
      and state <> 'done'
    limit 1`);
  return open ? 'sending' : 'waiting';
}

type Texts = {
  subject: string;
  preview_text: string;
  from_name: string;
  html: string;
  plain: string;
  differs: (typeof ownParts)[number][];
};

function variantTexts(db: Queries, of: CampaignKey): Promise<Texts[]> {
  return db.rows<Texts>(sql`
    select coalesce(v.subject, c.subject) as subject, coalesce(v.preview_text, '') as preview_text, coalesce(v.from_name, '') as from_name,
      coalesce(v.html, '') as html, coalesce(v.plain, '') as plain,
      array_remove(array[
        case when v.subject is not null then 'subject' end,
        case when v.preview_text is not null then 'preview_text' end,
        case when v.from_name is not null then 'from_name' end,
        case when v.html is not null then 'html' end,
        case when v.plain is not null then 'plain' end
      ], null) as differs
    from campaign c
    cross join lateral (
      select 0 as no, null as subject, null as preview_text, null as from_name, null as html, null as plain
      union all
      select no, subject, preview_text, from_name, html, plain
      from campaign_variant
      where account_id = c.account_id and campaign_id = c.id
    ) v
    where c.account_id = ${of.account}
      and c.id = ${of.campaign}
    order by v.no`);
}

const noSums = { recipients: 0, sent: 0, opens: 0, clicks: 0, unsubscribes: 0 };
const withoutTest: z.input<typeof shape> = {
  on: false,
  share: 0,
  winner: '',
  wait_minutes: 0,
  state: '',
  test_recipients: 0,
  due_time: '',
  chosen: -1,
  decided_time: '',
  decided_by: '',
  variants: [],
  rest: noSums,
  best: 0,
  confidence: 0,
  significant: false,
  summary: '',
};
