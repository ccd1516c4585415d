// Who of the people of an account may do something, such as send.
import { type Permission, permissionsOf, type Role } from '../../base/permissions.ts';
import { type Queries, sql } from '../../db/connect.ts';

export type PersonOfAccount = {
  id: number;
  email: string;
  name: string;
  language: string;
  /** Null for all lists. */
  lists: number[] | null;
};

/** The people with the permission, in the order in which they joined. */
export async function peopleWhoMay(db: Queries, accountId: number, permission: Permission): Promise<PersonOfAccount[]> {
  const rows = await db.rows<PersonOfAccount & { role: Role; permissions: string[] | null }>(sql`
    select u.id, u.email, u.name, u.language, m.lists, m.role, m.permissions
    from membership m
    join app_user u on u.id = m.user_id
    where m.account_id = ${accountId}
    order by m.created_at, u.id`);
  return rows
    .filter(({ role, permissions }) => permissionsOf(role, permissions).includes(permission))
    .map(({ role: _, permissions: __, ...person }) => person);
}
