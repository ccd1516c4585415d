// The methods about webhooks themselves: the list, creating, changing, copying, deleting, and the secret.
// Secrets are answered masked; one that is made here is shown once, by webhookRotateSecret. What was sent, and sending
// it again, is in log/methods.ts.
import { z } from 'zod';
import { bulkTypes, eventPatterns, eventSources, eventTypeNames, eventTypes, exampleData } from '../events/types.ts';
import { method } from '../method/method.ts';
import { named } from '../method/named.ts';
import { anything, arrayOf, filledLine, filledText, id, oneOf, params, struct, text } from '../method/params.ts';
import {
  checkAddress,
  createWebhook,
  deleteWebhook,
  optionNames,
  prepareUpdate,
  replicateWebhook,
  rotateSecret,
  updateWebhook,
} from './change.ts';
import { algorithms } from './signature.ts';
import { formats, statuses, webhookRecords } from './webhook.ts';

const webhookRecord = named(
  'Webhook',
  z.object({
    id: z.string(),
    web_id: z.int(),
    title: z.string(),
    create_time: z.string(),
    list_id: z.string(),
    list_name: z.string(),
    last_event: z.string(),
    total_events: z.int(),
    waiting_events: z.int(),
    dropped_events: z.int(),
    status: z.enum(statuses),
    status_reason: z.string(),
    failing_since: z.string(),
    next_try: z.string(),
    url: z.string(),
    secret_key: z.string(),
    algorithm: z.enum(algorithms),
    format: z.enum(formats),
    signature_header: z.string(),
    events: z.array(z.string()),
    sources: z.array(z.enum(eventSources)),
  }),
);

const checkText =
  'The address is asked with HEAD; unless it answers 200 within 10 seconds the webhook is saved as "unverified", with the reason in status_reason. Deliveries are tried all the same, and the first success makes it "active".';

export const webhookMethods = [
  method({
    name: 'webhooks',
    group: 'webhooks',
    summary: 'Returns the webhooks of the account.',
    description:
      'status is active, unverified, paused (events wait) or off (no events are taken up). At most 1000000 events wait for a webhook, each for at most 30 days; dropped_events counts those that were deleted undelivered. failing_since is when the first of the attempts failed that nothing but failures followed, empty when the last one was good; next_try is when the waiting events are sent again (webhookRetry sends them now). secret_key is masked.',
    params: params({}),
    returns: z.array(webhookRecord),
    family: {
      answer: {
        meaning: 'status as enabled or disabled, and our own status as delivery_status',
        returns: z.array(z.record(z.string(), z.unknown())),
        of: (webhooks) =>
          webhooks.map(({ status, ...webhook }) => ({
            ...webhook,
            status: status === 'active' || status === 'unverified' ? 'enabled' : 'disabled',
            delivery_status: status,
          })),
      },
    },
    faults: [],
    scope: 'read',
    reads: true,
    example: { params: {} },
    run: webhookRecords,
  }),
  method({
    name: 'webhookCreate',
    group: 'webhooks',
    summary: 'Creates a webhook; returns its id.',
    description: checkText,
    params: params({
      title: filledLine('Name of the webhook.', 200),
      options: struct(
        'Settings of the webhook.',
        {
          url: filledText('The address that events are sent to.', 2_000),
          list_id: id('Only events of this list; of all lists when left out.').optional(),
          secret_key: text('Secret that requests are signed with; not signed when left out.', 200).optional(),
          events: arrayOf(
            `Event types, of ${eventTypeNames.join(', ')}; ${eventPatterns.slice(1).join(', ')} or * also stand for types that later versions add. All types of this version but ${bulkTypes.join(', ')} when left out.`,
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
          signature_header: text(
            'A further header, beginning with X-, that carries the value of X-Service-Signature in requests of the format classic; for receivers of another provider.',
            100,
          ).optional(),
        },
        { fault: 'WEBHOOK_OPTION_INVALID' },
      ),
    }),
    returns: z.string(),
    faults: ['WEBHOOK_OPTION_INVALID', 'LIST_UNKNOWN'],
    scope: 'admin',
    addresses: true,
    example: {
      params: { title: 'Sign-ups', options: { url: 'https://example.com/hook', events: ['contact.subscribe'] } },
    },
    prepare: (context, { options }) => checkAddress(context, options.url),
    confirm: () => true,
    run: createWebhook,
  }),
  method({
    name: 'webhookUpdate',
    group: 'webhooks',
    summary: `Changes one setting of a webhook: ${optionNames.join(', ')}.`,
    description: `status may be set to "active" (or "enabled") or "paused" (or "disabled"); "active" also switches one on again that was switched off. A new secret_key is a rotation, as by webhookRotateSecret. With a new url: ${checkText}`,
    params: params({
      wid: id('The webhook.'),
      name: text('Which setting.', 100),
      value: anything('The new value.'),
    }),
    returns: z.boolean(),
    faults: ['WEBHOOK_UNKNOWN', 'WEBHOOK_OPTION_INVALID', 'LIST_UNKNOWN'],
    scope: 'admin',
    addresses: true,
    example: { params: { wid: '{{webhook}}', name: 'title', value: 'New name' } },
    prepare: prepareUpdate,
    confirm: ({ name }) => ['url', 'secret_key'].includes(name.toLowerCase()),
    run: updateWebhook,
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
    run: deleteWebhook,
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
    addresses: true,
    example: { params: { wid: '{{webhook}}' } },
    confirm: () => true,
    run: replicateWebhook,
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
    confirm: () => true,
    run: rotateSecret,
  }),
  method({
    name: 'eventTypes',
    group: 'webhooks',
    summary: 'Returns the event types that webhooks can carry, with an example of the data of each.',
    params: params({}),
    returns: z.array(
      z.object({ type: z.enum(eventTypeNames), meaning: z.string(), example: z.record(z.string(), z.unknown()) }),
    ),
    faults: [],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: {} },
    run: async () =>
      eventTypeNames.map((type) => ({ type, meaning: eventTypes[type].when, example: exampleData(type) })),
  }),
];
