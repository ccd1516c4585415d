// How the rate of a campaign grows with workers, and what ends the growth: `npm run bench -- scale [seconds] [workers …]`.
// The relays take 50 ms for each message and defer 5 % of them. Each worker adds the same small number of connections, so that the
// wait for the relays is the limit until a resource of this machine is used up. Prints a table for docs/figures.md.
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { readEmbeddedUrl } from '../../src/db/embedded/embedded.ts';
import { draft, fill, inDatabase } from '../support/bench/letter.ts';
import { cpuOf, cpuOfProcesses } from '../support/bench/processes.ts';
import { Installation } from '../support/installation/installation.ts';
import { type SinkProcess, startSinkProcess } from '../support/smtp-sink/process.ts';

const connectionsPerWorker = 8;
const replyMs = 50;
const deferredShare = 0.05;
/** A resource that is used more than this is what limits. */
const fullShare = 0.85;
const cores = cpus().length;

const [seconds = 20, ...counts] = process.argv.slice(2).map(Number);
const lines: string[] = [];
for (const workers of counts.length > 0 ? counts : [2, 4, 8, 16]) lines.push(await measure(workers));
console.log(
  [
    `${connectionsPerWorker} connections for each worker, ${replyMs} ms for each message, ${deferredShare * 100} % deferred; ${cores} cores, shared with the relays`,
    '',
    '| workers | connections | messages/s | of what the relays allow | CPU a message: workers / PostgreSQL / relays | sessions waiting for a lock | limit |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...lines,
  ].join('\n'),
);

/** One run with a fresh installation. @returns its line of the table */
async function measure(workers: number): Promise<string> {
  const connections = workers * connectionsPerWorker;
  const allowed = (connections * 1_000) / replyMs;
  // Two relays, each with half of the connections.
  const sinks = await Promise.all([1, 2].map(() => startSinkProcess({}, `tls=none&connections=${connections / 2}`)));
  const installation = new Installation({
    SMTP_URL: sinks.map(({ url }) => url).join(' '),
    WORKERS: String(workers),
    CHROMIUM_PATH: 'none',
  });
  try {
    await installation.start();
    const list = await installation.call<string>('listCreate', { title: 'Readers' });
    // Enough for a tenth more than the relays take in that time, and for those sent before it begins.
    await fill(installation, list, Math.ceil(allowed * (seconds + 5) * 1.1));
    await giveAddresses(installation);
    const cid = await draft(installation, list);
    await installation.call('campaignSendNow', { cid });
    const tried = () => triedOf(installation, cid);
    await installation.until('it has begun', async () => (await tried()) > allowed);
    const locks = watchLocks(installation);
    const before = {
      at: performance.now(),
      tried: await tried(),
      cpu: usedBy(installation, sinks),
      idle: idleSeconds(),
    };
    await sleep(seconds * 1_000);
    const after = {
      at: performance.now(),
      tried: await tried(),
      cpu: usedBy(installation, sinks),
      idle: idleSeconds(),
    };
    const waiting = await locks.stop();
    const tookSeconds = (after.at - before.at) / 1_000;
    const messages = after.tried - before.tried;
    const used = after.cpu.map((cpu, part) => cpu - before.cpu[part]!);
    const each = used.map((cpu) => `${((cpu * 1e6) / messages).toFixed(0)}`);
    const share = messages / tookSeconds / allowed;
    // Of the machine, with all that runs on it.
    const busy = 1 - (after.idle - before.idle) / tookSeconds / cores;
    return `| ${[
      workers,
      connections,
      (messages / tookSeconds).toFixed(0),
      `${(share * 100).toFixed(0)} %`,
      `${each.join(' / ')} µs`,
      waiting.toFixed(2),
      limitOf(share, busy, waiting),
    ].join(' | ')} |`;
  } finally {
    await installation.remove();
    for (const sink of sinks) await sink.close();
  }
}

/** Every twentieth recipient is deferred once, by a reply about that mailbox only: others would let its domain rest. The others wait for the reply to the end of their message. */
async function giveAddresses(installation: Installation): Promise<void> {
  await inDatabase(installation, (client) =>
    client.query(
      `update contact c
       set email = n.address, email_key = n.address
       from (
         select id, format('%s.%s@%s', case when id % $1 = 0 then '450x1rcpt' else $2 end, id, domain) as address
         from contact
       ) n
       where n.id = c.id`,
      [Math.round(1 / deferredShare), `delay${replyMs}-dot`],
    ),
  );
}

/** What keeps the rate from growing further. */
function limitOf(share: number, busy: number, waiting: number): string {
  if (share > fullShare) return 'the relays';
  if (busy > fullShare) return `CPU of the machine (${(busy * 100).toFixed(0)} %)`;
  if (waiting > 1) return 'locks';
  return `none found (CPU ${(busy * 100).toFixed(0)} %)`;
}

async function triedOf(installation: Installation, cid: string): Promise<number> {
  const { accepted, later } = await installation.call<{ accepted: number; later: number }>('campaignProgress', { cid });
  return accepted + later;
}

/** Seconds that the cores of this machine had nothing to do, so far. */
function idleSeconds(): number {
  return cpus().reduce((sum, { times }) => sum + times.idle, 0) / 1_000;
}

/** Seconds of CPU so far: of the workers, of PostgreSQL and of the relays. */
function usedBy(installation: Installation, sinks: readonly SinkProcess[]): number[] {
  const { work, postgres } = cpuOf(installation);
  return [work, postgres, cpuOfProcesses(sinks.map(({ pid }) => pid))];
}

/** Counts sessions that wait for a lock, until it is stopped. @returns how many that were on average */
function watchLocks(installation: Installation): { stop(): Promise<number> } {
  let on = true;
  let looks = 0;
  let found = 0;
  const watching = (async () => {
    const client = new pg.Client({ connectionString: readEmbeddedUrl(installation.dataDir) });
    await client.connect();
    while (on) {
      const { rows } = await client.query<{ count: number }>(
        `select count(*)::int as count
         from pg_stat_activity
         where state = 'active' and wait_event_type in ('Lock', 'LWLock') and pid <> pg_backend_pid()`,
      );
      looks += 1;
      found += rows[0]!.count;
      await sleep(100);
    }
    await client.end();
  })();
  return {
    async stop() {
      on = false;
      await watching;
      return found / Math.max(1, looks);
    },
  };
}
