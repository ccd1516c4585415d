// The methods for single (transactional) messages: send, render, read.
import { z } from 'zod';
import { stateNames } from '../db/states.ts';
import { bounceClasses } from '../events/types.ts';
import { idempotencyKey } from '../method/idempotency.ts';
import { method } from '../method/method.ts';
import { named } from '../method/named.ts';
import { paging } from '../method/paging.ts';
import { arrayOf, boolean, bytesOrText, id, line, oneOf, params, struct, text, unlessEmpty } from '../method/params.ts';
import { cancelMessage } from './cancel.ts';
import { compose, renderTexts } from './compose.ts';
import { composeRaw } from './compose-raw.ts';
import { readContent } from './content.ts';
import { sendAgain } from './copy.ts';
import { needMessage } from './info.ts';
import { contentParams, maxInBatch, maxRecipients, messageParams } from './params.ts';
import { searchMessages } from './search.ts';
import { kinds, purposes, storeMessages, vias } from './store.ts';

const date = (description: string) =>
  z.string().meta({ description: `${description} GMT; empty if it has not happened.` });

const recipient = named(
  'MessageRecipient',
  z.object({
    email: z.string(),
    type: z.enum(kinds),
    state: z.enum(stateNames).meta({
      description:
        'later: deferred, and attempted again; accepted: by the relay; skipped: see reason; unclear: the connection broke after the message, and a marked copy follows.',
    }),
    reason: z.string().meta({
      description:
        "Why it was skipped (suppressed, deleted, cancelled, late, not_allowed when the account may no longer send, foreign_domain when another account has proven the domain of the sender, address_changed when the contact has another address by now, or the status of a subscription that a list's message no longer fits), or the class of the refusal.",
    }),
    attempts: z.int(),
    resent: z.int().meta({ description: 'Copies sent after an unclear outcome.' }),
    code: z.int().meta({ description: 'The SMTP code of the last reply; 0 without one.' }),
    reply: z.string(),
    done_at: date('When it was accepted, failed or was skipped.'),
    next_at: date('When a deferred recipient is attempted next, or a message for later is sent.'),
    opens: z.int(),
    last_open: date('The last open.'),
    clicks: z.int(),
    last_click: date('The last click.'),
    bounce: z.string().meta({ description: `The class of a refusal or bounce: ${bounceClasses.join(', ')}.` }),
    complained: z.boolean(),
    unsubscribed: z.boolean().meta({ description: 'Whether a service reported an unsubscribe for it.' }),
  }),
);

const message = named(
  'Message',
  z.object({
    id: z.string(),
    via: z.enum(vias).meta({ description: 'system: an email that the program wrote.' }),
    purpose: z.enum(purposes).meta({
      description:
        'message; of an email that the program wrote: confirm, welcome, goodbye, test, or, for administrators only, notice, reset, invite.',
    }),
    from_email: z.string(),
    from_name: z.string(),
    subject: z.string(),
    message_id: z.string().meta({ description: 'The Message-ID.' }),
    copy_of: z.string().meta({ description: 'The message that this one repeats; empty for an original.' }),
    tags: z.array(z.string()),
    template_id: z.string(),
    size: z.int().meta({ description: 'Octets of the whole message; 0 for an email of the program.' }),
    has_content: z
      .boolean()
      .meta({ description: 'False when it is older than the account keeps contents, and for emails of the program.' }),
    created_at: z.string().meta({ description: 'GMT.' }),
    send_at: z.string().meta({ description: 'When it was to be sent, GMT; empty for at once.' }),
    test: z.boolean().meta({ description: 'Sent with a test key: it stays in the built-in inbox.' }),
    recipients: z.array(recipient),
  }),
);

const sent = named(
  'SentMessage',
  z.object({ id: z.string(), message_id: z.string().meta({ description: 'The Message-ID.' }) }),
);

const sendFaults = [
  'ADDRESS_INVALID',
  'CONTENT_INVALID',
  'TEMPLATE_UNKNOWN',
  'SENDING_NOT_ALLOWED',
  'QUOTA_USED',
  'NOT_ALLOWED',
  'CAMPAIGN_OPTION_INVALID',
  'TOO_LARGE',
  'DATE_INVALID',
] as const;

export const messageMethods = [
  method({
    name: 'messageSend',
    group: 'messages',
    summary: 'Sends a single message, such as a receipt or a link to set a password.',
    description: `The recipients, at most ${maxRecipients}, need not be contacts, and unsubscribing from lists does not concern them. An address that is suppressed for any other reason, such as a hard bounce or a complaint, is skipped. The answer means that the message is stored and will be sent; messageGet returns what became of it. Messages never wait behind campaigns. Repeat a call that got no answer with the same idempotency_key.`,
    params: params({ ...messageParams, idempotency_key: idempotencyKey }),
    returns: sent,
    faults: sendFaults,
    scope: 'send',
    example: {
      params: {
        to: ['Ada Lovelace <ada@example.com>'],
        subject: 'Your order *|ORDER|*',
        html: '<p>Dear *|NAME|*, your order *|ORDER|* is on its way.</p>',
        values: { NAME: 'Ada', ORDER: '17' },
        tags: ['order'],
      },
    },
    prepare: (context, given) => compose(context, given),
    async run(context, _given, composed) {
      const [stored] = await storeMessages(context, [composed]);
      return { id: stored!, message_id: composed.messageId };
    },
  }),
  method({
    name: 'messageSendBatch',
    group: 'messages',
    summary: `Sends up to ${maxInBatch} single messages: all of them or, if one is wrong, none.`,
    params: params({
      messages: arrayOf(
        'The messages, each with the parameters of messageSend.',
        struct('A message.', messageParams),
        maxInBatch,
      ),
      idempotency_key: idempotencyKey,
    }),
    returns: z.array(sent).meta({ description: 'In the order of the messages.' }),
    faults: sendFaults,
    scope: 'send',
    example: {
      params: {
        messages: [
          { to: ['ada@example.com'], subject: 'Your invoice', plain: 'Dear Ada' },
          { to: ['grace@example.com'], subject: 'Your invoice', plain: 'Dear Grace' },
        ],
      },
    },
    async prepare(context, given) {
      const composed = [];
      for (const [i, message] of given.messages.entries())
        composed.push(await compose(context, message, `messages.${i}.`));
      return composed;
    },
    async run(context, _given, composed) {
      const ids = await storeMessages(context, composed);
      return ids.map((id, i) => ({ id, message_id: composed[i]!.messageId }));
    },
  }),
  method({
    name: 'messageSendRaw',
    group: 'messages',
    summary: 'Sends a message that is complete already (RFC 5322), as SMTP submission does.',
    description:
      'The body is sent as it is; opens and clicks are not counted. From must be a sender of the account. Bcc, Sender and Return-Path are removed, and so are fields that instruct a sending service (X-SMTPAPI, X-SES-…, X-Mailgun-…, X-PM-…, X-MC-… and others); Message-ID and Date are added where they are missing. Everything else is as in messageSend.',
    params: params({
      source: bytesOrText('The message: base64 in XML-RPC, otherwise its text.', 16_000_000),
      recipients: arrayOf('Who gets it, whatever To and Cc name.', line('An address.', 400), maxRecipients),
      tags: messageParams.tags,
      idempotency_key: idempotencyKey,
    }),
    returns: sent,
    faults: sendFaults,
    scope: 'send',
    example: {
      params: {
        source:
          'From: Shop <main@example.com>\r\nTo: ada@example.com\r\nSubject: Your order\r\n\r\nIt is on its way.\r\n',
        recipients: ['ada@example.com'],
      },
    },
    prepare: (context, given) => composeRaw(context, given),
    async run(context, _given, composed) {
      const [stored] = await storeMessages(context, [composed]);
      return { id: stored!, message_id: composed.messageId };
    },
  }),
  method({
    name: 'messageSendAgain',
    group: 'messages',
    summary: 'Sends a single message of the log once more, as a new message.',
    description:
      'The new message has an id, a Message-ID and a date of its own, and copy_of names the first one. Its content, links and recipients are the same. A recipient that is suppressed by now is skipped. Fails when the content is no longer kept, and for emails that the program wrote.',
    params: params({
      id: id('The message.'),
      emails: arrayOf(
        'Those of its recipients who get it; all of them by default.',
        line('An address.', 400),
        maxRecipients,
      ).default([]),
      idempotency_key: idempotencyKey,
    }),
    returns: sent,
    faults: [
      'MESSAGE_UNKNOWN',
      'ADDRESS_INVALID',
      'SENDING_NOT_ALLOWED',
      'QUOTA_USED',
      'NOT_ALLOWED',
      'CAMPAIGN_OPTION_INVALID',
    ],
    scope: 'send',
    example: { params: { id: '{{message}}' } },
    run: sendAgain,
  }),
  method({
    name: 'messageCancel',
    group: 'messages',
    summary: 'Cancels a single message that no recipient has, such as one that waits for its send_at.',
    description:
      'Its recipients are skipped with the reason cancelled. Fails when the message was handed over to a relay for a recipient, is being handed over, or may have been; a message that was deferred can be cancelled. Cancelling it again changes nothing.',
    params: params({ id: id('The message.') }),
    returns: z.boolean(),
    faults: ['MESSAGE_UNKNOWN', 'MESSAGE_STATE_CONFLICT'],
    scope: 'send',
    example: { params: { id: '{{waiting_message}}' } },
    run: cancelMessage,
  }),
  method({
    name: 'messageRender',
    group: 'messages',
    summary: 'Returns the texts of a single message with its values filled in, and sends nothing.',
    params: params(contentParams),
    returns: z.object({
      subject: z.string(),
      html: z.string(),
      plain: z.string(),
      unknown_tags: z.array(z.string()).meta({ description: 'Merge tags without a value; they are empty.' }),
    }),
    faults: ['CONTENT_INVALID', 'TEMPLATE_UNKNOWN', 'TOO_LARGE'],
    scope: 'read',
    reads: true,
    example: {
      params: { subject: 'Order *|ORDER|*', html: '<p>Dear *|NAME|*</p>', values: { ORDER: '17', NAME: 'Ada' } },
    },
    prepare: (context, given) => renderTexts(context, given),
    run: async (_context, _given, texts) => texts,
  }),
  method({
    name: 'messages',
    group: 'messages',
    summary: 'Searches the log of single messages, newest first.',
    description:
      'Emails that the program wrote (confirmations, welcomes, goodbyes, tests of campaigns) are in the log too, without their content; notices, invitations and links to set a password are shown to administrators only. Without email, a search by tag, subject, state or via covers the last 31 days unless since names an earlier time.',
    params: params({
      email: line('The address of a recipient.', 300).default(''),
      tag: line('A tag.', 60).default(''),
      subject: line('A part of the subject, in any case.', 200).default(''),
      scheduled: boolean('Only those that wait for their send_at, the next one first, however old they are.').default(
        false,
      ),
      state: unlessEmpty(oneOf('The state of one of the recipients.', stateNames)),
      via: unlessEmpty(oneOf('How it came: api, smtp, or system for emails of the program.', vias)),
      since: text('The earliest time, GMT.', 40).meta({ date: true }).default(''),
      until: text('The time before which, GMT.', 40).meta({ date: true }).default(''),
      ...paging(50, 1_000),
    }),
    returns: z.object({
      more: z.boolean().meta({ description: 'Whether there is a further page.' }),
      data: z.array(message),
    }),
    faults: ['DATE_INVALID', 'START_OUT_OF_RANGE', 'LIMIT_OUT_OF_RANGE'],
    scope: 'read',
    reads: true,
    example: { params: { email: 'ada@example.com' } },
    run: searchMessages,
  }),
  method({
    name: 'messageContent',
    group: 'messages',
    summary: 'Returns what a single message contained. The content of an email that the program wrote is not shown.',
    params: params({ id: id('The message.') }),
    returns: z.object({
      headers: z.array(z.object({ name: z.string(), value: z.string() })),
      html: z.string(),
      plain: z.string(),
      attachments: z.array(z.object({ name: z.string(), content_type: z.string(), size: z.int(), cid: z.string() })),
    }),
    faults: ['MESSAGE_UNKNOWN'],
    scope: 'read',
    reads: true,
    example: { params: { id: '{{message}}' } },
    run: (context, given) => readContent(context, given.id),
  }),
  method({
    name: 'messageGet',
    group: 'messages',
    summary: 'Returns a single message and the state of each of its recipients.',
    params: params({ id: id('The message.') }),
    returns: message,
    faults: ['MESSAGE_UNKNOWN'],
    scope: 'read',
    reads: true,
    example: { params: { id: '{{message}}' } },
    run: (context, given) => needMessage(context, given.id),
  }),
];
