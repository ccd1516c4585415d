// Command groups (RFC 2920) against servers that answer oddly: a 354 for a refused message, replies to no command, a reader
// that stops. No odd reply makes the client send the end of a message that was not asked for.
import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import test, { type TestContext } from 'node:test';
import { connectTo, inShort, mailTo, text } from '../../../test/support/builders/smtp.ts';

type Answer = string | undefined;

/**
 * A server that answers each command line by `answer` and each end of a body by `end`; keeps what it reads, each piece
 * as it came. `reads` false stops it from reading once a body begins.
 */
async function oddServer(
  t: TestContext,
  answer: (line: string) => Answer,
  { end = () => '250 taken\r\n' as Answer, reads = true } = {},
) {
  const pieces: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.write('220 odd.example\r\n');
    let rest = '';
    let inBody = false;
    socket.on('data', (chunk) => {
      pieces.push(chunk.toString('latin1'));
      rest += chunk.toString('latin1');
      let out = '';
      for (;;) {
        const at = inBody ? /(^|\r\n)\.\r\n/.exec(rest) : /\r\n/.exec(rest);
        if (!at) break;
        const line = rest.slice(0, at.index);
        rest = rest.slice(at.index + at[0].length);
        const reply = inBody ? end() : line.startsWith('EHLO') ? '250-odd\r\n250 PIPELINING\r\n' : answer(line);
        inBody = !inBody && reply?.startsWith('354') === true;
        if (inBody && !reads) socket.pause();
        out += reply ?? '';
      }
      if (out !== '') socket.write(out);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { pieces, port: (server.address() as { port: number }).port };
}

const obliging = (line: string): string =>
  line === 'DATA' ? '354 go\r\n' : line === 'QUIT' ? '221 bye\r\n' : '250 ok\r\n';

const envelopeOf = (to: string) => `MAIL FROM:<bounce@sender.example>\r\nRCPT TO:<${to}>\r\nDATA\r\n`;

test('the next envelope leaves together with the end of the message before it', async (t) => {
  const { pieces, port } = await oddServer(t, obliging);
  const connection = await connectTo(port);
  const message = text('Subject: x', '', 'x');
  const outcomes = await Promise.all(['a@x', 'b@x', 'c@x'].map((to) => connection.send(mailTo(to, { message }))));
  assert.deepEqual(new Set(outcomes.map(inShort)), new Set(['250 at dot, dotted']));
  assert.equal(await connection.close(), 'closed after QUIT');
  assert.deepEqual(pieces, [
    'EHLO client.example\r\n',
    envelopeOf('a@x'),
    `${message}.\r\n${envelopeOf('b@x')}`,
    `${message}.\r\n${envelopeOf('c@x')}`,
    `${message}.\r\n`,
    'QUIT\r\n',
  ]);
});

test('a 354 without a recipient gets a lone dot without a message, and the next message is complete', async (t) => {
  const { pieces, port } = await oddServer(
    t,
    (line) => (line.includes('<no@') ? '550 5.1.1 unknown\r\n' : obliging(line)),
    {
      end: () => '250 taken\r\n',
    },
  );
  const connection = await connectTo(port);
  const message = text('Subject: x', '', 'x');
  let dots = 0;
  const mail = (to: string) =>
    mailTo(to, {
      message,
      onDot() {
        dots++;
        return true;
      },
    });
  const outcomes = await Promise.all(['no@x', 'yes@x'].map((to) => connection.send(mail(to))));
  assert.deepEqual(outcomes.map(inShort), ['550 at rcpt', '250 at dot, dotted']);
  assert.equal(dots, 1, 'the lone dot belongs to no message');
  await connection.close();
  assert.equal(
    pieces.join(''),
    `EHLO client.example\r\n${envelopeOf('no@x')}.\r\nRSET\r\n${envelopeOf('yes@x')}${message}.\r\nQUIT\r\n`,
  );
});

test('no dot is sent to a server that refused the sender, accepted the recipient and asks for a body', async (t) => {
  const { pieces, port } = await oddServer(t, (line) => (line.startsWith('MAIL') ? '550 no\r\n' : obliging(line)));
  const connection = await connectTo(port);
  assert.equal(inShort(await connection.send(mailTo('a@x'))), '550 at mail');
  assert.equal(connection.usable, false);
  await connection.closed;
  assert.doesNotMatch(pieces.join(''), /\n\.\r\n/);
});

test('after a refusal the transaction is reset before the next sender', async (t) => {
  let open = false;
  const { port } = await oddServer(
    t,
    (line) => {
      if (line === 'RSET') open = false;
      if (line.startsWith('MAIL')) {
        if (open) return '503 nested MAIL\r\n';
        open = true;
      }
      if (line.startsWith('RCPT')) return line.includes('<no') ? '450 not now\r\n' : '250 ok\r\n';
      return obliging(line);
    },
    {
      end() {
        open = false;
        return '250 taken\r\n';
      },
    },
  );
  const connection = await connectTo(port);
  const words: string[] = [];
  for (const to of ['no1@x', 'no2@x', 'yes@x', 'no3@x', 'yes2@x'])
    words.push(inShort(await connection.send(mailTo(to))));
  assert.deepEqual(words, ['450 at rcpt', '450 at rcpt', '250 at dot, dotted', '450 at rcpt', '250 at dot, dotted']);
  await connection.close();
});

test('a server that refuses RSET is not used again, and no recipient counts as refused', async (t) => {
  const { port } = await oddServer(t, (line) => {
    if (line === 'RSET') return '500 what?\r\n';
    if (line.startsWith('RCPT')) return '550 no\r\n';
    return line === 'DATA' ? '503 no recipient\r\n' : obliging(line);
  });
  const connection = await connectTo(port);
  const outcomes = await Promise.all(['a@x', 'b@x'].map((to) => connection.send(mailTo(to))));
  assert.deepEqual(outcomes.map(inShort), ['550 at rcpt', 'lost at mail: garbage']);
});

test('a 421 to no command ends the connection, and the next send is not an attempt', async (t) => {
  let socket: Socket | undefined;
  const server = createServer((one) => {
    socket = one;
    one.on('error', () => {});
    one.write('220 x\r\n');
    one.once('data', () => one.write('250 x\r\n'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    socket?.destroy();
    server.close();
  });
  const connection = await connectTo((server.address() as { port: number }).port);
  socket!.write('421 4.4.2 timeout, bye\r\n');
  assert.match(await connection.closed, /421 .*timeout, bye/);
  assert.equal(inShort(await connection.send(mailTo('a@x'))), 'lost at mail: closed, untried');
});

test('the end of a long body is not confirmed while the server does not read', async (t) => {
  const { port } = await oddServer(t, obliging, { reads: false });
  // 0.003 makes 540 ms of the 3 minutes for a piece of the body.
  const connection = await connectTo(port, {}, { timeScale: 0.003 });
  let asked = 0;
  const outcome = await connection.send(
    mailTo('a@x', {
      // More than both sockets hold.
      message: Buffer.from(`${'x'.repeat(78)}\r\n`.repeat(250_000)),
      onDot() {
        asked++;
        return true;
      },
    }),
  );
  assert.equal(inShort(outcome), 'lost at data: timeout');
  assert.equal(asked, 0);
});

test('an error in onDot reaches the caller, the message is not sent, and the rest count as untried', async (t) => {
  const { pieces, port } = await oddServer(t, obliging);
  const connection = await connectTo(port);
  const failing = connection.send(
    mailTo('a@x', {
      onDot() {
        throw new Error('the journal is full');
      },
    }),
  );
  const behind = connection.send(mailTo('b@x'));
  await assert.rejects(failing, /the journal is full/);
  assert.equal(inShort(await behind), 'lost at mail: closed, untried');
  assert.equal(pieces.join(''), `EHLO client.example\r\n${envelopeOf('a@x')}`);
});

test('a connection that ends within onDot sends no dot', async (t) => {
  const { pieces, port } = await oddServer(t, obliging);
  const connection = await connectTo(port);
  const outcome = await connection.send(
    mailTo('a@x', {
      onDot() {
        connection.destroy();
        return true;
      },
    }),
  );
  assert.equal(inShort(outcome), 'lost at data: closed');
  assert.equal(pieces.join(''), `EHLO client.example\r\n${envelopeOf('a@x')}`);
});
