// Reads a DMARC aggregate report (RFC 7489 appendix C): who reports, about which policy and days, and what each source sent.
// Anyone can send one, so everything is limited: depth, length of texts, records. A document that is not such a report throws
// UnreadableReport. Accepts the namespaces and the missing optional elements of real reporters.
import { isIP } from 'node:net';
import { SaxesParser } from 'saxes';
import { UnreadableReport } from './unpack.ts';

export type DmarcReport = {
  reporter: string;
  reportId: string;
  /** The domain whose DMARC record applied, in lower case. */
  policyDomain: string;
  beginAt: Date;
  rows: DmarcRow[];
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
const maxTextLength = 1_000;
const maxRecords = 10_000;
const maxAttributes = 20;
/** Messages in one record; more is no count of a day. */
const maxCount = 1_000_000_000;

/** @throws UnreadableReport */
export async function readReport(document: AsyncIterable<Buffer>): Promise<DmarcReport> {
  const reading = new Reading();
  const decoder = new TextDecoder();
  for await (const piece of document) reading.write(decoder.decode(piece, { stream: true }));
  return reading.end(decoder.decode());
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
    const begin = Number(this.#needed('report_metadata/date_range/begin'));
    if (!Number.isInteger(begin) || begin < 0 || begin > 9_999_999_999) refuse('its date is not a number of seconds');
    return {
      reporter: this.#needed('report_metadata/org_name').slice(0, 100),
      reportId: this.#needed('report_metadata/report_id').slice(0, 200),
      policyDomain: domainOf(this.#needed('policy_published/domain')),
      beginAt: new Date(begin * 1_000),
      rows: [...this.#rows.values()],
    };
  }

  #needed(path: string): string {
    return this.#head.get(path) || refuse(`it has no ${path}`);
  }

  #open(name: string): void {
    this.#attributes = 0;
    this.#text = '';
    const local = name.slice(name.indexOf(':') + 1);
    if (this.#path.length === 0 && local !== 'feedback') refuse('it is not a DMARC report');
    if (this.#path.length >= maxDepth) refuse('its elements are nested too deeply');
    if (this.#path.length === 1 && local === 'record') {
      if (++this.#records > maxRecords) refuse(`it has more than ${maxRecords} records`);
      this.#record = new Map();
    }
    this.#path.push(local);
  }

  #add(text: string): void {
    if (this.#text.length + text.length > maxTextLength) {
      // Blanks between elements may be long; no value is.
      if (/\S/.test(text)) refuse('a text is too long');
      return;
    }
    this.#text += text;
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
    const source = this.#record.get('row/source_ip') ?? '';
    const messages = Number(this.#record.get('row/count'));
    const fromDomain = domainOf(this.#record.get('identifiers/header_from') ?? '');
    if (isIP(source) === 0 || source.includes('%')) refuse('a record has no source address');
    if (!Number.isInteger(messages) || messages < 0 || messages > maxCount) refuse('a record has no count');
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
  'report_metadata/report_id',
  'report_metadata/date_range/begin',
  'policy_published/domain',
  'row/source_ip',
  'row/count',
  'row/policy_evaluated/dkim',
  'row/policy_evaluated/spf',
  'identifiers/header_from',
]);

function domainOf(text: string): string {
  const domain = text.toLowerCase().replace(/\.$/, '');
  return /^[a-z0-9._-]{1,253}$/.test(domain) ? domain : refuse('a domain is not valid');
}

function refuse(why: string): never {
  throw new UnreadableReport(why);
}
