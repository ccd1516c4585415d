// Amazon SNS, which carries the notices of SES: checks the signature of a message with the certificate of Amazon that it
// names, and confirms a subscription. Certificates are fetched only over HTTPS from a host of SNS.
// https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html
import { verify, X509Certificate } from 'node:crypto';
import type { App } from '../../base/context.ts';
import { remember } from '../../base/remember.ts';
import { textAt } from '../parse/notice.ts';

const snsHost = /^sns\.[a-z0-9-]{1,40}\.amazonaws\.com(\.cn)?$/;

/** The fields that are signed, in this order; those that are absent are left out. */
const signedFields = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
  UnsubscribeConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
};

export type SnsType = keyof typeof signedFields;

/** Returns why a message is not from SNS, or null. */
export async function snsProblem(app: App, message: unknown): Promise<string | null> {
  const type = textAt(message, 'Type');
  if (!Object.hasOwn(signedFields, type)) return 'it is not a message of SNS (switch raw message delivery off)';
  const version = textAt(message, 'SignatureVersion');
  if (version !== '1' && version !== '2') return 'the version of the signature is unknown';
  const url = textAt(message, 'SigningCertURL');
  if (!isSnsUrl(url) || !/\.pem$/.test(new URL(url).pathname)) return 'its certificate is not from a host of SNS';
  const certificate = await certificateAt(app, url);
  if (!certificate) return 'the certificate of SNS could not be fetched';
  const signed = signedFields[type as SnsType]
    .flatMap((name) => (textAt(message, name) === '' ? [] : [`${name}\n${textAt(message, name)}\n`]))
    .join('');
  const signature = Buffer.from(textAt(message, 'Signature'), 'base64');
  const algorithm = version === '1' ? 'sha1' : 'sha256';
  return verify(algorithm, Buffer.from(signed), certificate.publicKey, signature)
    ? null
    : 'the signature is missing or wrong';
}

/** Confirms a subscription. @returns why it failed, or null */
export async function confirmSubscription(app: App, message: unknown): Promise<string | null> {
  const url = textAt(message, 'SubscribeURL');
  if (!isSnsUrl(url)) return 'the address that confirms the subscription is not a host of SNS';
  const answer = await app.outbound.fetch(url, { maxBytes: 64 * 1024, overflow: 'cut' });
  if (answer.ok && answer.status === 200) return null;
  app.log.warn(answer.ok ? { status: answer.status } : { why: answer.why }, 'a subscription of SNS was not confirmed');
  return 'SNS did not confirm the subscription';
}

function isSnsUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return url.protocol === 'https:' && url.port === '' && url.username === '' && snsHost.test(url.hostname);
}

const certificates = new Map<string, X509Certificate>();

async function certificateAt(app: App, url: string): Promise<X509Certificate | undefined> {
  const known = certificates.get(url);
  if (known && isValid(known)) return known;
  const answer = await app.outbound.fetch(url, { maxBytes: 64 * 1024 });
  if (!answer.ok || answer.status !== 200) {
    app.log.warn(answer.ok ? { status: answer.status } : { why: answer.why }, 'could not fetch the SNS certificate');
    return undefined;
  }
  try {
    const certificate = new X509Certificate(answer.body);
    if (!isValid(certificate)) return undefined;
    remember(certificates, url, certificate, 20);
    return certificate;
  } catch {
    return undefined;
  }
}

function isValid(certificate: X509Certificate): boolean {
  const now = Date.now();
  return Date.parse(certificate.validFrom) <= now && now <= Date.parse(certificate.validTo);
}
