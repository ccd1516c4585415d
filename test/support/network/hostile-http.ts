// A web server on loopback that misbehaves on purpose, one way per path: `/endless`, `/http09`, `/redirect?to=…`.
// Written on bare sockets, so that it can send what no HTTP library would. Records the requests it gets.
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { gzipSync } from 'node:zlib';

export type HostileServer = {
  port: number;
  /** The address of one behaviour; more query members may be added. */
  url(behaviour: string, query?: Record<string, string>): string;
  /** Heads of the requests that came, raw. */
  requests: string[];
  /** The whole of what the last connections sent, request body included. */
  received: string[];
  connections: number;
  /** Bytes that the peers have taken. */
  written(): number;
  close(): Promise<void>;
};

type Turn = { socket: Socket; query: URLSearchParams; head: string; later: (ms: number, act: () => void) => void };

/** @param tls makes it an https server */
export async function startHostileHttp(host = '127.0.0.1', tls?: TlsOptions): Promise<HostileServer> {
  const sockets = new Set<Socket>();
  const timers = new Set<NodeJS.Timeout>();
  const requests: string[] = [];
  const received: string[] = [];
  let writtenByClosed = 0;
  let connections = 0;

  const later = (ms: number, act: () => void) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      act();
    }, ms);
    timers.add(timer);
  };
  const onSocket = (socket: Socket) => {
    connections++;
    sockets.add(socket);
    const slot = received.push('') - 1;
    let pending = '';
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      writtenByClosed += socket.bytesWritten;
    });
    socket.on('data', (bytes) => {
      received[slot] += bytes.toString('latin1');
      pending += bytes.toString('latin1');
      const end = pending.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = pending.slice(0, end + 4);
      const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
      if (pending.length < head.length + length) return;
      pending = pending.slice(head.length + length);
      requests.push(head);
      const url = new URL(head.split(' ')[1] ?? '/', 'http://hostile.test');
      const act = behaviours[url.pathname.slice(1)] ?? behaviours['missing']!;
      act({ socket, query: url.searchParams, head, later });
    });
  };
  const server: Server = tls ? createTlsServer(tls, onSocket) : createServer(onSocket);
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;

  return {
    port,
    url(behaviour, query = {}) {
      const search = new URLSearchParams(query).toString();
      const name = host.includes(':') ? `[${host}]` : host;
      return `${tls ? 'https' : 'http'}://${name}:${port}/${behaviour}${search ? `?${search}` : ''}`;
    },
    requests,
    received,
    get connections() {
      return connections;
    },
    written: () => [...sockets].reduce((sum, socket) => sum + socket.bytesWritten, writtenByClosed),
    close() {
      for (const timer of timers) clearTimeout(timer);
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** The names of all behaviours that never lead to a sound answer. */
export const faultyBehaviours = () => Object.keys(behaviours).filter((name) => !sound.has(name));
const sound = new Set(['ok', 'body', 'redirect', 'status', 'missing', 'echo', 'cookies', 'ok-then-close']);

const answerHead = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n';
const block = Buffer.alloc(64 * 1024, 'x');

/** Writes again and again, as fast as the peer takes it, until it goes away. */
function endlessly({ socket }: Turn, bytes: Buffer | string): void {
  const push = () => {
    while (!socket.destroyed && socket.write(bytes));
    if (!socket.destroyed) socket.once('drain', () => setImmediate(push));
  };
  push();
}

function drip({ socket, later }: Turn, text: string, everyMs: number): void {
  let at = 0;
  const next = () => {
    if (socket.destroyed) return;
    socket.write(text[at++ % text.length]!);
    later(everyMs, next);
  };
  next();
}

/** 8 MB of zeros in gzip: a ratio of about 1,000. */
let bomb: Buffer | undefined;

const behaviours: Record<string, (turn: Turn) => void> = {
  // Sound answers
  ok: ({ socket }) => socket.write(`${answerHead}Content-Length: 5\r\n\r\nhello`),
  'ok-then-close': ({ socket }) => socket.end(`${answerHead}\r\nhello`),
  missing: ({ socket }) => socket.write('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n'),
  echo: ({ socket, head }) => socket.write(`${answerHead}Content-Length: ${head.length}\r\n\r\n${head}`),
  cookies: ({ socket }) => socket.write(`${answerHead}Set-Cookie: a=b\r\nContent-Length: 5\r\n\r\nhello`),
  status: ({ socket, query }) => socket.write(`HTTP/1.1 ${query.get('code')} X\r\nContent-Length: 0\r\n\r\n`),
  body: ({ socket, query }) => {
    const body = Buffer.from(query.get('base64') ?? '', 'base64');
    const headers = [...query].filter(([name]) => name !== 'base64').map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`HTTP/1.1 200 OK\r\n${headers.join('')}Content-Length: ${body.length}\r\n\r\n`);
    socket.write(body);
  },
  redirect: ({ socket, query }) => {
    socket.write(
      `HTTP/1.1 ${query.get('status') ?? '302'} Found\r\nLocation: ${query.get('to')}\r\nContent-Length: 0\r\n\r\n`,
    );
  },

  // Silence and slowness
  never: () => {},
  'half-head': ({ socket }) => socket.write('HTTP/1.1 200 OK\r\nContent-Ty'),
  'drip-head': (turn) => {
    turn.socket.write('HTTP/1.1 200 OK\r\nX-Slow: ');
    drip(turn, 'a', 100);
  },
  'drip-body': (turn) => {
    turn.socket.write(`${answerHead}\r\n`);
    drip(turn, 'a', 100);
  },
  'head-then-silence': ({ socket }) => socket.write(`${answerHead}Content-Length: 100\r\n\r\n`),
  'half-body-then-silence': ({ socket }) => socket.write(`${answerHead}Content-Length: 100\r\n\r\nhalf`),

  // Too much
  endless: (turn) => {
    turn.socket.write(`${answerHead}\r\n`);
    endlessly(turn, block);
  },
  'endless-chunked': (turn) => {
    turn.socket.write(`${answerHead}Transfer-Encoding: chunked\r\n\r\n`);
    endlessly(turn, `10000\r\n${block.toString('latin1')}\r\n`);
  },
  'declared-gigabyte': (turn) => {
    turn.socket.write(`${answerHead}Content-Length: 1073741824\r\n\r\n`);
    endlessly(turn, block);
  },
  'gzip-bomb': ({ socket }) => {
    bomb ??= gzipSync(Buffer.alloc(8 * 1024 * 1024));
    socket.write(`${answerHead}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`);
    socket.write(bomb);
  },
  'million-headers': (turn) => {
    turn.socket.write('HTTP/1.1 200 OK\r\n');
    endlessly(turn, 'X-A: b\r\n'.repeat(1000));
  },
  'endless-header': (turn) => {
    turn.socket.write('HTTP/1.1 200 OK\r\nX-Long: ');
    endlessly(turn, block);
  },
  'endless-status-line': (turn) => {
    turn.socket.write('HTTP/1.1 200 ');
    endlessly(turn, block);
  },
  'endless-chunk-extension': (turn) => {
    turn.socket.write(`${answerHead}Transfer-Encoding: chunked\r\n\r\n5;`);
    endlessly(turn, block);
  },
  'endless-trailers': (turn) => {
    turn.socket.write(`${answerHead}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n`);
    endlessly(turn, 'X-A: b\r\n'.repeat(1000));
  },
  'continue-loop': (turn) => endlessly(turn, 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(100)),
  'early-hints-loop': (turn) => endlessly(turn, 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(100)),
  'slow-continue-loop': (turn) => {
    const next = () => {
      if (turn.socket.destroyed) return;
      turn.socket.write('HTTP/1.1 102 Processing\r\n\r\n');
      turn.later(20, next);
    };
    next();
  },

  // Lies
  'short-of-length': ({ socket }) => socket.end(`${answerHead}Content-Length: 1000\r\n\r\nshort`),
  'two-lengths': ({ socket }) => socket.write(`${answerHead}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`),
  'length-and-chunked': ({ socket }) =>
    socket.write(`${answerHead}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`),
  'negative-length': ({ socket }) => socket.write(`${answerHead}Content-Length: -5\r\n\r\nhello`),
  'bad-chunk': ({ socket }) => socket.write(`${answerHead}Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n`),
  'huge-chunk-size': ({ socket }) =>
    socket.write(`${answerHead}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nhello`),
  'unfinished-chunks': ({ socket }) => socket.end(`${answerHead}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`),

  // Not HTTP/1
  http09: ({ socket }) => socket.end('<html>hello</html>'),
  garbage: ({ socket }) => socket.write('SSH-2.0-OpenSSH_9.2p1\r\n'),
  'http2-preface': ({ socket }) => socket.write(Buffer.from('000000040000000000', 'hex')),
  'binary-noise': ({ socket }) => socket.write(Buffer.from('1603010200010001fc0303', 'hex')),
  'nul-in-header': ({ socket }) => socket.write(`HTTP/1.1 200 OK\r\nX: a\0b\r\nContent-Length: 5\r\n\r\nhello`),
  'status-999': ({ socket }) => socket.write('HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n'),
  'status-000': ({ socket }) => socket.write('HTTP/1.1 000 Odd\r\nContent-Length: 0\r\n\r\n'),
  'status-word': ({ socket }) => socket.write('HTTP/1.1 abc Odd\r\nContent-Length: 0\r\n\r\n'),
  'switching-protocols': ({ socket }) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),

  // Going away
  'closes-at-once': ({ socket }) => socket.end(),
  reset: ({ socket }) => socket.resetAndDestroy(),
  'reset-in-head': ({ socket, later }) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-');
    later(20, () => socket.resetAndDestroy());
  },
  'reset-in-body': ({ socket, later }) => {
    socket.write(`${answerHead}Content-Length: 100\r\n\r\nhalf`);
    later(20, () => socket.resetAndDestroy());
  },
};
