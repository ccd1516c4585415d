// IMAP and POP3 servers on loopback that behave as a test says: each command is answered as usual unless the test answers it.
// They count what they sent and the connections that are open, and read commands as they come.
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A command of a client. `text` is everything after the tag. */
export type Command = {
  text: string;
  tag: string;
  socket: Socket;
  send(text: string): void;
  /** How often a command that matches `pattern` was received, over all connections, this one included. */
  count(pattern: RegExp): number;
};

/** @returns true when it has answered the command itself */
export type Answer = (command: Command) => boolean | undefined;

export type OddServer = {
  port: number;
  commands: string[];
  /** Bytes that were handed to the network. */
  sent(): number;
  open(): number;
  /** Numbers of messages that were deleted. */
  deleted: Set<number>;
  close(): Promise<void>;
};

type Options = { greeting?: (socket: Socket) => void; answer?: Answer; capabilities?: string };
type Message = { uid: number; raw: string };

/** Messages with the UIDs 1, 2, … */
export function startOddImap(raws: readonly string[], { greeting, answer, capabilities = '' }: Options = {}) {
  const messages: Message[] = raws.map((raw, index) => ({ uid: index + 1, raw: raw.replace(/\r?\n/g, '\r\n') }));
  const deleted = new Set<number>();
  const present = () => messages.filter(({ uid }) => !deleted.has(uid));
  return start(
    deleted,
    answer,
    greeting ?? ((socket) => socket.write('* OK ready\r\n')),
    (line) => {
      const [tag = '', ...words] = line.split(' ');
      return { tag, text: words.join(' ') };
    },
    ({ tag, text, send, socket }) => {
      const done = (untagged = '') => send(`${untagged}${tag} OK done\r\n`);
      if (/^CAPABILITY/i.test(text)) done(`* CAPABILITY IMAP4rev1 UIDPLUS ${capabilities}\r\n`);
      else if (/^LOGIN/i.test(text)) done();
      else if (/^LIST/i.test(text)) done('* LIST () "/" INBOX\r\n');
      else if (/^SELECT/i.test(text)) done(`* ${present().length} EXISTS\r\n* OK [UIDVALIDITY 7] valid\r\n`);
      else if (/^UID SEARCH/i.test(text)) {
        const [, set = ''] = /UID SEARCH UID (\S+)/i.exec(text) ?? [];
        const found = present().filter(({ uid }) => isIn(set, uid, present().at(-1)?.uid ?? 0));
        done(`* SEARCH${found.map(({ uid }) => ` ${uid}`).join('')}\r\n`);
      } else if (/^UID FETCH/i.test(text)) {
        const uid = Number(/UID FETCH (\d+)/i.exec(text)?.[1]);
        const message = present().find((one) => one.uid === uid);
        done(message && fetched(uid, message.raw));
      } else if (/^UID EXPUNGE/i.test(text)) {
        for (const uid of text.split(' ')[2]!.split(',')) deleted.add(Number(uid));
        done();
      } else if (/^LOGOUT/i.test(text)) {
        done('* BYE\r\n');
        socket.end();
      } else done();
    },
  );
}

export const fetched = (uid: number, raw: string) =>
  `* ${uid} FETCH (UID ${uid} BODY[]<0> {${Buffer.byteLength(raw)}}\r\n${raw})\r\n`;

function isIn(set: string, uid: number, last: number): boolean {
  return set.split(',').some((range) => {
    const [from, to = from] = range.split(':');
    const low = Number(from);
    const high = to === '*' ? last : Number(to);
    return uid >= Math.min(low, high) && uid <= Math.max(low, high);
  });
}

/** @param ids the unique id of each message; `u1`, `u2`, … when left out */
export function startOddPop3(raws: readonly string[], { greeting, answer, ids }: Options & { ids?: string[] } = {}) {
  const deleted = new Set<number>();
  return start(
    deleted,
    answer,
    greeting ?? ((socket) => socket.write('+OK ready\r\n')),
    (line) => ({ tag: '', text: line }),
    ({ text, send, socket }) => {
      const number = Number(text.split(' ')[1]);
      const raw = deleted.has(number) ? undefined : raws[number - 1];
      if (/^UIDL/i.test(text)) {
        const lines = raws.flatMap((_, index) =>
          deleted.has(index + 1) ? [] : [`${index + 1} ${ids?.[index] ?? `u${index + 1}`}\r\n`],
        );
        send(`+OK\r\n${lines.join('')}.\r\n`);
      } else if (/^RETR/i.test(text)) {
        send(
          raw === undefined
            ? '-ERR no such message\r\n'
            : `+OK\r\n${raw.replace(/\r?\n/g, '\r\n').replace(/^\./gm, '..')}\r\n.\r\n`,
        );
      } else if (/^DELE/i.test(text)) {
        deleted.add(number);
        send('+OK\r\n');
      } else if (/^QUIT/i.test(text)) socket.end('+OK bye\r\n');
      else send('+OK\r\n');
    },
  );
}

async function start(
  deleted: Set<number>,
  answer: Answer | undefined,
  greet: (socket: Socket) => void,
  parse: (line: string) => { tag: string; text: string },
  usual: (command: Command) => void,
): Promise<OddServer> {
  const commands: string[] = [];
  const sockets = new Set<Socket>();
  let sentBefore = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      sentBefore += socket.bytesWritten;
    });
    let buffer = '';
    socket.on('data', (bytes) => {
      buffer += bytes.toString('latin1');
      for (let end = buffer.indexOf('\r\n'); end >= 0; end = buffer.indexOf('\r\n')) {
        const command = parse(buffer.slice(0, end));
        buffer = buffer.slice(end + 2);
        commands.push(command.text);
        const whole: Command = {
          ...command,
          socket,
          send: (text) => socket.write(text, 'latin1'),
          count: (pattern) => commands.filter((text) => pattern.test(text)).length,
        };
        if (!answer?.(whole)) usual(whole);
      }
    });
    greet(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    commands,
    sent: () => [...sockets].reduce((sum, socket) => sum + socket.bytesWritten, sentBefore),
    open: () => sockets.size,
    deleted,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Sends the bytes again and again, as fast as the client takes them. */
export function flood(socket: Socket, first: string, again: string): void {
  const bytes = Buffer.from(again.repeat(Math.ceil(65_536 / again.length)), 'latin1');
  socket.write(first);
  const more = () => {
    while (!socket.destroyed && socket.write(bytes)) {
      // Until the buffer is full.
    }
  };
  socket.on('drain', more);
  more();
}

/** Sends the bytes, then one more every few milliseconds, without end. */
export function drip(socket: Socket, first: string, everyMs = 20, byte = 'x'): void {
  socket.write(first);
  const timer = setInterval(() => socket.write(byte), everyMs);
  socket.on('close', () => clearInterval(timer));
}
