// What a key of the scope "limited" may do: chosen permissions, each for an area of the methods. To change or send includes to
// read. No permission leads to keys, users, domains or settings, so such a key cannot widen what it may do.
import type { Caller } from '../../base/context.ts';
import type { AnyMethod } from '../../method/method.ts';

/** THE list of permissions of keys. */
export const keyPermissions = [
  'campaigns:read',
  'campaigns:write',
  'campaigns:send',
  'contacts:read',
  'contacts:write',
  'reports:read',
  'messages:read',
  'messages:send',
  'webhooks:read',
  'webhooks:write',
  'account:read',
] as const;

export type KeyPermission = (typeof keyPermissions)[number];

type Called = Pick<AnyMethod, 'group' | 'scope'> & { name?: string };

/** The area of each group of methods. */
const areas: Record<AnyMethod['group'], string> = {
  campaigns: 'campaigns',
  recurring: 'campaigns',
  automations: 'campaigns',
  templates: 'campaigns',
  lists: 'contacts',
  members: 'contacts',
  contacts: 'contacts',
  fields: 'contacts',
  segments: 'contacts',
  imports: 'contacts',
  suppression: 'contacts',
  reports: 'reports',
  messages: 'messages',
  webhooks: 'webhooks',
  account: 'account',
  'sign-in': 'account',
  sending: 'account',
  inbox: 'account',
};

/** A test key reads, and sends single messages into the inbox: what it changed elsewhere would send to people later. */
export const isBarredByTest = (caller: Caller, { group, scope }: Called): boolean =>
  caller.kind === 'key' && caller.isTest === true && scope !== 'read' && group !== 'messages';

/** Methods that take rights away without a confirmation: they outlive the session all the same. */
const ofRights: ReadonlySet<string> = new Set(['apikeyExpire', 'noticeSourceDelete', 'bounceMailboxDelete']);

/**
 * Whether a method is not for an operator who acts in the account of another: what changes keys, people and passwords, or needs a
 * confirmation because it outlives the session.
 */
export function isBarredByActing(
  caller: Caller,
  { name, reads, person, confirm }: Pick<AnyMethod, 'name' | 'reads' | 'person' | 'confirm'>,
  params: unknown,
): boolean {
  if (caller.kind !== 'user' || !caller.actingUntil || reads || name === 'sessionSwitch') return false;
  return person === true || ofRights.has(name) || confirm?.(params) === true;
}

/** Whether a caller may call a method. Every key may ask whether it is valid. */
export function mayCall(caller: Caller, method: Called): boolean {
  if (isBarredByTest(caller, method)) return false;
  if (caller.kind !== 'key' || !caller.permissions) return caller.scopes.includes(method.scope);
  if (method.name === 'ping') return true;
  const wanted = permissionFor(method);
  return caller.permissions.some(
    (permission) =>
      permission === wanted || (method.scope === 'read' && permission.split(':')[0] === areas[method.group]),
  );
}

/** What a key needs for a method: the permission, or the scope if there is none for it. */
export function permissionFor({ group, scope }: Called): string {
  const area = areas[group];
  const right = area === 'webhooks' && scope === 'admin' ? 'write' : scope;
  const wanted = `${area}:${right}`;
  return (keyPermissions as readonly string[]).includes(wanted) ? wanted : scope;
}

/** What a caller lacks, for the text of a refusal. */
export const lackedBy = (caller: Caller, method: Called): string =>
  caller.kind === 'key' && caller.permissions ? permissionFor(method) : method.scope;
