// The challenges that passkeys sign: random, good for five minutes and one use, and bound to what asked for them, the cookie of a
// browser or a session. Of two requests at the same time, only one gets it. Only hashes are stored.
import { type Queries, sql } from '../../db/connect.ts';
import { begunTables, makeRoom } from '../access/expire.ts';
import { hashToken, newToken } from '../access/token.ts';

export const challengeMinutes = 5;

export type Purpose = 'sign in' | 'confirm' | 'add';

/** What a challenge is for: its purpose, and the token of a browser's cookie or the id of a session. */
export type Bound = { purpose: Purpose; to: string | number };

export async function makeChallenge(db: Queries, bound: Bound): Promise<string> {
  await makeRoom(db, begunTables.passkey);
  const challenge = newToken();
  await db.run(sql`
    insert into passkey_challenge (challenge_hash, bound_hash, expires_at)
    values (${hashToken(challenge)}, ${hashOf(bound)}, now() + make_interval(mins => ${challengeMinutes}))`);
  return challenge;
}

/** Uses up a challenge; false for another browser, session or purpose, a second use, or too late. */
export async function takeChallenge(db: Queries, challenge: string, bound: Bound): Promise<boolean> {
  const count = await db.run(sql`
    delete from passkey_challenge
    where challenge_hash = ${hashToken(challenge)}
      and bound_hash = ${hashOf(bound)}
      and expires_at > now()`);
  return count === 1;
}

const hashOf = ({ purpose, to }: Bound) => hashToken(`${purpose} ${to}`);
