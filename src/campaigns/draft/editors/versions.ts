// Earlier versions of a campaign's content (its body). A body is kept before it is replaced, so that every change can be
// undone; a series of quick edits by one editor is kept once. Every change of a body calls `keepBody` first, in the same transaction.
import type { Context } from '../../../base/context.ts';
import { fault } from '../../../base/faults.ts';
import { sql } from '../../../db/connect.ts';
import { formatDate } from '../../../method/date.ts';
import { plainPartInThread } from '../../compile/in-thread.ts';
import { keepAssets } from '../../content/pictures/asset.ts';
import { type Campaign, lockCampaign, needCampaignId } from '../../model/campaign.ts';
import type { BodyFormat } from '../../model/source-format.ts';
import { clean } from '../read-content.ts';
import { finishChange, lockTexts } from '../unsent.ts';
import { type Author, type Body, insertVersion, type Replacement, type replacements } from './add-version.ts';
import { authorName, isBy, type LastEdit, lastEdit, takeVersion } from './edits.ts';
import { type KeptPart, mainPart, partFormat, readPart, restorePart, writePart } from './kept-parts.ts';

/** Who wrote the body that is replaced, and who replaces it. */
type Writers = {
  /** The last change of the content before this one. */
  last: LastEdit | undefined;
  editor: string;
  /** Such as from HTML to Markdown: never one more edit in a series. */
  changesFormat?: boolean;
};

/** Edits that follow each other within this time make one version. */
const editPauseMs = 2 * 60_000;

/** Returns all versions without their content, or one version with it. @throws Fault CAMPAIGN_UNKNOWN, INVALID_PARAMETER */
export async function listVersions(context: Context, { cid, version }: { cid: string; version?: number | undefined }) {
  const { tx, account } = context;
  const campaignId = await needCampaignId(context, cid);
  const single = version !== undefined;
  const rows = await tx.rows<Row>(sql`
    select no as version, kept_at as "keptAt", replaced_by, ${authorName(sql`campaign_version`)} as written_by, source_format,
      case when html = '' then length(plain) else length(html) end as characters,
      left(btrim(regexp_replace(left(plain, 400), '\\s+', ' ', 'g')), 100) as beginning, ${single ? sql`html` : sql`''`} as html, ${single ? sql`plain` : sql`''`} as plain,
      case when ${single} or source_format = ${partFormat} then source else '' end as source
    from campaign_version
    where account_id = ${account.id}
      and campaign_id = ${campaignId}
      and ${single ? sql`no = ${version}` : sql`true`}
    order by no desc`);
  if (single && rows.length === 0) throw unknownVersion(version);
  return rows.map(({ keptAt, ...row }) => ({
    ...row,
    kept_at: formatDate(keptAt),
    ...(row.source_format === partFormat
      ? { ...readPart(row.source), source: '', source_format: 'html' as const }
      : { ...mainPart, source_format: row.source_format }),
  }));
}

/** Restores the body of a version. @throws Fault CAMPAIGN_UNKNOWN, CAMPAIGN_STATE_CONFLICT, INVALID_PARAMETER */
export async function restoreVersion(
  context: Context,
  { cid, version, editor }: { cid: string; version: number; editor: string },
): Promise<true> {
  const { tx, account } = context;
  const campaign = await lockTexts(context, cid);
  const body = await tx.row<{ html: string; plain: string; generated: boolean; source: string; format: string }>(sql`
    select html, plain, plain_generated as generated, source, source_format as format
    from campaign_version
    where account_id = ${account.id}
      and campaign_id = ${campaign.id}
      and no = ${version}`);
  if (!body) throw unknownVersion(version);
  if (body.format === partFormat) {
    await restorePart(context, campaign, body, { cid, editor });
    return true;
  }
  const last = await takeVersion(context, campaign.id, 'content', { editor });
  await keepBody(context, campaign, 'restore', { last, editor });
  await tx.run(sql`
    update campaign
    set html = ${body.html}, plain = ${body.plain}, plain_generated = ${body.generated}, template_id = null, source_url = '',
      source = ${body.source}, source_format = ${body.format}
    where account_id = ${account.id}
      and id = ${campaign.id}`);
  await keepAssets(context, campaign.id, body.html);
  await finishChange(context, campaign);
  return true;
}

type Unsaved = { cid: string; html: string; plain: string; source: string; source_format: Campaign['sourceFormat'] } & {
  author: 'caller' | 'last_editor';
} & KeptPart;

/**
 * Keeps a text that is not saved, or is about to be replaced, because two editors have changed it.
 * @throws Fault CAMPAIGN_UNKNOWN, TOO_LARGE
 */
export async function keepUnsaved(context: Context, given: Unsaved): Promise<true> {
  const { caller } = context;
  const campaign = await lockCampaign(context, given.cid);
  const isMain = given.part === 'content';
  const body: Body = {
    html: clean(given.html, 'html'),
    plain: clean(given.plain, 'plain'),
    plainGenerated: given.plain.trim() === '',
    source: isMain ? clean(given.source, 'source') : writePart(given),
    sourceFormat: isMain ? given.source_format : partFormat,
  };
  if (body.html === '' && body.plain === '' && (isMain || given.subject === '')) return true;
  if (body.plainGenerated && body.html !== '') body.plain = await plainPartInThread(body.html);
  const own: Author = {
    userId: caller.kind === 'user' ? caller.userId : null,
    keyId: caller.kind === 'key' ? caller.keyId : null,
  };
  const author = given.author === 'caller' ? own : await lastEdit(context, campaign.id, given.part);
  await insertVersion(context, campaign.id, body, 'conflict', author ?? { userId: null, keyId: null });
  await keepAssets(context, campaign.id, body.html);
  return true;
}

/** Keeps the current body before `replacement` replaces it. */
export async function keepBody(
  context: Context,
  campaign: Campaign,
  replacement: Replacement,
  { last: lastEdit, editor, changesFormat = false }: Writers,
): Promise<void> {
  const { tx, account } = context;
  if (campaign.html === '' && campaign.plain === '') return;
  const last = await tx.row<{ no: number; sameBody: boolean; replacedBy: Replacement | 'conflict'; keptAt: Date }>(sql`
    select v.no, v.html = c.html and v.plain = c.plain and v.source = c.source as "sameBody", v.replaced_by as "replacedBy", v.kept_at as "keptAt"
    from campaign_version v
    join campaign c on c.account_id = v.account_id and c.id = v.campaign_id
    where v.account_id = ${account.id}
      and v.campaign_id = ${campaign.id}
    order by v.no desc
    limit 1`);
  const isOthers = lastEdit !== undefined && !isBy(context, lastEdit, editor);
  const isNew = (changesFormat || isOthers) && last?.sameBody === false;
  if (last && !isNew && !isWorthKeeping(last, replacement, context.now)) return;
  const { html, plain, plainGenerated, source, sourceFormat } = campaign;
  await insertVersion(
    context,
    campaign.id,
    { html, plain, plainGenerated, source, sourceFormat },
    replacement,
    lastEdit ?? { userId: null, keyId: null },
  );
}

/** Whether a body is kept as a version after `last`: it differs, and is not one more edit in a series. */
export function isWorthKeeping(
  last: { sameBody: boolean; replacedBy: Replacement | 'conflict'; keptAt: Date },
  replacement: Replacement,
  now: Date,
): boolean {
  if (last.sameBody) return false;
  if (replacement !== 'edit' || last.replacedBy !== 'edit') return true;
  return now.getTime() - last.keptAt.getTime() >= editPauseMs;
}

type Row = {
  version: number;
  keptAt: Date;
  replaced_by: (typeof replacements)[number];
  written_by: string;
  characters: number;
  beginning: string;
  source_format: BodyFormat | typeof partFormat;
  html: string;
  plain: string;
  source: string;
};

const unknownVersion = (version: number) =>
  fault('INVALID_PARAMETER', 'campaign.version_unknown', { member: 'version', version });
