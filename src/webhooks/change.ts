// Creates, changes, copies and deletes webhooks. A change applies between two attempts: one that is in progress ends as it
// began. Secrets are returned masked, except one that is generated here.
import { randomBytes } from 'node:crypto';
import type { Context, PrepareContext } from '../base/context.ts';
import { message } from '../base/messages.ts';
import { sql, type Tx } from '../db/connect.ts';
import { formatId } from '../db/ids.ts';
import { webhookChannel } from '../events/emit.ts';
import { eventSources, usualTypes } from '../events/types.ts';
import { formatDate } from '../method/date.ts';
import { asText } from '../method/params.ts';
import { checkUrl, packReason } from './attempt.ts';
import { maxEvents } from './batch.ts';
import { nothingWaits } from './lease.ts';
import { sealSecret } from './signature.ts';
import {
  checkedOptions,
  findWebhook,
  invalidOption,
  masked,
  needWebhook,
  type Options,
  unknownWebhook,
  webAddress,
} from './webhook.ts';

/** The settings that webhookUpdate changes. */
export const optionNames = [
  'title',
  'url',
  'list_id',
  'secret_key',
  'events',
  'sources',
  'algorithm',
  'format',
  'signature_header',
  'status',
];

type UrlCheck = Awaited<ReturnType<typeof checkUrl>>;

/** Asks the receiver, outside the transaction. @throws Fault WEBHOOK_OPTION_INVALID */
export const checkAddress = ({ app }: PrepareContext, url: string): Promise<UrlCheck> =>
  checkUrl(app, webAddress(url, 'options.url'));

export async function createWebhook(
  context: Context,
  { title, options }: { title: string; options: Options },
  check: UrlCheck,
): Promise<string> {
  const checked = {
    ...(await checkedOptions(context, { title })),
    ...(await checkedOptions(context, options, 'options.')),
  };
  const row = await context.tx.row<{ id: number }>(sql`
    insert into webhook (account_id, title, url, list_id, secret, algorithm, format, signature_header, events, sources, status, status_reason)
    values (
      ${context.account.id}, ${checked['title']}, ${checked['url']}, ${checked['list_id'] ?? null},
      ${sealSecret(context.app, context.account.id, String(checked['secret'] ?? ''))}, ${checked['algorithm'] ?? 'sha256'}, ${checked['format'] ?? 'standard'},
      ${checked['signature_header'] ?? ''},
      ${checked['events'] ?? [...usualTypes]}, ${checked['sources'] ?? [...eventSources]},
      ${check.ok ? 'active' : 'unverified'}, ${packReason(check.reason)})
    returning id`);
  return formatId(row!.id);
}

type Update = { wid: string; name: string; value?: unknown };

/** Checks a new URL. */
export async function prepareUpdate(
  { app, account }: PrepareContext,
  { wid, name, value }: Update,
): Promise<UrlCheck | undefined> {
  if (name.toLowerCase() !== 'url') return undefined;
  // Not even a HEAD leaves for a webhook that is not there.
  if (!(await app.db.row(findWebhook(account.id, wid)))) throw unknownWebhook(wid);
  return checkUrl(app, webAddress(textOf('url', value), 'url'));
}

export async function updateWebhook(
  context: Context,
  { wid, name: given, value }: Update,
  check: UrlCheck | undefined,
): Promise<true> {
  const { tx, account } = context;
  const hook = await needWebhook(context, wid);
  await betweenAttempts(tx, account.id, hook.id);
  const name = given.toLowerCase();
  if (!optionNames.includes(name))
    throw invalidOption(
      message('webhook.unknown_option', {
        member: 'name',
        name: given.slice(0, 40),
        choices: optionNames.join(', '),
      }),
    );
  if (name === 'status') await setStatus(tx, account.id, hook.id, textOf(name, value).toLowerCase());
  else await setOption(context, hook.id, name, value, check);
  return true;
}

export async function deleteWebhook(context: Context, { wid }: { wid: string }): Promise<true> {
  const { tx, account } = context;
  const hook = await needWebhook(context, wid);
  await betweenAttempts(tx, account.id, hook.id);
  await tx.run(sql`delete from webhook where account_id = ${account.id} and id = ${hook.id}`);
  await tx.run(sql`delete from webhook_event where account_id = ${account.id} and webhook_id = ${hook.id}`);
  return true;
}

export async function replicateWebhook(context: Context, { wid }: { wid: string }): Promise<string> {
  const hook = await needWebhook(context, wid);
  const row = await context.tx.row<{ id: number }>(sql`
    insert into webhook (account_id, title, url, list_id, secret, algorithm, format, signature_header, events, sources, status)
    select account_id, left(title, 193) || ' (copy)', url, list_id, secret, algorithm, format, signature_header, events,
      sources, 'paused'
    from webhook
    where account_id = ${context.account.id}
      and id = ${hook.id}
    returning id`);
  return formatId(row!.id);
}

export async function rotateSecret(
  context: Context,
  { wid, secret_key }: { wid: string; secret_key?: string | undefined },
): Promise<{ secret_key: string; old_valid_until: string }> {
  const hook = await needWebhook(context, wid);
  if (secret_key !== undefined) await checkedOptions(context, { secret_key });
  await betweenAttempts(context.tx, context.account.id, hook.id);
  const secret = secret_key ?? `whsec_${randomBytes(32).toString('base64')}`;
  const until = await setSecret(context, hook.id, secret);
  return {
    secret_key: secret_key === undefined ? secret : masked(secret),
    old_valid_until: formatDate(until),
  };
}

/** The words of published clients for a status. */
const statusSynonyms = new Map([
  ['enabled', 'active'],
  ['disabled', 'paused'],
]);

/** Pauses a webhook, or switches it on again. */
async function setStatus(tx: Tx, accountId: number, webhookId: number, given: string): Promise<void> {
  const status = statusSynonyms.get(given) ?? given;
  if (status !== 'active' && status !== 'paused') throw invalidOption(message('webhook.status', { member: 'status' }));
  await tx.run(sql`
    update webhook
    set status = ${status}, status_reason = '', failing_since = null
    where account_id = ${accountId}
      and id = ${webhookId}`);
  if (status === 'active') await startAfresh(tx, accountId, webhookId);
  else
    await tx.run(
      sql`update webhook_delivery set idle = true where account_id = ${accountId} and webhook_id = ${webhookId}`,
    );
}

async function setOption(
  context: Context,
  webhookId: number,
  name: string,
  value: unknown,
  check: UrlCheck | undefined,
): Promise<void> {
  const { tx, account } = context;
  const isArray = name === 'events' || name === 'sources';
  const option: Options = { [name]: isArray ? listOf(name, value) : textOf(name, value) };
  const [[column, stored] = []] = Object.entries(await checkedOptions(context, option));
  if (column === 'secret') {
    await setSecret(context, webhookId, String(stored));
    return;
  }
  await tx.run(sql`
    update webhook
    set title = ${column === 'title' ? stored : sql`title`},
      url = ${column === 'url' ? stored : sql`url`},
      list_id = ${column === 'list_id' ? stored : sql`list_id`},
      events = ${column === 'events' ? stored : sql`events`},
      sources = ${column === 'sources' ? stored : sql`sources`},
      algorithm = ${column === 'algorithm' ? stored : sql`algorithm`},
      format = ${column === 'format' ? stored : sql`format`},
      signature_header = ${column === 'signature_header' ? stored : sql`signature_header`}
    where account_id = ${account.id}
      and id = ${webhookId}`);
  if (column === 'format') await forgetBatch(tx, account.id, webhookId);
  if (column === 'url' && check) await applyCheck(tx, account.id, webhookId, check);
}

/** Writes what the check of a new URL found. */
async function applyCheck(tx: Tx, accountId: number, webhookId: number, check: UrlCheck): Promise<void> {
  await tx.run(sql`
    update webhook
    set failing_since = null, status_reason = ${packReason(check.reason)},
      status = case when status in ('paused', 'off') then status else ${check.ok ? 'active' : 'unverified'} end
    where account_id = ${accountId}
      and id = ${webhookId}`);
  await startAfresh(tx, accountId, webhookId);
}

/**
 * Holds the recording of attempts until this transaction ends, which the dispatcher begins with the same row: an attempt
 * is recorded either before the change that follows, or as the change wants it. Attempts in progress finish as they began.
 */
async function betweenAttempts(tx: Tx, accountId: number, webhookId: number): Promise<void> {
  await tx.run(sql`
    select
    from webhook_delivery
    where account_id = ${accountId}
      and webhook_id = ${webhookId}
    for update`);
}

/** Sets the secret; the previous one stays valid for 24 hours. @returns until when, null when there was none */
async function setSecret({ app, tx, account }: Context, webhookId: number, secret: string): Promise<Date | null> {
  const sealed = sealSecret(app, account.id, secret);
  const row = await tx.row<{ until: Date | null }>(sql`
    update webhook
    set old_secret = secret,
      old_secret_until = case when secret is not null and ${sealed}::bytea is not null then now() + interval '24 hours' end,
      secret = ${sealed}
    where account_id = ${account.id}
      and id = ${webhookId}
    returning old_secret_until as until`);
  return row?.until ?? null;
}

/** Sends waiting events immediately, as a first attempt. */
async function startAfresh(tx: Tx, accountId: number, webhookId: number): Promise<void> {
  await tx.run(sql`
    update webhook_delivery
    set failures = 0, batch_limit = ${maxEvents}, next_at = now(), idle = ${nothingWaits}
    where account_id = ${accountId}
      and webhook_id = ${webhookId}`);
  await tx.run(sql`
    update webhook_event
    set failures = 0, due_at = '-infinity'
    where account_id = ${accountId}
      and webhook_id = ${webhookId}
      and failures > 0`);
  await tx.run(sql`select pg_notify(${webhookChannel}, ${String(accountId)})`);
}

/** Rebuilds the next request: the other format may not fit the same events into one. */
async function forgetBatch(tx: Tx, accountId: number, webhookId: number): Promise<void> {
  await tx.run(sql`
    update webhook_delivery
    set batch = '{}', message_id = ''
    where account_id = ${accountId}
      and webhook_id = ${webhookId}`);
}

function textOf(name: string, value: unknown): string {
  const text = asText(value);
  if (typeof text !== 'string') throw invalidOption(message('parameter.not_a_string', { member: name }));
  return text;
}

function listOf(name: string, value: unknown): string[] {
  const list = Array.isArray(value) ? value : [value];
  return list.map((item) => textOf(name, item));
}
