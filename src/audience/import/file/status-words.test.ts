// Words of other providers' exports: a contact that left stays away, whatever the word for it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isMark, isYesOrNo, statusOf } from './status-words.ts';

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
