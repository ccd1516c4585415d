// Form bodies as clients write them, PHP's own view of them where PHP is installed, and everything that is refused.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { plainOf, refusalOf } from '../../../test/support/builders/xml-call.ts';
import { askPhp } from '../../../test/support/judges/php.ts';
import { needLinear } from '../../../test/support/run/linear-time.ts';
import { runs } from '../../../test/support/run/runs.ts';
import { MAX_BODY_BYTES, MAX_DEPTH, MAX_VALUES, UNREADABLE, WireFault } from '../../method/wire.ts';
import { decodeForm } from './decode.ts';

const decoded = (body: string) => plainOf(decodeForm(body));

describe('form bodies', () => {
  const cases: { [body: string]: unknown } = {
    '': {},
    '&': {},
    '&&a=1&&b=2&': { a: '1', b: '2' },
    'a=': { a: '' },
    a: { a: '' },
    'a&b': { a: '', b: '' },
    'a==': { a: '=' },
    'a=b=c': { a: 'b=c' },
    'a=1&a=2': { a: '2' },
    'a=1;b=2': { a: '1;b=2' },
    'a=b+c%20d%2Be': { a: 'b c d+e' },
    'a+b=1&c%20d=2': { 'a b': '1', 'c d': '2' },
    'a.b=1': { 'a.b': '1' },
    'a=%C5%BC%F0%9F%98%80': { a: 'ż😀' },
    'a=ż😀': { a: 'ż😀' },
    'a=%c5%bc': { a: 'ż' },
    'a=50% off': { a: '50% off' },
    'a=100%': { a: '100%' },
    'a=%': { a: '%' },
    'a=%4': { a: '%4' },
    'a=%zz%41': { a: '%zzA' },
    'a=%25%34%31': { a: '%41' },
    'a=%2541': { a: '%41' },
    'a=%0D%0A%09': { a: '\r\n\t' },
    'a=1%26b%3D2': { a: '1&b=2' },
    'a%3Db=1': { 'a=b': '1' },

    'options[list_id]=x': { options: { list_id: 'x' } },
    'options%5Blist_id%5D=x': { options: { list_id: 'x' } },
    'options%5blist_id%5d=x': { options: { list_id: 'x' } },
    'options[tracking][opens]=1&options[tracking][html_clicks]=0': {
      options: { tracking: { opens: '1', html_clicks: '0' } },
    },
    'type_opts[offset-units]=day&type_opts[event-datemerge]=BIRTH': {
      type_opts: { 'offset-units': 'day', 'event-datemerge': 'BIRTH' },
    },
    'a[b.c]=1&a[d e]=2&a[f+g]=3': { a: { 'b.c': '1', 'd e': '2', 'f g': '3' } },
    'a[b]': { a: { b: '' } },
    'a[b]=1&a[b]=2': { a: { b: '2' } },

    'a[]=x': { a: ['x'] },
    'a[]=x&a[]=y': { a: ['x', 'y'] },
    'a[]=x&b=1&a[]=y': { a: ['x', 'y'], b: '1' },
    'a[0]=x&a[1]=y': { a: ['x', 'y'] },
    'a[1]=y&a[0]=x': { a: ['x', 'y'] },
    'a[2]=z&a[1]=y&a[0]=x': { a: ['x', 'y', 'z'] },
    'a[0]=x&a[2]=z&a[1]=y': { a: ['x', 'y', 'z'] },
    'a[0]=x&a[0]=y': { a: ['y'] },
    'a[1]=x': { a: { 1: 'x' } },
    'a[0]=x&a[2]=z': { a: { 0: 'x', 2: 'z' } },
    'a[5]=x&a[]=y': { a: { 5: 'x', 6: 'y' } },
    'a[0]=x&a[]=y': { a: ['x', 'y'] },
    'a[]=x&a[0]=y': { a: ['y'] },
    'a[]=x&a[k]=y': { a: { 0: 'x', k: 'y' } },
    'a[k]=x&a[]=y&a[]=z': { a: { k: 'x', 0: 'y', 1: 'z' } },
    'a[00]=x&a[]=y': { a: { '00': 'x', 0: 'y' } },
    'a[-1]=x&a[1.5]=y': { a: { '-1': 'x', '1.5': 'y' } },
    'a[2]=x&a[]=y&a[0]=z&a[1]=w': { a: ['z', 'w', 'x', 'y'] },
    'a[4000000000]=x&a[]=y': { a: { 4000000000: 'x', 0: 'y' } },
    'a[][]=1&a[][]=2': { a: [['1'], ['2']] },
    'a[0][]=1&a[0][]=2&a[1][]=3': { a: [['1', '2'], ['3']] },
    'a[0][b]=1&a[0][c]=2&a[1][b]=3': { a: [{ b: '1', c: '2' }, { b: '3' }] },

    // rest-client writes lists of hashes without numbers.
    'a[][b]=1&a[][c]=2&a[][b]=3&a[][c]=4': {
      a: [
        { b: '1', c: '2' },
        { b: '3', c: '4' },
      ],
    },
    'a[][b]=1&a[][t][]=x&a[][t][]=y&a[][b]=2&a[][t][]=z': {
      a: [
        { b: '1', t: ['x', 'y'] },
        { b: '2', t: ['z'] },
      ],
    },
    'a[][b][c]=1&a[][b][d]=2&a[][b][c]=3': { a: [{ b: { c: '1', d: '2' } }, { b: { c: '3' } }] },
    'a[][b]=1&a[][b][c]=2': { a: [{ b: '1' }, { b: { c: '2' } }] },
    'a[]=1&a[][b]=2': { a: ['1', { b: '2' }] },
    'a[][b]=1&a[][b][]=2': { a: [{ b: '1' }, { b: ['2'] }] },
    'a[3][b]=1&a[][c]=2&a[][c]=3': { a: { 3: { b: '1', c: '2' }, 4: { c: '3' } } },

    '__proto__=1&constructor=2': Object.fromEntries([
      ['__proto__', '1'],
      ['constructor', '2'],
    ]),
    'a[__proto__][x]=1': { a: Object.fromEntries([['__proto__', { x: '1' }]]) },
    '__proto__[polluted]=1': Object.fromEntries([['__proto__', { polluted: '1' }]]),
    'constructor[prototype][polluted]=1': { constructor: { prototype: { polluted: '1' } } },
    'a[length]=9&a[]=x': { a: { length: '9', 0: 'x' } },
    'a[push]=1&a[0]=x': { a: { push: '1', 0: 'x' } },
  };
  for (const [body, expected] of Object.entries(cases)) {
    test(JSON.stringify(body), () => {
      assert.deepEqual(decoded(body), expected);
      assert.deepEqual(plainOf(decodeForm(Buffer.from(body))), expected);
    });
  }

  test('no name reaches a prototype', () => {
    const form = decodeForm('__proto__[polluted]=1&a[constructor][prototype][polluted]=1&toString=1');
    assert.equal(Object.getPrototypeOf(form), null);
    assert.equal(Object.getPrototypeOf(form['a']), null);
    assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  });
});

/** Bodies word for word as the clients' own functions make them. */
describe('bodies that clients make', () => {
  test("PHP's http_build_query", () => {
    const body =
      'apikey=3f2a&type=HTML&options%5Blist_id%5D%5B0%5D=b1c2d3f4&options%5Blist_id%5D%5B1%5D=c1c2d3f4' +
      '&options%5Bsubject%5D=Witaj%2C+%C5%BC%C3%B3%C5%82wiu%21&options%5Btracking%5D%5Bopens%5D=1' +
      '&options%5Btracking%5D%5Bhtml_clicks%5D=0&options%5Bgenerate_text%5D=1&content%5Bhtml%5D=%3Cb%3E50%25%3C%2Fb%3E';
    assert.deepEqual(decoded(body), {
      apikey: '3f2a',
      type: 'HTML',
      options: {
        list_id: ['b1c2d3f4', 'c1c2d3f4'],
        subject: 'Witaj, żółwiu!',
        tracking: { opens: '1', html_clicks: '0' },
        generate_text: '1',
      },
      content: { html: '<b>50%</b>' },
    });
  });

  test("Ruby's rest-client", () => {
    const body =
      'apikey=3f2a&id=b1c2d3f4&batch[][EMAIL]=ann%40example.com&batch[][FNAME]=Ann&batch[][EMAIL]=bob%40example.com' +
      '&batch[][FNAME]=Bob&double_optin=false&emails[]=a%40example.com&emails[]=b%40example.com&filters';
    assert.deepEqual(decoded(body), {
      apikey: '3f2a',
      id: 'b1c2d3f4',
      batch: [
        { EMAIL: 'ann@example.com', FNAME: 'Ann' },
        { EMAIL: 'bob@example.com', FNAME: 'Bob' },
      ],
      double_optin: 'false',
      emails: ['a@example.com', 'b@example.com'],
      filters: '',
    });
  });

  test("Python 2's urllib", () => {
    const body =
      'merge_vars%5BFNAME%5D=Zo%C3%AB&email_address=ann%2Bnews%40example.com&apikey=3f2a&double_optin=False' +
      '&emails%5B0%5D=a%40example.com&emails%5B1%5D=b%40example.com&start=0&limit=25';
    assert.deepEqual(decoded(body), {
      merge_vars: { FNAME: 'Zoë' },
      email_address: 'ann+news@example.com',
      apikey: '3f2a',
      double_optin: 'False',
      emails: ['a@example.com', 'b@example.com'],
      start: '0',
      limit: '25',
    });
  });
});

describe('a form that declares ISO-8859-1 or windows-1252', () => {
  const cases: [string | Buffer, string][] = [
    ['a=Gr%FC%DFe+it%92s', 'Grüße it’s'],
    [Buffer.from('a=Gr\xfc\xdfe it\x92s', 'latin1'), 'Grüße it’s'],
    // What is UTF-8 is read as UTF-8, whatever is declared.
    ['a=Gr%C3%BC%C3%9Fe', 'Grüße'],
    [Buffer.from('a=Grüße 日本'), 'Grüße 日本'],
    ['a=50%25+%zz', '50% %zz'],
  ];
  for (const [body, expected] of cases)
    test(JSON.stringify(String(body)), () =>
      assert.equal(decodeForm(Buffer.from(body as string), { encoding: 'ISO-8859-1' })['a'], expected),
    );
  test('names are read so too', () =>
    assert.deepEqual({ ...decodeForm('%FC[%E4]=1', { encoding: 'ISO-8859-1' }) }['ü'], plainStruct('ä', '1')));
});

describe('a form that declares nothing is UTF-8', () => {
  const cases: [string | Buffer, string][] = [
    ['a=it%92s+%80+%85', 'it’s € …'],
    ['a=%C3%BC+%93日%94', 'ü “日”'],
    ['a=it%C2%92s', 'it’s'],
    [Buffer.from('a=it\x92s \xc3\xbc', 'latin1'), 'it’s ü'],
  ];
  for (const [body, expected] of cases)
    test(`with punctuation of Windows: ${JSON.stringify(String(body))}`, () =>
      assert.equal(decodeForm(Buffer.from(body as string))['a'], expected));
  for (const body of ['a=it%92s+f%FCr', Buffer.from('a=\x93\xfa', 'latin1'), 'a=%9C'])
    test(`without letters of another encoding: ${JSON.stringify(String(body))}`, () =>
      assert.throws(() => decodeForm(Buffer.from(body as string)), /invalid UTF-8/));
});

const plainStruct = (name: string, value: string) => Object.assign(Object.create(null), { [name]: value });

test('brackets inside of a key belong to the key, as PHP writes it', () => {
  for (const [name, key] of [
    ['a[b]]', 'b]'],
    ['a[[b]]', '[b]'],
    ['a[b[c]', 'b[c'],
    ['a[groupings[0]]', 'groupings[0]'],
    ['a[b]c[d]', 'b]c[d'],
  ] as const)
    assert.deepEqual({ ...decodeForm(`${encodeURIComponent(name)}=1`) }['a'], plainStruct(key, '1'), name);
});

test('what is no text is marked if the door wants it so', () => {
  const form = decodeForm(Buffer.from('a=J%FCrgen&b=x%00y&c=%C3%A4&d=it%92s&%FF=1'), { marks: true });
  assert.deepEqual(Object.entries(form), [
    ['a', `J${UNREADABLE}rgen`],
    ['b', `x${UNREADABLE}y`],
    ['c', 'ä'],
    ['d', 'it’s'],
    [UNREADABLE, '1'],
  ]);
});

describe('form bodies that are refused', () => {
  const bad: [string, RegExp][] = [
    ['a=1&a[b]=2', /"a\[b\]" contradicts/],
    ['a[b]=1&a=2', /"a" contradicts/],
    ['a[]=1&a=2', /"a" contradicts/],
    ['a[b]=1&a[b][c]=2', /"a\[b\]\[c\]" contradicts/],
    ['a[b][c]=1&a[b]=2', /"a\[b\]" contradicts/],
    ['a[0]=1&a[0][c]=2', /"a\[0\]\[c\]" contradicts/],
    ['a[0][c]=1&a[0]=2', /"a\[0\]" contradicts/],
    ['=1', /a value without a name/],
    ['a=1&=', /a value without a name/],
    ['[a]=1', /brackets of "\[a\]"/],
    ['[]=1', /brackets/],
    ['a[=1', /brackets/],
    ['a]=1', /brackets/],
    ['a[b=1', /brackets/],
    ['a[b]c=1', /brackets/],
    ['a][b]=1', /brackets/],
    ['a%5B=1', /brackets/],
    ['a=%FF', /invalid UTF-8 in "a"/],
    ['a=%C3', /invalid UTF-8/],
    ['a=%C0%AF', /invalid UTF-8/],
    ['a=%ED%A0%80', /invalid UTF-8/],
    ['a=%F4%90%80%80', /invalid UTF-8/],
    ['%FF=1', /invalid UTF-8 in a name/],
    ['a[%FF]=1', /invalid UTF-8 in a name/],
    ['a=%00', /NUL in "a"/],
    ['a%00b=1', /NUL in a name/],
    ['a=\0', /NUL/],
  ];
  for (const [body, why] of bad) {
    test(JSON.stringify(body), () => {
      const fault = refusalOf(() => decodeForm(body));
      assert.equal(fault.code, -32600);
      assert.match(fault.message, why);
      assert.match(fault.message, /^form body: /);
    });
  }

  test('bytes that are not UTF-8, and strings that are not UTF-16', () => {
    for (const bytes of [[0xff], [0x61, 0x3d, 0xc3], [0x61, 0x3d, 0xfc], [0xed, 0xa0, 0x80]]) {
      assert.match(refusalOf(() => decodeForm(Buffer.from(bytes))).message, /invalid UTF-8/);
    }
    assert.match(refusalOf(() => decodeForm('a=\uD800')).message, /invalid UTF-16/);
  });

  test('the value, which may be a key, is not repeated', () => {
    assert.doesNotMatch(refusalOf(() => decodeForm('apikey=3f2acafe%FF')).message, /cafe/);
  });

  test(`names nested deeper than ${MAX_DEPTH}, including the form itself`, () => {
    const name = (depth: number) => `a${'[b]'.repeat(depth - 1)}`;
    assert.equal(Object.keys(decodeForm(`${name(MAX_DEPTH)}=1`)).length, 1);
    assert.match(refusalOf(() => decodeForm(`${name(MAX_DEPTH + 1)}=1`)).message, /nested deeper than 32/);
    assert.match(refusalOf(() => decodeForm(`${name(1_000_000)}=1`)).message, /nested deeper than 32/);
  });

  test(`more than ${MAX_VALUES} values`, () => {
    assert.equal(Object.keys(decodeForm('a=1&'.repeat(MAX_VALUES))).length, 1);
    assert.match(refusalOf(() => decodeForm('a=1&'.repeat(MAX_VALUES + 1))).message, /more than 200000 values/);
    assert.match(refusalOf(() => decodeForm('a[][b]=1&'.repeat(MAX_VALUES / 2 + 1))).message, /more than 200000/);
  });

  test('a body that is too long', () => {
    assert.match(refusalOf(() => decodeForm(Buffer.alloc(MAX_BODY_BYTES + 1, 0x61))).message, /longer than 33554432/);
  });
});

describe('bodies made to be expensive are read in linear time', () => {
  let bytes = 0;
  const times = (size: number) => Math.floor(bytes / size);
  const fill = (unit: string) => unit.repeat(times(unit.length));
  const expensive: { [name: string]: () => string } = {
    pairs: () => fill('a=1&'),
    ampersands: () => fill('&'),
    'equals signs': () => fill('='),
    'plus signs': () => `a=${fill('+')}`,
    'percent signs': () => `a=${fill('%')}`,
    escapes: () => `a=${fill('%41')}`,
    'broken escapes': () => `a=${fill('%zz')}`,
    names: () => Array.from({ length: times(10) }, (_, i) => `k${i}=1`).join('&'),
    'one long name': () => fill('a'),
    'opening brackets': () => fill('['),
    'pairs of brackets': () => `a${fill('[]')}=1`,
    'appended items': () => fill('a[]=1&'),
    'numbered items': () => Array.from({ length: times(12) }, (_, i) => `a[${i}]=1`).join('&'),
    'numbered items, last first': () => Array.from({ length: times(12) }, (_, i) => `a[${times(12) - i}]=1`).join('&'),
    'items far apart': () => Array.from({ length: times(16) }, (_, i) => `a[${i * 16_384}]=1`).join('&'),
    'items of one member': () => fill('a[][b]=1&'),
    'members of one item': () => Array.from({ length: times(16) }, (_, i) => `a[][k${i}]=1`).join('&'),
    'lists in lists': () => fill(`a${'[]'.repeat(30)}=1&`),
    'maps in lists': () => fill(`a${'[][b]'.repeat(15)}=1&`),
  };
  for (const [name, body] of Object.entries(expensive)) {
    test(name, () =>
      needLinear(name, 256 * 1024, (size) => {
        bytes = size;
        try {
          decodeForm(Buffer.from(body()));
        } catch (error) {
          assert.equal(error instanceof WireFault, true, String(error));
        }
      }),
    );
  }
});

/** Maps with the keys 0 to n-1 in any order become lists, on both sides, before they are compared. */
function listed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(listed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, listed(item)] as const);
  const map = new Map(entries);
  if (entries.length > 0 && entries.every((_, i) => map.has(String(i))))
    return entries.map((_, i) => map.get(String(i)));
  return Object.fromEntries(entries);
}

describe('PHP agrees', () => {
  // Names that PHP's variables cannot have are rewritten by it and kept by us, so they are left out here.
  const word = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_-]{0,5}$/);
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('', ' ', '+', '%', '%41', '&=', 'ż', '[]', '0'),
  );

  test('on what http_build_query means', (t) => {
    const node = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        text,
        fc.array(tie('value'), { minLength: 1, maxLength: 4 }),
        fc.dictionary(word, tie('value'), { minKeys: 1, maxKeys: 4, noNullPrototype: true }),
      ),
    })).value;
    const forms = fc.sample(fc.dictionary(word, node, { maxKeys: 5, noNullPrototype: true }), {
      numRuns: runs(1_000),
      seed: 1,
    });
    const bodies = askPhp('$out = array_map("http_build_query", $in);', forms);
    if (bodies === undefined) return t.skip('PHP is not installed');
    (bodies as string[]).forEach((body, i) => {
      assert.deepEqual(decoded(body), listed(forms[i]), body);
    });
  });

  test('on bodies in parse_str', (t) => {
    const key = fc.oneof(word, fc.nat({ max: 12 }).map(String), fc.constantFrom('00', '1.5', '12345678901x', 'ż'));
    // Only at the end, because there rest-client and PHP mean the same by it.
    const path = fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.array(key, { maxLength: 3 }), fc.boolean());
    const name = path.map(
      ([base, keys, append]) => `${base}${keys.map((k) => `[${k}]`).join('')}${append ? '[]' : ''}`,
    );
    const pair = fc.tuple(name, text, fc.boolean()).map(([n, value, escaped]) => {
      return `${escaped ? encodeURIComponent(n) : n}=${encodeURIComponent(value).replaceAll('%20', '+')}`;
    });
    const bodies = fc.sample(
      fc.array(pair, { maxLength: 12 }).map((pairs) => pairs.join('&')),
      { numRuns: 2_000, seed: 2 },
    );
    const parsed = askPhp('$out = array_map(function ($q) { parse_str($q, $r); return (object) $r; }, $in);', bodies);
    if (parsed === undefined) return t.skip('PHP is not installed');
    let compared = 0;
    (parsed as unknown[]).forEach((expected, i) => {
      let ours: unknown;
      try {
        ours = decoded(bodies[i]!);
      } catch (error) {
        assert.match(String(error), /contradicts/);
        return;
      }
      compared++;
      assert.deepEqual(listed(ours), listed(expected), bodies[i]);
    });
    assert.equal(compared > 500, true, `${compared} compared`);
  });
});
