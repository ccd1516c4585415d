// Roles and chosen permissions for tests of rights, the rule written down apart from the code, and a digest of the database.
import { neededBy } from '../../src/accounts/keys/permissions.ts';
import type { App } from '../../src/base/context.ts';
import { type Permission, permissions, permissionsOf, type Role } from '../../src/base/permissions.ts';
import { sql } from '../../src/db/connect.ts';
import type { AnyMethod } from '../../src/method/method.ts';

/** Written down apart from the code, so that a changed role is noticed. */
export const written: Record<Exclude<Role, 'custom'>, string> = {
  owner: permissions.join(' '),
  editor:
    'campaigns:read campaigns:write campaigns:send contacts:read contacts:write contacts:export contacts:erase reports:read messages:read messages:send webhooks:read account:read',
  author: 'campaigns:read campaigns:write contacts:read reports:read account:read',
  viewer: 'campaigns:read contacts:read reports:read messages:read webhooks:read account:read',
  analyst: 'campaigns:read reports:read account:read',
};

/** Chosen by a fixed sequence, so that a failure can be repeated. */
function chosenSets(count: number): Permission[][] {
  let state = 20_261;
  const next = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  return Array.from({ length: count }, () => {
    const some = permissions.filter(() => next() < 0.3);
    return some.length === 0 ? ['reports:read'] : some;
  });
}

export type Who = { name: string; role: Role; chosen: Permission[] | null };

/** The roles. */
export const named: readonly Who[] = (Object.keys(written) as (keyof typeof written)[]).map((role) => ({
  name: role,
  role,
  chosen: null,
}));

/** Some chosen sets of permissions. */
export const custom: readonly Who[] = chosenSets(5).map((chosen) => ({
  name: chosen.join(' '),
  role: 'custom' as const,
  chosen,
}));

export const heldBy = ({ role, chosen }: Who): readonly Permission[] => permissionsOf(role, chosen);

/** Whether the rule allows a call with the parameters of the example. */
export function mayBy(held: readonly string[], method: AnyMethod): boolean {
  const takesAddress = typeof method.addresses === 'function' && method.addresses(method.example.params);
  const needed = neededBy(takesAddress ? { ...method, addresses: true } : method);
  return needed.every((some) => some.some((permission) => held.includes(permission)));
}

/** What is in the database, but for what is noted of the use of sessions and keys, and of refused keys. */
export async function digest({ db }: Pick<App, 'db'>): Promise<Record<string, string>> {
  statement ??= await digestStatement(db);
  const { rows } = await db.pool.query<{ name: string; sum: string }>(statement);
  return Object.fromEntries(rows.map(({ name, sum }) => [name, sum]));
}
let statement: string | undefined;
async function digestStatement(db: App['db']): Promise<string> {
  const tables = await db.rows<{ name: string }>(sql`
    select table_name as name
    from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'
      and table_name not in ('heartbeat', 'worker', 'worker_status')
    order by table_name`);
  return tables
    .map(({ name }) => {
      const notes = ['api_key', 'session'].includes(name);
      const row = notes ? `(to_jsonb("${name}") - 'last_used_at' - 'last_seen_at')::text` : 'xmin::text || ctid::text';
      const where = name === 'audit_entry' ? `where method <> 'keyRefused'` : '';
      return `select '${name}' as name, count(*) || ' ' || coalesce(sum(hashtext(${row})::bigint), 0) as sum from "${name}" ${where}`;
    })
    .join(' union all ');
}
