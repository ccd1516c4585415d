// Messages for later: what becomes of one while it waits, over a database whose clock the tests move.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import PostalMime from 'postal-mime';
import { type DatabaseClock, movableClock } from '../../test/support/clock/database-clock.ts';
import { type MailingApp, mailingApp } from '../../test/support/installation/mailing-app.ts';
import { until } from '../../test/support/run/until.ts';
import type { Fault } from '../base/faults.ts';
import { sql } from '../db/connect.ts';
import { endImpossibleWaits } from '../delivery/launch/clock-set-back.ts';
import { endMessageDays } from '../delivery/outcomes/finish.ts';
import { parseMessageId } from './info.ts';
import { purgeMessages } from './retention.ts';

type Info = {
  id: string;
  send_at: string;
  has_content: boolean;
  recipients: { email: string; state: string; reason: string; next_at: string; opens: number }[];
};

const daySeconds = 86_400;
let t: MailingApp;
let clock: DatabaseClock;
before(async () => {
  t = await mailingApp({}, async (url) => {
    clock = await movableClock(url);
    return clock.url;
  });
});
after(() => t.close());
beforeEach(() => clock.set(0));

/** So many days ahead, as a program writes it. */
const inDays = (days: number) => new Date(Date.now() + days * daySeconds * 1000).toISOString();
const send = async (given: Record<string, unknown>) =>
  (await t.call<{ id: string }>('messageSend', { subject: 'Hi', plain: 'Text', ...given })).id;
const get = (id: string) => t.call<Info>('messageGet', { id });
const cancel = (id: string) => t.call('messageCancel', { id });
const states = async (id: string) => (await get(id)).recipients.map(({ state, reason }) => `${state} ${reason}`.trim());
const received = (email: string) =>
  t.app.db.rows<{ source: Buffer }>(sql`select source from inbox_message where ${email} = any (rcpt_to)`);
const ended = (id: string) =>
  until('it has a final state', async () => (await states(id)).every((state) => !/queued|trying/.test(state)), 20_000);
/** The states whose sum is not that of the rows of the owner of a message; none, if all is right. */
const tallies = (id: string) =>
  t.app.db.rows(sql`
    select d.campaign_id
    from (
      select campaign_id, state, count(*) as rows
      from delivery
      where campaign_id = ${parseMessageId(id)!.campaign}
      group by campaign_id, state
    ) as d
    join (
      select campaign_id, sum(queued) as queued, sum(skipped) as skipped, sum(accepted) as accepted, sum(later) as later
      from tally
      group by campaign_id
    ) as s using (campaign_id)
    where d.rows <> (array[queued, rows, accepted, later, rows, skipped, rows])[state + 1]`);

test('a message waits until its time, and has the Date and the dates of then', async () => {
  const send_at = inDays(45);
  const to = 'later@example.com';
  const id = await send({ to, send_at, plain: 'On *|DATE:d/m/Y|*', subject: 'Reminder' });
  const at = `${send_at.slice(0, 10)} ${send_at.slice(11, 19)}`;
  const info = await get(id);
  assert.deepEqual([info.send_at, info.recipients[0]!.state, info.recipients[0]!.next_at], [at, 'queued', at]);
  const owner = await t.app.db.row<{ title: string; month: string }>(
    sql`select title, month::text as month from campaign where id = ${parseMessageId(id)!.campaign}`,
  );
  assert.deepEqual(owner, { title: send_at.slice(0, 10), month: `${send_at.slice(0, 7)}-01` });
  await clock.set(44 * daySeconds);
  // One that is sent at once shows that the worker has looked.
  await ended(await send({ to: 'now@example.com' }));
  assert.deepEqual(await states(id), ['queued']);
  assert.deepEqual(await received(to), []);
  // Three days down: it is sent late.
  await clock.set(48 * daySeconds);
  await ended(id);
  const [mail, ...more] = await received(to);
  assert.deepEqual(more, []);
  const parsed = await PostalMime.parse(mail!.source);
  assert.equal(new Date(parsed.date!).getTime(), Math.floor(Date.parse(send_at) / 1000) * 1000);
  const [year, month, day] = send_at.slice(0, 10).split('-');
  assert.match(parsed.text!, new RegExp(`On ${day}/${month}/${year}`));
  assert.deepEqual(await tallies(id), []);
});

test('no wait for a time that was asked for is taken for one that a clock caused', async () => {
  const midnight = `${inDays(3).slice(0, 10)} 00:00:00`;
  const ids = [];
  for (const send_at of [inDays(0.3), inDays(30), midnight]) ids.push(await send({ to: 'long@example.com', send_at }));
  assert.equal(await endImpossibleWaits(t.app.db), 0);
  for (const id of ids) {
    assert.deepEqual(await states(id), ['queued']);
    await cancel(id);
  }
});

test('a clock that is set back makes it wait longer', async () => {
  await clock.set(5 * daySeconds);
  const id = await send({ to: 'back@example.com', send_at: inDays(6) });
  await clock.set(4 * daySeconds);
  await ended(await send({ to: 'now@example.com' }));
  assert.deepEqual(await states(id), ['queued']);
  await clock.set(7 * daySeconds);
  await ended(id);
  assert.equal((await received('back@example.com')).length, 1);
});

test('a cancelled message is never sent, and its event says why', async () => {
  const given = { to: ['one@example.com', 'two@example.com'], send_at: inDays(1), idempotency_key: 'trial-17' };
  const id = await send(given);
  assert.equal(await send(given), id, 'the same call');
  await t.app.db.run(
    sql`insert into webhook (account_id, title, url, events) values (${t.account.id}, 'x', 'http://192.0.2.1/', '{message.failed}')`,
  );
  await Promise.all([cancel(id), cancel(id)]);
  assert.equal(await cancel(id), true, 'again');
  const events = await t.app.db.rows<{ payload: { email: string; reason: string } }>(
    sql`select payload from webhook_event`,
  );
  assert.deepEqual(events.map(({ payload: { email, reason } }) => `${email} ${reason}`).sort(), [
    'one@example.com cancelled',
    'two@example.com cancelled',
  ]);
  await t.app.db.run(sql`delete from webhook`);
  assert.deepEqual(await states(id), ['skipped cancelled', 'skipped cancelled']);
  assert.equal(await send(given), id, 'the first answer, also after it was cancelled');
  assert.deepEqual(await tallies(id), []);
  await clock.set(2 * daySeconds);
  await ended(await send({ to: 'now@example.com' }));
  assert.deepEqual(await states(id), ['skipped cancelled', 'skipped cancelled']);
  assert.deepEqual([...(await received('one@example.com')), ...(await received('two@example.com'))], []);
});

test('a message that a recipient has, or may have, cannot be cancelled', async () => {
  const conflict = { fault: 'MESSAGE_STATE_CONFLICT', code: 341 };
  const sent = await send({ to: 'has@example.com' });
  await ended(sent);
  await assert.rejects(cancel(sent), {
    ...conflict,
    message: /has@example.com has the message or may have it .*accepted/,
  });
  const id = await send({ to: ['a@example.com', 'b@example.com'], send_at: inDays(1) });
  const { campaign, no } = parseMessageId(id)!;
  const set = (seq: number, state: number) =>
    t.app.db.run(sql`update delivery set state = ${state} where campaign_id = ${campaign} and seq = ${seq}`);
  for (const [state, name] of [
    [1, 'trying'],
    [6, 'unclear'],
  ] as const) {
    await set(no, state);
    await assert.rejects(cancel(id), { ...conflict, message: new RegExp(name) });
    assert.deepEqual(await states(id), [name, 'queued']);
  }
  // Refused for one, deferred for the other.
  await set(no, 4);
  await set(no + 1, 3);
  await t.app.db.run(sql`
    update tally set queued = queued - 2, failed = failed + 1, later = later + 1
    where ctid = (select ctid from tally where campaign_id = ${campaign} and queued >= 2 limit 1)`);
  await cancel(id);
  assert.deepEqual(await states(id), ['failed', 'skipped cancelled']);
  assert.deepEqual(await tallies(id), []);
  await set(no + 1, 4);
  await t.app.db.run(
    sql`update delivery set reason = 'hard' where campaign_id = ${campaign} and seq in (${no}, ${no + 1})`,
  );
  await assert.rejects(cancel(id), { ...conflict, message: /no recipient of the message waits/ });
});

test('only a message of the account that a caller has written can be cancelled', async () => {
  const id = await send({ to: 'mine@example.com', send_at: inDays(1) });
  const other = await t.anotherAccount();
  for (const [call, given] of [
    [other.call, id],
    [t.call, 'f0000000'],
    [t.call, ''],
    [t.call, `${id.slice(0, 8)}7fffffff`],
  ] as const)
    await assert.rejects(call('messageCancel', { id: given }), { fault: 'MESSAGE_UNKNOWN' });
  await t.app.db.run(sql`
    update message set via = 'system', purpose = 'notice' where campaign_id = ${parseMessageId(id)!.campaign} and no = ${parseMessageId(id)!.no}`);
  await assert.rejects(cancel(id), { fault: 'MESSAGE_UNKNOWN' });
});

test('while workers take messages, each one is either cancelled or sent, once', async () => {
  const emails = Array.from({ length: 24 }, (_, i) => `race${i}@example.com`);
  const send_at = new Date(Date.now() + 60_000).toISOString();
  const messages = emails.map((to) => ({ to: [to], subject: 'Hi', plain: 'x', send_at }));
  const ids = (await t.call<{ id: string }[]>('messageSendBatch', { messages })).map(({ id }) => id);
  await clock.set(61);
  const outcomes = new Map<string, string>();
  for (let i = 0; i < ids.length; i += 1) {
    const id = ids[ids.length - 1 - i]!;
    const results = await Promise.allSettled([cancel(id), cancel(id)]);
    const kinds = results.map((result) =>
      result.status === 'fulfilled' ? 'cancelled' : (result.reason as Fault).fault,
    );
    assert.equal(new Set(kinds).size, 1, kinds.join());
    outcomes.set(emails[ids.length - 1 - i]!, kinds[0]!);
  }
  for (const id of ids) await ended(id);
  for (const [email, outcome] of outcomes)
    assert.equal((await received(email)).length, outcome === 'cancelled' ? 0 : 1, `${email} ${outcome}`);
  assert.deepEqual(await tallies(ids[0]!), []);
});

test('who gets it is decided when its time comes', async () => {
  const list = await t.call<string>('listCreate', { title: 'Readers' });
  const subscribe = (email_address: string) =>
    t.call('listSubscribe', { id: list, email_address, double_optin: false });
  for (const name of ['erased', 'gone', 'left', 'quiet']) await subscribe(`${name}@example.com`);
  const send_at = inDays(1);
  const waiting: Record<string, string> = {};
  for (const name of ['bounced', 'erased', 'gone', 'left', 'quiet'])
    waiting[name] = await send({ to: `${name}@example.com`, send_at, html: '<a href="https://a.example/">x</a>' });
  await t.call('suppressedListSubscribe', { email_address: 'bounced@example.com' });
  await t.call('listUnsubscribe', { id: list, email_address: 'left@example.com', delete_member: false });
  await t.call('listUnsubscribe', { id: list, email_address: 'gone@example.com', delete_member: true });
  await t.call('contactTrackingUpdate', { email: 'quiet@example.com', tracked: false });
  await t.call('contactErase', { email: 'erased@example.com', keep_suppressed: false });
  assert.equal((await get(waiting['erased']!)).has_content, false);
  await clock.set(2 * daySeconds);
  const outcome: Record<string, string[]> = {};
  for (const [name, id] of Object.entries(waiting)) {
    await ended(id);
    outcome[name] = await states(id);
  }
  assert.deepEqual(outcome, {
    bounced: ['skipped suppressed'],
    erased: ['skipped deleted'],
    gone: ['accepted'],
    left: ['accepted'],
    quiet: ['accepted'],
  });
});

test('a recipient who is erased takes the message from no other: its head has no trace of the one who is gone', async () => {
  const send_at = inDays(1);
  const html = '<p>Hello</p><a href="https://a.example/x">x</a>';
  const to = ['"Lovelace, Ada" <gone2@example.com>', 'Bob <stays@example.com>'];
  for (const email_address of ['gone2@example.com', 'gone3@example.com'])
    await t.call('eventSend', { name: 'seen', email_address, create_contact: true });
  const id = await send({ to, cc: ['gone3@example.com'], send_at, html, subject: 'Both' });
  const alone = await send({ to: 'gone2@example.com', send_at, html });
  await t.call('contactErase', { email: 'gone2@example.com' });
  await t.call('contactErase', { email: 'gone3@example.com' });
  assert.deepEqual([(await get(id)).has_content, (await get(alone)).has_content], [true, false]);
  const purge = () => purgeMessages({ app: t.app, signal: new AbortController().signal } as never);
  await purge();
  await clock.set(2 * daySeconds);
  await ended(id);
  assert.deepEqual((await states(id)).toSorted(), ['accepted', 'skipped deleted', 'skipped deleted']);
  const [mail, ...more] = await received('stays@example.com');
  assert.deepEqual(more, []);
  const source = mail!.source.toString();
  const parsed = await PostalMime.parse(mail!.source);
  assert.deepEqual([parsed.to, parsed.subject], [[{ address: 'stays@example.com', name: 'Bob' }], 'Both']);
  assert.doesNotMatch(source, /gone|Lovelace/);
  const [link] = /https?:[^"]*\/c\/[\w-]+/.exec(parsed.html!)!;
  const { status, headers } = await fetch(t.base + new URL(link).pathname, { redirect: 'manual' });
  assert.deepEqual([status, headers.get('location')], [302, 'https://a.example/x'], 'the places of links have moved');
  assert.equal((await get(id)).has_content, true);
  await purge();
  assert.equal((await get(id)).has_content, false);
});

test('it is not sent when the account may no longer send, or its domain belongs to another account by now', async () => {
  const other = await t.anotherAccount('pro');
  const from_email = 'shop@taken.example';
  const [first, second] = [
    (
      await other.call<{ id: string }>('messageSend', {
        to: 'x@example.com',
        subject: 'a',
        plain: 'x',
        send_at: inDays(1),
      })
    ).id,
    (
      await other.call<{ id: string }>('messageSend', {
        to: 'x@example.com',
        subject: 'b',
        plain: 'x',
        send_at: inDays(1),
        from_email,
      })
    ).id,
  ];
  const reason = async (id: string) => {
    await until(
      'it has ended',
      async () => !/queued|trying/.test((await other.call<Info>('messageGet', { id })).recipients[0]!.state),
    );
    return (await other.call<Info>('messageGet', { id })).recipients[0]!.reason;
  };
  await t.app.db.run(
    sql`insert into sender_domain (account_id, domain, active) values (${t.account.id}, 'taken.example', true)`,
  );
  await clock.set(2 * daySeconds);
  assert.deepEqual([await reason(second!), await reason(first!)], ['foreign_domain', '']);
  await clock.set(0);
  const third = (
    await other.call<{ id: string }>('messageSend', {
      to: 'x@example.com',
      subject: 'c',
      plain: 'x',
      send_at: inDays(3),
    })
  ).id;
  await t.app.db.run(sql`update account set may_send = false where id = ${other.account.id}`);
  await clock.set(4 * daySeconds);
  assert.equal(await reason(third), 'not_allowed');
});

test('a wrong time is refused with its name, and nothing is stored', async () => {
  const before = await t.app.db.row(sql`select count(*) from message`);
  const message = { to: ['a@example.com'], subject: 'Hi', plain: 'x' };
  await assert.rejects(send({ to: 'a@example.com', send_at: 'soon' }), { fault: 'DATE_INVALID', message: /^send_at/ });
  await assert.rejects(t.call('messageSendBatch', { messages: [message, { ...message, send_at: inDays(91) }] }), {
    fault: 'DATE_INVALID',
    message: /^messages\.1\.send_at is more than 90 days ahead/,
  });
  assert.deepEqual(await t.app.db.row(sql`select count(*) from message`), before);
});

test('those of a batch wait for their own times, and the log lists them by these', async () => {
  const message = { subject: 'Hi', plain: 'x', tags: ['batch'] };
  const sent = await t.call<{ id: string }[]>('messageSendBatch', {
    messages: [
      { ...message, to: ['b1@example.com'], send_at: inDays(20) },
      { ...message, to: ['b2@example.com'] },
      { ...message, to: ['b3@example.com'], send_at: inDays(10) },
    ],
  });
  const ids = sent.map(({ id }) => id);
  assert.equal(new Set(ids.map((id) => parseMessageId(id)!.campaign)).size, 3);
  await ended(ids[1]!);
  assert.deepEqual([await states(ids[0]!), await states(ids[1]!)], [['queued'], ['accepted']]);
  const search = async (params: Record<string, unknown>) =>
    (await t.call<{ data: Info[] }>('messages', { tag: 'batch', ...params })).data.map(({ id }) => id);
  assert.deepEqual(await search({ scheduled: true }), [ids[2], ids[0]]);
  // However long ago it was called.
  await t.app.db.run(sql`update message set created_at = now() - interval '60 days' where tags = '{batch}'`);
  assert.deepEqual(await search({ scheduled: true }), [ids[2], ids[0]]);
  await cancel(ids[2]!);
  assert.deepEqual(await search({ scheduled: true }), [ids[0]]);
});

test('the owner of a later day does not end before its day is over, and its contents stay', async () => {
  const id = await send({ to: 'kept@example.com', send_at: inDays(40) });
  const only = await send({ to: 'only@example.com', send_at: inDays(41) });
  await cancel(only);
  await clock.set(35 * daySeconds);
  await endMessageDays(t.app.db);
  await purgeMessages({ app: t.app, log: t.app.log, signal: new AbortController().signal } as never);
  const statusOf = (message: string) =>
    t.app.db.row(sql`select status from campaign where id = ${parseMessageId(message)!.campaign}`);
  assert.deepEqual([await statusOf(id), await statusOf(only)], [{ status: 'sending' }, { status: 'sending' }]);
  assert.equal((await get(id)).has_content, true);
  await clock.set(44 * daySeconds);
  await ended(id);
  // As soon as its chunk is done.
  await until('it has ended', async () => {
    await endMessageDays(t.app.db);
    return ((await statusOf(id)) as { status: string }).status === 'sent';
  });
});
