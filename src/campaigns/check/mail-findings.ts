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
import { checkMail, type Finding, mailErrors, type StoredWarning } from './check-mail.ts';

type CheckContext = Pick<Context, 'app' | 'account' | 'tx'>;

/** The findings that make sending impossible: no text, an unusable sender, or a segment that no longer determines recipients. */
export async function checkErrors(context: Pick<Context, 'account' | 'tx'>, campaignId: number): Promise<Finding[]> {
  const { account, tx } = context;
  const versions = await tx.rows<{ type: 'html' | 'plain' | 'auto'; html: string; plain: string; sender: string }>(sql`
    select c.type, coalesce(v.html, c.html) as html, coalesce(v.plain, c.plain) as plain, c.sender
    from campaign c
    cross join lateral (
      select 0 as no, null as html, null as plain
      union all
      select no, html, plain from campaign_variant where account_id = c.account_id and campaign_id = c.id
    ) as v
    where c.account_id = ${account.id}
      and c.id = ${campaignId}
    order by v.no`);
  const errors = versions.map(({ sender, ...text }) => mailErrors({ ...text, fromEmail: sender || account.email }));
  return [...(await ofVersions(context, campaignId, errors)), ...(await segmentFindings(context, campaignId))];
}

/** Findings about the message and the variants of its A/B test or its language versions, and the compiled message. */
export async function mailFindings(
  context: CheckContext,
  campaignId: number,
): Promise<{ findings: Finding[]; compiled: Compiled }> {
  const { findings, compiled } = await messageFindings(context, campaignId, 0);
  const all = [findings];
  const count = await variantCount(context, campaignId);
  for (let variant = 1; variant < count; variant++)
    all.push((await messageFindings(context, campaignId, variant)).findings);
  return {
    compiled,
    findings: [...(await ofVersions(context, campaignId, all)), ...(await segmentFindings(context, campaignId))],
  };
}

/** The findings of the campaign, and those that only a variant or a language version has, which they name. */
async function ofVersions(
  { account, tx }: Pick<Context, 'account' | 'tx'>,
  campaignId: number,
  [own = [], ...others]: Finding[][],
): Promise<Finding[]> {
  if (others.every((findings) => findings.length === 0)) return own;
  const known = new Set(own.map(sameFinding));
  const languages = await languagesOf(tx, { account: account.id, campaign: campaignId });
  const added = others.flatMap((findings, index) =>
    findings
      .filter((finding) => !known.has(sameFinding(finding)))
      .map((finding) => ({
        ...finding,
        variant: index + 1,
        message: languages[index]
          ? message('check.of_language', { language: languages[index]!.language, text: finding.message })
          : message('check.of_variant', { name: variantName(index + 1), text: finding.message }),
      })),
  );
  return [...own, ...added];
}

const sameFinding = ({ code, message: { key, values }, found }: Finding) => JSON.stringify([code, key, values, found]);

async function messageFindings(
  context: CheckContext,
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
