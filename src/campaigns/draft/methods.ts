// The methods that the composer needs for one campaign: its options, a preview, its earlier versions.
import { z } from 'zod';
import { method } from '../../method/method.ts';
import { named } from '../../method/named.ts';
import { id, integer, line, oneOf, params, text } from '../../method/params.ts';
import { maxHtml } from '../content/limits.ts';
import { bodyFormats } from '../model/source-format.ts';
import { maxLanguages } from '../model/variant.ts';
import { unsendable } from '../release/sendable.ts';
import { maxVersions, replacements } from './editors/add-version.ts';
import { editor } from './editors/edits.ts';
import { keptParts } from './editors/kept-parts.ts';
import { editing, noteEditing } from './editors/presence.ts';
import { keepUnsaved, listVersions, restoreVersion } from './editors/versions.ts';
import { previewCampaign } from './preview.ts';
import { shownOptions, showOptions } from './show-options.ts';

const cid = id('The campaign.');
const variant = integer(
  'The variant of its A/B test or the language version; 0 is the campaign itself.',
  0,
  maxLanguages,
).default(0);

export const draftMethods = [
  method({
    name: 'campaignGet',
    group: 'campaigns',
    summary: 'Returns every option of a campaign, named as in campaignCreate, and its settings as an autoresponder.',
    params: params({ cid }),
    returns: shownOptions,
    faults: ['CAMPAIGN_UNKNOWN'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { cid: '{{campaign}}' } },
    run: showOptions,
  }),
  method({
    name: 'campaignPreview',
    group: 'campaigns',
    summary:
      'Returns a campaign as a contact would read it: merge tags filled, links to their targets, nothing counted.',
    description:
      'Without email, the reader is the oldest subscriber of the first list; if there is none, every tag has its default and contact is "". Personal links (unsubscribe, profile) lead nowhere.',
    params: params({ cid, email: text('The address of a contact.', 1_000).optional(), variant }),
    returns: z.object({
      contact: z.string().meta({ description: 'The address of the reader.' }),
      subject: z.string(),
      from_name: z.string(),
      from_email: z.string(),
      to_name: z.string(),
      html: z.string(),
      plain: z.string(),
    }),
    faults: ['CAMPAIGN_UNKNOWN', 'ADDRESS_UNKNOWN', 'INVALID_PARAMETER'],
    scope: 'read',
    addresses: ({ email }) => email !== undefined && email.trim() !== '',
    narrowed: true,
    reads: true,
    example: { params: { cid: '{{campaign}}', email: '{{email}}' } },
    run: previewCampaign,
  }),
  method({
    name: 'campaignVersions',
    group: 'campaigns',
    summary:
      'Returns the earlier versions of a campaign, newest first; with version, returns that one with its content.',
    description: `The content is kept before it is replaced, up to ${maxVersions} versions per campaign. Edits of one editor that follow each other within two minutes make one version; those of two people never do.`,
    params: params({
      cid,
      version: integer('A single version, with its content.', 1, 1_000_000_000).optional(),
    }),
    returns: z.array(
      named(
        'CampaignVersion',
        z.object({
          version: z.int(),
          kept_at: z.string(),
          replaced_by: z.enum(replacements).meta({
            description:
              'What replaced it: edit, template, import or restore; conflict if it was not saved because another person had changed the content.',
          }),
          written_by: z.string().meta({
            description: 'The user or API key that wrote it; "" if it was the program, or before names were kept.',
          }),
          characters: z.int().meta({ description: 'Length of the HTML, or of the plain text if there is no HTML.' }),
          beginning: z.string().meta({ description: 'The first words of the plain text.' }),
          html: z.string().meta({ description: 'Empty unless version is given.' }),
          plain: z.string().meta({ description: 'Empty unless version is given.' }),
          source: z.string().meta({ description: 'The Markdown or MJML. Empty unless version is given.' }),
          source_format: z.enum(bodyFormats).meta({ description: 'What the HTML was made from.' }),
          part: z.enum(keptParts).meta({
            description: 'content is the email itself, languages a language version, test a variant of the A/B test.',
          }),
          name: z.string().meta({ description: 'The language or the letter of the variant; "" for the email itself.' }),
          subject: z.string().meta({ description: 'Of a language version or variant.' }),
          preview_text: z.string().meta({ description: 'Of a language version or variant.' }),
          from_name: z.string().meta({ description: 'Of a language version or variant.' }),
        }),
      ),
    ),
    faults: ['CAMPAIGN_UNKNOWN', 'INVALID_PARAMETER'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { cid: '{{campaign}}' } },
    run: listVersions,
  }),
  method({
    name: 'campaignVersionRestore',
    group: 'campaigns',
    summary:
      'Restores an earlier version of the content, of a language version or of a variant; the current one is kept.',
    description: 'Works as long as campaignUpdate does.',
    params: params({
      cid,
      version: integer('The version, from campaignVersions.', 1, 1_000_000_000),
      editor,
    }),
    returns: z.boolean(),
    faults: ['CAMPAIGN_UNKNOWN', 'CAMPAIGN_STATE_CONFLICT', 'INVALID_PARAMETER', ...unsendable],
    scope: 'write',
    narrowed: true,
    example: { params: { cid: '{{edited}}', version: 1 } },
    run: restoreVersion,
  }),
  method({
    name: 'campaignVersionKeep',
    group: 'campaigns',
    summary: 'Keeps a text as a version without saving it, for someone who must choose between two versions.',
    description:
      'The campaign does not change. campaignVersions returns the text with replaced_by conflict; campaignVersionRestore puts it back where it was.',
    params: params({
      cid,
      html: text('The HTML.', maxHtml).default(''),
      plain: text('The plain text; "" makes it from the HTML.', maxHtml).default(''),
      source: text('The Markdown or MJML that the HTML was made from.', maxHtml).default(''),
      source_format: oneOf('What the HTML was made from: html, markdown or mjml.', [
        'html',
        'markdown',
        'mjml',
      ]).default('html'),
      part: oneOf('content is the email itself, languages a language version, test a variant of the A/B test.', [
        'content',
        'languages',
        'test',
      ]).default('content'),
      name: line('The language, or the letter of the variant.', 20).default(''),
      subject: line('The subject of the language version or variant.', 1_000).default(''),
      preview_text: line('The preview text of the language version or variant.', 1_000).default(''),
      from_name: line('The sender name of the language version or variant.', 1_000).default(''),
      author: oneOf('Who wrote it: the caller, or the last editor of the part.', ['caller', 'last_editor']).default(
        'caller',
      ),
    }),
    returns: z.boolean(),
    faults: ['CAMPAIGN_UNKNOWN', 'TOO_LARGE'],
    scope: 'write',
    narrowed: true,
    example: { params: { cid: '{{campaign}}', html: '<p>What I wrote</p>' } },
    run: keepUnsaved,
  }),
  method({
    name: 'campaignEditing',
    group: 'campaigns',
    summary: 'Notes that the signed-in user has a campaign open, and returns who else has, and what was changed last.',
    description: 'For windows of the composer, which call it every few seconds.',
    params: params({ cid, editor: line('The window, as it names itself.', 60) }),
    returns: editing,
    faults: ['CAMPAIGN_UNKNOWN'],
    scope: 'write',
    narrowed: true,
    reads: true,
    notes: true,
    person: true,
    example: { params: { cid: '{{campaign}}', editor: 'window-1' } },
    run: noteEditing,
  }),
];
