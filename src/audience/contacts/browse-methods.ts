// The methods that page and count the contacts of an account over all its lists.
import { z } from 'zod';
import type { Context } from '../../base/context.ts';
import { method } from '../../method/method.ts';
import { named } from '../../method/named.ts';
import { integer, oneOf, params, text } from '../../method/params.ts';
import { fieldsOfAccount, fieldTypes } from '../model/field.ts';
import { statuses } from '../model/subscription-status.ts';
import { filter, match } from '../segments/read-filter.ts';
import { contactCount, contactPage, sortOrders } from './browse.ts';

export const narrowing = {
  query: text(
    'Words in any order, each part of the address or the beginning of a word of a value, such as a full name; all contacts when empty.',
    200,
  ).default(''),
  status: oneOf('Only contacts with this status on at least one list.', statuses).optional(),
  match: match.default('all'),
  filter: filter.default([]),
};
export const meaning =
  'filter has the conditions of a segment. They hold for a contact when they hold for one of its subscriptions, whatever the list and, unless status is given, whatever its status. "last 5" are the latest five campaigns of the account.';

const record = named(
  'FoundContact',
  z.object({
    id: z.string(),
    email: z.string(),
    merges: z
      .record(z.string(), z.string())
      .meta({ description: 'Values by tag; of a tag on several lists, the value that was changed last.' }),
    tags: z.array(z.string()),
    lists: z.array(z.object({ id: z.string(), status: z.enum(statuses) })),
    language: z.string(),
    timezone: z.string(),
    create_time: z.string(),
    change_time: z.string(),
    suppressed: z.boolean().meta({ description: 'Whether the contact gets no mail from this account.' }),
    paused_until: z.string().meta({ description: 'When the pause ends; "" when the contact is not paused.' }),
    emails: z.int().meta({ description: 'Messages delivered to it in the last 12 months.' }),
    opened: z.int().meta({ description: 'How many of those it opened or clicked in; machines do not count.' }),
    clicked: z.int().meta({ description: 'How many of those it clicked in.' }),
    last_active: z.string().meta({ description: 'The last open or click among those; "" without one.' }),
  }),
);

export const browseMethods = [
  method({
    name: 'contacts',
    group: 'contacts',
    summary: 'Returns a page of the contacts of the account over all its lists.',
    description: `${meaning} A page continues where the last one ended, so new contacts move no one to another page; contactCount returns how many there are.`,
    params: params({
      ...narrowing,
      sort: oneOf('newest: last added first; email: by address.', sortOrders).default('newest'),
      cursor: text('next or previous of another answer; the first page when empty.', 800).default(''),
      limit: integer('Contacts per page, at most 100.', 1, 100, { fault: 'LIMIT_OUT_OF_RANGE' }).default(25),
    }),
    returns: z.object({
      data: z.array(record),
      next: z.string().meta({ description: 'The cursor of the next page; "" on the last one.' }),
      previous: z.string().meta({ description: 'The cursor of the page before; "" on the first one.' }),
    }),
    faults: ['SEGMENT_INVALID', 'START_OUT_OF_RANGE', 'LIMIT_OUT_OF_RANGE'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: {
      params: { status: 'subscribed', filter: [{ field: 'FNAME', condition: 'starts', value: 'A' }], limit: 5 },
    },
    run: contactPage,
  }),
  method({
    name: 'contactCount',
    group: 'contacts',
    summary: 'Returns how many contacts of the account match; the parameters are those of contacts.',
    params: params(narrowing),
    returns: z.int(),
    faults: ['SEGMENT_INVALID'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { query: 'example.com' } },
    run: contactCount,
  }),
  method({
    name: 'contactFields',
    group: 'fields',
    summary: 'Returns the merge fields of all lists, each tag once, named as on the oldest list that has it.',
    description: 'A tag whose type differs between lists is compared as text.',
    params: params({}),
    returns: z.array(
      z.object({
        tag: z.string(),
        name: z.string(),
        field_type: z.enum(fieldTypes),
        predefined_values: z.array(z.string()),
        lists: z.int().meta({ description: 'How many lists have the field.' }),
        of_account: z.boolean().meta({ description: 'Whether it has the same value on all of them (accountFields).' }),
      }),
    ),
    faults: [],
    scope: 'read',
    permission: ['contacts:read', 'campaigns:read', 'reports:read'],
    narrowed: true,
    reads: true,
    example: { params: {} },
    run: contactFields,
  }),
];

async function contactFields(context: Context) {
  return (await fieldsOfAccount(context)).map(({ tag, name, type, choices, lists, ofAccount = false }) => ({
    tag,
    name,
    field_type: type,
    predefined_values: choices,
    lists,
    of_account: ofAccount,
  }));
}
