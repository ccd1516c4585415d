// DKIM keys of a sender domain: creating a pair, and the DNS record that publishes its public half. Guarantees RSA keys
// of 2048 bits, as receivers require, and Ed25519 keys that fit one short record. Leaves storing the private half
// (encrypted) to its caller, signing to delivery/message/dkim.ts.
import { createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';

export type DkimAlgorithm = 'rsa-sha256' | 'ed25519-sha256';

export interface DkimKeyPair {
  algorithm: DkimAlgorithm;
  /** PKCS #8 in PEM; a secret. */
  privateKey: string;
  /** The value of the record's `p=`. */
  publicKey: string;
}

const generate = promisify(generateKeyPair);

/** Makes a key pair in the thread pool; RSA takes some 100 ms. */
export async function generateDkimKey(algorithm: DkimAlgorithm): Promise<DkimKeyPair> {
  // RFC 8301 3.2: 2048 bits should be used; longer keys do not fit one DNS string and some receivers' limits.
  const { privateKey } =
    algorithm === 'rsa-sha256' ? await generate('rsa', { modulusLength: 2048 }) : await generate('ed25519', {});
  return {
    algorithm,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    publicKey: dkimPublicKey(privateKey),
  };
}

/** The value of `p=` for a private or public key. */
export function dkimPublicKey(key: KeyObject | string): string {
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
  // RFC 8463 4: the 32 bytes alone; they are the end of the SubjectPublicKeyInfo. RFC 6376 3.6.1: all of it for RSA.
  const bare = createPublicKey(key).asymmetricKeyType === 'ed25519' ? spki.subarray(-32) : spki;
  return bare.toString('base64');
}

/** The name, below the domain's zone, under which receivers look for the key. */
export function dkimRecordName(selector: string, domain: string): string {
  return `${selector}._domainkey.${domain}`;
}

/** The text of the TXT record. */
export function dkimRecordText(algorithm: DkimAlgorithm, publicKey: string): string {
  return `v=DKIM1; k=${algorithm === 'rsa-sha256' ? 'rsa' : 'ed25519'}; p=${publicKey}`;
}

/** The record as a zone file has it: strings of at most 255 bytes in quotation marks, which readers join. RFC 7208 3.3 */
export function zoneFileText(text: string): string {
  const strings = text.match(/.{1,255}/gs) ?? [''];
  return strings.map((string) => `"${string.replace(/["\\]/g, '\\$&')}"`).join(' ');
}
