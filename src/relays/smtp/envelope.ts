// The commands before a message, and whether the server can take the message at all.
// Guarantees command lines without a stray line end; a message that cannot be sent gets the reply a server would give.
import { isAscii } from 'node:buffer';
import { domainToASCII } from 'node:url';
import type { Replied, Stage } from '../verdict/outcome.ts';
import type { Capabilities } from './greeting.ts';

export type Message = {
  /** Empty for the null sender. */
  mailFrom: string;
  rcptTo: string;
  /** Header and body with CRLF line ends, already dot-stuffed, ending with CRLF. */
  message: Buffer;
  /** Octets behind `message`, in the same memory, that the connection may write over. */
  room?: number;
  /** The renderer made every line of the message safe for SMTP, so only a sample is checked again. */
  isRendered?: boolean;
  /** Header fields are in UTF-8 (RFC 6531); non-ASCII addresses are detected without it. */
  smtpUtf8?: boolean;
  /** Called right before the final dot is written to the socket; if it returns false, the message is not sent. */
  onDot(): boolean;
  /** Called when the server has answered everything before this message on its connection: from now on it keeps it waiting. */
  onTurn?(): void;
};

export type Envelope = { mail: string; rcpt: string };

/** Both lines with their CRLF, or the reply why this server is not asked. */
export function envelopeOf(job: Message, can: Capabilities): Envelope | Replied {
  if (!usable(job.mailFrom) && job.mailFrom !== '')
    return refusal('mail', 501, '5.1.7', 'the sender address is not usable');
  if (!usable(job.rcptTo)) return refusal('rcpt', 501, '5.1.3', 'the recipient address is not usable');
  let { mailFrom, rcptTo } = job;
  if (!can.smtpUtf8) {
    mailFrom = withAsciiDomain(mailFrom);
    rcptTo = withAsciiDomain(rcptTo);
  }
  const utf8 = job.smtpUtf8 === true || !ascii.test(mailFrom + rcptTo);
  if (utf8 && !can.smtpUtf8)
    return refusal('rcpt', 553, '5.6.7', 'the address or message needs SMTPUTF8, which the server does not offer');
  if (can.size && job.message.length > can.size)
    return refusal('mail', 552, '5.3.4', `the message has ${job.message.length} octets, the server takes ${can.size}`);
  if (!isSafe(job)) return refusal('data', 554, '5.6.0', 'the lines of the message are not valid for SMTP');
  const eightBit = !isAscii(job.message);
  if (eightBit && !can.eightBit)
    return refusal('data', 554, '5.6.3', 'the message has 8-bit lines, which the server does not take');
  const parameters =
    (can.size === undefined ? '' : ` SIZE=${job.message.length}`) +
    (eightBit ? ' BODY=8BITMIME' : '') +
    (utf8 ? ' SMTPUTF8' : '') +
    // RFC 3461: a bounce quotes the header, which identifies the message, and not all of it. Delays are not reported.
    (can.dsn ? ' RET=HDRS' : '');
  const notify = can.dsn ? ' NOTIFY=FAILURE' : '';
  return { mail: `MAIL FROM:<${mailFrom}>${parameters}\r\n`, rcpt: `RCPT TO:<${rcptTo}>${notify}\r\n` };
}

const ascii = /^[\x00-\x7f]*$/;

/** A domain has an ASCII form that every server accepts (RFC 5890); a local part has none. */
function withAsciiDomain(address: string): string {
  if (ascii.test(address)) return address;
  const at = address.lastIndexOf('@');
  const domain = domainToASCII(address.slice(at + 1));
  return domain === '' ? address : `${address.slice(0, at)}@${domain}`;
}

/** RFC 5321 4.5.3.1.3: a path has at most 256 octets. Whether the address exists or parses is left to the server. */
function usable(address: string): boolean {
  return (
    /^[^\x00-\x20\x7f-\x9f<>\u2028\u2029]+@[^\x00-\x20\x7f-\x9f<>@\u2028\u2029]+$/.test(address) &&
    Buffer.byteLength(address) <= 254
  );
}

/** One of so many rendered messages is checked, beginning with the first. */
const sampleOf = 1_000;
let rendered = 0;
/** A rendered message was not well-formed: from now on all are checked. */
let isSuspicious = false;

/** The last check before the wire. A full one is two native scans, 5 µs at 20 kB. */
function isSafe({ message, isRendered }: Message): boolean {
  if (isRendered && !isSuspicious && rendered++ % sampleOf !== 0) return true;
  if (wellFormed(message)) return true;
  if (isRendered) isSuspicious = true;
  return false;
}

/** Nothing in the message may look like its end, however a server reads line ends (SMTP smuggling). */
function wellFormed(message: Buffer): boolean {
  const { length } = message;
  return (
    length >= 2 &&
    message[length - 2] === 13 &&
    message[length - 1] === 10 &&
    !(message[0] === 46 && (message[1] === 13 || message[1] === 10)) &&
    !dotAlone(message, '\n.') &&
    !dotAlone(message, '\r.')
  );
}

/** Whether a line end and a dot are followed by another line end somewhere. */
function dotAlone(message: Buffer, start: string): boolean {
  for (let at = message.indexOf(start, 0, 'latin1'); at >= 0; at = message.indexOf(start, at + 2, 'latin1')) {
    const next = message[at + 2];
    if (next === 13 || next === 10) return true;
  }
  return false;
}

function refusal(stage: Stage, code: number, enhanced: string, text: string): Replied {
  return { kind: 'reply', stage, code, enhanced, text, dotted: false, local: true };
}
