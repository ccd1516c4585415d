// What the chain of the consent log hashes (SHA-256). Personal data (the IP address and the details, which may have an address)
// enter by a salted digest of their own: when a contact is erased, the data and the salt go, and the digest keeps the chain
// verifiable. Everything else of a record stays, so it is hashed as it is. Pure.
import { createHash } from 'node:crypto';

/** A record of the consent log, as texts. */
export type ConsentRecord = {
  id: string;
  accountId: number;
  contactId: number;
  listId: number | null;
  kind: string;
  source: string;
  ip: string;
  /** As PostgreSQL writes the JSON. */
  detail: string;
  /** The campaign that it names, which stays when a contact is erased. */
  campaign: string | null;
  /** Microseconds since 1970. */
  at: string;
};

export const saltBytes = 16;

/** What comes before the first link. */
export const beginning: Buffer = Buffer.alloc(32);

export const personalDigest = (salt: Uint8Array, { ip, detail }: Pick<ConsentRecord, 'ip' | 'detail'>): Buffer =>
  createHash('sha256')
    .update(salt)
    .update(JSON.stringify([ip, detail]))
    .digest();

export function linkHash(
  before: Uint8Array,
  position: number,
  { accountId, id, contactId, listId, kind, source, campaign, at }: ConsentRecord,
  personal: Uint8Array,
): Buffer {
  const plain = JSON.stringify([accountId, position, id, contactId, listId, kind, source, campaign, at]);
  return createHash('sha256').update(before).update(plain).update(personal).digest();
}
