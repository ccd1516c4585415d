// What is erased of a contact: events that wait and attempts that named it. Both keep their place and lose their data.
import { type ErasurePart, names, type Search, searchInPortions } from '../base/erasure.ts';
import { sql } from '../db/connect.ts';
import { formatId } from '../db/ids.ts';

export const webhookErasure: ErasurePart = {
  async copies(search) {
    const webhooks = await search.db.rows<{ id: number }>(sql`
      select id from webhook where account_id = ${search.account}`);
    // Events before attempts: an attempt is recorded with the events it carries.
    for (const { id } of webhooks) await eraseEvents(search, id);
    for (const { id } of webhooks) await eraseAttempts(search, id);
  },

  /** Requests on their way. */
  openWork: ({ account }) => sql`
    select 'webhook ' || webhook_id || ' ' || lease || ' ' || coalesce(attempt_at::text, '') as name
    from webhook_delivery
    where account_id = ${account}
      and lease is not null
      and lease_until > now()`,
};

function eraseEvents(search: Search, webhookId: number): Promise<void> {
  const { account, addresses, numbers } = search;
  return searchInPortions(
    search,
    sql`webhook_event`,
    sql`account_id = ${account} and webhook_id = ${webhookId}`,
    (within) => sql`
    update webhook_event
    set payload = (
      select jsonb_object_agg(key, case when key in ('id', 'contact', 'list', 'campaign', 'ts', 'source', 'bounce', 'code') then value
        when jsonb_typeof(value) = 'object' then '{}'::jsonb else '""'::jsonb end)
      from jsonb_each(payload)
    )
    where ${within}
      and (
        payload ->> 'contact' = any (${numbers.map(formatId)}::text[])
        or lower(payload ->> 'email') = any (${addresses}::text[])
      )`,
  );
}

function eraseAttempts(search: Search, webhookId: number): Promise<void> {
  const { account, numbers } = search;
  return searchInPortions(
    search,
    sql`webhook_attempt`,
    sql`account_id = ${account} and webhook_id = ${webhookId}`,
    (within) => sql`
    update webhook_attempt
    set body = '{}', answer = ''
    where ${within}
      and (body ~ any (${numbers.map(formatId)}::text[]) or ${names(search, sql`lower(body || answer)`)})`,
  );
}
