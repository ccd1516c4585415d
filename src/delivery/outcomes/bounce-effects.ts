// What a permanent refusal causes besides the recipient's row: a dead address is suppressed, its subscriptions are marked
// as bounced, and webhooks are notified. Also ends subscriptions after repeated soft bounces. A bounce concerns the
// address the message was sent to: a contact that has another one by now stays subscribed, and one that has this address
// now is concerned, also if it was added after the message was sent.
import { type Remembered, rememberSuppressed } from '../../audience/model/suppression.ts';
import type { Config } from '../../config.ts';
import { sql, type Tx } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { cut } from '../../db/jsonb.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { states } from '../../db/states.ts';
import { emit } from '../../events/emit.ts';
import { formatDate } from '../../method/date.ts';
import type { BounceClass } from '../../relays/verdict/rules.ts';
import { erasedHash, isErased, keyOf } from '../leaving/addressee.ts';
import { isUnanswered } from './unanswered.ts';

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

export async function applyBounces(tx: Tx, of: CampaignKey, now: Date, bounces: readonly Bounce[]): Promise<void> {
  if (bounces.length === 0) return;
  await applyDead(
    tx,
    of.account,
    now,
    bounces.filter((bounce) => bounce.suppress),
    of.campaign,
  );
  // Webhooks are not notified about contacts that were erased, also while the message was in flight.
  const erased = await erasedAmong(tx, of.account, bounces);
  const reported = bounces.filter((bounce) => !erased.has(bounce.contact));
  await emit(
    tx,
    of.account,
    reported.map((bounce) => ({
      type: 'email.bounce' as const,
      source: 'subscriber' as const,
      listId: bounce.list,
      data: {
        campaign: formatId(of.campaign),
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

type Dead = Pick<Bounce, 'contact' | 'email' | 'reply'>;

/**
 * Suppresses dead addresses, and ends the subscriptions of the contacts that have them now. An address that was erased is
 * suppressed by its hash, unless a contact has it again.
 */
export async function applyDead(
  tx: Tx,
  accountId: number,
  now: Date,
  dead: readonly Dead[],
  campaignId?: number,
): Promise<void> {
  if (dead.length === 0) return;
  const erased = await erasedAmong(tx, accountId, dead);
  const keys = dead.filter(({ email }) => !isErased(email)).map(({ email }) => keyOf(email));
  const contacts = await tx.rows<{ id: number; key: string }>(sql`
    select id, email_key as key
    from contact
    where account_id = ${accountId}
      and email_key = any (${keys}::text[])`);
  const known = new Set(contacts.map(({ key }) => key));
  const addresses = dead.flatMap(({ contact, email, reply }): Remembered[] => {
    const key = keyOf(email);
    const hash = erased.get(contact);
    if (hash !== undefined && !known.has(key)) return [{ kind: 'hash', value: hash, detail: '' }];
    return isErased(email) ? [] : [{ kind: 'address', value: key, detail: reply }];
  });
  await rememberSuppressed(tx, accountId, now, 'bounce', addresses, campaignId);
  await tx.run(sql`
    update subscription
    set status = 'bounced', status_at = now(), changed_at = now()
    where account_id = ${accountId}
      and contact_id = any (${contacts.map(({ id }) => id)}::int[])
      and status = 'subscribed'`);
}

/** The hashes of those that were erased, by contact. */
async function erasedAmong(
  tx: Tx,
  accountId: number,
  bounces: readonly Pick<Bounce, 'contact'>[],
): Promise<Map<number, string>> {
  const rows = await tx.rows<{ contact: number; hash: string | null }>(sql`
    select gone.contact, ${erasedHash(accountId, sql`gone.contact`)} as hash
    from unnest(${bounces.map(({ contact }) => contact)}::int[]) as gone(contact)
    where not exists (select from contact c where c.account_id = ${accountId} and c.id = gone.contact)`);
  return new Map(rows.flatMap(({ contact, hash }) => (hash === null ? [] : [[contact, hash] as const])));
}

/**
 * Ends the subscriptions of contacts with `softBounces` soft bounces at their present address within `softBounceDays` days. A
 * notice that no server answered counts like one. An outcome of our own does not: our relay may have been unreachable.
 */
export async function endSoftBouncers(
  tx: Tx,
  config: Pick<Config, 'softBounces' | 'softBounceDays'>,
  accountId: number,
  contacts: readonly number[],
): Promise<void> {
  if (contacts.length === 0) return;
  const rows = await tx.rows<{ contact: number; class: BounceClass; reply: string }>(sql`
    with numbers as (
      -- All that an address of these contacts has had: a contact that was added again has another one.
      select c.id as present, c.email_key, n.id
      from contact c
      cross join lateral (
        select c.id
        union
        select f.id from former_contact f where f.account_id = c.account_id and f.email_key = c.email_key
      ) n
      where c.account_id = ${accountId}
        and (
          c.id = any (${contacts}::int[])
          or c.email_key in (
            select email_key from former_contact where account_id = ${accountId} and id = any (${contacts}::int[])
          )
        )
    ), bounce as (
      select contact_id, email, done_at as at, 'soft' as class, '' as reply
      from delivery
      where account_id = ${accountId}
        and contact_id in (select id from numbers)
        and state = ${states.failed}
        and reason = 'soft'
      union all
      select contact_id, email, at, class, reply
      from notice
      where account_id = ${accountId}
        and contact_id in (select id from numbers)
        and kind = 'bounce'
        and class in ('soft', 'temporary')
    )
    select n.present as contact, b.class, coalesce(b.reply, '') as reply
    from bounce b
    join numbers n on n.id = b.contact_id and n.email_key = lower(b.email)
    where b.at > now() - make_interval(days => ${config.softBounceDays}::int)`);
  const counted = Map.groupBy(
    rows.filter((row) => countsAsSoft(row.class, row.reply)),
    (row) => row.contact,
  );
  const dead = [...counted].filter(([, bounces]) => bounces.length >= config.softBounces).map(([contact]) => contact);
  if (dead.length === 0) return;
  await tx.run(sql`
    update subscription
    set status = 'bounced', status_at = now(), changed_at = now()
    where account_id = ${accountId}
      and contact_id = any (${dead}::int[])
      and status = 'subscribed'`);
}

/** Whether a notice counts for `endSoftBouncers`. */
export const countsAsSoft = (found: BounceClass, reply: string): boolean =>
  found === 'soft' || (found === 'temporary' && isUnanswered(reply));
