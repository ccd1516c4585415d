// Secrets at rest: AES-256-GCM with a key derived from the installation's secret and, if set, SEAL_KEY. Guarantees that
// a value sealed for one purpose and row cannot be opened for another, and that a changed byte is detected. Without
// SEAL_KEY it does not protect against readers of the database, which contains the secret.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, scryptSync } from 'node:crypto';
import type { App } from '../../base/context.ts';

const version = 1;
const nonceBytes = 12;
const tagBytes = 16;

/** The part of the program that sealing needs. */
export type Sealer = { secret: Buffer; config: Pick<App['config'], 'sealKey'> };

/** @param about what the secret is and whose, such as `dkim 12 34 selector`; the same text opens it */
export function seal(app: Sealer, about: string, secret: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', keyOf(app), nonce);
  cipher.setAAD(Buffer.from(about));
  const body = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.from([version]), nonce, cipher.getAuthTag(), body]);
}

/** Null when it cannot be opened: another key, another purpose, or changed. */
export function unseal(app: Sealer, about: string, sealed: Buffer): string | null {
  if (sealed.length < 1 + nonceBytes + tagBytes || sealed[0] !== version) return null;
  const nonce = sealed.subarray(1, 1 + nonceBytes);
  const decipher = createDecipheriv('aes-256-gcm', keyOf(app), nonce, { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(about));
  decipher.setAuthTag(sealed.subarray(1 + nonceBytes, 1 + nonceBytes + tagBytes));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(1 + nonceBytes + tagBytes)), decipher.final()]).toString();
  } catch {
    return null;
  }
}

function keyOf(app: Sealer): Buffer {
  const { secret, config } = app;
  const name = `${secret.toString('hex')} ${config.sealKey}`;
  const known = keys.get(name);
  if (known) return known;
  // A key of 16 characters may be a phrase: 50 ms for each guess at it, by a reader of the database.
  const stretched = config.sealKey === '' ? '' : scryptSync(config.sealKey, secret, 32, { N: 2 ** 14 });
  const key = Buffer.from(hkdfSync('sha256', secret, stretched, 'postrider sealed 1', 32));
  keys.set(name, key);
  return key;
}

/** Made once per process. */
const keys = new Map<string, Buffer>();
