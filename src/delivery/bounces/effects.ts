// What a permanent refusal causes besides the recipient's row: a dead address is suppressed, its subscriptions are marked
// as bounced, and webhooks are notified. Also ends subscriptions after repeated soft bounces. A bounce concerns the
// address the message was sent to: a contact that has another one by now stays subscribed.
import { addressKey } from '../../audience/address.ts';
import { emitSuppressed, type Suppressed } from '../../audience/suppression/suppression.ts';
import type { Config } from '../../config.ts';
import { sql, type Tx } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { cut, jsonb } from '../../db/jsonb.ts';
import { states } from '../../db/states.ts';
import { emit } from '../../events/emit.ts';
import { formatDate } from '../../method/date.ts';
import type { BounceClass } from '../verdict/rules.ts';

export type Bounce = {
  seq: number;
  contact: number;
  list: number;
  email: string;
  bounce: BounceClass;
  suppress: boolean;
  code: number | null;
  reply: string;
};

export async function applyBounces(
  tx: Tx,
  accountId: number,
  campaignId: number,
  now: Date,
  bounces: readonly Bounce[],
): Promise<void> {
  if (bounces.length === 0) return;
  const dead = bounces
    .filter((bounce) => bounce.suppress)
    .map((bounce) => ({ ...bounce, key: addressKey(bounce.email) ?? bounce.email.toLowerCase() }));
  if (dead.length > 0) {
    const suppressed = await tx.rows<Suppressed>(sql`
      insert into suppression (account_id, kind, value, reason, campaign_id, detail)
      select ${accountId}::int, 'address', d.key, 'bounce', ${campaignId}::int, left(d.reply, 500)
      from jsonb_to_recordset(${jsonb(dead)}::jsonb) as d(contact int, key text, reply text)
      -- A contact that was erased in the meantime has no address to suppress.
      join contact c on c.account_id = ${accountId} and c.id = d.contact
      on conflict (account_id, kind, value) do nothing
      returning kind, value, reason, detail, campaign_id as campaign`);
    await emitSuppressed(tx, accountId, now, suppressed);
    await endSubscriptions(tx, accountId, dead);
  }
  // Webhooks are not notified about contacts that were erased while the message was in flight.
  const existing = await tx.rows<{ id: number }>(sql`
    select id
    from contact
    where account_id = ${accountId}
      and id = any (${bounces.map((bounce) => bounce.contact)}::int[])`);
  const known = new Set(existing.map((contact) => contact.id));
  const reported = bounces.filter((bounce) => known.has(bounce.contact));
  await emit(
    tx,
    accountId,
    reported.map((bounce) => ({
      type: 'email.bounce' as const,
      source: 'subscriber' as const,
      listId: bounce.list,
      data: {
        campaign: formatId(campaignId),
        list: formatId(bounce.list),
        contact: formatId(bounce.contact),
        email: bounce.email,
        class: bounce.bounce,
        code: bounce.code ?? 0,
        reply: cut(bounce.reply, 500),
        ts: formatDate(now),
      },
    })),
  );
}

/** Ends the subscriptions of contacts whose present address is dead. */
export async function endSubscriptions(
  tx: Tx,
  accountId: number,
  dead: readonly { contact: number; key: string }[],
): Promise<void> {
  if (dead.length === 0) return;
  await tx.run(sql`
    update subscription s
    set status = 'bounced', status_at = now(), changed_at = now()
    from jsonb_to_recordset(${jsonb(dead)}::jsonb) as d(contact int, key text)
    join contact c on c.account_id = ${accountId} and c.id = d.contact and c.email_key = d.key
    where s.account_id = ${accountId}
      and s.contact_id = any (${dead.map((bounce) => bounce.contact)}::int[])
      and s.contact_id = d.contact
      and s.status = 'subscribed'`);
}

/** Ends the subscriptions of contacts with `softBounces` soft bounces at their present address within `softBounceDays` days. */
export async function endSoftBouncers(
  tx: Tx,
  config: Pick<Config, 'softBounces' | 'softBounceDays'>,
  accountId: number,
  contacts: readonly number[],
): Promise<void> {
  if (contacts.length === 0) return;
  await tx.run(sql`
    with bounce as (
      select contact_id, email, done_at as at
      from delivery
      where account_id = ${accountId}
        and contact_id = any (${contacts}::int[])
        and state = ${states.failed}
        and reason = 'soft'
      union all
      select contact_id, email, at
      from notice
      where account_id = ${accountId}
        and contact_id = any (${contacts}::int[])
        and kind = 'bounce'
        and class = 'soft'
    ), dead as (
      select b.contact_id
      from bounce b
      join contact c on c.account_id = ${accountId} and c.id = b.contact_id and c.email_key = lower(b.email)
      where b.at > now() - make_interval(days => ${config.softBounceDays}::int)
      group by b.contact_id
      having count(*) >= ${config.softBounces}::int
    )
    update subscription s
    set status = 'bounced', status_at = now(), changed_at = now()
    from dead
    where s.account_id = ${accountId}
      and s.contact_id = dead.contact_id
      and s.status = 'subscribed'`);
}
