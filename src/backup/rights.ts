// The rights that a restore brings back although they may have been taken away since the backup: keys, people and invitations.
// What a person gets again by signing in or by an invitation ends; the rest is listed, for a person to compare.
import type pg from 'pg';
import { formatId } from '../db/ids.ts';

/** Ends sessions, links, keys from login() and invitations, which their holders get again. */
export async function endShortRights(client: pg.Client): Promise<void> {
  await client.query('delete from session');
  await client.query('delete from sign_in_link');
  await client.query('update api_key set expired_at = now() where user_id is not null and expired_at is null');
  await client.query('delete from invitation');
}

/** Who may use the installation after the restore, a line for each account, person and key. */
export async function validRights(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ account: number; name: string; what: string }>(`
    select account.id as account, account.name, rights.what
    from account
    join (
      select account_id, 1 as kind, 'user ' || email || ' (' || role || ')' as what
      from membership
      join app_user on app_user.id = user_id
      union all
      select account_id, 2, 'API key …' || hint || ' "' || label || '" (' || scope || ')'
      from api_key
      where expired_at is null
        and (expires_at is null or expires_at > now())
    ) rights on rights.account_id = account.id
    order by account.created_at, account.id, rights.kind, rights.what`);
  return rows.map(({ account, name, what }) => `  ${formatId(account)} ${name}: ${what}`.replace(/\p{Cc}/gu, ' '));
}
