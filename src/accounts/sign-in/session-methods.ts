// The methods of a signed-in user: who they are, their accounts, their password and their sessions.
import { z } from 'zod';
import type { Caller, Context } from '../../base/context.ts';
import { Fault, fault } from '../../base/faults.ts';
import { message } from '../../base/messages.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { formatDate } from '../../method/date.ts';
import { method } from '../../method/method.ts';
import { boolean, id, params, text } from '../../method/params.ts';
import { checkOwnPassword, hashPassword, setPasswordHash } from '../people/user.ts';
import { forgetTries, takeTry, triesOf, tryLimits } from './attempts.ts';
import { passwordProblem } from './password.ts';
import { endOtherSessions, renewSession } from './session.ts';

const account = z.object({
  id: z.string(),
  name: z.string(),
  company: z.string(),
  postal_address: z.string(),
  email: z.string(),
  phone: z.string(),
  website: z.string(),
  language: z.string(),
  time_zone: z.string(),
  plan: z.string(),
  addons: z.array(z.string()),
  may_send: z.boolean(),
  settings: z.record(z.string(), z.unknown()),
  created_at: z.string(),
});

export const sessionMethods = [
  method({
    name: 'sessionInfo',
    group: 'account',
    summary: 'Returns the caller, the account, and what the caller may do.',
    description:
      'For an API key, the members of user are empty, role is empty, and accounts holds the account of the key. totp is true when the user has a second factor.',
    params: params({}),
    returns: z.object({
      user: z.object({
        id: z.string(),
        email: z.string(),
        name: z.string(),
        language: z.string(),
        totp: z.boolean(),
      }),
      account,
      role: z.string(),
      scopes: z.array(z.string()),
      accounts: z.array(z.object({ id: z.string(), name: z.string(), role: z.string() })),
    }),
    faults: [],
    scope: 'read',
    reads: true,
    example: { params: {} },
    async run({ account: own, caller, tx }) {
      const user =
        caller.kind === 'user'
          ? await tx.row<{ email: string; name: string; language: string; totp: boolean }>(sql`
              select email, name, language, totp_confirmed_at is not null as totp
              from app_user
              where id = ${caller.userId}`)
          : undefined;
      const accounts =
        caller.kind === 'user'
          ? await tx.rows<{ id: number; name: string; role: string }>(sql`
              select account.id, account.name, membership.role
              from membership
              join account on account.id = membership.account_id
              where membership.user_id = ${caller.userId}
              order by lower(account.name), account.id`)
          : [{ id: own.id, name: own.name, role: '' }];
      return {
        user:
          caller.kind === 'user' && user
            ? { id: formatId(caller.userId), ...user }
            : { id: '', email: '', name: '', language: '', totp: false },
        account: {
          id: formatId(own.id),
          name: own.name,
          company: own.company,
          postal_address: own.postalAddress,
          email: own.email,
          phone: own.phone,
          website: own.website,
          language: own.language,
          time_zone: own.timeZone,
          plan: own.plan,
          addons: own.addons,
          may_send: own.maySend,
          settings: own.settings,
          created_at: formatDate(own.createdAt),
        },
        role: caller.kind === 'user' ? caller.role : '',
        scopes: caller.scopes,
        accounts: accounts.map((membership) => ({ ...membership, id: formatId(membership.id) })),
      };
    },
  }),
  method({
    name: 'sessionSwitch',
    group: 'account',
    summary: 'Switches the session to another account of the signed-in user; the session gets a new token.',
    params: params({ account_id: id('The id of an account, as sessionInfo() returns it.') }),
    returns: z.boolean(),
    faults: ['NOT_ALLOWED'],
    scope: 'read',
    person: true,
    example: { params: { account_id: '{{account}}' } },
    async run({ caller, tx }, { account_id }) {
      const person = personOf(caller);
      const token = await renewSession(tx, { id: person.sessionId, userId: person.userId }, parseId(account_id));
      if (token === undefined) throw fault('NOT_ALLOWED', 'session.no_such_account', { member: 'account_id' });
      person.renewed(token);
      return true;
    },
  }),
  method({
    name: 'passwordChange',
    group: 'account',
    summary: 'Changes the password of the signed-in user and ends all their other sessions.',
    description: 'API keys stay valid: check apikeys() if another person may have known the password.',
    params: params({
      old: text('The current password.', 1_000),
      new: text('The new password: at least 12 characters, not your name or address, not a common password.', 1_000),
    }),
    returns: z.boolean(),
    faults: ['PASSWORD_INVALID', 'TOO_MANY_CALLS'],
    scope: 'read',
    person: true,
    example: { params: { old: '{{password}}', new: 'a heron by the quiet lake' } },
    async prepare(context, { old, new: next }) {
      const person = await confirmPassword(context, old, 'old');
      const weak = passwordProblem(next, person, 'new');
      if (weak) throw new Fault('PASSWORD_INVALID', weak);
      return hashPassword(next);
    },
    async run({ caller, tx, account: own }, _params, passwordHash) {
      const person = personOf(caller);
      // The caller stays signed in under a new token; a copy of the old token ends with all other sessions.
      const token = await renewSession(tx, { id: person.sessionId, userId: person.userId }, own.id);
      await setPasswordHash(tx, person.userId, passwordHash, person.sessionId);
      if (token !== undefined) person.renewed(token);
      return true;
    },
  }),
  method({
    name: 'sessions',
    group: 'account',
    summary: 'Lists the sessions of the signed-in user, most recently used first.',
    params: params({}),
    returns: z.array(
      z.object({
        id: z.string(),
        current: z.boolean(),
        account: z.string(),
        created_at: z.string(),
        last_seen_at: z.string(),
        expires_at: z.string(),
        ip: z.string(),
        user_agent: z.string(),
      }),
    ),
    faults: [],
    scope: 'read',
    reads: true,
    person: true,
    example: { params: {} },
    async run({ caller, tx }) {
      const person = personOf(caller);
      const rows = await tx.rows<Session>(sql`
        select session.id, account.name as account, session.created_at, session.last_seen_at, session.expires_at,
          session.ip, session.user_agent
        from session
        join account on account.id = session.account_id
        where session.user_id = ${person.userId}
          and session.expires_at > now()
        order by session.last_seen_at desc, session.id`);
      return rows.map((row) => ({
        ...row,
        id: formatId(row.id),
        current: row.id === person.sessionId,
        created_at: formatDate(row.created_at),
        last_seen_at: formatDate(row.last_seen_at),
        expires_at: formatDate(row.expires_at),
      }));
    },
  }),
  method({
    name: 'sessionEnd',
    group: 'account',
    summary: 'Ends a session of the signed-in user; its next request is refused.',
    params: params({
      id: id('The id of a session, as sessions() returns it.').optional(),
      others: boolean('End all sessions except the current one instead; default false.').default(false),
    }),
    returns: z.boolean(),
    faults: ['SESSION_UNKNOWN'],
    scope: 'read',
    person: true,
    example: { params: { others: true } },
    async run({ caller, tx }, { id: named, others }) {
      const person = personOf(caller);
      if (others) {
        await endOtherSessions(tx, person.userId, person.sessionId);
        return true;
      }
      const count = await tx.run(sql`
        delete from session
        where user_id = ${person.userId}
          and id = ${parseId(named ?? '')}`);
      if (count === 0) throw fault('SESSION_UNKNOWN', 'session.unknown', { member: 'id' });
      return true;
    },
  }),
];

type Session = {
  id: number;
  account: string;
  created_at: Date;
  last_seen_at: Date;
  expires_at: Date;
  ip: string;
  user_agent: string;
};

export type Person = Caller & { kind: 'user' };

/** The user who calls a method that is for users only; `call` has refused API keys before. */
export function personOf(caller: Caller): Person {
  if (caller.kind !== 'user') throw fault('NOT_ALLOWED', 'session.person_only');
  return caller;
}

/**
 * The user, if the password is right. Attempts are limited: an unattended browser is no place to guess passwords.
 * @throws Fault PASSWORD_INVALID, TOO_MANY_CALLS
 */
export async function confirmPassword(
  { app, caller }: Pick<Context, 'app' | 'caller'>,
  password: string,
  member: string,
): Promise<{ email: string; name: string }> {
  const { userId } = personOf(caller);
  const name = triesOf.password(userId);
  const seconds = await takeTry(app.db, name, tryLimits.byAddress);
  if (seconds !== undefined)
    throw new Fault(
      'TOO_MANY_CALLS',
      message('sign_in.too_many_attempts', { minutes: Math.ceil(seconds / 60) }),
      seconds,
    );
  const person = await checkOwnPassword(app.db, userId, password);
  if (!person) throw fault('PASSWORD_INVALID', 'password.wrong', { member });
  await forgetTries(app.db, name);
  return person;
}
