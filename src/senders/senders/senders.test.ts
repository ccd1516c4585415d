// Senders: what may be one, the advice for its domain, and what uses it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { draftOf, makeAccount } from '../../../test/conformance/fixture.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { readSenderAddress } from './sender.ts';

type Sender = Record<'id' | 'name' | 'email' | 'domain' | 'domain_status' | 'advice', string> &
  Record<'lists' | 'campaigns', number>;
type List = Record<'id' | 'sender' | 'default_from_name' | 'default_from_email', string>;

let t: TestApp;
before(async () => {
  t = await testApp();
});
after(() => t.close());

const pro = () => makeAccount(t.app, 'pro');
const refusal = (code: string, pattern: RegExp) => (error: { fault?: string; message?: string }) => {
  assert.equal(error.fault, code);
  assert.match(error.message ?? '', pattern);
  return true;
};

test('an address is read as servers without SMTPUTF8 take it', () => {
  assert.equal(readSenderAddress(' Ada.L+news@News.EXAMPLE.com '), 'Ada.L+news@news.example.com');
  assert.equal(readSenderAddress('info@müller.example'), 'info@xn--mller-kva.example');
  for (const wrong of ['', 'ada', 'ada@', '@example.com', 'a b@example.com', 'a..b@example.com', '.a@example.com'])
    assert.equal(readSenderAddress(wrong), undefined, wrong);
  for (const wrong of [
    'ä@example.com',
    'a@b@example.com',
    'a@localhost',
    'a@[192.0.2.1]',
    `${'a'.repeat(65)}@a.example`,
  ])
    assert.equal(readSenderAddress(wrong), undefined, wrong);
});

test('a sender shows the state of its domain and what to do about it', async () => {
  const own = await pro();
  const made = await own.call<Sender>('senderCreate', { name: ' The editors ', email: 'letters@News.example.com' });
  assert.deepEqual(
    [made.name, made.email, made.domain, made.domain_status, made.lists, made.campaigns],
    ['The editors', 'letters@news.example.com', 'news.example.com', 'none', 0, 0],
  );
  assert.match(made.advice, /Add news\.example\.com as a sender domain/);
  const state = async () => {
    const [sender] = await own.call<Sender[]>('senders');
    return [sender!.domain_status, sender!.advice] as const;
  };
  await own.call('senderDomainCreate', { domain: 'news.example.com' });
  assert.match((await state()).join(' '), /^pending .*Publish the DNS records of news\.example\.com/);
  const set = (active: boolean, broken: boolean) =>
    t.app.db.run(sql`
      update sender_domain
      set active = ${active}, broken_at = case when ${broken}::boolean then now() end
      where account_id = ${own.accountId}`);
  await set(false, true);
  assert.match((await state()).join(' '), /^broken .*no longer signed/);
  await set(true, false);
  assert.deepEqual(await state(), ['active', '']);
  const atProvider = await own.call<Sender>('senderCreate', { name: 'Ada', email: 'ada@gmail.com' });
  assert.match(atProvider.advice, /Only gmail\.com can sign/);

  const other = await pro();
  await assert.rejects(
    other.call('senderCreate', { name: 'Mallory', email: 'x@news.example.com' }),
    refusal('SENDER_INVALID', /^email: another account .* news\.example\.com/),
  );
});

test('what cannot be a sender is refused with the member and the reason, and nothing is stored', async () => {
  const own = await pro();
  const create = (name: string, email: string) => own.call<Sender>('senderCreate', { name, email });
  const { id } = await create('Ada', 'ada@example.com');
  const other = await create('Ada', 'ada@example.org');
  await assert.rejects(create('Ada', 'ada@EXAMPLE.com'), refusal('SENDER_INVALID', /^email: .*already/));
  await assert.rejects(create('Ada', 'ADA@example.com'), refusal('SENDER_INVALID', /^email: .*already/));
  await assert.rejects(create('Ada', 'ada'), refusal('SENDER_INVALID', /^email: "ada" is not an address/));
  await assert.rejects(create(' ', 'a@example.com'), refusal('INVALID_PARAMETER', /^name/));
  await assert.rejects(create('A\u0007da', 'a@example.com'), refusal('INVALID_PARAMETER', /^name/));
  const update = (name: string, value: string) => own.call('senderUpdate', { id, name, value });
  await assert.rejects(update('email', 'ada@example.org'), refusal('SENDER_INVALID', /^email: .*already/));
  await assert.rejects(update('name', ' '), refusal('SENDER_INVALID', /^name/));
  await assert.rejects(update('colour', 'red'), refusal('SENDER_INVALID', /^name .*name or email/));
  assert.deepEqual(
    (await own.call<Sender[]>('senders')).map((sender) => [sender.id, sender.name, sender.email]),
    [
      [id, 'Ada', 'ada@example.com'],
      [other.id, 'Ada', 'ada@example.org'],
    ],
  );

  const free = await makeAccount(t.app, 'free');
  await free.call('senderCreate', { name: 'Main', email: 'main@example.com' });
  await assert.rejects(
    free.call('senderCreate', { name: 'Other', email: 'other@example.com' }),
    refusal('SENDER_INVALID', /^email: without the PRO plan.*main@example\.com/),
  );
});

test('a list takes name and reply address from its sender and follows its changes', async () => {
  const own = await pro();
  const info = () => own.call<List>('listGet', { id: own.list });
  const shown = async () => {
    const { sender, default_from_name, default_from_email } = await info();
    return [sender, default_from_name, default_from_email];
  };
  const { id } = await own.call<Sender>('senderCreate', { name: 'The editors', email: 'letters@example.com' });
  assert.equal((await info()).sender, '', 'an existing list keeps what it has');
  await own.call('listUpdate', { id: own.list, name: 'sender', value: id });
  assert.deepEqual(await shown(), [id, 'The editors', 'letters@example.com']);
  await own.call('listUpdate', { id: own.list, name: 'default_from_email', value: 'desk@example.com' });
  await own.call('senderUpdate', { id, name: 'name', value: 'The newsroom' });
  await own.call('senderUpdate', { id, name: 'email', value: 'news@example.com' });
  assert.deepEqual(await shown(), [id, 'The newsroom', 'desk@example.com'], 'what was set for the list stays');
  const [list] = await own.call<List[]>('lists');
  assert.equal(list!.sender, id);

  const made = await own.call<string>('listCreate', { title: 'Second' });
  const second = await own.call<List>('listGet', { id: made });
  assert.deepEqual([second.sender, second.default_from_name], [id, 'The newsroom']);
  const none = await own.call<string>('listCreate', { title: 'Third', options: { sender: '' } });
  assert.equal((await own.call<List>('listGet', { id: none })).sender, '');

  const other = await pro();
  await assert.rejects(
    other.call('listUpdate', { id: other.list, name: 'sender', value: id }),
    refusal('SENDER_UNKNOWN', /^sender: the sender .* does not exist/),
  );
});

test('a sender in use is not deleted, and the fault names the lists and campaigns', async () => {
  const own = await pro();
  const { id } = await own.call<Sender>('senderCreate', { name: 'The editors', email: 'letters@example.com' });
  await own.call('listUpdate', { id: own.list, name: 'sender', value: id });
  const cid = await own.call<string>(
    'campaignCreate',
    draftOf(own.list, { options: { sender: 'Letters@example.com', title: 'Spring' } }),
  );
  const [used] = await own.call<Sender[]>('senders');
  assert.deepEqual([used!.lists, used!.campaigns], [1, 1]);
  const remove = () => own.call('senderDelete', { id });
  await assert.rejects(
    remove(),
    refusal('SENDER_IN_USE', /^id: letters@example\.com .*list “Readers”; campaign “Spring”$/),
  );
  await own.call('listUpdate', { id: own.list, name: 'sender', value: '' });
  await assert.rejects(remove(), refusal('SENDER_IN_USE', /: campaign “Spring”$/));
  for (let i = 0; i < 6; i++)
    await own.call('campaignCreate', draftOf(own.list, { options: { sender: 'letters@example.com' } }));
  await assert.rejects(remove(), refusal('SENDER_IN_USE', /“Spring”;.*; and 2 more$/));
  const twin = await own.call<Sender>('senderCreate', { name: 'The twin', email: 'letters@example.com' });
  assert.equal(await remove(), true, 'its campaigns have another sender with the same address');
  await assert.rejects(own.call('senderDelete', { id: twin.id }), refusal('SENDER_IN_USE', /Spring/));
  await t.app.db.run(sql`update campaign set status = 'sent' where account_id = ${own.accountId}`);
  assert.equal(await own.call('senderDelete', { id: twin.id }), true);
  await assert.rejects(own.call('senderDelete', { id: twin.id }), refusal('SENDER_UNKNOWN', /^id/));
  assert.equal((await own.call<{ options: unknown }>('campaignGet', { cid })) !== undefined, true);
});

test('an account is deleted with its senders and the lists that use them', async () => {
  const own = await pro();
  const { id } = await own.call<Sender>('senderCreate', { name: 'The editors', email: 'letters@example.com' });
  await own.call('listUpdate', { id: own.list, name: 'sender', value: id });
  await t.app.db.run(sql`delete from account where id = ${own.accountId}`);
  assert.equal(await t.app.db.row(sql`select id from sender where account_id = ${own.accountId}`), undefined);
});
