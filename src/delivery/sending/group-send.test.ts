import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Marked } from '../ledger/chunk.ts';
import { Pace } from '../pace/pace.ts';
import { GroupSend } from './group-send.ts';

const recipient = (seq: number, domain: string): Marked => ({
  seq,
  contact: seq,
  list: 1,
  email: `a${seq}@${domain}`,
  domain,
  emailType: 'html',
  untracked: false,
  values: {},
  attempts: 1,
  resent: 0,
  firstAt: new Date(0),
});

/** A group with so many recipients of a domain that takes no more now, and so many of one that accepts at once. */
function groupOf(parked: number, accepted: number): GroupSend {
  const pace = new Pace({ perSecond: () => undefined, random: () => 0.5, firstWindow: 1 });
  // One message of another group is in flight there, so nothing more may start.
  pace.start({ domain: 'silent.example', account: '1', relay: '' }, performance.now());
  const marked = [
    ...Array.from({ length: parked }, (_, n) => recipient(n, 'silent.example')),
    ...Array.from({ length: accepted }, (_, n) => recipient(parked + n, `d${n}.example`)),
  ];
  return new GroupSend(marked, {
    pace,
    account: 1,
    readAt: performance.now(),
    capacity: () => 60,
    canContinue: () => true,
    attempt: async () => ({ verdict: { kind: 'accepted', code: 250, text: 'ok' }, feedback: 'took' }),
    defer: () => ({ kind: 'deferred', ms: 0, why: 'window' }),
  });
}

/** Whether the group is sent before any of its timers ends. */
async function isSentAtOnce(group: GroupSend): Promise<boolean> {
  let sent = false;
  void group.sent.then(() => (sent = true));
  for (let n = 0; n < 10; n++) await new Promise((resolve) => setImmediate(resolve));
  return sent;
}

test('recipients whose domain takes no more now do not delay the next group, unless they are most of this one', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  for (const [parked, accepted, expected] of [
    [0, 10, true],
    [4, 10, true],
    [10, 10, false],
    [10, 0, false],
  ] as const) {
    const group = groupOf(parked, accepted);
    assert.equal(await isSentAtOnce(group), expected, `${parked} ${accepted}`);
    assert.equal(group.takeOutcomes().length, accepted);
  }
});
