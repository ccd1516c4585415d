// The first start: makes the installation's secret and, when there is no account yet, the first account, its owner
// and its API key. What is generated is returned, to be printed once.
import { randomBytes } from 'node:crypto';
import { randomHex } from '../base/random.ts';
import type { Config } from '../config.ts';
import { type Database, type Queries, sql } from '../db/connect.ts';
import { addons, createAccount, setAccount } from './account.ts';
import { createKey } from './keys/key.ts';
import { addMember, createUser } from './people/user.ts';
import { awaitFirstRun } from './sign-in/first-run.ts';

export type FirstAccount = {
  email: string;
  password: string;
  apiKey: string;
  passwordGiven: boolean;
  keyGiven: boolean;
};

/** The installation's secret, made at the first call. 32 bytes. */
export async function installationSecret(db: Queries): Promise<Buffer> {
  await db.run(sql`
    insert into installation (key, value)
    values ('secret', ${JSON.stringify(randomBytes(32).toString('hex'))})
    on conflict (key) do nothing`);
  const row = await db.row<{ value: string }>(sql`select value from installation where key = 'secret'`);
  return Buffer.from(row!.value, 'hex');
}

/** Makes the first account when there is none; undefined when there is one already. Several processes may try at once. */
export async function setUpFirstAccount(db: Database, config: Config): Promise<FirstAccount | undefined> {
  return db.transaction(async (tx) => {
    await tx.run(sql`lock table account in share row exclusive mode`);
    const some = await tx.row<{ id: number }>(sql`select id from account limit 1`);
    if (some) return undefined;
    const password = config.setupPassword || randomHex(8);
    const account = await createAccount(tx, { name: 'My organisation', email: config.setupEmail });
    // An owner of the server gets everything; the operator of a server for others sets plans by command.
    await setAccount(tx, account.id, { plan: 'pro', addons: [...addons] });
    const user = await createUser(tx, { email: config.setupEmail, password });
    await addMember(tx, account.id, user.id, 'owner');
    // A password that was given is meant to be used; one that we made may be replaced by the page of the first run.
    if (config.setupPassword === '') await awaitFirstRun(tx, account.id, user.id);
    const { key } = await createKey(tx, account.id, { label: 'first key', scope: 'full', key: config.setupApiKey });
    return {
      email: config.setupEmail,
      password,
      apiKey: key,
      passwordGiven: config.setupPassword !== '',
      keyGiven: config.setupApiKey !== '',
    };
  });
}
