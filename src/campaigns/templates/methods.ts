// The methods for templates: list, create, update, delete, and their earlier versions.
import { z } from 'zod';
import { orderFilters, orderRecord, withoutLabels } from '../../accounts/labels/label.ts';
import { idempotencyKey } from '../../method/idempotency.ts';
import { method } from '../../method/method.ts';
import { named } from '../../method/named.ts';
import { filledLine, id, integer, line, oneOf, params, text } from '../../method/params.ts';
import { createTemplate, deleteTemplate, layouts, listTemplates, maxSubject, updateTemplate } from './template.ts';
import { listTemplateVersions, maxTemplateVersions, restoreTemplateVersion, templateReplacements } from './versions.ts';

const layout = oneOf(
  'basic, left column, right column or postcard.',
  layouts,
  { left_column: 'left column', right_column: 'right column' },
  { fault: 'CAMPAIGN_OPTION_INVALID' },
);
const source = text('The HTML.', 32 * 1024 * 1024);
const name = filledLine('Name of the template.', 200);

const templateRecord = named(
  'Template',
  z.object({
    id: z.string(),
    name: z.string(),
    layout: z.enum(layouts),
    alias: z.string().meta({ description: 'The name for messageSend(template); empty if it has none.' }),
    subject: z.string().meta({ description: 'Of single messages from it that name no subject.' }),
    preview_image: z.string().meta({ description: "URL of the template's thumbnail." }),
    source: z.string(),
    ...orderRecord,
  }),
);

export const templateMethods = [
  method({
    name: 'campaignTemplates',
    group: 'templates',
    summary: 'Returns the saved templates of the account.',
    params: params(orderFilters),
    returns: z.array(templateRecord),
    family: { answer: withoutLabels(templateRecord) },
    faults: [],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: {} },
    run: listTemplates,
  }),
  method({
    name: 'templateCreate',
    group: 'templates',
    summary: 'Saves a template and returns its id.',
    params: params({
      name,
      source,
      layout: layout.default('basic'),
      alias: line(
        'A name for messageSend(template), which no other template has: 1 to 64 letters, digits, dots, hyphens and underscores.',
        64,
      ).default(''),
      subject: line(
        'The subject of single messages from it that name none. May contain merge tags.',
        maxSubject,
      ).default(''),
      idempotency_key: idempotencyKey,
    }),
    returns: z.string(),
    faults: ['CAMPAIGN_OPTION_INVALID', 'CONTENT_INVALID', 'TOO_LARGE'],
    scope: 'write',
    example: { params: { name: 'Plain letter', layout: 'basic', source: '<p>Dear *|FNAME:reader|*,</p>' } },
    run: createTemplate,
  }),
  method({
    name: 'templateUpdate',
    group: 'templates',
    summary:
      'Changes the name, the layout, the source, the alias, the subject or the labels of a template; campaigns and messages made from it do not change.',
    description:
      'The earlier source and subject are kept: templateVersions. add_label and remove_label take the id of one label. A hidden template is left out by the screens; programs send it and make campaigns from it as before.',
    params: params({
      template_id: id('The template.'),
      name: text('name, layout, source, alias, subject, hidden, add_label or remove_label.', 20),
      value: z
        .preprocess(
          (value) => (typeof value === 'boolean' ? String(value) : value),
          text('The new value. An empty alias or subject removes it.', 32 * 1024 * 1024),
        )
        .meta({ description: 'The new value. An empty alias or subject removes it.', xmlrpc: 'string' }),
    }),
    returns: z.boolean(),
    faults: [
      'TEMPLATE_UNKNOWN',
      'CAMPAIGN_OPTION_INVALID',
      'CONTENT_INVALID',
      'TOO_LARGE',
      'LABEL_UNKNOWN',
      'LABEL_INVALID',
    ],
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
  method({
    name: 'templateVersions',
    group: 'templates',
    summary:
      'Returns the earlier versions of a template, newest first; with version, returns that one with its source.',
    description: `Source and subject are kept before they are replaced, up to ${maxTemplateVersions} versions per template.`,
    params: params({
      template_id: id('The template.'),
      version: integer('A single version, with its source.', 1, 1_000_000_000).optional(),
    }),
    returns: z.array(
      named(
        'TemplateVersion',
        z.object({
          version: z.int(),
          kept_at: z.string().meta({ description: 'When it was replaced, GMT.' }),
          replaced_by: z.enum(templateReplacements),
          written_by: z.string().meta({
            description: 'The user or API key that wrote it; "" if it was the program, or before names were kept.',
          }),
          characters: z.int().meta({ description: 'Length of the source.' }),
          subject: z.string(),
          source: z.string().meta({ description: 'Empty unless version is given.' }),
        }),
      ),
    ),
    faults: ['TEMPLATE_UNKNOWN', 'INVALID_PARAMETER'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { template_id: '{{template}}' } },
    run: listTemplateVersions,
  }),
  method({
    name: 'templateVersionRestore',
    group: 'templates',
    summary: 'Restores an earlier source and subject of a template; the current ones are kept.',
    description: 'Name, alias and layout stay.',
    params: params({
      template_id: id('The template.'),
      version: integer('The version, from templateVersions.', 1, 1_000_000_000),
    }),
    returns: z.boolean(),
    faults: ['TEMPLATE_UNKNOWN', 'INVALID_PARAMETER'],
    scope: 'write',
    example: { params: { template_id: '{{changed_template}}', version: 1 } },
    run: restoreTemplateVersion,
  }),
];
