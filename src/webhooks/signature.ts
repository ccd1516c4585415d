// The signature headers of a request: the service's own, exactly over the bytes that are sent, and beside it those of
// the Standard Webhooks specification, by which a receiver can also distinguish a repeated request from a new one.
// Secrets are stored sealed: a copy of the database alone signs nothing when SEAL_KEY is set.
import { createHmac } from 'node:crypto';
import { seal, unseal } from '../accounts/installation/seal.ts';
import type { App } from '../base/context.ts';

export const algorithms = ['sha1', 'sha256', 'sha384', 'sha512'] as const;
export type Algorithm = (typeof algorithms)[number];

export type Signing = {
  /** '' for a webhook without a secret: then nothing is signed. */
  secret: string;
  /** The secret before the last rotation while it still counts, else ''. */
  oldSecret: string;
  algorithm: Algorithm;
  /** A further header that carries the service's own signature; '' for none. */
  signatureHeader?: string;
};

/** A secret as it is stored; null for ''. */
export function sealSecret(app: App, accountId: number, secret: string): Buffer | null {
  return secret === '' ? null : seal(app, purposeOf(accountId), secret);
}

/** '' for no secret, null for one that cannot be opened. */
export function openSecret(app: App, accountId: number, sealed: Buffer | null): string | null {
  return sealed === null ? '' : unseal(app, purposeOf(accountId), sealed);
}

/** Of the account and not of one webhook, so that a copy has the same secret. */
const purposeOf = (accountId: number) => `webhook of ${accountId}`;

/** The headers that sign and name a request. @param at seconds since 1970 */
export function signatureHeaders(
  body: Uint8Array,
  messageId: string,
  at: number,
  { secret, oldSecret, algorithm, signatureHeader = '' }: Signing,
): Record<string, string> {
  const named = { 'webhook-id': messageId, 'webhook-timestamp': String(at) };
  if (secret === '') return named;
  const secrets = oldSecret === '' ? [secret] : [secret, oldSecret];
  const signature = serviceSignature(body, secret, algorithm);
  return {
    ...(signatureHeader !== '' && { [signatureHeader]: signature }),
    ...named,
    'webhook-signature': secrets.map((secret) => standardSignature(body, messageId, at, secret)).join(' '),
    'X-Service-Signature': signature,
  };
}

/** spec: Authentication, 2: `<algorithm>=<signature>`; the secret is the key as it is written. */
export function serviceSignature(body: Uint8Array, secret: string, algorithm: Algorithm): string {
  return `${algorithm}=${createHmac(algorithm, secret).update(body).digest('hex')}`;
}

/** Standard Webhooks, symmetric scheme v1. */
export function standardSignature(body: Uint8Array, messageId: string, at: number, secret: string): string {
  const signed = createHmac('sha256', standardKey(secret)).update(`${messageId}.${at}.`).update(body).digest('base64');
  return `v1,${signed}`;
}

/** A secret that begins with whsec_ is a key in Base64 there; any other is taken as it is written. */
function standardKey(secret: string): Buffer {
  return secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : Buffer.from(secret);
}
