// A running program inside the test's process: a fresh database, an account with a key, the HTTP server on a free port.
import type { FastifyInstance } from 'fastify';
import { accountById, createAccount, setAccount } from '../../../src/accounts/account/account.ts';
import { createKey, type KeyScope } from '../../../src/accounts/keys/key.ts';
import { passwordCost } from '../../../src/accounts/people/password-hash.ts';
import { addMember, createUser } from '../../../src/accounts/people/user.ts';
import { openApp } from '../../../src/app.ts';
import type { Account, App } from '../../../src/base/context.ts';
import { readConfig } from '../../../src/config.ts';
import { uses } from '../../../src/doors/admission/rate-limit.ts';
import { call } from '../../../src/doors/call.ts';
import { createServer } from '../../../src/web.ts';
import { testDatabase } from '../database/database.ts';

/** Hashing a password takes 40 ms of a processor; a test of that time sets `cheap` to false before it makes an app. */
export const passwords = { cheap: true };

export type TestApp = {
  app: App;
  account: Account;
  key: string;
  /** Calls a method as the account's key holder, through the one entrance all doors use. */
  call<T = unknown>(method: string, params?: Record<string, unknown>): Promise<T>;
  /** A second account with a key of its own. */
  anotherAccount(
    plan?: 'free' | 'pro',
    addons?: string[],
  ): Promise<{ account: Account; key: string; call: TestApp['call'] }>;
  anotherKey(scope: KeyScope): Promise<string>;
  /** Starts the HTTP server on a free port; returns its address. */
  listen(): Promise<string>;
  close(): Promise<void>;
};

/** The parts of a program with an existing database. */
export function appOn(url: string, settings: Record<string, string> = {}): Promise<App> {
  const config = readConfig({
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    DATABASE_URL: url,
    // Refuses at once: no test asks the name servers of the machine.
    DNS_SERVERS: '127.0.0.1:9',
    FOLLOW_LINKS: 'no',
    ...settings,
  });
  return openApp(config, 'test', url, 20);
}

/**
 * @param settings further settings, as in the environment
 * @param through returns the address by which the program reaches its database, such as that of a proxy
 */
export async function testApp(
  settings: Record<string, string> = {},
  through: (url: string) => Promise<string> = async (url) => url,
): Promise<TestApp> {
  if (passwords.cheap) Object.assign(passwordCost, { memoryCost: 64, timeCost: 1 });
  // Those of the app of an earlier file in this process.
  uses.clear();
  const database = await testDatabase();
  const url = await through(database.url);
  const app = await appOn(url, settings);
  let server: FastifyInstance | undefined;
  const make = async (email: string, plan: 'free' | 'pro', addons: string[]) => {
    const { id } = await createAccount(app.db, { name: 'Test organisation', email });
    await setAccount(app.db, id, { plan, addons });
    const user = await createUser(app.db, { email, password: 'correct horse' });
    await addMember(app.db, id, user.id, 'owner');
    const { key } = await createKey(app.db, id, { label: 'test', scope: 'full' });
    const account = (await accountById(app.db, id))!;
    const callAs = async <T>(method: string, params: Record<string, unknown> = {}) =>
      (await call(app, method, params, { kind: 'system', accountId: id }, 'json')) as T;
    return { account, key, call: callAs as TestApp['call'] };
  };
  const first = await make('owner@example.com', 'free', []);
  let more = 0;
  return {
    app,
    ...first,
    anotherAccount: (plan = 'free', addons = []) => make(`owner${++more}@example.org`, plan, addons),
    anotherKey: async (scope) => (await createKey(app.db, first.account.id, { label: scope, scope })).key,
    async listen() {
      server = await createServer(app);
      const url = await server.listen({ port: 0, host: '127.0.0.1' });
      app.baseUrl = url;
      return url;
    },
    async close() {
      await server?.close();
      await app.standby?.close();
      if (!app.db.pool.ended) await app.db.close();
      await database.close();
    },
  };
}
