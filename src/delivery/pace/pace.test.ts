// Pace with a simulated clock: rates, sparing a domain that asks for less, and leaving the others alone.
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import {
  type Bound,
  type Feedback,
  firstPauseMs,
  forgetMs,
  maxPauseMs,
  Pace,
  type PaceRules,
  recoveredWindow,
} from './pace.ts';

const unlimited: PaceRules = { perSecond: () => undefined, random: () => 0.5 };
const to = (domain: string, overrides: Partial<Bound> = {}): Bound => ({
  domain,
  account: 'a',
  relay: 'r',
  ...overrides,
});
const rates = (of: Partial<Record<'relay' | 'domain' | 'account', Record<string, number>>>): PaceRules => ({
  ...unlimited,
  perSecond: (kind, name) => of[kind]?.[name],
});

/** Milliseconds after which to ask again; 0 when the message may start. */
const waitMs = (pace: Pace, bound: Bound, now: number) => pace.held(bound, now)?.ms ?? 0;

/** One message that starts and is answered at once. */
function give(pace: Pace, bound: Bound, feedback: Feedback, now: number): number {
  assert.equal(waitMs(pace, bound, now), 0);
  return pace.end(pace.start(bound, now), feedback, now);
}

test('without limits and pauses everything may start', () => {
  const pace = new Pace(unlimited);
  for (let i = 0; i < 1000; i++) {
    assert.equal(waitMs(pace, to('x.example'), 0), 0);
    pace.start(to('x.example'), 0);
  }
});

test('relay, domain and account each hold a message to their rate, and asking takes no token', () => {
  const pace = new Pace(rates({ relay: { r: 10 }, domain: { 'x.example': 2 }, account: { a: 5 } }));
  for (let i = 0; i < 10; i++) assert.equal(waitMs(pace, to('x.example'), 0), 0);
  pace.start(to('x.example'), 0);
  assert.equal(waitMs(pace, to('y.example'), 0), 200, 'the account');
  assert.equal(waitMs(pace, to('y.example', { account: 'b' }), 0), 100, 'the relay');
  assert.equal(waitMs(pace, to('y.example', { account: 'b', relay: 's' }), 0), 0);
  assert.equal(waitMs(pace, to('x.example'), 200), 300, 'the domain');
});

test('a changed rate applies at once, without the reserve of the old one', () => {
  const of = { relay: { r: 1 } };
  const pace = new Pace(rates(of));
  pace.start(to('x.example'), 0);
  of.relay.r = 1000;
  let started = 0;
  while (waitMs(pace, to('x.example'), 1) === 0) {
    pace.start(to('x.example'), 1);
    started++;
  }
  assert.ok(started <= 1, `${started}`);
  assert.equal(waitMs(pace, to('x.example'), 2), 0);
});

test('a domain that asks for less is paused, others are not', () => {
  const pace = new Pace(unlimited);
  assert.equal(give(pace, to('slow.example'), 'slower', 0), firstPauseMs);
  assert.equal(waitMs(pace, to('slow.example'), 1), firstPauseMs - 1);
  assert.equal(waitMs(pace, to('fine.example'), 1), 0);
  assert.deepEqual(pace.spared(1), [{ domain: 'slow.example', pausedMs: firstPauseMs - 1, window: 1 }]);
  assert.equal(waitMs(pace, to('slow.example'), firstPauseMs), 0);
});

test('a pace that goes first takes the rate of all those behind it, and not their pauses', () => {
  const limited = rates({ account: { a: 10 } });
  const campaigns = new Pace(limited);
  const lists = new Pace({ ...limited, ahead: campaigns });
  const messages = new Pace({ ...limited, ahead: lists });
  give(lists, to('slow.example'), 'slower', 0);
  let started = 0;
  for (; waitMs(messages, to('slow.example'), 1) === 0; started++) messages.start(to('slow.example'), 1);
  assert.ok(started > 0);
  for (const behind of [lists, campaigns]) assert.ok(waitMs(behind, to('other.example'), 1) > 0);
});

test('messages in flight together count as one request for less', () => {
  const pace = new Pace(unlimited);
  const started = Array.from({ length: 20 }, () => pace.start(to('slow.example'), 0));
  const pauses = started.map((item) => pace.end(item, 'slower', 10));
  assert.deepEqual(new Set(pauses), new Set([firstPauseMs]));
});

test('a domain that keeps asking for less is paused twice as long each time, up to the maximum', () => {
  const pace = new Pace(unlimited);
  let now = 0;
  const pauses = Array.from({ length: 12 }, () => {
    const ms = give(pace, to('slow.example'), 'slower', now);
    now += ms;
    return ms;
  });
  assert.deepEqual(
    pauses.map((ms) => ms / 1000),
    [5, 10, 20, 40, 80, 160, 320, 640, 900, 900, 900, 900],
  );
  assert.equal(maxPauseMs, 900_000);
  assert.equal(forgetMs, 600_000);
});

test('after a pause one message goes at a time, and each accepted one widens the window by one', () => {
  const pace = new Pace(unlimited);
  let now = give(pace, to('slow.example'), 'slower', 0);
  const rounds: number[] = [];
  while (rounds.length < 8) {
    const under = [];
    while (waitMs(pace, to('slow.example'), now) === 0 && under.length < 100) {
      under.push(pace.start(to('slow.example'), now));
    }
    rounds.push(under.length);
    now += 50;
    for (const one of under) pace.end(one, 'took', now);
  }
  assert.deepEqual(rounds, [1, 2, 4, 8, 16, 32, 100, 100]);
  assert.equal(recoveredWindow, 64);
  assert.deepEqual(pace.spared(now), []);
});

test('a message the domain was not asked about changes nothing', () => {
  const pace = new Pace(unlimited);
  const now = give(pace, to('slow.example'), 'slower', 0);
  give(pace, to('slow.example'), 'nothing', now);
  pace.start(to('slow.example'), now);
  assert.ok(waitMs(pace, to('slow.example'), now) > 0, 'still one at a time');
});

test('a message from before the pause that succeeds does not end the pause', () => {
  const pace = new Pace(unlimited);
  const early = Array.from({ length: 100 }, () => pace.start(to('slow.example'), 0));
  pace.end(early[0]!, 'slower', 5);
  for (const one of early.slice(1)) pace.end(one, 'took', firstPauseMs + 100);
  assert.equal(waitMs(pace, to('slow.example'), 6000), 0);
  pace.start(to('slow.example'), 6000);
  assert.ok(waitMs(pace, to('slow.example'), 6000) > 0);
});

test('old pauses expire one by one', () => {
  const pace = new Pace(unlimited);
  let now = 0;
  for (let i = 0; i < 3; i++) now += give(pace, to('slow.example'), 'slower', now);
  now += 2 * forgetMs;
  assert.equal(give(pace, to('slow.example'), 'slower', now), 2 * firstPauseMs, 'one of three remembered, and this');
});

test('pauses vary randomly by at most a tenth', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 0.999999, noNaN: true }), (chance) => {
      const pace = new Pace({ ...unlimited, random: () => chance });
      const ms = give(pace, to('slow.example'), 'slower', 0);
      assert.ok(ms >= firstPauseMs * 0.9 && ms <= firstPauseMs * 1.1);
    }),
  );
});

test('with any feedback in any order, a paused domain starts nothing and always opens again', () => {
  const step = fc.record({
    afterMs: fc.integer({ min: 0, max: 20_000 }),
    feedback: fc.constantFrom<Feedback>('took', 'slower', 'nothing'),
    many: fc.integer({ min: 1, max: 30 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const pace = new Pace(unlimited);
      let now = 0;
      for (const { afterMs, feedback, many } of steps) {
        now += afterMs;
        const under = [];
        while (under.length < many && waitMs(pace, to('x.example'), now) === 0) {
          under.push(pace.start(to('x.example'), now));
        }
        for (const one of under) pace.end(one, feedback, now + 1);
        const ms = waitMs(pace, to('x.example'), now + 1);
        assert.ok(ms <= maxPauseMs * 1.1);
        assert.equal(waitMs(pace, to('x.example'), now + 1 + ms), 0);
      }
    }),
  );
});

// One message takes 20 ms; 40 may be in flight together; each domain has its share waiting. Failures take no less time.
function simulate(domains: string[], feedbackOf: (domain: string, now: number) => Feedback, endMs: number) {
  const pace = new Pace(unlimited);
  const taken = new Map(domains.map((domain) => [domain, 0]));
  const tried = new Map(domains.map((domain) => [domain, 0]));
  let under: { started: ReturnType<Pace['start']>; domain: string; endsAt: number }[] = [];
  let turn = 0;
  for (let now = 0; now < endMs; now++) {
    for (const one of under.filter(({ endsAt }) => endsAt <= now)) {
      const feedback = feedbackOf(one.domain, now);
      pace.end(one.started, feedback, now);
      if (feedback === 'took') taken.set(one.domain, taken.get(one.domain)! + 1);
    }
    under = under.filter(({ endsAt }) => endsAt > now);
    for (let idle = 0; under.length < 40 && idle < domains.length; turn++) {
      const domain = domains[turn % domains.length]!;
      if (waitMs(pace, to(domain), now) > 0) {
        idle++;
        continue;
      }
      idle = 0;
      tried.set(domain, tried.get(domain)! + 1);
      under.push({ domain, started: pace.start(to(domain), now), endsAt: now + 20 });
    }
  }
  return { taken, tried };
}

test('while one domain replies 421 the others keep their rate, and it gets few attempts', () => {
  const domains = ['slow.example', ...Array.from({ length: 9 }, (_, i) => `fine${i}.example`)];
  const calm = simulate(domains, () => 'took', 60_000);
  const troubled = simulate(domains, (domain) => (domain === 'slow.example' ? 'slower' : 'took'), 60_000);
  for (const domain of domains.slice(1)) {
    const share = troubled.taken.get(domain)! / calm.taken.get(domain)!;
    assert.ok(share >= 0.9, `${domain} kept ${share}`);
  }
  // 4 in the first moment before it was feedback, then one after each pause of 5, 10, 20, 40 s.
  assert.ok(troubled.tried.get('slow.example')! <= 10, `${troubled.tried.get('slow.example')} tries`);
});

test('a domain that accepts mail again is soon back at its rate', () => {
  const domains = ['slow.example', 'fine.example'];
  const feedbackOf = (domain: string, now: number): Feedback =>
    domain === 'slow.example' && now < 12_000 ? 'slower' : 'took';
  const until = (endMs: number) => simulate(domains, feedbackOf, endMs).taken.get('slow.example')!;
  // Paused at 0 and 5 s, so asked again at 15 s; the second from 20 to 21 s is compared with an even half.
  const perSecond = until(21_000) - until(20_000);
  assert.ok(perSecond >= 900, `${perSecond} of 1000 a second`);
});

test('idle names are dropped', () => {
  const pace = new Pace({ perSecond: (of) => (of === 'domain' ? 1000 : undefined), random: () => 0.5 });
  for (let i = 0; i < 90_000; i++) {
    const bound = to(`d${i}.example`);
    pace.end(pace.start(bound, i), 'took', i);
  }
  assert.ok(pace.size <= 45_000, `${pace.size} names`);
});

test('a domain in flight or paused is kept when many others come', () => {
  const pace = new Pace(unlimited);
  const under = pace.start(to('busy.example'), 0);
  give(pace, to('slow.example'), 'slower', 0);
  for (let i = 0; i < 50_000; i++) give(pace, to(`d${i}.example`), 'took', 1);
  assert.ok(waitMs(pace, to('slow.example'), 1) > 0);
  assert.equal(pace.end(under, 'slower', 2), firstPauseMs);
});

test('what holds a message is named: the rate of the account, domain or relay, or the window of the domain', () => {
  const table: [Parameters<typeof rates>[0], { why: string; ms: number } | undefined][] = [
    [{}, undefined],
    [{ account: { a: 2 } }, { why: 'account', ms: 500 }],
    [{ domain: { 'x.example': 4 } }, { why: 'rate', ms: 250 }],
    [{ relay: { r: 5 } }, { why: 'rate', ms: 200 }],
  ];
  for (const [of, reason] of table) {
    const pace = new Pace(rates(of));
    assert.equal(pace.held(to('x.example'), 0), undefined);
    pace.start(to('x.example'), 0);
    assert.deepEqual(pace.held(to('x.example'), 0), reason);
  }
  const pace = new Pace(unlimited);
  const started = [1, 2].map(() => pace.start(to('x.example'), 0));
  for (const message of started) pace.end(message, 'slower', 1);
  assert.deepEqual(pace.held(to('x.example'), 2), { why: 'pause', ms: firstPauseMs - 1 });
  const window = pace.spared(2)[0]!.window;
  for (let i = 0; i < window; i++) {
    assert.equal(pace.held(to('x.example'), firstPauseMs + 1), undefined);
    pace.start(to('x.example'), firstPauseMs + 1);
  }
  assert.deepEqual(pace.held(to('x.example'), firstPauseMs + 1), { why: 'window', ms: 100 });
});

test('a domain whose messages wait behind others, or for the relay, does not count as slow', () => {
  const pace = new Pace(unlimited);
  const waiting = Array.from({ length: 3 }, () => pace.start(to('behind.example'), 0));
  assert.equal(pace.held(to('behind.example'), 60_000), undefined);
  pace.turn(waiting[0]!, 60_000);
  assert.equal(pace.held(to('behind.example'), 60_900), undefined);
  assert.equal(pace.held(to('behind.example'), 64_000)?.why, 'slow');
  for (const one of waiting) pace.end(one, 'took', 64_000);
  assert.equal(pace.held(to('behind.example'), 64_000), undefined);
});

test('a domain that is slow for each message gets one connection while others are quick, and all of them alone', () => {
  const pace = new Pace(unlimited);
  const takes = (domain: string, from: number, ms: number) => pace.end(pace.start(to(domain), from), 'took', from + ms);
  for (let now = 0; now < 30_000; now += 100) takes('quick.example', now, 20);
  takes('slow.example', 20_000, 5_600);
  assert.equal(pace.held(to('slow.example'), 30_000), undefined);
  const one = pace.start(to('slow.example'), 30_000);
  assert.equal(pace.held(to('slow.example'), 30_001)?.why, 'slow');
  assert.equal(pace.held(to('quick.example'), 30_001), undefined);
  assert.equal(pace.held(to('slow.example'), 36_000), undefined, 'no other domain needs the connections');
  pace.end(one, 'took', 36_000);
});

test('one unanswered recipient does not hold up its domain, several do', () => {
  const pace = new Pace(unlimited);
  const stalled = Array.from({ length: 3 }, () => pace.start(to('big.example'), 0));
  const well = pace.start(to('big.example'), 1_000);
  for (const each of [stalled[0]!, well]) pace.turn(each, 1_000);
  pace.end(well, 'took', 3_000);
  assert.equal(pace.held(to('big.example'), 3_500), undefined);
  for (const each of stalled) pace.turn(each, 1_000);
  assert.equal(pace.held(to('big.example'), 3_500)?.why, 'slow');
});

test('as many messages may start at once as there are tokens, once half of the burst is there', () => {
  const allowance = (perSecond: number, starts: number, now = 0) => {
    const pace = new Pace(rates({ relay: { r: perSecond } }));
    for (let i = 0; i < starts; i++) pace.start(to('x.example'), 0);
    return pace.allowance('relay', 'r', now);
  };
  assert.deepEqual(allowance(100, 0), { left: 10, ms: 0 });
  assert.deepEqual(allowance(100, 5), { left: 5, ms: 0 });
  assert.deepEqual(allowance(100, 6), { left: 0, ms: 10 });
  assert.deepEqual(allowance(100, 6, 10), { left: 5, ms: 0 });
  assert.deepEqual(allowance(15, 0), { left: 1, ms: 0 });
  assert.deepEqual(allowance(1, 1), { left: 0, ms: 1_000 });
  assert.deepEqual(allowance(1, 1, 1_000), { left: 1, ms: 0 });
  const unlimited = new Pace({ perSecond: () => undefined, random: () => 0.5 });
  assert.deepEqual(unlimited.allowance('account', 'a', 0), { left: Number.POSITIVE_INFINITY, ms: 0 });
});

test('the usual time of a message is an average of those that were judged', () => {
  const pace = new Pace(unlimited);
  const end = (feedback: Feedback, ms: number) => {
    pace.end(pace.start(to('x.example'), 0), feedback, ms);
    return pace.usualMs;
  };
  assert.deepEqual([end('took', 100), end('nothing', 1_000), end('slower', 52)], [2, 2, 3]);
});

test('one message that took minutes does not change the usual time of all', () => {
  for (const feedback of ['took', 'slower'] as const) {
    const pace = new Pace(unlimited);
    pace.end(pace.start(to('dead.example'), 0), feedback, 300_000);
    assert.equal(pace.usualMs, 20);
  }
});

test('the usual time follows a relay that is slow for all', () => {
  const pace = new Pace(unlimited);
  for (let n = 0; n < 500; n++) pace.end(pace.start(to('x.example'), 0), 'took', 4_000);
  assert.ok(pace.usualMs > 3_900, String(pace.usualMs));
});

test('the time of a message begins with its turn, which is set once', () => {
  const pace = new Pace(unlimited);
  const started = pace.start(to('x.example'), 100);
  pace.turn(started, 400);
  pace.turn(started, 450);
  pace.end(started, 'took', 500);
  assert.equal(pace.usualMs, 2);
});

test('the pause of a domain and its rate are shown', () => {
  const pace = new Pace(rates({ domain: { 'x.example': 7 } }));
  assert.equal(pace.perSecondTo('x.example'), 7);
  assert.equal(pace.perSecondTo('y.example'), undefined);
  assert.equal(pace.pausedMs('y.example', 0), 0);
  give(pace, to('y.example'), 'slower', 0);
  assert.deepEqual(
    [0, 0.5, 4_999, 5_000, 5_001].map((now) => pace.pausedMs('y.example', now)),
    [5_000, 5_000, 1, 0, 0],
  );
  assert.deepEqual(pace.spared(6_000), [{ domain: 'y.example', pausedMs: 0, window: 1 }]);
});

test('a new domain gets as many messages in flight as the rules allow, and one more for each accepted', () => {
  const pace = new Pace({ ...unlimited, firstWindow: 2 });
  const first = pace.start(to('x.example'), 0);
  assert.equal(pace.held(to('x.example'), 0), undefined);
  pace.start(to('x.example'), 0);
  assert.deepEqual(pace.held(to('x.example'), 0), { why: 'window', ms: 100 });
  pace.end(first, 'took', 1);
  for (let i = 0; i < 2; i++) {
    assert.equal(pace.held(to('x.example'), 1), undefined);
    pace.start(to('x.example'), 1);
  }
  assert.deepEqual(pace.held(to('x.example'), 1), { why: 'window', ms: 100 });
});

/** A pace for which messages usually take `usualMs`, and that has judged a quick one at `now`. */
function paceWith(usualMs: number, now: number): Pace {
  const pace = new Pace(unlimited);
  for (let n = 0; n < 1_000; n++) pace.end(pace.start(to('first.example'), 0), 'took', usualMs);
  pace.turn(pace.start(to('other.example'), now - 1), now);
  return pace;
}

test('a wait is long from a second on, and from five times the usual time', () => {
  for (const [usualMs, waitMs, why] of [
    [0, 1_000, undefined],
    [0, 1_001, 'slow'],
    [100, 1_001, 'slow'],
    [400, 1_999, undefined],
    [400, 2_001, 'slow'],
  ] as const) {
    const pace = paceWith(usualMs, 100_000);
    pace.turn(pace.start(to('x.example'), 100_000), 100_000);
    assert.equal(pace.held(to('x.example'), 100_000 + waitMs)?.why, why, `${usualMs} ${waitMs}`);
  }
});

test('a domain that takes long is slow for five seconds after another one was quick', () => {
  for (const [tookMs, quickAt, reason] of [
    [1_001, 6_001, { why: 'slow', ms: 100 }],
    [1_001, 6_000, undefined],
    [1_000, 6_001, undefined],
  ] as const) {
    const pace = new Pace(unlimited);
    pace.end(pace.start(to('x.example'), 0), 'took', tookMs);
    pace.end(pace.start(to('quick.example'), quickAt), 'took', quickAt);
    pace.start(to('x.example'), 11_000);
    assert.deepEqual(pace.held(to('x.example'), 11_000), reason, `${tookMs} ${quickAt}`);
  }
});

test('two messages may wait long at a domain that accepts others, the third makes it slow', () => {
  for (const [waiting, why] of [
    [2, undefined],
    [3, 'slow'],
  ] as const) {
    const pace = new Pace(unlimited);
    for (let i = 0; i < waiting; i++) pace.turn(pace.start(to('x.example'), 0), 0);
    pace.end(pace.start(to('x.example'), 1_001), 'took', 1_001);
    assert.equal(pace.held(to('x.example'), 1_001)?.why, why, String(waiting));
    assert.equal(pace.held(to('x.example'), 2_001)?.why, why, 'accepted a second ago');
    assert.equal(pace.held(to('x.example'), 2_002)?.why, 'slow', 'accepted longer ago');
  }
});

test('the average time of a domain follows an eighth of each further message', () => {
  const pace = new Pace(unlimited);
  for (const ms of [8_000, 0]) pace.end(pace.start(to('x.example'), 20_000), 'took', 20_000 + ms);
  const quick = () => pace.end(pace.start(to('quick.example'), 30_000), 'took', 30_000);
  quick();
  pace.start(to('x.example'), 30_000);
  assert.equal(pace.held(to('x.example'), 30_000)?.why, 'slow', '7 s on average');
});

test('a pause of a domain that no longer exists ends without one', () => {
  const pace = new Pace(unlimited);
  const other = new Pace(unlimited);
  assert.equal(pace.end(other.start(to('x.example'), 0), 'slower', 1), 0);
});

test('a changed rate keeps at most one token', () => {
  const of = { relay: { r: 100 } };
  const pace = new Pace(rates(of));
  assert.equal(pace.allowance('relay', 'r', 0).left, 10);
  of.relay.r = 200;
  assert.equal(pace.held(to('x.example'), 0), undefined);
  pace.start(to('x.example'), 0);
  assert.deepEqual(pace.held(to('x.example'), 0), { why: 'rate', ms: 5 });
});

test('a domain is forgotten when its pauses have expired', () => {
  const pausedMs = (afterMs: number) => {
    const pace = new Pace(unlimited);
    const ms = give(pace, to('slow.example'), 'slower', 0);
    const now = ms + afterMs;
    for (let i = 0; i < 10_001; i++) give(pace, to(`d${i}.example`), 'took', now);
    return give(pace, to('slow.example'), 'slower', now);
  };
  assert.equal(pausedMs(forgetMs - 1), 2 * firstPauseMs);
  assert.equal(pausedMs(forgetMs), firstPauseMs);
});

test('an accepted message that started with the pause does not widen the window', () => {
  const pace = new Pace(unlimited);
  const early = pace.start(to('x.example'), 0);
  const other = pace.start(to('x.example'), 10);
  pace.end(early, 'slower', 10);
  pace.end(other, 'took', firstPauseMs + 10);
  assert.deepEqual(pace.spared(firstPauseMs + 10), [{ domain: 'x.example', pausedMs: 0, window: 1 }]);
});
