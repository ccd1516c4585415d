// The profile of a logo: each mistake by its message, and documents that are no logo at all.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { needLinear } from '../../../../test/support/run/linear-time.ts';
import { readLogo } from './logo.ts';

const root =
  'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" version="1.2" baseProfile="tiny-ps" viewBox="0 0 64 64"';
const svg = (inside: string, attributes = root) =>
  `<svg ${attributes}><title>Shop</title><desc>A cart</desc>${inside}</svg>`;
const gradient =
  '<linearGradient id="g"><stop offset="0" stop-color="#fff"/></linearGradient><path fill="url(#g)" d="M0 0"/>';

for (const [about, document, keys] of [
  ['paths and gradients', svg(gradient), []],
  ['a reference within the document', svg('<g id="a"/><use xlink:href="#a"/>'), []],
  ['a byte order mark', `\uFEFF${svg('<path d="M0 0"/>')}`, []],
  [
    'a prefix for the namespace',
    svg('')
      .replaceAll(/<(\/?)/g, '<$1s:')
      .replace('xmlns=', 'xmlns:s='),
    [],
  ],
  ['another profile', svg('', root.replace('tiny-ps', 'tiny')), ['svg_profile']],
  ['another version', svg('', root.replace('version="1.2"', 'version="1.1"')), ['svg_version']],
  ['neither', svg('', 'xmlns="http://www.w3.org/2000/svg"'), ['svg_profile', 'svg_version']],
  ['a position', svg('', `${root} x="0" y="0"`), ['svg_position']],
  ['no title', `<svg ${root}><g><title>Part</title></g></svg>`, ['svg_title']],
  ['an empty title', `<svg ${root}><title> </title></svg>`, ['svg_title']],
  ['a script', svg('<script>alert(1)</script>'), ['svg_elements']],
  ['an animation', svg('<g><animateTransform/></g>'), ['svg_elements']],
  ['a picture', svg('<image xlink:href="data:image/png;base64,AAAA"/>'), ['svg_elements', 'svg_links']],
  ['a style', svg('<style>path{fill:url(https://x.example/f)}</style>'), ['svg_elements']],
  ['an event', svg('<path d="M0 0" onclick="x()"/>'), ['svg_elements']],
  ['a link', svg('<a xlink:href="https://x.example/"><path d="M0 0"/></a>'), ['svg_links']],
  ['a foreign paint', svg('<path fill="url( \'https://x.example/#g\')"/>'), ['svg_links']],
  ['entities', `<!DOCTYPE svg [<!ENTITY a "b">]>${svg('')}`, ['svg_entities']],
  ['an entity in use', `<!DOCTYPE svg [<!ENTITY a "b">]>${svg('&a;')}`, ['svg_not_xml']],
  ['HTML', '<html xmlns="http://www.w3.org/1999/xhtml"/>', ['svg_not_svg']],
  ['svg without its namespace', '<svg version="1.2" baseProfile="tiny-ps"/>', ['svg_not_svg']],
  ['an end that is missing', svg('<g>'), ['svg_not_xml']],
  ['nothing', '', ['svg_not_xml']],
  ['bytes of a picture', '\x89PNG\r\n\x1a\n', ['svg_not_xml']],
] as const)
  test(`a logo with ${about}: ${keys.join(', ') || 'no problem'}`, () => {
    assert.deepEqual(
      readLogo(document).problems.map(({ key }) => key),
      keys.map((key) => `bimi.${key}`),
    );
  });

test('a logo should be square, where that can be read', () => {
  assert.equal(readLogo(svg('')).isSquare, true);
  assert.equal(readLogo(svg('', root.replace('64 64', '64, 32'))).isSquare, false);
  assert.equal(readLogo(svg('', root.replace(/viewBox="[^"]*"/, ''))).isSquare, true);
});

test('documents made to take long are read in linear time', async () => {
  const documents = [
    (times: number) => '<svg'.repeat(times),
    (times: number) => `<svg ${root}>${'<g>'.repeat(times)}`,
    (times: number) => svg(`<path d="${'url('.repeat(times)}"/>`),
  ];
  for (const of of documents) await needLinear(of(1), 10_000, (times) => readLogo(of(times)));
});

test('a title counts directly in the document only, also after other elements, and depth is measured by open elements', () => {
  const keysOf = (document: string) => readLogo(document).problems.map(({ key }) => key.replace('bimi.', ''));
  const many = '<g><path d="M0 0"/></g>'.repeat(500);
  assert.deepEqual(keysOf(`<svg ${root}>${many}<title>Shop</title></svg>`), []);
  assert.deepEqual(keysOf(`<svg ${root}><g/><g><g><title>Part</title></g></g></svg>`), ['svg_title']);
  assert.equal(readLogo(svg('', root.replace('0 0 64 64', '0 0 64'))).isSquare, true);
  assert.equal(readLogo(svg('', root.replace('0 0 64 64', '0 0 64 32'))).isSquare, false);
});
