// Which methods need the password again, read from the registry: each one that changes access or settings of an account is
// either confirmed or listed here with the reason why a session alone is enough. A new one has to be put into one of both.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addMember, createUser } from '../../src/accounts/people/user.ts';
import { sql } from '../../src/db/connect.ts';
import { formatId } from '../../src/db/ids.ts';
import { methods } from '../../src/doors/registry.ts';
import { Browser } from '../support/browser/session.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';

let app: TestApp;
let base: string;
before(async () => {
  app = await testApp();
  base = await app.listen();
});
after(() => app.close());

/** Methods of this kind that a session alone may call. */
const withoutConfirmation: Record<string, string> = {
  apikeyExpire: 'takes a right away',
  automationCopy: 'as templateCopy',
  archiveUpdate: 'a public page of what was sent to the public',
  bounceMailboxDelete: 'takes a credential away',
  bounceMailboxRead: 'reads now what would be read later',
  campaignApprovalRefuse: 'takes nothing but a question away',
  campaignApprovalReturn: 'as campaignApprovalRefuse',
  campaignApprove: 'as campaignSendNow, which needs no confirmation',
  invitationAccept: 'gives the person a role elsewhere, and no one else a right here',
  invitationDecline: 'as invitationAccept',
  login: 'takes the password',
  noticeSourceDelete: 'takes a credential away',
  oauthEnd: 'ends what oauthBegin began, which was confirmed',
  passkeyUpdate: 'the name of a passkey',
  passwordUpdate: 'takes the password',
  personUpdate: 'the name and the language of the person',
  relayDelete: 'no message goes elsewhere than to relays that were confirmed',
  relayOrderUpdate: 'as relayDelete',
  relayPause: 'as relayDelete',
  relayResume: 'as relayDelete',
  relayUseInbox: 'messages stay in the inbox of this installation',
  senderCreate: 'useless until the address or its domain is proven',
  senderDelete: 'takes a right away',
  senderDomainCreate: 'useless until the DNS of the domain proves it',
  senderDomainDelete: 'takes a right away',
  senderDomainTrackingUpdate: 'useless until the DNS of the domain proves it',
  senderUpdate: 'as senderCreate',
  segmentCopy: 'as templateCopy',
  sessionConfirm: 'takes the password',
  sessionEnd: 'takes a right away',
  sessionSwitch: 'another account of the same person',
  templateCopy: 'into an account in which the same person may write it anyway',
  totpBegin: 'takes the password',
  totpConfirm: 'takes the code of what totpBegin began',
  totpDelete: 'takes the password',
  webhookDelete: 'takes a right away',
  webhookResend: 'only to a receiver that was confirmed',
  webhookRetry: 'only to a receiver that was confirmed',
  webhookTest: 'only to a receiver that was confirmed',
};

const changing = methods.filter(
  ({ reads, scope, person, operator, group }) =>
    !reads &&
    (scope === 'admin' || person || operator || ['account', 'sign-in', 'sending', 'webhooks'].includes(group)),
);

test('each method that changes access or settings is confirmed, or has a reason why not', () => {
  const missing = changing.filter((method) => !method.confirm && !Object.hasOwn(withoutConfirmation, method.name));
  assert.deepEqual(
    missing.map(({ name }) => name),
    [],
    'add confirm, or the reason to this test',
  );
  const stale = Object.keys(withoutConfirmation).filter(
    (name) => !changing.some((method) => method.name === name && !method.confirm),
  );
  assert.deepEqual(stale, [], 'no such method without confirm');
});

/** For methods that need it for some values only: such values, in each spelling that the method accepts. */
const valuesToConfirm: Record<string, Record<string, unknown>[]> = {
  accountUpdate: [{ name: 'email', value: 'elsewhere@example.com' }],
  webhookUpdate: ['url', 'URL', 'Secret_Key'].map((name) => ({ wid: '1', name, value: 'https://example.com/x' })),
  noticeSourceUpdate: ['key', 'KEY'].map((name) => ({ id: '1', name, value: 'x' })),
  relayUpdate: [
    { host: 'a.example' },
    { port: 25 },
    { tls: 'none' },
    { auth: 'LOGIN' },
    { username: 'x' },
    { password: 'x' },
  ].map((changed) => ({ id: '1', ...changed })),
  bounceMailboxUpdate: [{ host: 'a.example' }, { user_name: 'x' }, { password: 'x' }].map((changed) => ({
    id: '1',
    ...changed,
  })),
};

test('a session whose password was entered an hour ago is refused by every method that needs it, and changes nothing', async () => {
  const owner = await createUser(app.app.db, { email: 'owner@example.net', password: 'correct horse' });
  const other = await createUser(app.app.db, { email: 'other@example.net', password: 'correct horse' });
  for (const { id } of [owner, other]) await addMember(app.app.db, app.account.id, id, 'owner');
  const browser = new Browser(base);
  assert.equal((await browser.signIn('owner@example.net', 'correct horse')).status, 200);
  await app.app.db.run(sql`update session set confirmed_at = now() - interval '1 hour'`);
  for (const { name, confirm, example } of methods) {
    if (!confirm) continue;
    for (const params of valuesToConfirm[name] ?? [filled(example.params, formatId(other.id))]) {
      const answer = await browser.call<{ code: number }>(name, params);
      assert.deepEqual([answer.status, answer.body.code], [403, 137], `${name} ${JSON.stringify(params)}`);
    }
  }
  const people = await app.call<{ email: string }[]>('users');
  assert.ok(people.some(({ email }) => email === 'other@example.net'));
});

/** Placeholders are read before the confirmation, so that any text will do; that of a person is a person. */
const filled = (params: Record<string, unknown>, user: string): Record<string, unknown> =>
  JSON.parse(
    JSON.stringify(params).replace(/\{\{(\w+)\}\}/g, (_all, name) =>
      name === 'user' ? user : /email|newcomer/.test(name) ? 'x@example.com' : '1',
    ),
  );
