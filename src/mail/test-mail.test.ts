// Test messages of a campaign: what they show, and what the log keeps of it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type SendingApp, sendingApp } from '../../test/support/installation/sending-app.ts';
import { sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import { sendTestMails } from './test-mail.ts';

let t: SendingApp;
before(async () => {
  t = await sendingApp();
  await t.app.db.run(sql`update account set plan = 'pro'`);
});
after(() => t.close());

test('a test shows the values of a contact, and the log keeps none of them', async () => {
  const list = await t.call<string>('listCreate', { title: 'Letter' });
  const merge_vars = { FNAME: 'Grace' };
  await t.call('listSubscribe', { id: list, email_address: 'grace@reader.example', merge_vars, double_optin: false });
  const options = {
    list_id: list,
    subject: 'Dear *|FNAME:reader|*',
    from_email: 'owner@example.com',
    from_name: 'Desk of *|FNAME|*',
  };
  const cid = await t.call<string>('campaignCreate', {
    type: 'HTML',
    options,
    content: { html: '<p>x</p>', plain: 'x' },
  });
  const emails = ['me@example.com'];
  await sendTestMails(t.context, {
    account_id: t.account.id,
    campaign_id: parseId(cid)!,
    emails,
    send_type: 'both',
    variant: 0,
  });
  await t.allSent();
  const [mail] = t.sink.accepted();
  assert.match(mail!.raw!, /^Subject: \[Test\] Dear Grace\r$/m);
  assert.match(mail!.raw!, /^From: Desk of Grace </m);
  const { data } = await t.call<{ data: { subject: string; from_name: string }[] }>('messages', { via: 'system' });
  assert.deepEqual(
    data.map(({ subject, from_name }) => [subject, from_name]),
    [['[Test] Dear reader', 'Desk of']],
  );
});
