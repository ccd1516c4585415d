// The log of single messages: newest first, by address, tag, subject, state and time. By address it is one index scan however
// long the log is; other searches without a time look at the last 31 days.
import { addressKey } from '../audience/address.ts';
import type { Context } from '../base/context.ts';
import { type Sql, sql } from '../db/connect.ts';
import { states } from '../db/states.ts';
import { needTime } from '../method/date.ts';
import type { Page } from '../method/paging.ts';
import { isShownTo, type MessageKeys, readMessages } from './info.ts';

export type MessageFilter = Page & {
  email: string;
  tag: string;
  subject: string;
  scheduled: boolean;
  state: keyof typeof states | undefined;
  via: 'api' | 'smtp' | 'system' | undefined;
  since: string;
  until: string;
};

const searchedDays = 31;

/** @throws Fault DATE_INVALID */
export async function searchMessages(context: Context, filter: MessageFilter) {
  const { start, limit } = filter;
  const keys = await context.tx.rows<MessageKeys>(sql`
    select m.campaign_id as campaign, m.no
    ${messagesOf(context, filter)}
      and ${matches(context, filter)}
    order by ${filter.scheduled ? sql`m.send_at` : sql`m.created_at desc`}, m.no
    limit ${limit + 1}
    offset ${start * limit}`);
  const data = await readMessages(context, keys.slice(0, limit));
  return { more: keys.length > limit, data };
}

/** Where the search begins: with the messages to one address, or with all messages of a period. */
function messagesOf({ account }: Context, { email }: MessageFilter): Sql {
  if (email === '')
    return sql`
      from message m
      where m.account_id = ${account.id}`;
  return sql`
    from (
      select distinct campaign_id, no
      from message_recipient
      where account_id = ${account.id}
        and email_key = ${addressKey(email) ?? email.toLowerCase()}
    ) as r
    join message m on m.account_id = ${account.id} and m.campaign_id = r.campaign_id and m.no = r.no
    where true`;
}

function matches(context: Context, { email, tag, subject, scheduled, state, via, since, until }: MessageFilter): Sql {
  const { now, caller } = context;
  const first = since !== '' ? needTime(since, 'since') : new Date(now.getTime() - searchedDays * 86_400_000);
  const isBound =
    since !== '' || (email === '' && !scheduled && (tag !== '' || subject !== '' || (state ?? via) !== undefined));
  return sql`
    ${isBound ? sql`m.created_at >= ${first}::timestamptz` : sql`true`}
    and ${isShownTo(caller)}
    and ${scheduled ? sql`m.send_at > ${now}::timestamptz and ${hasState(context, states.queued)}` : sql`true`}
    and ${via === undefined ? sql`true` : sql`m.via = ${via}`}
    and ${until === '' ? sql`true` : sql`m.created_at < ${needTime(until, 'until')}::timestamptz`}
    and ${tag === '' ? sql`true` : sql`m.tags @> array[${tag}]::text[]`}
    and ${subject === '' ? sql`true` : sql`strpos(lower(m.subject), ${subject.toLowerCase()}) > 0`}
    and ${state === undefined ? sql`true` : hasState(context, states[state])}`;
}

/** SQL: whether a recipient of message m has this state. */
const hasState = ({ account }: Context, state: number): Sql => sql`
  exists (
    select
    from message_recipient s
    join campaign p on p.account_id = s.account_id and p.id = s.campaign_id
    join delivery d on d.account_id = p.account_id and d.campaign_id = p.id and d.month = p.month and d.seq = s.seq
    where s.account_id = ${account.id}
      and s.campaign_id = m.campaign_id
      and s.no = m.no
      and d.state = ${state}
  )`;
