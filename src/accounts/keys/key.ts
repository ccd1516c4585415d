// API keys: 32 lower-case hexadecimal digits from the system's random source. Stored as a hash only, shown once. A key may
// have an expiry date and may be limited to networks.
import { createHash } from 'node:crypto';
import type { Scope } from '../../base/context.ts';
import { randomHex } from '../../base/random.ts';
import { type Queries, sql } from '../../db/connect.ts';

export type KeyScope = 'full' | 'write' | 'read';

/** What a key of each scope may do. */
export const keyScopes: Record<KeyScope, Scope[]> = {
  full: ['read', 'write', 'send', 'admin'],
  write: ['read', 'write', 'send'],
  read: ['read'],
};

/** SHA-256 is enough: a key holds 128 random bits, so there is nothing to guess faster. */
export const hashKey = (key: string) => createHash('sha256').update(key).digest();

/** Makes a key for an account and stores its hash. The returned text is the only copy. With `userId` it is that person's. */
export async function createKey(
  db: Queries,
  accountId: number,
  given: { label: string; scope: KeyScope; key?: string; userId?: number; expiresAt?: Date; networks?: string[] },
): Promise<{ id: number; key: string }> {
  const key = given.key || randomHex(16);
  const row = await db.row<{ id: number }>(sql`
    insert into api_key (account_id, key_hash, hint, label, scope, user_id, expires_at, networks)
    values (${accountId}, ${hashKey(key)}, ${key.slice(-4)}, ${given.label}, ${given.scope},
      ${given.userId ?? null}, ${given.expiresAt ?? null}, ${given.networks?.length ? sql`(select array_agg(network(n::inet)::cidr) from unnest(${given.networks}::text[]) as n)` : null})
    returning id`);
  return { id: row!.id, key };
}
