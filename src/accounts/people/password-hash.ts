// How passwords are stored: as hashes of argon2id. How strong one must be is in sign-in/password-strength.ts.
import { hash, type Options, verify } from '@node-rs/argon2';

/** In KiB and passes: what OWASP recommends. Only tests make it cheaper. */
export const passwordCost: Options = { memoryCost: 19_456, timeCost: 2 };

export const hashPassword = (password: string): Promise<string> => hash(password, passwordCost);

/** Whether a hash is that of a password; one that cannot be read is not. */
export const isHashOf = (stored: string, password: string): Promise<boolean> =>
  verify(stored, password).catch(() => false);
