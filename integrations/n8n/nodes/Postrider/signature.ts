// Whether a request of a webhook was signed by its secret in the last five minutes, by the headers of Standard Webhooks.
import { createHmac, timingSafeEqual } from 'node:crypto';

const toleranceSeconds = 300;

/** @param headers by their names in lower case */
export function isSigned(
  rawBody: Uint8Array,
  headers: Record<string, string | string[] | undefined>,
  secret: string,
  now = Date.now() / 1_000,
): boolean {
  const id = String(headers['webhook-id'] ?? '');
  const at = String(headers['webhook-timestamp'] ?? '');
  if (secret === '' || id === '' || !/^\d{1,12}$/.test(at) || Math.abs(now - Number(at)) > toleranceSeconds)
    return false;
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : Buffer.from(secret);
  const expected = Buffer.from(
    `v1,${createHmac('sha256', key).update(`${id}.${at}.`).update(rawBody).digest('base64')}`,
  );
  // While a secret is being replaced, there are two signatures.
  return String(headers['webhook-signature'] ?? '')
    .split(' ')
    .map((given) => Buffer.from(given))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected));
}
