// The methods about lists themselves.
import { z } from 'zod';
import type { Context } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import { isZone } from '../../base/zones.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { idempotencyKey } from '../../method/idempotency.ts';
import { method } from '../../method/method.ts';
import { filledText, id, params, struct, text, truth, whole } from '../../method/params.ts';
import { parseAddress } from '../address.ts';
import { monthsOfMembers } from '../members/tally.ts';
import { segmentsAbout } from '../segments/references.ts';
import { assignment, createList, type ListOption, listOptions, listRecords, needList } from './list.ts';

const listRecord = z.object({
  id: z.string(),
  web_id: z.int(),
  name: z.string(),
  date_created: z.string(),
  member_count: z.int(),
  unsubscribe_count: z.int(),
  email_type_option: z.boolean(),
  default_from_name: z.string(),
  default_from_email: z.string(),
  default_subject: z.string(),
  default_language: z.string(),
});

export const paging = (limit: number, most: number) => ({
  start: whole('Page number from which the selection starts.', 0, 1_000_000, { fault: 'START_OUT_OF_RANGE' }).default(
    0,
  ),
  limit: whole(`Results per page, at most ${most}.`, 1, most, { fault: 'LIMIT_OUT_OF_RANGE' }).default(limit),
});

/** A time in GMT as YYYY-MM-DD, with HH:MM:SS or without. @throws Fault DATE_INVALID */
export function needTime(value: string, member: string): Date {
  const match = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}:\d{2}))?$/.exec(value.trim());
  const at = new Date(`${match?.[1]}T${match?.[2] ?? '00:00:00'}Z`);
  // Date rolls 30 February over into March; we do not.
  if (!match || Number.isNaN(at.getTime()) || !at.toISOString().startsWith(match[1]!))
    throw new Fault('DATE_INVALID', `${member}: "${value.slice(0, 40)}" is not a time such as 2027-03-01 12:00:00`);
  return at;
}

const optionTypes = {
  default_from_name: text('Sender name that campaigns to this list begin with.', 200),
  default_from_email: text('Reply address that campaigns to this list begin with.', 320),
  default_subject: text('Subject that campaigns to this list begin with.', 1_000),
  default_language: text('Language of the texts of this list, as a code such as en or de.', 20),
  email_type_option: truth('Whether contacts may choose between HTML and plain text.'),
  company: text('Organisation named in the footer (LIST:COMPANY).', 300),
  address: text('Postal address named in the footer (LIST:ADDRESS).', 1_000),
  website: text('Web address of the list (LIST:URL).', 1_000),
  timezone: text('Time zone of contacts whose own is not known, such as Europe/Berlin.', 60),
};

export const listMethods = [
  method({
    name: 'lists',
    group: 'lists',
    summary: 'Returns the lists of the account with their numbers of members.',
    params: params(paging(1_000, 1_000)),
    returns: z.array(listRecord),
    faults: ['LIMIT_OUT_OF_RANGE', 'START_OUT_OF_RANGE'],
    scope: 'read',
    reads: true,
    example: { params: { limit: 10 } },
    run: (context, page) => listRecords(context, sql`true`, page),
  }),
  method({
    name: 'listCreate',
    group: 'lists',
    summary: 'Creates a list with the fields EMAIL, FNAME and LNAME; returns its id.',
    params: params({
      title: filledText('Name of the list.', 200),
      options: struct('Settings of the list.', optional(optionTypes), { fault: 'LIST_OPTION_INVALID' }).default({}),
      idempotency_key: idempotencyKey,
    }),
    returns: z.string(),
    faults: ['LIST_OPTION_INVALID'],
    scope: 'write',
    example: { params: { title: 'Newsletter', options: { default_from_name: 'The editors' } } },
    async run(context, { title, options }) {
      const listId = await createList(context, title.trim());
      for (const [name, value] of Object.entries(options))
        if (value !== undefined) await set(context, listId, name as ListOption, value);
      return formatId(listId);
    },
  }),
  method({
    name: 'listUpdate',
    group: 'lists',
    summary: 'Changes one setting of a list: title, or any option of listCreate.',
    params: params({
      id: id('The list.'),
      name: text(`Which setting: ${Object.keys(listOptions).join(', ')}.`, 100),
      value: text('The new value.', 1_000),
    }),
    returns: z.boolean(),
    faults: ['LIST_UNKNOWN', 'LIST_OPTION_INVALID'],
    scope: 'write',
    example: { params: { id: '{{list}}', name: 'title', value: 'Monthly letter' } },
    async run(context, { id: named, name, value }) {
      const list = await needList(context, named);
      const option = name.toLowerCase();
      if (!Object.hasOwn(listOptions, option))
        throw new Fault(
          'LIST_OPTION_INVALID',
          `name: there is no option "${name.slice(0, 40)}"; there are ${Object.keys(listOptions).join(', ')}`,
        );
      await set(context, list.id, option as ListOption, option === 'email_type_option' ? truthOf(value) : value);
      return true;
    },
  }),
  method({
    name: 'listDelete',
    group: 'lists',
    summary: 'Deletes a list with its subscriptions, fields and segments. This cannot be undone.',
    description:
      'Contacts that are on no other list are deleted too. Campaigns to the list stay, with their reports; a draft to this list only has nobody to go to any more. While a campaign is being sent to the list, or scheduled for it, the list stays. A campaign not yet sent that leaves out the list or a segment of it must be changed first, and so must a segment of another list that asks who is on this one.',
    params: params({ id: id('The list.') }),
    returns: z.boolean(),
    faults: ['LIST_UNKNOWN', 'CAMPAIGN_STATE_CONFLICT'],
    scope: 'write',
    example: { params: { id: '{{list}}' } },
    async run(context, { id: named }) {
      const { tx, account } = context;
      // Waits for calls that are about to use the list, and makes later ones wait: they find it gone.
      await tx.run(sql`select from list where account_id = ${account.id} and id = ${parseId(named)} for update`);
      const list = await needList(context, named);
      const user = await tx.row<{ id: number; runs: boolean }>(sql`
        select c.id, c.status in ('launching', 'sending') as runs
        from campaign_list l
        join campaign c on c.account_id = l.account_id and c.id = l.campaign_id
        where l.account_id = ${account.id}
          and l.list_id = ${list.id}
          and (
            c.status in ('launching', 'sending', 'scheduled')
            or (c.status = 'paused' and c.paused_from = 'scheduled')
          )
        order by runs desc, c.id
        limit 1`);
      if (user)
        throw new Fault(
          'CAMPAIGN_STATE_CONFLICT',
          user.runs
            ? `id: campaign ${formatId(user.id)} is being sent to this list; pause or delete it first`
            : `id: campaign ${formatId(user.id)} is scheduled for this list; unschedule or change it first`,
        );
      await needNotLeftOut(context, list.id);
      await needNotAsked(context, list.id);
      await tx.run(sql`
        with gone as (
          delete from subscription
          where account_id = ${account.id}
            and list_id = ${list.id}
          returning contact_id
        )
        delete from contact c
        using gone
        where c.account_id = ${account.id}
          and c.id = gone.contact_id
          and not exists (
            select from subscription s
            where s.account_id = c.account_id and s.contact_id = c.id and s.list_id <> ${list.id}
          )`);
      await tx.run(sql`
        delete from campaign_segment cs
        using segment g
        where cs.account_id = ${account.id}
          and g.account_id = cs.account_id
          and g.id = cs.segment_id
          and g.list_id = ${list.id}`);
      await tx.run(sql`
        delete from campaign_exclusion x
        where x.account_id = ${account.id}
          and (
            (x.kind = 'list' and x.target_id = ${list.id})
            or (
              x.kind = 'segment'
              and x.target_id in (select id from segment where account_id = ${account.id} and list_id = ${list.id})
            )
          )`);
      await tx.run(sql`delete from campaign_list where account_id = ${account.id} and list_id = ${list.id}`);
      await tx.run(sql`delete from list where account_id = ${account.id} and id = ${list.id}`);
      // Of people who have been erased.
      await tx.run(sql`delete from member_tally where account_id = ${account.id} and list_id = ${list.id}`);
      return true;
    },
  }),
  method({
    name: 'listsForEmail',
    group: 'lists',
    summary: 'Returns the ids of the lists an address is on, whatever its status there.',
    params: params({ email_address: text('The address.', 320) }),
    returns: z.array(z.string()),
    faults: ['ADDRESS_INVALID', 'ADDRESS_UNKNOWN'],
    scope: 'read',
    reads: true,
    example: { params: { email_address: '{{email}}' } },
    async run({ tx, account }, { email_address }) {
      const address = parseAddress(email_address);
      if (!address.ok)
        throw new Fault('ADDRESS_INVALID', `email_address: "${email_address.slice(0, 80)}" is not an e-mail address`);
      const rows = await tx.rows<{ list_id: number }>(sql`
        select s.list_id
        from contact c
        join subscription s on s.account_id = c.account_id and s.contact_id = c.id
        where c.account_id = ${account.id}
          and c.email_key = ${address.key}
        order by s.signup_at, s.list_id`);
      if (rows.length === 0)
        throw new Fault('ADDRESS_UNKNOWN', `email_address: ${email_address.slice(0, 80)} is on no list`);
      return rows.map((row) => formatId(row.list_id));
    },
  }),
  method({
    name: 'listGrowthHistory',
    group: 'lists',
    summary: 'Returns, month by month, how many members a list had before and how many joined and left.',
    params: params({ id: id('The list.') }),
    returns: z.array(z.object({ month: z.string(), existing: z.int(), optins: z.int(), unsubscribes: z.int() })),
    faults: ['LIST_UNKNOWN'],
    scope: 'read',
    reads: true,
    example: { params: { id: '{{list}}' } },
    async run(context, { id: named }) {
      const list = await needList(context, named);
      const months = await monthsOfMembers(context.tx, context.account.id, list.id);
      let existing = 0;
      return months.flatMap(({ month, joined, left }) => {
        // Months in which somebody only bounced or fell silent are none of joining or leaving.
        if (joined === 0 && left === 0) return [];
        const one = { month, existing, optins: joined, unsubscribes: left };
        existing += joined - left;
        return one;
      });
    },
  }),
];

/** That no campaign leaves out the list or a segment of it: without them it would go to those left out. @throws Fault CAMPAIGN_STATE_CONFLICT */
async function needNotLeftOut({ tx, account }: Context, listId: number): Promise<void> {
  const users = await tx.rows<{ id: number; title: string }>(sql`
    select distinct c.id, c.title
    from campaign_exclusion x
    join campaign c on c.account_id = x.account_id and c.id = x.campaign_id
    where x.account_id = ${account.id}
      and (c.status <> 'sent' or c.type = 'auto')
      and (
        (x.kind = 'list' and x.target_id = ${listId})
        or (
          x.kind = 'segment'
          and x.target_id in (select id from segment where account_id = ${account.id} and list_id = ${listId})
        )
      )
    order by c.id`);
  if (users.length > 0)
    throw new Fault(
      'CAMPAIGN_STATE_CONFLICT',
      `id: campaign ${users.map((one) => `${formatId(one.id)} "${one.title}"`).join(', ')} leaves out this list or a segment of it; change or delete it first`,
    );
}

/** That no segment of another list asks who is on the list: it would quietly hold nobody, or everybody. @throws Fault CAMPAIGN_STATE_CONFLICT */
async function needNotAsked(context: Context, listId: number): Promise<void> {
  const asking = await segmentsAbout(context, listId);
  if (asking.length > 0)
    throw new Fault(
      'CAMPAIGN_STATE_CONFLICT',
      `id: segment ${asking.map((one) => `${formatId(one.id)} "${one.title}"`).join(', ')} of another list asks who is on this list; change or delete it first`,
    );
}

function optional<T extends Record<string, z.ZodType>>(shape: T) {
  return Object.fromEntries(
    Object.entries(shape).map(([name, type]) => [name, type.optional().meta(type.meta() ?? {})]),
  ) as {
    [K in keyof T]: z.ZodOptional<T[K]>;
  };
}

async function set(context: Context, listId: number, option: ListOption, value: string | boolean): Promise<void> {
  const [, most] = listOptions[option];
  const wrong = (reason: string) => new Fault('LIST_OPTION_INVALID', `${option} ${reason}`);
  if (typeof value === 'string') {
    if (value.length > most) throw wrong(`is longer than ${most} characters`);
    if ((option === 'title' || option === 'name') && value.trim() === '') throw wrong('is empty');
    if (option === 'default_from_email' && value !== '' && !parseAddress(value).ok)
      throw wrong(`"${value.slice(0, 80)}" is not an e-mail address`);
    if (option === 'timezone' && value !== '' && !isZone(value))
      throw wrong(`"${value.slice(0, 60)}" is not a time zone such as Europe/Berlin`);
  }
  await context.tx.run(sql`
    update list
    set ${assignment(option, value)}
    where account_id = ${context.account.id}
      and id = ${listId}`);
}

function truthOf(value: string): boolean {
  if (['1', 'true', 'yes'].includes(value.toLowerCase())) return true;
  if (['', '0', 'false', 'no'].includes(value.toLowerCase())) return false;
  throw new Fault('LIST_OPTION_INVALID', 'email_type_option is not a boolean');
}
