// The incoming webhooks of an account: their URLs, secrets and mappings. A URL is shown once; only a hash of its token is stored.
import { hashToken, newToken } from '../accounts/access/token.ts';
import { seal } from '../accounts/installation/seal.ts';
import { needList } from '../audience/model/list.ts';
import type { App, Context } from '../base/context.ts';
import { fault } from '../base/faults.ts';
import { sql } from '../db/connect.ts';
import { formatId, parseId } from '../db/ids.ts';
import { jsonb } from '../db/jsonb.ts';
import { formatDate } from '../method/date.ts';
import { type Mapping, readMapping } from './received/mapping.ts';
import { presets } from './received/presets.ts';
import type { Service } from './received/services.ts';
import { type ReceivedResult, sealedAs } from './received-requests.ts';

export const maxWebhooks = 50;

const urlOf = ({ baseUrl }: App, token: string) => `${baseUrl}/in/webhook/${token}`;

type Row = {
  id: number;
  title: string;
  service: Service;
  hint: string;
  signed: boolean;
  mapping: unknown;
  list: number | null;
  confirms: boolean;
  createdAt: Date;
  lastAt: Date | null;
  last_result: ReceivedResult | '';
  last_detail: string;
  last_body: string;
  last_called: string;
};

export async function listReceivers({ app, tx, account }: Context) {
  const rows = await tx.rows<Row>(sql`
    select id, title, service, hint, secret is not null as signed, mapping, list_id as list, confirms, created_at as "createdAt",
      last_at as "lastAt", last_result, last_detail, coalesce(last_body, '') as last_body, last_called
    from incoming_webhook
    where account_id = ${account.id}
    order by created_at, id`);
  return rows.map(({ hint, list, createdAt, lastAt, ...row }) => ({
    ...row,
    id: formatId(row.id),
    url: urlOf(app, `…${hint}`),
    mapping: readMapping(row.mapping),
    list: list === null ? '' : formatId(list),
    created_at: formatDate(createdAt),
    last_at: formatDate(lastAt),
  }));
}

type Given = {
  title: string;
  service: Service;
  secret: string;
  list: string;
  confirms: boolean;
  mapping?: Mapping | undefined;
};

/** @throws Fault LIST_UNKNOWN, TOO_LARGE */
export async function createReceiver(context: Context, given: Given): Promise<{ id: string; url: string }> {
  const { app, tx, account } = context;
  await tx.run(sql`select from account where id = ${account.id} for no key update`);
  const many = await tx.row<{ count: number }>(
    sql`select count(*)::int as count from incoming_webhook where account_id = ${account.id}`,
  );
  if (many!.count >= maxWebhooks) throw fault('TOO_LARGE', 'incoming.too_many', { count: maxWebhooks });
  needEvent(given.service, given.mapping);
  const list = given.list === '' ? null : (await needList(context, given.list)).id;
  const token = newToken();
  const row = await tx.row<{ id: number }>(sql`
    insert into incoming_webhook (account_id, title, service, token_hash, hint, secret, mapping, list_id, confirms)
    values (${account.id}, ${given.title.trim()}, ${given.service}, ${hashToken(token)}, ${token.slice(-4)},
      ${sealed(context, given.secret)}, ${jsonb(given.mapping ?? presets[given.service])}::jsonb, ${list}, ${given.confirms})
    returning id`);
  return { id: formatId(row!.id), url: urlOf(app, token) };
}

const sealed = ({ app, account }: Context, secret: string): Buffer | null =>
  secret.trim() === '' ? null : seal(app, sealedAs(account.id), secret.trim());

type Changes = { id: string } & { [K in Exclude<keyof Given, 'service'>]?: Given[K] | undefined };

/** Changes what is given. @throws Fault WEBHOOK_UNKNOWN, LIST_UNKNOWN */
export async function updateReceiver(context: Context, { id, ...given }: Changes): Promise<true> {
  const { tx, account } = context;
  const { id: key, service } = await lockReceiver(context, id);
  needEvent(service, given.mapping);
  const list =
    given.list === undefined ? sql`list_id` : given.list === '' ? null : (await needList(context, given.list)).id;
  await tx.run(sql`
    update incoming_webhook
    set title = ${given.title === undefined ? sql`title` : given.title.trim()},
      secret = ${given.secret === undefined ? sql`secret` : sealed(context, given.secret)},
      mapping = ${given.mapping === undefined ? sql`mapping` : sql`${jsonb(given.mapping)}::jsonb`},
      confirms = ${given.confirms === undefined ? sql`confirms` : given.confirms}, list_id = ${list}
    where account_id = ${account.id}
      and id = ${key}`);
  return true;
}

/** Of other services their requests name the event. @throws Fault INVALID_PARAMETER for a mapping that would ignore each request */
function needEvent(service: Service, mapping: Mapping | undefined): void {
  if (service === 'custom' && mapping && mapping.event.trim() === '' && mapping.event_member.trim() === '')
    throw fault('INVALID_PARAMETER', 'incoming.no_event', { member: 'mapping.event' });
}

/** Gives it another URL; the present one ends. @throws Fault WEBHOOK_UNKNOWN */
export async function renewReceiverUrl(context: Context, { id }: { id: string }): Promise<{ url: string }> {
  const { app, tx, account } = context;
  const { id: key } = await lockReceiver(context, id);
  const token = newToken();
  await tx.run(sql`
    update incoming_webhook
    set token_hash = ${hashToken(token)}, hint = ${token.slice(-4)}
    where account_id = ${account.id}
      and id = ${key}`);
  return { url: urlOf(app, token) };
}

/** @throws Fault WEBHOOK_UNKNOWN */
export async function deleteReceiver(context: Context, { id }: { id: string }): Promise<true> {
  const { tx, account } = context;
  const { id: key } = await lockReceiver(context, id);
  await tx.run(sql`delete from incoming_webhook where account_id = ${account.id} and id = ${key}`);
  return true;
}

async function lockReceiver({ tx, account }: Context, id: string): Promise<{ id: number; service: Service }> {
  const row = await tx.row<{ id: number; service: Service }>(sql`
    select id, service
    from incoming_webhook
    where account_id = ${account.id}
      and id = ${parseId(id)}
    for no key update`);
  if (!row) throw fault('WEBHOOK_UNKNOWN', 'incoming.unknown', { member: 'id', id: id.slice(0, 40) });
  return row;
}
