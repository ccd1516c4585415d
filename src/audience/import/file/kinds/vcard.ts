// Address books (.vcf: vCard 2.1, 3.0 and 4.0) as CSV in UTF-8: one row for each card, with the address that it prefers first.
// Read line by line; pictures and other properties that an import does not use are passed over without being kept.
import { StringDecoder } from 'node:string_decoder';

const headings = [
  ...['Email', 'First name', 'Last name', 'Full name', 'Organization', 'Phone', 'Birthday', 'Tags', 'Language'],
  ...['Time zone', 'Notes', 'Email 2', 'Email 3', 'Email 4', 'Email 5'],
];
const furtherAddresses = 4;
const wanted = new Set(['EMAIL', 'N', 'FN', 'ORG', 'TEL', 'BDAY', 'CATEGORIES', 'LANG', 'TZ', 'NOTE']);
/** Longer values are cut. */
const maxValue = 10_000;

type Property = { name: string; parameters: string; value: string };

export const isVcard = (text: string) => /^\ufeff?\s*BEGIN:VCARD\s/i.test(text);

/** The cards of a file as CSV. */
export async function* vcardText(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield Buffer.from(`${headings.join(',')}\n`);
  let card: Property[] = [];
  for await (const property of properties(linesOf(bytes))) {
    // A card without an end ends where the next one begins.
    if (property.name === 'BEGIN' || property.name === 'END') {
      if (card.length > 0) yield lineOf(card);
      card = [];
    } else if (wanted.has(property.name) && card.length < 200) card.push(property);
  }
  if (card.length > 0) yield lineOf(card);
}

const lineOf = (card: readonly Property[]) => Buffer.from(`${rowOf(card).map(csvCell).join(',')}\n`);

function rowOf(card: readonly Property[]): string[] {
  const all = (name: string) => card.filter((property) => property.name === name);
  const first = (name: string) => textOf(all(name)[0]?.value ?? '');
  const addresses = all('EMAIL')
    .sort((a, b) => preference(a) - preference(b))
    .map(({ value }) => textOf(value).replace(/^mailto:/i, ''));
  const [last = '', given = ''] = splitAt(all('N')[0]?.value ?? '', ';').map(textOf);
  const tags = all('CATEGORIES').flatMap(({ value }) => splitAt(value, ',').map(textOf));
  return [
    addresses[0] ?? '',
    given,
    last,
    first('FN'),
    splitAt(all('ORG')[0]?.value ?? '', ';')
      .map(textOf)
      .filter(Boolean)
      .join(', '),
    first('TEL').replace(/^tel:/i, ''),
    // Apple writes 1604 where there is no year.
    first('BDAY')
      .replace(/^(\d{4})(\d{2})(\d{2})(T.*)?$/, '$1-$2-$3')
      .replace(/^1604-/, '--'),
    tags.filter(Boolean).join(', '),
    first('LANG'),
    first('TZ'),
    first('NOTE'),
    ...Array.from({ length: furtherAddresses }, (_, i) => addresses[i + 1] ?? ''),
  ];
}

/** The smaller, the more preferred: PREF=1 of 4.0, TYPE=PREF of 3.0 and PREF of 2.1. */
function preference({ parameters }: Property): number {
  const rank = /(?:^|;)PREF=(\d{1,3})/i.exec(parameters)?.[1];
  if (rank !== undefined) return Number(rank);
  return /(?:^|[;,="])PREF(?:$|[;,"])/i.test(parameters) ? 0 : 101;
}

/** The properties, with folded lines as one. */
async function* properties(lines: AsyncIterable<string>): AsyncGenerator<Property> {
  let current: Property | undefined;
  for await (const line of lines) {
    const isSoftBreak = current && isQuotedPrintable(current) && current.value.endsWith('=');
    if (current && (isSoftBreak || /^[ \t]/.test(line))) {
      const more = isSoftBreak ? line : line.slice(1);
      if (isSoftBreak) current.value = current.value.slice(0, -1);
      if (wanted.has(current.name)) current.value = (current.value + more).slice(0, maxValue);
      continue;
    }
    if (current) yield decoded(current);
    const found = /^(?:[\w-]+\.)?([\w-]+)((?:;(?:"[^"]*"|[^":])*)?):(.*)$/s.exec(line.slice(0, maxValue));
    current = found ? { name: found[1]!.toUpperCase(), parameters: found[2]!.slice(1), value: found[3]! } : undefined;
  }
  if (current) yield decoded(current);
}

const isQuotedPrintable = ({ parameters }: Property) => /QUOTED-PRINTABLE/i.test(parameters);

/** The property with its text: its bytes are in UTF-8, or in the encoding that it names. */
function decoded(property: Property): Property {
  const { parameters, value } = property;
  const charset = /CHARSET="?([\w-]+)/i.exec(parameters)?.[1] ?? 'utf-8';
  const raw = isQuotedPrintable(property)
    ? value.replace(/=([0-9A-F]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : value;
  const bytes = Buffer.from(raw, 'latin1');
  try {
    return { ...property, value: new TextDecoder(charset).decode(bytes) };
  } catch {
    return { ...property, value: bytes.toString('utf8') };
  }
}

/** Parts between separators that no backslash escapes. */
const splitAt = (value: string, sign: ';' | ',') =>
  value.match(sign === ';' ? /(?:\\.|[^;\\])+|(?<=^|;)(?=;|$)/gs : /(?:\\.|[^,\\])+/gs) ?? [];

const textOf = (value: string) =>
  value
    .replace(/\\n/gi, ' ')
    .replace(/\\([\\;,:])/g, '$1')
    .trim();

/** The lines, each byte as a character of its own. */
async function* linesOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder('latin1');
  let rest = '';
  for await (const piece of bytes) {
    const lines = (rest + decoder.write(piece)).split(/\r\n|\n|\r(?=[^\n])/);
    rest = lines.pop()!;
    // A picture on one line.
    if (rest.length > 1024 * 1024) rest = rest.slice(0, maxValue);
    yield* lines;
  }
  yield (rest + decoder.end()).replace(/\r$/, '');
}

const csvCell = (text: string) => {
  const line = text.replace(/\s*[\r\n]+\s*/g, ' ');
  return /[",]/.test(line) ? `"${line.replaceAll('"', '""')}"` : line;
};
