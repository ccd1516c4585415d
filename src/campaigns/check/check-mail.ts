// Checks a message before it is sent: links, merge tags, pictures, size, unsubscribe link, postal address, sender.
// Pure: facts in, findings out. An error is what makes sending impossible; everything else is a warning or a note, which
// the API sends with and the web application asks about.
import { isAsciiAddress } from '../../audience/address.ts';
import { isThisMachine } from '../../base/client-network.ts';
import type { ForeignTag } from '../../base/foreign-tags.ts';
import { type Message, type MessageValue, message, readMessage } from '../../base/messages.ts';
import { withExample } from '../compile/example.ts';
import { asMailed, targetPieces } from '../compile/fill.ts';
import { htmlUnsubscribes, plainUnsubscribes } from '../compile/footer.ts';
import { tidyAddress } from '../compile/tidy-addresses.ts';
import type { ImportWarning } from '../content/absolute.ts';
import type { ArchiveWarning } from '../content/archive/page.ts';
import type { Compiled, Piece, Recipient, Tokens, When } from '../markup/compiled.ts';
import { allBlocks, allPieces, testsOf } from '../markup/conditions.ts';
import { eventTag, pathText } from '../markup/data.ts';
import { findTags, type MergeField } from '../markup/merge-tags.ts';
import { readStartTags, type SourceTag } from '../markup/scan-html.ts';
import type { FindingCode } from './codes.ts';
import { isPrivateHost, type PictureProblem, pictureProblems, picturesNotChosen } from './picture-problems.ts';
import { unfilledTags } from './unfilled-tags.ts';
import { unwrittenHtml, unwrittenPlain } from './unwritten.ts';

export const levels = ['error', 'warning', 'info'] as const;

/** Of the import of the content, as it is stored with the campaign; the text is packed. */
export type StoredWarning = { code: (ArchiveWarning | ImportWarning)['code']; message: string };

export type Finding = {
  level: (typeof levels)[number];
  code: FindingCode;
  message: Message;
  found?: string[];
  /** Of the A/B test, if it is not about the campaign itself. */
  variant?: number;
};

export type MailFacts = {
  type: 'html' | 'plain' | 'auto';
  html: string;
  plain: string;
  /** Subject, preview text and names, as they were written. */
  headers: readonly string[];
  /** The merge fields of the lists. */
  fields: readonly MergeField[];
  /** Where this installation serves pictures. */
  ownUrl: string;
  /** Pictures are sent as parts of the message (inline_img). */
  embeds: boolean;
  /** What the import of the HTML could not keep; messages as they are stored. */
  importWarnings: readonly StoredWarning[];
  /** The message as it would be frozen at launch, footer and all. */
  compiled: Compiled;
  /** The footer is in both parts of the message, not only where an unsubscribe link is missing. */
  autoFooter: boolean;
  /** Whether every list, or the account, has a postal address. */
  addressKnown: boolean;
  authenticate: boolean;
  /** Whether the From domain is authenticated and activated. */
  domainActive: boolean;
  /** Whether an event lets contacts into the automation that sends the message. */
  hasEvent: boolean;
  /** Whether bounces come back to a domain of this installation. */
  seesBounces: boolean;
};

/** Gmail clips the HTML of a message at this size and hides the rest, including the unsubscribe link. */
export const clippedBeyond = 102 * 1024;
/** Examples named in one finding. */
const maxNamed = 3;

/** All findings about the message, errors first. */
export function checkMail(facts: MailFacts): Finding[] {
  const startTags = facts.type === 'plain' ? [] : readStartTags(facts.html);
  const unfilled = unfilledTags({ ...facts, startTags });
  const findings = [
    ...facts.importWarnings.map(
      (warning): Finding => ({
        level: 'warning',
        code: `import_${warning.code}`,
        message: readMessage(warning.message) ?? message('check.text', { text: warning.message }),
      }),
    ),
    ...contentFindings(facts),
    ...(facts.type === 'plain' ? [] : htmlFindings(facts, startTags, unfilled.foreign)),
    ...tagFindings(facts),
    ...unfilledFindings(unfilled),
    ...footerFindings(facts, unfilled.foreign),
    ...linkBaseFindings(facts.compiled.baseUrl),
    ...bounceFindings(facts),
    ...senderFindings(facts),
  ];
  const rank = { error: 0, warning: 1, info: 2 };
  return findings.sort((a, b) => rank[a.level] - rank[b.level]);
}

/** Those of the findings that make sending impossible; they need no compiled message. */
export function mailErrors(facts: Pick<MailFacts, 'type' | 'html' | 'plain'> & { fromEmail: string }): Finding[] {
  const notChosen = facts.type === 'plain' ? [] : picturesNotChosen(facts.html);
  return [
    ...contentFindings(facts),
    ...(notChosen.length > 0 ? [addressesFinding('picture_not_chosen', notChosen)] : []),
    ...addressFindings(facts.fromEmail),
  ].filter(({ level }) => level === 'error');
}

/** The warning about pictures that inline_img cannot put into the message. */
export function pictureFindings(leftOut: readonly string[]): Finding[] {
  if (leftOut.length === 0) return [];
  const count = leftOut.length;
  const values = { count, examples: examples(leftOut) };
  return [
    {
      level: 'warning',
      code: 'picture_not_embedded',
      message: message(`check.picture_not_embedded.${count === 1 ? 'one' : 'other'}`, values),
      found: leftOut.map(quoted),
    },
  ];
}

/** The fields that the message shows without a default, so that an empty value leaves a gap. */
export function fieldsWithoutDefault(compiled: Compiled): string[] {
  const found = new Set<string>();
  /** @param tested fields that the conditions around these pieces require a value of */
  const collect = (pieces: readonly Piece[] | null, tested: readonly string[] = []) => {
    for (const piece of pieces ?? []) {
      if (typeof piece === 'string') continue;
      if (piece.slot === 'field' && piece.fallback.trim() === '' && !tested.includes(piece.tag)) found.add(piece.tag);
      if (piece.slot === 'choice')
        for (const { when, pieces: shown } of piece.branches)
          collect(shown, [...tested, ...(when ? requiredBy(when) : [])]);
      if (piece.slot === 'each') collect(piece.pieces, tested);
    }
  };
  for (const part of [compiled.html, compiled.plain, compiled.subject, compiled.fromName]) collect(part);
  for (const link of compiled.links)
    for (const piece of targetPieces(link.target))
      if (typeof piece !== 'string' && piece.slot === 'field' && !piece.fallback) found.add(piece.tag);
  found.delete('EMAIL');
  found.delete('EMAIL_TYPE');
  return [...found].filter((name) => !name.startsWith('LIST:'));
}

/** The fields that have a value wherever the condition holds. */
function requiredBy(when: When): string[] {
  if (when.negated) return [];
  if ('tag' in when) return when.operator === '!=' || when.operator === 'lacks' ? [] : [when.tag];
  const groups = when.any.map((all) => all.flatMap(requiredBy));
  return groups[0]!.filter((tag) => groups.every((group) => group.includes(tag)));
}

/** No content, and the sample texts of the web application: what no one means to send. */
export function contentFindings({ type, html, plain }: Pick<MailFacts, 'type' | 'html' | 'plain'>): Finding[] {
  const { state, samples } = type === 'plain' ? unwrittenPlain(plain) : unwrittenHtml(html);
  if (state === 'empty') return [{ level: 'error', code: 'content_empty', message: message('check.content_empty') }];
  const found = samples.map((line) => line.slice(0, 500));
  // A starter template can be sent through the API as it is; the web application refuses it like the sample letter.
  if (state === 'letter' || state === 'template')
    return [
      {
        level: state === 'letter' ? 'error' : 'warning',
        code: 'sample_email',
        message: message('check.sample_email'),
        found,
      },
    ];
  if (samples.length === 0) return [];
  return [
    {
      level: 'warning',
      code: 'sample_left',
      message: message('check.sample_left', { examples: examples(samples) }),
      found,
    },
  ];
}

function htmlFindings(
  { html, compiled, ownUrl, embeds }: MailFacts,
  startTags: readonly SourceTag[],
  foreign: readonly ForeignTag[],
): Finding[] {
  const { links, images, imagesWithoutAlt } = readPage(startTags);
  const problems = new Map<LinkProblem | PictureProblem, string[]>();
  for (const address of links) {
    const problem = linkProblem(address, ownUrl);
    // A tag of another program instead of an address is a finding of its own.
    if (!problem || foreign.some(({ found }) => address.trim().startsWith(found))) continue;
    const addresses = problems.get(problem) ?? [];
    addresses.push(address);
    problems.set(problem, addresses);
  }
  for (const [problem, addresses] of pictureProblems(html, ownUrl, embeds)) problems.set(problem, addresses);
  const findings = [...problems].map(([problem, addresses]) => addressesFinding(problem, addresses));
  if (imagesWithoutAlt > 0)
    findings.push({
      level: 'warning',
      code: 'alt_missing',
      message: message('check.alt_missing', { count: imagesWithoutAlt, total: images }),
    });
  const bytes = Buffer.byteLength(
    asMailed(compiled, withExample(sample, compiled), new Date(0), sampleTokens).html ?? '',
  );
  if (bytes > clippedBeyond)
    findings.push({
      level: 'warning',
      code: 'html_clipped',
      message: message('check.html_clipped', { size: Math.ceil(bytes / 1024), limit: clippedBeyond / 1024 }),
    });
  return findings;
}

/** About links or pictures; without a picture that was meant to be there, the email is not finished. */
function addressesFinding(problem: LinkProblem | PictureProblem, addresses: readonly string[]): Finding {
  const count = addresses.length;
  return {
    level: problem === 'picture_not_chosen' ? 'error' : 'warning',
    code: problem,
    message: message(`check.${problem}.${count === 1 ? 'one' : 'other'}`, { count, examples: examples(addresses) }),
    found: addresses.map(quoted),
  };
}

type LinkProblem = 'link_broken' | 'link_empty' | 'link_relative' | 'link_scheme' | 'link_private';

/** The problem with the URL of a link as the author wrote it; null if there is none. @param ownUrl where this installation is */
export function linkProblem(given: string, ownUrl = 'https://localhost'): LinkProblem | null {
  const address = tidyAddress(given);
  if (address === '' || address === '#') return 'link_empty';
  const tags = findTags(address, 'address');
  // The value of a tag is not known here; at the start it is the whole URL.
  if (tags[0]?.start === 0 || address.startsWith('#')) return null;
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(address)?.[1]?.toLowerCase();
  if (scheme === undefined) return 'link_relative';
  if (!openable.has(scheme)) return 'link_scheme';
  // "mailto:?subject=…" is a message that the reader addresses; without both there is nothing to open.
  if (scheme !== 'http' && scheme !== 'https') return /:\/*$/.test(address) ? 'link_empty' : null;
  let plain = '';
  let from = 0;
  for (const tag of tags) {
    plain += `${address.slice(from, tag.start)}x`;
    from = tag.end;
  }
  plain += address.slice(from);
  // A browser repairs http:/host and http:host; email clients may not.
  if (!/^https?:\/\/[^/?#\s]/i.test(plain) || !URL.canParse(plain)) return 'link_broken';
  const url = new URL(plain);
  // https://ex,com and http://http://ex.com: no host has such a name.
  if (/\.\.|,/.test(url.hostname) || /^https?$/.test(url.hostname)) return 'link_broken';
  // A tag may be the whole host.
  const isFilled = findTags(/^https?:\/\/[^/?#]*/i.exec(address)?.[0] ?? '', 'address').length > 0;
  return !isFilled && url.origin !== new URL(ownUrl).origin && isPrivateHost(url.hostname) ? 'link_private' : null;
}

const openable = new Set([
  'http',
  'https',
  'mailto',
  'tel',
  'sms',
  'geo',
  'webcal',
  'ftp',
  'whatsapp',
  'facetime',
  'maps',
]);

/** Tags that the issues of a recurring campaign have values for. */
const feedTags = new Set(['RSSITEMS', 'RSSITEM', 'RSSFEED']);

function tagFindings({ compiled, hasEvent }: MailFacts): Finding[] {
  const findings: Finding[] = [];
  const ofEvent = hasEvent ? [] : eventTags(compiled);
  if (ofEvent.length > 0)
    findings.push({
      level: 'warning',
      code: 'tag_of_event',
      message: message('check.tag_of_event', { examples: examples(ofEvent) }),
      found: ofEvent,
    });
  const isOfFeed = compiled.unknownTags.some((name) => feedTags.has(name));
  if (isOfFeed)
    findings.push({ level: 'warning', code: 'tag_of_feed', message: message('check.tag_of_feed'), found: [] });
  const unknown = compiled.unknownTags
    .filter((name) => !feedTags.has(name) && !(isOfFeed && name === 'END'))
    .map((name) => `*|${name}|*`);
  if (unknown.length > 0)
    findings.push({
      level: 'warning',
      code: 'tag_unknown',
      message: message(`check.tag_unknown.${unknown.length === 1 ? 'one' : 'other'}`, { examples: examples(unknown) }),
      found: unknown,
    });
  const { badConditions } = compiled;
  if (badConditions.length > 0)
    findings.push({
      level: 'warning',
      code: 'condition_bad',
      message: message(`check.condition_bad.${badConditions.length === 1 ? 'one' : 'other'}`, {
        examples: examples(badConditions),
      }),
      found: badConditions,
    });
  for (const [problem, bad] of Map.groupBy(compiled.badLoops ?? [], (loop) => loop.problem)) {
    const found = bad.map(({ text }) => text);
    findings.push({
      level: 'warning',
      code: 'loop_bad',
      message: message(`check.loop_bad.${problem}`, { examples: examples(found) }),
      found,
    });
  }
  const formats = fieldsByDefault(compiled)
    .filter(([, fallback]) => isDateFormat(fallback))
    .map(([tag, fallback]) => `*|${tag}:${fallback}|*`);
  if (formats.length > 0)
    findings.push({
      level: 'warning',
      code: 'tag_default_format',
      message: message('check.tag_default_format', { examples: examples(formats) }),
      found: formats,
    });
  return findings;
}

/** What the message shows of an event, as tags. */
function eventTags({ html, plain, subject, fromName, toName, links }: Compiled): string[] {
  const pieces = [html, plain, subject, fromName, toName].flatMap((part) => part ?? []);
  const paths = [
    ...[...allPieces(pieces), ...links.flatMap(({ target }) => targetPieces(target))].flatMap((piece) =>
      typeof piece !== 'string' && piece.slot === 'data' && piece.of === eventTag && !piece.item
        ? [pathText(piece)]
        : [],
    ),
    ...[...allBlocks(pieces)].flatMap((block) => {
      if (block.slot === 'each') return block.of === eventTag ? [`EACH:${pathText(block)}`] : [];
      const tests = block.branches.flatMap(({ when }) => (when ? testsOf(when) : []));
      return tests.filter(({ tag }) => tag.split(':')[0] === eventTag).map(({ tag }) => `IF:${tag}`);
    }),
  ];
  return [...new Set(paths)].map((path) => `*|${path}|*`);
}

/** Tags that are not filled in, because they are not in order or those of another program. */
function unfilledFindings({ broken, foreign }: ReturnType<typeof unfilledTags>): Finding[] {
  const findings: Finding[] = [];
  if (broken.length > 0)
    findings.push({
      level: 'warning',
      code: 'tag_broken',
      message: message(`check.tag_broken.${broken.length === 1 ? 'one' : 'other'}`, { examples: examples(broken) }),
      found: broken,
    });
  const named = foreign.map(({ found, replacement }) => (replacement ? `${found} → ${replacement}` : found));
  if (foreign.length > 0)
    findings.push({
      level: 'warning',
      code: 'tag_foreign',
      message: message(`check.tag_foreign.${foreign.length === 1 ? 'one' : 'other'}`, { examples: examples(named) }),
      found: foreign.map(({ found }) => found),
    });
  return findings;
}

/** The distinct fields with defaults in the texts of a message. */
function fieldsByDefault({ html, plain, subject, fromName, toName }: Compiled): [tag: string, fallback: string][] {
  const found = new Map<string, [string, string]>();
  for (const piece of [html, plain, subject, fromName, toName].flatMap((pieces) => [...allPieces(pieces ?? [])]))
    if (typeof piece !== 'string' && piece.slot === 'field' && piece.fallback !== '')
      found.set(`${piece.tag}:${piece.fallback}`, [piece.tag, piece.fallback]);
  return [...found.values()];
}

/**
 * Whether a default is the format of a date, such as d.m.Y or YYYY-MM-DD. Only *|DATE:…|* takes a format; a field prints it
 * as it is when it has no value.
 */
export function isDateFormat(text: string): boolean {
  const words = text.match(/[A-Za-z]+/g) ?? [];
  const isOneWord = words.length === 1 && words[0] === text.trim();
  const letters = isOneWord ? text.match(/([A-Za-z])\1*/g)! : words;
  const parts = new Set(letters.map((word) => dateParts.find(([, pattern]) => pattern.test(word))?.[0]));
  return (
    parts.size === letters.length && parts.size > (isOneWord ? 2 : 1) && parts.has('month') && !parts.has(undefined)
  );
}

const dateParts: [part: string, pattern: RegExp][] = [
  ['day', /^(d|dd|D|DD|j|jS)$/],
  ['weekday', /^(l|ddd|dddd)$/],
  ['month', /^(m|mm|M|MM|MMM|MMMM|F|n)$/],
  ['year', /^(y|yy|yyyy|Y|YY|YYYY)$/],
];

function footerFindings(facts: MailFacts, foreign: readonly ForeignTag[]): Finding[] {
  const { type, html, plain, autoFooter, addressKnown } = facts;
  const findings: Finding[] = [];
  const inHtml = !autoFooter && type !== 'plain' && !htmlUnsubscribes(html);
  const inPlain = !autoFooter && !plainUnsubscribes(plain);
  // A tag of another program that means the link is to be replaced, which its own finding says.
  const isForeign = foreign.some(({ replacement }) => replacement === '*|UNSUB|*');
  if ((inHtml || inPlain) && !isForeign)
    findings.push({
      level: 'info',
      code: 'unsubscribe_missing',
      message: message(`check.unsubscribe_missing.${inHtml && inPlain ? 'both' : inHtml ? 'html' : 'plain'}`),
    });
  if (!addressKnown)
    findings.push({
      level: 'warning',
      code: 'address_missing',
      message: message('check.address_missing'),
    });
  else if (!autoFooter && !inHtml && !inPlain && !/\bLIST[:_]ADDRESS/.test(`${html} ${plain}`.toUpperCase()))
    findings.push({
      // The address may be in the text as it is, which cannot be recognized.
      level: 'info',
      code: 'address_not_shown',
      message: message('check.address_not_shown'),
    });
  return findings;
}

/** RFC 8058 3.1 demands https for one-click unsubscribing. An installation on this machine is being tried out. */
export function linkBaseFindings(baseUrl: string): Finding[] {
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol === 'https:' || isThisMachine(hostname)) return [];
  return [{ level: 'warning', code: 'links_not_https', message: message('check.links_not_https') }];
}

/** Without BOUNCE_DOMAIN and a source of returned mail, what bounces after the relay has accepted it comes to the From address, and no one counts it. */
function bounceFindings({ compiled, seesBounces }: MailFacts): Finding[] {
  if (seesBounces || isThisMachine(new URL(compiled.baseUrl).hostname)) return [];
  return [
    {
      level: 'warning',
      code: 'bounces_not_seen',
      message: message('check.bounces_not_seen', { address: compiled.fromEmail }),
    },
  ];
}

function addressFindings(fromEmail: string): Finding[] {
  if (isAsciiAddress(fromEmail)) return [];
  return [
    { level: 'error', code: 'from_bad', message: message('check.from_bad', { address: fromEmail.slice(0, 80) }) },
  ];
}

function senderFindings({ compiled, authenticate, domainActive }: MailFacts): Finding[] {
  const unusable = addressFindings(compiled.fromEmail);
  if (unusable.length > 0 || authenticate) return unusable;
  const domain = compiled.fromEmail.slice(compiled.fromEmail.lastIndexOf('@') + 1);
  if (domainActive)
    return [
      {
        level: 'info',
        code: 'authenticate_off',
        message: message('check.authenticate_off', { domain }),
      },
    ];
  return [
    {
      level: 'warning',
      code: 'from_not_authenticated',
      message: message('check.from_not_authenticated', { domain }),
    },
  ];
}

/** Counts the links and pictures of a page; character references in URLs are decoded. */
function readPage(startTags: readonly SourceTag[]): { links: string[]; images: number; imagesWithoutAlt: number } {
  const links: string[] = [];
  let images = 0;
  let imagesWithoutAlt = 0;
  for (const { name, attributes } of startTags) {
    const href = attributes.get('href');
    if ((name === 'a' || name === 'area') && href !== undefined) links.push(href);
    if (name !== 'img') continue;
    images += 1;
    if (!attributes.has('alt')) imagesWithoutAlt += 1;
  }
  return { links, images, imagesWithoutAlt };
}

export function examples(all: readonly string[]): MessageValue {
  const distinct = [...new Set(all)];
  const named = distinct.slice(0, maxNamed).map((text) => {
    const most = isData(text) ? maxData : 80;
    return text.length > most ? `${text.slice(0, most - 1)}…` : text;
  });
  const count = distinct.length - maxNamed;
  return count > 0 ? message('check.examples_more', { examples: named.join(', '), count }) : named.join(', ');
}

/** An address as a finding quotes it: as it is in the source, or the beginning of it. */
const quoted = (address: string): string => address.slice(0, isData(address) ? maxData : 500);

/** What is in an address instead of a file says nothing to a person. */
const isData = (address: string): boolean => /^\s*data:/i.test(address);
const maxData = 60;

/** A recipient with an address of usual length. */
const sample: Recipient = { email: 'recipient@example.com', emailType: 'html', values: {}, list: 0 };
const token = 'x'.repeat(32);
const sampleTokens: Tokens = { click: token, open: token, unsubscribe: token, profile: token, view: token };
