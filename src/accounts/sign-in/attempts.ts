// Slows down guessing: tries are counted by caller and by address in the database, so that all web processes count
// together. A try is taken before anything is checked and given back when it was right, so tries made at once count too.
import { createHash } from 'node:crypto';
import { Fault } from '../../base/faults.ts';
import { message } from '../../base/messages.ts';
import { type Queries, sql } from '../../db/connect.ts';

export const tryLimits = {
  windowMinutes: 15,
  /** Wrong passwords for one address, or wrong codes of one person, in a window. */
  byAddress: 10,
  /** Wrong tries of one caller; an office behind one address has several people. */
  byCaller: 50,
  /** Messages with a link that are sent to one address in a window. */
  linksByAddress: 3,
};

/** Counts a try. Answers undefined when it may be made, else the seconds until the next may. */
export async function takeTry(db: Queries, name: string, most: number): Promise<number | undefined> {
  const row = await db.row<{ count: number; seconds: number }>(sql`
    insert into sign_in_try as t (name, count, since)
    values (${hashed(name)}, 1, now())
    on conflict (name) do update
    set count = case when t.since < now() - ${span} then 1 else least(t.count + 1, 1000000) end,
      since = case when t.since < now() - ${span} then now() else t.since end
    returning count, greatest(1, ceil(extract(epoch from since + ${span} - now())))::int as seconds`);
  return row!.count > most ? row!.seconds : undefined;
}

export const tooManyAttempts = (seconds: number) =>
  new Fault('TOO_MANY_CALLS', message('sign_in.too_many_attempts', { minutes: Math.ceil(seconds / 60) }), seconds);

/** Takes back a try that was right. */
export async function giveBackTry(db: Queries, name: string): Promise<void> {
  await db.run(sql`update sign_in_try set count = greatest(0, count - 1) where name = ${hashed(name)}`);
}

/** Forgets the tries of a name, because it is known now who makes them. */
export async function forgetTries(db: Queries, name: string): Promise<void> {
  await db.run(sql`update sign_in_try set count = 0 where name = ${hashed(name)}`);
}

/** Under which name wrong passwords for an address, wrong own passwords and wrong codes of a person are counted. */
export const triesOf = {
  address: (email: string) => `email ${email.trim().toLowerCase()}`,
  password: (userId: number) => `password of ${userId}`,
  code: (userId: number) => `code of ${userId}`,
};

/** Forgets all wrong tries about one person; returns how many counts were not zero. Those of callers stay. */
export async function forgetTriesOf(db: Queries, person: { userId: number; email: string }): Promise<number> {
  const names = [triesOf.address(person.email), triesOf.password(person.userId), triesOf.code(person.userId)];
  return db.run(sql`
    delete from sign_in_try
    where name = any(${names.map(hashed)}::bytea[])
      and count > 0`);
}

/** The name under which a caller's tries are counted: an IPv6 caller has a whole /64 to come from. */
export function callerName(ip: string): string {
  const plain = ip.replace(/^::ffff:(?=\d+\.)/i, '');
  return `ip ${plain.includes(':') ? firstFourGroups(plain) : plain}`;
}

const span = sql`make_interval(mins => ${tryLimits.windowMinutes})`;

/** Addresses that were tried are no list of people to be kept. */
const hashed = (name: string) => createHash('sha256').update(name).digest();

function firstFourGroups(ip: string): string {
  const [head = '', tail] = ip.split('%')[0]!.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  return [...before, ...zeros, ...after]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
