import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DraftValues } from '../draft.tsx';
import type { Finding } from '../findings.ts';
import { fixOf, verified } from './verified.ts';

const values = (changes: Partial<DraftValues>) =>
  ({ subject: '', to_email: '', html: '', plain: '', auto_footer: false, ...changes }) as DraftValues;
const finding = (code: Finding['code'], found: string[] = []): Finding => ({
  level: 'warning',
  code,
  message: '',
  found,
  variant: 0,
});

test('what has a finding is not verified; nothing is, while content is missing', () => {
  assert.ok(!verified([finding('link_scheme')], '').includes('links'));
  assert.deepEqual(verified([finding('not_ready', ['html'])], ''), []);
});

test('nothing is said about the images of an email without any, nor about the size of a plain text', () => {
  const of = (html: string | undefined, ...findings: Finding[]) => verified(findings, html);
  assert.ok(of('<p><IMG src="a.png" alt=""></p>').includes('images'));
  assert.ok(!of('<img src="data:" alt="">', finding('picture_not_chosen')).includes('images'));
  assert.ok(!of('<p>Hello</p>').includes('images'));
  assert.ok(!of(undefined).includes('images'));
  assert.ok(of('<p>Hello</p>').includes('size'));
  assert.ok(!of(undefined).includes('size'));
});

test('a link to a host gets https, in its attribute only', () => {
  const html = '<a href="example.com/x">example.com/x</a>';
  assert.deepEqual(fixOf(finding('link_relative', ['example.com/x']), values({ html }), 'friend'), {
    html: '<a href="https://example.com/x">example.com/x</a>',
  });
});

test('links that may be files of a page are left to the user', () => {
  for (const link of ['/more', 'page.html', 'index.php?x=1', '../a'])
    assert.equal(fixOf(finding('link_relative', [link]), values({ html: `<a href="${link}">x</a>` }), 'f'), undefined);
});

test('a first name gets a default; a field whose default is a decision does not', () => {
  const html = '<p>Dear *|FNAME|*</p>';
  assert.deepEqual(
    fixOf(finding('tag_without_value', ['*|FNAME|*']), values({ html, subject: '*|FNAME|*!' }), 'friend'),
    {
      html: '<p>Dear *|FNAME:friend|*</p>',
      subject: '*|FNAME:friend|*!',
    },
  );
  assert.equal(fixOf(finding('tag_without_value', ['*|CITY|*']), values({ html: '*|CITY|*' }), 'friend'), undefined);
});

test('the standard footer adds what is missing, once', () => {
  assert.deepEqual(fixOf(finding('unsubscribe_missing'), values({}), 'f'), { auto_footer: true });
  assert.equal(fixOf(finding('unsubscribe_missing'), values({ auto_footer: true }), 'f'), undefined);
});

test('tags of other programs that have one of ours are replaced together, links too', () => {
  const html = '<p>Hi {{ first_name }} {{ odd_one }}</p><a href="{{unsubscribe}}">leave</a>';
  const found = finding('tag_foreign', ['{{ first_name }}', '{{ odd_one }}', '{{unsubscribe}}']);
  const draft = {
    ...values({ html, subject: '{{ first_name }}!', preview_text: '' }),
    written: { format: 'html', source: '' },
  };
  assert.deepEqual(fixOf(found, draft as DraftValues, 'f'), {
    html: '<p>Hi *|FNAME|* {{ odd_one }}</p><a href="*|UNSUB|*">leave</a>',
    subject: '*|FNAME|*!',
  });
});
