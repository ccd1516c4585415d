// Which value stays where a contact has different ones on its lists; the preview and the join share it.
import { type Sql, sql } from '../../db/connect.ts';

export type JoinRule = {
  accountId: number;
  tag: string;
  rule: 'newest' | 'list';
  /** The preferred list. */
  listId: number | null;
};

/** SQL: the subscriptions s that take part. @param which a condition on s.contact_id: a range, which the primary key finds */
export const takingPart = ({ accountId, tag }: Pick<JoinRule, 'accountId' | 'tag'>, which: Sql): Sql => sql`
  from subscription s
  where s.account_id = ${accountId}
    and ${which}
    and s.status <> 'pending'
    -- Added to nothing, so that no index by list is taken, which would read the whole list for each portion.
    and s.list_id + 0 in (select list_id from field where account_id = ${accountId} and tag = ${tag})`;

/** SQL: the contacts after one up to another. */
export const between = (after: number, last: number): Sql => sql`
  s.contact_id > ${after} and s.contact_id <= ${last}`;

/**
 * SQL: contact_id, list_id, value, the value that is kept, and differ (whether several lists have one) of the subscriptions of
 * contacts that do not have the same value everywhere. Sorted once: what is known of a portion of contacts is too little for joins.
 */
export const judged = (rule: JoinRule, which: Sql): Sql => sql`
  select contact_id, list_id, value, differ,
    first_value(value) over (
      partition by contact_id
      order by value = '', ${rule.rule === 'list'} and list_id = ${rule.listId ?? -1} desc, at desc, list_id
    ) as kept
  from (
    select contact_id, list_id, value, differ,
      case when differ and value <> '' then greatest(at, (
        select max(k.at)
        from consent k
        where k.account_id = ${rule.accountId}
          and k.contact_id = m.contact_id
          and k.list_id = m.list_id
          and k.kind = 'update'
          and k.detail -> 'fields' ? ${rule.tag}
      )) else at end as at
    from (
      select contact_id, list_id, value, at,
        min(value) over by_contact <> max(value) over by_contact as mixed,
        min(nullif(value, '')) over by_contact <> max(nullif(value, '')) over by_contact as differ
      from (
        select s.contact_id, s.list_id, coalesce(s.fields ->> ${rule.tag}, '') collate "C" as value, s.signup_at as at
        ${takingPart(rule, which)}
      ) v
      window by_contact as (partition by contact_id)
    ) m
    where mixed
  ) d`;
