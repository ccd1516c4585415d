// Which notices say that no server answered, as mail systems write them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isUnanswered, replyWith } from './unanswered.ts';

const silent: [status: string, words: string][] = [
  ['4.4.7', ''],
  [
    '4.4.7',
    '554 4.4.7 Message expired: unable to deliver in 840 minutes.<421 4.4.0 Unable to lookup DNS for reader.example>',
  ],
  ['4.4.7', 'smtp; 550 4.4.7 QUEUE.Expired; message expired'],
  ['5.4.300', '550 5.4.300 Message expired'],
  ['5.4.316', '550 5.4.316 Message expired, connection refused (Socket error code 10061)'],
  ['4.4.1', 'connect to mx.reader.example[192.0.2.1]:25: Connection timed out'],
  ['4.4.1', 'delivery temporarily suspended: connect to mx.reader.example[192.0.2.1]:25: Connection refused'],
  ['', "Sorry, I wasn't able to establish an SMTP connection. (#4.4.1)"],
  ['', 'retry timeout exceeded'],
  [
    '4.4.3',
    'Host or domain name not found. Name service error for name=reader.example type=MX: Host not found, try again',
  ],
];

const answered: [status: string, words: string][] = [
  ['4.4.7', '554 4.4.7 Message expired: unable to deliver in 840 minutes.<451 4.7.1 Greylisted, try again later>'],
  ['4.4.7', '554 4.4.7 Message expired: <421 Too many connections>'],
  ['4.4.7', '554 4.4.7 Message expired: <421 4.7.0 [TS01] Messages temporarily deferred due to user complaints>'],
  ['4.4.7', 'host mx.reader.example[192.0.2.1] said: 421 4.4.1 try again'],
  ['4.2.2', '452 4.2.2 Mailbox full'],
  ['4.3.2', '421 4.3.2 System not accepting network messages'],
  ['4.4.2', 'lost connection with mx.reader.example[192.0.2.1] while sending end of data'],
  ['4.0.0', '451 Temporary local problem'],
  ['5.0.0', '550 <message.expired@reader.example> rejected'],
];

test('a notice counts if no server answered, and not if one did', () => {
  for (const [status, words] of silent)
    assert.equal(isUnanswered(replyWith(status, words)), true, `${status} ${words}`);
  for (const [status, words] of answered)
    assert.equal(isUnanswered(replyWith(status, words)), false, `${status} ${words}`);
});

test('the code of a notice is stored with its words, unless they have one or it says something else', () => {
  assert.equal(replyWith('4.4.7', 'message expired'), '4.4.7 message expired');
  assert.equal(replyWith('4.4.7', '554 4.4.7 message expired'), '554 4.4.7 message expired');
  assert.equal(replyWith('5.1.1', 'no such user'), 'no such user');
  assert.equal(replyWith('4.4.7', ''), '4.4.7');
});
