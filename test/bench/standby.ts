// Which share of the reads a standby answers while the same account changes something: two web processes in turn, on one machine, with one
// change in so many reads. `--check` fails when a caller does not find its change, or below a share of 0.5.

import { createAccount } from '../../src/accounts/account/account.ts';
import { closeApp } from '../../src/app.ts';
import type { App } from '../../src/base/context.ts';
import { createLog } from '../../src/base/log.ts';
import { migrate } from '../../src/db/migrate/migrate.ts';
import { makePartitionsAt } from '../../src/db/partitions.ts';
import { call } from '../../src/doors/call.ts';
import { migrateQueue } from '../../src/jobs/queue-schema.ts';
import { missingForReplicas, ReplicatedCluster } from '../support/database/replicated.ts';
import { appOn } from '../support/installation/app.ts';
import { until } from '../support/run/until.ts';

const missing = missingForReplicas();
if (missing) throw new Error(missing);
const rounds = 2_000;
const changeEvery = 10;

const cluster = await ReplicatedCluster.create(async (url) => {
  await migrate(url);
  await migrateQueue(url, createLog('silent', 'bench'));
  await makePartitionsAt(url);
});
const pair = await cluster.pair();
const webs: App[] = [];
for (let n = 0; n < 2; n++) webs.push(await appOn(pair.url, { READ_DATABASE_URL: pair.replicaUrl }));
const { id: accountId } = await createAccount(webs[0]!.db, { name: 'Bench', email: 'bench@example.com' });
const as = <T>(n: number, name: string, params: Record<string, unknown>) =>
  call(webs[n % 2]!, name, params, { kind: 'system', accountId }, 'json') as Promise<T>;
const list = await as<string>(0, 'listCreate', { title: 'Readers' });
await until('the standby is used', () => webs.every(({ standby }) => standby!.isUsed));

let title = 'Readers';
let missed = 0;
const startedAt = performance.now();
for (let n = 0; n < rounds; n++) {
  if (n % changeEvery === 0) {
    title = `Readers ${n}`;
    await as(n, 'listUpdate', { id: list, name: 'title', value: title });
  }
  if ((await as<{ title: string }>(n + 1, 'listGet', { id: list })).title !== title) missed += 1;
}
const seconds = (performance.now() - startedAt) / 1_000;
const sum = (outcome: 'standby' | 'behind' | 'unused' | 'failed') =>
  webs.reduce((total, { standby }) => total + standby!.outcomes[outcome], 0);
const figures = {
  reads: rounds,
  share_on_standby: Math.round((sum('standby') / rounds) * 1_000) / 1_000,
  behind: sum('behind'),
  unused: sum('unused'),
  failed: sum('failed'),
  changes_not_found: missed,
  reads_per_s: Math.round(rounds / seconds),
};
console.log(JSON.stringify(figures, null, 2));
for (const app of webs) await closeApp(app);
await pair.close();
await cluster.close();
if (process.argv.includes('--check') && (missed > 0 || figures.share_on_standby < 0.5)) process.exitCode = 1;
