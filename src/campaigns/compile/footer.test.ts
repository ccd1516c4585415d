import assert from 'node:assert/strict';
import { test } from 'node:test';
import { content, recipient } from '../../../test/support/builders/mail.ts';
import type { CompiledList } from '../markup/compiled.ts';
import { compile } from './compile.ts';
import { asMailed } from './fill.ts';
import { footerFor, footerOf, headerOf, htmlUnsubscribes } from './footer.ts';

const list = { id: 7, publicId: 'a0000007', name: 'L', company: 'K & Söhne', address: 'High Street 1\nTown', url: '' };
const mailed = (lists: CompiledList[], to = recipient()) =>
  asMailed(
    compile(content({ html: '<p>x</p>', plain: 'x', lists, footer: footerOf(lists, 'en') })),
    to,
    to.at,
    to.tokens,
  );

test('the footer names the sender and the address, line by line, escaped', () => {
  const { html, plain } = mailed([list]);
  assert.match(html!, /\nK &amp; Söhne<br>High Street 1<br>Town<\/div>/);
  assert.match(plain!, /\nK & Söhne\nHigh Street 1\nTown\n$/);
});

test('the header links to the message in a browser, in the language of the campaign', () => {
  assert.equal(headerOf('en').plain, 'View in your browser: *|ARCHIVE|*');
  assert.match(headerOf('de').html, /<a href="\*\|ARCHIVE\|\*" [^>]*>Im Browser/);
});

test('text in a company or an address that looks like a merge tag is shown as it is', () => {
  const odd = { ...list, company: '*|EMAIL|* #[FNAME]# *[UNSUB]*', address: '*|UNSUB|* Road <b>' };
  const { html, plain } = mailed([odd]);
  for (const part of [html!, plain!]) {
    assert.ok(part.includes('*|EMAIL|* #[FNAME]# *[UNSUB]*'), part);
    assert.ok(part.includes('*|UNSUB|* Road'), part);
    assert.equal(part.split('/u/').length, 2);
  }
  assert.doesNotMatch(html!, /Road <b>/);
});

test('each recipient sees the sender of the list it is reached through', () => {
  const other = { ...list, id: 8, company: 'Other', address: '' };
  assert.match(mailed([list, other], recipient({ list: 8 })).plain!, /\nOther\n/);
  assert.match(mailed([list, other], recipient({ list: 7 })).plain!, /\nK & Söhne\nHigh Street 1/);
});

test('without auto_footer, a part without an unsubscribe link still gets the footer', () => {
  const whole = { html: 'H', plain: 'P' };
  const parts = { html: '<a href="*|UNSUB|*">x</a>', plain: 'no way' };
  assert.deepEqual(footerFor({ autoFooter: true, ...parts }, whole), whole);
  assert.deepEqual(footerFor({ autoFooter: false, ...parts }, whole), { html: '', plain: 'P' });
  const footerIn = (html: string, plain: string) => footerFor({ autoFooter: false, html, plain }, whole);
  const encoded = '<a href="*%7CUNSUB%7C*">x</a>';
  assert.deepEqual(footerIn(encoded, '*%7CUNSUB%7C*'), { html: '', plain: 'P' }, 'in text it is no tag');
  assert.deepEqual(footerIn('x', '*|UNSUB|*'), { html: 'H', plain: '' });
  const dead = '<a href="https://shop.example/news/*%7CUNSUB%7C*">x</a>';
  assert.deepEqual(footerIn(dead, 'x'), whole, 'behind a slash it leads nowhere');
});

test('an unsubscribe tag that readers cannot follow does not count as an unsubscribe link', () => {
  for (const html of [
    '<!-- *|UNSUB|* --><p>x</p>',
    '<title>*|UNSUB|*</title>',
    '<style>/* *|UNSUB|* */</style>',
    '<img src="*|UNSUB|*">',
    '<p>*%7CUNSUB%7C*</p>',
  ])
    assert.equal(htmlUnsubscribes(html), false, html);
  for (const html of ['*|UNSUB|*', '<a href="*%7CUNSUB%7C*">x</a>', "<a href='#[UNSUB]#'>x</a>"])
    assert.equal(htmlUnsubscribes(html), true, html);
});

test('the footer says why the recipient gets it: what its list says, else the usual sentence', () => {
  const usual = 'You are receiving this email because you subscribed.';
  const own = { ...list, reminder: 'You signed up\nat <our> shop. *|EMAIL|*' };
  const { html, plain } = mailed([own]);
  assert.match(html!, />You signed up<br>at &lt;our&gt; shop\. \*\|EMAIL\|\*<br>\n<a /);
  assert.match(plain!, /-- \nYou signed up\nat <our> shop\. \*\|EMAIL\|\*\nUnsubscribe/);
  assert.ok(!plain!.includes(usual));
  const other = { ...list, id: 8, reminder: usual };
  assert.match(mailed([own, other], recipient({ list: 8 })).plain!, new RegExp(`-- \n${usual}\n`));
  assert.match(mailed([own, other], recipient({ list: 7 })).plain!, /-- \nYou signed up\n/);
  assert.match(mailed([other]).plain!, new RegExp(`-- \n${usual}\n`));
  assert.match(mailed([list]).plain!, new RegExp(`-- \n${usual}\n`));
});

test('LIST:DESCRIPTION of other programs is the same sentence', () => {
  const own = { ...list, reminder: 'You signed up.' };
  const why = (lists: CompiledList[]) =>
    compile(content({ html: '<p>*|LIST:DESCRIPTION|*</p>', plain: '', lists })).html!.join('');
  assert.match(why([own]), /<p>You signed up\.<\/p>/);
  assert.match(why([list]), /<p>You are receiving this email because you subscribed\.<\/p>/);
});
