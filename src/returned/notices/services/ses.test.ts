// Messages of SNS with reports of SES: what a genuine one reports, and why others are refused. The certificate and the
// confirmation are served from memory; notices.test.ts fetches them over HTTPS.
import assert from 'node:assert/strict';
import { createPrivateKey, randomUUID, sign } from 'node:crypto';
import { test } from 'node:test';
import { type About, serviceSamples, sesMail, signedBySns } from '../../../../test/support/samples/notices.ts';
import { createAuthority, createCertificate } from '../../../../test/support/smtp-sink/certificate.ts';
import type { App } from '../../../base/context.ts';
import type { Reading } from '../../parse/notice.ts';
import { services } from './index.ts';

const about: About = {
  email: 'reader@reader.example',
  token: 'a1b2c3d4',
  messageId: '<1.2@sender.example>',
  serviceId: '0102018f-00000001',
};
const host = 'sns.eu-west-1.amazonaws.com';
/** Its own address for each run, because a certificate is remembered by its address. */
const certUrl = `https://${host}/SimpleNotificationService-${randomUUID()}.pem`;
const topic = 'arn:aws:sns:eu-west-1:123456789012:returned';
const authority = createAuthority();
const certificate = createCertificate(authority, [host]);
const key = createPrivateKey(certificate.key);
const expired = createCertificate(authority, [host], {
  validFrom: new Date(Date.now() - 2_000_000),
  validTo: new Date(Date.now() - 1_000_000),
});
const stranger = createPrivateKey(createCertificate(authority, [host]).key);

/** What the addresses of SNS return. */
const pages: Record<string, { status: number; body: string }> = {
  [certUrl]: { status: 200, body: certificate.cert },
  [`https://${host}/expired.pem`]: { status: 200, body: expired.cert },
  [`https://${host}/text.pem`]: { status: 200, body: 'no certificate' },
  [`https://${host}/absent.pem`]: { status: 404, body: certificate.cert },
  [`https://${host}/?Action=ConfirmSubscription`]: { status: 200, body: '' },
};
const fetched: string[] = [];
const app = {
  log: { warn: () => {} },
  outbound: {
    async fetch(url: string) {
      fetched.push(url);
      const page = pages[url];
      return page ? { ok: true, ...page, body: Buffer.from(page.body) } : { ok: false, why: 'refused' };
    },
  },
} as unknown as App;

const read = async (body: string, of = ''): Promise<Reading> =>
  services.ses.read(app, { headers: {}, body: Buffer.from(body), key: '', topic: of });

const bodyOf = (given: Partial<Parameters<typeof signedBySns>[0]> = {}, by = key) =>
  signedBySns({ message: '{}', topic, certUrl, ...given }, by).body;

test('the documented reports are read as one notice of their kind, or none', async () => {
  const samples = serviceSamples.filter((sample) => sample.service === 'ses');
  assert.equal(samples.length, 5);
  for (const { name, kind, class: found, body } of samples) {
    const reading = await read(bodyOf({ message: JSON.stringify(body(about)) }), topic);
    assert.ok(reading.ok, name);
    assert.equal(reading.topic, topic);
    const expected = [kind, kind === 'complaint' ? 'abuse' : found, about.email, about.serviceId];
    assert.deepEqual(
      reading.notices.map((notice) => [notice.kind, notice.class, notice.email, notice.serviceId]),
      kind === 'nothing' ? [] : [expected],
      name,
    );
  }
});

test('a report names its message by a header, a tag or the id of SES, and carries the reply', async () => {
  const named = async (event: object) => {
    const reading = await read(bodyOf({ message: JSON.stringify(event) }));
    assert.ok(reading.ok);
    return reading.notices.map(({ kind, token, messageId, reply }) => [kind, token, messageId, reply]);
  };
  const subscription = { eventType: 'Subscription' };
  assert.deepEqual(await named({ ...subscription, mail: sesMail(about, true) }), [
    ['unsubscribe', about.token, about.messageId, ''],
  ]);
  assert.deepEqual(await named({ ...subscription, mail: sesMail(about, false, true) }), [
    ['unsubscribe', about.token, '', ''],
  ]);
  const bouncedRecipients = [{ emailAddress: about.email, diagnosticCode: 'smtp; 550 5.1.1 user unknown' }];
  assert.deepEqual(await named({ eventType: 'Bounce', bounce: { bouncedRecipients }, mail: {} }), [
    ['bounce', '', '', '550 5.1.1 user unknown'],
  ]);
});

test('a text of SNS instead of a report is no notice', async () => {
  const message = 'Successfully validated SNS topic for Amazon SES event publishing.';
  assert.deepEqual(await read(bodyOf({ message })), { ok: true, notices: [], topic });
});

test('both versions of the signature are accepted', async () => {
  const { Signature: _, ...fields } = JSON.parse(bodyOf()) as Record<string, string>;
  const signed = ['Message', 'MessageId', 'Timestamp', 'TopicArn', 'Type'].map((name) => `${name}\n${fields[name]}\n`);
  const Signature = sign('sha1', Buffer.from(signed.join('')), key).toString('base64');
  const body = JSON.stringify({ ...fields, Signature, SignatureVersion: '1' });
  assert.deepEqual(await read(body), { ok: true, notices: [], topic });
});

const subscribeUrl = `https://${host}/?Action=ConfirmSubscription`;

test('a subscription is confirmed at its address, and its end is reported', async () => {
  const body = bodyOf({ type: 'SubscriptionConfirmation', subscribeUrl });
  assert.deepEqual(await read(body), { ok: true, notices: [], topic });
  assert.equal(fetched.at(-1), subscribeUrl);
  const ended = await read(bodyOf({ type: 'UnsubscribeConfirmation', subscribeUrl }));
  assert.ok(ended.ok && ended.problem === 'the subscription was ended' && ended.notices.length === 0);
});

const wrongHost = 'its certificate is not from a host of SNS';
const noCertificate = 'the certificate of SNS could not be fetched';
const wrongSignature = 'the signature is missing or wrong';
const refused: [name: string, body: string, why: string][] = [
  ['no JSON', '{', 'the body is not JSON'],
  ['an event without SNS', '{"eventType":"Bounce"}', 'it is not a message of SNS (switch raw message delivery off)'],
  ['another topic', bodyOf({ topic: `${topic}2` }), 'it comes from another topic than the first message'],
  ['another key', bodyOf({}, stranger), wrongSignature],
  ['a changed message', bodyOf().replace('{}', '{ }'), wrongSignature],
  [
    'an unknown version',
    bodyOf().replace('"SignatureVersion":"2"', '"SignatureVersion":"3"'),
    'the version of the signature is unknown',
  ],
  ...[
    `http://${host}/a.pem`,
    `https://${host}:8443/a.pem`,
    `https://ann@${host}/a.pem`,
    `https://${host}.evil.example/a.pem`,
    `https://${host}/a.txt`,
    'a.pem',
  ].map((url): [string, string, string] => [url, bodyOf({ certUrl: url }), wrongHost]),
  ...['expired', 'text', 'absent', 'unreachable'].map((name): [string, string, string] => [
    `the certificate ${name}.pem`,
    bodyOf({ certUrl: `https://${host}/${name}.pem` }),
    noCertificate,
  ]),
  [
    'a confirmation elsewhere',
    bodyOf({ type: 'SubscriptionConfirmation', subscribeUrl: 'https://evil.example/' }),
    'the address that confirms the subscription is not a host of SNS',
  ],
  [
    'a confirmation that fails',
    bodyOf({ type: 'SubscriptionConfirmation', subscribeUrl: `https://${host}/gone` }),
    'SNS did not confirm the subscription',
  ],
];
for (const [name, body, why] of refused)
  test(`refused: ${name}`, async () => {
    const reading = await read(body, topic);
    assert.equal(reading.ok, false);
    assert.equal('why' in reading && reading.why, why);
  });
