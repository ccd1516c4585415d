// The methods about the members of a list: subscribing, changing, unsubscribing, reading.
import { z } from 'zod';
import type { Context } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import { join, sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { formatDate } from '../../method/date.ts';
import { method } from '../../method/method.ts';
import { freeStruct, id, many, params, text, truth, word } from '../../method/params.ts';
import { sourceOf } from '../contacts/consent.ts';
import { fieldsOf, readMergeVars } from '../fields/field.ts';
import { needList } from '../lists/list.ts';
import { needTime, paging } from '../lists/methods.ts';
import { batchResult, eachOf, maxInBatch, upperNames } from './batch.ts';
import {
  deleteSubscription,
  needAddress,
  needSubscription,
  type Subscription,
  subscribe,
  unsubscribe,
  update,
} from './subscription.ts';

const emailAddress = text('The e-mail address.', 1_000);
const mergeVars = freeStruct(
  'Values of the merge fields by tag, such as {FNAME: "Ada"}; OPTINIP, OPTINTIME, LANGUAGE and TIMEZONE besides.',
  { fault: 'FIELD_INVALID' },
);
const emailType = word('Which part the contact wants.', ['html', 'text'], { plain: 'text', mobile: 'text' });

const memberStatus = word('Which members.', ['subscribed', 'unsubscribed', 'inactive', 'bounced', 'pending'], {
  cleaned: 'bounced',
});

export const memberMethods = [
  method({
    name: 'listSubscribe',
    group: 'members',
    summary: 'Subscribes an address to a list.',
    description:
      'With double_optin (the default) the contact is pending and gets a mail with a link to confirm; without it the contact is subscribed at once. An address that is subscribed already is fault 214, unless update_existing is true. An address that is suppressed, by itself, its domain or since it was erased, is fault 502 and nothing of it is kept.',
    params: params({
      id: id('The list.'),
      email_address: emailAddress,
      merge_vars: mergeVars.default({}),
      email_type: emailType.default('html'),
      double_optin: truth('Whether the contact must confirm by mail.').default(true),
      update_existing: truth('Whether a subscribed contact is updated instead of refused.').default(false),
      send_welcome: truth('Whether a welcome mail is sent when the contact is subscribed at once.').default(false),
    }),
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
    example: {
      params: { id: '{{list}}', email_address: 'ada@example.com', merge_vars: { FNAME: 'Ada' }, double_optin: false },
    },
    async run(context, given) {
      const list = await needList(context, given.id);
      const fields = await fieldsOf(context, list.id);
      await subscribe(context, {
        listId: list.id,
        fields,
        email: given.email_address,
        vars: readMergeVars(fields, given.merge_vars),
        emailType: given.email_type,
        doubleOptin: given.double_optin,
        updateExisting: given.update_existing,
        sendWelcome: given.send_welcome,
        source: sourceOf(context.caller),
        ip: '',
      });
      return true;
    },
  }),
  method({
    name: 'listBatchSubscribe',
    group: 'members',
    summary: `Subscribes up to ${maxInBatch} addresses; what is wrong with one does not keep the others out.`,
    params: params({
      id: id('The list.'),
      batch: many('Structs of EMAIL, EMAIL_TYPE and field values by tag.', freeStruct('One contact.'), 1_000_000),
      double_optin: truth('Whether the contacts must confirm by mail.').default(true),
      update_existing: truth('Whether subscribed contacts are updated instead of refused.').default(false),
    }),
    returns: batchResult,
    faults: ['LIST_UNKNOWN', 'TOO_LARGE'],
    scope: 'write',
    example: {
      params: {
        id: '{{list}}',
        batch: [{ EMAIL: 'ada@example.com', FNAME: 'Ada' }, { EMAIL: 'not an address' }],
        double_optin: false,
      },
    },
    async run(context, { id: named, batch, double_optin, update_existing }) {
      const list = await needList(context, named);
      const fields = await fieldsOf(context, list.id);
      return eachOf(batch, 'batch', async (item) => {
        const { EMAIL, EMAIL_TYPE, ...vars } = upperNames(item);
        await subscribe(context, {
          listId: list.id,
          fields,
          email: typeof EMAIL === 'string' ? EMAIL : '',
          vars: readMergeVars(fields, vars),
          emailType: readEmailType(EMAIL_TYPE),
          doubleOptin: double_optin,
          updateExisting: update_existing,
          sendWelcome: false,
          source: sourceOf(context.caller),
          ip: '',
        });
      });
    },
  }),
  method({
    name: 'listUnsubscribe',
    group: 'members',
    summary: 'Unsubscribes an address from a list, or with delete_member takes it off the list altogether.',
    params: params({
      id: id('The list.'),
      email_address: emailAddress,
      delete_member: truth('Whether the contact is deleted from the list instead of kept as unsubscribed.').default(
        false,
      ),
      send_goodbye: truth('Whether a mail confirms it to the contact.').default(true),
      send_notify: truth('Whether the owner of the list is told by mail.').default(false),
    }),
    returns: z.boolean(),
    faults: ['LIST_UNKNOWN', 'ADDRESS_UNKNOWN', 'ADDRESS_UNSUBSCRIBED', 'NOT_SUBSCRIBED'],
    scope: 'write',
    example: { params: { id: '{{list}}', email_address: '{{email}}', send_goodbye: false } },
    async run(context, given) {
      const list = await needList(context, given.id);
      await leave(context, list.id, given.email_address, given);
      return true;
    },
  }),
  method({
    name: 'listBatchUnsubscribe',
    group: 'members',
    summary: `Unsubscribes up to ${maxInBatch} addresses; what is wrong with one does not keep the others in.`,
    params: params({
      id: id('The list.'),
      emails: many('The addresses.', emailAddress, 1_000_000),
      delete_member: truth('Whether the contacts are deleted from the list.').default(false),
      send_goodbye: truth('Whether a mail confirms it to each contact.').default(true),
      send_notify: truth('Whether the owner of the list is told by mail.').default(false),
    }),
    returns: batchResult,
    faults: ['LIST_UNKNOWN', 'TOO_LARGE'],
    scope: 'write',
    example: { params: { id: '{{list}}', emails: ['{{email}}', 'nobody@example.com'], send_goodbye: false } },
    async run(context, given) {
      const list = await needList(context, given.id);
      return eachOf(given.emails, 'emails', (email) => leave(context, list.id, email, given));
    },
  }),
  method({
    name: 'listUpdateMember',
    group: 'members',
    summary: 'Changes field values, e-mail address (merge_vars.EMAIL) or format of a member.',
    params: params({
      id: id('The list.'),
      email_address: text('The address, or the id of the member.', 1_000),
      merge_vars: mergeVars,
      email_type: emailType.optional(),
    }),
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
    example: { params: { id: '{{list}}', email_address: '{{email}}', merge_vars: { LNAME: 'Lovelace' } } },
    async run(context, given) {
      const list = await needList(context, given.id);
      const fields = await fieldsOf(context, list.id);
      const vars = readMergeVars(fields, given.merge_vars);
      const member = await needSubscription(context, list.id, given.email_address);
      await update(context, member, fields, vars, given.email_type, sourceOf(context.caller));
      return true;
    },
  }),
  method({
    name: 'listMembers',
    group: 'members',
    summary: 'Returns the addresses of a list with a status, oldest change first.',
    params: params({
      id: id('The list.'),
      status: memberStatus.default('subscribed'),
      ...paging(100, 15_000),
      since: text('Only those whose status has changed since then: YYYY-MM-DD HH:MM:SS, GMT.', 40).default(''),
    }),
    returns: z.array(z.object({ email: z.string(), timestamp: z.string() })),
    faults: ['LIST_UNKNOWN', 'LIMIT_OUT_OF_RANGE', 'START_OUT_OF_RANGE', 'DATE_INVALID'],
    scope: 'read',
    reads: true,
    example: { params: { id: '{{list}}', limit: 50 } },
    async run(context, { id: named, status, start, limit, since }) {
      const from = since.trim() === '' ? null : needTime(since, 'since');
      const list = await needList(context, named);
      const rows = await context.tx.rows<{ email: string; status_at: Date }>(sql`
        select c.email, s.status_at
        from subscription s
        join contact c on c.account_id = s.account_id and c.id = s.contact_id
        where s.account_id = ${context.account.id}
          and s.list_id = ${list.id}
          and s.status = ${status}
          and (${from}::timestamptz is null or s.status_at >= ${from}::timestamptz)
        order by s.status_at, s.contact_id
        limit ${limit}
        offset ${start * limit}`);
      return rows.map((row) => ({ email: row.email, timestamp: formatDate(row.status_at) }));
    },
  }),
  method({
    name: 'listMembersByMerge',
    group: 'members',
    summary: 'Returns the members of a list whose merge fields have certain values.',
    description: 'Values are compared without regard to case; with several fields each of them must fit.',
    params: params({
      id: id('The list.'),
      merge_vars: mergeVars,
      status: memberStatus.default('subscribed'),
      ...paging(100, 15_000),
    }),
    returns: z.array(z.object({ email: z.string(), timestamp: z.string() })),
    faults: ['LIST_UNKNOWN', 'FIELD_INVALID', 'LIMIT_OUT_OF_RANGE', 'START_OUT_OF_RANGE'],
    scope: 'read',
    reads: true,
    example: { params: { id: '{{list}}', merge_vars: { FNAME: 'Grace' } } },
    async run(context, { id: named, merge_vars, status, start, limit }) {
      const list = await needList(context, named);
      const { values, email, evidence } = readMergeVars(await fieldsOf(context, list.id), merge_vars);
      const unusable = Object.keys(evidence)[0];
      if (unusable) throw new Fault('FIELD_INVALID', `merge_vars.${unusable} is no field of the list`);
      const wanted = Object.entries(values).map(
        ([tag, value]) => sql`lower(coalesce(s.fields ->> ${tag}, '')) = lower(${value})`,
      );
      if (email !== undefined) wanted.push(sql`c.email_key = ${needAddress(email, 'merge_vars.EMAIL').key}`);
      if (wanted.length === 0) throw new Fault('FIELD_INVALID', 'merge_vars names no field');
      const rows = await context.tx.rows<{ email: string; status_at: Date }>(sql`
        select c.email, s.status_at
        from subscription s
        join contact c on c.account_id = s.account_id and c.id = s.contact_id
        where s.account_id = ${context.account.id}
          and s.list_id = ${list.id}
          and s.status = ${status}
          and ${join(wanted, ' and ')}
        order by s.status_at, s.contact_id
        limit ${limit}
        offset ${start * limit}`);
      return rows.map((row) => ({ email: row.email, timestamp: formatDate(row.status_at) }));
    },
  }),
  method({
    name: 'listMemberInfo',
    group: 'members',
    summary: 'Returns all that is known of a member of a list, found by address or member id.',
    params: params({ id: id('The list.'), email_address: text('The address, or the id of the member.', 1_000) }),
    returns: z.object({
      id: z.string(),
      email: z.string(),
      email_type: z.string(),
      merges: z.record(z.string(), z.string()),
      status: z.string(),
      ip_opt: z.string(),
      ip_signup: z.string(),
      timestamp: z.string(),
      language: z.string(),
      timezone: z.string(),
      signup_time: z.string(),
      confirm_time: z.string(),
    }),
    faults: ['LIST_UNKNOWN', 'ADDRESS_UNKNOWN'],
    scope: 'read',
    reads: true,
    example: { params: { id: '{{list}}', email_address: '{{email}}' } },
    async run(context, { id: named, email_address }) {
      const list = await needList(context, named);
      const member = await needSubscription(context, list.id, email_address);
      const fields = await fieldsOf(context, list.id);
      return {
        id: formatId(member.contactId),
        email: member.email,
        email_type: member.emailType,
        merges: Object.fromEntries(
          fields.map((field) => [field.tag, field.tag === 'EMAIL' ? member.email : (member.fields[field.tag] ?? '')]),
        ),
        status: member.status,
        ip_opt: member.optinIp,
        ip_signup: member.signupIp,
        timestamp: formatDate(member.statusAt),
        language: member.language,
        timezone: member.timeZone,
        signup_time: formatDate(member.signupAt),
        confirm_time: formatDate(member.confirmAt),
      };
    },
  }),
  method({
    name: 'listMemberDelete',
    group: 'members',
    summary: 'Takes a member off a list altogether, whatever the status; no mail is sent about it.',
    params: params({ id: id('The list.'), email_address: text('The address, or the id of the member.', 1_000) }),
    returns: z.boolean(),
    faults: ['LIST_UNKNOWN', 'ADDRESS_UNKNOWN'],
    scope: 'write',
    example: { params: { id: '{{list}}', email_address: '{{email}}' } },
    async run(context, { id: named, email_address }) {
      const list = await needList(context, named);
      const member = await needSubscription(context, list.id, email_address);
      await deleteSubscription(context, member, sourceOf(context.caller));
      return true;
    },
  }),
];

type Leaving = { delete_member: boolean; send_goodbye: boolean; send_notify: boolean };

async function leave(context: Context, listId: number, email: string, how: Leaving): Promise<void> {
  const member: Subscription = await needSubscription(context, listId, email);
  if (how.delete_member) return deleteSubscription(context, member, sourceOf(context.caller));
  if (member.status === 'unsubscribed')
    throw new Fault('ADDRESS_UNSUBSCRIBED', `${member.email} is unsubscribed already`);
  if (member.status !== 'subscribed')
    throw new Fault('NOT_SUBSCRIBED', `${member.email} is not subscribed but ${member.status}`);
  await unsubscribe(context, member, {
    source: sourceOf(context.caller),
    ip: '',
    sendGoodbye: how.send_goodbye,
    sendNotify: how.send_notify,
  });
}

function readEmailType(given: unknown): 'html' | 'text' {
  const text = typeof given === 'string' ? given.toLowerCase() : '';
  if (text === '' || text === 'html') return 'html';
  if (['text', 'plain', 'mobile'].includes(text)) return 'text';
  throw new Fault('FIELD_INVALID', `EMAIL_TYPE: "${text.slice(0, 40)}" is neither html nor text`);
}
