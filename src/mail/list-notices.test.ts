// Notices about people who subscribe or leave: who gets them, what counts, and that a flood is one email an hour.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import PostalMime from 'postal-mime';
import { type SendingApp, sendingApp } from '../../test/support/installation/sending-app.ts';
import { onBehalf } from '../accounts/account/system-context.ts';
import { findSubscription } from '../audience/members/subscription.ts';
import { unsubscribe } from '../audience/members/unsubscribe.ts';
import { sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import { sendListNotices } from './list-notices.ts';

let t: SendingApp;
before(async () => {
  t = await sendingApp({ relay: '&connections=1' });
});
after(() => t.close());

const newList = (options: Record<string, unknown>) => t.call<string>('listCreate', { title: 'Letter', options });
const join = (id: string, email_address: string) => t.call('listSubscribe', { id, email_address, double_optin: false });

/** The notices that are sent some minutes later. */
async function notices(minutes = 2): Promise<{ to: string; subject: string; text: string }[]> {
  await t.app.db.run(sql`update list_notice set at = at - make_interval(mins => ${minutes}::int)`);
  await t.app.db.run(sql`update list set notified_at = notified_at - make_interval(mins => ${minutes}::int)`);
  const from = t.sink.log.length;
  await sendListNotices(t.context);
  await sendListNotices(t.context);
  await t.allSent();
  const accepted = t.sink.log.slice(from).filter(({ event }) => event === 'accepted');
  return Promise.all(
    accepted.map(async ({ raw }) => {
      const { to, subject, text } = await PostalMime.parse(Buffer.from(raw!, 'latin1'));
      return { to: to![0]!.address!, subject: subject!, text: text! };
    }),
  );
}

test('the owner is notified of who subscribed or left, each once, at the addresses that are named', async () => {
  const list = await newList({
    subscription_notify: true,
    unsubscription_notify: true,
    notify_to: 'a@o.example, b@o.example',
  });
  await join(list, 'ann@example.com');
  assert.deepEqual(await notices(0), [], 'the first waits a minute for others');
  const [first, second, ...others] = await notices();
  assert.deepEqual(others, []);
  assert.deepEqual([first!.to, second!.to].sort(), ['a@o.example', 'b@o.example']);
  assert.equal(first!.subject, 'ann@example.com subscribed to Letter');
  assert.match(first!.text, /ann@example\.com, /);
  const logged = await t.app.db.rows<{ subject: string }>(sql`select subject from message`);
  assert.doesNotMatch(JSON.stringify(logged), /ann@/);

  await t.call('listUnsubscribe', {
    id: list,
    email_address: 'ann@example.com',
    send_notify: true,
    send_goodbye: false,
  });
  await join(list, 'bob@example.com');
  assert.deepEqual(await notices(10), [], 'one an hour');
  const [later] = await notices(60);
  assert.equal(later!.subject, 'Letter: 1 subscribed, 1 unsubscribed');
  assert.deepEqual(await notices(120), []);
});

test('the main address gets the notices of a list that names none, and no one does by default', async () => {
  const silent = await newList({});
  await join(silent, 'x@example.com');
  const list = await newList({ subscription_notify: true });
  await join(list, 'cy@example.com');
  await t.call('listUnsubscribe', { id: list, email_address: 'cy@example.com', send_goodbye: false });
  assert.deepEqual(
    (await notices()).map(({ to, subject }) => [to, subject]),
    [[t.account.email, 'cy@example.com subscribed to Letter']],
  );
});

test('a flood is one email that names fifty and counts the others', async () => {
  const list = await newList({ subscription_notify: true });
  const batch = Array.from({ length: 53 }, (_, i) => ({ EMAIL: `p${i}@example.com` }));
  await t.call('listBatchSubscribe', { id: list, batch, double_optin: false });
  const sent = await notices();
  assert.equal(sent.length, 1);
  assert.equal(sent[0]!.subject, 'Letter: 53 subscribed, 0 unsubscribed');
  assert.equal(sent[0]!.text.match(/@example\.com,/g)?.length, 50);
  assert.match(sent[0]!.text, /and 3 more/);
});

test('they come in the language of the account, for one person and for many', async () => {
  await t.call('accountUpdate', { name: 'language', value: 'de' });
  const list = await newList({ subscription_notify: true, unsubscription_notify: true });
  await join(list, 'eva@example.com');
  const [one] = await notices();
  await t.call('listUnsubscribe', {
    id: list,
    email_address: 'eva@example.com',
    send_goodbye: false,
    send_notify: true,
  });
  const [gone] = await notices(61);
  const batch = Array.from({ length: 52 }, (_, i) => ({ EMAIL: `de${i}@example.com` }));
  await t.call('listBatchSubscribe', { id: list, batch, double_optin: false });
  const [many] = await notices(61);
  await t.call('accountUpdate', { name: 'language', value: 'en' });
  assert.deepEqual(
    [one, gone, many].map((notice) => notice?.subject),
    [
      'eva@example.com hat Letter abonniert',
      'eva@example.com hat sich von Letter abgemeldet',
      'Letter: 52 angemeldet, 0 abgemeldet',
    ],
  );
  for (const { text } of [one!, gone!, many!])
    assert.doesNotMatch(text, /\b(subscribed|unsubscribed|from|to|and|more|this|notice|list)\b|\{\w+\}/i);
  assert.match(many!.text, /und 2 weitere/);
});

test('no line stays of a contact that is erased, and none is sent once the notices are off', async () => {
  const list = await newList({ subscription_notify: true, unsubscription_notify: true });
  await join(list, 'gone@example.com');
  await join(list, 'left@example.com');
  await t.call('contactErase', { email: 'gone@example.com' });
  await t.app.db.run(sql`update list set notified_at = null`);
  const [only, ...none] = await notices();
  assert.deepEqual([only!.subject, none.length], ['left@example.com subscribed to Letter', 0]);
  await onBehalf(t.app, t.account.id, '', async (context) => {
    const member = await findSubscription(context, parseId(list)!, 'left@example.com');
    await unsubscribe(context, member!, { source: 'subscriber', ip: '' });
  });
  await t.call('listUpdate', { id: list, name: 'unsubscription_notify', value: false });
  assert.deepEqual(await notices(120), []);
  assert.equal((await t.app.db.rows(sql`select from list_notice`)).length, 0);
});

test('addresses that are none are refused, and settings are returned as they were set', async () => {
  await assert.rejects(newList({ notify_to: 'owner' }), { fault: 'LIST_OPTION_INVALID' });
  await assert.rejects(
    newList({ notify_to: 'a@b.example,c@b.example,d@b.example,e@b.example,f@b.example,g@b.example' }),
    {
      fault: 'LIST_OPTION_INVALID',
    },
  );
  const list = await newList({ permission_reminder: 'You signed up.', unsubscription_notify: true });
  await t.call('listUpdate', { id: list, name: 'notify_to', value: 'me@example.com' });
  const { notify_to, subscription_notify, unsubscription_notify, permission_reminder } = await t.call<
    Record<string, unknown>
  >('listGet', { id: list });
  assert.deepEqual(
    [notify_to, subscription_notify, unsubscription_notify, permission_reminder],
    ['me@example.com', false, true, 'You signed up.'],
  );
});
