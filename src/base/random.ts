// Random secrets.
import { randomBytes } from 'node:crypto';

/** A secret of `bytes` random bytes, in lower-case hexadecimal. */
export const randomHex = (bytes: number) => randomBytes(bytes).toString('hex');
