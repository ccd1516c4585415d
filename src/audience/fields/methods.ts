// The methods about the merge fields of a list.
import { z } from 'zod';
import { method } from '../../method/method.ts';
import { named } from '../../method/named.ts';
import {
  arrayOf,
  boolean,
  filledLine,
  filledText,
  id,
  integer,
  oneOf,
  params,
  struct,
  text,
} from '../../method/params.ts';
import { fieldTypes } from '../model/field.ts';
import { addField, deleteField, listFields, updateField } from './change.ts';
import { dismissIgnoredName, listIgnoredNames } from './ignored-names.ts';

const choices = arrayOf(
  'The choices of a dropdown or a multiple choice.',
  filledText('One choice.', 200),
  300,
).optional();
/** Published clients send one string; an empty one changes nothing. */
const splitValues = (value: unknown) =>
  typeof value === 'string' ? (value === '' ? undefined : value.split('||')) : value;

/** Settings of a field. */
export const fieldOptions = {
  field_type: oneOf(
    'Type of the values; yes_no: yes or no; multiple_choice: any of the choices; sms is the same as phone.',
    fieldTypes,
    { sms: 'phone' },
  )
    .meta({
      aliases: {
        ...{ radio: 'dropdown', url: 'website', imageurl: 'image', zip: 'text', birthday: 'text' },
        ...{ checkbox: 'yes_no', boolean: 'yes_no', checkboxes: 'multiple_choice', check: 'multiple_choice' },
      },
    })
    .optional(),
  req: boolean('Whether a value is required at sign-up.').optional(),
  public: boolean('Whether contacts see the field in forms and on their preference page.').optional(),
  show: boolean('The same as public.').optional(),
  order: integer('Position among the fields, from 1.', 1, 1_000).optional(),
  default_value: text('Shown in a message when a contact has no value.', 500).optional(),
  choices,
  predefined_values: z
    .preprocess(splitValues, choices)
    .optional()
    .meta({ description: 'The same as choices; also one string with || between the choices.', xmlrpc: 'string' }),
};

/** Of a field that exists. */
const changesOfChoices = {
  rename_choices: arrayOf(
    'Choices that get another name; members and segments keep them under the new one.',
    struct('A choice.', {
      from: filledText('The present name.', 200),
      to: filledText('The new name.', 200),
    }),
    300,
  ).optional(),
  drop_values: boolean(
    'Whether a choice of a multiple choice that is left out of choices is taken from the members who have it. By default that is refused, with their number.',
  ).optional(),
};

/** How classes of version 1.3 ask for a value, which has no effect here. */
const aliases = { helptext: '', dateformat: '', phoneformat: '', defaultcountry: '' };

export const fieldMethods = [
  method({
    name: 'listMergeVars',
    group: 'fields',
    summary: 'Returns the merge fields of a list, in order.',
    params: params({ id: id('The list.') }),
    returns: z.array(
      named(
        'MergeField',
        z.object({
          name: z.string(),
          req: z.boolean(),
          field_type: z.enum(fieldTypes),
          show: z.boolean(),
          order: z.int(),
          default: z.string(),
          tag: z.string(),
          predefined_values: z.array(z.string()),
        }),
      ),
    ),
    family: {
      answer: {
        meaning: 'predefined_values as one string with || between the values',
        returns: z.array(z.record(z.string(), z.unknown())),
        of: (fields) => fields.map((field) => ({ ...field, predefined_values: field.predefined_values.join('||') })),
      },
    },
    faults: ['LIST_UNKNOWN'],
    scope: 'read',
    permission: ['contacts:read', 'campaigns:read', 'reports:read'],
    narrowed: true,
    reads: true,
    example: { params: { id: '{{list}}' } },
    run: listFields,
  }),
  method({
    name: 'listIgnoredNames',
    group: 'fields',
    summary: 'Returns the names of values that programs sent and that are no field of the list, most frequent first.',
    description:
      'XML-RPC and form posts ignore such names in merge_vars and in the rows of a batch; the JSON door refuses them. Only names are kept, never values: up to 100 for each list, as long after their last use as the audit log. Names that were dismissed are not returned.',
    params: params({ id: id('The list.') }),
    returns: z.array(
      z.object({
        name: z.string(),
        count: z.int().meta({ description: 'How many contacts were sent with it.' }),
        can_be_field: z.boolean().meta({
          description: 'Whether listMergeVarAdd takes the name as a tag: reserved names such as STATUS cannot be one.',
        }),
        first_seen: z.string(),
        last_seen: z.string(),
      }),
    ),
    faults: ['LIST_UNKNOWN'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { id: '{{list}}' } },
    run: listIgnoredNames,
  }),
  method({
    name: 'listIgnoredNameDismiss',
    group: 'fields',
    summary: 'Removes a name from the result of listIgnoredNames, although programs still send it.',
    description: 'Its values are ignored as before. A name that the list does not have changes nothing.',
    params: params({ id: id('The list.'), name: text('The name, as listIgnoredNames returns it.', 100) }),
    returns: z.boolean(),
    faults: ['LIST_UNKNOWN'],
    scope: 'write',
    narrowed: true,
    example: { params: { id: '{{list}}', name: 'GROUPINGS' } },
    run: dismissIgnoredName,
  }),
  method({
    name: 'listMergeVarAdd',
    group: 'fields',
    summary: 'Adds a merge field to a list.',
    params: params({
      id: id('The list.'),
      tag: text('The tag, 1 to 50 letters, digits and underscores; stored in upper case.', 100),
      name: filledLine('Name of the field, as shown to contacts.', 100),
      options: struct(
        'Settings of the field.',
        {
          ...fieldOptions,
          title: text('Accepted for published clients, without effect: name is the name.', 1_000).optional(),
        },
        { fault: 'FIELD_INVALID', aliases },
      ).default({}),
    }),
    returns: z.boolean(),
    faults: ['LIST_UNKNOWN', 'FIELD_INVALID'],
    scope: 'write',
    narrowed: true,
    example: { params: { id: '{{list}}', tag: 'CITY', name: 'City', options: { default_value: 'your town' } } },
    run: addField,
  }),
  method({
    name: 'listMergeVarUpdate',
    group: 'fields',
    summary: 'Changes a merge field: its name, tag, and the options of listMergeVarAdd.',
    description:
      'A new tag also replaces the old one in segments, autoresponders, the form and the texts of the list; drafts keep the old tag, and their check reports it. The tag cannot change while a campaign in progress shows the field. A new type must fit the existing values. A choice that a segment or an automation asks for cannot be removed.',
    params: params({
      id: id('The list.'),
      tag: text('The tag of the field.', 100),
      options: struct(
        'What to change.',
        {
          name: filledLine('New name.', 100).optional(),
          title: filledLine('The same as name.', 100).optional(),
          tag: text('New tag.', 100).optional(),
          ...fieldOptions,
          ...changesOfChoices,
        },
        { fault: 'FIELD_INVALID', aliases },
      ),
    }),
    returns: z.boolean(),
    faults: ['LIST_UNKNOWN', 'FIELD_INVALID', 'EMAIL_FIELD_FIXED', 'CAMPAIGN_STATE_CONFLICT'],
    scope: 'write',
    narrowed: true,
    example: { params: { id: '{{list}}', tag: 'FNAME', options: { name: 'Given name', req: true } } },
    run: updateField,
  }),
  method({
    name: 'listMergeVarDel',
    group: 'fields',
    summary: 'Deletes a merge field from a list, with all values. This cannot be undone.',
    description:
      'Change or delete a segment that compares the field first, and also an active or paused autoresponder that uses its dates.',
    params: params({ id: id('The list.'), tag: text('The tag of the field.', 100) }),
    returns: z.boolean(),
    faults: ['LIST_UNKNOWN', 'FIELD_INVALID', 'EMAIL_FIELD_FIXED', 'CAMPAIGN_STATE_CONFLICT'],
    scope: 'write',
    narrowed: true,
    example: { params: { id: '{{list}}', tag: 'LNAME' } },
    run: deleteField,
  }),
];
