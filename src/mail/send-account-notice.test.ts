// Notices to owners and users: their form, and that nothing keeps them from being sent.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type SendingApp, sendingApp } from '../../test/support/installation/sending-app.ts';
import { sql } from '../db/connect.ts';
import { formatId } from '../db/ids.ts';
import { feedbackId } from '../delivery/message/header.ts';
import { sendAccountNotice } from './send-account-notice.ts';

let t: SendingApp;
before(async () => {
  t = await sendingApp();
});
after(() => t.close());

test('a notice reaches the owner of the account, with a one-line subject and unchanged leading dots', async () => {
  await sendAccountNotice(t.context, {
    account_id: t.account.id,
    subject: 'Webhook a\r\nBcc: b@example.com is off',
    text: 'One\n.two\n..three',
  });
  await t.allSent();
  const accepted = t.sink.accepted();
  assert.equal(accepted.length, 1);
  const source = accepted[0]!.raw ?? '';
  assert.match(source, /^To: <owner@example\.com>\r?$/m);
  assert.match(source, /^Subject: Webhook a Bcc: b@example\.com is off\r?$/m);
  const { account } = t;
  const ofCampaign = feedbackId({
    campaign: 'c',
    account: formatId(account.id),
    kind: 'campaign',
    fromEmail: account.email,
  });
  const [sender] = ofCampaign.split(':').slice(-1);
  // The sender of its campaigns, without the account: the built-in inbox shows notices to no account.
  assert.match(source, new RegExp(`^Feedback-ID: 0:0:notice:${sender}\r?$`, 'm'));
  assert.match(source, /^One\r\n(\.|=2E)two\r\n(\.|=2E){2}three\r\n/m);
  assert.match(source, /^Auto-Submitted: auto-generated\r$/m);
});

test('a notice is sent though its address is suppressed and the account may not send campaigns', async () => {
  const before = t.sink.accepted().length;
  await t.app.db.run(sql`
    insert into suppression (account_id, kind, value, reason) values (${t.account.id}, 'address', 'owner@example.com', 'complaint')`);
  await t.app.db.run(sql`update account set may_send = false where id = ${t.account.id}`);
  await sendAccountNotice(t.context, { account_id: t.account.id, subject: 'Off', text: 'One' });
  await t.allSent();
  assert.equal(t.sink.accepted().length, before + 1);
});

test('a refused notice suppresses nothing and is in the log of the account', async () => {
  const to = '550rcpt@users.example';
  await sendAccountNotice(t.context, { account_id: t.account.id, subject: 'Off', text: 'One', to });
  await t.allSent();
  assert.equal(await t.app.db.row(sql`select from suppression where value = ${to}`), undefined);
  const { data } = await t.call<{ data: { recipients: { state: string; reply: string }[] }[] }>('messages', {
    email: to,
  });
  assert.equal(data[0]!.recipients[0]!.state, 'failed');
});
