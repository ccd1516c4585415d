// The methods about requests: the log of attempts, resending, and test events.
import { z } from 'zod';
import { eventTypeNames } from '../../events/types.ts';
import { method } from '../../method/method.ts';
import { named } from '../../method/named.ts';
import { boolean, id, integer, oneOf, params, text } from '../../method/params.ts';
import {
  kinds,
  listAttempts,
  outcomes,
  previewResend,
  resendEvents,
  retryWaiting,
  sendTestEvent,
  testAnswer,
} from './attempts.ts';
import { maxStatsAttempts, showWebhookStats } from './stats.ts';

export const attemptMethods = [
  method({
    name: 'webhookAttempts',
    group: 'webhooks',
    summary: 'Returns the requests sent to a webhook and the answers, newest first.',
    description:
      'outcome is in_progress, delivered, failed (another attempt follows), given_up, gone (the receiver answered 410), or unclear (the sending process ended before the receiver answered; the events are sent again). The list cuts body and answer at 2000 characters; with the parameter attempt they are complete.',
    params: params({
      wid: id('The webhook.'),
      outcome: oneOf('Only attempts with this outcome.', outcomes, {}, { fault: 'WEBHOOK_OPTION_INVALID' }).optional(),
      start: integer('Page number from which the selection starts.', 0, 1_000_000, {
        fault: 'START_OUT_OF_RANGE',
      }).default(0),
      limit: integer('Results per page, at most 100.', 1, 100, { fault: 'LIMIT_OUT_OF_RANGE' }).default(25),
      attempt: text('Only the attempt with this id.', 20).optional(),
    }),
    returns: z.array(
      named(
        'WebhookAttempt',
        z.object({
          id: z.string(),
          at: z.string(),
          kind: z.enum(kinds),
          try: z.int(),
          events: z.array(z.string()),
          url: z.string(),
          headers: z.record(z.string(), z.string()),
          body: z.string(),
          status: z.int(),
          answer: z.string(),
          ms: z.int(),
          outcome: z.enum(outcomes),
          reason: z.string(),
          next_try: z.string().meta({
            description:
              'When its events are sent again, if they wait; empty for all but the latest attempt with them, and while the webhook is paused or off.',
          }),
        }),
      ),
    ),
    faults: ['WEBHOOK_UNKNOWN', 'WEBHOOK_OPTION_INVALID', 'START_OUT_OF_RANGE', 'LIMIT_OUT_OF_RANGE'],
    scope: 'admin',
    addresses: true,
    reads: true,
    example: { params: { wid: '{{webhook}}', limit: 10 } },
    run: listAttempts,
  }),
  method({
    name: 'webhookStats',
    group: 'webhooks',
    summary: 'Returns how many requests of a webhook succeeded in the last 24 hours, and how long they took.',
    description: `Counts the latest ${maxStatsAttempts} attempts of these hours, without test events. p50_ms and p95_ms are the median and the 95th percentile of the time to the answer; hours has a row for each hour, the oldest first.`,
    params: params({ wid: id('The webhook.') }),
    returns: z.object({
      attempts: z.int(),
      delivered: z.int(),
      p50_ms: z.int(),
      p95_ms: z.int(),
      hours: z.array(z.object({ time: z.string(), delivered: z.int(), failed: z.int() })),
    }),
    faults: ['WEBHOOK_UNKNOWN'],
    scope: 'admin',
    reads: true,
    example: { params: { wid: '{{webhook}}' } },
    run: showWebhookStats,
  }),
  method({
    name: 'webhookResend',
    group: 'webhooks',
    summary: 'Resends the events of one attempt or of a time range; returns the number of events.',
    description:
      'The events keep their ids and their order. They join the waiting events; one that is already waiting counts, and is sent once. If the webhook waits for its next attempt after a failure, that is made now. Pass either attempt, or since with or without until.',
    params: params({
      wid: id('The webhook.'),
      attempt: text('The attempt to resend.', 20).optional(),
      since: text('Attempts from this moment, as YYYY-MM-DD HH:MM:SS in GMT.', 40)
        .meta({ neverEmpty: true })
        .optional(),
      until: text('Attempts before this moment; default now.', 40).optional(),
      only_failed: boolean('Only events that no attempt has delivered.').default(false),
    }),
    returns: z.int(),
    faults: ['WEBHOOK_UNKNOWN', 'WEBHOOK_OPTION_INVALID', 'DATE_INVALID'],
    scope: 'admin',
    example: { params: { wid: '{{webhook}}', since: '2026-01-15 09:30:00' } },
    run: resendEvents,
  }),
  method({
    name: 'webhookRetry',
    group: 'webhooks',
    summary:
      'Sends the waiting events of a webhook now instead of at the next attempt; returns the number of waiting events.',
    description:
      'The pauses between attempts begin again with the shortest. Does not switch on a webhook that is paused or off: its events go on waiting.',
    params: params({ wid: id('The webhook.') }),
    returns: z.int(),
    faults: ['WEBHOOK_UNKNOWN'],
    scope: 'admin',
    example: { params: { wid: '{{webhook}}' } },
    run: retryWaiting,
  }),
  method({
    name: 'webhookResendPreview',
    group: 'webhooks',
    summary: 'Counts the events that webhookResend would resend for a time range.',
    params: params({
      wid: id('The webhook.'),
      since: text('Attempts from this moment, as YYYY-MM-DD HH:MM:SS in GMT.', 40),
      until: text('Attempts before this moment; default now.', 40).optional(),
    }),
    returns: z.object({
      failed: z.int().meta({ description: 'With only_failed: those that no attempt has delivered.' }),
      all: z.int(),
      waiting: z.int().meta({
        description: 'Those that are waiting already: they count in neither of the others, and are sent in any case.',
      }),
    }),
    faults: ['WEBHOOK_UNKNOWN', 'DATE_INVALID'],
    scope: 'admin',
    reads: true,
    example: { params: { wid: '{{webhook}}', since: '2026-01-15 09:30:00' } },
    run: previewResend,
  }),
  method({
    name: 'webhookTest',
    group: 'webhooks',
    summary: 'Sends one test event immediately and returns the answer of the receiver.',
    description: 'The event has test: true and example data. It is sent once, independently of other events.',
    params: params({
      wid: id('The webhook.'),
      type: text(`Event type, of ${eventTypeNames.join(', ')}.`, 40).default('contact.subscribe'),
    }),
    returns: z.object({
      attempt: z.string(),
      event: z.string(),
      delivered: z.boolean(),
      status: z.int(),
      ms: z.int(),
      answer: z.string(),
      reason: z.string(),
    }),
    faults: ['WEBHOOK_UNKNOWN', 'WEBHOOK_OPTION_INVALID'],
    scope: 'admin',
    example: { params: { wid: '{{webhook}}' } },
    prepare: sendTestEvent,
    run: testAnswer,
  }),
];
