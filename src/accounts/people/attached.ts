// What opens a person beside the password. An unproven address may belong to someone else than the person who uses it: when
// its owner comes, all of it has to go, or a stranger who came first could sign in as the owner (a Trojan identifier).
import { type Queries, sql } from '../../db/connect.ts';
import { endOtherSessions } from '../access/session.ts';

/** Records whether the address is proven. A person whose address was not proven before loses what opens it. */
export async function recordProof(db: Queries, userId: number, proven: boolean): Promise<void> {
  const row = await db.row<{ wasProven: boolean }>(sql`
    update app_user
    set address_proven = ${proven}
    from (select id, address_proven from app_user where id = ${userId} for update) before
    where app_user.id = before.id
    returning before.address_proven as "wasProven"`);
  if (row && !row.wasProven) await removeAttached(db, userId);
}

async function removeAttached(db: Queries, userId: number): Promise<void> {
  await endOtherSessions(db, userId, -1);
  await db.run(sql`
    update app_user
    set totp_secret = null, totp_confirmed_at = null, totp_last_step = 0
    where id = ${userId}`);
  for (const table of [sql`passkey`, sql`identity`, sql`recovery_code`, sql`provider_attempt`, sql`sign_in_link`])
    await db.run(sql`delete from ${table} where user_id = ${userId}`);
}
