// The methods of a person who is signed in: who they are and where, the other accounts, the password, the sessions.
import { z } from 'zod';
import type { Caller, Context } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { formatDate } from '../../method/date.ts';
import { method } from '../../method/method.ts';
import { id, params, text, truth } from '../../method/params.ts';
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
    summary: 'Tells who asks, on whose behalf, and what they may do.',
    description:
      'For a key, user is a struct of empty values, role is empty and accounts holds the account of the key. totp tells whether the person has a second factor.',
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
        accounts: accounts.map((one) => ({ ...one, id: formatId(one.id) })),
      };
    },
  }),
  method({
    name: 'sessionSwitch',
    group: 'account',
    summary: 'Goes on in another account of the person who is signed in; the session gets a new token.',
    params: params({ account_id: id('The account, as sessionInfo() tells it.') }),
    returns: z.boolean(),
    faults: ['NOT_ALLOWED'],
    scope: 'read',
    person: true,
    example: { params: { account_id: '{{account}}' } },
    async run({ caller, tx }, { account_id }) {
      const person = personOf(caller);
      const token = await renewSession(tx, { id: person.sessionId, userId: person.userId }, parseId(account_id));
      if (token === undefined) throw new Fault('NOT_ALLOWED', 'account_id is no account of yours');
      person.renewed(token);
      return true;
    },
  }),
  method({
    name: 'passwordChange',
    group: 'account',
    summary: 'Changes the password of the person who is signed in and ends all their other sessions.',
    description: `API keys stay valid: look through apikeys() when somebody else may have known the password.`,
    params: params({
      old: text('The password so far.', 1_000),
      new: text('The new one: 12 characters or more, not the address, none of the commonest.', 1_000),
    }),
    returns: z.boolean(),
    faults: ['PASSWORD_INVALID', 'TOO_MANY_CALLS'],
    scope: 'read',
    person: true,
    example: { params: { old: '{{password}}', new: 'a heron by the quiet lake' } },
    async prepare(context, { old, new: next }) {
      const person = await confirmPassword(context, old, 'old');
      const weak = passwordProblem(next, person);
      if (weak) throw new Fault('PASSWORD_INVALID', `new ${weak}`);
      return hashPassword(next);
    },
    async run({ caller, tx, account: own }, _params, passwordHash) {
      const person = personOf(caller);
      // Whoever asks stays signed in, under a new token; a copy of the old one ends with all others.
      const token = await renewSession(tx, { id: person.sessionId, userId: person.userId }, own.id);
      await setPasswordHash(tx, person.userId, passwordHash, person.sessionId);
      if (token !== undefined) person.renewed(token);
      return true;
    },
  }),
  method({
    name: 'sessions',
    group: 'account',
    summary: 'Lists the sessions of the person who is signed in, the latest used first.',
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
    summary: 'Ends a session of the person who is signed in; the next request made with it is refused.',
    params: params({
      id: id('A session as sessions() tells it.').optional(),
      others: truth('Ends all but the current one instead; default false.').default(false),
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
      if (count === 0) throw new Fault('SESSION_UNKNOWN', 'id is no session of yours');
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

/** The person of a method that is for persons only; `call` has refused everybody else. */
export function personOf(caller: Caller): Person {
  if (caller.kind !== 'user') throw new Fault('NOT_ALLOWED', 'This is for a person who is signed in');
  return caller;
}

/**
 * The person, when the password is theirs: whoever finds an open browser cannot guess on.
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
    throw new Fault('TOO_MANY_CALLS', `Too many tries; try again in ${Math.ceil(seconds / 60)} minutes`, seconds);
  const person = await checkOwnPassword(app.db, userId, password);
  if (!person) throw new Fault('PASSWORD_INVALID', `${member} is not your password`);
  await forgetTries(app.db, name);
  return person;
}
