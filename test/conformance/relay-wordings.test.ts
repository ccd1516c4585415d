// Whether the rules know a refusal of us in any words, and never take it for the end of a recipient (relay-wordings.ts).
import assert from 'node:assert/strict';
import test from 'node:test';
import { ReplyReader, replied } from '../../src/relays/smtp/replies.ts';
import type { Outcome, Stage } from '../../src/relays/verdict/outcome.ts';
import { type Verdict, verdict } from '../../src/relays/verdict/verdict.ts';
import { relayWordings } from './relay-wordings.ts';

const rows = relayWordings
  .trim()
  .split('\n')
  .map((line) => line.split(' | ') as [means: string, stage: Stage, reply: string, style: string]);

const isOurs = (got: Verdict) => got.kind === 'later' && (got.scope === 'relay' || got.scope === 'account');
const suppresses = (got: Verdict) => got.kind === 'failed' && got.suppress;

const fits: Record<string, (got: Verdict) => boolean> = {
  ours: isOurs,
  limit: (got) => got.kind === 'later' && (got.limit !== undefined || got.scope === 'domain'),
  gone: suppresses,
  full: (got) => (got.kind === 'failed' || got.kind === 'later') && got.bounce === 'soft',
  blocked: (got) => got.kind === 'failed' && got.bounce === 'blocked' && !got.suppress,
  later: (got) => got.kind === 'later',
  recipient: (got) => !isOurs(got),
  doubt: (got) => !suppresses(got),
};

function judge(stage: Stage, reply: string): Verdict {
  let outcome: Outcome | undefined;
  new ReplyReader().push(Buffer.from(`${reply}\r\n`), (read) => {
    outcome = replied(read, stage, stage === 'dot');
    return true;
  });
  return verdict(outcome!);
}

test('what may be about us suppresses no recipient, in whatever words', () => {
  const costly = rows.filter(
    ([means, stage, reply]) => means !== 'gone' && means !== 'recipient' && suppresses(judge(stage, reply)),
  );
  assert.deepEqual(costly, []);
});

test('refusals mean what a postmaster would read in them', () => {
  const wrong = rows.filter(([means, stage, reply]) => !fits[means]!(judge(stage, reply)));
  assert.deepEqual(
    wrong.map(([means, stage, reply]) => ({ means, stage, reply, got: judge(stage, reply) })),
    [],
  );
});

test('there are at least 400 of them, none twice', () => {
  assert.ok(rows.length >= 400, String(rows.length));
  assert.equal(new Set(rows.map(([, stage, reply]) => `${stage} ${reply}`)).size, rows.length);
});
