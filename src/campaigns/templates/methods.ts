// The methods for templates: list, create, update, delete.
import { z } from 'zod';
import { idempotencyKey } from '../../method/idempotency.ts';
import { method } from '../../method/method.ts';
import { named } from '../../method/named.ts';
import { filledLine, id, oneOf, params, text } from '../../method/params.ts';
import { createTemplate, deleteTemplate, layouts, listTemplates, updateTemplate } from './template.ts';

const layout = oneOf(
  'basic, left column, right column or postcard.',
  layouts,
  { left_column: 'left column', right_column: 'right column' },
  { fault: 'CAMPAIGN_OPTION_INVALID' },
);
const source = text('The HTML.', 32 * 1024 * 1024);
const name = filledLine('Name of the template.', 200);

export const templateMethods = [
  method({
    name: 'campaignTemplates',
    group: 'templates',
    summary: 'Returns the saved templates of the account.',
    params: params({}),
    returns: z.array(
      named(
        'Template',
        z.object({
          id: z.string(),
          name: z.string(),
          layout: z.enum(layouts),
          preview_image: z.string().meta({ description: "URL of the template's thumbnail." }),
          source: z.string(),
        }),
      ),
    ),
    faults: [],
    scope: 'read',
    reads: true,
    example: { params: {} },
    run: listTemplates,
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
    run: createTemplate,
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
    run: updateTemplate,
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
    run: deleteTemplate,
  }),
];
