// THE statement of a clean-up rule: the subscriptions it chooses. The preview and the nightly run both use it. Reads the tables of
// campaigns, delivery and tracking by name.
import { empty, type Sql, sql } from '../../db/connect.ts';
import { states } from '../../db/states.ts';
import { maxTags } from '../model/contact-tag.ts';
import type { Rule } from './rule.ts';

/** A campaign is given so long to be opened before it counts as one without a reaction. */
const settledAfter = sql`interval '3 days'`;

/**
 * SQL after `select`: `from` and `where` of the subscriptions that a rule chooses. It refers to the aliases s (subscription) and
 * c (contact), and returns `since` in the alias r: since when there was no sign of the contact.
 */
export function matches(rule: Omit<Rule, 'id'>): Sql {
  const ofList = rule.listId === null ? empty : sql`and s.list_id = ${rule.listId}`;
  const long = sql`make_interval(days => ${rule.days})`;
  const members = sql`
    from subscription s
    join contact c on c.account_id = s.account_id and c.id = s.contact_id`;
  if (rule.kind === 'unconfirmed')
    return sql`${members}
      cross join lateral (select s.signup_at as since) r
      where s.account_id = ${rule.accountId}
        ${ofList}
        and s.status = 'pending'
        and s.signup_at <= now() - ${long}`;
  return sql`${members}
    -- When the contact got the n-th last campaign that can show an open; no row while it got fewer.
    cross join lateral (
      select d.done_at as since
      from delivery d
      join campaign p on p.account_id = d.account_id and p.id = d.campaign_id
      where d.account_id = s.account_id
        and d.contact_id = s.contact_id
        ${rule.listId === null ? empty : sql`and d.list_id = s.list_id`}
        and d.state = ${states.accepted}
        and d.done_at <= now() - ${settledAfter}
        and p.type = 'html'
        and p.track_opens
      order by d.done_at desc
      offset ${rule.campaigns - 1}
      limit 1
    ) r
    where s.account_id = ${rule.accountId}
      ${ofList}
      and s.status = 'subscribed'
      and s.email_type = 'html'
      and not c.untracked
      and coalesce(s.confirm_at, s.signup_at) <= now() - ${long}
      ${rule.action === 'tag' ? sql`and not c.tags @> ${[rule.tag]}::text[] and cardinality(c.tags) < ${maxTags}` : empty}
      and not exists (
        select
        from delivery d
        -- "offset 0" makes it one look into the partition of the month.
        cross join lateral (
          select from engagement e
          where e.account_id = d.account_id
            and e.campaign_id = d.campaign_id
            and e.seq = d.seq
            and e.month = d.month
            and (e.last_open_at >= r.since or e.last_click_at >= r.since)
          offset 0
        ) e
        where d.account_id = s.account_id
          and d.contact_id = s.contact_id
      )`;
}
