// MJML to HTML: merge tags and conditions stay, errors name line and element, and hostile documents are refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sample } from '../../../test/support/run/runs.ts';
import { plainBrand } from '../model/plain-brand.ts';
import { htmlOfMjml } from './mjml.ts';

const look = { brand: plainBrand, language: 'de' };
const body = (inside: string) => `<mjml>\n<mj-body>\n${inside}\n</mj-body>\n</mjml>`;
const text = (inside: string) => body(`<mj-section><mj-column><mj-text>${inside}</mj-text></mj-column></mj-section>`);

function html(source: string): string {
  const result = htmlOfMjml(source, look);
  assert.ok('html' in result, JSON.stringify(result));
  return result.html;
}

const kept: [what: string, source: string, expected: RegExp][] = [
  ['a tag in text', text('Hi *|FNAME|*'), />Hi \*\|FNAME\|\*</],
  [
    'a tag in an address',
    body('<mj-button href="https://a.example/?e=*|EMAIL|*">x</mj-button>'),
    /href="https:\/\/a\.example\/\?e=\*\|EMAIL\|\*"/,
  ],
  ['a tag as an address', text('<a href="*|UNSUB|*">x</a>'), /<a href="\*\|UNSUB\|\*">x/],
  [
    'a default with quotes in an address',
    body('<mj-button href="https://a.example/*|FNAME:"q"|*">x</mj-button>'),
    /href="https:\/\/a\.example\/\*\|FNAME:&quot;q&quot;\|\*"/,
  ],
  [
    'a condition in text',
    text('*|IF:AGE<18|*a*|ELSE:|*b*|END:IF|*'),
    />\*\|IF:AGE<18\|\*a\*\|ELSE:\|\*b\*\|END:IF\|\*</,
  ],
  [
    'a condition around a section',
    body('*|IF:X|*<mj-section></mj-section>*|END:IF|*'),
    /\*\|IF:X\|\*[\s\S]*<table[\s\S]*\*\|END:IF\|\*/,
  ],
  [
    'a loop around a section, with a picture and a link of the item',
    body(
      '*|EACH:EVENT:items|*<mj-section><mj-column><mj-image src="*|ITEM:picture|*" href="*|ITEM:url|*"/><mj-text>*|ITEM:name|*</mj-text></mj-column></mj-section>*|END:EACH|*',
    ),
    /\*\|EACH:EVENT:items\|\*[\s\S]*<table[\s\S]*href="\*\|ITEM:url\|\*"[\s\S]*src="\*\|ITEM:picture\|\*"[\s\S]*\*\|ITEM:name\|\*[\s\S]*\*\|END:EACH\|\*/,
  ],
  [
    'a condition around a column',
    body('<mj-section>*|IF:X|*<mj-column></mj-column>*|END:IF|*</mj-section>'),
    /\*\|IF:X\|\*.*\*\|END:IF\|\*/,
  ],
  [
    'a condition in mj-raw',
    body('<mj-raw>*|IF:X|*</mj-raw><mj-text>a</mj-text><mj-raw>*|END:IF|*</mj-raw>'),
    /\*\|IF:X\|\*.*\*\|END:IF\|\*/,
  ],
  [
    'a colour in the defaults',
    '<mjml><mj-head><mj-attributes><mj-text color="*|C|*"/></mj-attributes></mj-head><mj-body><mj-text>x</mj-text></mj-body></mjml>',
    /color:\*\|C\|\*/,
  ],
  [
    'a preview text',
    '<mjml><mj-head><mj-preview>For *|FNAME|*</mj-preview></mj-head><mj-body></mj-body></mjml>',
    /For \*\|FNAME\|\*/,
  ],
  ['a comment', body('<!-- *|IF:X|* --><mj-text>x</mj-text>'), /x/],
  ['void elements and entities', text('a<br>b&nbsp;&copy;<hr>'), /a<br \/>b&nbsp;&copy;<hr/],
  ['an XML declaration', `<?xml version="1.0"?>\n${text('x')}`, />x</],
  ['a table', body('<mj-table><tr><td>*|FNAME|*</td></tr></mj-table>'), /<td>\*\|FNAME\|\*<\/td>/],
  ['a script, as in HTML', body('<mj-raw><script>x()</script></mj-raw>'), /<script>x\(\)<\/script>/],
  ['an unknown entity, which is text', text('&bomb;'), />&bomb;</],
];
for (const [what, source, expected] of kept) test(`MJML: ${what}`, () => assert.match(html(source), expected));

test('the language is that of the campaign, unless the source has one', () => {
  assert.match(html(text('x')), /^<!doctype html><html lang="de"/);
  assert.match(html(text('x').replace('<mjml', '<mjml lang="fr"')), /^<!doctype html><html lang="fr"/);
});

test('no font of another server is loaded unless the source names it', () => {
  assert.doesNotMatch(html(text('x')), /fonts\.googleapis/);
  const font = '<mj-head><mj-font name="R" href="https://fonts.example/r.css"/></mj-head>';
  assert.match(
    html(
      text('x')
        .replace('<mj-body>', `${font}<mj-body font-family="R">`)
        .replace('<mj-text>', '<mj-text font-family="R">'),
    ),
    /fonts\.example\/r\.css/,
  );
});

const deep = (count: number) => '<mj-wrapper>'.repeat(count) + '</mj-wrapper>'.repeat(count);
const refused: [what: string, source: string, problem: { problem: string; line: number; detail?: string }][] = [
  [
    'an unknown element',
    body('<mj-section>\n<mj-sektion/></mj-section>'),
    { problem: 'element', line: 4, detail: 'mj-sektion' },
  ],
  [
    'an unknown element below an XML declaration',
    `<?xml version="1.0"?>\n${body('<mj-foo/>')}`,
    { problem: 'element', line: 4 },
  ],
  [
    'an element that is not closed',
    body('<mj-section>\n<mj-column>\n</mj-section>'),
    { problem: 'unclosed', line: 4, detail: 'mj-column' },
  ],
  ['HTML that is not closed', text('a<p>b'), { problem: 'unclosed', line: 3, detail: 'p' }],
  ['an end that closes nothing', body('\n</mj-text>'), { problem: 'unopened', line: 4, detail: 'mj-text' }],
  ['an end of the input', '<mjml><mj-body>', { problem: 'unclosed', line: 1, detail: 'mj-body' }],
  ['an include', body('\n<mj-include path="/etc/passwd" />'), { problem: 'include', line: 4, detail: 'mj-include' }],
  [
    'an include in the head',
    '<mjml><mj-head><mj-include path="http://127.0.0.1/"/></mj-head><mj-body/></mjml>',
    { problem: 'include', line: 1 },
  ],
  [
    'an include of a style',
    '<mjml><mj-head><mj-attributes><MJ-INCLUDE path="a"/></mj-attributes></mj-head><mj-body/></mjml>',
    { problem: 'include', line: 1 },
  ],
  [
    'an entity bomb',
    `<!DOCTYPE a [<!ENTITY a "${'x'.repeat(1_000)}"><!ENTITY b "&a;&a;&a;&a;">]>\n${text('&b;')}`,
    { problem: 'declaration', line: 1 },
  ],
  ['an external entity', `<!DOCTYPE a SYSTEM "file:///etc/passwd">\n${text('x')}`, { problem: 'declaration', line: 1 }],
  ['CDATA', text('<![CDATA[x]]>'), { problem: 'declaration', line: 3 }],
  ['elements 1,000 deep', body(deep(1_000)), { problem: 'nesting', line: 3, detail: 'mj-wrapper' }],
  ['HTML 50,000 deep', text('<b>'.repeat(50_000)), { problem: 'nesting', line: 3, detail: 'b' }],
  [
    'a carousel of 5,000 pictures',
    body(`<mj-carousel>${'<mj-carousel-image src="a"/>'.repeat(5_000)}</mj-carousel>`),
    { problem: 'complex', line: 1 },
  ],
  [
    'a long default for many elements',
    `<mjml><mj-head><mj-attributes><mj-all padding="${'1'.repeat(200_000)}"/></mj-attributes></mj-head><mj-body>${'<mj-text/>'.repeat(5_000)}</mj-body></mjml>`,
    { problem: 'complex', line: 1 },
  ],
  ['two documents', text('x') + text('y'), { problem: 'root', line: 5, detail: 'mjml' }],
  ['text around it', `${text('x')} y`, { problem: 'root', line: 5 }],
  ['no MJML', '<p>x</p>', { problem: 'root', line: 1, detail: 'p' }],
  ['nothing', ' ', { problem: 'root', line: 1 }],
  ['no body', '<mjml></mjml>', { problem: 'body', line: 1 }],
  ['an attribute without quotes', text('ä\n<a href=x>q</a>'), { problem: 'invalid', line: 4 }],
  [
    'a tag at a place that is left out',
    body('<mj-section\n*|IF:X|*></mj-section>'),
    { problem: 'tag', line: 4, detail: '*|IF:X|*' },
  ],
  [
    'a condition between social links',
    body('<mj-social>*|IF:X|*<mj-social-element name="x"/>*|END:IF|*</mj-social>'),
    { problem: 'invalid', line: 3 },
  ],
];
for (const [what, source, expected] of refused)
  test(`MJML is refused: ${what}`, () => {
    const result = htmlOfMjml(source, look);
    assert.ok('problem' in result, `${what} was accepted`);
    assert.deepEqual({ ...result, detail: expected.detail }, { detail: undefined, ...expected });
  });

test('a document after one that the renderer gave up on is rendered', () => {
  htmlOfMjml(text('<b '.repeat(10_000)), look);
  assert.match(html(text('x')), />x</);
});

test('sources made to be slow are converted or refused within seconds', () => {
  const hostile = [
    text('<'.repeat(100_000)),
    text('<!--'.repeat(50_000)),
    body('<mj-text/>'.repeat(9_000)),
    body(`<mj-text ${'a="1" '.repeat(30_000)}/>`),
    text('&#'.repeat(100_000)),
    text('*|FNAME|*'.repeat(20_000)),
    body('<mj-section><mj-column><mj-text>x</mj-text></mj-column></mj-section>'.repeat(3_000)),
    body('</mj-body>'.repeat(40_000)),
  ];
  for (const source of sample(hostile, 4)) {
    const { user } = process.cpuUsage();
    htmlOfMjml(source, look);
    const ms = (process.cpuUsage().user - user) / 1_000;
    assert.ok(ms < 10_000, `${source.slice(20, 40)}: ${ms} ms`);
  }
});

test('a problem is described in words without positions, at most 200 characters', () => {
  const detail = (source: string) => {
    const result = htmlOfMjml(source, look);
    return 'problem' in result ? `${result.line} ${result.detail}` : 'none';
  };
  assert.doesNotMatch(detail(text('\n<a href=x>q</a>')), / at (?:position )?\d+:\d+|in root template/);
  assert.ok(detail(text('\n<a href=x>q</a>')).length <= 204);
  assert.equal(detail('<!DOCTYPE html>\n<mjml></mjml>'), '1 !DOCTYPE');
  assert.equal(detail('<mjml></mjml>'), '1 mjml');
  assert.equal(detail(body(`<mj-${'x'.repeat(60)}/>`)), `3 mj-${'x'.repeat(37)}`);
});

test('elements may be a hundred deep, and a source may have as many as fit into a message', () => {
  const nested = (count: number) =>
    htmlOfMjml(body(`<mj-raw>${'<b>'.repeat(count)}${'</b>'.repeat(count)}</mj-raw>`), look);
  assert.ok('html' in nested(97), 'with mjml, mj-body and mj-raw');
  assert.ok('problem' in nested(98));
});

test('the first tag that would be lost is named with its line, after comments and the head', () => {
  const lost = htmlOfMjml(
    '<mjml>\n<mj-head><!-- *|A|* --><mj-title>*|B|*</mj-title></mj-head>\n<mj-body>\n<!-- *|C|* -->\n<!-- *|D|* -->\n<mj-section\n*|E|* *|F|*></mj-section></mj-body></mjml>',
    look,
  );
  assert.deepEqual(lost, { problem: 'tag', line: 7, detail: '*|E|*' });
});

test('lines are counted from the first one of the file, whatever ends them', () => {
  const line = (source: string) => {
    const result = htmlOfMjml(source, look);
    return 'problem' in result ? result.line : 0;
  };
  const broken = body('\n</mj-text>');
  assert.equal(line(broken), 4);
  assert.equal(line(`<?xml version="1.0"?>\r\n\r\n${broken}`), 6);
  assert.equal(line(`\r\n\r\n<?xml version="1.0"?>${broken}`), 6);
});
