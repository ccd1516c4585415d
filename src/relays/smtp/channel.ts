// The socket to a relay, with or without TLS: replies come in, text goes out, and one deadline runs.
// Guarantees that `onReply` is called for each reply in order and `onEnd` exactly once, after everything else.
// What the replies mean is left to greeting.ts and connection.ts.
import { connect as dial, isIP, type OnReadOpts, type Socket } from 'node:net';
import { connect as dialTls, type PeerCertificate, type TLSSocket } from 'node:tls';
import { isLoopback } from '../../base/client-network.ts';
import type { Relay } from '../../base/relay/relay.ts';
import { dialMs, handshakeMs, type Lost, type Stage } from '../verdict/outcome.ts';
import { lookupFor } from './lookup.ts';
import { type Reply, ReplyReader } from './replies.ts';

export type End = Pick<Lost, 'why' | 'text' | 'code'>;

export type ChannelOptions = {
  timeScale: number;
  ca?: string | Buffer;
  /** Called when the server, or what is in front of it, has accepted the connection: before its greeting. */
  connected?: (() => void) | undefined;
  /** Called whenever the server has sent something. */
  heard?: (() => void) | undefined;
};

/** The TLS of a connection, as negotiated. */
export type NegotiatedTls = {
  /** Such as TLSv1.3. */
  protocol: string;
  /** By its name at IANA. */
  cipher: string;
  /** The name in the server's certificate; '' if it has none. */
  certificate: string;
  /** Whether the certificate is valid and for the relay's host. */
  verified: boolean;
  /** Why it is not; '' if it is. */
  problem: string;
};

/** Some dozens of replies. */
const readBytes = 4_096;

type Asked = { reply: Reply } | { lost: Lost };
/** Writes a line (or nothing, for the banner) and waits for its reply. */
export type Ask = (line: string | undefined, stage: Stage) => Promise<Asked>;

export class Channel {
  onReply: (reply: Reply) => void = () => {};
  onEnd: (end: End) => void = () => {};
  ended: End | undefined;
  /** Undefined for plain text. */
  tls: NegotiatedTls | undefined;
  /** The longest wait for any reply, in milliseconds: while a connection is being opened, less than the protocol allows. */
  maxWaitMs = Number.POSITIVE_INFINITY;
  /** When the present wait for the server began. */
  waitsSince = 0;
  readonly #connected: (() => void) | undefined;
  readonly #heard: (() => void) | undefined;
  readonly #scale: number;
  readonly #ca: string | Buffer | undefined;
  readonly #relay: Relay;
  #socket: Socket | TLSSocket;
  #reader = new ReplyReader();
  #deadline = Number.POSITIVE_INFINITY;
  #waitingFor = '';
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Number.POSITIVE_INFINITY;

  /** Connects to the relay; with an implicit policy `ready` waits for the handshake too. */
  constructor(relay: Relay, options: ChannelOptions) {
    this.#relay = relay;
    this.#scale = options.timeScale;
    this.#ca = options.ca;
    this.#connected = options.connected;
    this.#heard = options.heard;
    this.#socket = dial({
      host: relay.host,
      port: relay.port,
      noDelay: true,
      keepAlive: true,
      lookup: lookupFor(relay),
      // Otherwise Node allocates 64 kB for each read. Not where TLS may take the socket over.
      ...(relay.tls === 'none' && { onread: this.#intoBuffer() }),
    });
  }

  /** Resolves when the channel is open, or has ended (see `ended`). */
  async ready(): Promise<void> {
    this.within(dialMs, `${this.#relay.host} to take the connection`);
    await this.#event(this.#socket, 'connect');
    if (this.ended) return;
    this.#connected?.();
    this.#socket.setNoDelay(true);
    if (this.#relay.tls === 'implicit') await this.secure(true);
    else this.#listen();
  }

  /**
   * Starts TLS. Bytes received before the handshake can only have been injected by a third party (command injection
   * before STARTTLS), so the channel ends.
   */
  async secure(verified: boolean): Promise<void> {
    if (this.ended) return;
    if (this.#reader.pending || this.#socket.readableLength > 0) {
      this.end('garbage', 'the server sent more than its reply before TLS began');
      return;
    }
    const plain = this.#socket;
    this.#unlisten(plain);
    this.#reader = new ReplyReader();
    const { host } = this.#relay;
    this.within(handshakeMs, 'the TLS handshake');
    const socket = dialTls({
      socket: plain,
      host,
      ...(isIP(host) ? {} : { servername: host }),
      rejectUnauthorized: verified,
      minVersion: 'TLSv1.2',
      ...(this.#ca ? { ca: this.#ca } : {}),
    });
    this.#socket = socket;
    await this.#event(socket, 'secureConnect', 'tls');
    if (this.ended) return;
    this.tls = negotiated(socket);
    this.#listen();
  }

  get local(): boolean {
    return isLoopback(this.#socket.remoteAddress);
  }

  /** Starts the clock for the next reply; it runs for the whole reply, not from byte to byte. */
  within(limitMs: number, what: string): void {
    const now = performance.now();
    this.waitsSince = now;
    this.#deadline = now + Math.min(limitMs * this.#scale, this.maxWaitMs);
    this.#waitingFor = what;
    // One timer serves many deadlines: it is reset only if the next deadline is earlier.
    if (this.#deadline < this.#timerAt) this.#arm(now);
  }

  clearDeadline(): void {
    this.#deadline = Number.POSITIVE_INFINITY;
  }

  write(text: string): void {
    this.#socket.write(text);
  }

  /**
   * The body and what follows it in one write, so that they leave in the same segments.
   * @param room octets behind the body, in the same memory, that nothing else uses
   */
  writeBoth(body: Buffer, room: number, text: string, taken: () => void): void {
    // A UTF-16 unit takes at most three octets of UTF-8.
    if (room >= text.length * 3) {
      const whole = Buffer.from(body.buffer, body.byteOffset, body.length + room);
      const length = body.length + whole.write(text, body.length);
      this.writeThen(whole.subarray(0, length), taken);
      return;
    }
    this.#socket.cork();
    this.#socket.write(body);
    this.writeThen(text, taken);
    this.#socket.uncork();
  }

  /** True when the socket has taken everything written so far. */
  get drained(): boolean {
    return this.#socket.writableLength === 0;
  }

  /** Calls `taken` when the socket has taken the piece; never after the end. */
  writeThen(piece: Buffer | string, taken: () => void): void {
    this.#socket.write(piece, (error) => {
      if (!error && !this.ended) taken();
    });
  }

  /** Ends immediately; nothing more is written than the socket has already taken. */
  end(why: Lost['why'], text: string, code = ''): void {
    if (this.ended) return;
    this.ended = { why, text, ...(code !== '' && { code }) };
    clearTimeout(this.#timer);
    this.#socket.destroy();
    this.onEnd(this.ended);
  }

  readonly #onData = (chunk: Buffer) => this.#read(chunk);
  readonly #onFin = () => this.end('closed', 'the server closed the connection');
  readonly #onClose = () => this.end('closed', 'the connection closed');
  readonly #onError = (error: NodeJS.ErrnoException) => this.#failed(error);

  #listen(): void {
    this.#socket.on('data', this.#onData).on('end', this.#onFin).on('close', this.#onClose).on('error', this.#onError);
  }

  /** Removes our listeners only, not Node's own. Late errors must not become uncaught exceptions. */
  #unlisten(socket: Socket): void {
    socket.off('data', this.#onData).off('end', this.#onFin).off('close', this.#onClose).off('error', this.#onError);
    socket.on('error', () => {});
  }

  #intoBuffer(): OnReadOpts {
    const buffer = Buffer.allocUnsafe(readBytes);
    return {
      buffer,
      callback: (length) => {
        this.#read(buffer.subarray(0, length));
        return true;
      },
    };
  }

  /** Keeps nothing of the chunk. */
  #read(chunk: Buffer): void {
    if (this.ended) return;
    this.#heard?.();
    const flaw = this.#reader.push(chunk, (reply) => {
      this.onReply(reply);
      return !this.ended;
    });
    if (flaw && !this.ended) this.end(flaw.flaw, flaw.text);
  }

  #failed(error: NodeJS.ErrnoException, failure: Lost['why'] = 'closed'): void {
    const code = error.code ?? '';
    const why = code === 'ECONNRESET' || code === 'EPIPE' ? 'reset' : code === 'ETIMEDOUT' ? 'timeout' : failure;
    // Failures of OpenSSL and of Node's certificate check, in any phase.
    const tls = /^ERR_(SSL|TLS)|CERT|SELF_SIGNED|UNABLE_TO|^EPROTO$/.test(code);
    this.end(tls ? 'tls' : why, error.message || code, code);
  }

  /** Waits for one event of a socket that is opening; any failure ends the channel. */
  #event(
    socket: Socket | TLSSocket,
    name: 'connect' | 'secureConnect',
    failure: Lost['why'] = 'closed',
  ): Promise<void> {
    // If the deadline passes, the socket is destroyed and emits close.
    return new Promise((resolve) => {
      const done = () => {
        socket.off(name, done).off('error', failed).off('close', closed);
        socket.on('error', () => {});
        resolve();
      };
      const failed = (error: NodeJS.ErrnoException) => {
        this.#failed(error, failure);
        done();
      };
      const closed = () => {
        this.end(failure, failure === 'tls' ? 'the server closed during the TLS handshake' : 'the connection closed');
        done();
      };
      socket.once(name, done).once('error', failed).once('close', closed);
    });
  }

  #arm(now: number): void {
    clearTimeout(this.#timer);
    this.#timerAt = this.#deadline;
    this.#timer = setTimeout(() => this.#onTimer(), Math.max(1, Math.ceil(this.#deadline - now)));
  }

  #onTimer(): void {
    this.#timerAt = Number.POSITIVE_INFINITY;
    if (this.ended || this.#deadline === Number.POSITIVE_INFINITY) return;
    const now = performance.now();
    if (now < this.#deadline) this.#arm(now);
    else this.end('timeout', `waited too long for ${this.#waitingFor}`);
  }
}

function negotiated(socket: TLSSocket): NegotiatedTls {
  return {
    protocol: socket.getProtocol() ?? '',
    cipher: socket.getCipher().standardName,
    certificate: certificateName(socket.getPeerCertificate()),
    verified: socket.authorized,
    problem: socket.authorized ? '' : String(socket.authorizationError ?? 'not checked'),
  };
}

/** The common name or, where there is none, the first host name. The server chose it, so its length is limited. */
function certificateName({ subject, subjectaltname = '' }: PeerCertificate): string {
  const [common = ''] = [subject?.CN ?? []].flat();
  const [, host = ''] = /(?:DNS|IP Address):([^,]+)/.exec(subjectaltname) ?? [];
  return (common || host).replace(/[^ -~]+/g, ' ').slice(0, 255);
}
