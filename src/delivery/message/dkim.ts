// Signs messages with DKIM (RFC 6376, Ed25519 by RFC 8463), relaxed/relaxed, with any number of keys.
// Guarantees signatures that cover what a receiver shows or acts upon, that no one can add a second From or Subject, and
// work off the event loop: the private key is used in the thread pool. A head or body with a bare CR or LF is refused: the
// code that made it has a bug. Leaves the head to dkim-head.ts, the body to relaxed-body.ts, and keys and their DNS records
// to senders/domains/dkim-key.ts.
import { createPrivateKey, hash, type KeyObject, sign as signBytes } from 'node:crypto';
import type { DkimAlgorithm } from '../../senders/domains/dkim-key.ts';
import { allCovered, type Covered, coveredBy } from './dkim-head.ts';
import { relaxedBodyHash } from './relaxed-body.ts';

export interface SigningKey {
  domain: string;
  selector: string;
  /** PEM, or a key object. */
  privateKey: string | KeyObject;
  algorithm: DkimAlgorithm;
}

export interface Signer {
  /** Octets of the fields of a message: with few exceptions no more. */
  readonly room: number;
  /**
   * The DKIM-Signature fields, a line end after each: to be put before `head`. The head may end with the empty line or
   * without it. `body` may be a function that returns relaxedBodyHash of it.
   */
  sign(head: Buffer, body: Buffer | (() => string), at?: Date): Promise<string>;
}

/** Checks the keys and makes a signer of them; throws when a key, a domain or a selector cannot be used. */
export function createSigner(keys: readonly SigningKey[]): Signer {
  const checked = keys.map(checkedKey);
  return {
    room: checked.reduce((sum, key) => sum + roomOf(key), 0),
    async sign(head, body, at = new Date()) {
      const covered = coveredBy(head);
      const bodyHash = typeof body === 'function' ? body() : relaxedBodyHash(body);
      const seconds = Math.floor(at.getTime() / 1000);
      const [first, second] = checked;
      if (first && !second) return signature(first, covered, seconds, bodyHash);
      return (await Promise.all(checked.map((key) => signature(key, covered, seconds, bodyHash)))).join('');
    },
  };
}

interface CheckedKey {
  algorithm: DkimAlgorithm;
  domain: string;
  selector: string;
  key: KeyObject;
  signatureBytes: number;
}

function checkedKey({ domain, selector, privateKey, algorithm }: SigningKey): CheckedKey {
  const key = typeof privateKey === 'string' ? createPrivateKey(privateKey) : privateKey;
  const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';
  // Both are written into the field unescaped.
  if (domain.length > 253 || !new RegExp(`^(${label}\\.)+${label}$`, 'i').test(domain)) {
    throw new Error(`not a domain to sign for: ${JSON.stringify(domain)}`);
  }
  if (selector.length > 63 || !new RegExp(`^${label}(\\.${label})*$`, 'i').test(selector)) {
    throw new Error(`not a selector: ${JSON.stringify(selector)}`);
  }
  const type = algorithm === 'rsa-sha256' ? 'rsa' : 'ed25519';
  if (key.asymmetricKeyType !== type) throw new Error(`a key for ${algorithm} must be of type ${type}`);
  // RFC 8301 3.2: receivers take no signature of a shorter key.
  const bits = key.asymmetricKeyDetails?.modulusLength;
  if (bits !== undefined && bits < 1024) throw new Error('an RSA key needs 1024 bits at least');
  // RFC 8032 5.1.6: an Ed25519 signature has 64.
  const signatureBytes = bits === undefined ? 64 : Math.ceil(bits / 8);
  return { algorithm, domain: domain.toLowerCase(), selector: selector.toLowerCase(), key, signatureBytes };
}

/** The field without its signature, as it is sent and in relaxed form. */
function unsignedField(
  key: CheckedKey,
  names: Covered,
  seconds: number,
  bodyHash: string,
): [field: string, relaxed: string] {
  const start = `v=1; a=${key.algorithm}; c=relaxed/relaxed; d=${key.domain};`;
  const middle = ` s=${key.selector}; t=${seconds};`;
  const end = ` bh=${bodyHash};`;
  return [
    `DKIM-Signature: ${start}\r\n${middle}\r\n h=${names.folded};\r\n${end}\r\n b=`,
    `dkim-signature:${start}${middle} h=${names.relaxed};${end} b=`,
  ];
}

async function signature(key: CheckedKey, covered: Covered, seconds: number, bodyHash: string): Promise<string> {
  const [field, relaxed] = unsignedField(key, covered, seconds, bodyHash);
  const bytes = await signInPool(key, Buffer.from(covered.fields + relaxed, 'latin1'));
  return `${field}${foldedSignature(bytes.toString('base64'))}\r\n`;
}

function foldedSignature(base64: string): string {
  let folded = base64.slice(0, 72);
  for (let at = 72; at < base64.length; at += 72) folded += `\r\n  ${base64.slice(at, at + 72)}`;
  return folded;
}

/** Octets of a field at most, unless a field that is signed occurs several times. */
function roomOf(key: CheckedKey): number {
  const [field] = unsignedField(key, allCovered, 10 ** 10, 'x'.repeat(44));
  return field.length + foldedSignature('x'.repeat(Math.ceil(key.signatureBytes / 3) * 4)).length + 2;
}

function signInPool({ algorithm, key }: CheckedKey, bytes: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, signed: Buffer) => (error ? reject(error) : resolve(signed));
    if (algorithm === 'rsa-sha256') signBytes('sha256', bytes, key, done);
    // RFC 8463 3: Ed25519 signs the SHA-256 of what RSA would hash itself.
    else signBytes(null, hash('sha256', bytes, 'buffer'), key, done);
  });
}
