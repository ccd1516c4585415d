// Stores events in the transaction of the call: with its commit they are durable, and an id counts once, whatever the months and
// however many calls bring it at the same time. Each event has its own result; one that is refused leaves nothing behind. All of a
// batch are stored by a fixed number of statements. The contacts are locked against deletion only: calls about the same contact
// do not wait for each other.
import { createHash } from 'node:crypto';
import type { Context } from '../../base/context.ts';
import { Fault, fault } from '../../base/faults.ts';
import { message } from '../../base/messages.ts';
import { sql, type Tx } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { jsonb } from '../../db/jsonb.ts';
import { type Address, addressProblem, parseAddress } from '../address.ts';
import { hashOf } from '../model/suppression.ts';
import type { ReadEvent } from './event.ts';

export type Stored =
  | { outcome: 'accepted'; contact: number }
  /** Its id has been counted. */
  | { outcome: 'duplicate' }
  | { outcome: 'refused'; fault: Fault };

type Scope = { tx: Tx; account: { id: number } };

/** @returns the result of each event, in their order */
export async function storeEvents(
  scope: Pick<Context, 'account' | 'tx'>,
  events: readonly ReadEvent[],
): Promise<Stored[]> {
  const contacts = await contactsOf(scope, events);
  const results = contacts.map(
    (contact): Stored =>
      contact instanceof Fault ? { outcome: 'refused', fault: contact } : { outcome: 'accepted', contact },
  );
  const found = events.flatMap((event, i) => (typeof contacts[i] === 'number' ? [{ i, event }] : []));
  for (const i of await countedBefore(scope, found)) results[i] = { outcome: 'duplicate' };
  const fresh = found.flatMap(({ i, event }) => {
    const result = results[i]!;
    return result.outcome === 'accepted' ? [{ event, contact: result.contact }] : [];
  });
  await insertEvents(scope, fresh);
  return results;
}

type Named = { address: Address } | { id: number } | { fault: Fault };

/** The contact that each event names, or why there is none. Locks them and creates those that are to be created. */
async function contactsOf(scope: Scope, events: readonly ReadEvent[]): Promise<(number | Fault)[]> {
  const named = events.map(nameOf);
  const keys = [...new Set(named.flatMap((one) => ('address' in one ? [one.address.key] : [])))];
  const ids = [...new Set(named.flatMap((one) => ('id' in one ? [one.id] : [])))];
  const known = await lockContacts(scope, keys, ids);
  const missing = new Map<string, Address>();
  for (const [i, one] of named.entries())
    if ('address' in one && events[i]!.createsContact && !known.byKey.has(one.address.key))
      missing.set(one.address.key, one.address);
  const erased = await createContacts(scope, missing);
  const created = await lockContacts(
    scope,
    [...missing.keys()].filter((key) => !erased.has(key)),
    [],
  );
  return named.map((one, i) => {
    if ('fault' in one) return one.fault;
    const id =
      'id' in one ? known.byId.get(one.id) : (known.byKey.get(one.address.key) ?? created.byKey.get(one.address.key));
    if (id !== undefined) return id;
    const value = events[i]!.who.slice(0, 80);
    if ('address' in one && erased.has(one.address.key))
      return new Fault('ADDRESS_INVALID', message('suppression.erased', { member, email: one.address.email }));
    return fault('ADDRESS_UNKNOWN', 'contact.unknown', { member, value });
  });
}

const member = 'email_address';

function nameOf({ who, createsContact }: ReadEvent): Named {
  const address = parseAddress(who);
  if (address.ok) return { address };
  const id = parseId(who.trim());
  if (id > 0 || !createsContact) return { id };
  const problem = addressProblem(address.reason);
  return { fault: fault('ADDRESS_INVALID', 'address.invalid', { member, value: who.slice(0, 80), problem }) };
}

/** Until the end of the transaction they are not deleted, so that no event is left without its contact. */
async function lockContacts({ tx, account }: Scope, keys: readonly string[], ids: readonly number[]) {
  const rows =
    keys.length + ids.length === 0
      ? []
      : await tx.rows<{ id: number; key: string }>(sql`
          select id, email_key as key
          from contact
          where account_id = ${account.id}
            and (email_key = any (${keys}::text[]) or id = any (${ids}::int[]))
          order by id
          for key share`);
  return { byKey: new Map(rows.map(({ id, key }) => [key, id])), byId: new Map(rows.map(({ id }) => [id, id])) };
}

/** Creates contacts without any subscription. @returns the keys of erased addresses, which become none */
async function createContacts({ tx, account }: Scope, missing: ReadonlyMap<string, Address>): Promise<Set<string>> {
  if (missing.size === 0) return new Set();
  const rows = await tx.rows<{ key: string }>(sql`
    select key
    from unnest(${[...missing.keys()]}::text[]) as given(key)
    where exists (select from suppression x where x.account_id = ${account.id} and x.kind = 'hash')
      and exists (
        select from suppression x where x.account_id = ${account.id} and x.kind = 'hash' and x.value = ${hashOf(account.id, sql`key`)}
      )`);
  const erased = new Set(rows.map(({ key }) => key));
  const fresh = [...missing.values()].filter(({ key }) => !erased.has(key));
  await tx.run(sql`
    insert into contact (account_id, email, email_key, domain)
    select ${account.id}::int, email, key, domain
    from jsonb_to_recordset(${jsonb(fresh)}::jsonb) as c(email text, key text, domain text)
    -- In one order, so that two calls never deadlock.
    order by key
    on conflict (account_id, email_key) do nothing`);
  return erased;
}

/** Claims the ids of events. @returns the places of those whose id has been counted, also earlier in the batch */
async function countedBefore(
  { tx, account }: Scope,
  events: readonly { i: number; event: ReadEvent }[],
): Promise<number[]> {
  const digests = events.flatMap(({ i, event }) => (event.id === undefined ? [] : [{ i, digest: digestOf(event) }]));
  if (digests.length === 0) return [];
  const claimed = await tx.rows<{ digest: string }>(sql`
    insert into event_id (account_id, digest)
    select ${account.id}::int, digest
    from unnest(${digests.map(({ digest }) => digest)}::uuid[]) as given(digest)
    order by digest
    on conflict do nothing
    returning digest`);
  const free = new Set(claimed.map(({ digest }) => digest));
  return digests.flatMap(({ i, digest }) => (free.delete(digest) ? [] : [i]));
}

/** 128 bits, in the form of a uuid. */
function digestOf({ name, id }: ReadEvent): string {
  const hex = createHash('sha256').update(`${name}\n${id}`).digest('hex');
  return hex.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

async function insertEvents(
  { tx, account }: Scope,
  events: readonly { event: ReadEvent; contact: number }[],
): Promise<void> {
  if (events.length === 0) return;
  const numbers = await numbersOf({ tx, account }, [...new Set(events.map(({ event }) => event.name))]);
  const rows = events.map(({ event: { name, at, value, data }, contact }) => ({
    contact,
    name: numbers.get(name)!,
    at,
    value,
    ...(Object.keys(data).length === 0 ? {} : { data }),
  }));
  await tx.run(sql`
    insert into contact_event (account_id, contact_id, name_no, at, value, data)
    select ${account.id}::int, contact, name, at, value, data
    from jsonb_to_recordset(${jsonb(rows)}::jsonb)
      as e(contact int, name int, at timestamptz, value numeric, data jsonb)`);
}

/** The numbers of names; those that are new get one. Looked up first, since a refused insert would use up a number. */
async function numbersOf({ tx, account }: Scope, names: readonly string[]): Promise<Map<string, number>> {
  const find = async () =>
    new Map(
      (
        await tx.rows<{ name: string; no: number }>(sql`
          select name, no from event_name where account_id = ${account.id} and name = any (${names}::text[])`)
      ).map(({ name, no }) => [name, no]),
    );
  const known = await find();
  const missing = names.filter((name) => !known.has(name));
  if (missing.length === 0) return known;
  await tx.run(sql`
    insert into event_name (account_id, name)
    select ${account.id}::int, name
    from unnest(${missing}::text[]) as given(name)
    order by name
    on conflict do nothing`);
  return find();
}
