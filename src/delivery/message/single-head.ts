// The header block of a single message. The same guarantees as for a campaign's: no value ends its line or adds a field.
// It has no List-Id: it is not sent to a list.
import { isAscii } from 'node:buffer';
import { headerText } from '../../campaigns/markup/escape.ts';
import { addressField, dateText, textField } from './header.ts';
import type { Head } from './render.ts';

/** The address must be one that parseAddress accepts, in ASCII. */
export type Mailbox = { name: string; email: string };

export type SingleHead = {
  from: Mailbox;
  to: readonly Mailbox[];
  cc: readonly Mailbox[];
  replyTo: readonly Mailbox[];
  subject: string;
  /** Further fields; names as RFC 5322 allows them. */
  fields: Readonly<Record<string, string>>;
  feedbackId: string;
};

export function singleHead(given: SingleHead): Head {
  return (to, partHeaders) =>
    addressField('From', given.from.name, given.from.email) +
    mailboxes('To', given.to) +
    mailboxes('Cc', given.cc) +
    mailboxes('Reply-To', given.replyTo) +
    textField('Subject', given.subject) +
    `Date: ${dateText(to.at)}\r\n` +
    `Message-ID: ${to.messageId}\r\n` +
    Object.entries(given.fields)
      .map(([name, value]) => field(name, headerText(value).trim()))
      .join('') +
    `Feedback-ID: ${given.feedbackId}\r\n` +
    `MIME-Version: 1.0\r\n${partHeaders}\r\n`;
}

/** One address a line; '' without any. */
function mailboxes(name: string, all: readonly Mailbox[]): string {
  return all
    .map((mailbox, i) => {
      const field = addressField(name, mailbox.name, mailbox.email);
      const text = i === 0 ? field : ` ${field.slice(name.length + 2)}`;
      return i === all.length - 1 ? text : `${text.slice(0, -2)},\r\n`;
    })
    .join('');
}

/** Identifiers, as in References, must stay as they are: ASCII is only folded. RFC 5322 2.1.1 allows 998 characters a line. */
function field(name: string, value: string): string {
  if (!isAscii(Buffer.from(value))) return textField(name, value);
  let text = `${name}:`;
  let column = text.length;
  for (const word of value.split(' ')) {
    const fits = column + 1 + word.length <= 76 || column === name.length + 1;
    text += fits ? ` ${word}` : `\r\n ${word}`;
    column = fits ? column + 1 + word.length : 1 + word.length;
  }
  return `${text}\r\n`;
}
