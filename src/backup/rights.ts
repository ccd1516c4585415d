// The rights that a restore brings back although they may have been taken away since the backup: keys, people, invitations, the
// URLs by which other services reach an account or are sent what happens in it, and links to reports. What a person gets again by signing in or by an
// invitation ends; the rest is listed, for a person to compare.
import type pg from 'pg';
import { formatId } from '../db/ids.ts';

/** Ends sessions, links, keys from login() and invitations, which their holders get again. */
export async function endShortRights(client: pg.Client): Promise<void> {
  await client.query('delete from session');
  await client.query('delete from sign_in_link');
  await client.query('update api_key set expired_at = now() where user_id is not null and expired_at is null');
  await client.query('delete from invitation');
}

/** SQL: the names of the lists that a row is limited to. */
const namesOf = (table: string) => `
  case
    when ${table}.lists is null then ''
    else '; lists: ' || coalesce((
      select string_agg(list.name, ', ' order by list.name)
      from list
      where list.account_id = ${table}.account_id and list.id = any (${table}.lists)
    ), 'none')
  end`;

/** Who may use the installation after the restore, a line for each person, key, URL and link of an account. */
export async function validRights(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ account: number; name: string; what: string }>(`
    select account.id as account, account.name, rights.what
    from account
    join (
      select account_id, 1 as kind, 'user ' || email || ' (' || role || coalesce(': ' || array_to_string(membership.permissions, ', '), '')
        || ${namesOf('membership')} || ')' as what
      from membership
      join app_user on app_user.id = user_id
      union all
      select account_id, 2, 'API key …' || hint || ' "' || label || '" (' || scope || coalesce(': ' || array_to_string(permissions, ', '), '')
        || ${namesOf('api_key')} || case when test then ', test' else '' end || ')'
      from api_key
      where expired_at is null
        and (expires_at is null or expires_at > now())
      union all
      select account_id, 3, 'incoming webhook …' || hint || ' "' || title || '"'
      from incoming_webhook
      union all
      select w.account_id, 4, 'webhook of the automation …' || w.hint || ' "' || a.title || '"'
      from automation_webhook w
      join automation a on a.account_id = w.account_id and a.id = w.automation_id
      union all
      select account_id, 5, 'webhook "' || title || '" to ' || url
      from webhook
      where status <> 'off'
      union all
      select r.account_id, 6, 'link to reports' || coalesce(' of the list "' || l.name || '"', '')
        || coalesce(' of the campaign "' || coalesce(nullif(c.title, ''), c.subject) || '"', '')
        || coalesce(' "' || nullif(r.name, '') || '"', '') || ', until ' || to_char(r.expires_at, 'YYYY-MM-DD')
      from report_link r
      left join list l on l.account_id = r.account_id and l.id = r.list_id
      left join campaign c on c.account_id = r.account_id and c.id = r.campaign_id
      where r.expires_at > now()
    ) rights on rights.account_id = account.id
    order by account.created_at, account.id, rights.kind, rights.what`);
  return rows.map(({ account, name, what }) => `  ${formatId(account)} ${name}: ${what}`.replace(/\p{Cc}/gu, ' '));
}
