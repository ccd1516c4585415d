import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApp } from '../../test/support/installation/app.ts';
import { Sink } from '../../test/support/smtp-sink/sink.ts';
import { formatId } from '../db/ids.ts';
import { feedbackId } from '../delivery/message/header.ts';
import { sendAccountNotice } from './account-notice.ts';

test('a notice reaches the owner of the account, with a one-line subject and unchanged leading dots', async () => {
  const sink = await new Sink({ raw: true }).listen();
  const t = await testApp({ SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none` });
  try {
    await sendAccountNotice(
      { app: t.app, log: t.app.log, signal: new AbortController().signal },
      { account_id: t.account.id, subject: 'Webhook a\r\nBcc: b@example.com is off', text: 'One\n.two\n..three' },
    );
    const accepted = sink.accepted();
    assert.equal(accepted.length, 1);
    const source = accepted[0]!.raw ?? '';
    assert.match(source, /^To: owner@example\.com\r?$/m);
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
    assert.match(source, /^One\r\n\.two\r\n\.\.three\r\n/m);
  } finally {
    await t.close();
    await sink.close();
  }
});

test('the attempts of a job send one Message-ID, under the public name of the installation', async () => {
  const sink = await new Sink({}).listen();
  const t = await testApp({ SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none` });
  t.app.baseUrl = 'https://letters.example.com';
  try {
    const notice = { account_id: t.account.id, subject: 'Off', text: 'One' };
    for (const job of ['7', '7', '8'])
      await sendAccountNotice({ app: t.app, log: t.app.log, signal: new AbortController().signal, job }, notice);
    const [first, second, other] = sink.accepted().map(({ messageId }) => messageId);
    assert.match(first!, /^<notice\.[0-9a-f]{24}@example\.com>$/);
    assert.equal(second, first);
    assert.notEqual(other, first);
    assert.deepEqual(new Set(sink.greetings), new Set(['letters.example.com']));
  } finally {
    await t.close();
    await sink.close();
  }
});
