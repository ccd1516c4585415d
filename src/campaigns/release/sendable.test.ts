// The checks that campaignSendNow and campaignSchedule repeat, because a condition may have ended since the draft was
// created.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { activeDomain } from '../../../test/support/builders/sender-domain.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { setAccount } from '../../accounts/account/account.ts';
import { Fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';

let app: TestApp;
let pro: Awaited<ReturnType<TestApp['anotherAccount']>>;
before(async () => {
  app = await testApp();
  pro = await app.anotherAccount('pro', ['inline_img']);
});
after(() => app.close());

/** A draft of its own list. */
async function draft(options: Record<string, unknown> = {}): Promise<{ cid: string; list: string }> {
  const list = await pro.call<string>('listCreate', { title: 'Readers' });
  const cid = await pro.call<string>('campaignCreate', {
    type: 'HTML',
    options: { list_id: list, subject: 'News', from_email: 'a@example.com', from_name: 'A', ...options },
    content: { html: '<p>Hello</p>', plain: 'Hello' },
  });
  return { cid, list };
}

/** Both ways of sending answer the fault, and the campaign stays a draft. */
async function refused(cid: string, code: number, words: RegExp): Promise<void> {
  const expected = (error: unknown) => error instanceof Fault && error.code === code && words.test(error.message);
  await assert.rejects(pro.call('campaignSendNow', { cid }), expected);
  await assert.rejects(pro.call('campaignSchedule', { cid, schedule_time: '2099-01-01 00:00:00' }), expected);
  const [record] = await pro.call<{ delivery_status: string }[]>('campaigns', { filters: { campaign_id: cid } });
  assert.equal(record!.delivery_status, 'draft');
}

test('a draft whose list was deleted is not sent', async () => {
  const { cid, list } = await draft();
  await pro.call('listDelete', { id: list });
  await refused(cid, 311, /no list/);
});

test('a custom sender is not used after the PRO plan has ended', async () => {
  const { cid } = await draft({ sender: 'own@example.com' });
  await setAccount(app.app.db, pro.account.id, { plan: 'free' });
  await refused(cid, 120, /sender/);
  await setAccount(app.app.db, pro.account.id, { plan: 'pro' });
  assert.equal(await pro.call('campaignSendNow', { cid }), true);
});

test('pictures are not embedded after the add-on has ended', async () => {
  const { cid } = await draft({ inline_img: true });
  await setAccount(app.app.db, pro.account.id, { addons: [] });
  await refused(cid, 125, /inline_img/);
  await setAccount(app.app.db, pro.account.id, { addons: ['inline_img'] });
  assert.equal(await pro.call('campaignSendNow', { cid }), true);
});

test('a campaign with authenticate is not sent when its domain is no longer activated', async () => {
  await app.app.db.run(
    sql`insert into sender_domain (account_id, domain, active) values (${pro.account.id}, 'signed.example', true)`,
  );
  const { cid } = await draft({ sender: 'own@signed.example', authenticate: true });
  await app.app.db.run(sql`update sender_domain set active = false where account_id = ${pro.account.id}`);
  await refused(cid, 312, /signed\.example/);
});

test('an account that may not send cannot send, schedule or test', async () => {
  const { cid } = await draft();
  await app.app.db.run(sql`update account set may_send = false where id = ${pro.account.id}`);
  await refused(cid, 122, /may not send/);
  await assert.rejects(
    pro.call('campaignSendTest', { cid, test_emails: 'me@example.com' }),
    (error: Fault) => error.code === 122,
  );
  await app.app.db.run(sql`update account set may_send = true where id = ${pro.account.id}`);
});

test('a draft without content of its type is not sent', async () => {
  for (const [column, words] of [
    ['html', /no HTML/],
    ['plain', /no plain text/],
  ] as const) {
    const { cid } = await draft();
    await app.app.db.pool.query(`update campaign set ${column} = ' ' where id = $1`, [parseId(cid)]);
    await refused(cid, 311, words);
  }
});

test('a domain that another account has proven is not used as the sender, before this account has proven it too', async () => {
  const owner = await app.anotherAccount('pro');
  await activeDomain(app.app, owner.account.id, 'bank.example');
  const { cid } = await draft({ sender: 'ceo@bank.example' });
  await refused(cid, 312, /another account .* has proven that bank\.example/);
  await assert.rejects(pro.call('campaignSendTest', { cid, test_emails: ['a@example.com'] }), { code: 312 });
  const findings = await pro.call<{ level: string; message: string }[]>('campaignCheck', { cid });
  assert.ok(findings.some(({ level, message }) => level === 'error' && /bank\.example/.test(message)));
  await assert.rejects(pro.call('accountUpdate', { name: 'email', value: 'ceo@BANK.example' }), {
    fault: 'ACCOUNT_OPTION_INVALID',
  });
  await activeDomain(app.app, pro.account.id, 'bank.example');
  assert.equal(await pro.call('campaignSendNow', { cid }), true);
});
