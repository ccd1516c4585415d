// Notices of non-delivery, complaints and automatic replies in the manner of the mail systems that write them, made
// from a few templates and many reasons. All texts are our own; the forms are those of the systems named.
// Each sample says what a reader must make of it.
import type { BounceClass } from '../../../src/relays/verdict/rules.ts';

export interface Sample {
  name: string;
  /** With LF as line end. */
  raw: string;
  kind: 'dsn' | 'arf' | 'auto-reply' | 'none';
  /** Address and class of each recipient, for a notice. */
  recipients?: [address: string, found: BounceClass | null][];
  /** False when nothing of the original mail is in it. */
  hasId?: boolean;
  feedbackType?: string;
}

export const originalId = '<c0000001.42@mail.shop.example>';
export const returnPath = 'b1f00dfeed0042@bounces.shop.example';

const originalHead = `Return-Path: <${returnPath}>
Received: from worker (worker.shop.example [192.0.2.7]) by mx.shop.example with ESMTPS; Thu, 1 Oct 2026 12:00:00 +0000
From: "The Shop" <news@shop.example>
To: <joe@reader.example>
Subject: News of the week
Date: Thu, 01 Oct 2026 12:00:00 +0000
Message-ID: ${originalId}
List-Unsubscribe: <https://mail.shop.example/u/token>
MIME-Version: 1.0
Content-Type: text/plain; charset=utf-8
`;
const originalMail = `${originalHead}
Hello Joe, user unknown is what nobody likes to read. Contact help@shop.example, 550 times a day.
`;

/** What servers say, and what it means. `{}` stands for the address. */
export const reasons: { status: string; words: string; found: BounceClass }[] = [
  {
    status: '5.1.1',
    words: '550 5.1.1 <{}>: Recipient address rejected: User unknown in virtual mailbox table',
    found: 'hard',
  },
  {
    status: '5.1.1',
    words: '550-5.1.1 The email account that you tried to reach does not exist. Please try double-checking',
    found: 'hard',
  },
  { status: '5.1.2', words: '550 5.1.2 Host unknown (Name server: nowhere.example: host not found)', found: 'hard' },
  { status: '5.1.3', words: '553 5.1.3 The recipient address is not a valid RFC 5321 address', found: 'hard' },
  { status: '5.1.6', words: '551 5.1.6 User has moved and left no address', found: 'hard' },
  {
    status: '5.1.10',
    words: '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup',
    found: 'hard',
  },
  { status: '5.2.1', words: '550 5.2.1 The email account that you tried to reach is disabled', found: 'hard' },
  {
    status: '5.4.4',
    words: 'Host or domain name not found. Name service error for name=nowhere.example type=A',
    found: 'hard',
  },
  { status: '5.4.1', words: '550 5.4.1 Recipient address rejected: Access denied. AS(201806281)', found: 'hard' },
  { status: '5.0.0', words: '550 No such user here', found: 'hard' },
  { status: '5.0.0', words: "554 delivery error: This user doesn't have a reader.example account ({})", found: 'hard' },
  { status: '5.5.0', words: '550 Requested action not taken: mailbox unavailable', found: 'generic' },
  { status: '5.2.2', words: '552 5.2.2 The email account that you tried to reach is over quota', found: 'soft' },
  { status: '4.2.2', words: '452 4.2.2 Mailbox full', found: 'soft' },
  { status: '5.2.3', words: '552 5.2.3 Message length exceeds administrative limit', found: 'soft' },
  { status: '5.3.4', words: '552 5.3.4 Message size exceeds fixed limit', found: 'soft' },
  { status: '5.0.0', words: '550 The mailbox is full and cannot take your message', found: 'soft' },
  {
    status: '5.7.1',
    words: '550 5.7.1 Service unavailable; client host [192.0.2.7] blocked using a DNS blocklist',
    found: 'blocked',
  },
  { status: '5.7.1', words: '554 5.7.1 <{}>: Relay access denied', found: 'blocked' },
  { status: '5.7.1', words: '550 5.7.1 Message rejected as spam by content filtering', found: 'blocked' },
  {
    status: '5.7.26',
    words: '550-5.7.26 Unauthenticated email is not accepted due to the DMARC policy of the domain',
    found: 'blocked',
  },
  {
    status: '5.7.23',
    words: '550 5.7.23 The message was rejected because of Sender Policy Framework violation',
    found: 'blocked',
  },
  {
    status: '5.7.124',
    words: '550 5.7.124 RESOLVER.RST.SenderNotInAllowedSenders; not in the allowed senders list',
    found: 'blocked',
  },
  { status: '5.1.8', words: '553 5.1.8 Domain of sender address does not resolve', found: 'blocked' },
  { status: '5.0.0', words: '554 Transaction failed: poor reputation of the sending host', found: 'blocked' },
  { status: '4.4.1', words: 'connect to mx.reader.example[192.0.2.9]:25: Connection timed out', found: 'temporary' },
  {
    status: '4.7.1',
    words: '450 4.7.1 <{}>: Recipient address rejected: Greylisted, try again in 5 minutes',
    found: 'temporary',
  },
  { status: '4.3.2', words: '421 4.3.2 System is not accepting network messages', found: 'temporary' },
  {
    status: '4.2.1',
    words: '450 4.2.1 The user you are trying to contact is receiving mail too quickly',
    found: 'temporary',
  },
  { status: '5.4.7', words: 'Delivery time expired', found: 'temporary' },
  { status: '5.3.0', words: '554 5.3.0 Something went wrong in here', found: 'generic' },
  { status: '5.6.0', words: '554 5.6.0 The message could not be converted', found: 'generic' },
  { status: '5.4.6', words: '554 5.4.6 Too many hops, a routing loop', found: 'generic' },
  { status: '5.5.2', words: '500 5.5.2 Syntax error', found: 'generic' },
];

interface ReportOptions {
  from: string;
  subject: string;
  text: string;
  /** The machine-readable part, its fields. */
  status: string;
  original?: 'message' | 'head' | 'none';
  head?: string;
  statusType?: string;
  encoding?: '7bit' | 'base64' | 'quoted-printable';
}

/** A multipart/report of RFC 6522. */
export function report(options: ReportOptions): string {
  const boundary = '=_report_1';
  const encoding = options.encoding ?? '7bit';
  const original =
    options.original === 'none'
      ? ''
      : options.original === 'head'
        ? `--${boundary}\nContent-Type: text/rfc822-headers\n\n${originalHead}\n`
        : `--${boundary}\nContent-Description: Undelivered Message\nContent-Type: message/rfc822\n\n${originalMail}\n`;
  return `Return-Path: <>
From: ${options.from}
To: ${returnPath}
Subject: ${options.subject}
Date: Thu, 1 Oct 2026 12:05:00 +0000
Message-ID: <20261001120500.1@mx.reader.example>
Auto-Submitted: auto-replied
${options.head ?? ''}MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status;
 boundary="${boundary}"

This is a MIME-encapsulated message.

--${boundary}
Content-Description: Notification
Content-Type: text/plain; charset=utf-8

${options.text}

--${boundary}
Content-Description: Delivery report
Content-Type: ${options.statusType ?? 'message/delivery-status'}
Content-Transfer-Encoding: ${encoding}

${encoded(options.status, encoding)}

${original}--${boundary}--
`;
}

function encoded(text: string, encoding: NonNullable<ReportOptions['encoding']>): string {
  if (encoding === 'base64') {
    const wire = text.replace(/\n/g, '\r\n');
    return (
      Buffer.from(wire)
        .toString('base64')
        .match(/.{1,76}/g) ?? []
    ).join('\n');
  }
  if (encoding === 'quoted-printable') {
    const lines = text.replace(/=/g, '=3D').split('\n');
    // Broken in the middle as well, where a reader must join it.
    return lines.map((line) => (line.length > 40 ? `${line.slice(0, 38)}=\n${line.slice(38)}` : line)).join('\n');
  }
  return text;
}

const user = 'joe@reader.example';
const filled = (words: string, address = user): string => words.replaceAll('{}', address);
const folded = (words: string): string => words.replace(/^(.{30,60}) /, '$1\n    ');

type Reason = (typeof reasons)[number];

/** How each system writes a standard report. */
const systems: Record<string, (reason: Reason) => ReportOptions> = {
  postfix: ({ status, words }) => ({
    from: 'MAILER-DAEMON@mx.reader.example (Mail Delivery System)',
    subject: 'Undelivered Mail Returned to Sender',
    text: `This is the mail system at host mx.reader.example.\n\nYour message could not be delivered to one or more recipients.\nIt is attached below.\n\n<${user}>: host mail.reader.example[192.0.2.9] said: ${filled(words)} (in\n    reply to RCPT TO command)`,
    status: `Reporting-MTA: dns; mx.reader.example\nX-Postfix-Queue-ID: 4F1A2\nX-Postfix-Sender: rfc822; ${returnPath}\nArrival-Date: Thu,  1 Oct 2026 12:00:01 +0000 (UTC)\n\nFinal-Recipient: rfc822; ${user}\nOriginal-Recipient: rfc822;${user}\nAction: failed\nStatus: ${status}\nRemote-MTA: dns; mail.reader.example\nDiagnostic-Code: smtp; ${folded(filled(words))}`,
  }),
  exim: ({ status, words }) => ({
    from: 'Mail Delivery System <Mailer-Daemon@mx.reader.example>',
    subject: 'Mail delivery failed: returning message to sender',
    head: `X-Failed-Recipients: ${user}\n`,
    text: `This message was created automatically by mail delivery software.\n\nA message that you sent could not be delivered to one or more of its\nrecipients. This is a permanent error. The following address(es) failed:\n\n  ${user}\n    host mail.reader.example [192.0.2.9]\n    SMTP error from remote mail server after RCPT TO:<${user}>:\n    ${filled(words)}`,
    status: `Reporting-MTA: dns; mx.reader.example\n\nAction: failed\nFinal-Recipient: rfc822;${user}\nStatus: ${status}\nRemote-MTA: dns; mail.reader.example\nDiagnostic-Code: smtp; ${filled(words)}`,
  }),
  sendmail: ({ status, words }) => ({
    from: 'Mail Delivery Subsystem <MAILER-DAEMON@mx.reader.example>',
    subject: 'Returned mail: see transcript for details',
    text: `The original message was received at Thu, 1 Oct 2026 12:00:00 GMT\nfrom worker.shop.example [192.0.2.7]\n\n   ----- The following addresses had permanent fatal errors -----\n<${user}>\n    (reason: ${filled(words)})\n\n   ----- Transcript of session follows -----\n... while talking to mail.reader.example.:\n>>> DATA\n<<< ${filled(words)}`,
    status: `Reporting-MTA: dns; mx.reader.example\nReceived-From-MTA: DNS; worker.shop.example\nArrival-Date: Thu, 1 Oct 2026 12:00:00 GMT\n\nFinal-Recipient: RFC822; ${user}\nAction: failed\nStatus: ${status}\nRemote-MTA: DNS; mail.reader.example\nDiagnostic-Code: SMTP; ${filled(words)}\nLast-Attempt-Date: Thu, 1 Oct 2026 12:00:02 GMT`,
    original: 'head',
  }),
  exchange: ({ status, words }) => ({
    from: 'Microsoft Outlook <MicrosoftExchange329e71ec88ae4615bbc36ab6ce41109e@reader.example>',
    subject: 'Undeliverable: News of the week',
    head: `In-Reply-To: ${originalId}\nX-MS-Exchange-Message-Is-Ndr:\n`,
    text: `Delivery has failed to these recipients or groups:\n\n${user}<mailto:${user}>\n${filled(words)}\n\nDiagnostic information for administrators:\n\nGenerating server: EX01.reader.example`,
    status: `Reporting-MTA: dns;EX01.reader.example\nReceived-From-MTA: dns;mx.reader.example\nArrival-Date: Thu, 1 Oct 2026 12:00:01 +0000\n\nFinal-Recipient: rfc822;${user}\nAction: failed\nStatus: ${status}\nDiagnostic-Code: smtp;${filled(words)}\nX-Display-Name: Joe Reader`,
  }),
  gmail: ({ status, words }) => ({
    from: 'Mail Delivery Subsystem <mailer-daemon@googlemail.example>',
    subject: 'Delivery Status Notification (Failure)',
    head: `X-Failed-Recipients: ${user}\nReferences: ${originalId}\nIn-Reply-To: ${originalId}\n`,
    text: `** Address not found **\n\nYour message wasn't delivered to ${user}.\n\nThe response from the remote server was:\n${filled(words)}`,
    status: `Reporting-MTA: dns; googlemail.example\nReceived-From-MTA: dns; ${returnPath}\nArrival-Date: Thu, 01 Oct 2026 05:00:01 -0700 (PDT)\nX-Original-Message-ID: ${originalId}\n\nFinal-Recipient: rfc822; ${user}\nAction: failed\nStatus: ${status}\nRemote-MTA: dns; mail.reader.example. (192.0.2.9, the server for the domain.)\nDiagnostic-Code: smtp; ${filled(words)}\nLast-Attempt-Date: Thu, 01 Oct 2026 05:00:02 -0700 (PDT)`,
  }),
  'status with words and no diagnostic': ({ status, words }) => ({
    from: 'postmaster@reader.example',
    subject: 'Delivery failure',
    text: 'Your mail was not delivered.',
    status: `Reporting-MTA: x-local-hostname; reader\n\nFinal-Recipient: rfc822;${user}\nAction: Failed\nStatus: ${status} (${filled(words)})\nDiagnostic-Code: X-Notes; ${filled(words)}`,
    original: 'head',
  }),
};

export const standard: Sample[] = Object.entries(systems).flatMap(([system, write]) =>
  reasons.map((reason) => ({
    name: `${system}: ${reason.words}`,
    raw: report(write(reason)),
    kind: 'dsn' as const,
    recipients: [[user, reason.found]] as Sample['recipients'] & object,
  })),
);

const postfixReport = systems['postfix']!(reasons[0]!);
const eximReport = systems['exim']!(reasons[0]!);
const group = (address: string, action: string, status: string, words = ''): string =>
  `Final-Recipient: rfc822; ${address}\nAction: ${action}\nStatus: ${status}${words ? `\nDiagnostic-Code: smtp; ${words}` : ''}`;
const reportOf = (status: string, more: Partial<ReportOptions> = {}): string =>
  report({ ...postfixReport, status, ...more });

/** Standard reports that use what the standard allows, or break it in a way that is met. */
export const unusual: Sample[] = [
  ...(['base64', 'quoted-printable'] as const).map((encoding) => ({
    name: `status part as ${encoding}`,
    raw: report({ ...postfixReport, encoding }),
    kind: 'dsn' as const,
    recipients: [[user, 'hard']] as [string, BounceClass][],
  })),
  {
    name: 'several recipients with different fates',
    raw: reportOf(
      [
        'Reporting-MTA: dns; mx',
        group('a@x.example', 'failed', '5.1.1'),
        group('b@x.example', 'failed', '5.2.2'),
        group('c@x.example', 'delayed', '4.4.1'),
        group('d@x.example', 'delivered', '2.1.5'),
        group('e@x.example', 'relayed', '2.1.9'),
        group('f@x.example', 'expanded', '2.1.5'),
      ].join('\n\n'),
    ),
    kind: 'dsn',
    recipients: [
      ['a@x.example', 'hard'],
      ['b@x.example', 'soft'],
      ['c@x.example', 'temporary'],
      ['d@x.example', null],
      ['e@x.example', null],
      ['f@x.example', null],
    ],
  },
  {
    name: 'no empty line between the groups',
    raw: reportOf(
      `Reporting-MTA: dns; mx\n${group('a@x.example', 'failed', '5.1.1')}\n${group('b@x.example', 'failed', '5.7.1', 'spam')}`,
    ),
    kind: 'dsn',
    recipients: [
      ['a@x.example', 'hard'],
      ['b@x.example', 'blocked'],
    ],
  },
  {
    name: 'an empty line inside a group of fields',
    raw: reportOf(`Reporting-MTA: dns; mx\n\n\n\n${group('a@x.example', 'failed', '5.1.1')}`),
    kind: 'dsn',
    recipients: [['a@x.example', 'hard']],
  },
  {
    name: 'no fields for the message',
    raw: reportOf(group('a@x.example', 'failed', '5.1.1')),
    kind: 'dsn',
    recipients: [['a@x.example', 'hard']],
  },
  {
    name: 'fields in another order and case',
    raw: reportOf(`reporting-mta: dns; mx\n\nSTATUS: 5.1.1\nACTION: FAILED\nfinal-recipient: RFC822; a@x.example`),
    kind: 'dsn',
    recipients: [['a@x.example', 'hard']],
  },
  {
    name: 'a warning of a delay',
    raw: reportOf(
      `Reporting-MTA: dns; mx\n\n${group(user, 'delayed', '4.4.1', 'connection timed out')}\nWill-Retry-Until: Tue, 6 Oct 2026 12:00:00 +0000`,
      { subject: 'Delayed Mail (still being retried)' },
    ),
    kind: 'dsn',
    recipients: [[user, 'temporary']],
  },
  {
    name: 'a delay with a code of class 5',
    raw: reportOf(`Reporting-MTA: dns; mx\n\n${group(user, 'delayed', '5.1.1')}`),
    kind: 'dsn',
    recipients: [[user, 'temporary']],
  },
  {
    name: 'a confirmation of delivery',
    raw: reportOf(`Reporting-MTA: dns; mx\n\n${group(user, 'delivered', '2.0.0', '250 2.1.5 ok')}`, {
      subject: 'Successful Mail Delivery Report',
    }),
    kind: 'dsn',
    recipients: [[user, null]],
  },
  {
    name: 'no action, the code tells',
    raw: reportOf(`Reporting-MTA: dns; mx\n\nFinal-Recipient: rfc822; ${user}\nStatus: 5.1.1`),
    kind: 'dsn',
    recipients: [[user, 'hard']],
  },
  {
    name: 'no status, the words tell',
    raw: reportOf(
      `Reporting-MTA: dns; mx\n\nFinal-Recipient: rfc822; ${user}\nAction: failed\nDiagnostic-Code: smtp; 550 5.2.2 mailbox full`,
    ),
    kind: 'dsn',
    recipients: [[user, 'soft']],
  },
  {
    name: 'a status that says nothing, the words tell',
    raw: reportOf(`Reporting-MTA: dns; mx\n\n${group(user, 'failed', '5.0.0', '550 5.1.1 unknown')}`),
    kind: 'dsn',
    recipients: [[user, 'hard']],
  },
  {
    name: 'an original recipient alone, with + in xtext',
    raw: reportOf(
      `Reporting-MTA: dns; mx\n\nOriginal-Recipient: rfc822;joe+2Btag@reader.example\nAction: failed\nStatus: 5.1.1`,
    ),
    kind: 'dsn',
    recipients: [['joe+tag@reader.example', 'hard']],
  },
  {
    name: 'a forwarded address, the original one beside it',
    raw: reportOf(
      `Reporting-MTA: dns; mx\n\nOriginal-Recipient: rfc822;${user}\nFinal-Recipient: rfc822; joseph@elsewhere.example\nAction: failed\nStatus: 5.1.1`,
    ),
    kind: 'dsn',
    recipients: [['joseph@elsewhere.example', 'hard']],
  },
  {
    name: 'no recipient but in the head',
    raw: report({ ...eximReport, status: 'Reporting-MTA: dns; mx\n\nAction: failed\nStatus: 5.1.1' }),
    kind: 'dsn',
    recipients: [[user, 'hard']],
  },
  {
    name: 'no recipient anywhere',
    raw: reportOf('Reporting-MTA: dns; mx\n\nAction: failed\nStatus: 5.1.1'),
    kind: 'dsn',
    recipients: [['', 'hard']],
  },
  {
    name: 'an international report',
    raw: reportOf(
      `Reporting-MTA: dns; mx\n\nFinal-Recipient: utf-8; пользователь@пример.рф\nAction: failed\nStatus: 5.1.1`,
      { statusType: 'message/global-delivery-status' },
    ),
    kind: 'dsn',
    recipients: [['пользователь@пример.рф', 'hard']],
  },
  {
    name: 'an international address in ASCII letters',
    raw: reportOf(
      `Reporting-MTA: dns; mx\n\nFinal-Recipient: utf-8; d\\x{F6}rte@reader.example\nAction: failed\nStatus: 5.1.1`,
    ),
    kind: 'dsn',
    recipients: [['dörte@reader.example', 'hard']],
  },
  {
    name: 'in angle brackets',
    raw: reportOf(`Reporting-MTA: dns; mx\n\nFinal-Recipient: rfc822; <${user}>\nAction: failed\nStatus: 5.1.1`),
    kind: 'dsn',
    recipients: [[user, 'hard']],
  },
  {
    name: 'without the original mail',
    raw: report({ ...postfixReport, original: 'none' }),
    kind: 'dsn',
    recipients: [[user, 'hard']],
    hasId: false,
  },
  {
    name: 'with the head of the original mail',
    raw: report({ ...postfixReport, original: 'head' }),
    kind: 'dsn',
    recipients: [[user, 'hard']],
  },
  {
    name: 'not called a report',
    raw: report(postfixReport).replace('multipart/report; report-type=delivery-status;', 'multipart/mixed;'),
    kind: 'dsn',
    recipients: [[user, 'hard']],
  },
  {
    name: 'the boundary not closed',
    raw: report(postfixReport).replace(/--=_report_1--\n$/, ''),
    kind: 'dsn',
    recipients: [[user, 'hard']],
  },
  {
    name: 'cut short within the original mail',
    raw: report(postfixReport).slice(0, -180),
    kind: 'dsn',
    recipients: [[user, 'hard']],
  },
  {
    name: 'another boundary than announced',
    raw: report(postfixReport).replace('boundary="=_report_1"', 'boundary="other"'),
    kind: 'dsn',
    recipients: [[user, 'hard']],
  },
  {
    name: 'no boundary announced',
    raw: report(postfixReport).replace(';\n boundary="=_report_1"', ''),
    kind: 'dsn',
    recipients: [[user, 'hard']],
  },
  {
    name: 'a boundary without quotation marks',
    raw: report(postfixReport).replace('boundary="=_report_1"', 'boundary==_report_1'),
    kind: 'dsn',
    recipients: [[user, 'hard']],
  },
  {
    name: 'a boundary in two pieces',
    raw: report(postfixReport).replace('boundary="=_report_1"', 'boundary*0="=_rep";\n boundary*1="ort_1"'),
    kind: 'dsn',
    recipients: [[user, 'hard']],
  },
  {
    name: 'space after the boundaries',
    raw: report(postfixReport).replaceAll('--=_report_1\n', '--=_report_1  \n'),
    kind: 'dsn',
    recipients: [[user, 'hard']],
  },
  {
    name: 'types in capitals',
    raw: report(postfixReport)
      .replace('message/delivery-status', 'MESSAGE/Delivery-Status')
      .replace('multipart/report', 'Multipart/REPORT'),
    kind: 'dsn',
    recipients: [[user, 'hard']],
  },
  {
    name: 'a mailbox line before the head',
    raw: `From MAILER-DAEMON Thu Oct  1 12:05:00 2026\n${report(postfixReport)}`,
    kind: 'dsn',
    recipients: [[user, 'hard']],
  },
  {
    name: 'empty lines before the head',
    raw: `\n\n${report(postfixReport)}`,
    kind: 'dsn',
    recipients: [[user, 'hard']],
  },
  {
    name: 'wrapped by a relay that adds a disclaimer',
    raw: wrapped(report(postfixReport)),
    kind: 'dsn',
    recipients: [[user, 'hard']],
  },
  { name: 'wrapped twice', raw: wrapped(wrapped(report(postfixReport))), kind: 'dsn', recipients: [[user, 'hard']] },
];

/** The body of a mail inside a multipart/mixed, with a disclaimer after it. */
function wrapped(raw: string): string {
  const type = /^Content-Type: .*(\n[ \t].*)*/m.exec(raw)![0];
  const [head, ...rest] = raw.split('\n\n');
  const outer = `=_outer_${raw.length}`;
  return `${head!.replace(type, `Content-Type: multipart/mixed; boundary="${outer}"`)}\n\n--${outer}\n${type}\n\n${rest.join('\n\n')}\n--${outer}\nContent-Type: text/plain\n\nThis mail is confidential. Write to office@reader.example.\n--${outer}--\n`;
}

const notice = (from: string, subject: string, body: string, head = ''): string =>
  `Return-Path: <>\nFrom: ${from}\nTo: ${returnPath}\nSubject: ${subject}\nDate: Thu, 1 Oct 2026 12:05:00 +0000\n${head}\n${body}\n`;

/** Systems that write for people only. */
const writers: Record<string, (reason: Reason) => string> = {
  qmail: ({ status, words }) =>
    notice(
      'MAILER-DAEMON@mx.reader.example',
      'failure notice',
      `Hi. This is the qmail-send program at mx.reader.example.\nI'm afraid I wasn't able to deliver your message to the following addresses.\nThis is a permanent error; I've given up. Sorry it didn't work out.\n\n<${user}>:\n192.0.2.9 does not like recipient.\nRemote host said: ${filled(words)}\nGiving up on 192.0.2.9. (#${status})\n\n--- Below this line is a copy of the message.\n\n${originalMail}`,
    ),
  'old Exim': ({ words }) =>
    notice(
      'Mail Delivery System <Mailer-Daemon@mx.reader.example>',
      'Mail delivery failed: returning message to sender',
      `This message was created automatically by mail delivery software.\n\nA message that you sent could not be delivered to one or more of its\nrecipients. This is a permanent error. The following address(es) failed:\n\n  ${user}\n    SMTP error from remote mail server after RCPT TO:<${user}>:\n    host mail.reader.example [192.0.2.9]: ${filled(words)}\n\n------ This is a copy of the message, including all the headers. ------\n\n${originalMail}`,
      `X-Failed-Recipients: ${user}\n`,
    ),
  'old sendmail': ({ words }) =>
    notice(
      'Mail Delivery Subsystem <MAILER-DAEMON@mx.reader.example>',
      'Returned mail: User unknown',
      `The original message was received at Thu, 1 Oct 2026 12:00:00 GMT\nfrom worker.shop.example [192.0.2.7]\n\n   ----- The following addresses had permanent fatal errors -----\n<${user}>\n\n   ----- Transcript of session follows -----\n... while talking to mail.reader.example.:\n>>> RCPT To:<${user}>\n<<< ${filled(words)}\n\n   ----- Original message follows -----\n\n${originalMail}`,
    ),
  'old Exchange': ({ status, words }) =>
    notice(
      'System Administrator <postmaster@reader.example>',
      'Undeliverable: News of the week',
      `Your message did not reach some or all of the intended recipients.\n\n      Subject:  News of the week\n      Sent:     10/1/2026 12:00 PM\n\nThe following recipient(s) could not be reached:\n\n      ${user} on 10/1/2026 12:00 PM\n            ${filled(words)}\n            <mx.reader.example #${status} smtp;${filled(words)}>\n`,
    ),
  'Exchange of 2007': ({ status, words }) =>
    notice(
      'postmaster@reader.example',
      'Undeliverable: News of the week',
      `Delivery has failed to these recipients or distribution lists:\n\n${user}\nThe mail system reports the following.\n\n________________________________\nDiagnostic information for administrators:\n\nGenerating server: reader.example\n\n${user}\n#${status} smtp; ${filled(words)} ##\n\nOriginal message headers:\n\n${originalHead}`,
    ),
  'a small appliance': ({ words }) =>
    notice(
      'Postmaster <postmaster@box.reader.example>',
      'Mail could not be delivered',
      `The message could not be sent to:\n\n - ${user}: ${filled(words)}\n\nOriginal message headers:\n${originalHead}`,
    ),
  'a page of HTML': ({ words }) =>
    notice(
      'Mail Delivery System <mailer-daemon@reader.example>',
      'Undelivered mail',
      `<html><head><style>p { color: red } a@b.example { 550 5.1.1 }</style></head><body><p>Your mail did not arrive.</p><table><tr><td>&lt;${user}&gt;</td></tr><tr><td>${filled(words).replace('<', '&lt;').replace('>', '&gt;')}</td></tr></table></body></html>`,
      'MIME-Version: 1.0\nContent-Type: text/html; charset=utf-8\n',
    ),
};

export const written: Sample[] = Object.entries(writers).flatMap(([system, write]) =>
  reasons.map((reason) => ({
    name: `${system}: ${reason.words}`,
    raw: write(reason),
    kind: 'dsn' as const,
    recipients: [[user, reason.found]] as [string, BounceClass][],
    hasId: !/old Exchange|HTML/.test(system),
  })),
);

const daemon = 'MAILER-DAEMON@mx.reader.example';
/** Other tongues, and several recipients. */
const tongues: [string, string, string, BounceClass][] = [
  [
    'German, unknown',
    'Unzustellbar: Neues',
    `Ihre Nachricht konnte nicht zugestellt werden.\n\n<${user}>: Benutzer unbekannt`,
    'hard',
  ],
  [
    'German, full',
    'Unzustellbar: Neues',
    `Ihre Nachricht konnte nicht zugestellt werden.\n\n<${user}>: Das Postfach des Empfängers ist voll`,
    'soft',
  ],
  [
    'French, unknown',
    'Message non remis',
    `Votre message n'a pas pu être remis.\n\n${user} : l'adresse n'existe pas`,
    'hard',
  ],
  [
    'French, full',
    'Message non remis',
    `Votre message n'a pas pu être remis.\n\n${user} : la boîte aux lettres est pleine`,
    'soft',
  ],
  [
    'Spanish, unknown',
    'Mensaje no entregado',
    `No se pudo entregar su mensaje.\n\n${user}: el usuario no existe`,
    'hard',
  ],
  [
    'Spanish, full',
    'Mensaje no entregado',
    `No se pudo entregar su mensaje.\n\n${user}: buzón del destinatario lleno`,
    'soft',
  ],
  [
    'Italian, unknown',
    'Mancato recapito',
    `Il messaggio non è stato recapitato.\n\n${user}: utente sconosciuto`,
    'hard',
  ],
  [
    'Portuguese, unknown',
    'Mensagem não entregue',
    `A mensagem não foi entregue.\n\n${user}: o usuário não existe`,
    'hard',
  ],
  ['Dutch, unknown', 'Niet bezorgd', `Uw bericht is niet bezorgd.\n\n${user}: het adres bestaat niet`, 'hard'],
  ['Polish, unknown', 'Nie dostarczono', `Wiadomość nie została dostarczona.\n\n${user}: adres nie istnieje`, 'hard'],
  ['Russian, unknown', 'Письмо не доставлено', `Письмо не доставлено.\n\n${user}: пользователь не существует`, 'hard'],
  ['Russian, full', 'Письмо не доставлено', `Письмо не доставлено.\n\n${user}: почтовый ящик переполнен`, 'soft'],
  ['Japanese, unknown', '配信不能', `メールを配信できませんでした。\n\n${user}: ユーザーは存在しません`, 'hard'],
  ['Chinese, unknown', '退信', `您的邮件无法投递。\n\n${user}: 收件人邮箱不存在`, 'hard'],
];

export const tongued: Sample[] = [
  ...tongues.map(([name, subject, body, found]) => ({
    name,
    raw: notice(
      daemon,
      `=?utf-8?B?${Buffer.from(subject).toString('base64')}?=`,
      body,
      'Content-Type: text/plain; charset=utf-8\n',
    ),
    kind: 'dsn' as const,
    recipients: [[user, found]] as [string, BounceClass][],
    hasId: false,
  })),
  {
    name: 'qmail, three addresses with three reasons',
    raw: notice(
      daemon,
      'failure notice',
      `Hi. This is the qmail-send program at mx.reader.example.\nI'm afraid I wasn't able to deliver your message to the following addresses.\n\n<a@x.example>:\nSorry, no mailbox here by that name. (#5.1.1)\n\n<b@x.example>:\nThe user's mailbox is over quota. (#5.2.2)\n\n<c@x.example>:\nRemote host said: 554 blocked using a blocklist\n\n--- Below this line is a copy of the message.\n\n${originalMail}`,
    ),
    kind: 'dsn',
    recipients: [
      ['a@x.example', 'hard'],
      ['b@x.example', 'soft'],
      ['c@x.example', 'blocked'],
    ],
  },
  {
    name: 'Exim, a warning of a delay',
    raw: notice(
      `Mail Delivery System <${daemon}>`,
      'Warning: message 1abc delayed 24 hours',
      `This message was created automatically by mail delivery software.\nA message that you sent has not yet been delivered to one or more of its\nrecipients after more than 24 hours on the queue.\n\nThe address to which the message has not yet been delivered is:\n\n  ${user}\n\nNo action is required on your part. Attempts will go on for some time. If it fails\nfor good, the message will be returned to you.`,
      `X-Failed-Recipients: ${user}\n`,
    ),
    kind: 'dsn',
    recipients: [[user, 'temporary']],
    hasId: false,
  },
  {
    name: 'Google Groups, no permission to post',
    raw: notice(
      'Mail Delivery Subsystem <mailer-daemon@googlemail.example>',
      'Delivery Status Notification (Failure)',
      `Hello ${returnPath},\n\nThe group you wrote to (team) may not exist, or you may not have permission to\npost to it. A few reasons why your message was not posted:\n\n * The group name is spelled wrong.\n * This group is not open to posting.\n\nThanks,\n\nreader.example admins\n\n----- Original message -----\n\n${originalMail}`,
      `X-Failed-Recipients: ${user}\nAuto-Submitted: auto-replied\n`,
    ),
    kind: 'dsn',
    recipients: [[user, 'blocked']],
  },
  {
    name: 'DragonFly, giving up',
    raw: notice(
      'MAILER-DAEMON <>',
      'Mail delivery failed',
      `This is the DragonFly Mail Agent v0.13 at mx.reader.example.\n\nThere was an error delivering your mail to <${user}>.\n\nNot delivered for the last 432000 seconds, giving up.\n\nMessage headers follow.\n\n${originalHead}`,
    ),
    kind: 'dsn',
    recipients: [[user, 'temporary']],
  },
  {
    name: 'Yahoo, after several attempts',
    raw: notice(
      'MAILER-DAEMON@yahoo.example',
      'Failure Notice',
      `Sorry, this message did not reach its recipient.\n\n<${user}>:\nNo delivery after multiple retries, giving up.\n\n--- Below this line is a copy of the message.\n\n${originalMail}`,
    ),
    kind: 'dsn',
    recipients: [[user, 'temporary']],
  },
  {
    name: 'Exim, no PTR record',
    raw: notice(
      `Mail Delivery System <${daemon}>`,
      'Mail delivery failed',
      `This message was created automatically by mail delivery software.\n\n  ${user}\n    host mx.reader.example [192.0.2.9]\n    SMTP error from remote mail server after initial connection:\n    554-No SMTP service\n    554 bad PTR record of 192.0.2.7`,
      `X-Failed-Recipients: ${user}\n`,
    ),
    kind: 'dsn',
    recipients: [[user, 'blocked']],
    hasId: false,
  },
  {
    name: 'Exim, no reason but the failed recipient in the head',
    raw: notice(
      `Mail Delivery System <${daemon}>`,
      'Mail delivery failed',
      'This message was created automatically by mail delivery software.\n\nIt failed.',
      `X-Failed-Recipients: ${user}\n`,
    ),
    kind: 'dsn',
    recipients: [[user, 'generic']],
    hasId: false,
  },
];

/** Systems with a form of their own, most of which name no code. */
const ownForms: [name: string, raw: string, found: BounceClass, hasId?: boolean][] = [
  [
    'IMail, unknown',
    notice(
      'Postmaster <postmaster@reader.example>',
      'Undeliverable Mail',
      `Unknown user: ${user}\n\nOriginal message follows.\n\n${originalMail}`,
      'X-Mailer: <IMail v9>\n',
    ),
    'hard',
  ],
  [
    'SMTP32, mailbox full',
    notice(
      'Postmaster <postmaster@reader.example>',
      'Undeliverable Mail',
      `User mailbox exceeds allowed size: ${user}\n\nOriginal message follows.\n\n${originalMail}`,
      'X-Mailer: <SMTP32 v8>\n',
    ),
    'soft',
  ],
  [
    'SMTP32, the reply after the address',
    notice(
      'Postmaster <postmaster@reader.example>',
      'Undeliverable Mail',
      `undeliverable to ${user}\nBody of message generated response:\n550 5.1.1 user unknown\n\nOriginal message follows.\n\n${originalMail}`,
      'X-Mailer: <SMTP32 v8>\n',
    ),
    'hard',
  ],
  [
    'SMTP32, several attempts',
    notice(
      'Postmaster <postmaster@reader.example>',
      'Undeliverable Mail',
      `Delivery failed 20 attempts: ${user}\n\nOriginal message follows.\n\n${originalMail}`,
      'X-Mailer: <SMTP32 v8>\n',
    ),
    'temporary',
  ],
  [
    'EZweb, unknown',
    notice(
      'Postmaster@ezweb.reader.example',
      'Mail System Error - Returned Mail',
      `The following addresses had delivery problems:\n\n  <${user}>\n\nThe account of the user does not exist.\n\n<<< 550 <${user}>: User unknown\n\n----- Original message -----\n\n${originalMail}`,
    ),
    'hard',
  ],
  [
    'KDDI, mailbox full',
    notice(
      'no-reply@kddi.reader.example',
      'Mail Error',
      `The mail you sent at Thu, 1 Oct 2026 21:00:00 +0900\n      Could not be delivered to: ${user}\n      As their mailbox is full.\n\n${originalHead}`,
    ),
    'soft',
  ],
  [
    'MailFoundry, unknown',
    notice(
      'MAILER-DAEMON@mx.reader.example',
      'Message delivery has failed',
      `This mail could not be delivered.\n\nUnable to deliver message to: <${user}>\nDelivery failed for this reason:\nServer mail.reader.example[192.0.2.9] failed with: 550 <${user}> No such user here\n\nNo more attempts will be made.\n\n----- Message header -----\n\n${originalHead}`,
    ),
    'hard',
  ],
  [
    'Verizon, unknown',
    notice(
      'post_master@vtext.reader.example',
      'Undeliverable Message',
      `Error: User unknown.\nThe message to this mobile was not delivered.\n\nRCPT TO: ${user}\n\nSubject: News of the week\n`,
    ),
    'hard',
    false,
  ],
  [
    'X5, an error in a sentence',
    notice(
      'Mail Delivery Subsystem <postmaster@reader.example>',
      'Mail delivery failed',
      `Your message was not delivered.\n\nThe error for ${user} was: 550 5.2.1 mailbox disabled\n\n--- Original message ---\n\n${originalMail}`,
    ),
    'hard',
  ],
  [
    'X6, the reply in brackets',
    notice(
      'MAILER-DAEMON@mx.reader.example',
      'Delivery failure',
      `The server mail.reader.example rejected recipient <${user}> with the error [550 5.1.1 No such user]\n\n--- Original message ---\n\n${originalMail}`,
    ),
    'hard',
  ],
  [
    'Sina, unknown',
    notice(
      'MAILER-DAEMON@sina.reader.example',
      'System mail',
      `This mail could not be delivered:\n\nTo: <${user}>\n\nbecause:\n\nUser doesn't exist\n\n--- Original message ---\n\n${originalMail}`,
    ),
    'hard',
  ],
  [
    'sendmail version 5',
    notice(
      'Mail Delivery Subsystem <MAILER-DAEMON@mx.reader.example>',
      'Returned mail: User unknown',
      `   ----- Transcript of session follows -----\n>>> RCPT To:<${user}>\n<<< 550 <${user}>... User unknown\n550 <${user}>... User unknown\n\n   ----- Unsent message follows -----\n${originalMail}`,
    ),
    'hard',
  ],
];
tongued.push(
  ...ownForms.map(([name, raw, found, hasId = true]) => ({
    name,
    raw,
    kind: 'dsn' as const,
    recipients: [[user, found]] as [string, BounceClass][],
    hasId,
  })),
);

tongued.push(
  {
    name: 'DragonFly, the address within a sentence',
    raw: notice(
      'MAILER-DAEMON <>',
      'Mail delivery failed',
      `This is the DragonFly Mail Agent at mx.reader.example.\n\nThere was an error delivering your mail to <${user}>.\n\nmail.reader.example [192.0.2.9] did not like our RCPT TO:\n550 5.1.1 no such user\n\nMessage headers follow.\n\n${originalHead}`,
    ),
    kind: 'dsn',
    recipients: [[user, 'hard']],
  },
  {
    name: 'Domino, the reason after its heading',
    raw: notice(
      'Mail Delivery <postmaster@notes.reader.example>',
      'DELIVERY FAILURE',
      `Your message\n\n  Subject: News of the week\n\nwas not delivered to:\n\n  ${user}\n\nbecause:\n\n  User joe not listed in Domino Directory`,
    ),
    kind: 'dsn',
    recipients: [[user, 'hard']],
    hasId: false,
  },
  ...[
    'Benutzer joe nicht im Domino-Verzeichnis aufgeführt',
    `Benutzer joe (${user}) ist nicht im Domino Directory aufgelistet`,
    'Der Empfänger joe ist nicht im öffentlichen Adressbuch eingetragen',
  ].map((why) => ({
    name: `Domino in German: ${why}`,
    raw: notice(
      'Mail Delivery <postmaster@notes.reader.example>',
      'ZUSTELLUNGSFEHLER',
      `Ihre Nachricht\n\n  Betreff: Neues der Woche\n\nwurde nicht zugestellt an:\n\n  ${user}\n\nweil:\n\n  ${why}`,
    ),
    kind: 'dsn' as const,
    recipients: [[user, 'hard']] as [string, BounceClass][],
    hasId: false,
  })),
  {
    name: 'a report with nothing in its machine-readable part',
    raw: report({
      from: 'Mail Delivery Subsystem <mailer-daemon@googlemail.example>',
      subject: 'Delivery Status Notification (Failure)',
      head: `X-Failed-Recipients: ${user}\n`,
      text: 'Your message was not delivered.\n\nThe response was:\n\nUnspecified error',
      status: '',
    }),
    kind: 'dsn',
    recipients: [[user, 'generic']],
  },
);

const complaint = (feedback: string, original = originalMail, type = 'message/rfc822'): string =>
  `Return-Path: <fbl@provider.example>\nFrom: <fbl@provider.example>\nTo: abuse@shop.example\nSubject: FW: News of the week\nMIME-Version: 1.0\nContent-Type: multipart/report; report-type=feedback-report; boundary="=_arf"\n\n--=_arf\nContent-Type: text/plain\n\nThis is a report of unwanted mail.\n\n--=_arf\nContent-Type: message/feedback-report\n\n${feedback}\n\n--=_arf\nContent-Type: ${type}\n\n${original}\n--=_arf--\n`;

export const complaints: Sample[] = [
  ...['abuse', 'fraud', 'virus', 'other', 'not-spam', 'opt-out', 'auth-failure'].map((feedbackType) => ({
    name: `complaint: ${feedbackType}`,
    raw: complaint(
      `Feedback-Type: ${feedbackType}\nUser-Agent: Feedback/1.0\nVersion: 1\nOriginal-Mail-From: <${returnPath}>\nOriginal-Rcpt-To: <${user}>\nReported-Domain: shop.example`,
    ),
    kind: 'arf' as const,
    feedbackType,
  })),
  {
    name: 'complaint with the head of the original only',
    raw: complaint('Feedback-Type: abuse\nUser-Agent: x\nVersion: 0.1', originalHead, 'text/rfc822-headers'),
    kind: 'arf',
    feedbackType: 'abuse',
  },
  {
    name: 'complaint in capitals',
    raw: complaint('FEEDBACK-TYPE: Abuse\nVERSION: 1').replace('message/feedback-report', 'Message/Feedback-Report'),
    kind: 'arf',
    feedbackType: 'abuse',
  },
  { name: 'complaint without its fields', raw: complaint(''), kind: 'arf', feedbackType: '' },
  {
    name: 'complaint with the original in Base64',
    raw: complaint(
      'Feedback-Type: abuse',
      Buffer.from(originalMail).toString('base64'),
      'message/rfc822\nContent-Transfer-Encoding: base64',
    ),
    kind: 'arf',
    feedbackType: 'abuse',
  },
];

complaints.push({
  name: 'complaint of Outlook.com',
  raw: `From: staff@provider.example\nTo: abuse@shop.example\nSubject: complaint about message from 192.0.2.7\nContent-Type: multipart/mixed; boundary="=_j"\n\n--=_j\nContent-Type: message/rfc822\n\nX-HmXmrOriginalRecipient: ${user}\n${originalMail}\n--=_j--\n`,
  kind: 'arf',
  feedbackType: 'abuse',
});

const person = (subject: string, body: string, head = '', from = `Joe Reader <${user}>`): string =>
  `Return-Path: <${user}>\nFrom: ${from}\nTo: ${returnPath}\nSubject: ${subject}\nMessage-ID: <9@reader.example>\nIn-Reply-To: ${originalId}\n${head}\n${body}\n`;
const away = 'I am away until Monday. For urgent matters write to bob@reader.example; his mailbox is not full.';

export const replies: Sample[] = [
  ...[
    'Auto-Submitted: auto-replied\n',
    'Auto-Submitted: auto-replied (vacation)\n',
    'Auto-Submitted: auto-generated\n',
    'auto-submitted: AUTO-NOTIFIED\n',
    'X-Autoreply: yes\n',
    'X-Autorespond: News of the week\n',
    'X-Auto-Reply: 1\n',
    'Precedence: auto_reply\n',
    'X-Precedence: auto-reply\n',
  ].map((head) => ({
    name: `automatic reply by ${head.trim()}`,
    raw: person('Re: News of the week', away, head),
    kind: 'auto-reply' as const,
  })),
  ...[
    'Out of Office: News of the week',
    'Automatic reply: News of the week',
    'Auto-Reply: News',
    'Autoresponse',
    'Abwesenheitsnotiz: Neues',
    'Automatische Antwort: Neues',
    'Réponse automatique : Nouvelles',
    'Absence du bureau',
    'Respuesta automática: Noticias',
    'Fuera de la oficina',
    'Risposta automatica: Notizie',
    'Resposta automática: Notícias',
    'Automatisch antwoord: Nieuws',
    'Automatyczna odpowiedź: Nowości',
    'Автоответ: Новости',
    '自動返信: お知らせ',
    '自动回复: 新闻',
    '부재중: 소식',
  ].map((subject) => ({
    name: `automatic reply: ${subject}`,
    raw: person(`=?utf-8?B?${Buffer.from(subject).toString('base64')}?=`, away),
    kind: 'auto-reply' as const,
  })),
  {
    name: 'holiday notice that a mail system writes',
    raw: notice(
      daemon,
      'Out of office',
      `<bob@reader.example>: 550 5.1.1 user unknown, so write to me`,
      'Auto-Submitted: auto-replied\n',
    ),
    kind: 'auto-reply',
  },
  {
    name: 'automatic reply that quotes a notice',
    raw: person(
      'Re: failure',
      `Your mail has come.\n\n> Hi. This is the qmail-send program at mx.\n> <${user}>:\n> 550 5.1.1 user unknown`,
      'Auto-Submitted: auto-replied\n',
    ),
    kind: 'auto-reply',
  },
];

export const neither: Sample[] = [
  {
    name: 'a reply of a person',
    raw: person('Re: News of the week', 'Thank you! My mailbox was full, and user unknown is funny. 550 5.1.1'),
    kind: 'none',
  },
  {
    name: 'a person who quotes a notice',
    raw: person(
      'Re: failure notice',
      `What does this mean?\n\n> Hi. This is the qmail-send program at mx.\n> <${user}>:\n> 550 5.1.1 user unknown`,
    ),
    kind: 'none',
  },
  {
    name: 'a person who attaches a notice',
    raw: person(
      'Fwd: failure',
      `--b\nContent-Type: text/plain\n\nWhat is this?\n--b\nContent-Type: message/rfc822\n\n${report(postfixReport)}\n--b--`,
      'Content-Type: multipart/mixed; boundary=b\n',
    ),
    kind: 'none',
  },
  { name: 'Auto-Submitted: no', raw: person('Re: News', 'Thanks', 'Auto-Submitted: no\n'), kind: 'none' },
  {
    name: 'a postmaster who writes himself',
    raw: notice('Postmaster <postmaster@reader.example>', 'Question', 'Hello,\n\nwho are you?\n\nPostmaster'),
    kind: 'none',
  },
  { name: 'a request to unsubscribe', raw: person('unsubscribe', ''), kind: 'none' },
  { name: 'a mail with nothing but a head', raw: `From: ${user}\nTo: ${returnPath}\n`, kind: 'none' },
  { name: 'nothing', raw: '', kind: 'none' },
  { name: 'line ends', raw: '\n\n\n\n', kind: 'none' },
  {
    name: 'a read receipt',
    raw: report({
      ...postfixReport,
      subject: 'Read: News',
      status: 'Final-Recipient: rfc822; x@y.example\nDisposition: manual-action/MDN-sent-manually; displayed',
      statusType: 'message/disposition-notification',
    })
      .replace('report-type=delivery-status', 'report-type=disposition-notification')
      .replace(/From: .*/, `From: ${user}`)
      .replace('Return-Path: <>', `Return-Path: <${user}>`)
      .replace('This is the mail system', 'He read the mail'),
    kind: 'auto-reply',
  },
];

type SesBounce = { type: string; subType: string; status?: string; words?: string };
/** What Amazon SES publishes to a topic. */
const sesMail = {
  source: returnPath,
  messageId: '0100-ses',
  destination: [user],
  headers: [
    { name: 'From', value: 'news@shop.example' },
    { name: 'Message-ID', value: originalId },
  ],
};
const sesBounce = ({ type, subType, status, words }: SesBounce): string =>
  JSON.stringify({
    notificationType: 'Bounce',
    bounce: {
      bounceType: type,
      bounceSubType: subType,
      bouncedRecipients: [{ emailAddress: user, action: 'failed', status, diagnosticCode: words }],
    },
    mail: sesMail,
  });
/** The mail of a topic with the protocol Email, and with Email-JSON. */
const sesAsEmail = (json: string): string =>
  notice(
    'Shop bounces <no-reply@sns.amazonaws.example>',
    'AWS Notification Message',
    `${json}\n\n--\nIf you want no more of these, open this link:\nhttps://sns.eu-west-1.amazonaws.com/unsubscribe.html`,
    'Content-Type: text/plain; charset=UTF-8\n',
  );
const sesAsJson = (json: string): string =>
  notice(
    'Shop bounces <no-reply@sns.amazonaws.example>',
    'AWS Notification Message',
    JSON.stringify({ Type: 'Notification', TopicArn: 'arn:aws:sns:eu-west-1:1:bounces', Message: json }, null, 2),
    'Content-Type: text/plain; charset=UTF-8\n',
  );

const sesBounces: [string, SesBounce, BounceClass][] = [
  [
    'unknown user',
    { type: 'Permanent', subType: 'General', status: '5.1.1', words: 'smtp; 550 5.1.1 User unknown' },
    'hard',
  ],
  [
    'unauthenticated sender',
    { type: 'Permanent', subType: 'General', status: '5.7.26', words: 'smtp; 550 5.7.26 DMARC policy' },
    'blocked',
  ],
  ['permanent without a reply', { type: 'Permanent', subType: 'General' }, 'generic'],
  ['no such address', { type: 'Permanent', subType: 'NoEmail' }, 'hard'],
  ['mailbox full', { type: 'Transient', subType: 'MailboxFull' }, 'soft'],
  ['content rejected', { type: 'Transient', subType: 'ContentRejected' }, 'blocked'],
  ['transient', { type: 'Transient', subType: 'General' }, 'temporary'],
  [
    'transient with a permanent reply',
    { type: 'Transient', subType: 'General', status: '5.1.1', words: 'smtp; 550 5.1.1 User unknown' },
    'temporary',
  ],
];

/** Bounces and complaints that a provider reports to a mailbox, as JSON. */
export const notified: Sample[] = [
  ...sesBounces.flatMap(([name, bounce, found]) =>
    [sesAsEmail, sesAsJson].map((mail) => ({
      name: `Amazon SES, ${name}, ${mail.name}`,
      raw: mail(sesBounce(bounce)),
      kind: 'dsn' as const,
      recipients: [[user, found]] as [string, BounceClass][],
    })),
  ),
  ...[sesAsEmail, sesAsJson].map((mail) => ({
    name: `Amazon SES, complaint, ${mail.name}`,
    raw: mail(
      JSON.stringify({
        eventType: 'Complaint',
        complaint: { complainedRecipients: [{ emailAddress: user }], complaintFeedbackType: 'abuse' },
        mail: sesMail,
      }),
    ),
    kind: 'arf' as const,
    feedbackType: 'abuse',
  })),
  ...[
    '{"notificationType":"Delivery","mail":{"source":"a@b.example"},"delivery":{}}',
    '{"notificationType":"Bounce","bounce":{"bouncedRecipients":[]}}',
    '{"notificationType":"Bounce","mail":{"source":"none"},"bounce":{}}',
    '{"Message":"{"}',
    '{"mail":[',
    '[]',
  ].map((json) => ({ name: `Amazon SES, no bounce: ${json}`, raw: sesAsEmail(json), kind: 'none' as const })),
];

export const samples: Sample[] = [
  ...notified,
  ...standard,
  ...unusual,
  ...written,
  ...tongued,
  ...complaints,
  ...replies,
  ...neither,
];
