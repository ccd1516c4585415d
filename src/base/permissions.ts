// What a caller may do: THE list of permissions of people and API keys, and the roles, which are named sets of them. What each method
// needs follows from its group and scope: src/accounts/keys/permissions.ts. Imports nothing, because the screens use it too.

/** THE list of permissions. Each `area:right`; to change, send, export or erase in an area includes to read there (`withReads`). */
export const permissions = [
  'campaigns:read',
  'campaigns:write',
  'campaigns:send',
  'contacts:read',
  'contacts:write',
  'contacts:export',
  'contacts:erase',
  'reports:read',
  'messages:read',
  'messages:send',
  'webhooks:read',
  'webhooks:write',
  'sending:write',
  'account:read',
  'account:write',
  'account:admin',
] as const;

export type Permission = (typeof permissions)[number];

/** Everything but webhooks, senders, settings and people. */
const editor = permissions.filter(
  (permission) => !['webhooks:write', 'sending:write', 'account:write', 'account:admin'].includes(permission),
);

/** THE list of named roles, those that may do more first. */
export const rolePermissions = {
  owner: permissions,
  editor,
  author: ['campaigns:read', 'campaigns:write', 'contacts:read', 'reports:read', 'account:read'],
  viewer: permissions.filter((permission) => permission.endsWith(':read')),
  analyst: ['campaigns:read', 'reports:read', 'account:read'],
} as const satisfies Record<string, readonly Permission[]>;

export type NamedRole = keyof typeof rolePermissions;

/** `custom`: chosen permissions. */
export type Role = NamedRole | 'custom';

export const namedRoles = Object.keys(rolePermissions) as [NamedRole, ...NamedRole[]];
export const roles: readonly [Role, ...Role[]] = [...namedRoles, 'custom'];

/** With what the permissions include, in the order of the list; unknown names are left out. */
export function withReads(given: readonly string[]): Permission[] {
  const areas = new Set(
    given.map((permission) => (permission.split(':')[0] === 'sending' ? 'account' : permission.split(':')[0]!)),
  );
  return permissions.filter(
    (permission) =>
      given.includes(permission) || (permission.endsWith(':read') && areas.has(permission.split(':')[0]!)),
  );
}

/** The permissions of a member. Everyone may read the account: without it, no screen works. */
export const permissionsOf = (role: Role, chosen: readonly string[] | null): readonly Permission[] =>
  role === 'custom' ? withReads([...(chosen ?? []), 'account:read']) : rolePermissions[role];
