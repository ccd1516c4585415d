// The methods for incoming webhooks: URLs to which shops and other services post events of contacts.
import { z } from 'zod';
import { fault } from '../base/faults.ts';
import { idempotencyKey } from '../method/idempotency.ts';
import { method } from '../method/method.ts';
import { named } from '../method/named.ts';
import { boolean, filledLine, id, line, oneOf, params, struct, text } from '../method/params.ts';
import { mappingParams, readBody } from './received/mapping.ts';
import { services } from './received/services.ts';
import { receivedResults } from './received-requests.ts';
import {
  createReceiver,
  deleteReceiver,
  listReceivers,
  maxWebhooks,
  renewReceiverUrl,
  updateReceiver,
} from './received-webhooks.ts';

const mapping = struct('What of a request becomes the event.', mappingParams);
/** In answers every member is there, so it is another shape than in calls. */
const shownMapping = named('IncomingMapping', struct('What of a request becomes the event.', mappingParams));

const options = {
  title: filledLine('What it is called.', 200),
  secret: line(
    'With which the service signs its requests; those without a valid signature are then refused. Empty: it does not sign.',
    200,
  ),
  list: id('The list whose fields are set, and to which those who agree are subscribed; empty: none.'),
  confirms: boolean('Whether those who agree confirm by email before they are subscribed.'),
};

const url = z.string().meta({ description: 'The URL for the service. It is shown only this once.' });

export const receivedMethods = [
  method({
    name: 'incomingWebhooks',
    group: 'automations',
    summary: 'Lists the incoming webhooks: URLs to which shops and other services post events of contacts.',
    params: params({}),
    returns: z.array(
      named(
        'IncomingWebhook',
        z.object({
          id: z.string(),
          title: z.string(),
          service: z.enum(services),
          url: z.string().meta({ description: 'With its token masked.' }),
          signed: z.boolean().meta({ description: 'Whether requests must be signed.' }),
          mapping: shownMapping,
          list: z.string(),
          confirms: z.boolean(),
          created_at: z.string(),
          last_at: z.string().meta({ description: 'When the last request came, GMT; empty before the first.' }),
          last_result: z.enum([...receivedResults, '']).meta({
            description:
              'What became of it. accepted; duplicate: the same request had come before; ignored: an event that is not mapped; no_address; unknown_contact; refused: see last_detail; ping: a test of the service; bad_signature; unreadable: neither JSON nor a form.',
          }),
          last_detail: z.string().meta({
            description:
              'The event, and of how many automations it is the trigger and the goal; what was not used and why; or why the request was refused.',
          }),
          last_body: z.string().meta({ description: 'Its body, for a week.' }),
          last_called: z
            .string()
            .meta({ description: 'What the service called its event; empty if the body says it.' }),
        }),
      ),
    ),
    faults: [],
    scope: 'read',
    addresses: true,
    reads: true,
    example: { params: {} },
    run: listReceivers,
  }),
  method({
    name: 'incomingWebhookCreate',
    group: 'automations',
    summary: 'Creates an incoming webhook and returns its URL.',
    description: `What its requests say becomes an event of the contact, as by eventSend: it lets contacts into automations, ends their way by a goal, and is kept. An account has at most ${maxWebhooks}.`,
    params: params({
      title: options.title,
      service: oneOf('Who sends: shopify, woocommerce, stripe, or custom for any other.', services).default('custom'),
      secret: options.secret.default(''),
      list: options.list.default(''),
      confirms: options.confirms.default(true),
      mapping: mapping.optional(),
      idempotency_key: idempotencyKey,
    }),
    returns: z.object({ id: z.string(), url }),
    faults: ['LIST_UNKNOWN', 'TOO_LARGE'],
    scope: 'write',
    permission: 'contacts:write',
    example: { params: { title: 'Shop', service: 'shopify', list: '{{list}}' } },
    run: createReceiver,
  }),
  method({
    name: 'incomingWebhookUpdate',
    group: 'automations',
    summary: 'Changes an incoming webhook. Omitted values do not change; a mapping replaces the whole one.',
    params: params({
      id: id('The incoming webhook.'),
      title: options.title.optional(),
      secret: options.secret.optional(),
      list: options.list.optional(),
      confirms: options.confirms.optional(),
      mapping: mapping.optional(),
    }),
    returns: z.boolean(),
    faults: ['WEBHOOK_UNKNOWN', 'LIST_UNKNOWN'],
    scope: 'write',
    permission: 'contacts:write',
    example: { params: { id: '{{incoming}}', mapping: { email: 'customer.email', event: 'order.created' } } },
    run: updateReceiver,
  }),
  method({
    name: 'incomingWebhookTry',
    group: 'automations',
    summary: 'Returns what a mapping makes of a body, and does nothing.',
    params: params({
      body: text('The body of a request, as JSON or as a form.', 1_000_000),
      mapping,
      called: line(
        'What the service calls the event, such as orders/create (last_called); empty: as the mapping says.',
        100,
      ).default(''),
    }),
    returns: z.object({
      email: z.string(),
      event: z.string().meta({ description: 'Empty: the request is ignored.' }),
      id: z.string(),
      time: z.string(),
      value: z.number().nullable(),
      data: z.record(z.string(), z.unknown()),
      consents: z.boolean(),
      fields: z.record(z.string(), z.string()),
    }),
    faults: ['CONTENT_INVALID'],
    scope: 'read',
    reads: true,
    example: {
      params: {
        body: '{"email": "ada@example.com", "total": "49.90"}',
        mapping: { event: 'order.created', value: 'total' },
      },
    },
    run: async (_context, given) => {
      const said = readBody(given.mapping, parsed(given.body), given.called);
      const { noAmount: _, ...made } = said;
      return { ...made, value: said.value ?? null };
    },
  }),
  method({
    name: 'incomingWebhookUrl',
    group: 'automations',
    summary: 'Gives an incoming webhook another URL; the present one ends.',
    params: params({ id: id('The incoming webhook.') }),
    returns: z.object({ url }),
    faults: ['WEBHOOK_UNKNOWN'],
    scope: 'write',
    permission: 'contacts:write',
    example: { params: { id: '{{incoming}}' } },
    run: renewReceiverUrl,
  }),
  method({
    name: 'incomingWebhookDelete',
    group: 'automations',
    summary: 'Deletes an incoming webhook; its URL ends. Events that came by it stay.',
    params: params({ id: id('The incoming webhook.') }),
    returns: z.boolean(),
    faults: ['WEBHOOK_UNKNOWN'],
    scope: 'write',
    permission: 'contacts:write',
    example: { params: { id: '{{incoming}}' } },
    run: deleteReceiver,
  }),
];

/** As a request is read, without its type: a form has names and values, and no white space. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    if (/^[^\s={}[\]]+=\S*$/.test(body.trim())) return Object.fromEntries(new URLSearchParams(body.trim()));
    throw fault('CONTENT_INVALID', 'incoming.not_json', { member: 'body' });
  }
}
