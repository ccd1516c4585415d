// Who makes a call: from an API key, a session token, or from inside the program. One query, no cache, so that a
// revoked key or an ended session is refused at the very next call.

import { plainIp } from '../../base/client-network.ts';
import type { Account, App, Caller, KeyLimits } from '../../base/context.ts';
import { Fault, fault } from '../../base/faults.ts';
import { isFull } from '../../base/full-disk.ts';
import { type MessageLanguage, message } from '../../base/messages.ts';
import { permissions as allPermissions, permissionsOf, type Role } from '../../base/permissions.ts';
import { isReadOnly, sql } from '../../db/connect.ts';
import { type Writes, writesOf } from '../../db/standby/writes.ts';
import { confirmedMinutes, isLive } from '../access/session.ts';
import { hashToken } from '../access/token.ts';
import { accountColumns, mayUseAccount, operatorAccount } from '../account/account.ts';
import { type Move, readMoves } from '../account/moves.ts';
import { hashKey, type KeyScope, permissionsOfKey } from './key.ts';
import { noteRefusal } from './refusals.ts';

/** Calls a minute, those left now, and the seconds until all of them are available again. */
export type Allowance = { limit: number; remaining: number; resetSeconds: number };

export type Credentials =
  /** `allowance` receives what the rate limit leaves of the key's calls. */
  | { kind: 'key'; key: unknown; ip: string; allowance?: (left: Allowance) => void }
  /** `renewed` receives the new token when a method renews the session. */
  | { kind: 'session'; token: string; ip: string; language?: MessageLanguage; renewed?: (token: string) => void }
  /** The program itself, or its operator at the command line. */
  | { kind: 'system'; accountId: number };

/** `writes`: what a standby must have replayed to answer the caller; none where there is no standby. */
export type Identity = { account: Account; caller: Caller; writes?: Writes | undefined };

/** @param whileSuspended whether people of a suspended account are let in @throws Fault KEY_INVALID, ACCOUNT_DISABLED */
export async function authenticate(app: App, credentials: Credentials, whileSuspended = false): Promise<Identity> {
  const found = await find(app, credentials);
  if (!found.account.active && !(whileSuspended && credentials.kind === 'session'))
    throw fault('ACCOUNT_DISABLED', 'call.account_off');
  return found;
}

async function find(app: App, credentials: Credentials): Promise<Identity> {
  if (credentials.kind === 'key') return byKey(app, credentials.key, credentials.ip);
  if (credentials.kind === 'session') return bySession(app, credentials);
  const row = await app.db.row<Account & HasWrites>(sql`
    select ${accountColumns}, ${writesFor(app)} as writes
    from account
    where id = ${credentials.accountId}`);
  if (!row) throw fault('KEY_INVALID', 'call.no_account');
  const { writes, ...account } = row;
  return { account, caller: { kind: 'system', permissions: allPermissions, ip: '', lists: null }, writes };
}

type HasWrites = { writes: Writes | undefined };

const writesFor = (app: App) => (app.standby ? writesOf(sql`account.id`) : sql`null`);

async function byKey(app: App, key: unknown, ip: string) {
  if (key === undefined || key === '') throw fault('KEY_INVALID', 'call.key_missing');
  // Only a string is looked up: no other type may ever compare equal to a key.
  const text =
    typeof key === 'string' && /^[0-9a-f]{32}(-[a-z0-9]+)?$/i.test(key) ? key.slice(0, 32).toLowerCase() : undefined;
  const row =
    text === undefined
      ? undefined
      : await app.db.row<Account & KeyUse & HasWrites>(sql`
          select ${accountColumns}, ${writesFor(app)} as writes, api_key.id as "keyId", api_key.scope, api_key.permissions, api_key.test as "isTestKey",
            membership.role, membership.permissions as "rolePermissions",
            api_key.lists, membership.lists as "listsOfPerson", ${away},
            case when coalesce(api_key.calls_per_minute, api_key.calls_at_once) is not null then json_build_object(
              'perMinute', api_key.calls_per_minute, 'atOnce', api_key.calls_at_once, 'mayExceed', account.id = (${operatorAccount})
            ) end as limits,
            coalesce(api_key.expires_at <= now(), false) as "isOver",
            api_key.networks is not null and coalesce(not ${plainIp(ip) ?? null}::inet <<= any (api_key.networks), true) as "isElsewhere",
            coalesce(api_key.last_used_at < now() - interval '1 minute', true) as stale
          from api_key
          join account on account.id = api_key.account_id
          left join membership on membership.account_id = api_key.account_id and membership.user_id = api_key.user_id
          where api_key.key_hash = ${hashKey(text)}
            and api_key.expired_at is null
            and (api_key.user_id is null or membership.role is not null)`);
  if (!row && text !== undefined) await refuseMovedKey(app, text);
  if (!row) throw fault('KEY_INVALID', 'call.key_invalid');
  const {
    keyId,
    scope,
    permissions,
    role,
    rolePermissions,
    lists,
    listsOfPerson,
    limits,
    isTestKey,
    isOver,
    isElsewhere,
    stale,
    away: isAway,
    writes,
    ...account
  } = row;
  if (isAway) throw faultOfMove(isAway);
  if (isOver || isElsewhere)
    await noteRefusal(app, { accountId: account.id, keyId, ip }, isOver ? 'expired' : 'network');
  if (isOver) throw fault('KEY_INVALID', 'call.key_over');
  if (isElsewhere) throw fault('KEY_INVALID', 'call.key_elsewhere', { ip: ip || '?' });
  if (stale) {
    await app.db
      .run(sql`update api_key set last_used_at = now() where account_id = ${account.id} and id = ${keyId}`)
      .catch(unlessNotNow);
  }
  // A key from login() has no rights that its person has lost since.
  const ofPerson = role === null ? undefined : permissionsOf(role, rolePermissions);
  const caller: Caller = {
    kind: 'key',
    keyId,
    permissions: permissionsOfKey(scope, permissions).filter((one) => ofPerson?.includes(one) ?? true),
    ip,
    lists: inBoth(lists, listsOfPerson),
    ...(limits && { limits }),
    // In a test account it may do everything: nothing of that account leaves.
    isTest: isTestKey && !account.isTest,
  };
  return { account, caller, writes };
}

type Away = Pick<Move, 'step' | 'address'>;

/** Of an account that is moving to another installation, or has moved; otherwise null. */
const away = sql`(
  select json_build_object('step', step, 'address', address)
  from account_move
  where account_move.account = account.id
    and not writes
) as away`;

function faultOfMove({ step, address }: Away): Fault {
  return step === 'moved' || step === 'done'
    ? fault('ACCOUNT_MOVED', 'call.moved', { address })
    : new Fault('UNAVAILABLE', message('call.moving'), 5);
}

/** Of a key that is unknown here: where the account is that it was for. @throws Fault ACCOUNT_MOVED */
async function refuseMovedKey(app: App, key: string): Promise<void> {
  const [move] = await readMoves(
    app.db,
    sql`account = (select account from moved_address where hash = ${hashKey(key)}) and step in ('moved', 'done')`,
  );
  if (move) throw faultOfMove(move);
}

/** The lists that two sets have in common; null has all. */
const inBoth = (a: number[] | null, b: number[] | null): number[] | null =>
  a === null || b === null ? (a ?? b) : a.filter((list) => b.includes(list));

type KeyUse = {
  keyId: number;
  scope: KeyScope;
  permissions: string[] | null;
  /** Of the person, for a key from login(). */
  role: Role | null;
  rolePermissions: string[] | null;
  lists: number[] | null;
  listsOfPerson: number[] | null;
  limits: KeyLimits | null;
  isTestKey: boolean;
  away: Away | null;
  isOver: boolean;
  /** The caller is in none of the networks that the key is limited to. */
  isElsewhere: boolean;
  stale: boolean;
};

async function bySession(app: App, { token, ip, renewed = () => {} }: Credentials & { kind: 'session' }) {
  const row = await app.db.row<
    Account & {
      userId: number;
      sessionId: number;
      role: Role;
      permissions: string[] | null;
      lists: number[] | null;
      confirmed: boolean;
      actingUntil: Date | null;
      away: Away | null;
      stale: boolean;
    } & HasWrites
  >(sql`
    select ${accountColumns}, ${writesFor(app)} as writes, session.user_id as "userId", session.id as "sessionId", coalesce(membership.role, 'owner') as role,
      membership.permissions, membership.lists, session.acting_until as "actingUntil", ${away},
      session.confirmed_at > now() - make_interval(mins => ${confirmedMinutes}) as confirmed,
      session.last_seen_at < now() - interval '1 minute' as stale
    from session
    join account on account.id = session.account_id
    left join membership on membership.account_id = session.account_id and membership.user_id = session.user_id
    where session.token_hash = ${hashToken(token)}
      and ${mayUseAccount}
      and ${isLive(app)}`);
  if (!row) throw fault('KEY_INVALID', 'call.not_signed_in');
  const {
    userId,
    sessionId,
    role,
    permissions: chosen,
    lists,
    confirmed,
    actingUntil,
    away: isAway,
    stale,
    writes,
    ...account
  } = row;
  if (isAway) throw faultOfMove(isAway);
  if (stale)
    await app.db
      .run(sql`update session set last_seen_at = now() where token_hash = ${hashToken(token)}`)
      .catch(unlessNotNow);
  const permissions = permissionsOf(role, chosen);
  const caller: Caller = {
    ...{ kind: 'user', userId, sessionId, confirmed, role, permissions, ip, lists, renewed },
    ...(actingUntil && { actingUntil }),
  };
  return { account, caller, writes };
}

/** A call that only reads works also while the disk of the database is full, or the database read-only. */
function unlessNotNow(error: unknown): void {
  if (!isFull(error) && !isReadOnly(error)) throw error;
}
