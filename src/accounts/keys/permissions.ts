// Who may call which method: the permissions of people and keys (src/base/permissions.ts) against what a method needs, which follows
// from its group and scope, or is named in its declaration. No one gives more than they have: `needRightsToGive`.
import type { Caller } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { type Permission, permissions } from '../../base/permissions.ts';
import type { AnyMethod } from '../../method/method.ts';

type Called = Pick<AnyMethod, 'group' | 'scope'> &
  Partial<Pick<AnyMethod, 'permission' | 'addresses' | 'narrowed' | 'owner'>> & { name?: string };

/** The area of each group of methods. */
const areas: Record<AnyMethod['group'], string> = {
  campaigns: 'campaigns',
  recurring: 'campaigns',
  automations: 'campaigns',
  templates: 'campaigns',
  labels: 'campaigns',
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
  sending: 'sending',
  inbox: 'account',
};

/** What a method needs: one permission of each of these groups. */
export function neededBy({ group, scope, permission, addresses, owner }: Called): (readonly Permission[])[] {
  if (owner) return permissions.map((each) => [each]);
  const own = permission === undefined ? [byRule(group, scope)] : [permission].flat();
  return addresses === true ? [own, ['contacts:read']] : [own];
}

/** To change webhooks and senders is one right, anyone who needs it; senders are read with the account. */
function byRule(group: AnyMethod['group'], scope: AnyMethod['scope']): Permission {
  const area = areas[group];
  const right = scope === 'admin' && area !== 'account' ? 'write' : scope;
  return permissions.find((permission) => permission === `${area}:${right}`) ?? 'account:read';
}

/** A test key reads, and sends single messages into the inbox: what it changed elsewhere would send to people later. */
export const isBarredByTest = (caller: Caller, { group, scope }: Called): boolean =>
  caller.kind === 'key' && caller.isTest === true && scope !== 'read' && group !== 'messages';

/** Methods without a confirmation that take rights away, or hand out an address with a secret: they outlive the session all the same. */
const ofRights: ReadonlySet<string> = new Set([
  'apikeyExpire',
  'noticeSourceDelete',
  'bounceMailboxDelete',
  'incomingWebhookCreate',
  'incomingWebhookUrl',
  'automationWebhookUrl',
  'reportLinkCreate',
]);

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

/** Whether a method needs all lists of the account, and the caller has only some. */
export const isBarredByLists = ({ lists }: Pick<Caller, 'lists'>, { narrowed }: Pick<Called, 'narrowed'>): boolean =>
  lists !== null && !narrowed;

export const mayDo = (caller: Pick<Caller, 'permissions'>, permission: Permission): boolean =>
  caller.permissions.includes(permission);

/** Whether a caller may call a method. Every key may ask whether it is valid. */
export const mayCall = (caller: Caller, method: Called): boolean =>
  !isBarredByTest(caller, method) &&
  !isBarredByLists(caller, method) &&
  (method.name === 'ping' || lackedBy(caller, method) === '');

/** What a caller lacks for a method, for the text of a refusal; '' when nothing. */
export function lackedBy(caller: Caller, method: Called): string {
  const lacked = neededBy(method).find((some) => !some.some((permission) => mayDo(caller, permission)));
  return lacked?.[0] ?? '';
}

/** @throws Fault NOT_ALLOWED when someone else has, or would get, more than the caller has */
export function needRightsToGive(caller: Caller, given: readonly Permission[], member: string): void {
  const more = given.find((permission) => !mayDo(caller, permission));
  if (more) throw fault('NOT_ALLOWED', 'user.more_than_own', { member, permission: more });
}

/**
 * Drafts may be changed by anyone who writes; what is scheduled, sent or running only by those who may send.
 * @throws Fault NOT_ALLOWED
 */
export function needRightToSend(caller: Caller, member: string): void {
  if (!mayDo(caller, 'campaigns:send')) throw fault('NOT_ALLOWED', 'campaign.drafts_only', { member });
}
