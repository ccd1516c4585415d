// A connection to a mail server, for a dialogue in lines. Ends within every limit, whatever the server sends; reads only as much as is
// asked for, so that the rest waits in the network; and keeps at most one line or one message. Until the server has sent a greeting of its
// protocol, every failure has the same text, so that no one learns what else listens at an address.
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type Limits, MailboxProblem, notReached, type Server } from './protocol.ts';

const addressesTried = 4;

/** Bytes of a reply, unless more are expected. */
export const maxReplyBytes = 8 * 1024 * 1024;

/** @throws MailboxProblem */
export async function openConnection(server: Server, tls: boolean, limits: Limits): Promise<Connection> {
  const connection = new Connection(limits);
  for (const address of server.addresses.slice(0, addressesTried))
    if (await connection.tryAddress(server, address, tls)) return connection;
  throw connection.failure();
}

export class Connection {
  readonly #limits: Limits;
  #socket: Socket | undefined;
  #deadline: NodeJS.Timeout | undefined;
  #chunks: Buffer[] = [];
  #wake: () => void = () => {};
  /** Why we gave up; what has arrived does not count any more. */
  #failed: MailboxProblem | undefined;
  /** Why the server or the network ended it; what has arrived before still counts. */
  #lost: string | undefined;
  #isGreeted = false;
  #bytesLeft = maxReplyBytes;
  /** Of the line or the text that is being read: when its first byte was there, and how many are. */
  #firstAt: number | undefined;
  #paced = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
    this.#within(limits.openMs);
  }

  async tryAddress({ port, servername }: Server, address: string, tls: boolean): Promise<boolean> {
    if (this.#failed) return false;
    this.#lost = undefined;
    const socket = tls
      ? connectTls({ host: address, port, ...(servername !== undefined && { servername }) })
      : connect({ host: address, port });
    return this.#established(socket, tls ? 'secureConnect' : 'connect');
  }

  /** The greeting was one of its protocol: from now on failures say what happened. */
  greeted(): void {
    this.#isGreeted = true;
  }

  /** The mailbox is open: from now on the time limit of the reading applies. */
  opened(): void {
    this.#within(this.#limits.readMs);
  }

  write(text: string | Buffer): void {
    this.#socket?.write(text);
  }

  /** Begins a new reply, of at most this many bytes. */
  expect(maxBytes = maxReplyBytes): void {
    this.#bytesLeft = maxBytes;
  }

  /** A line without its end. @throws MailboxProblem when it is longer than `max` */
  async line(max: number): Promise<Buffer> {
    this.#begin();
    const line = new Gathered();
    do {
      line.add(this.#upToLineEnd(await this.#chunk()));
      if (line.length > max) throw this.fail('the server sends a line without end');
    } while (line.bytes.at(-1) !== newLine);
    return line.bytes.subarray(0, line.bytes.at(-2) === carriageReturn ? -2 : -1);
  }

  /** So many bytes. Those beyond `max` are dropped. */
  async bytes(count: number, max: number): Promise<Buffer> {
    if (count > this.#bytesLeft) throw this.#tooLarge();
    this.#begin();
    const kept = new Gathered();
    for (let left = count; left > 0; ) {
      const chunk = await this.#chunk();
      const part = chunk.subarray(0, left);
      this.#putBack(chunk.subarray(part.length));
      left -= part.length;
      kept.add(part.subarray(0, max - kept.length));
    }
    return kept.bytes;
  }

  /** The lines of a POP3 reply up to its dot, without the dots that are added. Those beyond `max` bytes are dropped. */
  async text(max: number): Promise<Buffer> {
    const text = new Gathered();
    let size = 0;
    await this.#upToDot((bytes) => {
      text.add(bytes.subarray(0, Math.max(0, max - text.length)));
      size += bytes.length;
    });
    const content = size === text.length ? text.bytes.subarray(0, -3) : text.bytes;
    return Buffer.from(content.toString('latin1').replaceAll(/(^|\r\n)\./g, '$1'), 'latin1');
  }

  /** The lines of a POP3 list up to its dot. @throws MailboxProblem when one is longer than `max`, or there are a million */
  async eachLine(max: number, use: (line: string) => void): Promise<void> {
    let rest = '';
    let count = 0;
    await this.#upToDot((bytes) => {
      const lines = (rest + bytes.toString('latin1')).split('\r\n');
      rest = lines.pop()!;
      count += lines.length;
      if (rest.length > max || count > maxLines) throw this.#tooLarge();
      for (const line of lines) if (line !== '.') use(line);
    });
  }

  /** All bytes of a POP3 reply, the dot at its end included. A line feed alone does not end a line (RFC 1939 3). */
  async #upToDot(use: (bytes: Buffer) => void): Promise<void> {
    this.#begin();
    let before = lineEnd;
    for (;;) {
      const chunk = await this.#chunk();
      const joint = Buffer.concat([before, chunk.subarray(0, 4)]).indexOf(textEnd);
      const at = joint >= 0 ? joint - before.length : chunk.indexOf(textEnd);
      if (joint >= 0 || at >= 0) {
        use(chunk.subarray(0, at + textEnd.length));
        this.#putBack(chunk.subarray(at + textEnd.length));
        return;
      }
      use(chunk);
      before = Buffer.concat([before, chunk.subarray(-4)]).subarray(-4);
    }
  }

  /** @throws MailboxProblem */
  async secure({ addresses, servername }: Server): Promise<void> {
    const plain = this.#socket!;
    plain.removeAllListeners();
    plain.on('error', () => {});
    // What came in plain text was not from the server.
    this.#chunks = [];
    const host = addresses.find((address) => address === plain.remoteAddress) ?? addresses[0]!;
    const socket = connectTls({ socket: plain, ...(servername === undefined ? { host } : { servername }) });
    if (!(await this.#established(socket, 'secureConnect'))) throw this.failure();
  }

  close(): void {
    clearTimeout(this.#deadline);
    this.#socket?.destroy();
  }

  /** Ends the connection. @returns the problem, to be thrown */
  fail(text: string): MailboxProblem {
    this.#failed ??= this.#isGreeted ? new MailboxProblem(`no connection: ${text}`, true) : notReached(text);
    this.#socket?.destroy();
    this.#wake();
    return this.#failed;
  }

  failure(): MailboxProblem {
    return this.#failed ?? this.fail(this.#lost ?? 'the server closed it');
  }

  #within(ms: number): void {
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(() => this.fail('the server takes too long'), ms);
  }

  #tooLarge(): MailboxProblem {
    return this.fail('the server sends more than a reply may have');
  }

  #established(socket: Socket, event: 'connect' | 'secureConnect'): Promise<boolean> {
    this.#socket = socket;
    // Data waits until it is asked for.
    socket.pause();
    socket.on('data', (bytes: Buffer) => {
      socket.pause();
      this.#chunks.push(bytes);
      this.#wake();
    });
    return new Promise((resolve) => {
      const end = (reason: string) => {
        if (this.#socket !== socket) return;
        this.#lost ??= reason;
        this.#wake();
        resolve(false);
      };
      socket.once(event, () => resolve(true));
      socket.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
      socket.on('end', () => end('the server closed it'));
      socket.on('close', () => end('the server closed it'));
    });
  }

  #begin(): void {
    this.#firstAt = undefined;
    this.#paced = 0;
  }

  #upToLineEnd(chunk: Buffer): Buffer {
    const end = chunk.indexOf(newLine);
    if (end < 0) return chunk;
    this.#putBack(chunk.subarray(end + 1));
    return chunk.subarray(0, end + 1);
  }

  #putBack(rest: Buffer): void {
    if (rest.length === 0) return;
    this.#chunks.unshift(rest);
    this.#bytesLeft += rest.length;
    this.#paced -= rest.length;
  }

  async #chunk(): Promise<Buffer> {
    if (this.#chunks.length === 0 && this.#failed === undefined && this.#lost === undefined) await this.#arrival();
    if (this.#failed) throw this.#failed;
    const chunk = this.#chunks.shift();
    if (chunk === undefined) throw this.failure();
    this.#bytesLeft -= chunk.length;
    if (this.#bytesLeft < 0) throw this.#tooLarge();
    this.#paced += chunk.length;
    this.#firstAt ??= performance.now();
    const elapsedMs = performance.now() - this.#firstAt;
    const { slowAfterMs, minBytesPerS } = this.#limits;
    if (elapsedMs > slowAfterMs && this.#paced < (minBytesPerS * elapsedMs) / 1_000)
      throw this.fail('the server sends too slowly');
    return chunk;
  }

  async #arrival(): Promise<void> {
    const silence = setTimeout(() => this.fail('the server does not answer'), this.#limits.silenceMs);
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      this.#socket?.resume();
    });
    clearTimeout(silence);
  }
}

/** Bytes that arrive in many pieces, each copied a few times at most. */
class Gathered {
  #buffer: Buffer = Buffer.alloc(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  add(part: Buffer): void {
    const length = this.#length + part.length;
    if (length > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(256, length, 2 * this.#buffer.length));
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
    part.copy(this.#buffer, this.#length);
    this.#length = length;
  }
}

const maxLines = 1_000_000;
const newLine = '\n'.charCodeAt(0);
const carriageReturn = '\r'.charCodeAt(0);
const lineEnd = Buffer.from('\r\n');
const textEnd = Buffer.from('\r\n.\r\n');
