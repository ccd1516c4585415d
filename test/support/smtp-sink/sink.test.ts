// The sink is the reference of delivery tests, so it is tested itself: its script, its log, its holds, its strictness.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import test, { type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connectTo, inShort, mailTo, sha256, text } from '../builders/smtp.ts';
import { scriptOf } from './script.ts';
import { type SinkOptions, startSink } from './sink.ts';

async function sinkFor(t: TestContext, options: SinkOptions = {}) {
  const sink = await startSink(options);
  t.after(() => sink.close());
  return sink;
}

function logFile(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'postrider-sink-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'sink.jsonl');
}

const entriesIn = (file: string) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

const scripts: [address: string, step: string | undefined, act: object | undefined][] = [
  ['ok.1@x', undefined, undefined],
  ['jane-doe@x', undefined, undefined],
  ['550rcpt.1@x', 'rcpt', { act: 'reply', code: 550 }],
  ['421MAIL@x', 'mail', { act: 'reply', code: 421 }],
  ['451x3.a@x', 'dot', { act: 'first', times: 3, is: { act: 'reply', code: 451 } }],
  ['450x2rcpt@x', 'rcpt', { act: 'first', times: 2, is: { act: 'reply', code: 450 } }],
  ['keepx1-dot.1@x', 'dot', { act: 'first', times: 1, is: { act: 'keep' } }],
  ['dropx2-rcpt@x', 'rcpt', { act: 'first', times: 2, is: { act: 'drop' } }],
  ['say7rcpt.3@x', 'rcpt', { act: 'say', nth: 7 }],
  ['greylist30.a@x', 'rcpt', { act: 'greylist', seconds: 30 }],
  ['stall-354.a@x', 'data', { act: 'stall' }],
  ['drop-dot@x', 'dot', { act: 'drop' }],
  ['keep-dot@x', 'dot', { act: 'keep' }],
  ['drop-after250@x', 'dot', { act: 'last' }],
  ['drip@x', 'dot', { act: 'drip' }],
  ['delay200-rcpt@x', 'rcpt', { act: 'delay', ms: 200 }],
  ['refuse-half@x', 'half', { act: 'refuse' }],
  ['dance-dot@x', undefined, undefined],
];
for (const [address, step, act] of scripts)
  test(`the script of ${address} is ${step === undefined ? 'to accept' : JSON.stringify(act)}`, () => {
    const script = scriptOf(address);
    assert.equal(script?.step, step);
    assert.deepEqual(script?.act, act);
  });

test('an address refused three times is then accepted, with each attempt in the log', async (t) => {
  const sink = await sinkFor(t);
  const connection = await connectTo(sink.port);
  const words: string[] = [];
  for (let i = 0; i < 5; i++) words.push(inShort(await connection.send(mailTo('451x3.a@x.example'))));
  const refused = '451 at dot, dotted';
  const taken = '250 at dot, dotted';
  assert.deepEqual(words, [refused, refused, refused, taken, taken]);
  assert.deepEqual(
    sink.log.map((entry) => entry.event),
    ['refused', 'refused', 'refused', 'accepted', 'accepted'],
  );
  await connection.close();
});

test('a greylisted address is accepted once its time has passed', async (t) => {
  const sink = await sinkFor(t, { timeScale: 0.05 });
  const connection = await connectTo(sink.port);
  const send = async () => inShort(await connection.send(mailTo('greylist10.a@x.example')));
  assert.equal(await send(), '451 at rcpt');
  assert.equal(await send(), '451 at rcpt');
  await sleep(600);
  assert.equal(await send(), '250 at dot, dotted');
  await connection.close();
});

test('an accepted message is in the file with its hash before the client gets the reply', async (t) => {
  const file = logFile(t);
  const sink = await sinkFor(t, { logFile: file, raw: true });
  const connection = await connectTo(sink.port);
  const hold = sink.hold({ step: 'dot', to: 'ok.2' });
  const message = text('message-id: <two@s.example>', '', '..dotted', 'x');
  const sent = [connection.send(mailTo('ok.1@x.example')), connection.send(mailTo('ok.2@x.example', { message }))];
  assert.equal(inShort((await sent[0])!), '250 at dot, dotted');
  assert.deepEqual(await hold.reached, { connection: 1, to: 'ok.2@x.example' });
  const content = text('message-id: <two@s.example>', '', '.dotted', 'x');
  const { atMs, ...entry } = entriesIn(file)[1];
  assert.equal(typeof atMs, 'number');
  assert.deepEqual(entry, {
    event: 'accepted',
    step: 'dot',
    connection: 1,
    from: 'bounce@sender.example',
    to: 'ok.2@x.example',
    messageId: '<two@s.example>',
    sha256: sha256(content),
    size: content.length,
    raw: content.toString('latin1'),
  });
  assert.equal(connection.pending, 1);
  hold.release('drop');
  assert.equal(inShort((await sent[1])!), 'lost at dot: closed, dotted');
});

for (const step of ['connect', 'ehlo', 'mail', 'rcpt', 'data', 'half', 'dot'] as const)
  test(`a hold at ${step} keeps the client waiting until it is released`, async (t) => {
    const sink = await sinkFor(t);
    const hold = sink.hold({ step });
    const done = connectTo(sink.port).then(async (connection) => {
      const word = inShort(await connection.send(mailTo('ok.1@x.example')));
      await connection.close();
      return word;
    });
    await hold.reached;
    assert.equal(await Promise.race([done, sleep(30, 'waiting')]), 'waiting');
    // At the dot the message is taken already; before it nothing is.
    assert.equal(sink.counts.accepted, step === 'dot' ? 1 : 0);
    hold.release();
    assert.equal(await done, '250 at dot, dotted');
    assert.equal(sink.counts.accepted, 1);
  });

test('a hold with nth 3 holds the third step, not the first two', async (t) => {
  const sink = await sinkFor(t);
  const hold = sink.hold({ step: 'rcpt', nth: 3 });
  const connection = await connectTo(sink.port);
  const sent = [1, 2, 3].map((n) => connection.send(mailTo(`ok.${n}@x.example`)));
  assert.equal((await hold.reached).to, 'ok.3@x.example');
  assert.equal(sink.counts.accepted, 2);
  hold.release();
  await Promise.all(sent);
  await connection.close();
});

/** Speaks to the sink without our client, which would not say such things. */
async function say(port: number, ...parts: string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let heard = '';
  socket.on('data', (chunk) => {
    heard += chunk.toString();
  });
  for (const part of ['', ...parts]) {
    const before = heard.length;
    if (part !== '') socket.write(part, 'latin1');
    for (let i = 0; heard.length === before && i < 4_000; i++) await sleep(5);
  }
  socket.destroy();
  return heard;
}

const envelope = ['EHLO c\r\n', 'MAIL FROM:<a@s>\r\n', 'RCPT TO:<ok@x>\r\n', 'DATA\r\n'];
const flawed: [name: string, body: string, flaw: string][] = [
  ['a bare LF', 'Subject: x\r\n\r\na\nb\r\n.\r\n', 'bare LF'],
  ['a bare CR', 'Subject: x\r\n\r\na\rb\r\n.\r\n', 'bare CR'],
  ['a line of 999', `${'x'.repeat(999)}\r\n.\r\n`, 'line over 998'],
  ['a NUL', 'a\0b\r\n.\r\n', 'NUL'],
  ['8 bits', 'h\xe4\r\n.\r\n', '8-bit without leave'],
];
for (const [name, body, flaw] of flawed)
  test(`a strict sink refuses ${name} and names the reason`, async (t) => {
    const sink = await sinkFor(t, { strict: true });
    assert.match(await say(sink.port, ...envelope, body), /\r\n550 [^\r]*\r\n$/);
    assert.deepEqual(
      sink.log.map(({ event, flaws }) => [event, flaws]),
      [['refused', [flaw]]],
    );
  });

test('a line of 998 octets and a doubled dot are not flaws', async (t) => {
  const sink = await sinkFor(t, { strict: true });
  await say(sink.port, ...envelope, `${'x'.repeat(998)}\r\n..\r\n.\r\n`);
  assert.deepEqual(
    sink.log.map(({ event, flaws, size }) => [event, flaws, size]),
    [['accepted', undefined, 1003]],
  );
});

test('a body sent before 354, and pipelining without the extension, are recorded as flaws', async (t) => {
  const sink = await sinkFor(t, { strict: true });
  await say(sink.port, ...envelope.slice(0, 3), 'DATA\r\nSubject: x\r\n\r\nx\r\n.\r\n');
  assert.deepEqual(sink.log[0]?.flaws, ['did not wait for 354']);
  const slow = await sinkFor(t, { strict: true, pipelining: false });
  await say(slow.port, envelope[0]!, 'MAIL FROM:<a@s>\r\nRCPT TO:<ok@x>\r\n', 'DATA\r\n', 'x\r\n.\r\n');
  assert.deepEqual(slow.log[0]?.flaws, ['pipelined without leave']);
});

test('the end of the body is found even when it arrives octet by octet', async (t) => {
  const sink = await sinkFor(t);
  const socket = connect({ port: sink.port, host: '127.0.0.1', noDelay: true });
  for (const octet of [...envelope, 'Subject: x\r\n\r\nx\r\n.', '\r', '\n'].join('').match(/[\s\S]/g)!) {
    socket.write(octet);
    await sleep(0);
  }
  for (let i = 0; sink.counts.accepted === 0 && i < 4_000; i++) await sleep(5);
  assert.equal(sink.accepted()[0]?.size, 'Subject: x\r\n\r\nx\r\n'.length);
  socket.destroy();
});

async function sinkProcess(t: TestContext, options: SinkOptions, ipc: boolean) {
  const path = fileURLToPath(new URL('./main.ts', import.meta.url));
  const child: ChildProcess = spawn(process.execPath, [path, JSON.stringify(options)], {
    stdio: ipc ? ['ignore', 'inherit', 'inherit', 'ipc'] : ['pipe', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  const answers: Record<string, unknown>[] = [];
  if (ipc) child.on('message', (what) => answers.push(what as Record<string, unknown>));
  else createInterface({ input: child.stdout! }).on('line', (line) => answers.push(JSON.parse(line)));
  return {
    child,
    order(what: object): void {
      if (ipc) child.send(what);
      else child.stdin!.write(`${JSON.stringify(what)}\n`);
    },
    async hear(member: string): Promise<Record<string, unknown>> {
      for (let i = 0; i < 12_000; i++) {
        const at = answers.findIndex((what) => member in what);
        if (at >= 0) return answers.splice(at, 1)[0]!;
        await sleep(5);
      }
      throw new Error(`the sink did not answer ${member}`);
    },
  };
}

for (const ipc of [false, true])
  test(`as a separate process it is controlled by ${ipc ? 'messages' : 'lines'}`, async (t) => {
    const file = logFile(t);
    const { child, order, hear } = await sinkProcess(t, { logFile: file }, ipc);
    const { port } = await hear('port');
    order({ hold: { step: 'dot', to: 'ok.2' }, id: 'a' });
    await hear('held');
    const connection = await connectTo(Number(port));
    const first = connection.send(mailTo('ok.1@x.example'));
    const second = connection.send(mailTo('ok.2@x.example'));
    assert.equal(inShort(await first), '250 at dot, dotted');
    assert.deepEqual(await hear('reached'), { reached: 'a', connection: 1, to: 'ok.2@x.example' });
    assert.deepEqual(
      entriesIn(file).map((entry) => entry.to),
      ['ok.1@x.example', 'ok.2@x.example'],
    );
    order({ release: 'a' });
    assert.equal(inShort(await second), '250 at dot, dotted');
    order({ session: { connect: '421' } });
    await hear('session');
    await assert.rejects(connectTo(Number(port)), /421/);
    order({ counts: true });
    assert.equal(((await hear('counts'))['counts'] as { accepted: number }).accepted, 2);
    const ended = once(child, 'exit');
    order({ stop: true });
    assert.equal((await ended)[0], 0);
    connection.destroy();
  });
