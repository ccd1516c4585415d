// The API keys of an account: listing, creating and revoking them. A key is readable only when it is created.

import { parseNetwork } from '../../base/client-network.ts';
import type { Context } from '../../base/context.ts';
import { Fault, fault } from '../../base/faults.ts';
import { message } from '../../base/messages.ts';
import { permissions as allPermissions, type Permission } from '../../base/permissions.ts';
import { sql, type Tx } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { formatDate, needTime } from '../../method/date.ts';
import { isOperatorAccount } from '../account/account.ts';
import { noticeOfChange } from '../notices/security-notice.ts';
import { createKey, hashKey, type KeyScope, networksOf, permissionsOfKey } from './key.ts';
import { type ListsGiven, readLists, shownLists } from './lists.ts';
import { needRightsToGive } from './permissions.ts';

export async function listKeys({ account, tx }: Context, { expired }: { expired: boolean }) {
  const rows = await tx.rows<Row>(sql`
    select id, hint, label, scope, coalesce(permissions, '{}') as permissions, lists, created_at, last_used_at, expires_at, coalesce(networks::text[], '{}') as networks,
      coalesce(calls_per_minute, 0) as calls_per_minute, coalesce(calls_at_once, 0) as calls_at_once, test,
      least(expired_at, case when expires_at <= now() then expires_at end) as expired_at
    from api_key
    where account_id = ${account.id}
      and (${expired} or expired_at is null and coalesce(expires_at > now(), true))
    order by created_at, id`);
  return rows.map((row) => ({
    ...row,
    ...shownLists(row.lists),
    id: formatId(row.id),
    created_at: formatDate(row.created_at),
    last_used_at: formatDate(row.last_used_at),
    expires_at: formatDate(row.expires_at),
    networks: row.networks.map((network) => network.replace(/(?<!:.*)\/32$|\/128$/, '')),
    expired_at: formatDate(row.expired_at),
  }));
}

/** The limit of calls is for each key, so their number is limited. Keys of `login()` belong to people and do not count. */
export const keyLimits = { valid: 100, createdPerHour: 100 };

/** @throws Fault TOO_LARGE, TOO_MANY_CALLS */
export async function needRoomForKey({ tx, account }: { tx: Tx; account: { id: number } }): Promise<void> {
  // One after another, so that keys that are created at the same time count too.
  await tx.run(sql`select from account where id = ${account.id} for no key update`);
  const row = await tx.row<{ valid: number; created: number }>(sql`
    select count(*) filter (where expired_at is null and coalesce(expires_at > now(), true))::int as valid,
      count(*) filter (where created_at > now() - interval '1 hour')::int as created
    from api_key
    where account_id = ${account.id}
      and user_id is null`);
  if (row!.valid >= keyLimits.valid) throw fault('TOO_LARGE', 'key.too_many', { count: keyLimits.valid });
  if (row!.created >= keyLimits.createdPerHour)
    throw new Fault('TOO_MANY_CALLS', message('key.too_many_an_hour', { count: keyLimits.createdPerHour }), 3_600);
}

type KeyOptions = {
  label: string;
  scope: KeyScope;
  permissions: Permission[];
  expires_at: string;
  networks: string[];
} & KeyCalls;

type NewKey = KeyOptions & { test: boolean } & ListsGiven;

type KeyCalls = { calls_per_minute: number; calls_at_once: number };

/** @returns the key. @throws Fault DATE_INVALID, INVALID_PARAMETER, TOO_LARGE, TOO_MANY_CALLS */
export async function addKey(context: Context, options: NewKey): Promise<string> {
  const { account, caller, tx, now } = context;
  const { label, scope, permissions } = withScope(options);
  needRightsToGive(caller, permissionsOfKey(scope, permissions), 'permissions');
  await needAllowedCalls(context, options);
  await needRoomForKey({ tx, account });
  const lists = (await readLists(tx, account.id, options)) ?? null;
  const { key } = await createKey(tx, account.id, {
    label,
    scope,
    networks: readNetworks(options.networks),
    lists,
    callsPerMinute: options.calls_per_minute || null,
    callsAtOnce: options.calls_at_once || null,
    test: options.test || account.isTest,
    ...(caller.kind === 'user' ? { madeBy: caller.userId } : {}),
    ...(permissions.length === 0 ? {} : { permissions }),
    ...(options.expires_at === '' ? {} : { expiresAt: futureTime(options.expires_at, now) }),
  });
  const what = message('notice.key', { label, scope: scopeName(scope, permissions) });
  await noticeOfChange(tx, account.id, { what, ip: caller.ip });
  return key;
}

/** Changes what is given of a key that is in use. @throws Fault KEY_INVALID, DATE_INVALID, INVALID_PARAMETER, NOT_ALLOWED */
export async function updateKey(
  context: Context,
  { key: named, ...given }: { key: string } & { [K in keyof KeyOptions]?: KeyOptions[K] | undefined } & ListsGiven,
): Promise<true> {
  const { account, caller, tx, now } = context;
  const key = await tx.row<{ id: number; label: string; scope: KeyScope; permissions: Permission[] }>(sql`
    select id, label, scope, coalesce(permissions, '{}') as permissions
    from api_key
    where account_id = ${account.id}
      and (id = ${parseId(named)} or key_hash = ${hashKey(named)})
      and expired_at is null
    for no key update`);
  if (!key) throw fault('KEY_INVALID', 'key.unknown', { member: 'key' });
  const { expires_at, networks, calls_per_minute, calls_at_once } = given;
  await needAllowedCalls(context, given);
  const lists = await readLists(tx, account.id, given);
  const { label, scope, permissions } = withScope({
    label: given.label ?? key.label,
    scope: given.scope ?? key.scope,
    permissions: given.permissions ?? (given.scope === undefined || given.scope === 'limited' ? key.permissions : []),
  });
  needRightsToGive(caller, permissionsOfKey(key.scope, key.permissions), 'key');
  needRightsToGive(caller, permissionsOfKey(scope, permissions), 'permissions');
  await tx.run(sql`
    update api_key
    set label = ${label}, scope = ${scope}, permissions = ${permissions.length === 0 ? null : permissions}::text[],
      expires_at = ${expires_at === undefined ? sql`expires_at` : expires_at === '' ? null : futureTime(expires_at, now)},
      lists = ${lists === undefined ? sql`lists` : sql`${lists}::int[]`},
      networks = ${networks === undefined ? sql`networks` : networksOf(readNetworks(networks))},
      calls_per_minute = ${calls_per_minute === undefined ? sql`calls_per_minute` : calls_per_minute || null},
      calls_at_once = ${calls_at_once === undefined ? sql`calls_at_once` : calls_at_once || null}
    where account_id = ${account.id}
      and id = ${key.id}`);
  context.noted?.set('label', label);
  const what = message('notice.key_changed', { label, scope: scopeName(scope, permissions) });
  await noticeOfChange(tx, account.id, { what, ip: caller.ip });
  return true;
}

/** Only keys of the operator's account may have more calls than the installation allows each. @throws Fault INVALID_PARAMETER */
async function needAllowedCalls(
  { app: { config }, account, tx }: Context,
  given: { [K in keyof KeyCalls]?: number | undefined },
): Promise<void> {
  const limits = { calls_per_minute: config.apiRate, calls_at_once: config.apiParallel };
  const members = ['calls_per_minute', 'calls_at_once'] as const;
  const member = members.find((name) => (given[name] ?? 0) > limits[name]);
  if (member && !(await isOperatorAccount(tx, account)))
    throw fault('INVALID_PARAMETER', 'key.too_many_calls', { member, count: limits[member] });
}

/** What a key may do, for people. The names of permissions are those of the API. */
const scopeName = (scope: KeyScope, permissions: readonly Permission[]) =>
  scope === 'limited' ? permissions.join(', ') : message(`key_scope.${scope}`);

/** A key with permissions is limited to them; a limited one has some. @throws Fault INVALID_PARAMETER */
function withScope<T extends Pick<KeyOptions, 'scope' | 'permissions'>>(given: T): T {
  const permissions = allPermissions.filter((permission) => given.permissions.includes(permission));
  if (permissions.length === 0 && given.scope === 'limited')
    throw fault('INVALID_PARAMETER', 'key.no_permission', { member: 'permissions' });
  return { ...given, permissions, scope: permissions.length === 0 ? given.scope : 'limited' };
}

/** Revokes a key, given by its id or as the key; that of the call if none is given. @throws Fault KEY_INVALID */
export async function expireKey({ account, caller, noted, tx }: Context, { key }: { key: string }): Promise<true> {
  const ownId = key.trim() === '' && caller.kind === 'key' ? caller.keyId : null;
  const row = await tx.row<{ label: string }>(sql`
    update api_key
    set expired_at = now()
    where account_id = ${account.id}
      and expired_at is null
      and (id = ${ownId ?? parseId(key)} or key_hash = ${hashKey(key)})
    returning label`);
  if (!row) throw fault('KEY_INVALID', 'key.unknown', { member: 'key' });
  noted?.set('label', row.label);
  return true;
}

const readNetworks = (networks: readonly string[]) =>
  networks.map((network, i) => readNetwork(network, `networks.${i}`));

/** The network as PostgreSQL reads it. @throws Fault INVALID_PARAMETER */
function readNetwork(text: string, member: string): string {
  const network = parseNetwork(text);
  if (!network) throw fault('INVALID_PARAMETER', 'key.not_a_network', { member, value: text });
  return `${network.ip}/${network.bits}`;
}

/** @throws Fault DATE_INVALID */
function futureTime(text: string, now: Date): Date {
  const at = needTime(text, 'expires_at');
  if (at <= now) throw fault('DATE_INVALID', 'key.expires_past', { member: 'expires_at' });
  return at;
}

type Row = {
  id: number;
  hint: string;
  label: string;
  scope: KeyScope;
  permissions: Permission[];
  lists: number[] | null;
  created_at: Date;
  last_used_at: Date | null;
  expires_at: Date | null;
  networks: string[];
  calls_per_minute: number;
  calls_at_once: number;
  test: boolean;
  expired_at: Date | null;
};
