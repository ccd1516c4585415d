// The headings that are recognized: each means one column, in whatever spelling.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headingsByTarget, plainHeading } from './headings.ts';

test('a heading is compared without case, accents, blanks and punctuation', () => {
  for (const [heading, plain] of [
    ['E-Mail Address', 'emailaddress'],
    ['Prénom', 'prenom'],
    ['opt_in_time', 'optintime'],
    ['Почта:', 'почта'],
    ['Line 2', 'line2'],
    ['---', ''],
  ] as const)
    assert.equal(plainHeading(heading), plain, heading);
});

test('no heading is empty, and none means two columns', () => {
  const targets = new Map<string, string>();
  for (const [target, headings] of Object.entries(headingsByTarget))
    for (const heading of headings) {
      assert.notEqual(heading, '', `${target}: ${headings}`);
      assert.equal(targets.get(heading) ?? target, target, heading);
      targets.set(heading, target);
    }
  for (const [heading, target] of [
    ['E-posta adresi', 'EMAIL'],
    ['ที่อยู่อีเมล', 'EMAIL'],
    ['Durum', 'STATUS'],
    ['Язык', 'LANGUAGE'],
    ['Dil', 'LANGUAGE'],
    ['Etiketler', 'TAGS'],
    ['Jméno', 'FNAME'],
    ['Příjmení', 'LNAME'],
  ] as const)
    assert.equal(targets.get(plainHeading(heading)), target, heading);
});
