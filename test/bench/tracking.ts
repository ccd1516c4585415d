// How many opens and clicks a second one web process takes in, each answered after the commit that keeps it. Beside it,
// in the same run and with the same driver, a bare Fastify route that answers the pixel and keeps nothing: the yardstick.
// Requests go over kept loopback connections, pipelined. The driver runs in a worker thread and PostgreSQL in processes of
// its own, so the figures by CPU time are those of one core; those by the clock depend on how many cores are free.
// `--check` fails below 15,000 opens or clicks a second of the web thread's own CPU time.
import { connect } from 'node:net';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import Fastify from 'fastify';
import { sql } from '../../src/db/connect.ts';
import { parseId } from '../../src/db/ids.ts';
import { launch } from '../../src/delivery/launch/launch.ts';
import { tokensOf } from '../../src/tracking/token-secret.ts';
import { testApp } from '../support/installation/app.ts';

const secondsEach = 4;
const connections = 64;
const pipelined = 32;
const recipients = 2_000;
const wanted = 15_000;

type Order = { port: number; paths: string[]; seconds: number };

if (isMainThread) await measure();
else parentPort!.postMessage(await drive(workerData as Order));

async function measure(): Promise<void> {
  const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
  const bare = Fastify();
  bare.get('/o/:token', (_request, reply) => reply.type('image/gif').header('cache-control', 'no-store').send(pixel));
  const bareUrl = await bare.listen({ port: 0, host: '127.0.0.1' });
  const app = await testApp();
  const base = await app.listen();
  const { opens, clicks } = await addresses(app);
  const yardstick = await run(bareUrl, opens);
  const opened = await run(base, opens);
  const clicked = await run(base, clicks);
  const kept = await app.app.db.row<{ count: number }>(sql`select count(*)::int as count from hit`);
  await bare.close();
  await app.close();
  const bareRate = yardstick.answers / yardstick.cpuSeconds;
  const figures = {
    bare_per_s: Math.round(yardstick.answers / yardstick.seconds),
    opens_per_s: Math.round(opened.answers / opened.seconds),
    clicks_per_s: Math.round(clicked.answers / clicked.seconds),
    bare_per_cpu_s: Math.round(bareRate),
    opens_per_cpu_s: Math.round(opened.answers / opened.cpuSeconds),
    clicks_per_cpu_s: Math.round(clicked.answers / clicked.cpuSeconds),
    opens_of_bare: Number((opened.answers / opened.cpuSeconds / bareRate).toFixed(2)),
    clicks_of_bare: Number((clicked.answers / clicked.cpuSeconds / bareRate).toFixed(2)),
    answered: opened.answers + clicked.answers,
    kept: kept!.count,
  };
  console.log(JSON.stringify(figures, null, 2));
  if (kept!.count < figures.answered) throw new Error('a hit that was answered is not in the database');
  if (process.argv.includes('--check') && Math.min(figures.opens_per_cpu_s, figures.clicks_per_cpu_s) < wanted) {
    throw new Error(`fewer than ${wanted} a second`);
  }
}

/** A launched campaign of many recipients, and the URLs in their messages. */
async function addresses(app: Awaited<ReturnType<typeof testApp>>): Promise<{ opens: string[]; clicks: string[] }> {
  const list = await app.call<string>('listCreate', { title: 'Bench' });
  await app.call('listBatchSubscribe', {
    id: list,
    batch: Array.from({ length: recipients }, (_, n) => ({ EMAIL: `reader${n}@example.com` })),
    double_optin: false,
  });
  const cid = await app.call<string>('campaignCreate', {
    type: 'HTML',
    options: { list_id: list, subject: 's', from_email: 'us@example.com', from_name: 'Us', generate_text: true },
    content: { html: '<a href="https://example.com/">x</a>' },
  });
  await app.call('campaignSendNow', { cid });
  await launch(app.app, { account: app.account.id, campaign: parseId(cid) });
  const messages = Array.from({ length: recipients }, (_, n) =>
    tokensOf(app.app).tokens({ account: app.account.id, campaign: parseId(cid), seq: n + 1, contact: 1, lists: [1] }),
  );
  return { opens: messages.map(({ open }) => `/o/${open}`), clicks: messages.map(({ click }) => `/c/${click}0`) };
}

async function run(url: string, paths: string[]) {
  const order: Order = { port: Number(new URL(url).port), paths, seconds: secondsEach };
  const before = process.threadCpuUsage();
  const driver = new Worker(new URL(import.meta.url), { workerData: order });
  const answered = await new Promise<{ answers: number; seconds: number }>((resolve, reject) => {
    driver.once('message', resolve);
    driver.once('error', reject);
  });
  const used = process.threadCpuUsage(before);
  await driver.terminate();
  return { ...answered, cpuSeconds: (used.user + used.system) / 1e6 };
}

/** Keeps this many requests in flight on each connection until the time is over; counts whole answers. */
async function drive({ port, paths, seconds }: Order): Promise<{ answers: number; seconds: number }> {
  const startedAt = performance.now();
  const until = startedAt + seconds * 1_000;
  let next = 0;
  const request = () =>
    `GET ${paths[next++ % paths.length]} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64) Thunderbird/128.0\r\n\r\n`;
  const loops = Array.from({ length: connections }, async () => {
    let answers = 0;
    let open = 0;
    const socket = connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    socket.setEncoding('latin1');
    const fill = () => {
      let text = '';
      for (; open < pipelined; open++) text += request();
      socket.write(text);
    };
    let rest = '';
    await new Promise<void>((resolve, reject) => {
      socket.on('error', reject);
      socket.on('connect', fill);
      socket.on('data', (chunk) => {
        const text = rest + String(chunk);
        const heads = text.match(/HTTP\/1\.1 \d{3}/g) ?? [];
        if (heads.some((head) => !/ (?:200|302)$/.test(head))) return reject(new Error(`answers: ${heads.join()}`));
        answers += heads.length;
        open -= heads.length;
        // An answer's first line may be cut in two.
        rest = /(?:HTTP\/1\.1(?: \d{0,2})?|HTTP\/1\.?|HTTP\/?|HTT?|H)$/.exec(text)?.[0] ?? '';
        if (performance.now() < until) {
          if (open < pipelined / 2) fill();
        } else if (open === 0) {
          socket.end();
          resolve();
        }
      });
    });
    return answers;
  });
  const counts = await Promise.all(loops);
  return { answers: counts.reduce((sum, one) => sum + one, 0), seconds: (performance.now() - startedAt) / 1_000 };
}
