// Earlier versions of a template: source and subject are kept before they are replaced, so that every change can be undone.
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { formatDate } from '../../method/date.ts';
import { assetNames, dropUnused } from '../content/pictures/asset.ts';
import { authorName } from '../draft/editors/edits.ts';
import { requestPreview } from '../starter/starter.ts';
import { authorOf, type LockedTemplate, lockTemplate } from './lock-template.ts';

export const templateReplacements = ['edit', 'restore'] as const;
type Replacement = (typeof templateReplacements)[number];

/** Versions kept per template; the oldest are deleted first. */
export const maxTemplateVersions = 30;

/** A screen saves source and subject by two calls, which make one version. */
const savingMs = 10_000;

type Row = {
  version: number;
  keptAt: Date;
  replaced_by: Replacement;
  written_by: string;
  characters: number;
  subject: string;
  source: string;
};

/** All versions without their source, the newest first, or one with it. @throws Fault TEMPLATE_UNKNOWN, INVALID_PARAMETER */
export async function listTemplateVersions(
  context: Context,
  { template_id, version }: { template_id: string; version?: number | undefined },
) {
  const { tx, account } = context;
  const template = await lockTemplate(context, template_id, 'read');
  const rows = await tx.rows<Row>(sql`
    select no as version, kept_at as "keptAt", replaced_by, ${authorName(sql`template_version`)} as written_by,
      length(source) as characters, subject, ${version === undefined ? sql`''` : sql`source`} as source
    from template_version
    where account_id = ${account.id}
      and template_id = ${template.id}
      and ${version === undefined ? sql`true` : sql`no = ${version}`}
    order by no desc`);
  if (version !== undefined && rows.length === 0) throw unknownVersion(version);
  return rows.map(({ keptAt, ...row }) => ({ ...row, kept_at: formatDate(keptAt) }));
}

/** Name, alias and layout stay. @throws Fault TEMPLATE_UNKNOWN, INVALID_PARAMETER */
export async function restoreTemplateVersion(
  context: Context,
  { template_id, version }: { template_id: string; version: number },
): Promise<true> {
  const { tx, account } = context;
  const template = await lockTemplate(context, template_id);
  const earlier = await tx.row<{ source: string; subject: string }>(sql`
    select source, subject
    from template_version
    where account_id = ${account.id}
      and template_id = ${template.id}
      and no = ${version}`);
  if (!earlier) throw unknownVersion(version);
  if (earlier.source === template.source && earlier.subject === template.subject) return true;
  await keepTemplateVersion(context, template, 'restore');
  const { userId, keyId } = authorOf(context);
  await tx.run(sql`
    update template
    set source = ${earlier.source}, subject = ${earlier.subject}, preview = null, changed_at = now(), user_id = ${userId}, key_id = ${keyId}
    where account_id = ${account.id}
      and id = ${template.id}`);
  await requestPreview(tx, account.id, template.id);
  return true;
}

/** Keeps source and subject of a template, which is locked, before they are replaced. */
export async function keepTemplateVersion(
  { tx, account, caller, now }: Context,
  template: LockedTemplate,
  replacement: Replacement,
): Promise<void> {
  const { userId, keyId } = authorOf({ caller });
  const last = await tx.row<{ replacedBy: Replacement; keptAt: Date }>(sql`
    select replaced_by as "replacedBy", kept_at as "keptAt"
    from template_version
    where account_id = ${account.id}
      and template_id = ${template.id}
    order by no desc
    limit 1`);
  const isOneSaving =
    replacement === 'edit' &&
    last?.replacedBy === 'edit' &&
    now.getTime() - last.keptAt.getTime() < savingMs &&
    template.userId === userId &&
    template.keyId === keyId;
  if (isOneSaving) return;
  const added = await tx.row<{ no: number }>(sql`
    insert into template_version (account_id, template_id, no, source, subject, replaced_by, kept_at, user_id, key_id)
    select ${account.id}, ${template.id}, coalesce(max(no), 0) + 1, ${template.source}, ${template.subject}, ${replacement}, ${now},
      ${template.userId}, ${template.keyId}
    from template_version
    where account_id = ${account.id}
      and template_id = ${template.id}
    returning no`);
  const gone = await tx.rows<{ source: string }>(sql`
    delete from template_version
    where account_id = ${account.id}
      and template_id = ${template.id}
      and no <= ${added!.no - maxTemplateVersions}
    returning source`);
  await dropUnused(
    tx,
    account.id,
    gone.flatMap(({ source }) => assetNames(source, account.id)),
  );
}

const unknownVersion = (version: number) =>
  fault('INVALID_PARAMETER', 'template.version_unknown', { member: 'version', version });
