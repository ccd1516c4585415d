// What real servers and services reply to a message, and whether it costs the recipient (relay-replies.ts).
import assert from 'node:assert/strict';
import test from 'node:test';
import { ReplyReader, replied } from '../../src/relays/smtp/replies.ts';
import type { Outcome } from '../../src/relays/verdict/outcome.ts';
import { verdict } from '../../src/relays/verdict/verdict.ts';
import { relayReplies } from './relay-replies.ts';

test('replies of services and servers mean what they say about us or about the recipient', () => {
  const wrong = relayReplies.flatMap(([from, stage, reply, means]) => {
    let outcome: Outcome | undefined;
    new ReplyReader().push(Buffer.from(`${reply.replaceAll('\n', '\r\n')}\r\n`), (read) => {
      outcome = replied(read, stage, stage === 'dot');
      return true;
    });
    const got = verdict(outcome!);
    const short =
      got.kind === 'later'
        ? `${got.isDoubtful ? 'd' : 'l'} ${got.bounce} ${got.scope}${got.limit ? ` ${got.limit}` : ''}`
        : got.kind === 'failed'
          ? `f ${got.bounce} ${got.scope}${got.suppress ? ' off' : ''}`
          : got.kind;
    return short === means ? [] : [{ from, stage, reply, means, got: short }];
  });
  assert.deepEqual(wrong, []);
});

test('there are at least 150 of them, none twice', () => {
  assert.ok(relayReplies.length >= 150, String(relayReplies.length));
  assert.equal(new Set(relayReplies.map(([, stage, reply]) => `${stage} ${reply}`)).size, relayReplies.length);
});
