// The audit log: who changed what, one row a changing call, in the call's own transaction.
import type { Context, Door } from '../../base/context.ts';
import { sql, type Tx } from '../../db/connect.ts';
import { jsonb } from '../../db/jsonb.ts';
import type { Change } from './changes.ts';
import { nameToKeep } from './names.ts';

/**
 * Writes the entry of a changing call. Only names and ids are kept of the parameters, never contents or secrets.
 * @param result an id is the subject where the parameters name none: that of what was created
 * @param changes what it changed, where that is recorded
 */
export async function writeAudit(
  context: Context,
  door: Door,
  method: string,
  given: unknown,
  result: unknown,
  changes?: readonly Change[],
): Promise<void> {
  const { account, caller, tx } = context;
  // What erases a person must not name the person in the very entry about it.
  const params = erasing.has(method) ? {} : given;
  await tx.run(sql`
    insert into audit_entry (account_id, user_id, key_id, door, method, subject, detail, ip, changes)
    values (
      ${account.id}, ${caller.kind === 'user' ? caller.userId : null}, ${caller.kind === 'key' ? caller.keyId : null},
      ${door}, ${method}, ${subjectOf(method, params) || createdId(method, result)}, ${jsonb({ ...detailOf(params), ...notedIn(context), ...ignoredOf(context) })}, ${caller.ip},
      ${changes === undefined ? null : jsonb(changes)})`);
}

/** Keeps the name of what a call is about to delete, which its entry would not have otherwise. */
export async function noteName({ account, noted, tx }: Context, method: string, given: unknown): Promise<void> {
  const name = await nameToKeep(tx, account.id, { method, subject: subjectOf(method, given) });
  if (name !== '') noted?.set('name', name.slice(0, 200));
}

const notedIn = ({ noted }: Context): Record<string, string> =>
  Object.fromEntries([...(noted ?? [])].map(([name, value]) => [name, value.slice(0, 2_000)]));

/** The names of values of contacts that a published client sent and that are no field, and how many contacts had each. */
function ignoredOf({ published }: Context): { ignored?: string } {
  if (!published || published.ignored.size === 0) return {};
  const names = [...published.ignored].map(([name, count]) => (count === 1 ? name : `${name} ×${count}`));
  return {
    ignored: names
      .join(', ')
      .replace(/\p{C}+/gu, ' ')
      .slice(0, 500),
  };
}

/**
 * Writes what a person did outside a method, or in another account than that of the call: signing in, setting a password by a
 * link, answering an invitation. Without `userId` the account does not learn who it was.
 */
export async function noteAudit(
  tx: Tx,
  entry: {
    accountId: number;
    userId?: number;
    door: Door;
    method: string;
    subject?: string;
    ip?: string;
    detail?: Record<string, string>;
  },
): Promise<void> {
  await tx.run(sql`
    insert into audit_entry (account_id, user_id, door, method, subject, detail, ip)
    values (
      ${entry.accountId}, ${entry.userId ?? null}, ${entry.door}, ${entry.method}, ${entry.subject ?? ''},
      ${jsonb(entry.detail ?? {})}, ${entry.ip ?? ''})`);
}

/**
 * Writes what the operator did at the command line, into the log of every account it touches.
 * @param accounts their ids, or 'all'
 * @param of whom or what it was about, and what became of it: never a secret
 */
export async function noteOperator(
  tx: Tx,
  accounts: readonly number[] | 'all',
  method: string,
  of: { subject?: string; detail?: Record<string, string> } = {},
): Promise<void> {
  await tx.run(sql`
    insert into audit_entry (account_id, door, method, subject, detail, ip)
    select id, 'cli', ${method}, ${(of.subject ?? '').slice(0, 200)}, ${jsonb(of.detail ?? {})}, ''
    from account
    where ${accounts === 'all' ? sql`true` : sql`id = any (${[...accounts]}::int[])`}`);
}

/** Methods whose entries name no user. */
const erasing: ReadonlySet<string> = new Set(['contactErase']);

/** The members that are kept, of all parameters of all methods. None of them ever holds a secret or a content. */
export const subjectMembers = [
  'cid',
  'id',
  'wid',
  'template_id',
  'email_address',
  'email',
  'title',
  'name',
  'account_id',
  'account',
  'domain',
];
export const detailMembers = [
  'name',
  'label',
  'email_address',
  'email',
  'role',
  'schedule_time',
  'type',
  'scope',
  'status',
  'host',
];

/** Methods whose `id` is one of the caller's own program. */
const foreignIds: ReadonlySet<string> = new Set(['eventSend']);

const createdId = (method: string, result: unknown): string =>
  method.endsWith('Create') && typeof result === 'string' && /^[0-9a-f]{8}$/.test(result) ? result : '';

function subjectOf(method: string, params: unknown): string {
  const given = (params ?? {}) as Record<string, unknown>;
  const member = subjectMembers.find(
    (name) => typeof given[name] === 'string' && !(name === 'id' && foreignIds.has(method)),
  );
  return member ? String(given[member]).slice(0, 200) : '';
}

function detailOf(params: unknown): Record<string, string> {
  const given = (params ?? {}) as Record<string, unknown>;
  const kept = detailMembers.filter((name) => typeof given[name] === 'string');
  return Object.fromEntries(kept.map((name) => [name, String(given[name]).slice(0, 200)]));
}
