// The methods about lists themselves.
import { z } from 'zod';
import {
  changeLabel,
  isLabelChange,
  labelChanges,
  orderFilters,
  orderRecord,
  withoutLabels,
} from '../../accounts/labels/label.ts';
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { withoutOrder } from '../../method/family.ts';
import { idempotencyKey } from '../../method/idempotency.ts';
import { method } from '../../method/method.ts';
import { named } from '../../method/named.ts';
import { paging } from '../../method/paging.ts';
import { arrayOf, boolean, filledLine, id, line, oneOf, params, struct, text } from '../../method/params.ts';
import { parseAddress } from '../address.ts';
import { createList, listGet, listLabels, listRecords, needList } from '../model/list.ts';
import { deleteList } from './delete.ts';
import { listGrowthHistory } from './growth.ts';
import { listOptions, maxNotified, optionOf, readOption, setOption } from './options.ts';
import { listTrends, trendDays } from './trends.ts';

const listRecord = named(
  'List',
  z.object({
    id: z.string(),
    web_id: z.int(),
    name: z.string(),
    date_created: z.string(),
    member_count: z.int(),
    unsubscribe_count: z.int(),
    email_type_option: z.boolean(),
    default_from_name: z.string(),
    default_from_email: z.string(),
    sender: z.string().meta({ description: 'The id of its sender; empty for the main address of the account.' }),
    default_subject: z.string(),
    default_language: z.string(),
    ...orderRecord,
  }),
);

const listInfoRecord = named(
  'ListDetails',
  z.object({
    id: z.string(),
    title: z.string(),
    date_created: z.string(),
    member_count: z.int(),
    default_from_name: z.string(),
    default_from_email: z.string(),
    sender: z.string().meta({ description: 'The id of its sender; empty for the main address of the account.' }),
    default_subject: z.string(),
    default_language: z.string(),
    email_type_option: z.boolean(),
    company: z.string(),
    address: z.string(),
    website: z.string(),
    timezone: z.string(),
    notify_to: z.string(),
    subscription_notify: z.boolean(),
    unsubscription_notify: z.boolean(),
    permission_reminder: z.string(),
    public: z.boolean(),
    public_title: z.string(),
    public_description: z.string(),
    public_group: z.string(),
    ...orderRecord,
  }),
);

const optionTypes = {
  // First, so that a name and a reply address in the same call win over those of the sender.
  sender: text(
    'Id of the sender of its confirmation, welcome and goodbye; also sets default_from_name and default_from_email. Empty: the main address of the account.',
    100,
  ).optional(),
  default_from_name: line('Default sender name of campaigns to this list.', 200).optional(),
  default_from_email: text('Default reply address of campaigns to this list.', 320).optional(),
  default_subject: line('Default subject of campaigns to this list.', 1_000).optional(),
  default_language: text('Language of the texts of this list, as a code such as en or de.', 20)
    .meta({ neverEmpty: true })
    .optional(),
  email_type_option: boolean('Whether contacts may choose between HTML and plain text.').optional(),
  company: line('Organisation named in the footer (LIST:COMPANY).', 300).optional(),
  address: text('Postal address shown in the footer (LIST:ADDRESS).', 1_000).optional(),
  website: text('Web address of the list (LIST:URL).', 1_000).optional(),
  timezone: text('Time zone of contacts whose own is unknown, such as Europe/Berlin.', 60).optional(),
  has_email_type_option: boolean('The same as email_type_option.').optional(),
  permission_reminder: text(
    'Why a contact gets these emails, such as "You signed up at our shop."; in the footer in place of the sentence of the program, and for LIST:DESCRIPTION.',
    10_000,
  ).optional(),
  public: boolean(
    'Whether the preference page offers the list to contacts who are not on it, and shows its name. Off by default.',
  ).optional(),
  public_title: line(
    'The name that the preference page shows instead of title; also shown to members of a list that is not public.',
    1_000,
  ).optional(),
  public_description: text('What the preference page says about the list.', 2_000).optional(),
  public_group: line('The heading under which the preference page shows the list; empty for none.', 200).optional(),
  hidden: boolean(
    'Whether the web application leaves the list out, and does not offer it for new campaigns. Nothing else changes: its sign-up forms, the preference page, automations and scheduled campaigns go on.',
  ).optional(),
  notify_to: text(
    `Who gets the notices about people who subscribe or leave: up to ${maxNotified} addresses with commas. Empty: the main address of the account.`,
    1_000,
  ).optional(),
  subscription_notify: boolean(
    'Whether a notice is sent when people subscribe: by a form or a program, not by an import or in the web application. At most one an hour, which names all.',
  ).optional(),
  unsubscription_notify: boolean('The same when they unsubscribe.').optional(),
};

/** Settings that are switches arrive as booleans through XML-RPC and JSON. */
const optionValue = z
  .preprocess((value) => (typeof value === 'boolean' ? String(value) : value), text('The new value.', 10_000))
  .meta({ description: 'The new value.', xmlrpc: 'string' });

export const listMethods = [
  method({
    name: 'lists',
    group: 'lists',
    summary: 'Returns the lists of the account with their numbers of members.',
    params: params({ ...orderFilters, ...paging(1_000, 1_000) }).meta({ aliases: withoutOrder }),
    returns: z.array(listRecord),
    family: { answer: withoutLabels(listRecord) },
    faults: ['LIMIT_OUT_OF_RANGE', 'START_OUT_OF_RANGE'],
    scope: 'read',
    permission: ['contacts:read', 'campaigns:read', 'reports:read'],
    narrowed: true,
    reads: true,
    example: { params: { limit: 10 } },
    run: listRecords,
  }),
  method({
    name: 'listCreate',
    group: 'lists',
    summary: 'Creates a list with the fields EMAIL, FNAME and LNAME; returns its id.',
    params: params({
      title: filledLine('Name of the list.', 200),
      options: struct('Settings of the list.', optionTypes, { fault: 'LIST_OPTION_INVALID' }).default({}),
      idempotency_key: idempotencyKey,
    }),
    returns: z.string(),
    faults: ['LIST_OPTION_INVALID', 'SENDER_UNKNOWN'],
    scope: 'write',
    example: { params: { title: 'Newsletter', options: { default_from_name: 'The editors' } } },
    async run(context, { title, options }) {
      const listId = await createList(context, title.trim());
      for (const [name, value] of Object.entries(options)) {
        const option = optionOf(name);
        if (value !== undefined) await setOption(context, listId, option, value, `options.${name}`);
      }
      const { email_type_option, has_email_type_option } = options;
      // Published clients expect the choice of the format unless they turn it off.
      if (context.published && email_type_option === undefined && has_email_type_option === undefined)
        await setOption(context, listId, 'email_type_option', true, 'options.email_type_option');
      return formatId(listId);
    },
  }),
  method({
    name: 'listUpdate',
    group: 'lists',
    summary: 'Changes one setting of a list: title, or any option of listCreate; or adds or removes a label.',
    params: params({
      id: id('The list.'),
      name: text(
        `The setting: ${[...Object.keys(listOptions), ...labelChanges].join(', ')} (the id of one label).`,
        100,
      ),
      value: optionValue,
    }),
    returns: z.boolean(),
    faults: ['LIST_UNKNOWN', 'LIST_OPTION_INVALID', 'SENDER_UNKNOWN', 'LABEL_UNKNOWN', 'LABEL_INVALID'],
    scope: 'write',
    narrowed: true,
    example: { params: { id: '{{list}}', name: 'title', value: 'Monthly letter' } },
    async run(context, { id: named, name, value: given }) {
      const list = await needList(context, named);
      const change = name.toLowerCase();
      if (isLabelChange(change)) {
        await changeLabel(context, listLabels, list.id, { change, label: given, member: 'value' });
        return true;
      }
      const { option, value } = readOption(name, given);
      await setOption(context, list.id, option, value, option);
      return true;
    },
  }),
  method({
    name: 'listGet',
    group: 'lists',
    summary: 'Returns a list with all its settings, as listUpdate takes them.',
    params: params({ id: id('The list.') }),
    returns: listInfoRecord,
    faults: ['LIST_UNKNOWN'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { id: '{{list}}' } },
    run: listGet,
  }),
  method({
    name: 'listDelete',
    group: 'lists',
    summary: 'Deletes a list with its subscriptions, fields, segments and automations. This cannot be undone.',
    description:
      'Contacts that are on no other list are deleted too. Campaigns to the list stay, with their reports; a draft to this list alone has no recipients any more. A list cannot be deleted while a campaign is being sent to it or is scheduled for it, or an automation of it is active; the emails of one that is paused or deleted are in the way only until those who were to get them have them. Change an unsent campaign that excludes the list or a segment of it first, and also a segment of another list that refers to this one.',
    params: params({ id: id('The list.') }),
    returns: z.boolean(),
    faults: ['LIST_UNKNOWN', 'CAMPAIGN_STATE_CONFLICT'],
    scope: 'write',
    example: { params: { id: '{{list}}' } },
    run: deleteList,
  }),
  method({
    name: 'listsForEmail',
    group: 'lists',
    summary: 'Returns the ids of the lists an address is on, whatever its status there.',
    params: params({ email_address: text('The address.', 320) }),
    returns: z.array(z.string()),
    faults: ['ADDRESS_INVALID', 'ADDRESS_UNKNOWN'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { email_address: '{{email}}' } },
    run: listsForEmail,
  }),
  method({
    name: 'listGrowthHistory',
    group: 'lists',
    summary:
      'Returns, by month, week or day, how many members a list had at the start and how many subscribed and unsubscribed.',
    description:
      'Periods in which no member subscribed or unsubscribed are left out. Weeks begin on Monday and are numbered as in ISO 8601. Days and weeks are those of the time zone of the account, months those of GMT. Members deleted since count in months only.',
    params: params({
      id: id('The list.'),
      split_by: oneOf('Length of the periods.', ['month', 'week', 'day']).default('month'),
      start_date: text('Only periods that end on or after this day, as YYYY-MM-DD.', 40)
        .meta({ date: true })
        .default(''),
      end_date: text('Only periods that begin on or before this day, as YYYY-MM-DD.', 40)
        .meta({ date: true })
        .default(''),
      ...paging(1_000, 1_000),
    }),
    returns: z.array(
      z.object({
        month: z.string().meta({ description: 'The month of the first day, as YYYY-MM.' }),
        week: z.string().optional().meta({ description: 'For split_by week, such as "2026-09 W36".' }),
        day: z.string().optional().meta({ description: 'For split_by day, as YYYY-MM-DD.' }),
        existing: z.int().meta({ description: 'Members at the start of the period.' }),
        optins: z.int(),
        imports: z.int().meta({ description: 'The same as optins.' }),
        unsubscribes: z.int(),
      }),
    ),
    faults: ['LIST_UNKNOWN', 'DATE_INVALID', 'LIMIT_OUT_OF_RANGE', 'START_OUT_OF_RANGE'],
    scope: 'read',
    permission: ['contacts:read', 'campaigns:read', 'reports:read'],
    narrowed: true,
    reads: true,
    example: { params: { id: '{{list}}' } },
    run: listGrowthHistory,
  }),
  method({
    name: 'listTrends',
    group: 'lists',
    summary: `Returns how the number of members of several lists went over the last ${trendDays} days.`,
    description: `members has ${trendDays + 1} numbers, the oldest first: those ${trendDays} days ago, after each span of 24 hours, and now. joined and left are those within these days; who joined and left again counts in both. Members deleted since are not counted.`,
    params: params({ ids: arrayOf('Ids of lists.', id('A list.'), 100) }),
    returns: z.array(z.object({ id: z.string(), joined: z.int(), left: z.int(), members: z.array(z.int()) })),
    faults: ['LIST_UNKNOWN'],
    scope: 'read',
    permission: ['contacts:read', 'campaigns:read', 'reports:read'],
    narrowed: true,
    reads: true,
    example: { params: { ids: ['{{list}}'] } },
    run: listTrends,
  }),
];

async function listsForEmail(
  { tx, account }: Context,
  { email_address }: { email_address: string },
): Promise<string[]> {
  const address = parseAddress(email_address);
  if (!address.ok)
    throw fault('ADDRESS_INVALID', 'address.not_an_address', {
      member: 'email_address',
      value: email_address.slice(0, 80),
    });
  const rows = await tx.rows<{ list_id: number }>(sql`
    select s.list_id
    from contact c
    join subscription s on s.account_id = c.account_id and s.contact_id = c.id
    where c.account_id = ${account.id}
      and c.email_key = ${address.key}
    order by s.signup_at, s.list_id`);
  if (rows.length === 0)
    throw fault('ADDRESS_UNKNOWN', 'address.on_no_list', {
      member: 'email_address',
      email: email_address.slice(0, 80),
    });
  return rows.map((row) => formatId(row.list_id));
}
