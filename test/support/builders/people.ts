// People of an account who call methods when signed in, and programs with a limited key.
import { startSession } from '../../../src/accounts/access/session.ts';
import { createKey } from '../../../src/accounts/keys/key.ts';
import { addMember, createUser } from '../../../src/accounts/people/user.ts';
import type { NamedRole, Permission } from '../../../src/base/permissions.ts';
import { sql } from '../../../src/db/connect.ts';
import { parseId } from '../../../src/db/ids.ts';
import { call } from '../../../src/doors/call.ts';
import type { TestApp } from '../installation/app.ts';

type Of = Pick<TestApp, 'app' | 'account'>;
export type Caller = { id: number; email: string; token: string; call: TestApp['call'] };

/** A new person with this role, signed in in the web application. @param lists limits the person to these */
export async function aPerson(
  { app, account }: Of,
  role: NamedRole,
  name: string,
  lists?: readonly string[],
): Promise<Caller> {
  const email = `${name.toLowerCase()}@people.example`;
  const { id } = await createUser(app.db, { email, name, password: 'correct horse' });
  await addMember(app.db, account.id, id, role);
  if (lists) await app.db.run(sql`update membership set lists = ${lists.map(parseId)}::int[] where user_id = ${id}`);
  const { token } = (await startSession(app.db, id, { ip: '127.0.0.1', userAgent: 'test' }))!;
  const callAs = <T>(method: string, params: Record<string, unknown> = {}) =>
    call(app, method, params, { kind: 'session', token, ip: '127.0.0.1' }, 'web') as Promise<T>;
  return { id, email, token, call: callAs as TestApp['call'] };
}

/** A program whose key has these permissions, or may do everything. */
export async function aProgram({ app, account }: Of, permissions?: readonly Permission[]): Promise<TestApp['call']> {
  const scope = permissions ? 'limited' : 'full';
  const { key } = await createKey(app.db, account.id, { label: 'Program', scope, ...(permissions && { permissions }) });
  const callAs = <T>(method: string, params: Record<string, unknown> = {}) =>
    call(app, method, params, { kind: 'key', key, ip: '127.0.0.1' }, 'json') as Promise<T>;
  return callAs as TestApp['call'];
}
