import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApp } from '../../test/support/installation/app.ts';
import { Sink } from '../../test/support/smtp-sink/sink.ts';
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
    assert.match(source, /^One\r\n\.two\r\n\.\.three\r\n/m);
  } finally {
    await t.close();
    await sink.close();
  }
});
