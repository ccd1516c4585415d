// The methods about fields of the account.
import { z } from 'zod';
import { method } from '../../method/method.ts';
import { arrayOf, filledLine, id, integer, oneOf, params, struct, text } from '../../method/params.ts';
import { fieldTypes } from '../model/field.ts';
import {
  accountFieldCreate,
  accountFieldDelete,
  accountFieldJoin,
  accountFieldPreview,
  accountFields,
  maxExamples,
} from './account-fields.ts';
import { fieldOptions } from './methods.ts';

const tag = text('The tag of the field.', 100);
const lists = z
  .array(z.object({ id: z.string(), name: z.string() }))
  .meta({ description: 'The lists that have it, oldest first.' });
const asked = {
  tag,
  rule: oneOf('Which of different values of a contact stays; an empty value never does.', ['newest', 'list']).default(
    'newest',
  ),
  list: text('With the rule list: the list whose values stay. Where it has none, the newest does.', 20).default(''),
};

export const accountFieldMethods = [
  method({
    name: 'accountFields',
    group: 'fields',
    summary: 'Returns the fields of the account: those whose values are the same on every list that has them.',
    params: params({}),
    returns: z.array(
      z.object({
        tag: z.string(),
        name: z.string(),
        field_type: z.enum(fieldTypes),
        predefined_values: z.array(z.string()),
        state: z.enum(['joining', 'joined']).meta({
          description: 'joining: contacts may still have different values. What is written goes to every list already.',
        }),
        lists,
        joined_contacts: z.int().meta({ description: 'How many contacts got a value from another list so far.' }),
        created_at: z.string(),
        joined_at: z.string().meta({ description: 'Empty while it is joining.' }),
      }),
    ),
    faults: [],
    scope: 'read',
    permission: ['contacts:read', 'campaigns:read', 'reports:read'],
    narrowed: true,
    reads: true,
    example: { params: {} },
    run: accountFields,
  }),
  method({
    name: 'accountFieldPreview',
    group: 'fields',
    summary:
      'Returns what joining the fields with a tag would change: how many contacts have different values, and examples.',
    description:
      'Looks through all contacts; takes seconds for a million. Subscriptions that wait for their confirmation do not take part.',
    params: params(asked),
    returns: z.object({
      tag: z.string(),
      field_type: z.enum(fieldTypes),
      predefined_values: z.array(z.string()).meta({ description: 'The choices of all lists.' }),
      lists,
      conflicts: z.int().meta({ description: 'How many contacts have different values on their lists.' }),
      filled: z.int().meta({ description: 'How many others get their value on lists where they have none.' }),
      examples: z
        .array(
          z.object({
            email: z.string(),
            kept: z.string().meta({ description: 'The value that would stay.' }),
            values: z.array(z.object({ list: z.string(), value: z.string() })),
          }),
        )
        .meta({ description: `The first ${maxExamples} contacts with different values.` }),
    }),
    faults: ['FIELD_INVALID', 'EMAIL_FIELD_FIXED', 'LIST_UNKNOWN'],
    scope: 'read',
    reads: true,
    example: { params: { tag: '{{field_tag}}' } },
    run: accountFieldPreview,
  }),
  method({
    name: 'accountFieldJoin',
    group: 'fields',
    summary: 'Makes one field of the account of the fields that all lists have with a tag. This cannot be undone.',
    description:
      'Of each contact one value stays, on every list; the others are lost. They must have the same type; choices are put together. The values are joined in the background. What is written meanwhile, through any list, stays.',
    params: params({
      ...asked,
      conflicts: integer(
        'The conflicts that accountFieldPreview returned: refused if there are more now.',
        0,
        2_147_483_647,
      ),
    }),
    returns: z.boolean(),
    faults: ['FIELD_INVALID', 'EMAIL_FIELD_FIXED', 'LIST_UNKNOWN', 'ACCOUNT_FIELD_PREVIEW_OLD'],
    scope: 'write',
    example: { params: { tag: '{{field_tag}}', rule: 'newest', conflicts: 0 } },
    run: accountFieldJoin,
  }),
  method({
    name: 'accountFieldCreate',
    group: 'fields',
    summary: 'Creates a field of the account on several lists.',
    description: 'No list may have a field with the tag; accountFieldJoin is for fields that exist.',
    params: params({
      tag: text('The tag, 1 to 50 letters, digits and underscores; stored in upper case.', 100),
      name: filledLine('Name of the field, as shown to contacts.', 100),
      lists: arrayOf('The lists that get it; none for all lists.', id('A list.'), 1_000).default([]),
      options: struct('Settings, as in listMergeVarAdd.', fieldOptions, { fault: 'FIELD_INVALID' }).default({}),
    }),
    returns: z.boolean(),
    faults: ['FIELD_INVALID', 'LIST_UNKNOWN'],
    scope: 'write',
    example: { params: { tag: '{{free_tag}}', name: 'Birthday', options: { field_type: 'date' } } },
    run: accountFieldCreate,
  }),
  method({
    name: 'accountFieldDelete',
    group: 'fields',
    summary: 'Makes a field of the account a field of each list again, with the values it has there.',
    description: 'No value is lost. From then on a change of one list stays on that list.',
    params: params({ tag }),
    returns: z.boolean(),
    faults: ['FIELD_INVALID'],
    scope: 'write',
    example: { params: { tag: '{{shared_tag}}' } },
    run: accountFieldDelete,
  }),
];
