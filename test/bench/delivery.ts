// A whole campaign over the whole program, as fast as it goes: `npm run bench -- delivery [recipients] [workers]`.
// 20 kB a message, 20 links, ten merge tags, tokens and outcomes for each recipient, real PostgreSQL, to postfix's
// smtp-sink; in the same run smtp-source (C, no database, the same octets to every recipient) and nodemailer's pool, alone and
// in as many processes as there are workers (composing each message, no database). Prints rates, ratios, CPU and memory.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createTransport } from 'nodemailer';
import pg from 'pg';
import { freePort } from '../../src/base/free-port.ts';
import { readEmbeddedUrl } from '../../src/db/embedded/embedded.ts';
import { parseId } from '../../src/db/ids.ts';
import { Installation } from '../support/installation/installation.ts';

const withSbin = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` };
const mailBytes = 20_000;
const connections = 4;

if (process.argv[2] === 'nodemailer') {
  await nodemailerPool(Number(process.argv[3]), Number(process.argv[4]));
} else {
  await bench(Number(process.argv[2] ?? 100_000), Number(process.argv[3] ?? availableParallelism()));
}

async function bench(recipients: number, workers: number): Promise<void> {
  installPostfix();
  const sink = await startSink();
  const installation = new Installation({
    SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none`,
    WORKERS: `${workers}`,
    CHROMIUM_PATH: 'none',
  });
  try {
    const yardsticks: number[] = [await smtpSource(sink.port, 40_000)];
    const pool = await nodemailers(sink.port, 1, 6_000);
    const pools = workers > 1 ? await nodemailers(sink.port, workers, 6_000) : pool;
    await installation.start();
    const list = await installation.call<string>('listCreate', { title: 'Everybody' });
    await fill(installation, list, recipients);
    const cid = await draft(installation, list);
    const before = cpuOf(installation);
    const startedAt = performance.now();
    await installation.call('campaignSendNow', { cid });
    let launchedMs = 0;
    let highest = 0;
    let accepted = 0;
    for (;;) {
      const now = await installation.call<{ accepted: number; recipients: number; delivery_status: string }>(
        'campaignProgress',
        { cid },
      );
      if (launchedMs === 0 && now.delivery_status !== 'launching') launchedMs = performance.now() - startedAt;
      highest = Math.max(highest, ...installation.pids('work').map((pid) => peakMegabytes(pid)));
      accepted = now.accepted;
      if (now.delivery_status === 'sent') break;
      if (process.stderr.isTTY) process.stderr.write(`\r${accepted} of ${recipients} `);
      await sleep(250);
    }
    const seconds = (performance.now() - startedAt) / 1_000;
    const after = cpuOf(installation);
    if (accepted !== recipients) throw new Error(`${accepted} of ${recipients} were accepted`);
    yardsticks.push(await smtpSource(sink.port, 40_000));
    const source = Math.max(...yardsticks);
    const rate = recipients / seconds;
    const each = (part: Part) => `${(((after[part] - before[part]) * 1e6) / recipients).toFixed(0)} µs`;
    console.log(
      [
        `${recipients} recipients, ${workers} workers, ${mailBytes / 1_000} kB a message`,
        `postrider, whole program   ${rate.toFixed(0).padStart(6)} messages/s (${seconds.toFixed(1)} s from the call to sent, of it ${(launchedMs / 1_000).toFixed(1)} s launch)`,
        `smtp-source, before/after  ${yardsticks.map((yardstick) => yardstick.toFixed(0).padStart(6)).join(' /')} messages/s`,
        `nodemailer pool, alone     ${pool.toFixed(0).padStart(6)} messages/s; ${workers} processes ${pools.toFixed(0)}`,
        `against smtp-source (best) ${(rate / source).toFixed(2)}   against nodemailer ${(rate / pool).toFixed(1)} times (all processes: ${(rate / pools).toFixed(1)})`,
        `CPU a message: workers ${each('work')}, web ${each('web')}, PostgreSQL ${each('postgres')}`,
        `highest RSS of a worker: ${highest} MB`,
      ].join('\n'),
    );
  } finally {
    await installation.remove();
    sink.stop();
  }
}

type Part = 'work' | 'web' | 'postgres';

/** Seconds of CPU that the processes of each kind have used, with those of their children, ended or not. */
function cpuOf(installation: Installation): Record<Part, number> {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]!.split(' ');
        // Numbers of proc(5), from the third on: parent, then user and system time, own and of children waited for.
        const used = [11, 12, 13, 14].reduce((sum, field) => sum + Number(stat[field]), 0) / 100;
        return [{ pid: Number(name), parent: Number(stat[1]), used }];
      } catch {
        return [];
      }
    });
  const seconds = (part: Part) => {
    const own = new Set(installation.pids(part));
    return all.filter(({ pid, parent }) => own.has(pid) || own.has(parent)).reduce((sum, { used }) => sum + used, 0);
  };
  return { work: seconds('work'), web: seconds('web'), postgres: seconds('postgres') };
}

function peakMegabytes(pid: number): number {
  try {
    return Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024);
  } catch {
    return 0;
  }
}

/** Subscribed members straight into the tables: importing is measured elsewhere. */
async function fill(installation: Installation, list: string, recipients: number): Promise<void> {
  const client = new pg.Client({ connectionString: readEmbeddedUrl(installation.dataDir) });
  await client.connect();
  try {
    await client.query(
      `with made as (
         insert into contact (account_id, email, email_key, domain)
         select l.account_id, address, address, split_part(address, '@', 2)
         from list l, generate_series(1, $2::int) n, lateral (select format('reader.%s@mailbox%s.example', n, n % 300)) a(address)
         where l.id = $1
         returning account_id, id
       )
       insert into subscription (account_id, list_id, contact_id, status, fields, optin_at)
       select account_id, $1, id, 'subscribed', jsonb_build_object('FNAME', 'Ada ' || id, 'LNAME', 'Löwe'), now()
       from made`,
      [parseId(list), recipients],
    );
    await client.query('analyze contact');
    await client.query('analyze subscription');
  } finally {
    await client.end();
  }
}

function draft(installation: Installation, list: string): Promise<string> {
  return installation.call('campaignCreate', {
    type: 'HTML',
    options: {
      list_id: list,
      subject: 'News for *|FNAME|*',
      from_email: 'editors@example.com',
      from_name: 'The editors',
      tracking: { opens: true, html_clicks: true, text_clicks: false },
    },
    content: { html: page('*|FNAME|*'), plain: 'Hello *|FNAME|*, read it here: *|ARCHIVE|*\nLeave: *|UNSUB|*\n' },
  });
}

/** A letter of 20 links and ten places for a name; the mail made of it has 20 kB. */
function page(name: string): string {
  const blocks = Array.from(
    { length: 20 },
    (_, i) =>
      `<tr><td style="padding:8px"><a href="https://shop.example/goods/${i}?n=${i}">Offer ${i}${i % 2 ? ` for ${name}` : ''}</a></td></tr>`,
  );
  const filler = '<tr><td>Warm words about goods and their prices, as letters have them.</td></tr>\n';
  const rest = filler.repeat(Math.floor((mailBytes - 8_000) / 20 / filler.length));
  return `<html><body><table>\n${blocks.map((block) => `${block}\n${rest}`).join('')}</table><p><a href="*|UNSUB|*">Leave</a></p></body></html>`;
}

/** Messages a second of postfix's own client, which has no database and nothing to personalise. */
async function smtpSource(port: number, count: number): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(
    'smtp-source',
    `-d -s ${connections * 2} -m ${count} -l ${mailBytes} -f b@s.example -t ok@x.example 127.0.0.1:${port}`.split(' '),
    { stdio: ['ignore', 'ignore', 'inherit'], env: withSbin },
  );
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`smtp-source ended with ${code}`);
  return (count * 1_000) / (performance.now() - startedAt);
}

async function nodemailers(port: number, processes: number, each: number): Promise<number> {
  const rates = await Promise.all(
    Array.from({ length: processes }, async () => {
      const child = spawn(process.execPath, [fileURLToPath(import.meta.url), 'nodemailer', `${port}`, `${each}`], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let out = '';
      child.stdout.on('data', (text) => {
        out += text;
      });
      const [code] = await once(child, 'close');
      if (code !== 0) throw new Error(`the nodemailer process ended with ${code}`);
      return Number(out);
    }),
  );
  return rates.reduce((sum, rate) => sum + rate, 0);
}

/** Prints the messages a second of one pool. */
async function nodemailerPool(port: number, count: number): Promise<void> {
  const pool = createTransport({
    pool: true,
    host: '127.0.0.1',
    port,
    secure: false,
    ignoreTLS: true,
    maxConnections: connections,
    maxMessages: Number.POSITIVE_INFINITY,
  });
  const send = (n: number) =>
    pool.sendMail({
      from: '"The editors" <editors@example.com>',
      to: `reader.${n}@mailbox${n % 300}.example`,
      subject: `News for Ada ${n}`,
      text: `Hello Ada ${n}, read it on the page\n`,
      html: page(`Ada ${n}`),
    });
  for (let n = 0; n < 100; n++) await send(n);
  const startedAt = performance.now();
  let next = 0;
  const loop = async () => {
    while (next < count) await send(next++);
  };
  await Promise.all(Array.from({ length: connections * 3 }, loop));
  process.stdout.write(`${(count * 1_000) / (performance.now() - startedAt)}`);
  pool.close();
}

function installPostfix(): void {
  const there = (withSbin.PATH ?? '').split(':').some((folder) => {
    try {
      return readdirSync(folder).includes('smtp-sink');
    } catch {
      return false;
    }
  });
  if (there) return;
  if (process.getuid?.() !== 0)
    throw new Error('This needs smtp-sink and smtp-source: install postfix, or run it as root.');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  execFileSync('apt-get', ['update', '-qq'], { env, stdio: 'ignore' });
  execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'postfix'], { env, stdio: 'ignore' });
}

async function startSink(): Promise<{ port: number; stop(): void }> {
  const port = await freePort();
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn('smtp-sink', [...user, `127.0.0.1:${port}`, '200'], { stdio: 'ignore', env: withSbin });
  for (let tries = 0; tries < 100; tries++) {
    if (child.exitCode !== null) throw new Error('smtp-sink did not start');
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.end());
    });
    if (open) return { port, stop: () => child.kill() };
    await sleep(50);
  }
  child.kill();
  throw new Error('smtp-sink does not answer');
}
