// Reads a mailbox by POP3 (RFC 1939, STLS of RFC 2595): messages whose unique id is new. Deletes only messages that were taken.
// Our own client, because existing libraries lose the end of a message that is split between two packets.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { keptBytes, MailboxProblem, type Read, type Server, timeoutMs } from './protocol.ts';

/** Unique ids that are remembered. A mailbox with more messages that stay is not for bounces. */
const maxSeen = 20_000;

export const readPop3: Read = async (server, mailbox, take, max) => {
  const session = new Session(await open(server, mailbox.security === 'tls'));
  try {
    await session.reply();
    if (mailbox.security === 'starttls') await session.secure(server);
    await session.command(`USER ${plain(mailbox.user)}`);
    await session.command(`PASS ${plain(mailbox.password)}`, 'the user name or the password is wrong');
    const present = await listed(session);
    const known = new Set(mailbox.position.seen);
    const fresh = present.filter(({ id }) => !known.has(id));
    const stay = new Set(present.filter(({ id }) => known.has(id)).map(({ id }) => id));
    for (const { number, id } of fresh.slice(0, max)) {
      await session.command(`RETR ${number}`);
      if (await take(await session.text(keptBytes))) await session.command(`DELE ${number}`);
      else stay.add(id);
    }
    // Deletions count only after QUIT: until then nothing is deleted, and the messages are read again.
    await session.command('QUIT');
    return { position: { seen: [...stay].slice(-maxSeen) }, more: fresh.length > max };
  } finally {
    session.close();
  }
};

async function listed(session: Session): Promise<{ number: string; id: string }[]> {
  await session.command('UIDL', 'the server has no unique ids (UIDL)');
  const text = (await session.text(16 * keptBytes)).toString('latin1');
  return text.split('\r\n').flatMap((line) => {
    const [, number, id] = /^(\d{1,10}) ([!-~]{1,70})$/.exec(line.trim()) ?? [];
    return number === undefined || id === undefined ? [] : [{ number, id }];
  });
}

/** A line break would end the command. */
function plain(text: string): string {
  if (/[\r\n\0]/.test(text)) throw new MailboxProblem('the user name or the password has a line break');
  return text;
}

async function open({ address, port, servername }: Server, tls: boolean): Promise<Socket> {
  const socket = tls
    ? connectTls({ host: address, port, ...(servername === undefined ? {} : { servername }) })
    : connect({ host: address, port });
  return established(socket, tls ? 'secureConnect' : 'connect');
}

async function established<S extends Socket>(socket: S, event: string): Promise<S> {
  const timer = setTimeout(() => socket.destroy(new Error('timeout')), timeoutMs);
  try {
    await once(socket, event);
    return socket;
  } catch (error) {
    socket.destroy();
    throw lost(error);
  } finally {
    clearTimeout(timer);
  }
}

function lost(error: unknown): MailboxProblem {
  const { code, message } = error as { code?: string; message?: string };
  return new MailboxProblem(`no connection: ${code ?? message ?? 'unknown error'}`.slice(0, 200), true);
}

/** The dialogue on a connection: lines in, commands out. */
class Session {
  #socket: Socket;
  #buffer: Buffer = Buffer.alloc(0);
  #ended: Error | undefined;
  #wake: () => void = () => {};

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#listen();
  }

  /** @throws MailboxProblem when the reply is not +OK */
  async command(text: string, problem?: string): Promise<void> {
    this.#socket.write(`${text}\r\n`);
    await this.reply(problem);
  }

  async reply(problem?: string): Promise<void> {
    const line = (await this.#line()).toString('utf8');
    if (/^\+OK\b/i.test(line)) return;
    throw new MailboxProblem(problem ?? `the server replied: ${line.slice(0, 200)}`);
  }

  async secure({ servername, address }: Server): Promise<void> {
    await this.command('STLS', 'the server does not support STLS');
    this.#socket.removeAllListeners();
    const socket = connectTls({
      socket: this.#socket,
      ...(servername === undefined ? { host: address } : { servername }),
    });
    this.#socket = await established(socket, 'secureConnect');
    // What came in plain text was not from the server.
    this.#buffer = Buffer.alloc(0);
    this.#listen();
  }

  /** The lines of a reply up to its dot, without the dots that are added; the rest beyond `max` bytes is dropped. */
  async text(max: number): Promise<Buffer> {
    const lines: Buffer[] = [];
    let size = 0;
    for (;;) {
      const line = await this.#line();
      if (line.length === 1 && line[0] === dot) return Buffer.concat(lines);
      if (size < max) lines.push(line[0] === dot ? line.subarray(1) : line, lineEnd);
      size += line.length;
    }
  }

  close(): void {
    this.#socket.destroy();
  }

  async #line(): Promise<Buffer> {
    for (;;) {
      const end = this.#buffer.indexOf('\r\n');
      if (end >= 0) {
        const line = this.#buffer.subarray(0, end);
        this.#buffer = this.#buffer.subarray(end + 2);
        return line;
      }
      if (this.#buffer.length > 2 * keptBytes) throw new MailboxProblem('the server sends a line without end');
      if (this.#ended) throw lost(this.#ended);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #listen(): void {
    const end = (error: Error) => {
      this.#ended ??= error;
      this.#wake();
    };
    this.#socket.setTimeout(timeoutMs, () => end(new Error('timeout')));
    this.#socket.on('data', (bytes) => {
      this.#buffer = Buffer.concat([this.#buffer, bytes]);
      this.#wake();
    });
    this.#socket.on('error', end);
    this.#socket.on('close', () => end(new Error('closed')));
  }
}

const dot = '.'.charCodeAt(0);
const lineEnd = Buffer.from('\r\n');
