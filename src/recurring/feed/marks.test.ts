// What makes two items of a feed the same one, and what does not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Marks, marksOf, noMarks, urlForm } from './marks.ts';

const site = { title: 'Harbour Notes', url: 'https://site.example/' };
type Item = Parameters<typeof marksOf>[0][number];
const item = (given: Partial<Item>): Item => ({ id: '', url: '', title: '', summary: '', ...given });
const mark = (name: keyof Marks, given: Partial<Item>, feed = site) => marksOf([item(given)], feed)[0]![name];

for (const [address, form] of [
  ['https://www.Site.example/a/', 'site.example/a'],
  [' http://site.example./a//b ', 'site.example/a/b'],
  ['https://site.example/a/index.html', 'site.example/a'],
  ['https://site.example/a/amp/', 'site.example/a'],
  ['https://site.example/a;jsessionid=12?x=1', 'site.example/a?x=1'],
  ['https://site.example/?b=2&a=1&utm_source=x', 'site.example?a=1&b=2'],
  ['https://site.example/?feed=12', 'site.example?feed=12'],
  ['https://site.example/?feed=rss', 'site.example'],
  ['https://site.example/?feed=1234567890', 'site.example'],
  ['https://site.example/?utm_id=12', 'site.example'],
  ['https://site.example/?id=rss', 'site.example?id=rss'],
  ['https://site.example/a#comments', 'site.example/a'],
  ['https://site.example/a#part-2', 'site.example/a#part-2'],
  ['https://site.example/caf%C3%A9', 'site.example/café'],
  ['https://site.example/%zz', 'site.example/%zz'],
  ['ftp://site.example/a', ''],
  ['mailto:a@site.example', ''],
  ['no address', ''],
] as const)
  test(`the form of the address "${address}"`, () => assert.equal(urlForm(address), form));

test('each mark is a short hash, and an item without anything has none', () => {
  assert.deepEqual(marksOf([item({})], site), [noMarks]);
  for (const name of ['guid', 'title'] as const) assert.match(mark(name, { id: 'one', title: 'One' }), /^[\w-]{16}$/);
});

/** Items with the same mark, and others with another. */
const same: [name: keyof Marks, same: Partial<Item>[], others: Partial<Item>[]][] = [
  [
    'guid',
    [{ id: '12 at http://site.example' }, { id: ' 12  at https://www.site.example/ ' }],
    [{ id: '13 at http://site.example' }, { id: '12at site.example' }],
  ],
  [
    'guid',
    [{ id: 'https://site.example/?p=1&utm_source=x' }, { id: 'http://www.site.example/?p=1' }],
    [{ id: 'https://site.example/?p=2' }],
  ],
  [
    'link',
    [{ url: 'https://site.example/a' }, { url: 'http://www.site.example/a/' }],
    [{ url: 'https://b.example/a' }],
  ],
  [
    'slug',
    [
      { url: 'https://site.example/2027/01/tide-tables.html' },
      { url: 'https://site.example/blog/tide-tables/' },
      { url: 'https://b.example/2027-01-02-Tide_Tables/amp' },
    ],
    [{ url: 'https://site.example/tide-table' }, { url: 'https://site.example/tide' }],
  ],
  [
    'title',
    [
      { title: 'Tide’s tables – Harbour Notes' },
      { title: "Harbour notes: TIDE'S tables" },
      { title: 'Tides  tables!' },
    ],
    [{ title: 'Tidestables' }, { title: '!!!' }, { title: '???' }],
  ],
  [
    'text',
    [{ summary: 'a'.repeat(100) }, { summary: `${'A '.repeat(100)}and more` }],
    [{ summary: `${'a'.repeat(99)}b` }, { summary: 'a'.repeat(99) }, { summary: 'a'.repeat(50) }],
  ],
  [
    'text',
    [{ summary: '潮'.repeat(50) }, { summary: `${'潮'.repeat(50)}。表` }],
    [{ summary: `${'潮'.repeat(49)}表` }, { summary: '潮'.repeat(25) }],
  ],
];
for (const [name, alike, others] of same)
  test(`${name}: ${Object.values(alike[0]!)[0]!.slice(0, 40)}`, () => {
    const marks = alike.map((one) => mark(name, one));
    assert.equal(new Set(marks).size, 1);
    const all = [marks[0], ...others.map((one) => mark(name, one))];
    assert.ok(!all.includes(''));
    assert.equal(new Set(all).size, all.length);
  });

test('what says too little is no mark', () => {
  for (const last of ['', 'abc', '12345', '12a4', 'news', 'index.html', 'feed/'])
    assert.equal(mark('slug', { url: `https://site.example/${last}` }), '', last);
  assert.notEqual(mark('slug', { url: 'https://site.example/abcd' }), '');
  assert.equal(mark('text', { summary: 'a'.repeat(49) }), '');
  assert.equal(mark('text', { summary: '潮'.repeat(24) }), '');
  assert.equal(mark('link', { url: 'http://www.site.example' }), '', 'the address of the site');
});

test('the name of the site is left out of a title only if it has one', () => {
  assert.equal(mark('title', { title: 'Tides' }, { ...site, title: '' }), mark('title', { title: 'Tides' }));
  assert.notEqual(mark('title', { title: 'Harbour Notes' }), '');
});

test('what several items share is no mark of theirs, except a title', () => {
  const shared = { id: 'one', url: 'https://site.example/tides', title: 'Tides', summary: 'a'.repeat(60) };
  const marks = marksOf([item(shared), item(shared), item({ ...shared, id: 'two' })], site);
  assert.deepEqual(
    marks.map(({ guid, link, slug, title, text }) => [guid !== '', link, slug, title !== '', text]),
    [
      [false, '', '', true, ''],
      [false, '', '', true, ''],
      [true, '', '', true, ''],
    ],
  );
});
