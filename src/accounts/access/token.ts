// Tokens of sessions and links: 256 random bits in the browser or the email, their hash in the database.
import { createHash, randomBytes } from 'node:crypto';

export const newToken = () => randomBytes(32).toString('base64url');

/** SHA-256 is enough: there is nothing to guess in 256 random bits. */
export const hashToken = (token: string) => createHash('sha256').update(token).digest();
