// What the members of an account may do, by role. The scope that each method needs is in its declaration (methods.ts).
import type { Role, Scope } from '../../base/context.ts';
import type { KeyScope } from './key.ts';

/** THE list of roles: what a user may do when signed in, and the scope of the API keys that login() gives them. */
const rights: Record<Role, { scopes: Scope[]; keyScope: KeyScope }> = {
  owner: { scopes: ['read', 'write', 'send', 'admin'], keyScope: 'full' },
  editor: { scopes: ['read', 'write', 'send'], keyScope: 'write' },
  viewer: { scopes: ['read'], keyScope: 'read' },
};

export const roles = Object.keys(rights) as [Role, ...Role[]];

export const scopesOf = (role: Role): Scope[] => rights[role].scopes;

export const keyScopeOf = (role: Role): KeyScope => rights[role].keyScope;
