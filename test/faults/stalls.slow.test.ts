// Servers that stop talking, drop what they took, or break the protocol (faults F22, F24, F26, F28, F29, F33). The time
// limits of RFC 5321 are shortened to a fiftieth.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../src/db/connect.ts';
import { formatId } from '../../src/db/ids.ts';
import { countBy, people } from '../support/delivery/engine.ts';
import { Stage, whose } from '../support/delivery/stage.ts';
import { usedMegabytes } from '../support/processes/memory.ts';
import { until } from '../support/run/until.ts';

/** Real replies, as verdict.test.ts has them by the hundred, and whether the address is to be suppressed permanently. */
const replies: [reply: string, state: string, reason: string | null, suppressed: boolean][] = [
  [
    '550-5.1.1 The email account that you tried to reach does not exist.\n550 5.1.1 Please try - gsmtp',
    'failed',
    'hard',
    true,
  ],
  [
    '550 5.1.1 <jane@x.example>: Recipient address rejected: User unknown in local recipient table',
    'failed',
    'hard',
    true,
  ],
  ["554 delivery error: dd This user doesn't have a yahoo.com account", 'failed', 'hard', true],
  ['550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup', 'failed', 'hard', true],
  ['550 Requested action not taken: mailbox unavailable', 'failed', 'hard', false],
  ['550 refused', 'later', null, false],
  ['552 5.2.2 The email account that you tried to reach is over quota', 'failed', 'soft', false],
  ["452 4.2.2 The recipient's inbox is out of storage space", 'later', null, false],
  [
    '550-5.7.1 Our system has detected that this message is likely unsolicited mail.\n550 5.7.1 gsmtp',
    'failed',
    'blocked',
    false,
  ],
  ['554 5.7.1 [HM08] Message rejected due to local policy.', 'failed', 'blocked', false],
  ['550 5.7.26 This mail has been blocked because the sender is unauthenticated.', 'failed', 'blocked', false],
  ['554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org', 'failed', 'blocked', false],
  ['550 5.7.1 Unable to relay', 'later', null, false],
  ['451 4.7.1 Greylisting in action, please come back later', 'later', null, false],
];

let stage: Stage;
before(async () => {
  stage = await Stage.start({
    sink: { says: replies.map(([reply]) => reply), dripMs: 100 },
    timeScale: 0.02,
    relay: 'tls=none&connections=8',
  });
});
after(() => stage.stop());

const resume = async () => {
  stage.sink.session = {};
  stage.sink.hangUp();
  await sleep(300);
};
const hold = (on: boolean) =>
  stage.db.run(
    on
      ? sql`update account set settings = settings || '{"unclear": "hold"}'`
      : sql`update account set settings = settings - 'unclear'`,
  );

test('F22 real replies: unknown addresses are suppressed, refusals by content and policy are not, others are unaffected', async () => {
  const odd = replies.map((_, nth) => `say${nth}${nth % 2 === 0 ? 'rcpt' : 'dot'}.x@r${nth}.example`);
  const well = people(60, 'well.example');
  const id = await stage.send([...odd, ...well]);
  const { all } = await stage.settled(id);
  const gone = odd.filter((_, nth) => replies[nth]![3]);
  let off: string[] = [];
  // An address is suppressed once the relay has accepted others.
  await until('the addresses are suppressed', async () => {
    off = await stage.suppressed();
    return gone.every((email) => off.includes(email));
  });
  for (const [nth, [reply, state, reason, suppressed]] of replies.entries()) {
    const recipient = whose(all, odd[nth]!);
    assert.deepEqual(
      [recipient.state, recipient.reason, off.includes(recipient.email)],
      [state, reason, suppressed],
      reply,
    );
    assert.equal(recipient.attempts, 1, reply);
  }
  assert.ok(well.every((email) => whose(all, email).state === 'accepted'));
  assert.equal((await stage.engine.status(id)).status, 'sending', 'few refusals by policy do not pause');
  const next = await stage.engine.send([...gone, 'ok.new@well.example']);
  const again = await stage.engine.settled(next);
  assert.deepEqual(
    again.filter((recipient) => recipient.state === 'accepted').map((recipient) => recipient.email),
    ['ok.new@well.example'],
    'a suppressed recipient gets no further message',
  );
  for (const email of gone) assert.equal(stage.seen(email).length, 1, email);
});

for (const step of ['connect', 'ehlo'] as const)
  test(`F24 a stall at ${step} costs no recipient an attempt, and the reason is shown`, async () => {
    await resume();
    stage.sink.session = { [step]: 'stall' };
    stage.sink.hangUp();
    // As many as may be in flight to one domain that has accepted nothing yet: the others would be deferred.
    const id = await stage.send(people(8, `stall-${step}.example`));
    const deadline = performance.now() + 40_000;
    while (!/no relay can be used: .*(not answer|timeout at)/.test((await stage.engine.progress(id)).status_reason)) {
      assert.ok(performance.now() < deadline, JSON.stringify(await stage.engine.progress(id)));
      await sleep(100);
    }
    await stage.engine.until(id, (every) =>
      every.every((recipient) => recipient.state === 'queued' && recipient.attempts === 0),
    );
    await resume();
    const { all } = await stage.settled(id, 30);
    assert.ok(all.every((recipient) => recipient.state === 'accepted' && recipient.attempts === 1));
  });

test('F24 a stall at RCPT or 354 defers that recipient; after the dot it is unclear, and held with the policy hold', async () => {
  await resume();
  await hold(true);
  // At MAIL, which names no recipient, it is the relay that does not answer.
  const odd = ['rcpt', 'data'].map((step) => `stall-${step}.x@s${step}.example`);
  const dotted = ['stall-dot.x@sdot.example'];
  const well = people(60, 'well24.example');
  const id = await stage.send([...odd, ...dotted, ...well]);
  const { all } = await stage.settled(id, 60);
  for (const email of odd) assert.deepEqual([whose(all, email).state, whose(all, email).attempts], ['later', 1], email);
  assert.deepEqual([whose(all, 'stall-dot').state, whose(all, 'stall-dot').resent], ['unclear', 0]);
  for (const email of well) assert.equal(whose(all, email).state, 'accepted', email);
  assert.equal((await stage.engine.status(id)).status, 'sending');
  await stage.engine.app.call('campaignResolve', { cid: formatId(id), action: 'drop' });
  await stage.check(id);
  await hold(false);
});

for (const held of [true, false])
  test(`F26 connections dropped after the dot, half of the messages taken: ${held ? 'all are held, no recipient gets two' : 'each is resent once, marked, no recipient is left out'}`, async () => {
    await resume();
    await hold(held);
    const domain = held ? 'held' : 'again';
    const taken = Array.from({ length: 20 }, (_, n) => `keepx1-dot.${n}@k${n}.${domain}.example`);
    const lost = Array.from({ length: 20 }, (_, n) => `dropx1-dot.${n}@d${n}.${domain}.example`);
    const id = await stage.send([...taken, ...lost, ...people(40, `well-${domain}.example`)]);
    const cid = formatId(id);
    const odd = (recipient: { email: string }) => !recipient.email.startsWith('ok');
    if (held) {
      const { all, checked } = await stage.settled(id);
      assert.ok(all.every((recipient) => recipient.state === (odd(recipient) ? 'unclear' : 'accepted')));
      assert.deepEqual([checked.taken, checked.copies], [60, 0]);
      const explained = await stage.engine.app.call<{ explanation: string }>('campaignExplain', {
        cid,
        email: taken[0],
      });
      assert.match(explained.explanation, /may have been sent/i);
      assert.equal((await stage.engine.status(id)).status, 'sending');
      await stage.engine.app.call('campaignResolve', { cid, action: 'resend' });
    }
    await stage.engine.untilStatus(id, 'sent', 30);
    const checked = await stage.check(id);
    const all = await stage.engine.recipients(id);
    assert.ok(
      all.every((recipient) => recipient.state === 'accepted' && recipient.resent === (odd(recipient) ? 1 : 0)),
    );
    assert.deepEqual([checked.taken, checked.copies], [100, 20], 'one copy of what was taken, none lost');
    assert.equal((await stage.engine.progress(id)).resent, 40);
    await hold(false);
  });

test('F28 messages whose replies are too slow, endless, too long or invalid are deferred, in time', async () => {
  await resume();
  const ways = ['drip', 'endless', 'long', 'noeol', 'garbage'];
  const odd = ways.flatMap((way) => ['mail', 'rcpt', 'data'].map((step) => `${way}-${step}.x@${way}${step}.example`));
  const well = people(100, 'well28.example');
  const before = usedMegabytes();
  const begunAt = performance.now();
  const id = await stage.send([...odd, ...well, 'nul-dot.x@nul.example', 'multi-rcpt.x@multi.example']);
  // When the last sessions in a row ended at MAIL, that is the relay's fault: their recipients are tried again as soon as it may
  // be used, so they may be in flight at any moment.
  const isBlameless = (email: string) => /^\w+-mail\./.test(email) && !email.startsWith('drip');
  const all = await stage.engine.until(
    id,
    (every) => every.every(({ email, state }) => isBlameless(email) || !/queued|trying/.test(state)),
    60,
  );
  const took = performance.now() - begunAt;
  for (const email of odd) {
    const recipient = whose(all, email);
    if (isBlameless(email)) {
      assert.match(recipient.state, /^(queued|trying|later)$/, email);
      assert.equal(recipient.resent, 0, email);
      continue;
    }
    // 354 drips to its end within its two minutes: a slow server, and no more.
    const mayPass = email.startsWith('drip');
    assert.ok(
      recipient.state === 'later' || (mayPass && recipient.state === 'accepted'),
      `${email}: ${recipient.state}`,
    );
    assert.equal(recipient.resent, 0);
  }
  for (const email of [...well, 'nul-dot', 'multi-rcpt']) assert.equal(whose(all, email).state, 'accepted', email);
  assert.ok(took < 45_000, `${took} ms`);
  const grown = usedMegabytes() - before;
  assert.ok(grown < 50, `${grown} MB, the sink's own endless lines among them`);
  await stage.engine.app.call('campaignPause', { cid: formatId(id) });
  await stage.engine.until(id, (every) => every.every(({ state }) => state !== 'trying'));
  await stage.engine.app.call('campaignStop', { cid: formatId(id) });
  await stage.check(id);
});

test('F29 servers that stop reading during a body are given up, use little memory, and delay no other recipient', async () => {
  await resume();
  await hold(true);
  const slow = Array.from({ length: 8 }, (_, n) => `stall-half.${n}@half${n % 4}.example`);
  const well = people(100, 'well29.example');
  const before = usedMegabytes();
  const id = await stage.send([...slow, ...well]);
  await stage.engine.until(
    id,
    (every) =>
      every
        .filter((recipient) => recipient.email.startsWith('ok'))
        .every((recipient) => recipient.state === 'accepted'),
    90,
  );
  const all = await stage.engine.until(
    id,
    (every) =>
      every
        .filter((recipient) => !recipient.email.startsWith('ok'))
        .every((recipient) => !/queued|trying/.test(recipient.state)),
    90,
  );
  // A short message is in the socket with its dot at once, so the outcome is unclear. The unit tests have the long ones.
  const counts = countBy(all, (recipient) => recipient.state);
  assert.equal(counts['accepted'], 100);
  assert.equal((counts['unclear'] ?? 0) + (counts['later'] ?? 0), 8, JSON.stringify(counts));
  const grown = usedMegabytes() - before;
  assert.ok(grown < 32, `${grown} MB`);
  await stage.check(id);
  await hold(false);
});

test('F33 with each of the 32 sets of extensions a campaign reaches all recipients the server can accept, one dot per message', async (t) => {
  // With ordinary time limits: on a busy machine a server would count as slow by the shortened ones.
  const plain = await Stage.start({ relay: 'tls=none&connections=8' });
  t.after(() => plain.stop());
  const { options } = plain.sink;
  for (let set = 0; set < 32; set++) {
    const has = (bit: number) => (set & (1 << bit)) !== 0;
    Object.assign(options, { pipelining: has(0), eightBit: has(1), smtpUtf8: has(2), chunking: has(3), strict: true });
    if (has(4)) options.size = 100_000;
    else delete options.size;
    plain.sink.hangUp();
    await sleep(50);
    const id = await plain.send([...people(6, `set${set}.example`), `j\u00fcrgen.${set}@set${set}.example`]);
    const { all, checked } = await plain.settled(id, 20);
    const abroad = whose(all, 'j\u00fcrgen');
    assert.ok(
      all.every((recipient) => recipient === abroad || (recipient.state === 'accepted' && recipient.attempts === 1)),
      `set ${set}: ${JSON.stringify(countBy(all, (recipient) => `${recipient.state} ${recipient.attempts}`))}`,
    );
    // RFC 6531 3.1: who offers SMTPUTF8 offers 8BITMIME, and its header fields need that.
    assert.equal(abroad.state, has(1) && has(2) ? 'accepted' : 'failed', `set ${set}`);
    assert.equal(checked.taken, has(1) && has(2) ? 7 : 6);
    if (!has(2)) assert.deepEqual([abroad.code, abroad.attempts], [553, 1]);
  }
  assert.deepEqual(
    plain.sink.log.flatMap((entry) => entry.flaws ?? []),
    [],
  );
});

test('F33 a relay whose SIZE is too small fails those messages as 5.3.4, and no address is affected', async () => {
  await resume();
  stage.sink.options.size = 300;
  stage.sink.hangUp();
  await sleep(50);
  const emails = people(4, 'small.example');
  for (let round = 0; round < 6; round++) {
    const id = await stage.send(emails);
    const { all, checked } = await stage.settled(id);
    assert.ok(all.every((recipient) => recipient.state === 'failed' && recipient.code === 552));
    assert.equal(checked.taken, 0);
  }
  const left = await stage.db.rows<{ status: string }>(sql`
    select s.status
    from subscription s
    join contact c on c.account_id = s.account_id and c.id = s.contact_id
    where c.email like '%@small.example'`);
  assert.deepEqual(
    countBy(left, (recipient) => recipient.status),
    { subscribed: 24 },
    'what our relay cannot carry is no bounce of theirs',
  );
  delete stage.sink.options.size;
});
