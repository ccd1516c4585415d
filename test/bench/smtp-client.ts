// How many messages a second our SMTP client gives to the sink, which runs as a process of its own, beside nodemailer's
// pool to the same sink in the same run: `node test/bench/smtp-client.ts [messages]`. 20 kB each, 4 connections, without
// TLS. Prints messages a second, this process's CPU a message, and the ratio; fails when the sink counts other than sent.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createTransport } from 'nodemailer';
import { connectTo, mailTo } from '../support/smtp.ts';

const messages = Number(process.argv[2] ?? 20_000);
const connections = 4;
/** Sends under way on each of our connections: one being answered, one being sent. */
const depth = 2;

const head = 'Message-ID: <bench@sender.example>\r\nSubject: bench\r\n\r\n';
const body = Buffer.from(head + `${'x'.repeat(76)}\r\n`.repeat(260));

type Sink = { process: ChildProcess; lines: Interface; port: number };

async function startSinkProcess(): Promise<Sink> {
  const path = fileURLToPath(new URL('../support/sink-main.ts', import.meta.url));
  const child = spawn(process.execPath, [path, JSON.stringify({ remember: false, hash: false })], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout! });
  const [first] = await once(lines, 'line');
  return { process: child, lines, port: JSON.parse(first).port };
}

async function acceptedBy(sink: Sink): Promise<number> {
  sink.process.stdin!.write('{"counts":true}\n');
  const [line] = await once(sink.lines, 'line');
  return JSON.parse(line).counts.accepted;
}

async function stop(sink: Sink): Promise<void> {
  const ended = once(sink.process, 'exit');
  sink.process.stdin!.end();
  await ended;
}

/** Runs `lanes` loops that share the messages. */
async function share(count: number, lanes: number, send: (n: number, lane: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (number: number) => {
    while (next < count) await send(next++, number);
  };
  await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)));
}

async function ours(port: number, count: number): Promise<void> {
  const open = await Promise.all(Array.from({ length: connections }, () => connectTo(port)));
  await share(count, connections * depth, async (n, lane) => {
    const outcome = await open[lane % connections]!.send(mailTo(`ok.${n}@x.example`, { message: body }));
    if (outcome.kind !== 'reply' || outcome.code !== 250) throw new Error(JSON.stringify(outcome));
  });
  await Promise.all(open.map((connection) => connection.close()));
}

async function nodemailers(port: number, count: number): Promise<void> {
  const pool = createTransport({
    pool: true,
    host: '127.0.0.1',
    port,
    secure: false,
    ignoreTLS: true,
    maxConnections: connections,
    maxMessages: Number.POSITIVE_INFINITY,
  });
  await share(count, connections * depth, async (n) => {
    await pool.sendMail({ envelope: { from: 'bounce@sender.example', to: `ok.${n}@x.example` }, raw: body });
  });
  pool.close();
}

async function measure(name: string, send: (port: number, count: number) => Promise<void>): Promise<number> {
  const sink = await startSinkProcess();
  try {
    await send(sink.port, Math.ceil(messages / 20));
    const before = await acceptedBy(sink);
    const cpu = process.cpuUsage();
    const startedAt = performance.now();
    await send(sink.port, messages);
    const seconds = (performance.now() - startedAt) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    const arrived = (await acceptedBy(sink)) - before;
    if (arrived !== messages) throw new Error(`${name}: ${arrived} of ${messages} arrived`);
    const rate = messages / seconds;
    console.log(
      `${name.padEnd(16)} ${rate.toFixed(0).padStart(6)} messages/s  ${((user + system) / messages).toFixed(0)} µs CPU a message`,
    );
    return rate;
  } finally {
    await stop(sink);
  }
}

const our = await measure('ours', ours);
const theirs = await measure('nodemailer pool', nodemailers);
console.log(`ratio ${(our / theirs).toFixed(1)}`);
