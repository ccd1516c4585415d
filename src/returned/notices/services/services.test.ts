// What the services report about one message, read without a database: the notice in each documented shape of a request,
// and why a request is refused. Their way through HTTP to the effects on a contact is in notices.test.ts.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import {
  type About,
  type Posted,
  serviceSamples,
  signedByMailgun,
  signedByResend,
  signedBySendGrid,
  unsigned,
} from '../../../../test/support/samples/notices.ts';
import type { App } from '../../../base/context.ts';
import { type ServiceName, serviceFields } from '../../../delivery/message/notice-fields.ts';
import type { Reading, ServiceNotice } from '../../parse/notice.ts';
import { services } from './index.ts';

const about: About = {
  email: 'reader@reader.example',
  token: 'a1b2c3d4',
  messageId: '<1.2@sender.example>',
  serviceId: '0102018f-00000001',
};
const keyPair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const keys: Partial<Record<ServiceName, string>> = {
  sendgrid: keyPair.publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
  mailgun: 'a key of Mailgun',
  resend: `whsec_${Buffer.from('a secret of Resend').toString('base64')}`,
};

function signed(service: ServiceName, body: unknown): Posted {
  if (service === 'sendgrid') return signedBySendGrid(body, keyPair.privateKey);
  if (service === 'mailgun') return signedByMailgun(body as object, keys.mailgun!);
  if (service === 'resend') return signedByResend(body, keys.resend!);
  return unsigned(body);
}

/** These services need nothing of the program: only SES fetches a certificate. */
const read = async (service: ServiceName, { headers, body }: Posted, key = keys[service] ?? ''): Promise<Reading> =>
  services[service].read({} as App, { headers, body: Buffer.from(body), key, topic: '' });

async function noticesIn(service: ServiceName, body: unknown): Promise<ServiceNotice[]> {
  const reading = await read(service, signed(service, body));
  assert.ok(reading.ok, service);
  return reading.notices;
}

/** Kind, class and reply of the notices in a body. */
const briefly = async (service: ServiceName, body: unknown) =>
  (await noticesIn(service, body)).map(({ kind, class: found, reply }) => [kind, found, reply]);

test('the documented requests of each service are read as one notice of their kind, or none', async () => {
  const samples = serviceSamples.filter((sample) => sample.service !== 'ses');
  assert.equal(samples.length, 35);
  for (const { service, name, kind, class: found, body } of samples) {
    const notices = await noticesIn(service as ServiceName, body(about));
    const label = `${service}: ${name}`;
    if (kind === 'nothing') {
      assert.deepEqual(notices, [], label);
      continue;
    }
    assert.equal(notices.length, 1, label);
    const [notice] = notices as [ServiceNotice];
    assert.deepEqual(
      [notice.kind, notice.class, notice.email],
      [kind, kind === 'bounce' ? found : kind === 'complaint' ? 'abuse' : '', about.email],
      label,
    );
    const named = [
      [notice.token, about.token],
      [notice.messageId.replace(/[<>]/g, ''), about.messageId.replace(/[<>]/g, '')],
      [notice.serviceId, about.serviceId],
    ];
    assert.ok(
      named.some(([given, expected]) => given === expected),
      `${label} names its message`,
    );
  }
});

test('a field of a message makes the service return the token', () => {
  const fields = Object.entries(serviceFields).map(([name, field]) => [
    name,
    field('t0'),
    services[name as ServiceName].signs,
  ]);
  assert.deepEqual(fields, [
    ['ses', 'X-SES-MESSAGE-TAGS: postrider=t0\r\n', false],
    ['sendgrid', 'X-SMTPAPI: {"unique_args":{"postrider":"t0"}}\r\n', true],
    ['postmark', 'X-PM-Metadata-postrider: t0\r\n', false],
    ['mailgun', 'X-Mailgun-Variables: {"postrider":"t0"}\r\n', true],
    ['brevo', 'X-Mailin-custom: t0\r\n', false],
    ['mailjet', 'X-MJ-CustomID: t0\r\n', false],
    ['resend', '', true],
    ['sparkpost', 'X-MSYS-API: {"metadata":{"postrider":"t0"}}\r\n', false],
    ['generic', '', false],
  ]);
});

test('each way in which a service names the message is read', async () => {
  const named = async (service: ServiceName, body: unknown) => {
    const [notice] = await noticesIn(service, body);
    return [notice!.email, notice!.token, notice!.messageId, notice!.serviceId];
  };
  const email = 'x@reader.example';
  assert.deepEqual(
    await named('sendgrid', {
      event: 'spamreport',
      email,
      postrider: 't',
      'smtp-id': '<m@x>',
      sg_message_id: 'id.recvd-1',
    }),
    [email, 't', '<m@x>', 'id'],
  );
  assert.deepEqual(await named('brevo', { event: 'spam', email, 'X-Mailin-custom': 't', 'message-id': '<m@x>' }), [
    email,
    't',
    '<m@x>',
    'm@x',
  ]);
  assert.deepEqual(await named('mailjet', { event: 'spam', email, CustomID: 't', Message_GUID: 'g', MessageID: 7 }), [
    email,
    't',
    '',
    'g',
  ]);
  assert.deepEqual(await named('mailjet', { event: 'spam', email, MessageID: 7 }), [email, '', '', '7']);
  const toMailgun = {
    event: 'complained',
    recipient: email,
    'user-variables': { postrider: 't' },
    message: { headers: { 'message-id': 'm@x' } },
  };
  assert.deepEqual(await named('mailgun', { 'event-data': toMailgun }), [email, 't', 'm@x', '']);
  const spark = { type: 'spam_complaint', rcpt_to: email, rcpt_meta: { postrider: 't' }, message_id: 'id' };
  assert.deepEqual(await named('sparkpost', { msys: { message_event: spark } }), [email, 't', '', 'id']);
  const raw = { ...spark, rcpt_to: 'normal@reader.example', raw_rcpt_to: email };
  assert.deepEqual(await named('sparkpost', { msys: { message_event: raw } }), [email, 't', '', 'id']);
  assert.deepEqual(
    await named('generic', { type: 'unsubscribe', email, id: 't', message_id: '<m@x>', service_id: 's' }),
    [email, 't', '<m@x>', 's'],
  );
  const data = { to: email, email_id: 's', headers: [{ name: 'message-id', value: '<m@x>' }] };
  assert.deepEqual(await named('resend', { type: 'email.complained', data }), [email, '', '<m@x>', 's']);
});

const bounces: [service: ServiceName, body: unknown, expected: [kind: string, found: string, reply: string][]][] = [
  ['brevo', { event: 'blocked', reason: 'x' }, [['bounce', 'blocked', 'x']]],
  ['brevo', { event: 'error' }, [['bounce', 'generic', 'error']]],
  ['brevo', { event: 'softBounce' }, [['bounce', 'soft', 'softBounce']]],
  ['brevo', { event: 'hardBounce' }, [['bounce', 'hard', 'hardBounce']]],
  ['brevo', { event: 'invalid' }, [['bounce', 'hard', 'invalid']]],
  ['brevo', { event: 'complaint' }, [['complaint', 'abuse', '']]],
  ['brevo', { event: 'unsubscribe' }, [['unsubscribe', '', '']]],
  ['brevo', { event: 'deferred', reason: '450 4.2.0 try later' }, []],
  ['brevo', { event: 'constructor' }, []],
  ['mailjet', { event: 'blocked', error: 'user unknown' }, [['bounce', 'hard', 'user unknown']]],
  ['mailjet', { event: 'bounce', error: 'spam reporter', hard_bounce: true }, [['bounce', 'blocked', 'spam reporter']]],
  [
    'mailjet',
    { event: 'bounce', error: 'connection issue', hard_bounce: true },
    [['bounce', 'hard', 'connection issue']],
  ],
  ['mailjet', { event: 'bounce', error: 'user unknown', hard_bounce: false }, [['bounce', 'generic', 'user unknown']]],
  ['mailjet', { event: 'bounce', error: 'connection issue' }, [['bounce', 'temporary', 'connection issue']]],
  ['mailjet', { event: 'bounce', error_related_to: 'domain' }, [['bounce', 'temporary', 'domain']]],
  ['mailjet', { event: 'bounce', error: 'x', comment: 'y' }, [['bounce', 'temporary', 'y']]],
  ['mailjet', { event: 'sent' }, []],
  ['sendgrid', { event: 'bounce', type: 'blocked', reason: 'x' }, [['bounce', 'blocked', 'x']]],
  ['sendgrid', { event: 'bounce', type: 'bounce', reason: 'x' }, [['bounce', 'generic', 'x']]],
  ['sendgrid', { event: 'bounce', bounce_classification: 'Invalid Address' }, [['bounce', 'hard', '']]],
  ['sendgrid', { event: 'bounce', reason: 'x', status: '5.2.2' }, [['bounce', 'soft', 'x']]],
  ['sendgrid', { event: 'dropped', reason: 'Unsubscribed Address' }, [['unsubscribe', '', '']]],
  ['sendgrid', { event: 'dropped', reason: 'Spam Reporting Address' }, [['complaint', 'abuse', '']]],
  ['sendgrid', { event: 'dropped', reason: 'Invalid' }, [['bounce', 'hard', 'Invalid']]],
  ['sendgrid', { event: 'dropped', reason: 'Spam Content' }, [['bounce', 'blocked', 'Spam Content']]],
  ['sendgrid', { event: 'unsubscribe' }, [['unsubscribe', '', '']]],
  ['sendgrid', { event: 'delivered' }, []],
  ...(['HardBounce', 'BadEmailAddress'] as const).map(ofPostmark('hard')),
  ...(['SpamNotification', 'VirusNotification', 'Blocked', 'DMARCPolicy', 'ManuallyDeactivated'] as const).map(
    ofPostmark('blocked'),
  ),
  ...['SoftBounce'].map(ofPostmark('soft')),
  ...['DnsError'].map(ofPostmark('temporary')),
  ...['Unknown'].map(ofPostmark('generic')),
  ['postmark', { RecordType: 'Bounce', Type: 'AutoResponder' }, []],
  ['postmark', { RecordType: 'Open', Type: 'HardBounce' }, []],
  ['postmark', { RecordType: 'Bounce', Type: 'Unsubscribe' }, [['unsubscribe', '', '']]],
  ['postmark', { RecordType: 'SpamComplaint' }, [['complaint', 'abuse', '']]],
  ['postmark', { RecordType: 'Bounce', Type: 'SpamComplaint' }, [['complaint', 'abuse', '']]],
  ['postmark', changeOf('HardBounce'), [['bounce', 'hard', 'HardBounce']]],
  ['postmark', changeOf('SpamComplaint'), [['complaint', 'abuse', '']]],
  ['postmark', { ...changeOf('ManualSuppression'), SuppressSending: false }, []],
  ['mailgun', failedOf({ reason: 'suppress-unsubscribe' }), [['unsubscribe', '', '']]],
  ['mailgun', failedOf({ reason: 'suppress-complaint' }), [['complaint', 'abuse', '']]],
  ['mailgun', failedOf({ reason: 'espblock' }, { description: 'x' }), [['bounce', 'blocked', 'x']]],
  ['mailgun', failedOf({ reason: 'generic' }, { code: 605, message: 'x' }), [['bounce', 'generic', 'x']]],
  ['mailgun', failedOf({ reason: 'generic' }, { code: 600, message: 'x' }), [['bounce', 'generic', 'x']]],
  ['mailgun', failedOf({}, { 'bounce-type': 'hard', code: 400, message: 'x' }), [['bounce', 'temporary', '400 x']]],
  ['mailgun', failedOf({}, { 'bounce-type': 'soft', code: 550, message: '550 x' }), [['bounce', 'soft', '550 x']]],
  ['mailgun', failedOf({ reason: 'bounce' }, { message: 'x', description: 'y' }), [['bounce', 'hard', 'x']]],
  ['mailgun', failedOf({}, { 'enhanced-code': '5.2.2', message: 'x' }), [['bounce', 'soft', 'x']]],
  ['mailgun', { 'event-data': { event: 'unsubscribed' } }, [['unsubscribe', '', '']]],
  ['mailgun', { 'event-data': { event: 'opened' } }, []],
  ...(['10', '30'] as const).map(ofSparkPost('hard')),
  ...(['20', '22', '23'] as const).map(ofSparkPost('soft')),
  ...(['21', '24', '70'] as const).map(ofSparkPost('temporary')),
  ...(['25', '50', '51', '52', '53', '54'] as const).map(ofSparkPost('blocked')),
  ...(['1', '40', '100000'] as const).map(ofSparkPost('generic')),
  ...(['60', '80', '100'] as const).map((code) => ['sparkpost', sparkBounce(code), []] as Case),
  ['sparkpost', sparkBounce('90'), [['unsubscribe', '', '']]],
  ['sparkpost', { msys: { message_event: { type: 'spam_complaint' } } }, [['complaint', 'abuse', '']]],
  ['sparkpost', { msys: { message_event: { type: 'spam_complaint', fbtype: 'fraud' } } }, [['complaint', 'fraud', '']]],
  ['sparkpost', { msys: { unsubscribe_event: { type: 'link_unsubscribe' } } }, [['unsubscribe', '', '']]],
  ['resend', resendBounce({ type: 'Temporary', message: 'x' }), [['bounce', 'temporary', 'x']]],
  ['resend', resendBounce({ type: 'Permanent', subType: 'NoEmail' }), [['bounce', 'hard', '']]],
  ['resend', resendBounce({ message: '552 5.2.2 mailbox full' }), [['bounce', 'soft', '552 5.2.2 mailbox full']]],
  [
    'resend',
    resendBounce({ message: 'words', diagnosticCode: ['smtp; 550 5.1.1 user unknown'] }),
    [['bounce', 'hard', '550 5.1.1 user unknown']],
  ],
  ['resend', { type: 'email.suppressed', data: { suppressed: { message: 'x' } } }, [['bounce', 'hard', 'x']]],
  ['resend', { type: 'email.sent', data: {} }, []],
  ...(['hard', 'soft', 'blocked', 'temporary', 'generic'] as const).map(
    (found) => ['generic', { type: 'bounce', class: found, reply: 'x' }, [['bounce', found, 'x']]] as Case,
  ),
  ['generic', { type: 'bounce', class: 'dead', status: '5.1.1' }, [['bounce', 'hard', '']]],
  ['generic', { type: 'bounce', reply: ' two \r\n lines ' }, [['bounce', 'generic', 'two lines']]],
  ['generic', { type: 'complaint' }, [['complaint', 'abuse', '']]],
  ['generic', { type: 'complaint', feedback_type: 'fraud' }, [['complaint', 'fraud', '']]],
  ['generic', { type: 'unsubscribe', feedback_type: 'fraud' }, [['unsubscribe', '', '']]],
];

type Case = (typeof bounces)[number];

function ofPostmark(found: string) {
  return (type: string): Case => [
    'postmark',
    { RecordType: 'Bounce', Type: type, Description: 'x' },
    [['bounce', found, 'x']],
  ];
}

function changeOf(SuppressionReason: string) {
  return { RecordType: 'SubscriptionChange', SuppressSending: true, SuppressionReason };
}

function failedOf(members: object, status: object = {}) {
  return { 'event-data': { event: 'failed', severity: 'permanent', 'delivery-status': status, ...members } };
}

function sparkBounce(bounce_class: string) {
  return { msys: { message_event: { type: 'bounce', bounce_class, reason: 'x' } } };
}

function ofSparkPost(found: string) {
  return (code: string): Case => ['sparkpost', sparkBounce(code), [['bounce', found, 'x']]];
}

function resendBounce(bounce: object) {
  return { type: 'email.bounced', data: { bounce } };
}

for (const [index, [service, body, expected]] of bounces.entries())
  test(`${service} ${index}: ${expected[0]?.slice(0, 2).join(' ') || 'nothing'}`, async () => {
    assert.deepEqual(await briefly(service, body), expected);
  });

test('our own form carries the code of a reply', async () => {
  const codes = await noticesIn('generic', [
    { type: 'bounce', code: 550 },
    { type: 'bounce', code: 'x' },
    { type: 'complaint' },
  ]);
  assert.deepEqual(
    codes.map(({ code }) => code),
    [550, 0, 0],
  );
});

const invalidSignature = 'the signature is missing or wrong';
const staleTimestamp = 'the signature timestamp is missing, too old or in the future';

test('a body that has no events is refused with what was expected', async () => {
  const refused: [service: ServiceName, body: string, why: string, malformed?: true][] = [
    ['generic', '{', 'the body is not JSON', true],
    ['brevo', 'null', 'the body must be an object or an array of objects, but is null', true],
    ['mailjet', '7', 'the body must be an object or an array of objects, but is a number', true],
    ['postmark', '[{},[]]', 'item 2 of the array must be an object, but is an array', true],
    ['sparkpost', '"x"', 'the body must be an object or an array of objects, but is a string', true],
    ['mailgun', '[]', 'the body must be an object, but is an array', true],
    ['generic', '{"type":"dead"}', 'the type of notice 1 is not bounce, complaint or unsubscribe'],
    ['generic', '[{"type":"bounce"},{}]', 'the type of notice 2 is not bounce, complaint or unsubscribe'],
    ['mailgun', '{}', staleTimestamp],
    ['resend', '{}', staleTimestamp],
    ['sendgrid', '[]', invalidSignature],
  ];
  for (const [service, body, why, malformed] of refused)
    assert.deepEqual(
      await read(service, { headers: {}, body }),
      malformed ? { ok: false, why, malformed } : { ok: false, why },
      `${service} ${body}`,
    );
});

test('a signed request is refused with another key, body or time', async () => {
  const why = async (service: ServiceName, posted: Posted, key?: string) => {
    const reading = await read(service, posted, key);
    return reading.ok ? null : reading.why;
  };
  for (const service of ['sendgrid', 'resend'] as const) {
    const posted = signed(service, {});
    assert.equal(await why(service, posted), null, service);
    assert.equal(await why(service, { ...posted, body: '{ }' }), invalidSignature, service);
  }
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ type: 'spki', format: 'der' });
  assert.equal(await why('sendgrid', signed('sendgrid', []), other.toString('base64')), invalidSignature);
  const noKey = 'the verification key of the source is not a valid ECDSA public key';
  assert.equal(await why('sendgrid', signed('sendgrid', []), 'x'), noKey);
  assert.equal(await why('resend', signed('resend', {}), 'whsec_eHh4'), invalidSignature);
  assert.equal(await why('resend', signedByResend({}, keys.resend!, Date.now() - 310_000)), staleTimestamp);
  assert.equal(await why('resend', signedByResend({}, keys.resend!, Date.now() + 310_000)), staleTimestamp);
  assert.equal(await why('resend', signedByResend({}, keys.resend!, Date.now() - 290_000)), null);

  const mailgun = signed('mailgun', {});
  assert.equal(await why('mailgun', mailgun, 'x'), invalidSignature);
  assert.equal(await why('mailgun', mailgun), null);
  assert.equal(await why('mailgun', mailgun), null, 'Mailgun repeats a request that got no answer');
  const reused = { ...mailgun, body: mailgun.body.replace(/\}$/, ',"more":1}') };
  assert.equal(await why('mailgun', reused), 'the token of the signature was already used for a different request');
});

test('Resend may send the headers of Standard Webhooks, and several signatures while a secret is replaced', async () => {
  const { headers, body } = signed('resend', {});
  const renamed = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.replace('svix-', 'webhook-'), value]),
  );
  assert.deepEqual(await read('resend', { headers: renamed, body }), { ok: true, notices: [] });
  const several = `v1,AAAA v1a,AAAA ${headers['svix-signature']}`;
  assert.ok((await read('resend', { headers: { ...headers, 'svix-signature': several }, body })).ok);
});
