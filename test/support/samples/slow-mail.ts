// Incoming mail with one run of signs in it, wherever a reader looks for something: in each header field, in each kind of part, and
// behind each word that begins what is looked for. The run is in the place of `RUN`.

import { fetchItems } from '../../../src/returned/mailboxes/imap-fetch.ts';
import { wordsOf } from '../../../src/returned/mailboxes/refusal.ts';
import { readIncoming } from '../../../src/returned/parse/bounce.ts';
import { confirmationLink } from '../../../src/returned/parse/ses.ts';
import { needLinear } from '../run/linear-time.ts';

/** What runs are made of. */
export const runs = [
  ' ',
  '\t',
  '\n',
  '\r',
  '\n ',
  '"',
  '\\"',
  '<',
  '(',
  ')',
  '=',
  '=?',
  '>',
  ';',
  ',',
  '-',
  '@',
  ':',
  'a',
  '1',
];

const fields = [
  ...['From', 'To', 'Sender', 'Reply-To', 'Subject', 'Date', 'Message-ID', 'In-Reply-To', 'References', 'Return-Path'],
  ...['Delivered-To', 'X-Original-To', 'Envelope-To', 'X-Failed-Recipients', 'X-HmXmrOriginalRecipient'],
  ...['Auto-Submitted', 'X-Autoreply', 'Precedence', 'Content-Disposition', 'Content-Transfer-Encoding', 'Received'],
];

const head = 'From: mailer-daemon@x.example\nTo: a@x.example\nSubject: Undelivered\n';
const partOf = (type: string, body: string, more = '') =>
  `${head}Content-Type: multipart/report; boundary=b\n\n--b\nContent-Type: ${type}\n${more}\n${body}\n--b--\n`;

/** Of a complaint, all parts are read, to find out which message it is about. */
const complaintWith = (body: string) =>
  partOf('message/feedback-report', `Feedback-Type: abuse\n\n--b\nContent-Type: text/plain\n\n${body}`);

const mails: Record<string, string> = {
  'every header field': `${fields.map((name) => `${name}: RUNx`).join('\n')}\n\nx`,
  'a content type': `${head}Content-Type: multipart/mixed;RUN; boundary="RUNx\n\nx`,
  'a parameter of a content type': `${head}Content-Type: text/plain; charset=RUNx; name="RUN\n\nx`,
  'a field name': `${head}RUNx: y\n\nx`,
  'the head of a message': `RUNx`,
  ...Object.fromEntries(
    [
      'text/plain',
      'text/html',
      'message/rfc822',
      'text/rfc822-headers',
      'message/delivery-status',
      'message/feedback-report',
      'application/octet-stream',
      'multipart/mixed',
      'image/png',
    ].map((type) => [`a part of type ${type}`, partOf(type, 'aRUNx')]),
  ),
  'a Base64 part': partOf('text/plain', 'aRUNx', 'Content-Transfer-Encoding: base64\n'),
  'a quoted-printable part': partOf('text/plain', 'a=RUNx', 'Content-Transfer-Encoding: quoted-printable\n'),
  ...Object.fromEntries(
    ['Action', 'Status', 'Diagnostic-Code', 'Final-Recipient', 'Original-Recipient'].map((name) => [
      `the ${name} of a delivery status`,
      partOf('message/delivery-status', `Reporting-MTA: dns; x\n\nFinal-Recipient: rfc822; a@x.example\n${name}: RUNx`),
    ]),
  ),
  ...Object.fromEntries(
    ['Feedback-Type', 'Original-Rcpt-To', 'Original-Mail-From'].map((name) => [
      `the ${name} of a complaint`,
      partOf('message/feedback-report', `Feedback-Type: abuse\n${name}: RUNx`),
    ]),
  ),
  ...Object.fromEntries(
    [
      'Message-ID:',
      'a@x.example: 550',
      '<a@x.example>:',
      'to <',
      '----- Original message',
      '>>> MAIL FROM:',
      'mail you sent on',
      'Unknown user:',
      'user',
      '550',
      '<p',
      '{ "Message": "',
    ].flatMap((words) => [
      [`text after ${words}`, `${head}\n${words}RUNx`],
      [`text of a complaint after ${words}`, complaintWith(`${words}RUNx`)],
    ]),
  ),
};

/** What is repeated as a whole: words that begin something, without its end. */
export const repeated = [
  '>>> mail from:',
  'message-id: ',
  '<style',
  '<p ',
  '550 user ',
  'x@',
  '=?utf-8?q?',
  '--b\n',
  'a@x.example:\n',
  'Final-Recipient: x;a@b.example\n',
];

type MailReader = (run: string) => unknown;

export const mailReaders: Record<string, MailReader> = {
  ...Object.fromEntries(
    Object.entries(mails).map(([name, mail]): [string, MailReader] => [
      name,
      (run) => readIncoming(Buffer.from(mail.replaceAll('RUN', () => run))),
    ]),
  ),
  'a confirmation of Amazon SNS': (run) => confirmationLink(`{"SubscribeURL":${JSON.stringify(run)}}`),
  'a FETCH response of IMAP': (run) => [
    fetchItems([`1 FETCH (UID 1 BODY[] "${run}`]),
    fetchItems([`1 FETCH (UID 1 BODY[] ${run}`]),
    fetchItems([`1 FETCH (UID 1 BODY[] ${run}{3}`, Buffer.from('abc'), `${run})`]),
  ],
  'the words of a mail server': (run) => wordsOf(Buffer.from(`-ERR ${run}x`)),
};

/** Reads runs of all signs. @throws when four times the text takes far more than four times the time */
export async function needLinearMail(read: MailReader, bytes: number): Promise<void> {
  for (const unit of [...runs, ...repeated])
    await needLinear(JSON.stringify(unit), bytes, (length) => read(unit.repeat(length / unit.length)));
}
