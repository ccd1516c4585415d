// Reads a DMARC aggregate report (RFC 7489 appendix C): who reports, about which policy and days, and what each source sent.
// Anyone can send one, so everything is limited: depth, length of texts, records. A document that is not such a report throws
// UnreadableReport. Lenient where real reporters are careless: namespaces, missing elements, records without a source, text
// that is not well-formed XML. A record that cannot be read is left out.
import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { SaxesParser } from 'saxes';
import { lenientXml, xmlDecoder } from './lenient-xml.ts';
import { UnreadableReport } from './unpack.ts';

export type DmarcReport = {
  reporter: string;
  /** The reporter's; without one, a hash of what the report states, so that a copy is recognised. */
  reportId: string;
  /** The domain whose DMARC record applied, in lower case. */
  policyDomain: string;
  beginAt: Date;
  rows: DmarcRow[];
  /** Records that cannot be read. */
  unreadable: number;
};

/** What a source sent with one From domain. Alignment: the domain that passed is the From domain, or related to it. */
export type DmarcRow = {
  source: string;
  fromDomain: string;
  messages: number;
  /** Passed DMARC: aligned DKIM or SPF. */
  passed: number;
  dkim: number;
  spf: number;
};

const maxDepth = 20;
/** Of one value; more of it is left out. */
const maxTextLength = 1_000;
const maxRecords = 10_000;
const maxAttributes = 20;
/** Messages in one record; more is no count of a day. */
const maxCount = 1_000_000_000;
const dayMs = 86_400_000;

/** @throws UnreadableReport */
export async function readReport(document: AsyncIterable<Buffer>): Promise<DmarcReport> {
  const reading = new Reading();
  const decoder = xmlDecoder();
  const text = lenientXml();
  for await (const piece of document) reading.write(text.write(decoder.write(piece)));
  return reading.end(text.write(decoder.end()) + text.end());
}

/** The values of a record that count, by their path in it. */
type RecordValues = Map<string, string>;

/** Collects texts by their path. A record is added to its source and forgotten when its element ends. */
class Reading {
  readonly #parser = new SaxesParser();
  readonly #path: string[] = [];
  readonly #head = new Map<string, string>();
  readonly #rows = new Map<string, DmarcRow>();
  #record: RecordValues = new Map();
  #records = 0;
  #unreadable = 0;
  #attributes = 0;
  #text = '';

  constructor() {
    this.#parser.on('error', (error) => refuse(`not well-formed XML: ${error.message.slice(0, 100)}`));
    this.#parser.on('doctype', () => refuse('a DOCTYPE is not accepted'));
    this.#parser.on('attribute', () => {
      if (++this.#attributes > maxAttributes) refuse('an element has too many attributes');
    });
    this.#parser.on('opentag', ({ name }) => this.#open(name));
    this.#parser.on('text', (text) => this.#add(text));
    this.#parser.on('cdata', (text) => this.#add(text));
    this.#parser.on('closetag', () => this.#close());
  }

  write(text: string): void {
    this.#parser.write(text);
  }

  end(text: string): DmarcReport {
    this.#parser.write(text).close();
    const policyDomain =
      domainOf(this.#head.get('policy_published/domain') ?? '') ?? refuse('it has no policy_published/domain');
    const rows = this.#rowsOf(policyDomain);
    const beginAt = this.#beginAt();
    return {
      reporter: this.#reporter().slice(0, 100),
      reportId: (this.#head.get('report_metadata/report_id') || hashOf(policyDomain, beginAt, rows)).slice(0, 200),
      policyDomain,
      beginAt,
      rows,
      unreadable: this.#unreadable,
    };
  }

  /** A record without a From domain is about the domain of the policy. */
  #rowsOf(policyDomain: string): DmarcRow[] {
    return [...this.#rows.values()].map((row) => ({ ...row, fromDomain: row.fromDomain || policyDomain }));
  }

  #reporter(): string {
    const email = this.#head.get('report_metadata/email') ?? '';
    return this.#head.get('report_metadata/org_name') || domainOf(email.slice(email.lastIndexOf('@') + 1)) || 'unknown';
  }

  #beginAt(): Date {
    const begin = this.#head.get('report_metadata/date_range/begin');
    const end = this.#head.get('report_metadata/date_range/end');
    const at = timeOf(begin ?? '') ?? (timeOf(end ?? '') ?? Number.NaN) - dayMs;
    return Number.isFinite(at) ? new Date(at) : refuse('its date is not a number of seconds');
  }

  #open(tag: string): void {
    this.#attributes = 0;
    this.#text = '';
    const local = tag.slice(tag.indexOf(':') + 1).toLowerCase();
    if (this.#path.length === 0 && local !== 'feedback') refuse('it is not a DMARC report');
    if (this.#path.length >= maxDepth) refuse('its elements are nested too deeply');
    if (this.#path.length === 1 && local === 'record') {
      if (++this.#records > maxRecords) refuse(`it has more than ${maxRecords} records`);
      this.#record = new Map();
    }
    this.#path.push(local);
  }

  #add(text: string): void {
    if (this.#text.length < maxTextLength) this.#text += text.slice(0, maxTextLength - this.#text.length);
  }

  #close(): void {
    const [, section, ...rest] = this.#path;
    const value = this.#text.trim();
    this.#text = '';
    if (section === 'record' && rest.length === 0) this.#addRecord();
    // Of an element that is repeated, the first one counts.
    else if (section === 'record') setOnce(this.#record, rest.join('/'), value);
    else if (section !== undefined) setOnce(this.#head, [section, ...rest].join('/'), value);
    this.#path.pop();
  }

  #addRecord(): void {
    const source = (this.#record.get('row/source_ip') ?? '').replace(/^\[(.*)\]$/, '$1');
    const messages = Number(this.#record.get('row/count') || Number.NaN);
    const from = this.#record.get('identifiers/header_from') ?? '';
    const fromDomain = from === '' ? '' : domainOf(from);
    const isCount = Number.isInteger(messages) && messages >= 0 && messages <= maxCount;
    if (isIP(source) === 0 || source.includes('%') || !isCount || fromDomain === undefined) {
      this.#unreadable++;
      return;
    }
    const dkim = this.#record.get('row/policy_evaluated/dkim')?.toLowerCase() === 'pass' ? messages : 0;
    const spf = this.#record.get('row/policy_evaluated/spf')?.toLowerCase() === 'pass' ? messages : 0;
    const key = `${source} ${fromDomain}`;
    const row = this.#rows.get(key) ?? { source, fromDomain, messages: 0, passed: 0, dkim: 0, spf: 0 };
    row.messages += messages;
    row.passed += Math.max(dkim, spf);
    row.dkim += dkim;
    row.spf += spf;
    this.#rows.set(key, row);
  }
}

function setOnce(values: Map<string, string>, path: string, value: string): void {
  // Only the paths that are read, so that no document can fill the memory with others.
  if (readPaths.has(path) && !values.has(path)) values.set(path, value);
}

const readPaths = new Set([
  'report_metadata/org_name',
  'report_metadata/email',
  'report_metadata/report_id',
  'report_metadata/date_range/begin',
  'report_metadata/date_range/end',
  'policy_published/domain',
  'row/source_ip',
  'row/count',
  'row/policy_evaluated/dkim',
  'row/policy_evaluated/spf',
  'identifiers/header_from',
]);

/** A domain in lower case; undefined if the text is none. */
function domainOf(text: string): string | undefined {
  const lower = text.toLowerCase().replace(/\.$/, '');
  const domain = /[^\x00-\x7f]/.test(lower) ? domainToASCII(lower) : lower;
  return /^[a-z0-9._-]{1,253}$/.test(domain) ? domain : undefined;
}

/** Seconds since 1970 by RFC 7489; some reporters write milliseconds, or a date. In milliseconds. */
function timeOf(text: string): number | undefined {
  const seconds = Number(text || Number.NaN);
  const at = Number.isNaN(seconds) ? Date.parse(text) : seconds > 99_999_999_999 ? seconds : seconds * 1_000;
  return Number.isFinite(at) && at >= 0 && at <= 9_999_999_999_999 ? at : undefined;
}

const hashOf = (...stated: unknown[]): string =>
  createHash('sha256').update(JSON.stringify(stated)).digest('hex').slice(0, 32);

function refuse(why: string): never {
  throw new UnreadableReport(why);
}
