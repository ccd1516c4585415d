// A pooler in front of PostgreSQL as PgBouncer is in transaction mode: every client gets a connection of the server for one
// transaction and returns it at its end. It really multiplexes: more clients than server connections work, and what belongs to
// a session (notifications, advisory locks, settings) is lost or lands elsewhere. Speaks just enough of the protocol.
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import pg from 'pg';

const sslRequest = 80_877_103;

/** A connection to the server, logged in. */
type Backend = { client: pg.Client; stream: Socket; user: Session | undefined };

export class TransactionPooler {
  readonly url: string;
  readonly #server: Server;
  readonly #backends: readonly Backend[];
  readonly #waiting: Session[] = [];
  readonly #sessions = new Set<Session>();

  private constructor(server: Server, url: string, backends: readonly Backend[]) {
    this.#server = server;
    this.url = url;
    this.#backends = backends;
    for (const backend of backends) followReplies(backend, () => this.#free(backend));
  }

  /** @param connections those to the server, which all clients share */
  static async start(target: string, connections = 2): Promise<TransactionPooler> {
    const backends = await Promise.all(Array.from({ length: connections }, () => backendOf(target)));
    const server = createServer({ noDelay: true });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const here = new URL(target);
    here.hostname = '127.0.0.1';
    here.port = String((server.address() as AddressInfo).port);
    const pooler = new TransactionPooler(server, here.href, backends);
    server.on('connection', (socket) => {
      const session = new Session(socket, (waiting) => pooler.#give(waiting));
      pooler.#sessions.add(session);
      socket.on('close', () => pooler.#sessions.delete(session));
    });
    return pooler;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const { socket } of this.#sessions) socket.destroy();
    for (const { stream } of this.#backends) stream.destroy();
    await closed;
  }

  /** A server connection for a session, now or when one is free. */
  #give(session: Session): void {
    const free = this.#backends.find(({ user }) => !user);
    if (session.socket.destroyed) return;
    if (!free) {
      this.#waiting.push(session);
      return;
    }
    free.user = session;
    session.take(free.stream);
  }

  /** The transaction is over. */
  #free(backend: Backend): void {
    backend.user?.leave();
    backend.user = undefined;
    const next = this.#waiting.shift();
    if (next?.socket.destroyed) this.#free(backend);
    else if (next) this.#give(next);
  }
}

async function backendOf(target: string): Promise<Backend> {
  const client = new pg.Client({ connectionString: target, application_name: 'pooler' });
  client.on('error', () => {});
  await client.connect();
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  // From here on its octets are those of the clients.
  stream.removeAllListeners('data');
  return { client, stream, user: undefined };
}

/** Passes replies on to the session that has the connection, and watches for "ready, not in a transaction". */
function followReplies(backend: Backend, onIdle: () => void): void {
  let rest = Buffer.alloc(0);
  backend.stream.on('error', () => {});
  backend.stream.on('data', (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes]);
    while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
      const message = rest.subarray(0, 1 + rest.readInt32BE(1));
      rest = rest.subarray(message.length);
      backend.user?.socket.write(message);
      if (message[0] === 0x5a && message[5] === 0x49) onIdle();
    }
  });
}

/** One client. */
class Session {
  readonly socket: Socket;
  readonly #ask: (session: Session) => void;
  #buffer = Buffer.alloc(0);
  #begun = false;
  #asked = false;
  #stream: Socket | undefined;
  #held: Buffer[] = [];

  constructor(socket: Socket, ask: (session: Session) => void) {
    this.socket = socket;
    this.#ask = ask;
    socket.on('error', () => {});
    socket.on('data', (bytes) => this.#read(bytes));
    // A transaction that its client leaves open ends.
    socket.on('close', () => this.#stream?.write(query('rollback')));
  }

  take(stream: Socket): void {
    this.#stream = stream;
    for (const message of this.#held.splice(0)) stream.write(message);
  }

  leave(): void {
    this.#stream = undefined;
    this.#asked = false;
  }

  #read(bytes: Buffer): void {
    this.#buffer = Buffer.concat([this.#buffer, bytes]);
    for (;;) {
      const head = this.#begun ? 1 : 0;
      if (this.#buffer.length < head + 4) return;
      const size = head + this.#buffer.readInt32BE(head);
      if (this.#buffer.length < size) return;
      const message = this.#buffer.subarray(0, size);
      this.#buffer = this.#buffer.subarray(size);
      if (this.#begun) this.#pass(message);
      else this.#greet(message);
    }
  }

  #greet(message: Buffer): void {
    if (message.readInt32BE(4) === sslRequest) {
      this.socket.write('N');
      return;
    }
    this.#begun = true;
    const refused = startupParameters(message).find((name) => !knownParameters.includes(name));
    if (refused !== undefined) {
      const text = `SFATAL\0C08P01\0Munsupported startup parameter: ${refused}\0\0`;
      this.socket.end(reply('E', Buffer.from(text)));
      return;
    }
    const status = (name: string, value: string) => reply('S', Buffer.from(`${name}\0${value}\0`));
    // A process id and a key of its own: the server's would be of no use to the client.
    const key = Buffer.alloc(8);
    key.writeInt32BE(1, 0);
    this.socket.write(
      Buffer.concat([
        reply('R', Buffer.alloc(4)),
        status('client_encoding', 'UTF8'),
        status('server_version', '17.0'),
        reply('K', key),
        reply('Z', Buffer.from('I')),
      ]),
    );
  }

  #pass(message: Buffer): void {
    // Terminate: the server connection stays.
    if (message[0] === 0x58) {
      this.socket.end();
      return;
    }
    if (this.#stream) {
      this.#stream.write(message);
      return;
    }
    this.#held.push(message);
    if (this.#asked) return;
    this.#asked = true;
    this.#ask(this);
  }
}

/** What PgBouncer takes when its ignore_startup_parameters is empty. */
const knownParameters = [
  ...['user', 'database', 'application_name', 'client_encoding', 'datestyle', 'timezone', 'intervalstyle'],
  'standard_conforming_strings',
];

/** Their names, in lower case. */
const startupParameters = (message: Buffer): string[] =>
  message
    .toString('latin1', 8)
    .split('\0')
    .filter((name, at) => at % 2 === 0 && name !== '')
    .map((name) => name.toLowerCase());

const query = (text: string): Buffer => reply('Q', Buffer.from(`${text}\0`));

function reply(letter: string, content: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(letter, 'latin1');
  head.writeInt32BE(content.length + 4, 1);
  return Buffer.concat([head, content]);
}
