// The methods for templates: list, create, update, delete.
import { z } from 'zod';
import { fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { idempotencyKey } from '../../method/idempotency.ts';
import { method } from '../../method/method.ts';
import { filledText, id, oneOf, params, text } from '../../method/params.ts';
import { assetNames, dropUnused } from '../content/pictures/asset.ts';
import { maxHtml } from '../draft/options.ts';
import { clean, needTemplate } from '../draft/read-content.ts';
import { previewAddress } from './preview-url.ts';
import { requestPreview } from './starter.ts';

const layouts = ['basic', 'left column', 'right column', 'postcard'] as const;
const layout = oneOf(
  'basic, left column, right column or postcard.',
  layouts,
  { left_column: 'left column', right_column: 'right column' },
  { fault: 'CAMPAIGN_OPTION_INVALID' },
);
const source = text('The HTML.', 32 * 1024 * 1024);
const name = filledText('Name of the template.', 200);

export const templateMethods = [
  method({
    name: 'campaignTemplates',
    group: 'templates',
    summary: 'Returns the saved templates of the account.',
    params: params({}),
    returns: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        layout: z.string().meta({ description: 'basic, left column, right column or postcard.' }),
        preview_image: z.string().meta({ description: "URL of the template's picture." }),
        source: z.string(),
      }),
    ),
    faults: [],
    scope: 'read',
    reads: true,
    example: { params: {} },
    async run({ tx, account, app }) {
      const rows = await tx.rows<{ id: number; name: string; layout: string; source: string }>(sql`
        select id, name, layout, source
        from template
        where account_id = ${account.id}
        order by created_at, id`);
      return rows.map((row) => ({
        ...row,
        id: formatId(row.id),
        preview_image: previewAddress(app, account.id, row.id),
      }));
    },
  }),
  method({
    name: 'templateCreate',
    group: 'templates',
    summary: 'Saves a template and returns its id.',
    params: params({ name, source, layout: layout.default('basic'), idempotency_key: idempotencyKey }),
    returns: z.string(),
    faults: ['CAMPAIGN_OPTION_INVALID', 'CONTENT_INVALID', 'TOO_LARGE'],
    scope: 'write',
    example: { params: { name: 'Plain letter', layout: 'basic', source: '<p>Dear *|FNAME:reader|*,</p>' } },
    async run({ tx, account }, given) {
      const html = needSource(given.source, 'source');
      const row = await tx.row<{ id: number }>(sql`
        insert into template (account_id, name, layout, source, created_at)
        values (${account.id}, ${given.name.trim()}, ${given.layout}, ${html}, clock_timestamp())
        returning id`);
      await requestPreview(tx, account.id, row!.id);
      return formatId(row!.id);
    },
  }),
  method({
    name: 'templateUpdate',
    group: 'templates',
    summary: 'Changes the name, the layout or the source of a template; campaigns made from it do not change.',
    params: params({ template_id: id('The template.'), name: text('name, layout or source.', 20), value: source }),
    returns: z.boolean(),
    faults: ['TEMPLATE_UNKNOWN', 'CAMPAIGN_OPTION_INVALID', 'CONTENT_INVALID', 'TOO_LARGE'],
    scope: 'write',
    example: { params: { template_id: '{{template}}', name: 'name', value: 'Letter' } },
    async run(context, given) {
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
    },
  }),
  method({
    name: 'templateDelete',
    group: 'templates',
    summary: 'Deletes a template; campaigns made from it do not change.',
    params: params({ template_id: id('The template.') }),
    returns: z.boolean(),
    faults: ['TEMPLATE_UNKNOWN'],
    scope: 'write',
    example: { params: { template_id: '{{template}}' } },
    async run(context, given) {
      const template = await needTemplate(context, given.template_id, 'template_id');
      const { tx, account } = context;
      await tx.run(sql`delete from template where account_id = ${account.id} and id = ${template.id}`);
      await dropUnused(tx, account.id, assetNames(template.source, account.id));
      return true;
    },
  }),
];

function assign(what: string, value: string) {
  if (what === 'source') return sql`source = ${needSource(value, 'value')}, preview = null`;
  if (what === 'name') {
    if (value.trim() === '' || value.length > 200)
      throw fault('CAMPAIGN_OPTION_INVALID', 'template.name_length', { member: 'value' });
    return sql`name = ${value.trim()}`;
  }
  if (what === 'layout') {
    const wanted = layouts.find((layout) => layout === value.trim().toLowerCase().replaceAll('_', ' '));
    if (!wanted)
      throw fault('CAMPAIGN_OPTION_INVALID', 'parameter.not_one_of', { member: 'value', choices: layouts.join(', ') });
    return sql`layout = ${wanted}`;
  }
  throw fault('CAMPAIGN_OPTION_INVALID', 'template.option_unknown', { member: 'name', name: what.slice(0, 20) });
}

function needSource(source: string, member: string): string {
  const html = clean(source, member);
  if (html.trim() === '') throw fault('CONTENT_INVALID', 'template.empty', { member, count: maxHtml });
  return html;
}
