// The first start: when there is no account yet, makes the first one, its owner and its API key. What is generated is written
// to a file that only this user can read: output ends up in logs.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderMessage } from '../base/messages.ts';
import { randomHex } from '../base/random.ts';
import type { Config } from '../config.ts';
import { type Database, sql } from '../db/connect.ts';
import { addons, createAccount, setAccount } from './account/account.ts';
import { createKey } from './keys/key.ts';
import { awaitFirstRun } from './people/placeholder.ts';
import { addMember, createUser } from './people/user.ts';
import { passwordProblem } from './sign-in/password-strength.ts';

/** `file` has the generated credentials; undefined when all were given. */
export type FirstAccount = { email: string; file: string | undefined };

/**
 * Makes the first account when there is none; undefined when there is one already. Several processes may try at the same time.
 * @throws Error when SETUP_PASSWORD is too weak, or the file cannot be written: then there is no account
 */
export async function setUpFirstAccount(
  db: Database,
  config: Config,
  baseUrl: string,
): Promise<FirstAccount | undefined> {
  return db.transaction(async (tx) => {
    await tx.run(sql`lock table account in share row exclusive mode`);
    const some = await tx.row<{ id: number }>(sql`select id from account limit 1`);
    if (some) return undefined;
    const weak =
      config.setupPassword && passwordProblem(config.setupPassword, { email: config.setupEmail }, 'SETUP_PASSWORD');
    if (weak) throw new Error(renderMessage(weak));
    const password = config.setupPassword || randomHex(8);
    const account = await createAccount(tx, { name: 'My organisation', email: config.setupEmail });
    // An owner of the server gets everything; the operator of a server for others sets plans by command.
    await setAccount(tx, account.id, { plan: 'pro', addons: [...addons] });
    const user = await createUser(tx, { email: config.setupEmail, password });
    await addMember(tx, account.id, user.id, 'owner');
    // A password that was given is meant to be used; one that we made may be replaced by the page of the first run.
    if (config.setupPassword === '') await awaitFirstRun(tx, account.id, user.id);
    const { key } = await createKey(tx, account.id, { label: 'first key', scope: 'full', key: config.setupApiKey });
    const generated = [
      ...(config.setupPassword === '' ? [['EMAIL', config.setupEmail] as const, ['PASSWORD', password] as const] : []),
      ...(config.setupApiKey === '' ? [['API_KEY', key] as const] : []),
    ];
    const file =
      generated.length > 0 ? writeCredentials(config.dataDir, [...generated, ['BASE_URL', baseUrl]]) : undefined;
    return { email: config.setupEmail, file };
  });
}

/** Lines of NAME=value, which a shell and env(1) read. @returns the path of the file */
function writeCredentials(dataDir: string, credentials: readonly (readonly [name: string, value: string])[]): string {
  const file = join(dataDir, 'first-account.env');
  mkdirSync(dataDir, { recursive: true });
  // The mode applies to a new file only.
  rmSync(file, { force: true });
  writeFileSync(file, credentials.map(([name, value]) => `${name}=${value}\n`).join(''), { flag: 'wx', mode: 0o600 });
  return file;
}
