// The header fields by which a customer could instruct the service behind a relay of the installation: never sent.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type MailingApp, mailingApp } from '../../test/support/installation/mailing-app.ts';
import { sql } from '../db/connect.ts';
import { serviceFields } from '../delivery/message/notice-fields.ts';
import { presets } from '../relays/settings/presets.ts';

let app: MailingApp;
before(async () => {
  app = await mailingApp({});
});
after(() => app.close());

/** One of each service, in the spelling of its documentation or in another. */
const examples = [
  'X-SMTPAPI: {"to":["a@evil.example","b@evil.example"]}',
  'x-smtpapi: {"to":["a@evil.example"]}',
  'X-SmtpApi : {"to":["a@evil.example"]}',
  'X-SMTPAPI: {"to":\r\n ["a@evil.example"]}',
  'X-SES-CONFIGURATION-SET: other',
  'X-SES-SOURCE-ARN: arn:aws:ses:eu-west-1:1:identity/bank.example',
  'X-Mailgun-Recipient-Variables: {"a@evil.example":{}}',
  'X-MAILGUN-Drop-Message: yes',
  'X-MC-Template: x',
  'X-MSYS-API: {"options":{"sandbox":true}}',
  'X-PM-Message-Stream: outbound',
  'X-Mailin-Tag: x',
  'X-Sib-Sandbox: drop',
  'X-MJ-TemplateID: 1',
  'X-Mailjet-Campaign: x',
  'Resend-Idempotency-Key: x',
  'X-ElasticEmail-Settings: x',
  'IsTransactional: true',
  'X-Mailtrap: kept',
  'X-MT-Category: x',
  'X-Virtual-MTA: other',
  'X-MailerSend-Tags: x',
  'X-Smtp2go-Tag: x',
  'X-xsMailingId: x',
  'X-CMail-GroupName: x',
  'AhaSend-Sandbox: true',
  'X-APIHEADER: x',
  'X-MS-Exchange-Organization-SCL: -1',
];
const kept = [
  'X-Mailtrap: kept',
  'X-Order: 17',
  'X-Mailer: Shop',
  'X-Entity-Ref-ID: 5',
  'X-Priority: 1',
  'X-Campaign: May',
];

const stored = async (id: string): Promise<string> => {
  const row = await app.app.db.row<{ content: Buffer }>(sql`
    select content from message where content is not null order by created_at desc limit 1`);
  assert.ok(row, id);
  return row.content.toString('latin1').split('\r\n\r\n', 1)[0]!;
};

test('a message that a program has composed loses the fields that instruct a service, and no others', async () => {
  const head = ['From: owner@example.com', 'To: ada@example.com', 'Subject: x', ...new Set([...examples, ...kept])];
  const { id } = await app.call<{ id: string }>('messageSendRaw', {
    source: `${head.join('\r\n')}\r\n\r\nText\r\n`,
    recipients: ['ada@example.com'],
  });
  const sent = (await stored(id)).split('\r\n');
  const names = sent.filter((line) => !/^(From|To|Subject|Date|Message-ID):/i.test(line));
  assert.deepEqual(names.toSorted(), kept.toSorted());
});

test('headers of messageSend that instruct a service are refused by name', async () => {
  for (const line of examples.filter((example) => /^X-[\w-]+:/i.test(example) && !kept.includes(example))) {
    const name = line.split(':', 1)[0]!;
    await assert.rejects(
      app.call('messageSend', { to: 'ada@example.com', subject: 'x', plain: 'x', headers: { [name]: 'x' } }),
      { message: new RegExp(`^headers\\.${name}: this header instructs a sending service`) },
      name,
    );
  }
  await app.call('messageSend', {
    to: 'ada@example.com',
    subject: 'x',
    plain: 'x',
    headers: Object.fromEntries(kept.map((line) => line.split(': ', 2))),
  });
});

test('every service that has a preset or whose notices are read has its fields in the list', async () => {
  const { controlHeaders, isControlHeader } = await import('./control-headers.ts');
  const withoutFields = ['postfix', 'generic'];
  for (const name of [...presets.map((preset) => preset.name), ...Object.keys(serviceFields)])
    assert.ok(withoutFields.includes(name) || Object.hasOwn(controlHeaders, name), `${name}: add its fields`);
  for (const [name, field] of Object.entries(serviceFields)) {
    const line = field?.('token') ?? '';
    assert.ok(line === '' || name === 'generic' || isControlHeader(line.split(':', 1)[0]!), `${name}: ${line}`);
  }
});
