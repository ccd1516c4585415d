// Texts on which a regular expression of more than linear time shows: one sign or two that alternate, also as long runs,
// ended by a letter. And what is measured with them: every function that reads bytes or text of others.

import { parseAddress } from '../../../src/audience/address.ts';
import { detectEncoding, detectShape } from '../../../src/audience/import/file/detect.ts';
import { readRecords } from '../../../src/audience/import/file/records.ts';
import { timeOf } from '../../../src/audience/model/special-vars.ts';
import { checkMail } from '../../../src/campaigns/check/check-mail.ts';
import { compile } from '../../../src/campaigns/compile/compile.ts';
import { plainLinks } from '../../../src/campaigns/compile/link-table.ts';
import { absolute } from '../../../src/campaigns/content/absolute.ts';
import { decodePage } from '../../../src/campaigns/content/charset.ts';
import { editCss } from '../../../src/campaigns/content/css-urls.ts';
import { plainPartOf } from '../../../src/campaigns/content/plain-text.ts';
import { editHtml } from '../../../src/campaigns/content/relink.ts';
import { findTags } from '../../../src/campaigns/markup/merge-tags.ts';
import { addressField, phraseOf, textField } from '../../../src/delivery/message/header.ts';
import { readFields } from '../../../src/delivery/message/mime-tree.ts';
import { encodeText } from '../../../src/delivery/message/quoted-printable.ts';
import { decodeForm } from '../../../src/doors/form/decode.ts';
import { decodeCall } from '../../../src/doors/xmlrpc/decode.ts';
import { ReplyReader, replied, replyCapBytes } from '../../../src/relays/smtp/replies.ts';
import { verdict } from '../../../src/relays/verdict/verdict.ts';
import { readIncoming } from '../../../src/returned/parse/bounce.ts';
import { bounceClass, stageIn, statusIn } from '../../../src/returned/parse/class.ts';
import { confirmationLink, readSesMail, replyIn } from '../../../src/returned/parse/ses.ts';
import { readLogo } from '../../../src/senders/domains/bimi/logo.ts';
import { readReport } from '../../../src/senders/domains/dmarc/read-report.ts';
import type { Dns, DnsAnswer } from '../../../src/senders/domains/dns.ts';
import { checkSenderDomain } from '../../../src/senders/domains/dns-check.ts';
import { policyProblems } from '../../../src/senders/domains/transport-security.ts';

export const signs = ['\r', '\n', ' ', '\t', '-', '=', '<', '"', ';', ',', '&', '('];

/** A text of any size. */
type Text = (size: number) => string;

/** Texts made of these signs: each alone, each ordered pair alternating, and a run of one before a run of the other. */
export function textsOf(from: readonly string[]): [name: string, text: Text][] {
  const shown = (text: string) => JSON.stringify(text);
  return from.flatMap((first): [string, Text][] => [
    [`${shown(first)} repeated`, (size) => first.repeat(size)],
    ...from
      .filter((second) => second !== first)
      .flatMap((second): [string, Text][] => [
        [`${shown(first + second)} repeated`, (size) => (first + second).repeat(size / 2)],
        [
          `a run of ${shown(first)}, then of ${shown(second)}`,
          (size) => first.repeat(size / 2) + second.repeat(size / 2),
        ],
      ]),
  ]);
}

type Reader = (text: string) => unknown;

const content = {
  ...{ subject: 's', fromName: 'n', fromEmail: 'a@b.example', replyTo: 'a@b.example', toName: '' },
  ...{ fields: [], lists: [], language: 'en', timeZone: 'UTC', baseUrl: 'https://x.example', archiveUrl: '' },
  tracking: { opens: true, htmlClicks: true, textClicks: true },
  linkTexts: { unsubscribe: 'u', profile: 'p', view: 'v' },
  ...{ campaign: 'a0000001', account: 'a0000002' },
};

const compiled = (html: string) => compile({ ...content, html });

function checked(html: string) {
  const facts = { type: 'html' as const, html, plain: html, importWarnings: [], compiled: compiled(html) };
  return checkMail({
    ...facts,
    headers: [html],
    ...{ ownUrl: content.baseUrl, embeds: false },
    fields: [{ tag: 'A', type: 'text', default: '' }],
    ...{
      autoFooter: false,
      addressKnown: true,
      authenticate: true,
      hasEvent: false,
      domainActive: true,
      seesBounces: true,
    },
  });
}

function dnsOf(text: string): Dns {
  const answer = async (): Promise<DnsAnswer<string>> => ({ kind: 'found', records: [text] });
  return { txt: answer, addresses: answer, mx: answer, mailHosts: answer, ptr: answer, cname: answer };
}

const setup = {
  ...{ domain: 'shop.example', includes: [], addresses: [] },
  keys: [{ selector: 's1', algorithm: 'rsa-sha256' as const, publicKey: 'x' }],
};

const format = {
  ...{ packing: 'none' as const, encoding: 'utf-8', delimiter: ',', quote: '"', header: false, separatorLine: false },
};

async function records(text: string) {
  const bytes = async function* () {
    yield Buffer.from(text);
  };
  // A file may be refused; that is an answer.
  await (async () => {
    for await (const _ of readRecords(bytes(), format, 500));
  })().catch(() => {});
}

const refused = (read: () => unknown) => {
  try {
    return read();
  } catch {
    return null;
  }
};

/** Email: the readers of the bounce listener, of header fields, of replies in the SMTP conversation. */
const ofMail: Record<string, Reader> = {
  'an incoming message': (text) => readIncoming(Buffer.from(text)),
  'the body of an incoming message': (text) => readIncoming(Buffer.from(`From: mailer-daemon@x\n\n${text}x`)),
  'the HTML body of an incoming message': (text) =>
    readIncoming(Buffer.from(`From: mailer-daemon@x\nContent-Type: text/html\n\n<p>${text}x`)),
  'a Base64 part': (text) =>
    readIncoming(
      Buffer.from(
        `From: mailer-daemon@x\nContent-Transfer-Encoding: base64\n\n${Buffer.from(`${text}x`).toString('base64')}`,
      ),
    ),
  'a quoted-printable part': (text) =>
    readIncoming(Buffer.from(`From: mailer-daemon@x\nContent-Transfer-Encoding: quoted-printable\n\n${text}x`)),
  'an attached message': (text) =>
    readIncoming(
      Buffer.from(`Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: message/rfc822\n\n${text}x\n--b--`),
    ),
  'a delivery status': (text) =>
    readIncoming(
      Buffer.from(
        `Content-Type: multipart/report; boundary=b\n\n--b\nContent-Type: message/delivery-status\n\nAction: failed\nDiagnostic-Code: ${text}x\n--b--`,
      ),
    ),
  'header fields': (text) => readFields(`Subject: ${text}x`),
  'a subject': (text) => readIncoming(Buffer.from(`Subject: ${text}x\nAuto-Submitted: ${text}x\n\nx`)),
  'a content type': (text) => readIncoming(Buffer.from(`Content-Type: multipart/mixed;${text}x\n\nx`)),
  'the words of a refusal': (text) => [
    bounceClass('', `${text}x`),
    bounceClass('5.0.0', `user ${text}x`),
    statusIn(`${text}x`),
    stageIn(`${text}x`),
  ],
  'the reply of a server': (text) =>
    new ReplyReader().push(Buffer.from(`550 ${text.slice(0, replyCapBytes - 7)}x\r\n`), (reply) => {
      verdict(replied(reply, 'rcpt', false));
      return true;
    }),
  'a header field': (text) => [
    textField('Subject', `a${text}x`),
    addressField('To', `a${text}x`, 'a@b.example'),
    phraseOf(text, 0),
  ],
  'quoted-printable to send': (text) => encodeText(`${text}x`),
};

/** Pages and texts of campaigns. */
const ofContent: Record<string, Reader> = {
  'the text of a page': (text) => plainPartOf(`<pre>a${text}b</pre>`),
  'the text of a page without elements': (text) => plainPartOf(`a${text}b`),
  'the links of a page': (text) => absolute(`<a href='${text}x'>${text}</a>`, 'https://x.example/'),
  'a srcset': (text) => absolute(`<img srcset='a${text}b'>`, 'https://x.example/'),
  'a page that is changed': (text) => editHtml(`a${text}b`, { address: () => null }),
  'a style sheet': (text) => editCss(`a{background:url(${text}x`, () => null),
  'an import of a style sheet': (text) => editCss(`@import "${text}x`, () => null),
  'the encoding of a page': (text) => decodePage(Buffer.from(`<meta ${text}x`)),
  'compiled HTML': (text) => compiled(`<p>a${text}b</p>`),
  'a compiled style': (text) => compiled(`<p style='background:url(${text}x*|FNAME|*)'>`),
  'compiled plain text': (text) => compile({ ...content, html: undefined, plain: `https://x.example/${text}x` }),
  'a compiled link': (text) => compiled(`<a href='https://x.example/?a=*|FNAME|*${text}x'>a</a>`),
  'a checked message': (text) => checked(`<p>a${text}b</p>`),
  'a checked link': (text) => checked(`<a href='${text}x'>a</a>`),
  'links in plain text': (text) => [...plainLinks(`http://a${text}http://b${text}`)],
  'merge tags': (text) => [
    findTags(`*|${text}x`),
    findTags(`*|A:${text}x`, 'address'),
    findTags(`*%7C${text}`, 'address'),
  ],
};

/** Files, calls and DNS. */
const ofOthers: Record<string, Reader> = {
  'a DKIM and DMARC record': (text) => checkSenderDomain(dnsOf(`v=DMARC1; p=none; a=${text}x`), setup),
  'an MTA-STS policy': (text) => policyProblems(`version: STSv1\nmx:${text}x\n${text}`, ['a.example'], 'a.example'),
  'a logo': (text) => [
    readLogo(`<svg xmlns='http://www.w3.org/2000/svg' a="url(${text.replace(/[<"&]/g, ' ')}x">${text}`),
  ],
  'a DMARC report': (text) =>
    readReport(piecesOf(`<feedback><report_metadata><org_name>${text}x`)).catch(() => undefined),
  'a notification of Amazon SES': (text) => [
    readSesMail(`{"a":"${text}x`),
    confirmationLink(`${text}x`),
    replyIn(`${text}x`),
  ],
  'an SPF record': (text) => checkSenderDomain(dnsOf(`v=spf1 ${text}x`), setup),
  'the shape of a file': (text) => [detectEncoding(Buffer.from(text)), detectShape(`${text}x`)],
  'the records of a file': (text) => records(`a,"${text}x`),
  'the records of a file without quotes': (text) => records(`${text}x`),
  'an address': (text) => [parseAddress(`${text}x`.slice(-2_000)), parseAddress(`x${text}x`)],
  'a date': (text) => [timeOf(text), timeOf(`2024-01-01${text}x`)],
  'a form': (text) => refused(() => decodeForm(`a=${text}&b[${text}]=x`)),
  'an XML document': (text) => refused(() => decodeCall(Buffer.from(`<?xml version="1.0"?><methodCall>${text}x`))),
};

async function* piecesOf(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

export const readers: Record<string, Reader> = { ...ofMail, ...ofContent, ...ofOthers };
