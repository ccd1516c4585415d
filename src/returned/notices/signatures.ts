// Checks the signatures of the services that sign their requests: Svix (Resend), Twilio SendGrid and Mailgun.
// Each `…Problem` function returns why a request is not genuine, or null. SNS is in sns.ts.
import { createHmac, createPublicKey, type KeyObject, timingSafeEqual, verify } from 'node:crypto';
import { remember } from '../../base/remember.ts';

/** Standard Webhooks: a request older than this may be a replay. */
const toleranceSeconds = 5 * 60;
/** Mailgun retries a request for eight hours; the rest is margin. */
const mailgunToleranceSeconds = 24 * 60 * 60;

/** Resend: HMAC-SHA256 of id, time and body; several signatures during secret rotation. */
export function svixProblem(
  request: { id: string; timestamp: string; signatures: string; body: Buffer; key: string },
  now: Date,
) {
  if (!isRecent(request.timestamp, now, toleranceSeconds)) return staleTimestamp;
  const key = Buffer.from(request.key.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key)
    .update(`${request.id}.${request.timestamp}.`)
    .update(request.body)
    .digest();
  const given = request.signatures.split(' ').flatMap((part) => (part.startsWith('v1,') ? [part.slice(3)] : []));
  return given.some((signature) => isEqual(Buffer.from(signature, 'base64'), expected)) ? null : invalidSignature;
}

/** SendGrid: ECDSA with SHA-256 over time and body; the key is the base64 public key from SendGrid's settings. */
export function sendGridProblem(request: {
  timestamp: string;
  signature: string;
  body: Buffer;
  key: string;
}): string | null {
  const key = publicKeyOf(request.key);
  if (!key) return 'the verification key of the source is not a valid ECDSA public key';
  const signed = Buffer.concat([Buffer.from(request.timestamp), request.body]);
  const signature = Buffer.from(request.signature, 'base64');
  return request.timestamp !== '' && verify('sha256', signed, key, signature) ? null : invalidSignature;
}

const publicKeys = new Map<string, KeyObject>();

/** @returns undefined if the text is not an ECDSA public key */
export function publicKeyOf(text: string): KeyObject | undefined {
  const known = publicKeys.get(text);
  if (known) return known;
  try {
    const der = Buffer.from(text.replace(/-----[A-Z ]+-----|\s/g, ''), 'base64');
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
    if (key.asymmetricKeyType !== 'ec') return undefined;
    remember(publicKeys, text, key, 100);
    return key;
  } catch {
    return undefined;
  }
}

const seenTokens = new Map<string, string>();
const maxSeenTokens = 100_000;

/**
 * Mailgun: HMAC-SHA256 of a time and a token, which does not cover the body. So a token is valid for one body only. An
 * identical request is accepted again, because Mailgun retries when it gets no answer.
 */
export function mailgunProblem(
  request: { timestamp: string; token: string; signature: string; body: Buffer; key: string },
  now: Date,
): string | null {
  if (!isRecent(request.timestamp, now, mailgunToleranceSeconds)) return staleTimestamp;
  const expected = createHmac('sha256', request.key)
    .update(request.timestamp + request.token)
    .digest();
  if (request.token === '' || !isEqual(Buffer.from(request.signature, 'hex'), expected)) return invalidSignature;
  const body = createHmac('sha256', request.key).update(request.body).digest('base64');
  const name = `${request.timestamp} ${request.token}`;
  const earlierBody = seenTokens.get(name);
  if (earlierBody !== undefined && earlierBody !== body)
    return 'the token of the signature was already used for a different request';
  if (earlierBody === undefined) remember(seenTokens, name, body, maxSeenTokens);
  return null;
}

const staleTimestamp = 'the signature timestamp is missing, too old or in the future';
const invalidSignature = 'the signature is missing or wrong';

function isRecent(timestamp: string, now: Date, seconds: number): boolean {
  return /^\d{1,12}$/.test(timestamp) && Math.abs(now.getTime() / 1_000 - Number(timestamp)) <= seconds;
}

function isEqual(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}
