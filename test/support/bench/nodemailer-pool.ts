// nodemailer's pool as a yardstick: composes each message and sends it, without a database; with DKIM on request. Each pool is
// a process of its own, which runs this file.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createTransport } from 'nodemailer';
import { generateDkimKey } from '../../../src/senders/domains/dkim-key.ts';
import { connections, page } from './letter.ts';

const file = fileURLToPath(import.meta.url);
if (process.argv[1] === file)
  await runPool(Number(process.argv[2]), Number(process.argv[3]), process.argv[4] === 'signed');

/** Messages a second of so many pools together. @param signed with RSA-2048 */
export async function nodemailers(port: number, processes: number, each: number, signed = false): Promise<number> {
  const rates = await Promise.all(
    Array.from({ length: processes }, async () => {
      const child = spawn(process.execPath, [file, `${port}`, `${each}`, signed ? 'signed' : 'unsigned'], {
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
async function runPool(port: number, count: number, signed: boolean): Promise<void> {
  const { privateKey } = await generateDkimKey('rsa-sha256');
  const pool = createTransport({
    pool: true,
    host: '127.0.0.1',
    port,
    secure: false,
    ignoreTLS: true,
    maxConnections: connections,
    maxMessages: Number.POSITIVE_INFINITY,
    ...(signed && { dkim: { domainName: 'example.com', keySelector: 'a', privateKey } }),
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
