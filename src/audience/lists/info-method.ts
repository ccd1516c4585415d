// One list with all its settings; lists() tells only those that the specification names.
import { z } from 'zod';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { formatDate } from '../../method/date.ts';
import { method } from '../../method/method.ts';
import { id, params } from '../../method/params.ts';
import { membersInState } from '../members/tally.ts';
import { needList } from './list.ts';

export const listInfoMethod = method({
  name: 'listInfo',
  group: 'lists',
  summary: 'Returns a list with all its settings, as listUpdate takes them.',
  params: params({ id: id('The list.') }),
  returns: z.object({
    id: z.string(),
    title: z.string(),
    date_created: z.string(),
    member_count: z.int(),
    default_from_name: z.string(),
    default_from_email: z.string(),
    default_subject: z.string(),
    default_language: z.string(),
    email_type_option: z.boolean(),
    company: z.string(),
    address: z.string(),
    website: z.string(),
    timezone: z.string(),
  }),
  faults: ['LIST_UNKNOWN'],
  scope: 'read',
  reads: true,
  example: { params: { id: '{{list}}' } },
  async run(context, { id: named }) {
    const list = await needList(context, named);
    const row = await context.tx.row<{
      created_at: Date;
      member_count: number;
      default_from_name: string;
      default_from_email: string;
      default_subject: string;
      default_language: string;
      company: string;
      postal_address: string;
      website: string;
      time_zone: string;
    }>(sql`
      select created_at, default_from_name, default_from_email, default_subject, default_language, company,
        postal_address, website, time_zone,
        ${membersInState(sql`list.account_id`, sql`list.id`, 'subscribed')} as member_count
      from list
      where account_id = ${context.account.id}
        and id = ${list.id}`);
    const { created_at, postal_address, time_zone, ...rest } = row!;
    return {
      ...rest,
      id: formatId(list.id),
      title: list.name,
      email_type_option: list.emailTypeOption,
      date_created: formatDate(created_at),
      address: postal_address,
      timezone: time_zone,
    };
  },
});
