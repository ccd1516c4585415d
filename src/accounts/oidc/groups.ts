// The memberships that the groups of a provider give. They are the provider's: applied again at each sign-in, and ended
// when the group is gone. Memberships that a person gave stay as they are, and an account keeps its last owner.
import type { App } from '../../base/context.ts';
import { message } from '../../base/messages.ts';
import { type NamedRole, namedRoles } from '../../base/permissions.ts';
import type { Provider } from '../../base/provider-setting.ts';
import { type Queries, sql, type Tx } from '../../db/connect.ts';
import { findAccounts } from '../account/account.ts';
import { noteAudit } from '../audit/audit.ts';
import { noticeOfChange } from '../notices/security-notice.ts';
import { endMembership, lockMembers, roleNotice } from '../people/membership.ts';

/** An account of the settings, and the role in it: undefined when no group of the person gives one. */
export type Grant = {
  accountId: number;
  role: NamedRole | undefined /** By a group, or by default. */;
  isManaged: boolean;
};

/** What the settings give a person with these groups, for each account in them that can be used. */
export async function grantsOf(app: App, db: Queries, provider: Provider, groups: readonly string[]): Promise<Grant[]> {
  const grants = new Map<number, Grant>();
  for (const rule of provider.groups) {
    const accountId = await accountOf(app, db, provider, rule.account);
    if (accountId === undefined) continue;
    const role = strongest(grants.get(accountId)?.role, groups.includes(rule.group) ? rule.role : undefined);
    grants.set(accountId, { accountId, role, isManaged: true });
  }
  const accountId = provider.defaultRole === '' ? undefined : await accountOf(app, db, provider, provider.account);
  if (accountId === undefined) return [...grants.values()];
  const { role = provider.defaultRole as NamedRole, isManaged = false } = grants.get(accountId) ?? {};
  grants.set(accountId, { accountId, role, isManaged });
  return [...grants.values()];
}

/** Of two roles, the one that may do more. */
export function strongest(one: NamedRole | undefined, other: NamedRole | undefined): NamedRole | undefined {
  return namedRoles.find((role) => role === one || role === other);
}

type Of = { userId: number; email: string; ip: string };

/** Gives a new person the memberships. */
export async function giveAll(tx: Tx, provider: Provider, grants: readonly Grant[], of: Of): Promise<void> {
  for (const { accountId, role, isManaged } of grants)
    if (role) await give(tx, { provider, accountId, role, isManaged }, of);
}

/** Brings the memberships that the provider manages in line with the groups of a person. */
export async function applyGroups(tx: Tx, provider: Provider, grants: readonly Grant[], of: Of): Promise<void> {
  for (const { accountId, role, isManaged } of grants) {
    if (!isManaged) continue;
    const members = await lockMembers(tx, accountId);
    const member = members.find(({ userId }) => userId === of.userId);
    if (!member) {
      if (role) await give(tx, { provider, accountId, role, isManaged }, of);
      continue;
    }
    if (member.grantedBy !== provider.issuer || member.role === role) continue;
    const isLastOwner = member.role === 'owner' && members.filter((other) => other.role === 'owner').length === 1;
    if (isLastOwner) continue;
    if (role) await change(tx, { provider, accountId, role }, of);
    else await end(tx, { provider, accountId }, of);
  }
}

type Change = { provider: Provider; accountId: number; role: NamedRole };

async function give(tx: Tx, { provider, accountId, role, isManaged }: Change & { isManaged: boolean }, of: Of) {
  const count = await tx.run(sql`
    insert into membership (account_id, user_id, role, granted_by)
    values (${accountId}, ${of.userId}, ${role}, ${isManaged ? provider.issuer : null})
    on conflict do nothing`);
  if (count === 0) return;
  await note(tx, accountId, 'providerRole', of, `${role} (${provider.id})`);
  await noticeOfChange(tx, accountId, {
    what: message('notice.user', { email: of.email, role: message(`role.${role}`) }),
    ip: '',
  });
}

async function change(tx: Tx, { provider, accountId, role }: Change, of: Of): Promise<void> {
  await tx.run(sql`
    update membership
    set role = ${role}, permissions = null, lists = case when ${role} <> 'owner' then lists end
    where account_id = ${accountId}
      and user_id = ${of.userId}`);
  await note(tx, accountId, 'providerRole', of, `${role} (${provider.id})`);
  await noticeOfChange(tx, accountId, { what: roleNotice(of.email, role), ip: of.ip });
}

async function end(tx: Tx, { provider, accountId }: { provider: Provider; accountId: number }, of: Of): Promise<void> {
  await endMembership(tx, accountId, of.userId);
  await note(tx, accountId, 'providerRemove', of, `${of.email} (${provider.id})`);
  await noticeOfChange(tx, accountId, { what: message('notice.user_removed', { email: of.email }), ip: of.ip });
}

const note = (tx: Tx, accountId: number, method: string, { userId, ip }: Of, subject: string) =>
  noteAudit(tx, { accountId, userId, door: 'web', method, subject, ip });

/** '' is the account of the operator. Undefined, with a line in the log, when the name is of none or of several. */
async function accountOf(app: App, db: Queries, provider: Provider, named: string): Promise<number | undefined> {
  if (named === '') {
    const oldest = await db.row<{ id: number }>(sql`select id from account order by created_at, id limit 1`);
    return oldest?.id;
  }
  const found = await findAccounts(db, named);
  if (found.length === 1) return found[0]!.id;
  app.log.error({ provider: provider.id, account: named, found: found.length }, 'OIDC_PROVIDERS must name one account');
  return undefined;
}
