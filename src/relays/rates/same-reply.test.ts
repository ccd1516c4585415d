// A relay that refuses us in words that no rule knows costs no recipient: the same reply to many in a row pauses the campaign and
// is taken back. Real bounces stay.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Stage } from '../../../test/support/delivery/stage.ts';
import { sample } from '../../../test/support/run/runs.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { states } from '../../db/states.ts';
import { relayChannel } from '../../jobs/channels.ts';
import { repliesAboutUs, signatureOf } from './same-reply.ts';

const says = [
  '550 5.7.1 Your account has been disabled. Please contact support',
  '550 Outgoing mail from "news@sender.example" has been suspended.',
  '550 5.7.1 Mail from this tenant is on hold',
  '550 5.1.1 computer says no',
  '550 5.1.1 user unknown',
  '554 zq rejected you',
];

let stage: Stage;
before(async () => {
  stage = await Stage.start({ sink: { says }, timeScale: 0.01 });
});
after(() => stage.stop());
// The relay rests after each run, until it has accepted a message.
beforeEach(async () => {
  const id = await stage.send(['ok@between.example']);
  do {
    await stage.db.run(sql`delete from relay_limit`);
    await stage.db.run(sql`select pg_notify(${relayChannel}, '')`);
    await stage.engine.hurry(id);
    await sleep(100);
  } while ((await figures(id)).status !== 'sent');
  await stage.db.run(sql`delete from relay_refusal`);
});

const audience = (how: string, count: number, domains: number) =>
  Array.from({ length: count }, (_, n) => `${how}.${n}@${how}${n % domains}.example`);

async function figures(id: number) {
  const row = await stage.db.row<{
    status: string;
    reason: string;
    hard: number;
    tried: number;
    suppressed: number;
    bounced: number;
  }>(sql`
    select status, status_reason as reason,
      (select count(*)::int from delivery d where d.campaign_id = c.id and d.reason = 'hard') as hard,
      (select count(*)::int from delivery d where d.campaign_id = c.id and d.attempts > 0) as tried,
      (select count(*)::int from suppression s where s.campaign_id = c.id) as suppressed,
      (select count(*)::int from subscription s join campaign_list l on l.list_id = s.list_id
        where l.campaign_id = c.id and s.status = 'bounced') as bounced
    from campaign c
    where id = ${id}`);
  return row!;
}

const settledOn = async (id: number, status: string) => {
  for (let n = 0; n < 200; n++) {
    const row = await figures(id);
    const moving = await stage.db.row(sql`select from delivery where campaign_id = ${id} and state = 1 limit 1`);
    if (row.status === status && !moving) return row;
    // A chunk that found the relay at rest waits for the end of the rest.
    await stage.engine.hurry(id);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return figures(id);
};

for (const [how, reply] of sample(
  [
    ['say0dot', says[0]],
    ['say1rcpt', says[1]],
    ['say2dot', says[2]],
    ['say3rcpt', says[3]],
    ['say3dot', says[3]],
    ['say4rcpt', says[4]],
    ['say5dot', says[5]],
  ] as const,
  3,
))
  test(`"${reply}" (${how}) to 120 recipients at 40 domains pauses the campaign and costs no recipient`, async () => {
    const id = await stage.send(audience(how, 120, 40));
    const row = await settledOn(id, 'paused');
    assert.equal(row.status, 'paused', JSON.stringify(row));
    assert.ok(row.reason.includes(reply!.slice(4, 22)), row.reason);
    assert.deepEqual([row.hard, row.suppressed, row.bounced], [0, 0, 0]);
    assert.ok(row.tried <= 60, `${row.tried} tried`);
    await stage.check(id, { settled: false });
  });

test('two wordings in turn are one refusal', async () => {
  const id = await stage.send(
    Array.from({ length: 120 }, (_, n) => `say${n % 2 ? 3 : 5}dot.${n}@alternating${n % 40}.example`),
  );
  const row = await settledOn(id, 'paused');
  assert.deepEqual([row.status, row.hard, row.suppressed], ['paused', 0, 0]);
});

test('twenty-five dead addresses at one domain are hard bounces', async () => {
  const id = await stage.send(audience('say4rcpt.dead', 25, 1));
  const row = await settledOn(id, 'sent');
  assert.deepEqual([row.status, row.hard, row.suppressed], ['sent', 25, 25]);
});

test('dead addresses between living ones are hard bounces at once', async () => {
  const living = audience('ok', 200, 40);
  const id = await stage.send(
    living.flatMap((email, n) => (n % 4 ? [email] : [email, `say4rcpt.some${n}@ok${n % 40}.example`])),
  );
  const row = await settledOn(id, 'sent');
  assert.deepEqual([row.status, row.hard, row.suppressed], ['sent', 50, 50]);
});

test('a person who resumes while the relay still refuses loses no one, and can count the refusals as bounces', async () => {
  const id = await stage.send(audience('say4rcpt.resumed', 60, 40));
  assert.equal((await settledOn(id, 'paused')).status, 'paused');
  const { call } = stage.engine.app;
  assert.equal((await call<{ refused_alike: boolean }>('campaignProgress', { cid: formatId(id) })).refused_alike, true);
  while (!(await stage.db.row(sql`select from relay_limit`))) await sleep(20);
  await call('campaignResume', { cid: formatId(id) });
  const again = await settledOn(id, 'paused');
  assert.deepEqual([again.status, again.hard, again.suppressed], ['paused', 0, 0]);
  await call('campaignResume', { cid: formatId(id), count_refusals: true });
  const row = await settledOn(id, 'sent');
  assert.deepEqual([row.status, row.hard, row.suppressed], ['sent', 60, 60]);
  await stage.check(id);
});

test('a small campaign to which a relay gives one reply only pauses as well', async () => {
  const id = await stage.send(audience('say5dot.small', 10, 5));
  const row = await settledOn(id, 'paused');
  assert.deepEqual([row.status, row.hard, row.suppressed], ['paused', 0, 0]);
});

test('replies that differ in addresses, ids, numbers and times are one', () => {
  const same = (...texts: string[]) => new Set(texts.map((text) => signatureOf(550, text, 'jane@x.example'))).size;
  assert.equal(
    same(
      '5.7.1 <jane@x.example> rejected (in reply to RCPT) 4Xk2Qw1z0Zz9 at 2026-01-02T03:04:05Z',
      '5.7.1 <bob@y.example> rejected (in reply to RCPT) 9Qz0LmAAzz7 at 2026-11-12T13:14:15Z',
    ),
    1,
  );
  assert.equal(same('rejected [192.0.2.1] mx1.x.example', 'rejected [192.0.2.77] mx22.other.example'), 1);
  assert.equal(same('user jane unknown', 'user unknown'), 1);
  assert.equal(
    signatureOf(550, 'ada-lovelace: no', 'ada-lovelace@x.example'),
    signatureOf(550, 'bob-dylan: no', 'bob-dylan@y.example'),
  );
  assert.equal(same('user unknown', 'mailbox full'), 2);
});

test('few domains, or many replies of different kinds, are no sign', () => {
  const wording = (signature: string, count: number, domains: number) => ({ signature, count, domains });
  assert.deepEqual(repliesAboutUs([wording('a', 19, 9)]), []);
  assert.deepEqual(repliesAboutUs([wording('a', 50, 2)]), []);
  assert.deepEqual(repliesAboutUs([wording('a', 20, 3)]), ['a']);
  assert.deepEqual(repliesAboutUs([wording('a', 10, 9), wording('b', 10, 9)]), ['a', 'b']);
  assert.deepEqual(repliesAboutUs(Array.from({ length: 10 }, (_, n) => wording(`${n}`, 5, 5))), []);
});

test('single messages that a relay refuses all alike wait, and no address is suppressed', async () => {
  const { app } = stage.engine;
  for (let n = 0; n < 24; n++)
    await app.call('messageSend', { to: `say4rcpt.m${n}@single${n % 6}.example`, subject: 's', plain: 'x' });
  const counts = () =>
    stage.db.rows<{ state: number; count: number }>(sql`
      select state, count(*)::int as count from delivery where email like 'say4rcpt.m%' group by state`);
  // Those that were not attempted before the relay rested are still queued.
  const isLost = ({ state }: { state: number }) => state !== states.later && state !== states.queued;
  for (let n = 0; n < 100 && ((await counts()).some(isLost) || (await counts()).length < 2); n++) await sleep(100);
  const all = await counts();
  assert.ok(all.length > 0 && !all.some(isLost), JSON.stringify(all));
  assert.equal(
    all.reduce((sum, { count }) => sum + count, 0),
    24,
  );
  assert.deepEqual(
    (await stage.suppressed()).filter((address) => address.includes('@single')),
    [],
  );
  const { attention } = await app.call<{ attention: { kind: string; detail: string }[] }>('homeSummary');
  assert.ok(attention.some(({ kind, detail }) => kind === 'relay' && detail.includes('user unknown')));
});
