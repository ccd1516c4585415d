// Takes the requests of incoming webhooks: what a service says becomes an event of a contact, by the code of eventSend. With a list,
// an address that agrees is subscribed first, so that the event finds it in the automations of the list.
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { hashToken } from '../accounts/access/token.ts';
import { onBehalf } from '../accounts/account/system-context.ts';
import { unseal } from '../accounts/installation/seal.ts';
import { readUntidyMailbox } from '../audience/address.ts';
import { readEvent } from '../audience/events/event.ts';
import { subscribe } from '../audience/members/subscribe.ts';
import { findSubscription, lockSharing } from '../audience/members/subscription.ts';
import { updateSubscription } from '../audience/members/update.ts';
import { readMergeVars } from '../audience/model/field.ts';
import { fieldsToWrite } from '../audience/segments/references.ts';
import type { App, Context } from '../base/context.ts';
import { Fault } from '../base/faults.ts';
import { renderMessage } from '../base/messages.ts';
import { type Queries, sql, type Tx } from '../db/connect.ts';
import { reportEvents } from './events.ts';
import { type Mapping, readBody, readMapping, type Said } from './received/mapping.ts';
import { calledBy, deliveryOf, isPing, isSigned, type Service } from './received/services.ts';

/** What became of a request. */
export const receivedResults = [
  'accepted',
  'duplicate',
  'ignored',
  'no_address',
  'unknown_contact',
  'refused',
  'ping',
  'bad_signature',
  'unreadable',
] as const;
export type ReceivedResult = (typeof receivedResults)[number];

/** Of a body, for the screen on which it is mapped. */
const maxShown = 64_000;

export type Receiver = {
  account: number;
  id: number;
  service: Service;
  secret: Buffer | null;
  mapping: unknown;
  list: number | null;
  confirms: boolean;
};

export type Received = { headers: IncomingHttpHeaders; raw: Buffer; body: unknown; ip: string };
export type Outcome = { result: ReceivedResult; detail: string };

/** What the secret of a webhook is sealed as. */
export const sealedAs = (account: number): string => `incoming webhook of ${account}`;

/** The webhook of a URL; undefined when there is none with this token, or the account is disabled. */
export async function receiverOf(db: Queries, token: string): Promise<Receiver | undefined> {
  return db.row<Receiver>(sql`
    select w.account_id as account, w.id, w.service, w.secret, w.mapping, w.list_id as list, w.confirms
    from incoming_webhook w
    join account o on o.id = w.account_id and o.active
    where w.token_hash = ${hashToken(token)}`);
}

/** Takes a request, and records it as the last one. Nothing of one that is refused is left but that record. */
export async function receive(app: App, receiver: Receiver, request: Received): Promise<Outcome> {
  const { isRecorded, ...outcome } = await outcomeOf(app, receiver, request);
  if (!isRecorded) await record(app.db, receiver, request, outcome);
  return outcome;
}

async function record(db: Queries, { account, id, service }: Receiver, request: Received, { result, detail }: Outcome) {
  // The body of a stranger is not shown.
  const isShown = result !== 'bad_signature' && result !== 'ping';
  const shown = isShown ? shownBody(request.raw) : null;
  const called = isShown ? calledBy(service, request).slice(0, 100) : null;
  await db.run(sql`
    update incoming_webhook
    set last_at = now(), last_result = ${result}, last_detail = ${detail.slice(0, 500)},
      last_body = coalesce(${shown}, last_body), last_called = coalesce(${called}, last_called)
    where account_id = ${account}
      and id = ${id}`);
}

const shownBody = (raw: Buffer): string =>
  raw.subarray(0, maxShown).toString('utf8').replaceAll('\0', '').toWellFormed();

async function outcomeOf(app: App, receiver: Receiver, request: Received): Promise<Outcome & { isRecorded?: true }> {
  const { service, secret } = receiver;
  if (isPing(service, request)) return { result: 'ping', detail: '' };
  if (secret !== null) {
    const known = unseal(app, sealedAs(receiver.account), secret);
    if (known === null) throw new Error('the secret of an incoming webhook was sealed with another SEAL_KEY');
    if (!isSigned(service, request, known, new Date())) return { result: 'bad_signature', detail: '' };
  }
  if (request.body === undefined) return { result: 'unreadable', detail: '' };
  const mapping = readMapping(receiver.mapping);
  const called = calledBy(service, request);
  const said = readBody(mapping, request.body, called, deliveryOf(service, request));
  if (said.event === '') return { result: 'ignored', detail: called };
  const address = readUntidyMailbox(said.email);
  if (!address.ok) return { result: 'no_address', detail: mapping.email };
  try {
    const taken = { mapping, said: { ...said, email: address.email }, ip: request.ip };
    return await take(app, receiver, taken, (tx, outcome) => record(tx, receiver, request, outcome));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const result = error.fault === 'ADDRESS_UNKNOWN' ? 'unknown_contact' : 'refused';
    // Which names the address.
    return { result, detail: result === 'unknown_contact' ? '' : renderMessage(error.text, 'en') };
  }
}

type Taken = { mapping: Mapping; said: Said; ip: string };

/**
 * In one transaction: of a repeated request nothing happens twice, and of one that fails nothing at all. The record is part of it:
 * the contact is locked, so that one that is erased at the same time is named nowhere afterwards.
 */
async function take(
  app: App,
  receiver: Receiver,
  taken: Taken,
  note: (tx: Tx, outcome: Outcome) => Promise<void>,
): Promise<Outcome & { isRecorded?: true }> {
  const done = await onBehalf(app, receiver.account, '', async (context) => {
    const missed = await join(context, receiver, taken);
    const { results, triggers, goals } = await reportEvents(context, [eventOf(context, receiver, taken)]);
    const [result] = results;
    if (result!.outcome === 'refused') throw result!.fault;
    const { event, noAmount } = taken.said;
    const uses = `${event}: trigger of ${triggers}, goal of ${goals} automations`;
    const detail = [uses, missed, noAmount && `no amount: ${noAmount}`].filter((part) => part !== '').join('; ');
    const outcome = { result: result!.outcome, detail };
    await note(context.tx, outcome);
    return { ...outcome, isRecorded: true as const };
  });
  return done ?? { result: 'ignored', detail: '' };
}

function eventOf(context: Context, { id }: Receiver, { mapping, said }: Taken) {
  const given = {
    name: said.event,
    email_address: said.email,
    data: said.data,
    value: said.value,
    // Two shops may have an order of the same number.
    id: said.id === '' ? undefined : createHash('sha256').update(`${id}\n${said.id}`).digest('base64url'),
    create_contact: mapping.create_contact,
    time: undefined,
  };
  try {
    return readEvent(context, { ...given, time: said.time || undefined });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    // It is history, which would be kept as of today and let the contact into automations.
    if (error.text.key === 'event.time_past') throw error;
    // A time that cannot be is not worth an order: it happened now.
    return readEvent(context, given);
  }
}

/** @returns why the address is not subscribed or its fields are not set; '' otherwise: an order is an event all the same */
async function join(context: Context, receiver: Receiver, taken: Taken): Promise<string> {
  try {
    if (receiver.list !== null) await joinList(context, receiver.list, receiver.confirms, taken);
    return '';
  } catch (error) {
    // Nothing is written then.
    if (!(error instanceof Fault)) throw error;
    return renderMessage(error.text, 'en');
  }
}

/**
 * Subscribes who agrees and was never on the list, and sets the fields of who is. Someone who has left is asked to confirm, or
 * stays away; nothing unsubscribes.
 */
async function joinList(context: Context, list: number, confirms: boolean, { said, ip }: Taken): Promise<void> {
  const fields = await fieldsToWrite(context, list);
  await lockSharing(context, fields, said.email);
  const before = await findSubscription(context, list, said.email);
  const known = new Set(fields.map(({ tag }) => tag));
  const vars = readMergeVars(fields, Object.fromEntries(Object.entries(said.fields).filter(([tag]) => known.has(tag))));
  if (before?.status === 'subscribed' || before?.status === 'pending') {
    if (Object.keys(vars.values).length > 0) await updateSubscription(context, before, fields, vars, undefined, 'api');
    return;
  }
  if (!said.consents || (before && !confirms)) return;
  await subscribe(context, {
    listId: list,
    fields,
    email: said.email,
    vars,
    doubleOptin: confirms,
    updateExisting: true,
    sendWelcome: false,
    source: 'api',
    ip: '',
    agreed: { webhook: ip },
  });
}
