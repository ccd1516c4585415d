// Reads bounces that are written for people only: those of qmail, old Exim, sendmail, Exchange and others.
// Takes a message for a bounce only when a mail system wrote it and it names a reason, usually together with an address;
// a personal message, a reply or a holiday notice is none, whatever it quotes.
// Leaves notices with a machine-readable part to bounce.ts.

import { cut } from '../../db/jsonb.ts';
import { field, fieldsOf, type Part, textOf } from '../../delivery/message/mime-tree.ts';
import { type BouncedRecipient, bounceClass, stageIn, statusIn } from './class.ts';

const maxText = 64 * 1024;
const maxBlocks = 200;

/** The recipients of such a notice; none when the mail is no such notice. */
export function readNotice(mail: Part, parts: Part[]): BouncedRecipient[] {
  const text = noticeText(parts);
  const failed = fieldsOf(mail, 'x-failed-recipients').flatMap(addressesOf);
  if (!isByMailSystem(mail) && failed.length === 0 && !opensAsNotice(text)) return [];
  const subject = field(mail, 'subject');
  const delayed = delayWords.test(subject) || (delayWords.test(text) && !failureWords.test(`${subject}\n${text}`));
  const ignored = new Set(
    ['from', 'to', 'sender', 'reply-to'].flatMap((name) => fieldsOf(mail, name).flatMap(addressesOf)),
  );
  const all = blocksOf(text);
  const blocks = all.filter((block) => !ignored.has(block.address));
  // The reason in a transcript or preface counts for blocks without a reason.
  const allSay = saysWhy(text);
  const isNotice = failed.length > 0 || opensAsNotice(text);
  const named = blocks.length > 0 ? blocks : failed.map((address) => ({ address, words: '' }));
  // Old systems name no one: the address that the notice came to shows which message it is about.
  if (all.length === 0 && named.length === 0 && allSay) named.push({ address: '', words: text });
  const recipients = new Map<string, BouncedRecipient>();
  // Of the whole text, once for all recipients.
  const judgedText = { status: statusIn(text), class: bounceClass(statusIn(text), text, stageIn(text)) };
  for (const { address, words } of named) {
    if (failed.length > 0 && !failed.includes(address)) continue;
    const saysItself = saysWhy(words);
    if (!saysItself && !allSay && !isNotice) continue;
    const known = recipients.get(address);
    if (known && (known.status !== '' || !saysItself)) continue;
    const { status, class: found } = saysItself
      ? { status: statusIn(words), class: bounceClass(statusIn(words), words, stageIn(words)) }
      : judgedText;
    recipients.set(address, {
      finalRecipient: address,
      originalRecipient: '',
      action: delayed ? 'delayed' : 'failed',
      status,
      diagnostic: cut(words.replace(/\s+/g, ' ').trim(), 500),
      class: delayed ? 'temporary' : found,
    });
  }
  return [...recipients.values()];
}

/** What the text for people says about each address that it names, by address in lower case. */
export function wordsByAddress(parts: Part[]): Map<string, string> {
  const words = new Map<string, string>();
  for (const block of blocksOf(noticeText(parts))) {
    const address = block.address.toLowerCase();
    if (!words.has(address)) words.set(address, block.words);
  }
  return words;
}

/** The first readable part, up to where the returned mail begins. */
function noticeText(parts: Part[]): string {
  const readable = parts.filter((part) => part.parts.length === 0 && /^text\/(plain|html)$/.test(part.type));
  const part = readable.find((part) => part.type === 'text/plain' && textOf(part).trim() !== '') ?? readable[0];
  if (!part) return '';
  const text = part.type === 'text/html' ? withoutMarkup(textOf(part)) : textOf(part);
  const cut = text.slice(0, maxText).search(returnedMail);
  return text.slice(0, cut === -1 ? maxText : cut);
}

export function withoutMarkup(html: string): string {
  return withoutElements(html.slice(0, 4 * maxText))
    .replace(/<(br|\/?p|\/?div|\/?tr|\/?li|\/?h\d)\b[^<>]*>/gi, '\n')
    .replace(/<[^<>]*>/g, ' ')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&nbsp;|&#160;/g, ' ')
    .replace(/&quot;|&#39;/g, "'")
    .replace(/&amp;/g, '&');
}

/** Without invisible elements. Uses a search, because a regular expression would scan for each end again. */
function withoutElements(html: string): string {
  let shown = html;
  for (const name of ['head', 'style', 'script']) {
    const lower = shown.toLowerCase();
    let kept = '';
    let at = 0;
    for (;;) {
      const begin = lower.indexOf(`<${name}`, at);
      const end = begin === -1 ? -1 : lower.indexOf(`</${name}`, begin);
      if (end === -1) break;
      kept += shown.slice(at, begin);
      at = end;
    }
    shown = kept + shown.slice(at);
  }
  return shown;
}

interface Block {
  address: string;
  /** The line that names the address and what follows it, up to the next one. */
  words: string;
}

/** Lines that begin with an address, each with the lines that belong to it. */
function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let current: Block | null = null;
  for (const line of text.split('\n')) {
    const address = [addressAtBegin, addressInSentence, addressAfterReason]
      .map((form) => form.exec(line)?.[1])
      .find((found) => found !== undefined);
    if (address && blocks.length < maxBlocks) {
      current = { address, words: line };
      blocks.push(current);
    } else if (current && current.words.length < 4_000) {
      // "----- Transcript of session follows -----": no longer about this one.
      if (/^\s*-{3,}/.test(line)) current = null;
      else current.words += `\n${line}`;
    }
  }
  return blocks;
}

/** Perhaps a bullet, a bracket, a quote or a label, then the address. */
const addressAtBegin =
  /^[ \t*•>|-]{0,20}(?:(?:rcpt to|to|recipient|address|an|empfänger|destinataire|destinatario)\s*:\s*)?[<'"(]{0,2}(?:mailto:)?([^\s<>()[\]:;,"']{1,128}@[^\s<>()[\]:;,"']{1,253})/i;

/** "There was an error delivering your mail to <joe@example.com>." */
const addressInSentence =
  /^.{0,120}\b(?:to|for|an|à|a|recipient) <([^\s<>()[\]:;,"']{1,128}@[^\s<>()[\]:;,"']{1,253})>/i;

/** "Unknown user: joe@example.com", without brackets: IMail, KDDI and others. */
const addressAfterReason =
  /^[ \t]{0,20}(?:unknown user:|user mailbox exceeds allowed size:|delivery failed \d{1,3} attempts:|undeliverable to|failed to deliver to|unable to deliver message to:|could not be delivered to:|the error for) {1,3}['"<]?([^\s<>()[\]:;,"']{1,128}@[^\s<>()[\]:;,"']{1,253})/i;

function addressesOf(text: string): string[] {
  return text.match(/[^\s<>()[\]:;,"']{1,128}@[^\s<>()[\]:;,"']{1,253}/g) ?? [];
}

/** Whether there is a reason in it: a code, or words that have a meaning. */
function saysWhy(words: string): boolean {
  return statusIn(words) !== '' || bounceClass('', words) !== 'generic';
}

/** A mailer's own name as the sender, and no sign that a person or an answering machine is behind it. */
function isByMailSystem(mail: Part): boolean {
  const from = `${field(mail, 'from')} ${field(mail, 'sender')}`;
  const returnPath = field(mail, 'return-path').trim();
  const daemon =
    /mailer[-_ ]?daemon|post_?master|mail[-_ ]?daemon|mail delivery (sub)?system|mail administrator|\bmdaemon\b/i;
  return daemon.test(from) && (returnPath === '' || returnPath === '<>' || daemon.test(returnPath));
}

/** Not only quoted somewhere, as in the answer of a person who wonders about a notice. */
function opensAsNotice(text: string): boolean {
  return firstWords.test(
    text
      .trimStart()
      .slice(0, 400)
      .replace(/^[>|].*$/gm, ''),
  );
}

/** Words with which mail systems begin a bounce, and people do not. */
const firstWords =
  /this is the (qmail-send|mail delivery) (program|system)|this message was created automatically by (the )?mail (delivery|transfer)|the following addresses had (permanent fatal|transient non-fatal|delivery) (errors|problems)|your message did not reach some or all of the intended recipients|delivery has failed to these recipients|did not reach the following recipient|mail (you )?sent (on|at)\b[^\n]{1,60}\s{1,20}could not be delivered to:|i'm afraid i wasn't able to deliver your message/i;

const delayWords =
  /\bdelayed\b|\bdelay\b|still (being )?(trying|retried|queued)|will (keep|continue) trying|will be (retried|attempted)|no action is required|warning: (message|could not send)|verzögert|retard[ée]|retrasad|w opóźni/i;

const failureWords =
  /permanent|fail(ed|ure)\b|undeliver|could not be delivered|giv(en|ing) up|returned|unzustellbar|non remis|no entregad|rejected/i;

/** Where the returned mail, or a copy of its head, begins. */
const returnedMail = new RegExp(
  [
    '^-{2,} ?(below this line is a copy|this is a copy of|the original message|original message|returned message|unsent message|message (text|header)|start of returned|forwarded message)',
    '^ *-{3,} *(original message|message header|message text|body of message|unsent message below|copy of)',
    '^(original message headers|original headers|the (header|headers) of the original)',
    '^(received|return-path|dkim-signature): .*$',
  ].join('|'),
  'im',
);
