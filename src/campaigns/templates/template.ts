// Saved templates: listing, creating, changing and deleting them. Campaigns keep their copy of the HTML, so a change does
// not reach them. A picture of each template is drawn later, in a task.
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { type Sql, sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { readLine } from '../../method/params.ts';
import { assetNames, dropUnused } from '../content/pictures/asset.ts';
import { clean, needTemplate } from '../draft/read-content.ts';
import { maxHtml } from '../model/options.ts';
import { requestPreview } from '../starter/starter.ts';
import { previewAddress } from './preview-url.ts';

export const layouts = ['basic', 'left column', 'right column', 'postcard'] as const;
type Layout = (typeof layouts)[number];

export async function listTemplates({ tx, account, app }: Context) {
  const rows = await tx.rows<{ id: number; name: string; layout: Layout; source: string }>(sql`
    select id, name, layout, source
    from template
    where account_id = ${account.id}
    order by created_at, id`);
  return rows.map((row) => ({
    ...row,
    id: formatId(row.id),
    preview_image: previewAddress(app, account.id, row.id),
  }));
}

/** @returns the id of the template */
export async function createTemplate(
  { tx, account }: Context,
  given: { name: string; layout: Layout; source: string },
): Promise<string> {
  const html = needSource(given.source, 'source');
  const row = await tx.row<{ id: number }>(sql`
    insert into template (account_id, name, layout, source, created_at)
    values (${account.id}, ${given.name.trim()}, ${given.layout}, ${html}, clock_timestamp())
    returning id`);
  await requestPreview(tx, account.id, row!.id);
  return formatId(row!.id);
}

export async function updateTemplate(
  context: Context,
  given: { template_id: string; name: string; value: string },
): Promise<true> {
  const { tx, account } = context;
  const template = await needTemplate(context, given.template_id, 'template_id');
  const what = given.name.trim().toLowerCase();
  const assignment = assign(what, given.value);
  await tx.run(sql`
    update template
    set ${assignment}, changed_at = now()
    where account_id = ${account.id}
      and id = ${template.id}`);
  await dropUnused(tx, account.id, assetNames(template.source, account.id));
  if (what === 'source') await requestPreview(tx, account.id, template.id);
  return true;
}

export async function deleteTemplate(context: Context, given: { template_id: string }): Promise<true> {
  const template = await needTemplate(context, given.template_id, 'template_id');
  const { tx, account } = context;
  await tx.run(sql`delete from template where account_id = ${account.id} and id = ${template.id}`);
  await dropUnused(tx, account.id, assetNames(template.source, account.id));
  return true;
}

/** The assignment of one value in an update. @throws Fault CAMPAIGN_OPTION_INVALID, CONTENT_INVALID */
function assign(what: string, value: string): Sql {
  if (what === 'source') return sql`source = ${needSource(value, 'source')}, preview = null`;
  if (what === 'name') {
    if (value.trim() === '' || value.length > 200)
      throw fault('CAMPAIGN_OPTION_INVALID', 'template.name_length', { member: 'name' });
    return sql`name = ${readLine(value, 'name').trim()}`;
  }
  if (what === 'layout') {
    const wanted = layouts.find((layout) => layout === value.trim().toLowerCase().replaceAll('_', ' '));
    if (!wanted)
      throw fault('CAMPAIGN_OPTION_INVALID', 'parameter.not_one_of', { member: 'layout', choices: layouts.join(', ') });
    return sql`layout = ${wanted}`;
  }
  throw fault('CAMPAIGN_OPTION_INVALID', 'template.option_unknown', { member: 'name', name: what.slice(0, 20) });
}

function needSource(source: string, member: string): string {
  const html = clean(source, member);
  if (html.trim() === '') throw fault('CONTENT_INVALID', 'template.empty', { member, count: maxHtml });
  return html;
}
