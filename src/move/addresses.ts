// What keys and links of an account are found by, once it has moved: the old installation keeps hashes of them when it erases the rest.
import { createHash } from 'node:crypto';
import { sql, type Tx } from '../db/connect.ts';
import type { Accounts } from './installations.ts';

export async function recordAddresses(tx: Tx, { all }: Accounts): Promise<void> {
  const ids = sql`any (${[...all]}::int[])`;
  const hashed = await tx.rows<{ account: number; hash: Buffer }>(sql`
    select account_id as account, key_hash as hash from api_key where account_id = ${ids}
    union all
    select account_id, token_hash from notice_source where account_id = ${ids}
    union all
    select account_id, token_hash from automation_webhook where account_id = ${ids}
    union all
    select account_id, token_hash from incoming_webhook where account_id = ${ids}
    union all
    select account_id, token_hash from report_link where account_id = ${ids}
    union all
    select account_id, token_hash from invitation where account_id = ${ids} and token_hash is not null`);
  const texts = await tx.rows<{ account: number; text: string }>(sql`
    select account_id as account, form_key as text from list where account_id = ${ids}
    union all
    select account_id, web_id || '-' || archive_key from campaign where account_id = ${ids}
    union all
    select account_id, slug from archive where account_id = ${ids} and slug is not null`);
  const found = [...hashed, ...texts.map(({ account, text }) => ({ account, hash: hashOf(text) }))];
  await tx.run(sql`
    insert into moved_address (hash, account)
    select hash, account
    from unnest(${found.map(({ hash }) => hash)}::bytea[], ${found.map(({ account }) => account)}::int[]) as f (hash, account)
    on conflict (hash) do update
    set account = excluded.account`);
}

const hashOf = (text: string) => createHash('sha256').update(text).digest();
