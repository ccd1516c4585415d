// The parameters of a single message, shared by the methods that send and render one, and their limits.
import { z } from 'zod';
import { maxHtml } from '../campaigns/content/limits.ts';
import { named } from '../method/named.ts';
import {
  arrayOf,
  boolean,
  bytesOrText,
  contentType,
  filledLine,
  freeStruct,
  id,
  line,
  struct,
  text,
} from '../method/params.ts';
import { sendAtLimits } from './send-at.ts';

/** To, Cc and Bcc together. */
export const maxRecipients = 50;
export const maxAttachmentBytes = 10 * 1024 * 1024;
const maxAttachments = 30;

/** Headers that a call may set, besides those that begin with X-. The others are the program's, or would add recipients. */
export const settableHeaders = [
  'Auto-Submitted',
  'Importance',
  'In-Reply-To',
  'Keywords',
  'List-Unsubscribe',
  'List-Unsubscribe-Post',
  'Organization',
  'Precedence',
  'Priority',
  'References',
  'Sensitivity',
];

const mailbox = line('An address, or a name and an address: Ada Lovelace <ada@example.com>.', 400);

export const contentParams = {
  subject: line(
    'The subject; that of the template when it is missing. May contain merge tags, as html and plain may. Line breaks and tabs become spaces.',
    900,
  ).default(''),
  html: text('The HTML.', maxHtml).default(''),
  plain: text('The plain text; made from the HTML when it is missing.', maxHtml).default(''),
  template: line('The alias of a saved template, instead of html.', 64).default(''),
  template_id: id('The id of a saved template, instead of html.').default(''),
  values: freeStruct(
    'What replaces the merge tags, by name: with ORDER: "17", *|ORDER|* becomes 17. A value may be an object, with *|ORDER:customer.name|* for a member, or a list, whose items *|EACH:ITEMS|* … *|ITEM:name|* … *|END:EACH|* repeats. Each value is escaped for its place. A tag without a value is empty.',
  ).default({}),
  from_name: line('The name of the sender; by default the company or name of the account.', 200).default(''),
  track_opens: boolean('Whether opens are counted.').default(true),
  track_clicks: boolean('Whether clicks on links in the HTML are counted.').default(true),
};

export const messageParams = {
  to: arrayOf('The recipients.', mailbox, maxRecipients),
  ...contentParams,
  cc: arrayOf('Further recipients, shown to all.', mailbox, maxRecipients).default([]),
  bcc: arrayOf('Further recipients, shown to no one.', mailbox, maxRecipients).default([]),
  from_email: line('The address of the sender; by default the address of the account.', 300).default(''),
  reply_to: arrayOf('Where replies go; by default to the sender.', mailbox, 10).default([]),
  headers: freeStruct(
    `Further headers by name: ${settableHeaders.join(', ')}, and any that begins with X-, except those that instruct a sending service, such as X-SMTPAPI or X-Mailgun-Tag.`,
  ).default({}),
  attachments: arrayOf(
    `Files, of at most ${maxAttachmentBytes / 1024 / 1024} MiB together.`,
    named(
      'MessageAttachment',
      struct('A file.', {
        name: filledLine('The name of the file.', 200),
        content: bytesOrText('The content: base64, or text in Base64.', 20_000_000),
        content_type: contentType('Its type, such as application/pdf.').default(''),
        cid: line('For a picture that the HTML shows as cid:NAME, that name.', 100).default(''),
      }),
    ),
    maxAttachments,
  ).default([]),
  send_at: line(
    `When it is sent, as YYYY-MM-DD HH:MM:SS in GMT or with an offset such as +0100; at most ${sendAtLimits.days} days ahead. Empty: at once.`,
    40,
  )
    .meta({ date: true })
    .default(''),
  tags: arrayOf('Words to find the message by.', filledLine('A word.', 60), 10).default([]),
};

/** Messages of one messageSendBatch. */
export const maxInBatch = 100;

const shape = z.object(messageParams);
export type GivenMessage = z.output<typeof shape>;
