// API keys: 32 lower-case hexadecimal digits from the system's random source. Stored as a hash only, shown once. A key may
// have an expiry date and may be limited to networks.
import { createHash } from 'node:crypto';
import { type Permission, type Role, rolePermissions, withReads } from '../../base/permissions.ts';
import { randomHex } from '../../base/random.ts';
import { type Queries, type Sql, sql } from '../../db/connect.ts';

export const keyScopeNames = ['full', 'write', 'read', 'limited'] as const;
export type KeyScope = (typeof keyScopeNames)[number];

/** The role as which a key of each scope acts. */
const roleOfScope = { full: 'owner', write: 'editor', read: 'viewer' } as const satisfies Partial<
  Record<KeyScope, Role>
>;

/** What a key may do. */
export const permissionsOfKey = (scope: KeyScope, chosen: readonly string[] | null): readonly Permission[] =>
  scope === 'limited' ? withReads(chosen ?? []) : rolePermissions[roleOfScope[scope]];

/** The scope of a key that may do what a role may. */
export const keyScopeOf = (role: Role): KeyScope =>
  keyScopeNames.find((scope) => scope !== 'limited' && roleOfScope[scope] === role) ?? 'limited';

/**
 * SHA-256 is enough: a key holds 128 random bits, so there is nothing to guess faster. An ending such as -c2 or -us1 is no part of it.
 */
export const hashKey = (key: string) =>
  createHash('sha256')
    .update(key.replace(/^([0-9a-f]{32})-[a-z0-9]+$/i, '$1'))
    .digest();

/** Makes a key for an account and stores its hash. The returned text is the only copy. With `userId` it is that person's. */
export async function createKey(
  db: Queries,
  accountId: number,
  given: {
    label: string;
    scope: KeyScope;
    key?: string;
    userId?: number;
    /** The person who made it for a program. */
    madeBy?: number;
    expiresAt?: Date;
    networks?: string[];
    /** The only lists that it sees; null for all. */
    lists?: readonly number[] | null;
    permissions?: readonly Permission[];
    callsPerMinute?: number | null;
    callsAtOnce?: number | null;
    test?: boolean;
  },
): Promise<{ id: number; key: string }> {
  const key = given.key || randomHex(16);
  const row = await db.row<{ id: number; cell: number | null }>(sql`
    insert into api_key (account_id, key_hash, hint, label, scope, permissions, user_id, expires_at, networks, lists,
      calls_per_minute, calls_at_once, test, made_by)
    values (${accountId}, ${hashKey(key)}, ${key.slice(-4)}, ${given.label}, ${given.scope}, ${given.permissions ? [...given.permissions] : null}::text[],
      ${given.userId ?? null}, ${given.expiresAt ?? null}, ${networksOf(given.networks ?? [])}, ${given.lists ? [...given.lists] : null}::int[],
      ${given.callsPerMinute ?? null}, ${given.callsAtOnce ?? null}, ${given.test ?? false}, ${given.madeBy ?? null})
    returning id, (select value::int from installation where key = 'cell') as cell`);
  // What follows the 32 digits is no part of the key: it shows a proxy where the account was when the key was made.
  return { id: row!.id, key: !given.key && row!.cell ? `${key}-c${row!.cell}` : key };
}

/** Records the number of this installation among several (CELL), for all that make keys; none: 0. */
export async function recordCell(db: Queries, cell: number): Promise<void> {
  await db.run(sql`
    insert into installation (key, value)
    values ('cell', ${String(cell)}::jsonb)
    on conflict (key) do update
    set value = excluded.value
    where installation.value <> excluded.value`);
}

/** SQL: the networks as they are stored; null for none. */
export const networksOf = (networks: readonly string[]): Sql =>
  networks.length === 0
    ? sql`null`
    : sql`(select array_agg(network(n::inet)::cidr) from unnest(${[...networks]}::text[]) as n)`;
