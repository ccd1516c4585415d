// The accounts of the installation as its operator sees them, with what they send and what needs attention.
import { operatorAccount } from '../accounts/account/account.ts';
import { sentThisMonth } from '../accounts/account/monthly-quota.ts';
import type { Context } from '../base/context.ts';
import { bounceRate, type Counts, complaintRate } from '../base/reputation-rules.ts';
import { sql } from '../db/connect.ts';
import { formatId, parseId } from '../db/ids.ts';
import { ratedDays } from '../delivery/daily/rates.ts';
import { formatDate } from '../method/date.ts';

export const accountStates = ['active', 'suspended', 'may_not_send', 'quota_used', 'deleted'] as const;
export type AccountState = (typeof accountStates)[number];

export type Selection = { query: string; account: string; state: AccountState | ''; start: number; limit: number };

/** A page of the accounts by name. Test accounts are not among them. */
export async function listAllAccounts({ tx }: Context, given: Selection) {
  const rows = await tx.rows<Row>(sql`
    with found as (
      select a.*, ${sentThisMonth(sql`a`)} as sent,
        exists (
          select from membership m where m.account_id = a.id and m.role = 'owner'
        ) as "hasOwner"
      from account a
      where a.test_of is null
        and (${given.query === ''} or strpos(lower(a.name || ' ' || a.email || ' ' || a.company), lower(${given.query})) > 0)
        and (${given.account === ''} or a.id = ${parseId(given.account)})
    ), named as (
      select f.*, ${stateOf} as state
      from found f
    ), page as (
      select *, count(*) over ()::int as total
      from named
      where ${given.state === ''} or state = ${given.state}
      order by lower(name), id
      limit ${given.limit}
      offset ${given.start * given.limit}
    )
    select p.id, p.name, p.email, p.company, p.plan, p.addons, p.active, p.may_send as "maySend", p.state, p.sent, p.total, p."hasOwner",
      coalesce(p.monthly_quota, 0) as quota, coalesce(p.max_rate, 0) as rate, p.created_at as "createdAt",
      nullif(p.delete_at, '-infinity') as "deleteAt", p.id = (${operatorAccount}) as own,
      array(select r.id from relay r where p.id = any (r.accounts) order by r.position) as relays,
      array(
        select domain from sender_domain d where d.account_id = p.id and not d.active order by domain limit 20
      ) as "inactiveDomains",
      r.accepted, r.refused, r.returned, r.complaints, l.id as "lastId", l.title as "lastTitle", l.at as "lastAt"
    from page p
    cross join lateral (
      select coalesce(sum(accepted), 0)::int as accepted, coalesce(sum(refused), 0)::int as refused,
        coalesce(sum(returned), 0)::int as returned, coalesce(sum(complaints), 0)::int as complaints
      from sending_day s
      where s.account_id = p.id
        and s.${ratedDays}
        and s.kind <> 'test'
    ) as r
    left join lateral (
      select c.id, coalesce(nullif(c.title, ''), c.subject) as title, c.send_at as at
      from campaign c
      where c.account_id = p.id
        and c.type not in ('auto', 'message')
        and c.status in ('sending', 'paused', 'sent')
        and c.send_at <= now()
      order by c.send_at desc
      limit 1
    ) as l on true
    order by lower(p.name), p.id`);
  return { total: rows[0]?.total ?? 0, data: rows.map(shown) };
}

/** SQL: the first that holds of the account `f`. */
const stateOf = sql`
  case
    when f.delete_at is not null then 'deleted'
    when not f.active then 'suspended'
    when not f.may_send then 'may_not_send'
    when f.monthly_quota <= f.sent then 'quota_used'
    else 'active'
  end`;

type Row = Counts & {
  id: number;
  name: string;
  email: string;
  company: string;
  plan: 'free' | 'pro';
  addons: string[];
  active: boolean;
  maySend: boolean;
  state: AccountState;
  sent: number;
  total: number;
  hasOwner: boolean;
  quota: number;
  rate: number;
  createdAt: Date;
  deleteAt: Date | null;
  own: boolean;
  relays: number[];
  inactiveDomains: string[];
  lastId: number | null;
  lastTitle: string | null;
  lastAt: Date | null;
};

const rounded = (rate: number) => Math.round(rate * 1e6) / 1e6;

const shown = (row: Row) => ({
  id: formatId(row.id),
  name: row.name,
  email: row.email,
  company: row.company,
  operator: row.own,
  state: row.state,
  plan: row.plan,
  addons: row.addons,
  may_send: row.maySend,
  monthly_quota: row.quota,
  emails_this_month: row.sent,
  rate: row.rate,
  relays: row.relays.map(formatId),
  bounce_rate: rounded(bounceRate(row)),
  complaint_rate: rounded(complaintRate(row)),
  last_campaign: {
    id: row.lastId === null ? '' : formatId(row.lastId),
    title: row.lastTitle ?? '',
    at: formatDate(row.lastAt),
  },
  inactive_domains: row.inactiveDomains,
  has_owner: row.hasOwner,
  created_at: formatDate(row.createdAt),
  delete_at: formatDate(row.deleteAt),
});
