// Leases on webhooks: only the dispatcher that holds a webhook's lease sends to it, so each receiver gets one request at
// a time. A lease that is not renewed expires, and another dispatcher takes over.
import { isWorking } from '../accounts/account/moves.ts';
import { type Queries, type Sql, sql } from '../db/connect.ts';

export type LeasedWebhook = { accountId: number; webhookId: number; failures: number };

export type LeaseLimits = {
  maxWebhooks: number;
  /** False when enough failing webhooks are being served: they must not crowd out the others. */
  allowFailing: boolean;
  /** Accounts that have their share of requests in flight. */
  fullAccounts: readonly number[];
  /** Webhooks this process serves already; an expired lease on one of them is not taken a second time. */
  servedWebhooks: readonly number[];
  /** Whose idle webhooks are looked at too, because they may have got events. */
  accounts: readonly number[] | 'all';
};

/**
 * Leases webhooks that have events and are due, the longest waiting first. Costs a few index entries for each webhook that
 * is not idle and each of the accounts given.
 */
export async function leaseDueWebhooks(
  db: Queries,
  lease: string,
  leaseMs: number,
  limits: LeaseLimits,
): Promise<LeasedWebhook[]> {
  const idleOnes =
    limits.accounts === 'all' ? sql`idle` : sql`idle and account_id = any (${[...limits.accounts]}::int[])`;
  return db.rows<LeasedWebhook>(sql`
    with candidate as materialized (
      select account_id, webhook_id
      from webhook_delivery
      where not idle
        and next_at <= clock_timestamp()
      union all
      select account_id, webhook_id
      from webhook_delivery
      where ${idleOnes}
    )
    update webhook_delivery d
    set lease = ${lease}, lease_until = clock_timestamp() + ${leaseMs} * interval '1 ms', idle = false
    from (
      select d.account_id, d.webhook_id
      from candidate
      join webhook_delivery d using (account_id, webhook_id)
      join webhook w on w.account_id = d.account_id and w.id = d.webhook_id
      where d.next_at <= clock_timestamp()
        and (d.lease_until is null or d.lease_until < clock_timestamp())
        and w.status in ('active', 'unverified')
        and ${isWorking(sql`d.account_id`)}
        and (d.failures = 0 or ${limits.allowFailing})
        and d.account_id <> all (${[...limits.fullAccounts]}::int[])
        and d.webhook_id <> all (${[...limits.servedWebhooks]}::int[])
        and exists (
          select from webhook_event e
          where e.account_id = d.account_id
            and e.webhook_id = d.webhook_id
            and e.due_at <= clock_timestamp()
        )
      order by d.next_at
      limit ${limits.maxWebhooks}
      for update of d skip locked
    ) as due
    where d.account_id = due.account_id
      and d.webhook_id = due.webhook_id
    returning d.account_id as "accountId", d.webhook_id as "webhookId", d.failures`);
}

/** SQL, for a statement about webhook_delivery: whether no event can be sent before something changes. */
export const nothingWaits: Sql = sql`
  not exists (
    select from webhook_event e
    join webhook w on w.account_id = e.account_id and w.id = e.webhook_id
    where e.account_id = webhook_delivery.account_id
      and e.webhook_id = webhook_delivery.webhook_id
      and w.status in ('active', 'unverified')
  )`;

/** Gives a lease back, if it is still ours. */
export async function releaseLease(
  db: Queries,
  lease: string,
  { accountId, webhookId }: Pick<LeasedWebhook, 'accountId' | 'webhookId'>,
): Promise<void> {
  await db.run(sql`
    update webhook_delivery
    set lease = null, lease_until = null, idle = ${nothingWaits}
    where account_id = ${accountId}
      and webhook_id = ${webhookId}
      and lease = ${lease}`);
}
