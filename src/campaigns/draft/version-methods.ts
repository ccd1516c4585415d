// The methods about earlier bodies of a campaign: listing them, looking at one, going back to one.
import { z } from 'zod';
import { Fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { formatDate } from '../../method/date.ts';
import { method } from '../../method/method.ts';
import { id, params, whole } from '../../method/params.ts';
import { keepAssets } from '../content/pictures/asset.ts';
import { lockCampaign, needCampaignId, needStatus } from '../record.ts';
import { keepBody, maxVersions } from './versions.ts';

export const versionMethods = [
  method({
    name: 'campaignVersions',
    group: 'campaigns',
    summary: 'Lists the earlier bodies of a campaign, newest first; with version, returns one with its texts.',
    description: `A body is kept before another takes its place, at most ${maxVersions} a campaign; changes by typing that follow each other within two minutes are one.`,
    params: params({
      cid: id('The campaign.'),
      version: whole('One to look at.', 1, 1_000_000_000).optional(),
    }),
    returns: z.array(
      z.object({
        version: z.int(),
        kept_at: z.string(),
        replaced_by: z.string().meta({ description: 'What took its place: edit, template, import or restore.' }),
        characters: z.int().meta({ description: 'Length of the HTML, or of the plain text where there is no HTML.' }),
        html: z.string().meta({ description: 'Given for a single one only.' }),
        plain: z.string(),
      }),
    ),
    faults: ['CAMPAIGN_UNKNOWN', 'INVALID_PARAMETER'],
    scope: 'read',
    reads: true,
    example: { params: { cid: '{{campaign}}' } },
    async run(context, { cid, version }) {
      const { tx, account } = context;
      const campaignId = await needCampaignId(context, cid);
      const whole = version !== undefined;
      const rows = await tx.rows<Row>(sql`
        select no as version, kept_at as "keptAt", replaced_by, case when html = '' then length(plain) else length(html) end as characters,
          ${whole ? sql`html` : sql`''`} as html, ${whole ? sql`plain` : sql`''`} as plain
        from campaign_version
        where account_id = ${account.id}
          and campaign_id = ${campaignId}
          and ${whole ? sql`no = ${version}` : sql`true`}
        order by no desc`);
      if (whole && rows.length === 0) throw unknownVersion(version);
      return rows.map(({ keptAt, ...row }) => ({ ...row, kept_at: formatDate(keptAt) }));
    },
  }),
  method({
    name: 'campaignVersionRestore',
    group: 'campaigns',
    summary: 'Puts an earlier body of a draft back; the present one is kept as a version.',
    params: params({
      cid: id('The campaign.'),
      version: whole('Which one, as campaignVersions tells it.', 1, 1_000_000_000),
    }),
    returns: z.boolean(),
    faults: ['CAMPAIGN_UNKNOWN', 'CAMPAIGN_STATE_CONFLICT', 'INVALID_PARAMETER'],
    scope: 'write',
    example: { params: { cid: '{{edited}}', version: 1 } },
    async run(context, { cid, version }) {
      const { tx, account } = context;
      const campaign = await lockCampaign(context, cid);
      needStatus(campaign, 'draft', 'only a draft can be changed');
      const body = await tx.row<{ html: string; plain: string; generated: boolean }>(sql`
        select html, plain, plain_generated as generated
        from campaign_version
        where account_id = ${account.id}
          and campaign_id = ${campaign.id}
          and no = ${version}`);
      if (!body) throw unknownVersion(version);
      await keepBody(context, campaign, 'restore');
      await tx.run(sql`
        update campaign
        set html = ${body.html}, plain = ${body.plain}, plain_generated = ${body.generated}, template_id = null, source_url = '',
          version = version + 1, changed_at = now()
        where account_id = ${account.id}
          and id = ${campaign.id}`);
      await keepAssets(context, campaign.id, body.html);
      return true;
    },
  }),
];

type Row = {
  version: number;
  keptAt: Date;
  replaced_by: string;
  characters: number;
  html: string;
  plain: string;
};

const unknownVersion = (version: number) =>
  new Fault('INVALID_PARAMETER', `version: the campaign has no version ${version}`);
