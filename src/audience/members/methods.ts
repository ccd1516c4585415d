// The methods about the members of a list: subscribing, updating, unsubscribing, reading.
import { z } from 'zod';
import { type FamilyParam, withoutOrder } from '../../method/family.ts';
import { method } from '../../method/method.ts';
import { named } from '../../method/named.ts';
import { paging } from '../../method/paging.ts';
import { boolean, contactStruct, id, oneOf, params, text } from '../../method/params.ts';
import { addressBatch, batchResult, contactBatch, maxInBatch } from '../model/batch.ts';
import { emailTypes, statuses } from '../model/subscription-status.ts';
import {
  deleteMember,
  subscribeBatch,
  subscribeMember,
  unsubscribeBatch,
  unsubscribeMember,
  updateMember,
} from './change.ts';
import { listMembers, listMembersByMerge, memberInfo } from './read.ts';

const emailAddress = text('The email address.', 1_000);
const mergeVars = contactStruct(
  'Values of the merge fields by tag, such as {FNAME: "Ada"}; of a multiple choice an array of names, or a text with commas between them; OPTINIP, OPTINTIME, LANGUAGE and TIMEZONE are also accepted.',
  { fault: 'FIELD_INVALID' },
);
const emailType = oneOf('The format the contact prefers.', ['html', 'text'], { plain: 'text', mobile: 'text' });

const addChoices = boolean(
  'Whether the names in merge_vars of a multiple choice are added to those that the contact has chosen; by default they replace them.',
).default(false);
/** Published clients ask the other way round, and for the groups of GROUPINGS and INTERESTS. */
const replaceInterests: FamilyParam = {
  meaning: 'False is the same as add_choices, for GROUPINGS and INTERESTS too.',
  read: (value) => ({ add_choices: ['', '0', 'false', 'no', 'off'].includes(String(value).trim().toLowerCase()) }),
};

const memberStatus = oneOf('Status of the members.', ['subscribed', 'unsubscribed', 'inactive', 'bounced', 'pending'], {
  cleaned: 'bounced',
});

export const memberMethods = [
  method({
    name: 'listSubscribe',
    group: 'members',
    summary: 'Subscribes an address to a list.',
    description:
      'With double_optin (the default) the contact is pending and gets a message with a confirmation link; without it the contact is subscribed at once. An address that is subscribed already returns fault 214, unless update_existing is true. An address that is suppressed (itself, its domain, or because it was erased) returns fault 502, and nothing is stored.',
    params: params({
      id: id('The list.'),
      email_address: emailAddress,
      merge_vars: mergeVars.default({}),
      email_type: emailType.default('html'),
      double_optin: boolean('Whether the contact must confirm by email.').default(true),
      update_existing: boolean('Whether a subscribed contact is updated instead of refused.').default(false),
      send_welcome: boolean('Whether a welcome message is sent when the contact is subscribed at once.').default(false),
      ip_signup: text('The IP address that the contact signed up from.', 10_000).default(''),
      add_choices: addChoices,
    }),
    family: {
      params: {
        replace_interests: replaceInterests,
        ip_confirm: {
          meaning: 'The same as ip_signup, unless that is given.',
          read: (value, { ip_signup = '' }) => (ip_signup === '' ? { ip_signup: value } : {}),
        },
      },
    },
    returns: z.boolean(),
    faults: [
      'LIST_UNKNOWN',
      'ADDRESS_INVALID',
      'ALREADY_SUBSCRIBED',
      'FIELD_REQUIRED',
      'FIELD_INVALID',
      'ADDRESS_ALREADY_SUBSCRIBED',
    ],
    scope: 'write',
    narrowed: true,
    example: {
      params: { id: '{{list}}', email_address: 'ada@example.com', merge_vars: { FNAME: 'Ada' }, double_optin: false },
    },
    run: subscribeMember,
  }),
  method({
    name: 'listBatchSubscribe',
    group: 'members',
    summary: `Subscribes up to ${maxInBatch} addresses; an error in one does not affect the others.`,
    params: params({
      id: id('The list.'),
      batch: contactBatch('Structs of EMAIL, EMAIL_TYPE and field values by tag.'),
      double_optin: boolean('Whether the contacts must confirm by email.').default(true),
      update_existing: boolean('Whether subscribed contacts are updated instead of refused.').default(false),
      add_choices: addChoices,
    }),
    family: { params: { replace_interests: replaceInterests } },
    returns: batchResult,
    faults: ['LIST_UNKNOWN', 'TOO_LARGE'],
    scope: 'write',
    narrowed: true,
    example: {
      params: {
        id: '{{list}}',
        batch: [{ EMAIL: 'ada@example.com', FNAME: 'Ada' }, { EMAIL: 'not an address' }],
        double_optin: false,
      },
    },
    run: subscribeBatch,
  }),
  method({
    name: 'listUnsubscribe',
    group: 'members',
    summary: 'Unsubscribes an address from a list, or with delete_member deletes it from the list.',
    params: params({
      id: id('The list.'),
      email_address: emailAddress,
      delete_member: boolean('Whether the contact is deleted from the list instead of kept as unsubscribed.').default(
        false,
      ),
      send_goodbye: boolean('Whether a goodbye message is sent to the contact.').default(true),
      send_notify: boolean('Whether the owner of the account is notified by email.').default(false),
    }),
    returns: z.boolean(),
    faults: ['LIST_UNKNOWN', 'ADDRESS_UNKNOWN', 'ADDRESS_UNSUBSCRIBED', 'NOT_SUBSCRIBED'],
    scope: 'write',
    narrowed: true,
    example: { params: { id: '{{list}}', email_address: '{{email}}', send_goodbye: false } },
    run: unsubscribeMember,
  }),
  method({
    name: 'listBatchUnsubscribe',
    group: 'members',
    summary: `Unsubscribes up to ${maxInBatch} addresses; an error in one does not affect the others.`,
    params: params({
      id: id('The list.'),
      emails: addressBatch('The addresses.'),
      delete_member: boolean('Whether the contacts are deleted from the list.').default(false),
      send_goodbye: boolean('Whether a goodbye message is sent to each contact.').default(true),
      send_notify: boolean('Whether the owner of the account is notified by email.').default(false),
    }),
    returns: batchResult,
    faults: ['LIST_UNKNOWN', 'TOO_LARGE'],
    scope: 'write',
    narrowed: true,
    example: { params: { id: '{{list}}', emails: ['{{email}}', 'nobody@example.com'], send_goodbye: false } },
    run: unsubscribeBatch,
  }),
  method({
    name: 'listUpdateMember',
    group: 'members',
    summary: 'Changes field values, email address (merge_vars.EMAIL) or format of a member.',
    params: params({
      id: id('The list.'),
      email_address: text('The address, or the id of the member.', 1_000),
      merge_vars: mergeVars,
      email_type: emailType.optional(),
      add_choices: addChoices,
    }),
    family: { params: { replace_interests: replaceInterests } },
    returns: z.boolean(),
    faults: [
      'LIST_UNKNOWN',
      'ADDRESS_UNKNOWN',
      'ADDRESS_INVALID',
      'ADDRESS_ALREADY_SUBSCRIBED',
      'FIELD_REQUIRED',
      'FIELD_INVALID',
    ],
    scope: 'write',
    narrowed: true,
    example: { params: { id: '{{list}}', email_address: '{{email}}', merge_vars: { LNAME: 'Lovelace' } } },
    run: updateMember,
  }),
  method({
    name: 'listMembers',
    group: 'members',
    summary: 'Returns the members of a list that have a status, oldest change first.',
    params: params({
      id: id('The list.'),
      status: memberStatus.default('subscribed'),
      ...paging(100, 15_000),
      since: text('Only members whose status changed since this time: YYYY-MM-DD HH:MM:SS, GMT.', 40)
        .meta({ date: true })
        .default(''),
    }).meta({ aliases: withoutOrder }),
    returns: z.array(z.object({ email: z.string(), timestamp: z.string() })),
    faults: ['LIST_UNKNOWN', 'LIMIT_OUT_OF_RANGE', 'START_OUT_OF_RANGE', 'DATE_INVALID'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { id: '{{list}}', limit: 50 } },
    run: listMembers,
  }),
  method({
    name: 'listMembersByMerge',
    group: 'members',
    summary: 'Returns the members of a list whose merge fields have the given values.',
    description: 'Values are compared without regard to case; with several fields, all must match.',
    params: params({
      id: id('The list.'),
      merge_vars: mergeVars,
      status: memberStatus.default('subscribed'),
      ...paging(100, 15_000),
    }),
    family: {
      params: {
        merge_var: {
          meaning: 'The tag of the one field to compare, instead of merge_vars.',
          read: (tag, { merge_value }) => ({ merge_vars: { [String(tag)]: merge_value ?? '' } }),
        },
        merge_value: { meaning: 'The value of the field merge_var.', read: () => ({}) },
      },
    },
    returns: z.array(z.object({ email: z.string(), timestamp: z.string() })),
    faults: ['LIST_UNKNOWN', 'FIELD_INVALID', 'LIMIT_OUT_OF_RANGE', 'START_OUT_OF_RANGE'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { id: '{{list}}', merge_vars: { FNAME: 'Grace' } } },
    run: listMembersByMerge,
  }),
  method({
    name: 'listMemberInfo',
    group: 'members',
    summary: 'Returns the details of a member of a list, found by address or member id.',
    params: params({ id: id('The list.'), email_address: text('The address, or the id of the member.', 1_000) }),
    returns: named(
      'ListMember',
      z.object({
        id: z.string(),
        email: z.string(),
        email_type: z.enum(emailTypes),
        merges: z.record(z.string(), z.string()),
        status: z.enum(statuses),
        ip_opt: z.string(),
        ip_signup: z.string(),
        timestamp: z.string(),
        language: z.string(),
        timezone: z.string(),
        signup_time: z.string(),
        confirm_time: z.string(),
      }),
    ),
    family: {
      answer: {
        meaning: 'email_type as html or plain, and the status pending as inactive',
        returns: z.record(z.string(), z.unknown()),
        of: (member) => ({
          ...member,
          email_type: member.email_type === 'text' ? 'plain' : member.email_type,
          status: member.status === 'pending' ? 'inactive' : member.status,
        }),
      },
    },
    faults: ['LIST_UNKNOWN', 'ADDRESS_UNKNOWN'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { id: '{{list}}', email_address: '{{email}}' } },
    run: memberInfo,
  }),
  method({
    name: 'listMemberDelete',
    group: 'members',
    summary: 'Deletes a member from a list, whatever its status; no message is sent about it.',
    params: params({ id: id('The list.'), email_address: text('The address, or the id of the member.', 1_000) }),
    returns: z.boolean(),
    faults: ['LIST_UNKNOWN', 'ADDRESS_UNKNOWN'],
    scope: 'write',
    narrowed: true,
    example: { params: { id: '{{list}}', email_address: '{{email}}' } },
    run: deleteMember,
  }),
];
