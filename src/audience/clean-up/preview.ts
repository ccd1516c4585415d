// What a clean-up rule would do now: how many subscriptions it chooses, and the first of them.
import type { Context } from '../../base/context.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { formatDate } from '../../method/date.ts';
import { matches } from './matches.ts';
import type { Rule } from './rule.ts';

export const previewed = 100;

/** How many a rule would choose now that is not created yet. */
export async function countOf({ tx }: Context, rule: Omit<Rule, 'id'>): Promise<{ count: number; contacts: number }> {
  const row = await tx.row<{ count: number; contacts: number }>(sql`
    select count(*)::int as count, count(distinct s.contact_id)::int as contacts
    ${matches(rule)}`);
  return row!;
}

type Shown = { contact: number; email: string; list: number; title: string; since: Date };

export async function previewOf({ tx }: Context, rule: Rule) {
  const row = await tx.row<{ count: number; contacts: number; first: Shown[] | null }>(sql`
    with chosen as materialized (
      select s.contact_id, s.list_id, c.email, r.since
      ${matches(rule)}
    )
    select count(*)::int as count, count(distinct contact_id)::int as contacts, (
        select jsonb_agg(to_jsonb(f))
        from (
          select h.contact_id as contact, h.email, h.list_id as list, l.name as title, h.since
          from chosen h
          join list l on l.account_id = ${rule.accountId} and l.id = h.list_id
          order by h.contact_id, h.list_id
          limit ${previewed}
        ) f
      ) as first
    from chosen`);
  const { count, contacts, first } = row!;
  return {
    count,
    contacts,
    first: (first ?? []).map((one) => ({
      contact_id: formatId(one.contact),
      email: one.email,
      list_id: formatId(one.list),
      list_title: one.title,
      since: formatDate(new Date(one.since)),
    })),
  };
}
