// A scriptable SMTP server that accepts mail and keeps none: the reference of delivery tests. script.ts describes how
// recipients choose its behaviour. Guarantees that what it accepts or refuses is in its log before the reply is on the
// wire, and that it never replies to a message whose end has not come. main.ts runs it as a separate process.
import { closeSync, openSync, writeSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { type Act, type Step, sessionAct } from './script.ts';
import { type Entry, type Release, Session, type SessionScript, type SinkFace, type SinkOptions } from './session.ts';

export type { Entry, Release, SessionScript, SinkOptions } from './session.ts';

export type Hold = {
  /** Resolves when the step has been reached (at the dot: logged) and before it is answered. */
  reached: Promise<{ connection: number; to?: string }>;
  release(how?: Release): void;
};
export type HoldAt = { step: Step /** Part of the recipient's address. */; to?: string; nth?: number };

export class Sink implements SinkFace {
  readonly options: SinkOptions;
  readonly log: Entry[] = [];
  /** The names clients gave in EHLO and HELO. */
  readonly greetings: string[] = [];
  readonly counts = { connections: 0, accepted: 0, refused: 0, discarded: 0 };
  /** The highest number of connections open at once; a test may set it back to `open`. */
  maxOpen = 0;
  port = 0;
  session: SessionScript;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #tries = new Map<string, { times: number; firstMs: number }>();
  readonly #holds: (HoldAt & { seen: number; reach(at: { connection: number; to?: string }): Promise<Release> })[] = [];
  readonly #file: number | undefined;

  constructor(options: SinkOptions) {
    this.options = options;
    this.session = options.session ?? {};
    this.#file = options.logFile === undefined ? undefined : openSync(options.logFile, 'a');
    const { tls } = options;
    const serve = (socket: Socket) => this.#serve(socket);
    this.#server = tls?.implicit
      ? createTlsServer({ ...tls, noDelay: true }, serve)
      : createServer({ noDelay: true }, serve);
    this.#server.on('tlsClientError', () => {});
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.options.port ?? 0, '127.0.0.1', resolve);
    });
    this.port = (this.#server.address() as AddressInfo).port;
    return this;
  }

  accepted(): Entry[] {
    return this.log.filter((entry) => entry.event === 'accepted');
  }

  get open(): number {
    return this.#sockets.size;
  }

  hold(at: HoldAt): Hold {
    let release: (how: Release) => void = () => {};
    const released = new Promise<Release>((resolve) => {
      release = resolve;
    });
    const reached = new Promise<{ connection: number; to?: string }>((resolve) => {
      this.#holds.push({
        ...at,
        seen: 0,
        reach(where) {
          resolve(where);
          return released;
        },
      });
    });
    return { reached, release: (how = 'go') => release(how) };
  }

  /** Ends every connection, so that the next ones meet the options as they are now. */
  hangUp(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
    if (this.#file !== undefined) closeSync(this.#file);
  }

  record(entry: Omit<Entry, 'atMs'>): void {
    if (entry.event === 'step' && !this.options.trace) return;
    if (entry.event !== 'step') this.counts[entry.event]++;
    const full = { ...entry, atMs: Date.now() };
    if (this.#file !== undefined) writeSync(this.#file, `${JSON.stringify(full)}\n`);
    if (this.options.remember !== false) this.log.push(full);
  }

  resolve(act: Act, key: string): Act {
    if (act.act !== 'first' && act.act !== 'greylist') return act;
    const tried = this.#tries.get(key) ?? { times: 0, firstMs: performance.now() };
    tried.times++;
    this.#tries.set(key, tried);
    const waiting =
      act.act === 'first'
        ? tried.times <= act.times
        : performance.now() - tried.firstMs < act.seconds * 1000 * (this.options.timeScale ?? 1);
    if (!waiting) return { act: 'accept' };
    return act.act === 'first' ? act.is : { act: 'reply', code: 451 };
  }

  scripted(step: keyof SessionScript): Act {
    const word = this.session[step];
    const act = word === undefined ? { act: 'accept' as const } : sessionAct(word);
    if (!act) throw new Error(`the sink knows no ${word}`);
    return act;
  }

  held(step: Step, connection: number, to: string | undefined): Promise<Release> | undefined {
    for (const [index, hold] of this.#holds.entries()) {
      if (hold.step !== step || (hold.to !== undefined && !to?.includes(hold.to))) continue;
      hold.seen++;
      if (hold.seen < (hold.nth ?? 1)) continue;
      this.#holds.splice(index, 1);
      return hold.reach({ connection, ...(to === undefined ? {} : { to }) });
    }
    return undefined;
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    this.counts.connections++;
    this.maxOpen = Math.max(this.maxOpen, this.#sockets.size);
    new Session(this, socket, this.counts.connections).begin();
  }
}

export async function startSink(options: SinkOptions = {}): Promise<Sink> {
  return await new Sink(options).listen();
}
