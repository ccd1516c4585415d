// login, for clients of the API family that begin with a user name and a password: answers with an API key.
// The key is one like any other: it stands in apikeys() under a label that names the person, and can be revoked there.
import { z } from 'zod';
import type { Account, App, Caller, Role } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { method } from '../../method/method.ts';
import { params, text } from '../../method/params.ts';
import { accountById } from '../account.ts';
import { createKey, type KeyScope } from '../keys/key.ts';
import { checkPassword, loginKey, roleScopes } from '../people/user.ts';
import { callerName, forgetTries, giveBackTry, takeTry, triesOf, tryLimits } from './attempts.ts';
import { useSecondFactor } from './second-factor.ts';
import { personOf } from './session-methods.ts';

/** Keys of one person from login() that are valid at once: a program that logs in at every start leaves no heap. */
const maxKeys = 5;

const scopeOf: Record<Role, KeyScope> = { owner: 'full', editor: 'write', viewer: 'read' };

type Given = { username: string; password: string; totp: string };

export const loginMethod = method({
  name: 'login',
  group: 'account',
  summary: 'Returns a new API key to who gives their user name and password; needs no key itself.',
  description: `The key is of the first account the person belongs to and may do what their role may: owner everything, editor write and send, viewer read. Of the keys made this way the newest ${maxKeys} of a person stay valid; revoke them like others with apikeyExpire(). Who has a second factor gives its code, or a recovery code, as totp. Wrong tries count as those of the sign-in page do.`,
  params: params({
    username: text('The e-mail address the person signs in with.', 320),
    password: text('Their password.', 1_000),
    totp: text('A code of the second factor, when there is one.', 40).default(''),
  }),
  returns: z.string(),
  faults: ['SIGN_IN_FAILED', 'TOO_MANY_CALLS'],
  scope: 'read',
  example: { params: { username: '{{username}}', password: '{{password}}' } },
  identify,
  async run({ account, caller, tx }, { username }) {
    const { role } = personOf(caller);
    const label = `login of ${loginKey(username)}`.slice(0, 200);
    const { key } = await createKey(tx, account.id, { label, scope: scopeOf[role] });
    await tx.run(sql`
      update api_key
      set expired_at = now()
      where account_id = ${account.id}
        and label = ${label}
        and expired_at is null
        and id not in (
          select id
          from api_key
          where account_id = ${account.id}
            and label = ${label}
            and expired_at is null
          order by created_at desc, id desc
          limit ${maxKeys})`);
    return key;
  },
});

/** @throws Fault SIGN_IN_FAILED, TOO_MANY_CALLS */
async function identify(app: App, given: unknown, ip: string): Promise<{ account: Account; caller: Caller }> {
  const { username, password, totp } = given as Given;
  const from = callerName(ip);
  const address = triesOf.address(username);
  const seconds =
    (await takeTry(app.db, from, tryLimits.byCaller)) ?? (await takeTry(app.db, address, tryLimits.byAddress));
  if (seconds !== undefined)
    throw new Fault('TOO_MANY_CALLS', `Too many tries; try again in ${Math.ceil(seconds / 60)} minutes`, seconds);
  const user = await checkPassword(app.db, username, password);
  const wrong = new Fault('SIGN_IN_FAILED', 'username or password is wrong, or a code of the second factor is missing');
  if (!user) throw wrong;
  const proven = !user.secondFactor || (await app.db.transaction((tx) => useSecondFactor(app, tx, user.id, totp)));
  if (!proven) throw wrong;
  const membership = await app.db.row<{ accountId: number; role: Role }>(sql`
    select membership.account_id as "accountId", membership.role
    from membership
    join account on account.id = membership.account_id
    where membership.user_id = ${user.id}
    order by account.active desc, membership.created_at, membership.account_id
    limit 1`);
  const account = membership && (await accountById(app.db, membership.accountId));
  if (!account) throw wrong;
  await giveBackTry(app.db, from);
  await forgetTries(app.db, address);
  const { role } = membership;
  const caller: Caller = {
    kind: 'user',
    userId: user.id,
    sessionId: 0,
    role,
    scopes: roleScopes[role],
    ip,
    renewed() {},
  };
  return { account, caller };
}
