// Words of other providers' exports: a contact that left stays away, whatever the word for it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  isMark,
  isStatusWord,
  isYes,
  isYesOrNo,
  isYesOrNoWord,
  lettersOf,
  namesConsent,
  statusOf,
} from './status-words.ts';

test('the words of other providers come to a status', () => {
  const words: Record<string, ReturnType<typeof statusOf>> = {
    ...{
      Subscribed: 'subscribed',
      'OPT-IN': 'subscribed',
      opted_in: 'subscribed',
      Yes: 'subscribed',
      '1': 'subscribed',
    },
    ...{ Unsubscribed: 'unsubscribed', 'Opted  Out': 'unsubscribed', No: 'unsubscribed', '0': 'unsubscribed' },
    ...{
      Blacklisted: 'unsubscribed',
      baja: 'unsubscribed',
      'marked as spam': 'unsubscribed',
      'not subscribed': 'unsubscribed',
    },
    ...{ 'do-not-mail': 'unsubscribed', ' gekündigt am 3.5. ': 'unsubscribed', verwijderd: 'unsubscribed' },
    ...{
      usunięty: 'unsubscribed',
      désactivé: 'unsubscribed',
      'désactive\u0301': 'unsubscribed',
      inativo: 'unsubscribed',
    },
    ...{ Pending: 'pending', unconfirmed: 'pending', 'en attente': 'pending' },
    ...{
      Cleaned: 'bounced',
      'soft bounce': 'bounced',
      'invalid address': 'bounced',
      hardbounce: 'bounced',
      rebotado: 'bounced',
    },
    ...{ NotConfirmed: 'pending', PendingOptIn: 'pending', NotAllowed: 'unsubscribed', Held: 'unsubscribed' },
    ...{ error: 'bounced', Engaged: 'subscribed', 'No consent': 'unsubscribed' },
    ...{ '': undefined, ' - ': undefined, VIP: undefined, Berlin: undefined },
  };
  for (const [word, status] of Object.entries(words)) assert.equal(statusOf(word), status, word);
  assert.equal(statusOf(`${'x'.repeat(195)} spam`), 'unsubscribed');
  assert.equal(statusOf(`${'x'.repeat(196)} spam`), undefined);
});

test('a time, a yes or a reason marks a contact', () => {
  for (const text of ['2024-05-31 10:00', 'x', 'yes', 'unsubscribed', 'bounced', 'moved away'])
    assert.equal(isMark(text), true, text);
  for (const text of ['', ' ', 'no', '0', 'NULL', '0000-00-00 00:00:00', ' 0000-00-00', 'subscribed', 'Pending'])
    assert.equal(isMark(text), false, text);
});

test('a cell can be a yes or a no', () => {
  for (const text of ['Yes', 'ja', '0', 'false', '']) assert.equal(isYesOrNo(text), true, text);
  for (const text of ['maybe', 'subscribed', '2']) assert.equal(isYesOrNo(text), false, text);
});

test('of several words of status in a cell, that which allows least counts', () => {
  for (const [text, status] of [
    ['Active (subscribed)', 'subscribed'],
    ['active / pending', 'pending'],
    ['pending, active', 'pending'],
    ['active [cleaned]', 'bounced'],
    ['pending | cleaned', 'bounced'],
    ['unsubscribed: active', 'unsubscribed'],
    ['(active)', undefined],
    ['active / VIP', undefined],
    ['VIP / Berlin', undefined],
  ] as const)
    assert.equal(statusOf(text), status, text);
});

test('words that may be about anything are a status in a column of a status', () => {
  for (const text of ['engaged', 'Normal', 'valid', 'deliverable', 'OK', 'live', 'current', 'member'])
    assert.equal(statusOf(text), 'subscribed', text);
  for (const text of ['engaged', 'OK', 'member', 'error']) assert.equal(isStatusWord(text), false, text);
});

test('signs and the words of programs are a yes or a no', () => {
  for (const text of ['1', '1.0', '1,0', '✓', '✔', '☑', '✅', '👍', 'x']) {
    assert.equal(statusOf(text), 'subscribed', text);
    assert.equal(isYes(text), true, text);
  }
  for (const text of ['0', '0.0', '0,0', '✗', '✘', '☐', '❌', '👎', 'none', 'null', 'nil', 'never', '[]', '{}']) {
    assert.equal(statusOf(text), 'unsubscribed', text);
    assert.equal(isYes(text), false, text);
    assert.equal(isYesOrNo(text), true, text);
    assert.equal(isMark(text), false, text);
  }
  assert.equal(isYesOrNo('-1'), false);
  assert.equal(isYesOrNo('−1'), false);
});

test('numbers, signs and the letter that marks are no yes or no in letters', () => {
  for (const text of ['yes', 'Nein', 'так']) assert.equal(isYesOrNoWord(text), true, text);
  for (const text of ['1', '0', 'x', '✓', '', 'maybe']) assert.equal(isYesOrNoWord(text), false, text);
});

test('a column of two letters has the first ones of yes and no in a language', () => {
  for (const [yes, no] of ['sn', 'on', 'tn', 'an', 'ke', 'eh'])
    assert.deepEqual(lettersOf([yes!.toUpperCase(), ` ${no} `, '', yes!]), {
      [yes!]: 'subscribed',
      [no!]: 'unsubscribed',
    });
  for (const cells of [['s'], ['n'], ['s', 'n', 'x'], ['s', 'x'], ['x', 'n'], ['x', 'z'], ['', ''], []])
    assert.equal(lettersOf(cells), undefined, cells.join());
});

test('a word of status is no yes or no, and at most 40 characters long', () => {
  for (const text of ['active', 'bounced email', 'opt-in', 'unsubscribed', 'abgemeldet'])
    assert.ok(isStatusWord(text), text);
  for (const text of ['yes', 'no', '1', 'Berlin', '']) assert.equal(isStatusWord(text), false, text);
  assert.equal(isStatusWord(`bounced ${'x'.repeat(32)}`), true);
  assert.equal(isStatusWord(`bounced ${'x'.repeat(33)}`), false);
  assert.equal(isStatusWord(`invalid ${'x'.repeat(33)}`), false);
});

test('a word of subscriptions names consent; an order can be active or cancelled', () => {
  for (const text of ['subscribed', 'Opted Out', 'abonniert', '退订']) assert.equal(namesConsent(text), true, text);
  for (const text of ['active', 'cancelled', 'yes', '']) assert.equal(namesConsent(text), false, text);
  assert.equal(namesConsent(`spam ${'x'.repeat(35)}`), true);
  assert.equal(namesConsent(`spam ${'x'.repeat(36)}`), false);
});

test('signs for nothing and "not yet" do not mark a contact', () => {
  const signs = ['-', '–', '—', '--', 'n/a', 'na', 'unknown', 'unspecified', 'undefined', '(none)', '\\n', '""', '()'];
  for (const text of [
    ...signs,
    '. . .',
    'not yet',
    'not blocked',
    'not bounced',
    'nicht gesperrt',
    '1970-01-01',
    '01.01.1900',
  ])
    assert.equal(isMark(text), false, text);
  for (const text of ['not interested', 'blocked', '1971-01-01', '1']) assert.equal(isMark(text), true, text);
});

test('of several words in a cell, that which allows least counts', () => {
  for (const [cell, status] of [
    ['pending (unsubscribed)', 'unsubscribed'],
    ['cleaned; unsubscribed; active', 'unsubscribed'],
    ['Active (subscribed)', 'subscribed'],
    ['subscribed, unconfirmed', 'pending'],
    ['bounced: mailbox removed', 'bounced'],
  ] as const)
    assert.equal(statusOf(cell), status, cell);
});
