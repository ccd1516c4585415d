// login, for clients of the API family that start with a user name and a password: returns an API key.
// apikeys() lists the key under a label that names the user. It is a session of that user: it never has more rights than
// the user, and ends with the membership, the password and the user's sessions.
import { z } from 'zod';
import type { Account, App, Caller, Context } from '../../base/context.ts';
import { Fault, fault } from '../../base/faults.ts';
import { permissionsOf, type Role } from '../../base/permissions.ts';
import { sql } from '../../db/connect.ts';
import { method } from '../../method/method.ts';
import { params, text } from '../../method/params.ts';
import {
  attemptLimits,
  attemptName,
  callerName,
  clearAttempts,
  recordSignIn,
  refundAttempt,
  type SignInOutcome,
  takeAttempt,
  tooManyAttempts,
} from '../access/attempts.ts';
import { personOf } from '../access/person.ts';
import { accountById } from '../account/account.ts';
import { createKey, keyScopeOf } from '../keys/key.ts';
import { checkPassword, loginKey } from '../people/user.ts';
import { needPasswordSignIn } from './emergency-link.ts';
import { useSecondFactor } from './second-factor.ts';

/** Valid keys per user from login(): a program that logs in at every start does not pile them up. */
const maxKeys = 5;

type Given = { username: string; password: string; totp: string };

export const loginMethod = method({
  name: 'login',
  group: 'sign-in',
  summary: 'Exchanges a user name and password for a new API key. Needs no key.',
  description: `The key belongs to the first account of the user and has the rights of that person. It never allows more than the person may do at the time of a call, and ends when the user is removed, changes the password, sets up or removes a second factor, or ends the other sessions. Only the newest ${maxKeys} keys of a user created this way stay valid. Users with a second factor pass a code or a recovery code as totp. Failed attempts count like those on the sign-in page. Refused where users sign in by an identity provider only.`,
  params: params({
    username: text('The email address of the user.', 320),
    password: text('The password of the user.', 1_000),
    totp: text('A second-factor code, if one is set up.', 40).default(''),
  }),
  returns: z.string(),
  faults: ['SIGN_IN_FAILED', 'TOO_MANY_CALLS', 'NOT_ALLOWED'],
  scope: 'read',
  narrowed: true,
  example: { params: { username: '{{username}}', password: '{{password}}' } },
  identify,
  run: createLoginKey,
});

/** A new key of the user; older ones from login() are revoked. */
async function createLoginKey({ account, caller, tx }: Context, { username }: Given): Promise<string> {
  const { role, permissions, userId } = personOf(caller);
  const label = `login of ${loginKey(username)}`.slice(0, 200);
  const scope = keyScopeOf(role);
  const { key } = await createKey(tx, account.id, {
    label,
    scope,
    userId,
    ...(scope === 'limited' ? { permissions } : {}),
  });
  await tx.run(sql`
    update api_key
    set expired_at = now()
    where account_id = ${account.id}
      and user_id = ${userId}
      and expired_at is null
      and id not in (
        select id
        from api_key
        where account_id = ${account.id}
          and user_id = ${userId}
          and expired_at is null
        order by created_at desc, id desc
        limit ${maxKeys})`);
  return key;
}

/** @throws Fault SIGN_IN_FAILED, TOO_MANY_CALLS, NOT_ALLOWED */
async function identify(app: App, given: unknown, ip: string): Promise<{ account: Account; caller: Caller }> {
  const record = (outcome: SignInOutcome) =>
    recordSignIn(app, { ip, outcome, by: 'login', email: (given as Given).username });
  needPasswordSignIn(app);
  try {
    const identity = await findPerson(app, given as Given, ip);
    record('in');
    return identity;
  } catch (error) {
    if (error instanceof Fault) record(error.fault === 'TOO_MANY_CALLS' ? 'wait' : 'wrong');
    throw error;
  }
}

async function findPerson(
  app: App,
  { username, password, totp }: Given,
  ip: string,
): Promise<{ account: Account; caller: Caller }> {
  const from = callerName(ip);
  const address = attemptName.address(username);
  const seconds =
    (await takeAttempt(app.db, from, attemptLimits.byCaller)) ??
    (await takeAttempt(app.db, address, attemptLimits.byAddress));
  if (seconds !== undefined) throw tooManyAttempts(seconds);
  const user = await checkPassword(app.db, username, password);
  const wrong = fault('SIGN_IN_FAILED', 'sign_in.login_failed');
  if (!user) throw wrong;
  const proven = !user.secondFactor || (await app.db.transaction((tx) => useSecondFactor(app, tx, user.id, totp)));
  if (!proven) throw wrong;
  const membership = await app.db.row<{
    accountId: number;
    role: Role;
    permissions: string[] | null;
    lists: number[] | null;
  }>(sql`
    select membership.account_id as "accountId", membership.role, membership.permissions, membership.lists
    from membership
    join account on account.id = membership.account_id
    where membership.user_id = ${user.id}
    order by account.active desc, membership.created_at, membership.account_id
    limit 1`);
  const account = membership && (await accountById(app.db, membership.accountId));
  if (!account) throw wrong;
  await refundAttempt(app.db, from);
  await clearAttempts(app.db, address);
  const { role, permissions, lists } = membership;
  const caller: Caller = {
    kind: 'user',
    userId: user.id,
    sessionId: 0,
    confirmed: true,
    role,
    permissions: permissionsOf(role, permissions),
    ip,
    lists,
    renewed() {},
  };
  return { account, caller };
}
