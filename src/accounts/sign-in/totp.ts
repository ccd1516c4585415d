// Time-based one-time codes (RFC 6238 over RFC 4226) as authenticator programs make them: SHA-1, six digits, 30 seconds.
// Pure: anyone who calls keeps the step of the last code taken, so that a code works once.
import { createHmac, timingSafeEqual } from 'node:crypto';

const stepSeconds = 30;
const digits = 6;

/** The step that a time is in. */
export const stepAt = (atMs: number) => Math.floor(atMs / 1000 / stepSeconds);

/** The code of a step. RFC 4226 5.3 */
export function codeOf(secret: Uint8Array, step: number, length = digits): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const at = mac[mac.length - 1]! & 0xf;
  const number = mac.readUInt32BE(at) & 0x7fffffff;
  return String(number % 10 ** length).padStart(length, '0');
}

/**
 * The step whose code was given: now, the one before or the one after, for clocks that go wrong (RFC 6238 5.2), and
 * later than the last one taken. Undefined when it is none of them.
 */
export function matchingStep(secret: Uint8Array, code: string, atMs: number, lastStep: number): number | undefined {
  const given = code.replace(/[\s-]/g, '');
  if (!/^\d{6}$/.test(given)) return undefined;
  const now = stepAt(atMs);
  return [now - 1, now, now + 1].find(
    (step) => step > lastStep && timingSafeEqual(Buffer.from(codeOf(secret, step)), Buffer.from(given)),
  );
}

/** What an authenticator reads from the picture. */
export function otpauthAddress(secret: Uint8Array, issuer: string, email: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email)}`;
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=${digits}&period=${stepSeconds}`;
}

/** RFC 4648 6, without padding. */
export function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => alphabet[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
