// How many messages a second our SMTP client gives to a sink, which runs as a process of its own, beside nodemailer's
// pool to the same sink in the same run: `node test/bench/smtp-client.ts [messages]`. 20 kB each, 4 connections, without
// TLS. The sink is postfix's smtp-sink where that is installed, which takes more than any client gives, and is joined by
// its smtp-source; else our own, which counts and is itself the limit. Three rounds in turn, the best of each is reported,
// because other work on the machine only ever slows one down.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface, type Interface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createTransport } from 'nodemailer';
import { freePort } from '../../src/base/free-port.ts';
import { connectTo, mailTo } from '../support/builders/smtp.ts';

const messages = Number(process.argv[2] ?? 20_000);
const connections = 4;
/** Sends in flight on each of our connections: one being answered, one being sent, one waiting. */
const depth = 3;
const rounds = 3;

const head = 'Message-ID: <bench@sender.example>\r\nSubject: bench\r\n\r\n';
const body = Buffer.from(head + `${'x'.repeat(76)}\r\n`.repeat(260));

type Sink = {
  pid: number;
  port: number /** undefined where the sink does not count. */;
  accepted?(): Promise<number>;
  stop(): Promise<void>;
};

async function startOwnSink(): Promise<Sink> {
  const path = fileURLToPath(new URL('../support/smtp-sink/main.ts', import.meta.url));
  const child = spawn(process.execPath, [path, JSON.stringify({ remember: false, hash: false })], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout! });
  const [first] = await once(lines, 'line');
  return {
    port: JSON.parse(first).port,
    pid: child.pid!,
    accepted: () => countedBy(child, lines),
    async stop() {
      const ended = once(child, 'exit');
      child.stdin!.end();
      await ended;
    },
  };
}

async function countedBy(child: ChildProcess, lines: Interface): Promise<number> {
  child.stdin!.write('{"counts":true}\n');
  const [line] = await once(lines, 'line');
  return JSON.parse(line).counts.accepted;
}

/** undefined where postfix is not installed. */
async function startPostfixSink(): Promise<Sink | undefined> {
  const port = await freePort();
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn('smtp-sink', [...user, `127.0.0.1:${port}`, '200'], { stdio: 'ignore', env: withSbin });
  const failed = new Promise<true>((resolve) =>
    child.once('error', () => resolve(true)).once('exit', () => resolve(true)),
  );
  for (let i = 0; i < 100; i++) {
    if (await Promise.race([failed, sleep(20, false)])) return undefined;
    if (await answers(port))
      return {
        port,
        pid: child.pid!,
        async stop() {
          child.kill();
          await failed;
        },
      };
  }
  child.kill();
  return undefined;
}

const withSbin = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` };

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** Runs `loops` loops that share the messages. */
async function share(count: number, loops: number, send: (n: number, loop: number) => Promise<void>): Promise<void> {
  let next = 0;
  const loop = async (number: number) => {
    while (next < count) await send(next++, number);
  };
  await Promise.all(Array.from({ length: loops }, (_, number) => loop(number)));
}

async function ours(port: number, count: number): Promise<void> {
  const open = await Promise.all(Array.from({ length: connections }, () => connectTo(port)));
  await share(count, connections * depth, async (n, loop) => {
    const outcome = await open[loop % connections]!.send(mailTo(`ok.${n}@x.example`, { message: body }));
    if (outcome.kind !== 'reply' || outcome.code !== 250) throw new Error(JSON.stringify(outcome));
  });
  await Promise.all(open.map((connection) => connection.close()));
}

/** `mail` is what the pool is given beside the envelope: the octets as they are, or parts that it composes. */
function nodemailers(mail: { raw: Buffer } | { from: string; subject: string; html: string }) {
  return async (port: number, count: number): Promise<void> => {
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
      const to = `ok.${n}@x.example`;
      await pool.sendMail({ ...mail, to, envelope: { from: 'bounce@sender.example', to } });
    });
    pool.close();
  };
}

/** Postfix's own client in C, which does not pipeline. */
async function smtpSource(port: number, count: number): Promise<void> {
  const child = spawn(
    'smtp-source',
    `-d -s ${connections} -m ${count} -l ${body.length} -f b@s.example -t ok@x.example 127.0.0.1:${port}`.split(' '),
    { stdio: ['ignore', 'ignore', 'inherit'], env: withSbin },
  );
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`smtp-source ended with ${code}`);
}

/** Seconds of CPU a process has used, from Linux's own count of hundredths; undefined elsewhere. */
const sinkCpuOf =
  process.platform === 'linux'
    ? (pid: number): number => {
        const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
        return (Number(fields[11]) + Number(fields[12])) / 100;
      }
    : undefined;

type Contender = {
  name: string;
  send(port: number, count: number): Promise<void>;
  best: number;
  cpuMicros: number;
  sinkLoad: number;
};

async function measure(contender: Contender, sink: Sink): Promise<void> {
  await contender.send(sink.port, Math.ceil(messages / 20));
  const before = (await sink.accepted?.()) ?? 0;
  const sinkCpu = sinkCpuOf?.(sink.pid) ?? 0;
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  await contender.send(sink.port, messages);
  const seconds = (performance.now() - startedAt) / 1000;
  const rate = messages / seconds;
  if (rate > contender.best) contender.sinkLoad = ((sinkCpuOf?.(sink.pid) ?? 0) - sinkCpu) / seconds;
  const { user, system } = process.cpuUsage(cpu);
  const arrived = sink.accepted ? (await sink.accepted()) - before : messages;
  if (arrived !== messages) throw new Error(`${contender.name}: ${arrived} of ${messages} arrived`);
  contender.best = Math.max(contender.best, rate);
  contender.cpuMicros = Math.min(contender.cpuMicros, (user + system) / messages);
}

const postfix = await startPostfixSink();
const sink = postfix ?? (await startOwnSink());
const contender = (name: string, send: Contender['send']): Contender => ({
  name,
  send,
  best: 0,
  cpuMicros: Number.POSITIVE_INFINITY,
  sinkLoad: 0,
});
const our = contender('ours', ours);
const theirs = contender('nodemailer pool, given octets', nodemailers({ raw: body }));
const composed = contender(
  'nodemailer pool, composing',
  nodemailers({ from: 'bounce@sender.example', subject: 'bench', html: `${'x'.repeat(76)}\n`.repeat(260) }),
);
const contenders = [our, theirs, composed, ...(postfix ? [contender('smtp-source', smtpSource)] : [])];
try {
  for (let round = 0; round < rounds; round++) for (const one of contenders) await measure(one, sink);
} finally {
  await sink.stop();
}
console.log(`${messages} messages to ${postfix ? 'smtp-sink' : 'our own sink'}, best of ${rounds}`);
for (const { name, best, cpuMicros } of contenders) {
  // smtp-source spends its time in a process of its own.
  const cpu = name === 'smtp-source' ? '' : `  ${cpuMicros.toFixed(0).padStart(4)} µs CPU a message`;
  console.log(`${name.padEnd(30)} ${best.toFixed(0).padStart(6)} messages/s${cpu}`);
}
for (const other of [theirs, composed]) {
  const byTime = (our.best / other.best).toFixed(1);
  const byCpu = (other.cpuMicros / our.cpuMicros).toFixed(1);
  console.log(`ours against ${other.name}: ${byTime} times the messages, 1/${byCpu} of the CPU`);
}
if (sinkCpuOf) console.log(`while ours ran, the sink used ${Math.round(our.sinkLoad * 100)} % of a core`);
