// The API keys of an account: listing, creating and revoking them. A key is readable only when it is created.
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { message } from '../../base/messages.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { formatDate } from '../../method/date.ts';
import { noticeOfChange } from '../security-notice.ts';
import { createKey, hashKey, type KeyScope } from './key.ts';

export async function listKeys({ account, tx }: Context, { expired }: { expired: boolean }) {
  const rows = await tx.rows<Row>(sql`
    select id, hint, label, scope, created_at, last_used_at, expired_at
    from api_key
    where account_id = ${account.id}
      and (${expired} or expired_at is null)
    order by created_at, id`);
  return rows.map((row) => ({
    ...row,
    id: formatId(row.id),
    created_at: formatDate(row.created_at),
    last_used_at: formatDate(row.last_used_at),
    expired_at: formatDate(row.expired_at),
  }));
}

/** @returns the key */
export async function addKey(
  { account, caller, tx }: Context,
  { label, scope }: { label: string; scope: KeyScope },
): Promise<string> {
  const { key } = await createKey(tx, account.id, { label, scope });
  const what = message('notice.key', { label, scope });
  await noticeOfChange(tx, account.id, { what, ip: caller.ip });
  return key;
}

/** Revokes a key, given by its id or as the key; that of the call if none is given. @throws Fault KEY_INVALID */
export async function expireKey({ account, caller, tx }: Context, { key }: { key: string }): Promise<true> {
  const ownId = key.trim() === '' && caller.kind === 'key' ? caller.keyId : null;
  const count = await tx.run(sql`
    update api_key
    set expired_at = now()
    where account_id = ${account.id}
      and expired_at is null
      and (id = ${ownId ?? parseId(key)} or key_hash = ${hashKey(key)})`);
  if (count === 0) throw fault('KEY_INVALID', 'key.unknown', { member: 'key' });
  return true;
}

type Row = {
  id: number;
  hint: string;
  label: string;
  scope: string;
  created_at: Date;
  last_used_at: Date | null;
  expired_at: Date | null;
};
