// The rights that a membership or an invitation gives: a named role, or chosen permissions.
import type { Caller } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { type Permission, permissionsOf, type Role, withReads } from '../../base/permissions.ts';
import { needRightsToGive } from '../keys/permissions.ts';

/** `permissions` of the role custom, otherwise null. */
export type Rights = { role: Role; permissions: Permission[] | null };

export type GivenRights = { role: Role; permissions: readonly Permission[] };

/** @throws Fault INVALID_PARAMETER */
export function readRights({ role, permissions }: GivenRights): Rights {
  if (role !== 'custom' && permissions.length > 0)
    throw fault('INVALID_PARAMETER', 'user.permissions_of_role', { member: 'permissions', role });
  if (role === 'custom' && permissions.length === 0)
    throw fault('INVALID_PARAMETER', 'user.no_permission', { member: 'permissions' });
  return { role, permissions: role === 'custom' ? withReads([...permissions, 'account:read']) : null };
}

/** @throws Fault NOT_ALLOWED when that is more than the caller has */
export const needMayGive = (caller: Caller, { role, permissions }: Rights): void =>
  needRightsToGive(caller, permissionsOf(role, permissions), role === 'custom' ? 'permissions' : 'role');
