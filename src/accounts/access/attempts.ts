// Slows down guessing: attempts are counted by client and by address in the database, so that all web processes count
// together. An attempt is counted before anything is checked and refunded on success, so simultaneous ones count too.
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { blockOf, networkOf } from '../../base/client-network.ts';
import type { App } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import { message } from '../../base/messages.ts';
import { type Queries, sql } from '../../db/connect.ts';

export const attemptLimits = {
  windowMinutes: 15,
  /** Wrong passwords for one address, or wrong codes of one person, in a window. */
  byAddress: 10,
  /** Failed attempts of one client; an office behind one IP address has several people. */
  byCaller: 50,
  /** Messages with a link that are sent to one address in a window. */
  linksByAddress: 3,
  /** Sign-ins by passkey or provider that one client, and the block of addresses it belongs to, may begin without ending them. */
  begunByCaller: 100,
  begunByBlock: 400,
};

/** Counts an attempt. Returns undefined when it is allowed, else the seconds until the next one is. */
export async function takeAttempt(db: Queries, name: string, max: number): Promise<number | undefined> {
  const row = await db.row<{ count: number; seconds: number }>(sql`
    insert into sign_in_try as t (name, count, since)
    values (${hashed(name)}, 1, now())
    on conflict (name) do update
    set count = case when t.since < now() - ${span} then 1 else least(t.count + 1, 1000000) end,
      since = case when t.since < now() - ${span} then now() else t.since end
    returning count, greatest(1, ceil(extract(epoch from since + ${span} - now())))::int as seconds`);
  return row!.count > max ? row!.seconds : undefined;
}

export const tooManyAttempts = (seconds: number) =>
  new Fault('TOO_MANY_CALLS', message('sign_in.too_many_attempts', { minutes: Math.ceil(seconds / 60) }), seconds);

/** Uncounts an attempt that was successful. */
export async function refundAttempt(db: Queries, name: string): Promise<void> {
  await db.run(sql`update sign_in_try set count = greatest(0, count - 1) where name = ${hashed(name)}`);
}

/** Resets the count of a name after a success. */
export async function clearAttempts(db: Queries, name: string): Promise<void> {
  await db.run(sql`update sign_in_try set count = 0 where name = ${hashed(name)}`);
}

/** The names under which wrong passwords for an address, links to it, and wrong passwords and codes of a signed-in user, are counted. */
export const attemptName = {
  address: (email: string) => `email ${email.trim().toLowerCase()}`,
  links: (email: string) => `links to ${email.trim().toLowerCase()}`,
  password: (userId: number) => `password of ${userId}`,
  code: (userId: number) => `code of ${userId}`,
  browser: (id: string) => `browser ${id}`,
};

/**
 * What a browser keeps after a person has signed in there with this address. Its wrong passwords for the address are counted
 * apart, so strangers who guess cannot keep the person out. It opens nothing, and does not reveal the address.
 */
export function browserToken(
  app: Pick<App, 'secret'>,
  email: string,
  id = randomBytes(16).toString('base64url'),
): string {
  const mac = createHmac('sha256', app.secret).update(`browser ${id} ${attemptName.address(email)}`);
  return `${id}.${mac.digest('base64url')}`;
}

/** The id of a browser whose token is genuine and for this address. */
export function knownBrowser(app: Pick<App, 'secret'>, email: string, token: string | undefined): string | undefined {
  const [id] = /^[\w-]{22}(?=\.[\w-]{43}$)/.exec(token ?? '') ?? [];
  if (id === undefined) return undefined;
  return timingSafeEqual(Buffer.from(token!), Buffer.from(browserToken(app, email, id))) ? id : undefined;
}

/** Resets all counts about one user; returns how many were not zero. Those of clients stay. */
export async function clearAttemptsOf(db: Queries, person: { userId: number; email: string }): Promise<number> {
  const names = [
    attemptName.address(person.email),
    attemptName.password(person.userId),
    attemptName.code(person.userId),
  ];
  return db.run(sql`
    delete from sign_in_try
    where name = any(${names.map(hashed)}::bytea[])
      and count > 0`);
}

/** The name under which a client's attempts are counted. */
export const callerName = (ip: string): string => `ip ${networkOf(ip)}`;

const begunNames = (ip: string) => ({ caller: `begun ${callerName(ip)}`, block: `begun ${blockOf(ip)}` });

/** Counts a sign-in that begins: each is a row, and anyone can begin one. @throws Fault TOO_MANY_CALLS */
export async function countBegun(db: Queries, ip: string): Promise<void> {
  const { caller, block } = begunNames(ip);
  const seconds =
    (await takeAttempt(db, caller, attemptLimits.begunByCaller)) ??
    (await takeAttempt(db, block, attemptLimits.begunByBlock));
  if (seconds !== undefined) throw tooManyAttempts(seconds);
}

/** Uncounts one, after a person has signed in. */
export async function uncountBegun(db: Queries, ip: string): Promise<void> {
  for (const name of Object.values(begunNames(ip))) await refundAttempt(db, name);
}

export type SignInOutcome =
  | 'in'
  | 'wrong'
  | 'code wanted'
  | 'password wanted'
  | 'refused'
  | 'wait'
  | 'link requested'
  | 'link used'
  | 'link expired';

/** Sign-ins of this process by outcome, for the metrics. */
export const signInCounts = new Map<SignInOutcome, number>();

/** Logs who tried to sign in, from where, and how it ended: one line that a program such as fail2ban can follow. */
export function recordSignIn(
  { log, secret }: Pick<App, 'log' | 'secret'>,
  given: {
    ip: string;
    outcome: SignInOutcome;
    by: 'password' | 'login' | 'link' | 'first run' | 'provider' | 'passkey';
    email?: string;
  },
): void {
  const { ip, outcome, by, email } = given;
  signInCounts.set(outcome, (signInCounts.get(outcome) ?? 0) + 1);
  // Keyed, so that the log shows that one address is being guessed without being a list of addresses.
  const address =
    email === undefined ? undefined : createHmac('sha256', secret).update(`sign-in ${attemptName.address(email)}`);
  log.info({ ip, outcome, by, ...(address && { address: address.digest('hex').slice(0, 16) }) }, 'sign-in');
}

const span = sql`make_interval(mins => ${attemptLimits.windowMinutes})`;

/** Hashed, so that the table is not a list of the addresses that were tried. */
const hashed = (name: string) => createHash('sha256').update(name).digest();
