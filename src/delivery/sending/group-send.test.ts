// When recipients of a group start, are parked or deferred, and when the group is sent and finished.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Marked } from '../ledger/chunk.ts';
import type { Outcome } from '../outcomes/outcome.ts';
import { Pace, type PaceRules } from '../pace/pace.ts';
import { GroupSend, type GroupSendOptions } from './group-send.ts';

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

const accepted = { verdict: { kind: 'accepted', code: 250, text: 'ok' }, feedback: 'took' } as const;
const newPace = (rules: Partial<PaceRules> = {}) =>
  new Pace({ perSecond: () => undefined, random: () => 0.5, ...rules });

/** A group of which every attempt is accepted at once; `given` replaces any of its options. */
const newGroup = (domains: string[], given: Partial<GroupSendOptions> = {}) =>
  new GroupSend(
    domains.map((domain, n) => recipient(n, domain)),
    {
      pace: newPace(),
      account: 1,
      readAt: performance.now(),
      capacity: () => 60,
      canContinue: () => true,
      attempt: async () => accepted,
      defer: (_, { why }) => ({ kind: 'deferred', ms: 0, why }) as ReturnType<GroupSendOptions['defer']>,
      ...given,
    },
  );

const summary = (outcomes: Outcome[]) =>
  outcomes
    .map(({ marked, verdict }) => `${marked.email.split('@')[1]} ${'why' in verdict ? verdict.why : verdict.kind}`)
    .sort();

/** Attempts that end when the test says so, by recipient. */
function attempts() {
  const ends = new Map<number, (result: typeof accepted) => void>();
  const attempt: GroupSendOptions['attempt'] = ({ seq }) => new Promise((resolve) => ends.set(seq, resolve));
  return { attempt, started: () => [...ends.keys()], end: (seq: number) => ends.get(seq)!(accepted) };
}

const settled = async () => {
  for (let n = 0; n < 10; n++) await new Promise((resolve) => setImmediate(resolve));
};

test('no more messages are in flight than the capacity allows', async () => {
  const { attempt, started, end } = attempts();
  const group = newGroup(['a.example', 'b.example', 'c.example'], { attempt, capacity: () => 2 });
  await settled();
  assert.deepEqual(started(), [0, 1]);
  end(1);
  await settled();
  assert.deepEqual(started(), [0, 1, 2]);
  assert.equal(group.isFinished, false);
  end(0);
  end(2);
  await group.finished;
  assert.equal(group.isFinished, true);
  assert.deepEqual(summary(group.takeOutcomes()), ['a.example accepted', 'b.example accepted', 'c.example accepted']);
  assert.deepEqual(group.takeOutcomes(), [], 'an outcome is taken once');
});

test('a parked recipient starts as soon as one of its domain has its outcome', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { attempt, started, end } = attempts();
  const group = newGroup(['a.example', 'a.example', 'a.example'], { attempt, pace: newPace({ firstWindow: 1 }) });
  await settled();
  assert.deepEqual(started(), [0]);
  end(0);
  await settled();
  assert.deepEqual(started(), [0, 1, 2], 'the window grows with each accepted message');
  end(1);
  end(2);
  await group.finished;
  assert.equal(group.takeOutcomes().length, 3);
});

test('without permission to continue no recipient is sent, also none that is parked', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const stopped = newGroup(['a.example', 'b.example'], { canContinue: () => false });
  await stopped.finished;
  assert.deepEqual(summary(stopped.takeOutcomes()), ['a.example notSent', 'b.example notSent']);

  let mayContinue = true;
  const { attempt, end } = attempts();
  const pace = newPace({ firstWindow: 1 });
  const group = newGroup(['a.example', 'a.example'], { attempt, pace, canContinue: () => mayContinue });
  await settled();
  mayContinue = false;
  end(0);
  await group.finished;
  assert.deepEqual(summary(group.takeOutcomes()), ['a.example accepted', 'a.example notSent']);
});

test('a paused domain is deferred at once; a recipient that the rate of its account holds back is not sent', async () => {
  const pace = newPace({ perSecond: (kind) => (kind === 'account' ? 1 : undefined) });
  const now = performance.now();
  pace.end(pace.start({ domain: 'paused.example', account: '2', relay: '' }, now), 'slower', now);
  const group = newGroup(['paused.example', 'a.example', 'b.example'], { pace });
  await group.finished;
  assert.deepEqual(summary(group.takeOutcomes()), ['a.example accepted', 'b.example notSent', 'paused.example pause']);
});

test('recipients that were read too long ago are not sent, so that they are read again', async (t) => {
  let now = 10_000;
  t.mock.method(performance, 'now', () => now);
  const mayBegin: boolean[] = [];
  const first = newGroup(['a.example', 'b.example'], {
    readAt: 0,
    capacity: () => 1,
    attempt: async (_, isFresh) => {
      mayBegin.push(isFresh());
      now += 100;
      mayBegin.push(isFresh());
      now += 1;
      mayBegin.push(isFresh());
      return accepted;
    },
  });
  await first.finished;
  assert.deepEqual(summary(first.takeOutcomes()), ['a.example accepted', 'b.example notSent']);
  assert.deepEqual(mayBegin, [true, true, false], 'however long ago they were read, there are 100 ms');

  const second = newGroup(['a.example', 'b.example', 'c.example'], {
    readAt: now,
    capacity: () => 1,
    attempt: async () => {
      now += 401;
      return accepted;
    },
  });
  await second.finished;
  assert.deepEqual(summary(second.takeOutcomes()), ['a.example accepted', 'b.example accepted', 'c.example notSent']);
});

test('an attempt that fails unexpectedly makes the group fail', async () => {
  const failure = new Error('out of memory');
  const pace = newPace();
  const attempt: GroupSendOptions['attempt'] = async ({ seq }) => {
    if (seq === 0) throw failure;
    return accepted;
  };
  const group = newGroup(['a.example', 'b.example', 'c.example'], { attempt, pace, capacity: () => 1 });
  await assert.rejects(group.sent, failure);
  await assert.rejects(group.finished, failure);
  assert.deepEqual(group.takeOutcomes(), [], 'no further one was started');

  const last = newGroup(['a.example', 'b.example'], {
    attempt: async ({ seq }) => {
      if (seq === 1) throw failure;
      return accepted;
    },
  });
  await assert.rejects(last.finished, failure);
  assert.deepEqual(summary(last.takeOutcomes()), ['a.example accepted']);
});

/** Lets the time pass in steps of 10 ms until the promise is resolved. @returns the milliseconds that it took */
async function msUntil(promise: Promise<void>, pass: (ms: number) => void): Promise<number> {
  let done = false;
  void promise.then(() => (done = true));
  await settled();
  for (let ms = 0; ms < 20_000; ms += 10) {
    if (done) return ms;
    pass(10);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return Number.POSITIVE_INFINITY;
}

/** A clock that only the test moves. */
function clock(t: TestContext) {
  let now = 1_000;
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.mock.method(performance, 'now', () => now);
  return (ms: number) => {
    now += ms;
    t.mock.timers.tick(ms);
  };
}

test('a server that does not answer delays the next group by 100 ms after the last outcome, and by 300 ms at most', async (t) => {
  const pass = clock(t);
  const never = new Promise<typeof accepted>(() => {});
  const silent = newGroup(['silent.example'], { attempt: () => never });
  assert.equal(await msUntil(silent.sent, pass), 100);
  const patient = newGroup(['silent.example'], { attempt: () => never, minGraceMs: 2_000 });
  assert.equal(await msUntil(patient.sent, pass), 2_000);

  /** The others answer one after the other. */
  const group = (answersAt: number[]) => {
    const { attempt, end } = attempts();
    const made = newGroup(['silent.example', ...answersAt.map((_, n) => `d${n}.example`)], { attempt });
    let ms = 0;
    const passAndAnswer = (step: number) => {
      pass(step);
      ms += step;
      for (const [n, at] of answersAt.entries()) if (at === ms) end(n + 1);
    };
    return msUntil(made.sent, passAndAnswer);
  };
  assert.equal(await group([50]), 150);
  assert.equal(await group([50, 130]), 230);
  assert.equal(await group([90, 180, 250]), 300);
});

test('a recipient whose domain takes no more is deferred after five seconds', async (t) => {
  const pass = clock(t);
  const pace = newPace({ firstWindow: 1 });
  pace.start({ domain: 'full.example', account: '1', relay: '' }, performance.now());
  const group = newGroup(['full.example', 'a.example', 'b.example'], { pace, readAt: performance.now() + 60_000 });
  assert.equal(await msUntil(group.sent, pass), 0);
  assert.deepEqual(summary(group.takeOutcomes()), ['a.example accepted', 'b.example accepted']);
  const ms = await msUntil(group.finished, pass);
  assert.ok(ms > 5_000 && ms <= 5_050, `${ms}`);
  assert.deepEqual(summary(group.takeOutcomes()), ['full.example window']);
});
