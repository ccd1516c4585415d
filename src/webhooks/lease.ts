// Leases on webhooks: only the dispatcher that holds a webhook's lease sends to it, so each receiver gets one request at
// a time. A lease that is not renewed expires, and another dispatcher takes over.
import { type Queries, sql } from '../db/connect.ts';

export type LeasedWebhook = { accountId: number; webhookId: number; failures: number };

export type LeaseLimits = {
  maxWebhooks: number;
  /** False when enough failing webhooks are being served: they must not crowd out the others. */
  allowFailing: boolean;
  /** Accounts that have their share of requests in flight. */
  fullAccounts: readonly number[];
  /** Webhooks this process serves already; an expired lease on one of them is not taken a second time. */
  servedWebhooks: readonly number[];
};

/** Leases webhooks that have events and are due, the longest waiting first. */
export async function leaseDueWebhooks(
  tx: Queries,
  lease: string,
  leaseMs: number,
  limits: LeaseLimits,
): Promise<LeasedWebhook[]> {
  return tx.rows<LeasedWebhook>(sql`
    update webhook_delivery d
    set lease = ${lease}, lease_until = clock_timestamp() + ${leaseMs} * interval '1 ms'
    from (
      select d.account_id, d.webhook_id
      from webhook_delivery d
      join webhook w on w.account_id = d.account_id and w.id = d.webhook_id
      where d.next_at <= clock_timestamp()
        and (d.lease_until is null or d.lease_until < clock_timestamp())
        and w.status in ('active', 'unverified')
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

/** Gives a lease back, if it is still ours. */
export async function releaseLease(
  tx: Queries,
  lease: string,
  { accountId, webhookId }: Pick<LeasedWebhook, 'accountId' | 'webhookId'>,
): Promise<void> {
  await tx.run(sql`
    update webhook_delivery
    set lease = null, lease_until = null
    where account_id = ${accountId}
      and webhook_id = ${webhookId}
      and lease = ${lease}`);
}
