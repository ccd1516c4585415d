// Refused calls of keys in the audit log: a key that is used where or for what it may not be is one that leaked, or a program
// with the wrong key. One entry an hour for each key and reason, so that a program that keeps trying does not fill the log.
import type { App } from '../../base/context.ts';
import { remember } from '../../base/remember.ts';
import { sql } from '../../db/connect.ts';

type Refused = { accountId: number; keyId: number; ip: string };

const everyMs = 3_600_000;
const maxRemembered = 10_000;
const written = new Map<string, number>();

/** @param reason what the key lacks: a permission or scope, "expired", or "network" */
export async function noteRefusal(app: App, { accountId, keyId, ip }: Refused, reason: string): Promise<void> {
  const name = `${accountId}.${keyId} ${reason}`;
  const now = performance.now();
  const last = written.get(name);
  if (last !== undefined && now - last < everyMs) return;
  remember(written, name, now, maxRemembered);
  await app.db.run(sql`
    insert into audit_entry (account_id, key_id, door, method, detail, ip)
    values (${accountId}, ${keyId}, 'api', 'keyRefused', ${JSON.stringify({ reason })}::jsonb, ${ip})`);
}
