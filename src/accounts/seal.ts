// Secrets that must be read again, sealed with a key made from the installation's secret (AES-256-GCM, HKDF-SHA256).
// This keeps them out of a copied table or a log; who has the whole database has the installation's secret too.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** @param purpose keeps what is sealed for one thing from being opened as another, for example `totp 17` */
export function seal(installationSecret: Uint8Array, purpose: string, plain: Uint8Array): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', keyFor(installationSecret, purpose), nonce);
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** @throws Error when it was sealed for another purpose, or changed */
export function unseal(installationSecret: Uint8Array, purpose: string, sealed: Uint8Array): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', keyFor(installationSecret, purpose), sealed.subarray(0, 12));
  decipher.setAuthTag(sealed.subarray(-16));
  return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]);
}

const keyFor = (secret: Uint8Array, purpose: string) =>
  Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), `postrider seal ${purpose}`, 32));
