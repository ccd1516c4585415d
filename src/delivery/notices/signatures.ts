// Checks the signatures of the services that sign their requests: Svix (Resend), Twilio SendGrid and Mailgun.
// Each function returns why a request is not genuine, or null. SNS is in sns.ts.
import { createHmac, createPublicKey, type KeyObject, timingSafeEqual, verify } from 'node:crypto';
import { remember } from '../../base/remember.ts';

/** Standard Webhooks: a request older than this may be a replay. */
const toleranceSeconds = 5 * 60;
/** Mailgun repeats a request for eight hours. */
const mailgunToleranceSeconds = 24 * 60 * 60;

/** Resend: HMAC-SHA256 of id, time and body; several signatures while a secret is replaced. */
export function svixProblem(
  of: { id: string; timestamp: string; signatures: string; body: Buffer; key: string },
  now: Date,
) {
  if (!isRecent(of.timestamp, now, toleranceSeconds)) return 'the time of the signature is missing or too old';
  const key = Buffer.from(of.key.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${of.id}.${of.timestamp}.`).update(of.body).digest();
  const given = of.signatures.split(' ').flatMap((part) => (part.startsWith('v1,') ? [part.slice(3)] : []));
  return given.some((signature) => isEqual(Buffer.from(signature, 'base64'), expected)) ? null : wrong;
}

/** SendGrid: ECDSA with SHA-256 over time and body; the key is the one of its settings, base64 of a public key. */
export function sendGridProblem(of: {
  timestamp: string;
  signature: string;
  body: Buffer;
  key: string;
}): string | null {
  const key = publicKeyOf(of.key);
  if (!key) return 'the verification key of the source is not a public key';
  const signed = Buffer.concat([Buffer.from(of.timestamp), of.body]);
  const signature = Buffer.from(of.signature, 'base64');
  return of.timestamp !== '' && verify('sha256', signed, key, signature) ? null : wrong;
}

const publicKeys = new Map<string, KeyObject>();

/** @returns undefined when the text is no public key for ECDSA */
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
 * Mailgun: HMAC-SHA256 of a time and a token, which does not cover the body. So a token counts once: with another body it
 * is refused. The same request again is not, because Mailgun repeats those that got no answer.
 */
export function mailgunProblem(
  of: { timestamp: string; token: string; signature: string; body: Buffer; key: string },
  now: Date,
): string | null {
  if (!isRecent(of.timestamp, now, mailgunToleranceSeconds)) return 'the time of the signature is missing or too old';
  const expected = createHmac('sha256', of.key)
    .update(of.timestamp + of.token)
    .digest();
  if (of.token === '' || !isEqual(Buffer.from(of.signature, 'hex'), expected)) return wrong;
  const body = createHmac('sha256', of.key).update(of.body).digest('base64');
  const name = `${of.timestamp} ${of.token}`;
  const before = seenTokens.get(name);
  if (before !== undefined && before !== body) return 'the token of the signature was used before';
  if (before === undefined) remember(seenTokens, name, body, maxSeenTokens);
  return null;
}

const wrong = 'the signature is missing or wrong';

function isRecent(timestamp: string, now: Date, seconds: number): boolean {
  return /^\d{1,12}$/.test(timestamp) && Math.abs(now.getTime() / 1_000 - Number(timestamp)) <= seconds;
}

function isEqual(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}
