// The cost of a signature: a message of 20 kB, in microseconds of wall time and of CPU per message, for each algorithm,
// and the share of the event loop. nodemailer's signer in the same run is the yardstick.
import { createRequire } from 'node:module';
import { createSigner } from '../../src/delivery/message/dkim.ts';
import { relaxedBodyHash } from '../../src/delivery/message/relaxed-body.ts';
import { generateDkimKey } from '../../src/senders/domains/dkim-key.ts';
import { content, mailFor } from '../support/builders/mail.ts';

const row = '<tr>\n  <td style="padding:8px">Warm words about goods, and a price in a line of their own.</td>\n</tr>\n';
const html = `<html><body><table>\n${row.repeat(150)}</table></body></html>`;
const message = mailFor({ ...content(), html });
const end = message.indexOf('\r\n\r\n') + 4;
const head = message.subarray(0, end);
const body = message.subarray(end);

const rsa = await generateDkimKey('rsa-sha256');
const ed25519 = await generateDkimKey('ed25519-sha256');
const key = (pair: typeof rsa, selector: string) => ({
  domain: 'shop.example',
  selector,
  privateKey: pair.privateKey,
  algorithm: pair.algorithm,
});
const withRsa = createSigner([key(rsa, 'r')]);
const withEd25519 = createSigner([key(ed25519, 'e')]);
const withBoth = createSigner([key(rsa, 'r'), key(ed25519, 'e')]);

// The signer inside nodemailer, which signs on the event loop.
const nodemailerSign = createRequire(import.meta.url)('nodemailer/lib/dkim') as new (
  options: object,
) => { sign(message: Buffer): NodeJS.ReadableStream };

const figures = {
  body_hash: await cost(4_000, 1, async () => void relaxedBodyHash(body)),
  ed25519: await cost(4_000, 16, async () => void (await withEd25519.sign(head, body))),
  rsa_2048: await cost(2_000, 16, async () => void (await withRsa.sign(head, body))),
  both: await cost(2_000, 16, async () => void (await withBoth.sign(head, body))),
  nodemailer_rsa_2048: await cost(1_000, 16, () => {
    const signer = new nodemailerSign({ domainName: 'shop.example', keySelector: 'r', privateKey: rsa.privateKey });
    return new Promise((resolve) => signer.sign(message).on('end', resolve).resume());
  }),
};
console.log(`${message.length} bytes`);
console.table(figures);

/** Microseconds a message: of wall time, of CPU in all threads, and of the event loop's own. */
async function cost(rounds: number, atOnce: number, run: () => Promise<unknown>) {
  await inParallel(Math.ceil(rounds / 4), atOnce, run);
  const [start, cpu, loop] = [process.hrtime.bigint(), process.cpuUsage(), performance.eventLoopUtilization()];
  await inParallel(rounds, atOnce, run);
  const used = process.cpuUsage(cpu);
  return {
    wall_us: round(Number(process.hrtime.bigint() - start) / 1000 / rounds),
    cpu_us: round((used.user + used.system) / rounds),
    loop_us: round((performance.eventLoopUtilization(loop).active * 1000) / rounds),
  };
}

async function inParallel(rounds: number, atOnce: number, run: () => Promise<unknown>): Promise<void> {
  let left = rounds;
  const loop = async () => {
    while (left-- > 0) await run();
  };
  await Promise.all(Array.from({ length: atOnce }, loop));
}

function round(figure: number): number {
  return Math.round(figure * 10) / 10;
}
