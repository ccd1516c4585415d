// Thousands of invalid calls, made by changing valid ones with knowledge of XML and XML-RPC. Decoding gives a value
// with the properties that every reader relies on, or a WireFault. MUTATIONS is their number (10,000 in a slow run),
// MUTATION_SEED selects them; a failure prints the body.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callWith, cpuMsOf, plainOf } from '../../../test/support/builders/xml-call.ts';
import { encodeCall } from '../../../test/support/builders/xmlrpc-client.ts';
import { type Dice, diceOf } from '../../../test/support/judges/dice.ts';
import { runs } from '../../../test/support/run/runs.ts';
import { isStruct, MAX_DEPTH, type Wire, WireFault, WireNumber } from '../../method/wire.ts';
import { type Call, decodeCall } from './decode.ts';

const count = Number(process.env['MUTATIONS'] ?? runs(10_000, 2_000));
const seed = Number(process.env['MUTATION_SEED'] ?? 1);

const options = {
  list_id: ['b1c2d3f4', 'c1c2d3f4'],
  subject: 'Zażółć & <gęślą>',
  from_email: 'ann@example.com',
  tracking: { opens: true, html_clicks: false },
  generate_text: true,
};
const key = { apikey: '0123456789abcdef0123456789abcdef' };

/** Valid calls: every method of the service, every type, every notation. */
const calls: string[] = [
  ...[
    encodeCall('ping', [key]),
    encodeCall('campaigns', [
      { ...key, filters: { status: 'sent', sendtime_start: '2026-01-01' }, start: 0, limit: 25 },
    ]),
    encodeCall('campaignCreate', [{ ...key, type: 'HTML', options, content: { html: '<b>x</b>', plain: 'x\r\ny' } }]),
    encodeCall('campaignCreate', [
      { ...key, type: 'auto', options, content: { archive: Buffer.alloc(300, 7) }, type_opts: { 'offset-time': 2.5 } },
    ]),
    encodeCall('campaignUpdate', [{ ...key, cid: 'a0000001', name: 'title', value: 'New' }]),
    encodeCall('campaignSchedule', [{ ...key, cid: 'a0000001', schedule_time: '2026-01-31 09:30:00 +0100' }]),
    encodeCall('campaignSendTest', [{ ...key, cid: 'a0000001', test_emails: ['a@example.com', 'b@example.com'] }]),
    encodeCall('listBatchSubscribe', [
      { ...key, id: 'b1c2d3f4', batch: Array.from({ length: 8 }, (_, i) => ({ EMAIL: `u${i}@example.com`, N: i })) },
    ]),
    encodeCall('system.multicall', [
      [
        { methodName: 'ping', params: [key] },
        { methodName: 'lists', params: [{ ...key, start: 1 }] },
      ],
    ]),
    encodeCall('system.listMethods', []),
  ],
  ...[
    '<value>untyped</value>',
    '<value/>',
    '<value><string/></value>',
    '<value><i4>-7</i4></value>',
    '<value><i8>9223372036854775807</i8></value>',
    '<value><double>1.5e10</double></value>',
    '<value><boolean>1</boolean></value>',
    '<value><dateTime.iso8601>20260131T09:30:00+0100</dateTime.iso8601></value>',
    '<value><base64>QUJD\nREVG</base64></value>',
    '<value><nil/></value>',
    '<value><ex:nil/></value>',
    '<value><![CDATA[<b>&amp;</b>]]></value>',
    '<value>&#65;&#x1F600;&lt;</value>',
    '<value><array><data><value>1</value><value><nil/></value></data></array></value>',
    '<value><struct><member><name>__proto__</name><value>1</value></member></struct></value>',
    '<!-- x --><value a="1"><?x y?>x</value>',
  ].flatMap((value) =>
    ['', '<?xml version="1.0"?>\n', '<?xml version="1.0" encoding="ISO-8859-1"?>'].map((head) => callWith(value, head)),
  ),
];

/** What is put in: markup, references, edges of types, and bytes that matter to a parser. */
const pieces = [
  '<',
  '>',
  '&',
  '"',
  "'",
  '/',
  '=',
  '?',
  '!',
  '-',
  ']',
  '[',
  ';',
  '#',
  ' ',
  '\n',
  '\r',
  '\t',
  '\0',
  '\x01',
  '\x1F',
  '\x7F',
  '&amp;',
  '&#65;',
  '&#0;',
  '&#x110000;',
  '&#xD800;',
  '&nbsp;',
  '&',
  '&#',
  '&#x',
  ']]>',
  '<![CDATA[',
  '<!--',
  '-->',
  '--',
  '<?x ?>',
  '<?xml version="1.0"?>',
  '?>',
  '<!DOCTYPE x>',
  '<!ENTITY',
  '<nil/>',
  '<value/>',
  '<value>',
  '</value>',
  '<int>',
  '</int>',
  '<struct>',
  '</struct>',
  '<member>',
  '</member>',
  '<name>',
  '</name>',
  '<array>',
  '</array>',
  '<data>',
  '</data>',
  '<params>',
  '</params>',
  '<fault>',
  '<a:b/>',
  '<x y="z"/>',
  'xmlns=""',
  '\uFEFF',
  '\uFFFE',
  '\uFFFD',
  '\u2028',
  'ż',
  '😀',
  '-1',
  '1e400',
  'NaN',
  '9'.repeat(400),
  '2147483648',
  '20260231T25:61:61',
  '====',
  'true',
  '__proto__',
  'constructor',
  'x'.repeat(2_000),
  '<value><array><data>'.repeat(40),
  '<methodCall>',
  '</methodCall>',
];

/** What stands where text may stand, read or refused. */
const texts = [
  '',
  ' ',
  '0',
  '1',
  '-1',
  '+7',
  '0012',
  '2147483648',
  '9'.repeat(300),
  '9'.repeat(400),
  '1.5',
  '1e400',
  'NaN',
  'true',
  'ż😀',
  '20260131T09:30:00',
  '2026-01-31T09:30:00.5Z',
  '20260231T25:61:61+0100',
  'QUJD',
  'QQ==',
  '====',
  '__proto__',
  '&amp;&#13;',
  '<![CDATA[]]]]><![CDATA[>]]>',
  '<!-- x -->',
  '<?x y?>',
  '\r\n',
  '&#x1F600;',
  '\uFEFF',
  '<nil/>',
  '<int>1</int>',
  '<value/>',
];

type Change = (document: string, dice: Dice) => string;

/** Changes of whole elements, after which the document is mostly well-formed still. */
const elementChanges: Change[] = [
  // Taken out, or there twice.
  (document, dice) => replaceElement(document, dice, () => ''),
  (document, dice) => replaceElement(document, dice, (found) => found + found),
  // Another one in its place, from the same call or from another.
  (document, dice) => replaceElement(document, dice, () => anElement(document, dice)),
  (document, dice) => replaceElement(document, dice, () => anElement(dice.pick(calls), dice)),
  // One more beside it.
  (document, dice) => replaceElement(document, dice, (found) => found + anElement(dice.pick(calls), dice)),
  // Under another name.
  (document, dice) => {
    const name = dice.pick([
      'value',
      'int',
      'boolean',
      'double',
      'base64',
      'dateTime.iso8601',
      'nil',
      'struct',
      'array',
      'b',
    ]);
    return replaceElement(document, dice, (found) =>
      found.replace(/^<[^\s/>]+/, `<${name}`).replace(/<\/[^<>]*>$/, `</${name}>`),
    );
  },
  // Emptied, or without its tags.
  (document, dice) => replaceElement(document, dice, (found) => found.replace(/>.*</s, '><')),
  (document, dice) => replaceElement(document, dice, (found) => found.replace(/^<[^<>]*>|<[^<>]*>$/g, '')),
  // Wrapped, many times over.
  (document, dice) => {
    const times = dice.pick([1, 2, MAX_DEPTH, MAX_DEPTH + 1, 500]);
    const [open, close] = dice.pick([
      ['<value><array><data>', '</data></array></value>'],
      ['<value><struct><member><name>n</name>', '</member></struct></value>'],
      ['<value>', '</value>'],
    ] as const);
    return document.replace(/<value>.*<\/value>/s, (inner) => open.repeat(times) + inner + close.repeat(times));
  },
  // Other text in it.
  (document, dice) => {
    const places = [...document.matchAll(/[^?]>([^<>]*)</g)];
    if (places.length === 0) return document;
    const found = dice.pick(places);
    return splice(document, found.index + 2, found[1]!.length, dice.pick(texts));
  },
];

/** Changes of tags and characters, after which it mostly is not. */
const markupChanges: Change[] = [
  (document, dice) => replaceTag(document, dice, () => ''),
  (document, dice) => replaceTag(document, dice, (found) => found + found),
  (document, dice) => replaceTag(document, dice, () => dice.pick(document.match(tag) ?? ['<x>'])),
  (document, dice) => replaceTag(document, dice, (found) => found.replace(/^<(?!\/)/, '</')),
  (document, dice) => replaceTag(document, dice, (found) => found.replace('</', '<')),
  (document, dice) => replaceTag(document, dice, (found) => found.replace(/>$/, '/>')),
  (document, dice) => replaceTag(document, dice, (found) => found.toUpperCase()),
  (document, dice) =>
    replaceTag(document, dice, (found) => found.replace(/>$/, ` ${dice.pick(pieces)}="${dice.pick(pieces)}">`)),
  (document, dice) => splice(document, dice.below(document.length + 1), 0, dice.pick(pieces)),
  (document, dice) => splice(document, dice.below(document.length + 1), dice.below(20), ''),
  (document, dice) => splice(document, dice.below(document.length + 1), dice.below(5), dice.pick(pieces)),
  (document, dice) => document.slice(0, dice.below(document.length + 1)),
  (document, dice) => document.slice(dice.below(document.length + 1)),
  (document, dice) => {
    const at = dice.below(document.length + 1);
    return splice(document, at, 0, document.slice(at, at + dice.below(200)).repeat(1 + dice.below(30)));
  },
  // The beginning of one and the end of another.
  (document, dice) => {
    const other = dice.pick(calls);
    return document.slice(0, dice.below(document.length + 1)) + other.slice(dice.below(other.length + 1));
  },
];

const tag = /<\/?[A-Za-z][^<>]*>/g;

/** Where an element begins and ends, picked at random. */
function elementOf(document: string, dice: Dice): [start: number, end: number] {
  const tags = [...document.matchAll(tag)];
  const starts = [...tags.keys()].filter((i) => !tags[i]![0].startsWith('</'));
  if (starts.length === 0) return [0, document.length];
  const from = dice.pick(starts);
  let open = 0;
  for (const found of tags.slice(from)) {
    if (found[0].startsWith('</')) open--;
    else if (!found[0].endsWith('/>')) open++;
    if (open <= 0) return [tags[from]!.index, found.index + found[0].length];
  }
  return [0, document.length];
}

function anElement(document: string, dice: Dice): string {
  return document.slice(...elementOf(document, dice));
}

function replaceElement(document: string, dice: Dice, change: (found: string) => string): string {
  const [start, end] = elementOf(document, dice);
  return document.slice(0, start) + change(document.slice(start, end)) + document.slice(end);
}

function replaceTag(document: string, dice: Dice, change: (found: string) => string): string {
  const tags = [...document.matchAll(tag)];
  if (tags.length === 0) return document + dice.pick(pieces);
  const found = dice.pick(tags);
  return splice(document, found.index, found[0].length, change(found[0]));
}

function splice(text: string, at: number, remove: number, insert: string): string {
  return text.slice(0, at) + insert + text.slice(at + remove);
}

/** Changes of the bytes, which leave UTF-8 and declarations behind. */
function damaged(bytes: Buffer, dice: Dice): Buffer {
  if (bytes.length === 0) return bytes;
  const copy = Buffer.from(bytes);
  const at = dice.below(copy.length);
  switch (dice.below(6)) {
    case 0:
      copy[at] = dice.below(256);
      return copy;
    case 1:
      copy[at]! ^= 1 << dice.below(8);
      return copy;
    case 2:
      return Buffer.concat([copy.subarray(0, at), Buffer.of(0x80 + dice.below(128)), copy.subarray(at)]);
    case 3:
      return Buffer.concat([Buffer.from(dice.pick(['efbbbf', 'fffe', 'feff', '0000feff']), 'hex'), copy]);
    case 4:
      return Buffer.from(copy.toString('utf8'), dice.pick(['latin1', 'utf16le'] as const));
    default:
      return copy;
  }
}

function mutated(dice: Dice): Buffer {
  let document = dice.pick(calls);
  const gently = dice.below(3) > 0;
  for (let times = 1 + dice.below(3); times > 0; times--) {
    document = dice.pick(gently ? elementChanges : [...elementChanges, ...markupChanges])(document, dice);
  }
  const bytes = Buffer.from(document.slice(0, 100_000));
  return !gently && dice.below(3) === 0 ? damaged(bytes, dice) : bytes;
}

const contentTypes = [undefined, undefined, 'text/xml', 'text/xml; charset=utf-8', 'text/xml; charset=iso-8859-1'];

test(`${count} changed calls (seed ${seed}) give a value or a WireFault, without delay`, (t) => {
  const dice = diceOf(seed);
  const outcomes = { read: 0, '-32700': 0, '-32600': 0 };
  let slowestMs = 0;
  for (let i = 0; i < count; i++) {
    const body = mutated(dice);
    const contentType = dice.pick(contentTypes);
    try {
      let outcome: Call | WireFault | undefined;
      const ms = cpuMsOf(() => {
        outcome = read(body, contentType);
      });
      slowestMs = Math.max(slowestMs, ms);
      assert.equal(ms < 1_000, true, `${ms} ms`);
      if (outcome instanceof WireFault) {
        outcomes[`${outcome.code}`]++;
        assert.equal(outcome.message.length > 10 && outcome.message.length < 3_000, true, outcome.message);
      } else {
        outcomes.read++;
        check(outcome!);
      }
    } catch (error) {
      throw new Error(`change ${i}, Content-Type ${contentType}, body in base64: ${body.toString('base64')}`, {
        cause: error,
      });
    }
  }
  t.diagnostic(`${JSON.stringify(outcomes)}, slowest ${slowestMs.toFixed(0)} ms`);
  // A test of faults only, or of values only, would say little.
  for (const times of Object.values(outcomes)) assert.equal(times > count / 50, true, JSON.stringify(outcomes));
});

function read(body: Buffer, contentType: string | undefined): Call | WireFault {
  try {
    return decodeCall(body, contentType);
  } catch (error) {
    if (error instanceof WireFault) return error;
    throw error;
  }
}

/** What every reader of a call relies on; and what was read, written and read again is the same. */
function check({ method, params }: Call): void {
  assert.match(method, /^\S{1,255}$/);
  for (const param of params) checkValue(param, 0);
  const again = decodeCall(Buffer.from(encodeCall(method, params.map(plainOf))));
  // Numbers may come back as strings when they are large, and bytes do as text.
  assert.equal(again.method, method);
  assert.deepEqual(again.params.map(shapeOf), params.map(shapeOf));
}

function checkValue(value: Wire, depth: number): void {
  assert.equal(depth <= MAX_DEPTH, true);
  if (Array.isArray(value)) for (const item of value) checkValue(item, depth + 1);
  else if (isStruct(value)) {
    assert.equal(Object.getPrototypeOf(value), null);
    for (const member of Object.values(value)) checkValue(member, depth + 1);
  } else if (value instanceof WireNumber) {
    assert.equal(Number.isFinite(value.value), true);
    assert.match(value.raw, /^[+\-.\deE]+$/);
  } else if (typeof value === 'string') {
    assert.equal(value.isWellFormed(), true);
    assert.doesNotMatch(value, /[\0-\x08\x0B\x0C\x0E-\x1F\uFFFE\uFFFF]/);
  } else assert.equal(typeof value === 'boolean' || value instanceof Uint8Array, true);
}

function shapeOf(value: Wire): unknown {
  if (value instanceof WireNumber)
    return Number.isInteger(value.value) && (value.value | 0) !== value.value
      ? String(BigInt(value.value))
      : value.value + 0;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(shapeOf);
  if (isStruct(value))
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]));
  return value;
}
