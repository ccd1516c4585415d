// Reads the facts about a campaign's message from the database and checks them with check-mail.ts.
import { brokenSegments } from '../../audience/segments/references.ts';
import type { Context } from '../../base/context.ts';
import { message } from '../../base/messages.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { compileCampaign } from '../compile/compile-campaign.ts';
import type { Compiled } from '../markup/compiled.ts';
import type { MergeField } from '../markup/merge-tags.ts';
import { variantName } from '../model/division.ts';
import { languagesOf, variantCount } from '../model/variant.ts';
import { checkMail, type Finding, type StoredWarning } from './check-mail.ts';

/** The findings that make sending impossible: an unusable sender, or a segment that no longer determines recipients. */
export async function checkErrors(
  context: Pick<Context, 'app' | 'account' | 'tx'>,
  campaignId: number,
): Promise<Finding[]> {
  return (await mailFindings(context, campaignId)).findings.filter(({ level }) => level === 'error');
}

/** Findings about the message and the variants of its A/B test or its language versions, and the compiled message. */
export async function mailFindings(
  context: Pick<Context, 'app' | 'account' | 'tx'>,
  campaignId: number,
): Promise<{ findings: Finding[]; compiled: Compiled }> {
  const { findings, compiled } = await messageFindings(context, campaignId, 0);
  const known = new Set(findings.map(sameFinding));
  const count = await variantCount(context, campaignId);
  const languages = await languagesOf(context.tx, { account: context.account.id, campaign: campaignId });
  for (let variant = 1; variant < count; variant++)
    // What the campaign itself has too is reported once.
    for (const finding of (await messageFindings(context, campaignId, variant)).findings)
      if (!known.has(sameFinding(finding)))
        findings.push({
          ...finding,
          variant,
          message: languages[variant - 1]
            ? message('check.of_language', { language: languages[variant - 1]!.language, text: finding.message })
            : message('check.of_variant', { name: variantName(variant), text: finding.message }),
        });
  return { compiled, findings: [...findings, ...(await segmentFindings(context, campaignId))] };
}

const sameFinding = ({ code, message: { key, values }, found }: Finding) => JSON.stringify([code, key, values, found]);

async function messageFindings(
  context: Pick<Context, 'app' | 'account' | 'tx'>,
  campaignId: number,
  variant: number,
): Promise<{ findings: Finding[]; compiled: Compiled }> {
  const { tx, account, app } = context;
  const compiled = (await compileCampaign(tx, app, account, campaignId, [], { no: variant }))!;
  const row = (await tx.row<Row>(sql`
    select type, coalesce(v.html, c.html) as html, coalesce(v.plain, c.plain) as plain,
      array[
        coalesce(v.subject, c.subject), coalesce(v.preview_text, c.preview_text, ''), coalesce(v.from_name, c.from_name), c.to_name
      ] as headers,
      (
        select coalesce(jsonb_agg(jsonb_build_object('tag', f.tag, 'type', f.field_type, 'default', f.default_value) order by cl.position, f.merge_no), '[]')
        from campaign_list cl
        join field f on f.account_id = cl.account_id and f.list_id = cl.list_id
        where cl.account_id = c.account_id
          and cl.campaign_id = c.id
      ) as fields,
      case when v.html is null then import_warnings else '[]' end as "importWarnings", auto_footer as "autoFooter", authenticate, inline_img as embeds,
      exists (
        select
        from automation a
        where a.account_id = c.account_id
          and a.definition #>> '{trigger,type}' in ('event', 'webhook')
          and (
            a.id = (c.auto ->> 'automation')::int
            or jsonb_path_exists(a.definition, '$.** ? (@.type == "send" && @.campaign == $cid)', ${JSON.stringify({ cid: formatId(campaignId) })}::jsonb)
          )
      ) as "hasEvent",
      exists (
        select from sender_domain d
        where d.account_id = c.account_id and d.active and d.domain = lower(split_part(${compiled.fromEmail}, '@', 2))
      ) as "domainActive",
      exists (select from notice_source s where s.account_id = c.account_id)
        or exists (select from bounce_mailbox m where m.account_id = c.account_id) as "hasSource"
    from campaign c
    left join campaign_variant v on v.account_id = c.account_id and v.campaign_id = c.id and v.no = ${variant}
    where c.account_id = ${account.id}
      and c.id = ${campaignId}`))!;
  const addressKnown = compiled.lists.length > 0 && compiled.lists.every((list) => list.address.trim() !== '');
  const seesBounces = app.config.bounceDomain !== '' || row.hasSource;
  return { compiled, findings: checkMail({ ...row, ownUrl: app.baseUrl, compiled, addressKnown, seesBounces }) };
}

/** A segment with a condition on a deleted campaign or list matches no one or everyone, which is never intended. */
async function segmentFindings(of: { tx: Queries; account: { id: number } }, campaignId: number): Promise<Finding[]> {
  return (await brokenSegments(of, campaignId)).map(({ title, missing }) => ({
    level: 'error',
    code: 'segment_gone',
    message: message('check.segment_gone', { title }),
    found: missing,
  }));
}

type Row = {
  type: 'html' | 'plain' | 'auto';
  html: string;
  plain: string;
  headers: string[];
  fields: MergeField[];
  importWarnings: StoredWarning[];
  autoFooter: boolean;
  embeds: boolean;
  authenticate: boolean;
  domainActive: boolean;
  hasEvent: boolean;
  /** Of returned mail. */
  hasSource: boolean;
};
