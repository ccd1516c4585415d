// The suppression list of an account: addresses, whole domains and hashes of erased addresses that get no mail, whatever
// list they are on. Launch, the last check before sending and explanations share one condition, so they never differ.
import type { Context } from '../../base/context.ts';
import { Fault, fault } from '../../base/faults.ts';
import { message } from '../../base/messages.ts';
import { type Sql, sql, type Tx } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { jsonb } from '../../db/jsonb.ts';
import { emit } from '../../events/emit.ts';
import type { EventData, EventSource } from '../../events/types.ts';
import { formatDate } from '../../method/date.ts';
import { addressProblem, parseAddress } from '../address.ts';

export const suppressionReasons = ['manual', 'api', 'bounce', 'complaint', 'unsubscribe', 'erased'] as const;
export type SuppressionReason = (typeof suppressionReasons)[number];
/** hash: of an erased address. */
export const suppressionKinds = ['address', 'domain', 'hash'] as const;
export type Suppressible = { kind: 'address' | 'domain'; value: string };

/**
 * SQL that is true for a suppressed address.
 * @param key the normalised address
 * @param domain its domain, as SQL
 * @param except a reason that does not count
 */
export function suppressed(accountId: number, key: Sql, domain: Sql, except?: SuppressionReason): Sql {
  return sql`(
    exists (
      select from suppression x
      where x.account_id = ${accountId}::int and x.kind = 'address' and x.value = ${key}
        ${except === undefined ? sql`` : sql`and x.reason <> ${except}`}
    )
    or exists (select from suppression x where x.account_id = ${accountId}::int and x.kind = 'domain' and x.value = ${domain})
    or (
      -- Evaluated once per statement: most accounts have erased no one and need no hashing.
      (select exists (select from suppression x where x.account_id = ${accountId}::int and x.kind = 'hash'))
      and exists (
        select from suppression x
        where x.account_id = ${accountId}::int and x.kind = 'hash' and x.value = ${hashOf(accountId, key)}
          ${except === undefined ? sql`` : sql`and x.reason <> ${except}`}
      )
    )
  )`;
}

/** The entry that suppresses an address, its own before that of its domain; undefined when none does. */
export async function suppressionFor(
  { tx, account }: Context,
  { key, domain }: { key: string; domain: string },
): Promise<{ kind: 'address' | 'domain' | 'hash'; reason: SuppressionReason } | undefined> {
  return tx.row(sql`
    select kind, reason
    from suppression
    where account_id = ${account.id}
      and (
        (kind = 'address' and value = ${key})
        or (kind = 'domain' and value = ${domain})
        or (kind = 'hash' and value = ${hashOf(account.id, sql`${key}::text`)})
      )
    order by kind
    limit 1`);
}

/** A suppressed address cannot be subscribed. @throws Fault ADDRESS_INVALID naming what suppresses it */
export async function needUnsuppressed(
  context: Context,
  address: { email: string; key: string; domain: string },
  member = 'email_address',
): Promise<void> {
  const suppression = await suppressionFor(context, address);
  if (!suppression) return;
  const { email } = address;
  const reason = message(`suppression.reason.${suppression.reason}`);
  const problem = {
    address: message('suppression.address', { member, email, reason }),
    domain: message('suppression.domain', { member, email, reason }),
    hash: message('suppression.erased', { member, email }),
  }[suppression.kind];
  throw new Fault('ADDRESS_INVALID', problem);
}

/** The hash under which an erased address is kept. */
export function hashOf(accountId: number, key: Sql): Sql {
  return sql`encode(sha256(convert_to((select erasure_salt from account where id = ${accountId}::int) || ${key}, 'UTF8')), 'hex')`;
}

/** Reads an address, or a domain as example.com or @example.com. @throws Fault ADDRESS_INVALID */
export function needSuppressible(text: string, member: string): Suppressible {
  const address = parseAddress(text);
  if (address.ok) return { kind: 'address', value: address.key };
  // Anything that can follow the @ of an address.
  const domain = parseAddress(`x@${text.trim().replace(/^@/, '')}`);
  if (domain.ok) return { kind: 'domain', value: domain.domain };
  const problem = text.includes('@') ? address : domain;
  throw fault('ADDRESS_INVALID', 'address.invalid', {
    member,
    value: text.slice(0, 80),
    problem: addressProblem(problem.reason),
  });
}

/** Suppresses an address or domain; false when it was suppressed already. */
export async function suppress(
  { tx, account, caller, now }: Context,
  { kind, value }: Suppressible,
  reason: Suppressed['reason'],
  detail = '',
): Promise<boolean> {
  const written = await tx.run(sql`
    insert into suppression (account_id, kind, value, reason, detail)
    values (${account.id}, ${kind}, ${value}, ${reason}, ${detail})
    on conflict (account_id, kind, value) do nothing`);
  if (written === 0) return false;
  await emitSuppressed(tx, account.id, now, [{ kind, value, reason, detail }], caller.kind === 'key' ? 'api' : 'admin');
  return true;
}

export type Suppressed = Pick<EventData<'address.suppressed'>, 'kind' | 'value' | 'reason' | 'detail'> & {
  campaign?: number | null;
};

/** Emits that addresses are suppressed from now on, in the transaction that suppresses them. */
export async function emitSuppressed(
  tx: Tx,
  accountId: number,
  now: Date,
  rows: readonly Suppressed[],
  source: EventSource = 'subscriber',
): Promise<void> {
  const events = rows.map(({ campaign, ...row }) => ({
    type: 'address.suppressed' as const,
    source,
    data: { ...row, campaign: campaign ? formatId(campaign) : '', ts: formatDate(now) },
  }));
  await emit(tx, accountId, events);
}

export type Remembered = { kind: 'address' | 'domain' | 'hash'; value: string; detail: string };

/**
 * Suppresses addresses because of what came back for a message. What is suppressed already stays so, but a dead address or a
 * complaint replaces an unsubscribe: the address gets no single messages either, and confirming a subscription does not
 * lift it.
 */
export async function rememberSuppressed(
  tx: Tx,
  accountId: number,
  now: Date,
  reason: 'bounce' | 'complaint' | 'unsubscribe',
  addresses: readonly Remembered[],
  campaignId?: number,
): Promise<void> {
  if (addresses.length === 0) return;
  const written = await tx.rows<Omit<Suppressed, 'kind'> & { kind: 'address' | 'domain' | 'hash' }>(sql`
    insert into suppression (account_id, kind, value, reason, campaign_id, detail)
    select distinct on (a.kind, a.value) ${accountId}::int, a.kind, a.value, ${reason}::text, ${campaignId ?? null}::int,
      left(a.detail, 500)
    from jsonb_to_recordset(${jsonb(addresses)}::jsonb) as a(kind text, value text, detail text)
    -- Always in the same order, so that two workers never deadlock.
    order by a.kind, a.value
    on conflict (account_id, kind, value) do update
    set reason = excluded.reason, campaign_id = excluded.campaign_id, detail = excluded.detail
    where suppression.reason = 'unsubscribe'
      and excluded.reason <> 'unsubscribe'
    returning kind, value, reason, detail, campaign_id as campaign`);
  // An event names no hash: it would mean nothing to anyone.
  const named = written.flatMap(({ kind, ...row }) => (kind === 'hash' ? [] : [{ kind, ...row }]));
  await emitSuppressed(tx, accountId, now, named);
}

/** Lifts what only an unsubscribe suppresses: the owner of the address asks for emails again. */
export async function liftUnsubscribe({ tx, account }: Context, key: string): Promise<void> {
  await tx.run(sql`
    delete from suppression
    where account_id = ${account.id}
      and reason = 'unsubscribe'
      and (
        (kind = 'address' and value = ${key})
        or (kind = 'hash' and value = ${hashOf(account.id, sql`${key}::text`)})
      )`);
}

/** Removes an address or domain, also an erased address; false when it was not suppressed. */
export async function unsuppress({ tx, account }: Context, { kind, value }: Suppressible): Promise<boolean> {
  const removed = await tx.run(sql`
    delete from suppression
    where account_id = ${account.id}
      and (
        (kind = ${kind} and value = ${value})
        or (${kind} = 'address' and kind = 'hash' and value = ${hashOf(account.id, sql`${value}::text`)})
      )`);
  return removed > 0;
}
