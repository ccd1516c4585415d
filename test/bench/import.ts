// How fast a file of contacts gets into a list, by the whole program with a worker and its own PostgreSQL:
// `npm run bench -- import [rows]`. Imports into a new list, then the same file again with every name changed, each
// beside the yardstick of the same run: COPY of the bare file into a table without indexes. Prints one line of JSON; rows
// per CPU second of PostgreSQL's sessions and of the worker mean more than rows per second where the machine is shared.
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { from as copyFrom } from 'pg-copy-streams';
import { appendUpload, createUpload } from '../../src/audience/import/file/upload.ts';
import { connect, sql } from '../../src/db/connect.ts';
import { readEmbeddedUrl } from '../../src/db/embedded/embedded.ts';
import { formatId, parseId } from '../../src/db/ids.ts';
import { Installation } from '../support/installation/installation.ts';

type Status = { state: string; reason: string; position: number; rate: number; result: Record<string, number> };

const rows = Number(process.argv[2] ?? 1_000_000);
const installation = new Installation({ WORKERS: '1', CHROMIUM_PATH: 'none' });
try {
  await installation.start();
  const db = connect(readEmbeddedUrl(installation.dataDir)!, { maxConnections: 2 });
  const account = await db.row<{ id: number }>(sql`select id from account limit 1`);
  const bareMs = await bareCopy();
  const list = await installation.call<string>('listCreate', { title: 'Everybody' });
  const idleMegabytes = peakMegabytes();
  const into = await timeImport('first', {});
  const again = await timeImport('second', { update: 'update' });
  const answer = {
    rows,
    bareCopyPerS: Math.round(rows / (bareMs / 1_000)),
    intoNewListPerS: into.perS,
    shareOfBareCopy: Number((into.ms > 0 ? bareMs / into.ms : 0).toFixed(3)),
    intoNewListPerCpuS: into.perCpuS,
    updateAllPerS: again.perS,
    updateAllPerCpuS: again.perCpuS,
    workerIdleMegabytes: idleMegabytes,
    workerPeakMegabytes: peakMegabytes(),
  };
  console.log(JSON.stringify(answer));

  async function bareCopy(): Promise<number> {
    const client = await db.pool.connect();
    await client.query('create table bare (email text, first_name text, last_name text, city text, joined text)');
    const startedAt = performance.now();
    await pipeline(
      Readable.from(csv('bare')),
      client.query(copyFrom('copy bare from stdin with (format csv, header true)')),
    );
    const ms = performance.now() - startedAt;
    await client.query('drop table bare');
    client.release();
    return ms;
  }

  async function timeImport(name: string, options: Record<string, unknown>): Promise<Timed> {
    const upload = await createUpload(db, account!.id, 'bench.csv');
    await appendUpload(db, account!.id, upload, 0, csv(name));
    const id = await installation.call<string>('importCreate', {
      id: list,
      upload: formatId(upload),
      options: { mapping: { City: 'new:CITY', Joined: 'new:JOINED:date' }, ...options },
    });
    const before = { postgres: cpuSeconds('postgres'), work: cpuSeconds('work') };
    await installation.call('importStart', { import: id });
    for (;;) {
      const now = await installation.call<Status>('importGet', { import: id });
      if (process.stderr.isTTY) process.stderr.write(`\r${now.position} rows, ${now.rate}/s `);
      if (now.state === 'done') break;
      if (now.state !== 'running') throw new Error(`the import is ${now.state}: ${now.reason}`);
      await sleep(250);
    }
    const { ms } = (await db.row<{ ms: number }>(sql`
      select extract(epoch from ended_at - started_at)::float * 1000 as ms from import where id = ${parseId(id)}`))!;
    const perCpuS = {
      postgres: Math.round(rows / (cpuSeconds('postgres') - before.postgres)),
      worker: Math.round(rows / (cpuSeconds('work') - before.work)),
    };
    return { ms, perS: Math.round(rows / (ms / 1_000)), perCpuS };
  }

  await db.close();
} finally {
  await installation.remove();
}

async function* csv(name: string): AsyncGenerator<Buffer> {
  let text = 'Email,First Name,Last Name,City,Joined\n';
  for (let i = 0; i < rows; i++) {
    text += `reader${i}@example${i % 5_000}.com,${name}${i % 1_000},"Last, ${i % 777}",Town ${i % 300},2024-0${1 + (i % 9)}-11\n`;
    if (text.length > 256 * 1024) {
      yield Buffer.from(text);
      text = '';
    }
  }
  yield Buffer.from(text);
}

type Timed = { ms: number; perS: number; perCpuS: { postgres: number; worker: number } };

/** What the processes of a kind that live now have used, those they had before them included. Ticks are 10 ms on Linux. */
function cpuSeconds(part: 'postgres' | 'work'): number {
  const ticks = installation.pids(part).map((pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  });
  return ticks.reduce((sum, one) => sum + one, 0) / 100;
}

/** The most memory the worker has had, in MB. */
function peakMegabytes(): number {
  return Math.max(
    ...installation.pids('work').map((pid) => {
      const line = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
      return Math.round(Number(line?.[1] ?? 0) / 1_000);
    }),
  );
}
