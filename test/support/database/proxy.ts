// A proxy in front of PostgreSQL that causes network faults: delay, connections cut before a COMMIT or between it and
// its answer, half-open connections, an unreachable server. Parses the client's messages just far enough to recognise a
// COMMIT. Only for connections without TLS.
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export type Cut = 'before commit' | 'after commit' | 'at once';
export type CommitHold = {
  /** Resolves when the COMMIT has come (before), or its answer is at hand (after), and waits. */
  reached: Promise<void>;
  /** Lets it go on. A connection whose client is gone by then is over. */
  release(): void;
};
type Waiting = { statement: string; when: 'before' | 'after'; nth: number; seen: number; reach(): Promise<void> };

export class DatabaseProxy {
  /** Added to each message of the client. */
  delayMs = 0;
  /** Takes no connections and holds none, as a server that is down. */
  gone = false;
  /** Passes nothing on any more, and closes nothing. */
  frozen = false;
  readonly counts = { connections: 0, refused: 0, commits: 0, cut: 0 };
  readonly url: string;
  readonly #server: Server;
  readonly #links = new Set<Link>();
  /** Decides about each COMMIT; the number counts them. */
  onCommit: (number: number) => Cut | undefined = () => undefined;
  readonly #holds: Waiting[] = [];
  #target: URL;

  private constructor(server: Server, url: string, target: URL) {
    this.#server = server;
    this.url = url;
    this.#target = target;
  }

  static async start(target: string): Promise<DatabaseProxy> {
    const server = createServer({ noDelay: true });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const here = new URL(target);
    here.hostname = '127.0.0.1';
    here.port = String((server.address() as AddressInfo).port);
    const proxy = new DatabaseProxy(server, here.href, new URL(target));
    server.on('connection', (client) => {
      if (proxy.gone) {
        proxy.counts.refused += 1;
        client.destroy();
        return;
      }
      proxy.counts.connections += 1;
      const link = new Link(proxy, client, proxy.#open());
      proxy.#links.add(link);
      client.on('close', () => proxy.#links.delete(link));
    });
    return proxy;
  }

  /** New connections lead to another server. */
  leadTo(target: string): void {
    this.#target = new URL(target);
  }

  #open(): Socket {
    const { hostname, port } = this.#target;
    // The folder of a unix socket takes the place of the host.
    const host = decodeURIComponent(hostname);
    return host.startsWith('/')
      ? connect(`${host}/.s.PGSQL.${port || 5432}`)
      : connect({ host, port: Number(port || 5432), noDelay: true });
  }

  /** Cuts every connection there is. */
  cutAll(): void {
    for (const link of this.#links) link.cut();
  }

  /** Cuts the one of these connections that `random` (0 to 1) points at. */
  cutOne(random: number): void {
    const links = [...this.#links];
    links[Math.floor(random * links.length)]?.cut();
  }

  /**
   * Holds the nth commit from now on of what contains `statement`, be it a statement of its own or a transaction:
   * before the server sees it, or when it is done and before its client hears so.
   */
  hold(statement: string, when: 'before' | 'after', nth = 1): CommitHold {
    const released = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    this.#holds.push({
      statement,
      when,
      nth,
      seen: 0,
      reach() {
        reached.resolve();
        return released.promise;
      },
    });
    return { reached: reached.promise, release: released.resolve };
  }

  /** The hold that is for the commit of these statements, used up. */
  heldAt(statements: string): Waiting | undefined {
    for (const [index, hold] of this.#holds.entries()) {
      if (!statements.includes(hold.statement) || ++hold.seen < hold.nth) continue;
      this.#holds.splice(index, 1);
      return hold;
    }
    return undefined;
  }

  goDown(): void {
    this.gone = true;
    this.cutAll();
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.cutAll();
    await closed;
  }
}

class Link {
  readonly #proxy: DatabaseProxy;
  readonly #client: Socket;
  readonly #server: Socket;
  #buffer = Buffer.alloc(0);
  #begun = false;
  /** The next answer is that to a COMMIT and is not to arrive. */
  #swallow = false;
  /** The text of the statements since the last commit. */
  #statements = '';
  #within = false;
  /** What the client sent while its commit is held back. */
  #waiting: Buffer[] | undefined;
  #answerTo: Waiting | undefined;

  constructor(proxy: DatabaseProxy, client: Socket, server: Socket) {
    this.#proxy = proxy;
    this.#client = client;
    this.#server = server;
    client.on('data', (bytes) => this.#fromClient(bytes));
    server.on('data', (bytes) => {
      if (proxy.frozen) return;
      if (this.#swallow) this.cut();
      else if (this.#answerTo) {
        const hold = this.#answerTo;
        this.#answerTo = undefined;
        server.pause();
        void hold.reach().then(() => {
          client.write(bytes);
          server.resume();
        });
      } else client.write(bytes);
    });
    for (const socket of [client, server]) {
      socket.on('error', () => {});
      socket.on('close', () => {
        client.destroy();
        server.destroy();
      });
    }
  }

  cut(): void {
    this.#proxy.counts.cut += 1;
    this.#client.destroy();
    this.#server.destroy();
  }

  #fromClient(bytes: Buffer): void {
    this.#buffer = Buffer.concat([this.#buffer, bytes]);
    for (;;) {
      // The first message has no letter before its length.
      const head = this.#begun ? 1 : 0;
      if (this.#buffer.length < head + 4) return;
      const size = head + this.#buffer.readInt32BE(head);
      if (this.#buffer.length < size) return;
      const message = this.#buffer.subarray(0, size);
      this.#buffer = this.#buffer.subarray(size);
      this.#begun = true;
      const simple = head === 1 && message[0] === 0x51 ? message.toString('latin1', 5, size - 1).toLowerCase() : '';
      if (head === 1) this.#hold(message, simple);
      if (simple === 'commit') {
        const cut = this.#proxy.onCommit(++this.#proxy.counts.commits);
        if (cut === 'after commit') this.#swallow = true;
        else if (cut) {
          this.cut();
          return;
        }
      }
      this.#pass(message);
    }
  }

  /** If a test holds this commit, it or its answer waits. */
  #hold(message: Buffer, simple: string): void {
    // Parse: the name of the statement, a zero octet, its text.
    if (message[0] === 0x50) this.#statements += message.toString('latin1', 5);
    if (simple === 'begin') {
      this.#within = true;
      this.#statements = '';
      return;
    }
    // Sync ends a statement of its own.
    if (simple !== 'commit' && simple !== 'rollback' && (this.#within || message[0] !== 0x53)) return;
    const hold = simple === 'rollback' ? undefined : this.#proxy.heldAt(this.#statements);
    this.#statements = '';
    this.#within = false;
    if (hold?.when === 'after') this.#answerTo = hold;
    if (hold?.when !== 'before') return;
    this.#waiting = [];
    void hold.reach().then(() => {
      const waiting = this.#waiting ?? [];
      this.#waiting = undefined;
      for (const one of waiting) this.#pass(one);
    });
  }

  #pass(message: Buffer): void {
    if (this.#waiting) {
      this.#waiting.push(message);
      return;
    }
    if (this.#proxy.frozen || this.#server.destroyed) return;
    if (this.#proxy.delayMs === 0) this.#server.write(message);
    else setTimeout(() => this.#server.destroyed || this.#server.write(message), this.#proxy.delayMs);
  }
}
