// Saved templates: listing, creating, changing and deleting them. Campaigns and single messages keep their copy of the HTML, so a
// change does not reach them. A picture of each template is drawn later, in a task.
import {
  changeLabel,
  isLabelChange,
  labelsOf,
  type OrderFilters,
  passes,
  type StoredLabel,
  shownLabels,
} from '../../accounts/labels/label.ts';
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { empty, type Sql, sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { boolean, readLine } from '../../method/params.ts';
import { maxHtml } from '../content/limits.ts';
import { assetNames, dropUnused } from '../content/pictures/asset.ts';
import { clean } from '../draft/read-content.ts';
import { requestPreview } from '../starter/starter.ts';
import { authorOf, lockTemplate, needRightToSendByAlias } from './lock-template.ts';
import { previewAddress } from './preview-url.ts';
import { keepTemplateVersion } from './versions.ts';

export const layouts = ['basic', 'left column', 'right column', 'postcard'] as const;
type Layout = (typeof layouts)[number];
/** As of a single message. */
export const maxSubject = 900;

/** The labels of templates. */
const templateLabels = { table: sql`template_label`, object: sql`template_id` };
const of = { accountId: sql`template.account_id`, objectId: sql`template.id`, isHidden: sql`template.is_hidden` };

export async function listTemplates({ tx, account, app }: Context, filters: OrderFilters) {
  const rows = await tx.rows<{
    id: number;
    name: string;
    layout: Layout;
    alias: string;
    subject: string;
    source: string;
    hidden: boolean;
    labels: StoredLabel[];
  }>(sql`
    select id, name, layout, coalesce(alias, '') as alias, subject, source, is_hidden as hidden,
      ${labelsOf(templateLabels, of.accountId, of.objectId)} as labels
    from template
    where account_id = ${account.id}
      and ${passes(templateLabels, filters, of)}
    order by created_at, id`);
  return rows.map((row) => ({
    ...row,
    id: formatId(row.id),
    preview_image: previewAddress(app, account.id, row.id),
    labels: shownLabels(row.labels),
  }));
}

type NewTemplate = { name: string; layout: Layout; source: string; alias?: string; subject?: string };

/** @returns the id of the template */
export async function createTemplate(context: Context, given: NewTemplate): Promise<string> {
  const { tx, account } = context;
  const html = needSource(given.source, 'source');
  const alias = await needFreeAlias(context, given.alias ?? '', 'alias');
  const { userId, keyId } = authorOf(context);
  const row = await tx.row<{ id: number }>(sql`
    insert into template (account_id, name, layout, source, alias, subject, created_at, user_id, key_id)
    values (${account.id}, ${given.name.trim()}, ${given.layout}, ${html}, ${alias}, ${given.subject?.trim() ?? ''}, clock_timestamp(), ${userId},
      ${keyId})
    returning id`);
  await requestPreview(tx, account.id, row!.id);
  return formatId(row!.id);
}

export async function updateTemplate(
  context: Context,
  given: { template_id: string; name: string; value: string },
): Promise<true> {
  const { tx, account } = context;
  const template = await lockTemplate(context, given.template_id);
  const what = given.name.trim().toLowerCase();
  if (isLabelChange(what)) {
    await changeLabel(context, templateLabels, template.id, { change: what, label: given.value, member: 'value' });
    return true;
  }
  const assignment =
    what === 'alias'
      ? sql`alias = ${await needFreeAlias(context, given.value, 'value', template.id)}`
      : assign(what, given.value);
  const isContent = what === 'source' || what === 'subject';
  if (isContent && template[what] !== given.value) await keepTemplateVersion(context, template, 'edit');
  const { userId, keyId } = authorOf(context);
  await tx.run(sql`
    update template
    set ${assignment}, changed_at = now() ${isContent ? sql`, user_id = ${userId}, key_id = ${keyId}` : empty}
    where account_id = ${account.id}
      and id = ${template.id}`);
  if (what === 'source') await requestPreview(tx, account.id, template.id);
  return true;
}

export async function deleteTemplate(context: Context, given: { template_id: string }): Promise<true> {
  const template = await lockTemplate(context, given.template_id);
  const { tx, account } = context;
  const earlier = await tx.rows<{ source: string }>(sql`
    delete from template_version where account_id = ${account.id} and template_id = ${template.id} returning source`);
  await tx.run(sql`delete from template where account_id = ${account.id} and id = ${template.id}`);
  const names = [template, ...earlier].flatMap(({ source }) => assetNames(source, account.id));
  await dropUnused(tx, account.id, [...new Set(names)]);
  return true;
}

/** The alias as it is stored; null for none. @throws Fault CAMPAIGN_OPTION_INVALID */
async function needFreeAlias(
  { tx, account, caller }: Context,
  text: string,
  member: string,
  own = 0,
): Promise<string | null> {
  const alias = text.trim().toLowerCase();
  if (alias === '') return null;
  needRightToSendByAlias(caller, member);
  if (!isAlias(alias)) throw fault('CAMPAIGN_OPTION_INVALID', 'template.alias_form', { member });
  // Two that take it at the same time: the unique index lets one of them begin again, which then finds it taken.
  const taken = await tx.row<{ name: string }>(sql`
    select name
    from template
    where account_id = ${account.id}
      and alias = ${alias}
      and id <> ${own}`);
  if (taken) throw fault('CAMPAIGN_OPTION_INVALID', 'template.alias_taken', { member, alias, name: taken.name });
  return alias;
}

const isAlias = (text: string): boolean => /^[a-z0-9][a-z0-9._-]{0,63}$/.test(text);

/** The assignment of one value in an update. @throws Fault CAMPAIGN_OPTION_INVALID, CONTENT_INVALID */
function assign(what: string, value: string): Sql {
  if (what === 'source') return sql`source = ${needSource(value, 'source')}, preview = null`;
  if (what === 'name') {
    if (value.trim() === '' || value.length > 200)
      throw fault('CAMPAIGN_OPTION_INVALID', 'template.name_length', { member: 'name' });
    return sql`name = ${readLine(value, 'name').trim()}`;
  }
  if (what === 'subject') {
    if (value.length > maxSubject)
      throw fault('CAMPAIGN_OPTION_INVALID', 'template.subject_length', { member: 'value', count: maxSubject });
    return sql`subject = ${readLine(value, 'value').trim()}`;
  }
  if (what === 'hidden') return sql`is_hidden = ${readSwitch(value)}`;
  if (what === 'layout') {
    const wanted = layouts.find((layout) => layout === value.trim().toLowerCase().replaceAll('_', ' '));
    if (!wanted)
      throw fault('CAMPAIGN_OPTION_INVALID', 'parameter.not_one_of', { member: 'layout', choices: layouts.join(', ') });
    return sql`layout = ${wanted}`;
  }
  throw fault('CAMPAIGN_OPTION_INVALID', 'template.option_unknown', { member: 'name', name: what.slice(0, 20) });
}

/** A switch that arrives as text. @throws Fault CAMPAIGN_OPTION_INVALID */
function readSwitch(value: string): boolean {
  const { success, data } = boolean('').safeParse(value);
  if (!success) throw fault('CAMPAIGN_OPTION_INVALID', 'parameter.not_a_boolean', { member: 'value' });
  return data;
}

function needSource(source: string, member: string): string {
  const html = clean(source, member);
  if (html.trim() === '') throw fault('CONTENT_INVALID', 'template.empty', { member, count: maxHtml });
  return html;
}
