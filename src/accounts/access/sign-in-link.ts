// Links that let a user set a password without knowing the old one: the first run, a lost password, an invitation. And the
// link by which the operator lets a user sign in without a password or an identity provider.
// 256 random bits, stored as a hash, good for one use and a limited time; a new link of a kind replaces the older ones.
// The token of an invitation is in its row (people/invitation.ts).
import { type Queries, sql, type Tx } from '../../db/connect.ts';
import { type LinkPurpose, linkMinutes } from './link-minutes.ts';
import { hashToken, newToken } from './token.ts';

/** Makes a link's token; the returned text is the only copy. */
export async function makeLinkToken(
  db: Queries,
  purpose: Exclude<LinkPurpose, 'invite'>,
  userId?: number,
): Promise<string> {
  const token = newToken();
  await db.run(sql`
    delete from sign_in_link
    where purpose = ${purpose}
      and user_id is not distinct from ${userId ?? null}::int`);
  await db.run(sql`
    insert into sign_in_link (token_hash, purpose, user_id, expires_at)
    values (${hashToken(token)}, ${purpose}, ${userId ?? null}, now() + make_interval(mins => ${linkMinutes[purpose]}))`);
  return token;
}

/** Whether a token is good; it stays so. */
export async function hasLinkToken(
  db: Queries,
  purpose: Exclude<LinkPurpose, 'invite'>,
  token: string,
): Promise<boolean> {
  const row = await db.row<{ found: boolean }>(sql`
    select exists (
      select from sign_in_link where token_hash = ${hashToken(token)} and purpose = ${purpose} and expires_at > now()
    ) as found`);
  return row!.found;
}

/** Uses up a token: of two requests at the same time, only one gets the user. */
export async function useLinkToken(
  tx: Tx,
  purpose: Exclude<LinkPurpose, 'invite'>,
  token: string,
): Promise<{ userId: number | null } | undefined> {
  return tx.row<{ userId: number | null }>(sql`
    delete from sign_in_link
    where token_hash = ${hashToken(token)}
      and purpose = ${purpose}
      and expires_at > now()
    returning user_id as "userId"`);
}

/** The page of a link. The token follows the #, so it appears in no server log and no Referer. */
export function linkAddress(baseUrl: string, purpose: LinkPurpose, token: string): string {
  const page = { 'first run': 'first-run', reset: 'reset', invite: 'invite', 'sign in': 'enter' }[purpose];
  return `${baseUrl}/app/${page}#${token}`;
}
