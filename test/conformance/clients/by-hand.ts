// Requests of libraries that no package registry here has, written as their code writes them: phpxmlrpc, the Composer package,
// before and since version 4, and XML-RPC.NET. Each byte is a character.
import type { Case, Sent } from './clients.ts';

type Value = string | number | boolean | null | Date | Uint8Array | Value[] | { [name: string]: Value };

const utf8 = (text: string) => Buffer.from(text).toString('latin1');
const day = new Date(Date.UTC(2015, 11, 25));
const asIso = (date: Date) => date.toISOString().slice(0, 19).replaceAll('-', '');
const markup = (text: string) =>
  text.replace(/[&<>"']/g, (char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' })[char]!);

/** Text as references to characters (4), or bytes of UTF-8 taken for ISO-8859-1: from 160 on as references, others as they are. */
const phpText = {
  4: (text: string) => markup(text).replace(/[^\0-\x7f]/gu, (char) => `&#${char.codePointAt(0)};`),
  3: (text: string) => markup(utf8(text)).replace(/[\xa0-\xff]/g, (char) => `&#${char.charCodeAt(0)};`),
};

function phpValue(value: Value, text: (text: string) => string): string {
  const scalar = (type: string, content: unknown) => `<value><${type}>${content}</${type}></value>\n`;
  if (value === null) return '<value></value>\n';
  if (typeof value === 'string') return scalar('string', text(value));
  if (typeof value === 'boolean') return scalar('boolean', Number(value));
  if (typeof value === 'number') return scalar('int', value);
  if (value instanceof Date) return scalar('dateTime.iso8601', asIso(value));
  if (value instanceof Uint8Array) return scalar('base64', Buffer.from(value).toString('base64'));
  if (Array.isArray(value))
    return scalar('array', `\n<data>\n${value.map((item) => phpValue(item, text)).join('')}</data>\n`);
  const members = Object.entries(value).map(
    ([name, member]) => `<member><name>${name}</name>\n${phpValue(member, text)}</member>\n`,
  );
  return scalar('struct', `\n${members.join('')}`);
}

const phpCall = (version: 3 | 4) => (method: string, params: Value) =>
  `<?xml version="1.0"?>\n<methodCall>\n<methodName>${method}</methodName>\n<params>\n<param>\n${phpValue(params, phpText[version])}</param>\n</params>\n</methodCall>`;

/** Indented by two spaces, as an XmlTextWriter does; the bytes are UTF-8. */
function netValue(value: Value, indent: string): string {
  const inner = `${indent}  `;
  const scalar = (type: string, content: string) =>
    `${indent}<value>\r\n${inner}<${type}>${content}</${type}>\r\n${indent}</value>\r\n`;
  if (typeof value === 'string')
    return value === ''
      ? `${indent}<value>\r\n${inner}<string />\r\n${indent}</value>\r\n`
      : scalar('string', netText(value));
  if (typeof value === 'boolean') return scalar('boolean', String(Number(value)));
  if (typeof value === 'number')
    return Number.isInteger(value) ? scalar('i4', String(value)) : scalar('double', String(value));
  if (value instanceof Date) return scalar('dateTime.iso8601', asIso(value));
  if (value instanceof Uint8Array) return scalar('base64', Buffer.from(value).toString('base64'));
  if (value === null) throw new Error('XML-RPC.NET cannot send null');
  const body = Array.isArray(value)
    ? `${inner}  <data>\r\n${value.map((item) => netValue(item, `${inner}    `)).join('')}${inner}  </data>\r\n`
    : Object.entries(value)
        .map(
          ([name, member]) =>
            `${inner}  <member>\r\n${inner}    <name>${name}</name>\r\n${netValue(member, `${inner}    `)}${inner}  </member>\r\n`,
        )
        .join('');
  const type = Array.isArray(value) ? 'array' : 'struct';
  return `${indent}<value>\r\n${inner}<${type}>\r\n${body}${inner}</${type}>\r\n${indent}</value>\r\n`;
}
const netText = (text: string) => utf8(text.replace(/[&<>]/g, markup));

const netCall = (method: string, params: Value) =>
  `<?xml version="1.0"?>\r\n<methodCall>\r\n  <methodName>${method}</methodName>\r\n  <params>\r\n    <param>\r\n${netValue(params, '      ')}    </param>\r\n  </params>\r\n</methodCall>`;

const libraries = { phpxmlrpc3: phpCall(3), phpxmlrpc4: phpCall(4), dotnet: netCall };

/** The requests of a library by case, with {key} and {list}. */
export function requestsByHand(variant: string): Map<string, Sent> {
  const write = libraries[variant as keyof typeof libraries];
  const sent = new Map<string, Sent>();
  const add = (name: Case, method: string, params: { [name: string]: Value }) =>
    sent.set(name, { path: '/xmlrpc', type: 'text/xml', body: write(method, { apikey: '{key}', ...params }) });
  const subscribe = (name: Case, merge_vars: Value) =>
    add(name, 'listSubscribe', {
      id: '{list}',
      email_address: `${name}@client.example`,
      merge_vars,
      double_optin: false,
      update_existing: true,
    });
  subscribe('umlaut', { FNAME: 'ä' });
  subscribe('cjk', { FNAME: '日本' });
  subscribe('emoji', { FNAME: '😀' });
  subscribe('quote', { FNAME: 'O’Hara' });
  // A .NET string of the byte is U+0092. PHP's text is bytes, of which version 4 makes no reference.
  subscribe('word', { FNAME: 'O\x92Hara' });
  if (variant !== 'dotnet') sent.get('word')!.body = sent.get('word')!.body.replace(/O.*Hara/, wordOf[variant]!);
  subscribe('empty', { FNAME: '' });
  if (variant !== 'dotnet') subscribe('null', { FNAME: null });
  subscribe('date', { BDAY: day });
  subscribe('digits', { NUMBER: '00123' });
  subscribe('int', { NUMBER: 123 });
  subscribe('double', { NUMBER: 123 });
  sent.get('double')!.body = sent.get('double')!.body.replace(/<(int|i4)>123<\/\1>/, '<double>123</double>');
  subscribe('bytes', { FNAME: Buffer.from('ä') });
  add('boolean', 'listCreate', { title: 'Boolean', options: { has_email_type_option: false } });
  const rows = ['ä', '日本'].map((FNAME, i) => ({ EMAIL: `row${i + 1}@client.example`, FNAME }));
  const batch = (name: Case, batch: Value) =>
    add(name, 'listBatchSubscribe', { id: '{list}', batch, double_optin: false, update_existing: true });
  batch('nested', rows);
  batch('gaps', { 17: rows[0]!, 42: rows[1]! });
  return sent;
}

/** phpxmlrpc 4 takes the byte for the head of a sequence of UTF-8 that it does not know, and passes over it. */
const wordOf: Record<string, string> = { phpxmlrpc3: 'O\x92Hara', phpxmlrpc4: 'OHara' };
