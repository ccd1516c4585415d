// The methods about webhooks themselves: the list, creating, changing, copying, deleting, and the secret.
// Secrets are answered masked; one that is made here is shown once, by webhookRotateSecret. What was sent, and sending
// it again, is in attempt-methods.ts.
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { message } from '../base/messages.ts';
import { type Queries, sql } from '../db/connect.ts';
import { formatId } from '../db/ids.ts';
import { webhookChannel } from '../events/emit.ts';
import { eventSources, eventTypeNames, eventTypes, exampleData } from '../events/types.ts';
import { formatDate } from '../method/date.ts';
import { method } from '../method/method.ts';
import { anything, arrayOf, filledText, id, oneOf, params, struct, text } from '../method/params.ts';
import { checkUrl, packReason } from './attempt.ts';
import { algorithms } from './signature.ts';
import {
  checkedOptions,
  findWebhook,
  formats,
  invalidOption,
  masked,
  needWebhook,
  type Options,
  unknownWebhook,
  webAddress,
  webhookRecords,
} from './webhook.ts';

const webhookRecord = z.object({
  id: z.string(),
  web_id: z.int(),
  title: z.string(),
  create_time: z.string(),
  list_id: z.string(),
  list_name: z.string(),
  last_event: z.string(),
  total_events: z.int(),
  waiting_events: z.int(),
  status: z.string(),
  status_reason: z.string(),
  failing_since: z.string(),
  url: z.string(),
  secret_key: z.string(),
  algorithm: z.string(),
  format: z.string(),
  events: z.array(z.string()),
  sources: z.array(z.string()),
});

const optionNames = ['title', 'url', 'list_id', 'secret_key', 'events', 'sources', 'algorithm', 'format', 'status'];

const checkText =
  'The address is asked with HEAD; unless it answers 200 within 10 seconds the webhook is saved as "unverified", with the reason in status_reason. Deliveries are tried all the same, and the first success makes it "active".';

export const webhookMethods = [
  method({
    name: 'webhooks',
    group: 'webhooks',
    summary: 'Returns the webhooks of the account.',
    description:
      'status is active, unverified, paused (events wait) or off (no events are taken up). failing_since is when the first of the attempts failed that nothing but failures followed, empty when the last one was good. secret_key is masked.',
    params: params({}),
    returns: z.array(webhookRecord),
    faults: [],
    scope: 'read',
    reads: true,
    example: { params: {} },
    run: (context) => webhookRecords(context),
  }),
  method({
    name: 'webhookCreate',
    group: 'webhooks',
    summary: 'Creates a webhook; returns its id.',
    description: checkText,
    params: params({
      title: filledText('Name of the webhook.', 200),
      options: struct(
        'Settings of the webhook.',
        {
          url: filledText('The address that events are sent to.', 2_000),
          list_id: id('Only events of this list; of all lists when left out.').optional(),
          secret_key: text('Secret that requests are signed with; not signed when left out.', 200).optional(),
          events: arrayOf(
            `Event types, of ${eventTypeNames.join(', ')}; all when left out.`,
            text('A type.', 40),
            50,
          ).optional(),
          sources: arrayOf(
            `Sources, of ${eventSources.join(', ')}; all when left out.`,
            text('A source.', 40),
            10,
          ).optional(),
          algorithm: oneOf('Hash of the signature; default sha256.', algorithms).optional(),
          format: oneOf('Shape of the body; default standard.', formats).optional(),
        },
        { fault: 'WEBHOOK_OPTION_INVALID' },
      ),
    }),
    returns: z.string(),
    faults: ['WEBHOOK_OPTION_INVALID', 'LIST_UNKNOWN'],
    scope: 'admin',
    example: {
      params: { title: 'Sign-ups', options: { url: 'https://example.com/hook', events: ['contact.subscribe'] } },
    },
    prepare: ({ app }, { options }) => checkUrl(app, webAddress(options.url)),
    async run(context, { title, options }, check) {
      const checked = await checkedOptions(context, { title, ...options });
      const row = await context.tx.row<{ id: number }>(sql`
        insert into webhook (account_id, title, url, list_id, secret, algorithm, format, events, sources, status, status_reason)
        values (
          ${context.account.id}, ${checked['title']}, ${checked['url']}, ${checked['list_id'] ?? null},
          ${checked['secret'] ?? ''}, ${checked['algorithm'] ?? 'sha256'}, ${checked['format'] ?? 'standard'},
          ${checked['events'] ?? eventTypeNames}, ${checked['sources'] ?? [...eventSources]},
          ${check.ok ? 'active' : 'unverified'}, ${packReason(check.reason)})
        returning id`);
      return formatId(row!.id);
    },
  }),
  method({
    name: 'webhookUpdate',
    group: 'webhooks',
    summary: `Changes one setting of a webhook: ${optionNames.join(', ')}.`,
    description: `status may be set to "active" or "paused"; "active" also switches one on again that was switched off. A new secret_key is a rotation, as by webhookRotateSecret. With a new url: ${checkText}`,
    params: params({
      wid: id('The webhook.'),
      name: text('Which setting.', 100),
      value: anything('The new value.'),
    }),
    returns: z.boolean(),
    faults: ['WEBHOOK_UNKNOWN', 'WEBHOOK_OPTION_INVALID', 'LIST_UNKNOWN'],
    scope: 'admin',
    example: { params: { wid: '{{webhook}}', name: 'title', value: 'New name' } },
    async prepare({ app, account }, { wid, name, value }) {
      if (name.toLowerCase() !== 'url') return undefined;
      // Not even a HEAD leaves for a webhook that is not there.
      if (!(await app.db.row(findWebhook(account.id, wid)))) throw unknownWebhook(wid);
      return checkUrl(app, webAddress(textOf('url', value)));
    },
    async run(context, { wid, name: given, value }, check) {
      const { tx, account } = context;
      const hook = await needWebhook(context, wid);
      await betweenAttempts(tx, account.id, hook.id);
      const name = given.toLowerCase();
      if (!optionNames.includes(name))
        throw invalidOption(
          message('webhook.unknown_option', { name: given.slice(0, 40), choices: optionNames.join(', ') }),
        );
      if (name === 'status') {
        const status = textOf(name, value).toLowerCase();
        if (status !== 'active' && status !== 'paused') throw invalidOption(message('webhook.status'));
        await tx.run(sql`
          update webhook
          set status = ${status}, status_reason = '', failing_since = null
          where account_id = ${account.id}
            and id = ${hook.id}`);
        if (status === 'active') await startAfresh(tx, account.id, hook.id);
        return true;
      }
      const isArray = name === 'events' || name === 'sources';
      const option: Options = { [name]: isArray ? listOf(name, value) : textOf(name, value) };
      const [[column, stored] = []] = Object.entries(await checkedOptions(context, option));
      if (column === 'secret') {
        await setSecret(tx, account.id, hook.id, String(stored));
        return true;
      }
      await tx.run(sql`
        update webhook
        set title = ${column === 'title' ? stored : sql`title`},
          url = ${column === 'url' ? stored : sql`url`},
          list_id = ${column === 'list_id' ? stored : sql`list_id`},
          events = ${column === 'events' ? stored : sql`events`},
          sources = ${column === 'sources' ? stored : sql`sources`},
          algorithm = ${column === 'algorithm' ? stored : sql`algorithm`},
          format = ${column === 'format' ? stored : sql`format`}
        where account_id = ${account.id}
          and id = ${hook.id}`);
      if (column === 'format') await forgetBatch(tx, account.id, hook.id);
      if (column === 'url' && check) {
        await tx.run(sql`
          update webhook
          set failing_since = null, status_reason = ${packReason(check.reason)},
            status = case when status in ('paused', 'off') then status else ${check.ok ? 'active' : 'unverified'} end
          where account_id = ${account.id}
            and id = ${hook.id}`);
        await startAfresh(tx, account.id, hook.id);
      }
      return true;
    },
  }),
  method({
    name: 'webhookDelete',
    group: 'webhooks',
    summary: 'Deletes a webhook, its waiting events and its log. This cannot be undone.',
    params: params({ wid: id('The webhook.') }),
    returns: z.boolean(),
    faults: ['WEBHOOK_UNKNOWN'],
    scope: 'admin',
    example: { params: { wid: '{{webhook}}' } },
    async run(context, { wid }) {
      const { tx, account } = context;
      const hook = await needWebhook(context, wid);
      await betweenAttempts(tx, account.id, hook.id);
      await tx.run(sql`delete from webhook where account_id = ${account.id} and id = ${hook.id}`);
      await tx.run(sql`delete from webhook_event where account_id = ${account.id} and webhook_id = ${hook.id}`);
      return true;
    },
  }),
  method({
    name: 'webhookReplicate',
    group: 'webhooks',
    summary: 'Copies a webhook with its secret, without its events and log; returns the id of the copy.',
    description: 'The copy is paused, so that its receiver does not get each event twice unasked.',
    params: params({ wid: id('The webhook.') }),
    returns: z.string(),
    faults: ['WEBHOOK_UNKNOWN'],
    scope: 'admin',
    example: { params: { wid: '{{webhook}}' } },
    async run(context, { wid }) {
      const hook = await needWebhook(context, wid);
      const row = await context.tx.row<{ id: number }>(sql`
        insert into webhook (account_id, title, url, list_id, secret, algorithm, format, events, sources, status)
        select account_id, left(title, 193) || ' (copy)', url, list_id, secret, algorithm, format, events, sources, 'paused'
        from webhook
        where account_id = ${context.account.id}
          and id = ${hook.id}
        returning id`);
      return formatId(row!.id);
    },
  }),
  method({
    name: 'webhookRotateSecret',
    group: 'webhooks',
    summary: 'Gives a webhook a new secret; the old one also signs for another 24 hours.',
    description:
      'Without secret_key one is generated, and shown in this answer only. For 24 hours the header webhook-signature carries the signatures of both secrets; X-Service-Signature is by the new one from now on.',
    params: params({
      wid: id('The webhook.'),
      secret_key: filledText('The new secret; generated when left out.', 200).optional(),
    }),
    returns: z.object({ secret_key: z.string(), old_valid_until: z.string() }),
    faults: ['WEBHOOK_UNKNOWN', 'WEBHOOK_OPTION_INVALID'],
    scope: 'admin',
    example: { params: { wid: '{{webhook}}' } },
    async run(context, { wid, secret_key }) {
      const hook = await needWebhook(context, wid);
      if (secret_key !== undefined) await checkedOptions(context, { secret_key });
      await betweenAttempts(context.tx, context.account.id, hook.id);
      const secret = secret_key ?? `whsec_${randomBytes(32).toString('base64')}`;
      const until = await setSecret(context.tx, context.account.id, hook.id, secret);
      return {
        secret_key: secret_key === undefined ? secret : masked(secret),
        old_valid_until: formatDate(until),
      };
    },
  }),
  method({
    name: 'eventTypes',
    group: 'webhooks',
    summary: 'Returns the event types that webhooks can carry, with an example of the data of each.',
    params: params({}),
    returns: z.array(z.object({ type: z.string(), meaning: z.string(), example: z.record(z.string(), z.unknown()) })),
    faults: [],
    scope: 'read',
    reads: true,
    example: { params: {} },
    run: async () =>
      eventTypeNames.map((type) => ({ type, meaning: eventTypes[type].when, example: exampleData(type) })),
  }),
];

/**
 * Holds the recording of attempts until this transaction ends, which the dispatcher begins with the same row: an attempt
 * is recorded either before the change that follows, or as the change wants it. Attempts in progress finish as they began.
 */
async function betweenAttempts(tx: Queries, accountId: number, webhookId: number): Promise<void> {
  await tx.run(sql`
    select
    from webhook_delivery
    where account_id = ${accountId}
      and webhook_id = ${webhookId}
    for update`);
}

/** Sets the secret; the previous one stays valid for 24 hours. @returns until when, null when there was none */
async function setSecret(tx: Queries, accountId: number, webhookId: number, secret: string): Promise<Date | null> {
  const row = await tx.row<{ until: Date | null }>(sql`
    update webhook
    set old_secret = secret,
      old_secret_until = case when secret <> '' and ${secret} <> '' then now() + interval '24 hours' end,
      secret = ${secret}
    where account_id = ${accountId}
      and id = ${webhookId}
    returning old_secret_until as until`);
  return row?.until ?? null;
}

/** Sends waiting events immediately, as a first attempt. */
async function startAfresh(tx: Queries, accountId: number, webhookId: number): Promise<void> {
  await tx.run(sql`
    update webhook_delivery
    set failures = 0, next_at = now()
    where account_id = ${accountId}
      and webhook_id = ${webhookId}`);
  await tx.run(sql`select pg_notify(${webhookChannel}, '')`);
}

/** Rebuilds the next request: the other format may not fit the same events into one. */
async function forgetBatch(tx: Queries, accountId: number, webhookId: number): Promise<void> {
  await tx.run(sql`
    update webhook_delivery
    set batch = '{}', message_id = ''
    where account_id = ${accountId}
      and webhook_id = ${webhookId}`);
}

function textOf(name: string, value: unknown): string {
  if (typeof value !== 'string') throw invalidOption(message('parameter.not_a_string', { member: name }));
  return value;
}

function listOf(name: string, value: unknown): string[] {
  const list = Array.isArray(value) ? value : [value];
  return list.map((item) => textOf(name, item));
}
