// The receiving provider of a domain, and when counts are too many.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { providerOf } from './mail-providers.ts';
import { bounceRate, complaintRate, isTooHigh, reasonsToPause } from './reputation-rules.ts';

test('domains belong to the provider of their mailboxes', () => {
  const known = {
    gmail: ['gmail.com', 'GoogleMail.com'],
    outlook: ['outlook.com', 'hotmail.co.uk', 'live.nl', 'outlook.com.br', 'msn.com'],
    yahoo: ['yahoo.de', 'yahoo.co.jp', 'aol.com', 'ymail.com'],
    gmx: ['gmx.net', 'web.de'],
    other: [
      'example.com',
      'gmail.com.evil.example',
      'live.example',
      'yahoo.mail.example.com',
      'outlook',
      '',
      'constructor',
      'notgmail.com',
    ],
  };
  for (const [provider, domains] of Object.entries(known))
    for (const domain of domains) assert.equal(providerOf(domain), provider, domain);
});

const none = { accepted: 0, refused: 0, returned: 0, complaints: 0 };

test('a campaign is paused from 5 % hard bounces of 500 messages on, at once and by mail together', () => {
  assert.deepEqual(reasonsToPause({ ...none, accepted: 474, refused: 25 }), [], 'too few messages');
  assert.deepEqual(reasonsToPause({ ...none, accepted: 475, refused: 25 }), ['bounces']);
  assert.deepEqual(reasonsToPause({ ...none, accepted: 490, refused: 10, returned: 15 }), ['bounces']);
  assert.deepEqual(reasonsToPause({ ...none, accepted: 476, refused: 24 }), [], '4.8 %');
  assert.equal(bounceRate(none), 0);
});

test('a campaign is paused from 0.3 % and 5 complaints of 500 accepted messages on', () => {
  assert.deepEqual(reasonsToPause({ ...none, accepted: 1_600, complaints: 4 }), [], 'too few complaints');
  assert.deepEqual(reasonsToPause({ ...none, accepted: 1_666, complaints: 5 }), ['complaints']);
  assert.deepEqual(reasonsToPause({ ...none, accepted: 1_667, complaints: 5 }), [], '0.2999 %');
  assert.deepEqual(reasonsToPause({ ...none, accepted: 499, complaints: 50 }), [], 'too few messages');
  assert.equal(complaintRate(none), 0);
  assert.deepEqual(reasonsToPause({ accepted: 1_000, refused: 100, returned: 0, complaints: 10 }), [
    'bounces',
    'complaints',
  ]);
});

test('a warning begins at 0.1 % and ends below 0.08 %', () => {
  assert.equal(isTooHigh({ accepted: 5_000, complaints: 5 }, false), true);
  assert.equal(isTooHigh({ accepted: 5_001, complaints: 5 }, false), false);
  assert.equal(isTooHigh({ accepted: 6_250, complaints: 5 }, true), true);
  assert.equal(isTooHigh({ accepted: 6_251, complaints: 5 }, true), false);
  assert.equal(isTooHigh({ accepted: 4_000, complaints: 4 }, false), false, 'too few complaints');
});
