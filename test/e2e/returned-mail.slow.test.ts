// Returned mail with the whole program as its operator runs it: `serve` with a bounce domain and an external SMTP
// server, and a notice posted to the listener's port.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTransport } from 'nodemailer';
import { freePort } from '../../src/base/free-port.ts';
import { type TestDatabase, testDatabase } from '../support/database/database.ts';
import { Installation } from '../support/installation/installation.ts';
import { originalId, report } from '../support/samples/bounces.ts';
import { type SinkProcess, startSinkProcess } from '../support/smtp-sink/process.ts';

let sink: SinkProcess;
let installation: Installation;
let database: TestDatabase;
let port: number;

before(async () => {
  sink = await startSinkProcess({ raw: true });
  port = await freePort();
  database = await testDatabase();
  installation = new Installation({
    DATABASE_URL: database.url,
    SMTP_URL: sink.url,
    BOUNCE_DOMAIN: 'back.example',
    BOUNCE_PORT: String(port),
  });
  await installation.start();
});
after(async () => {
  await installation.remove();
  await database.close();
  await sink.close();
});

async function post(to: string, raw: string): Promise<number> {
  const transport = createTransport({ host: '127.0.0.1', port, ignoreTLS: true });
  try {
    const sent = await transport.sendMail({ envelope: { from: '', to }, raw: raw.replace(/\n/g, '\r\n') });
    return Number(String(sent.response).slice(0, 3));
  } catch (error) {
    return (error as { responseCode?: number }).responseCode ?? 0;
  } finally {
    transport.close();
  }
}

test('a notice posted to the listener of serve shows in the report of the campaign', async () => {
  const list = await installation.listOf(2, (n) => `reader${n}@example.com`);
  const cid = await installation.draft(list, 'Returned');
  await installation.call('campaignSendNow', { cid });
  const accepted = () => sink.entries().filter((entry) => entry.event === 'accepted');
  await installation.until('it is sent', async () => accepted().length === 2);
  const mail = accepted().find((entry) => entry.to === 'reader1@example.com')!;
  const raw = report({
    from: 'MAILER-DAEMON@mx.example.com',
    subject: 'Undelivered Mail Returned to Sender',
    text: 'This is the mail system.',
    status: `Reporting-MTA: dns; mx.example.com\n\nFinal-Recipient: rfc822; ${mail.to}\nAction: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 5.1.1 No such user`,
  }).replaceAll(originalId, mail.messageId!);
  await installation.until('the listener answers', async () => (await post('nobody@back.example', raw)) === 550);
  assert.equal(await post(mail.from!, raw), 250);
  const { total, data } = await installation.call<{ total: number; data: { email: string }[] }>('campaignHardBounces', {
    cid,
  });
  assert.deepEqual([total, data[0]!.email], [1, 'reader1@example.com']);
});

test('notices about single messages and confirmations, posted to the listener of serve, have their effects', async () => {
  type Info = { recipients: { state: string; bounce: string; complained: boolean }[] };
  const mailTo = async (email: string) => {
    const found = () => sink.entries().find((entry) => entry.event === 'accepted' && entry.to === email);
    await installation.until(`the message to ${email} is sent`, async () => found() !== undefined);
    return found()!;
  };
  const dsn = (mail: { to?: string; messageId?: string }) =>
    report({
      from: 'MAILER-DAEMON@mx.example.com',
      subject: 'Undelivered Mail Returned to Sender',
      text: 'This is the mail system.',
      status: `Reporting-MTA: dns; mx.example.com\n\nFinal-Recipient: rfc822; ${mail.to}\nAction: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 5.1.1 No such user`,
    }).replaceAll(originalId, mail.messageId!);
  const { id } = await installation.call<{ id: string }>('messageSend', {
    to: ['order@example.com'],
    subject: 'Your order',
    plain: 'It is on its way.',
  });
  const order = await mailTo('order@example.com');
  assert.equal(await post(order.from!, dsn(order)), 250);
  const { recipients } = await installation.call<Info>('messageGet', { id });
  assert.deepEqual([recipients[0]!.state, recipients[0]!.bounce], ['accepted', 'hard']);

  const list = await installation.call<string>('listCreate', { title: 'Confirmed' });
  await installation.call('listSubscribe', { id: list, email_address: 'typo@example.com' });
  const confirmation = await mailTo('typo@example.com');
  assert.equal(await post(confirmation.from!, dsn(confirmation)), 250);
  const suppressed = await installation.call<{ total: number }>('suppressedListMembers', {});
  assert.match(JSON.stringify(suppressed), /order@example\.com/);
  assert.match(JSON.stringify(suppressed), /typo@example\.com/);
  const { data } = await installation.call<{ data: (Info & { purpose: string })[] }>('messages', {
    email: 'typo@example.com',
  });
  assert.deepEqual([data[0]!.purpose, data[0]!.recipients[0]!.bounce], ['confirm', 'hard']);
});
