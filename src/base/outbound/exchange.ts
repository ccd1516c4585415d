// One HTTP request to one checked network address, and its response, read under limits.
// Ends within every time limit, keeps at most maxBytes, accepts only well-formed HTTP/1.x, and closes the connection
// unless it has read the response to its end. Knows nothing of names, redirects or encodings; outbound.ts does.
import http from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';

export type ExchangeLimits = {
  /** From now to the last byte. */
  totalMs: number;
  connectMs: number;
  /** From the connection to the end of the answer's headers. */
  headersMs: number;
  maxBytes: number;
  /** What happens beyond maxBytes: the answer fails, or is cut there. */
  overflow: 'fail' | 'cut';
  /** An answer that comes slower on average, 5 s after its first byte, is given up. */
  minBytesPerS: number;
};

export type ExchangeRequest = {
  url: URL;
  address: string;
  port: number;
  method: string;
  headers: Record<string, string>;
  body: Uint8Array | undefined;
  limits: ExchangeLimits;
  /** Keeps connections; without one, each exchange has a connection of its own. */
  agent: http.Agent | undefined;
  /** Keeps connections of different users of this client apart. */
  agentKey: string | undefined;
  certificateAuthorities: string[] | undefined;
  signal: AbortSignal | undefined;
};

export type Failure = 'refused' | 'unreachable' | 'timeout' | 'too_large' | 'protocol' | 'redirects' | 'aborted';

export type Exchange =
  | { ok: true; status: number; headers: Record<string, string>; body: Buffer; cut: boolean }
  | { ok: false; why: Failure; detail: string; connected: boolean /** A kept connection had gone. */; stale: boolean };

/** Longest header block, in bytes; also of the trailers. */
const maxHeaderSize = 16 * 1024;
/** More answers of the 1xx kind before the real one are a fault. */
const maxInterim = 8;
const slowAfterMs = 5_000;

export function exchange(request: ExchangeRequest): Promise<Exchange> {
  const { url, limits } = request;
  return new Promise((resolve) => {
    const startedAt = performance.now();
    let settled = false;
    let connected = false;
    let answered = false;
    let interim = 0;
    const timers = new Set<NodeJS.Timeout>();

    const settle = (result: Exchange) => {
      if (settled) return;
      settled = true;
      for (const timer of timers) clearTimeout(timer);
      request.signal?.removeEventListener('abort', onAbort);
      resolve(result);
    };
    const fail = (why: Failure, detail: string, stale = false) => {
      settle({ ok: false, why, detail, connected, stale });
      outgoing.destroy();
    };
    const within = (ms: number, what: string) => {
      const timer = setTimeout(() => fail('timeout', `${what} took longer than ${Math.round(ms)} ms`), ms);
      timers.add(timer);
      return timer;
    };
    const onAbort = () => fail('aborted', 'given up by the caller');

    if (request.signal?.aborted) {
      settle({ ok: false, why: 'aborted', detail: 'given up by the caller', connected, stale: false });
      return;
    }
    const outgoing = openRequest(request);
    request.signal?.addEventListener('abort', onAbort);
    within(limits.totalMs, 'the exchange');
    const connectTimer = within(limits.connectMs, 'the connection');

    const onConnected = () => {
      connected = true;
      clearTimeout(connectTimer);
      if (!answered && !settled) headersTimer = within(limits.headersMs, 'the header of the answer');
    };
    let headersTimer: NodeJS.Timeout | undefined;

    outgoing.on('socket', (socket) => {
      const ready = url.protocol === 'https:' ? 'secureConnect' : 'connect';
      if (outgoing.reusedSocket || (!socket.connecting && url.protocol === 'http:')) onConnected();
      else socket.once(ready, onConnected);
    });
    outgoing.on('information', () => {
      if (++interim > maxInterim) fail('protocol', 'too many 1xx answers');
    });
    outgoing.on('upgrade', (_answer, socket) => {
      socket.destroy();
      fail('protocol', 'the server changed the protocol');
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      const code = error.code ?? error.message;
      if (!connected) return fail('unreachable', `${request.address}: ${code}`);
      const gone = outgoing.reusedSocket && !answered && (code === 'ECONNRESET' || code === 'EPIPE');
      fail('protocol', `${request.address}: ${code}`, gone);
    });
    outgoing.on('response', (incoming) => {
      answered = true;
      clearTimeout(headersTimer);
      readBody(incoming);
    });
    outgoing.end(request.body);

    function readBody(incoming: http.IncomingMessage): void {
      const headers = singleHeaders(incoming);
      const status = incoming.statusCode!;
      const chunks: Buffer[] = [];
      let length = 0;
      const answer = (cut: boolean) => settle({ ok: true, status, headers, body: Buffer.concat(chunks, length), cut });

      const announced = request.method === 'HEAD' ? 0 : Number(headers['content-length']);
      if (status < 200 || status > 599) fail('protocol', `status ${status}`);
      if (limits.overflow === 'fail' && announced > limits.maxBytes) fail('too_large', `content-length ${announced}`);
      if (settled) return;
      const firstByteAt = performance.now();
      const pace = setInterval(() => {
        const elapsedMs = performance.now() - firstByteAt;
        if (elapsedMs < slowAfterMs || length >= (limits.minBytesPerS * elapsedMs) / 1_000) return;
        fail('timeout', `${length} bytes in ${Math.round(performance.now() - startedAt)} ms`);
      }, 500);
      timers.add(pace);

      incoming.on('data', (chunk: Buffer) => {
        if (settled) return;
        const room = limits.maxBytes - length;
        if (chunk.length <= room) {
          chunks.push(chunk);
          length += chunk.length;
        } else if (limits.overflow === 'fail') {
          fail('too_large', `more than ${limits.maxBytes} bytes`);
        } else {
          chunks.push(chunk.subarray(0, room));
          length += room;
          answer(true);
          outgoing.destroy();
        }
      });
      incoming.on('end', () => answer(false));
      incoming.on('error', (error: NodeJS.ErrnoException) => fail('protocol', `body: ${error.code ?? error.message}`));
      incoming.on('close', () => fail('protocol', 'the answer ended early'));
    }
  });
}

function openRequest(request: ExchangeRequest): http.ClientRequest {
  const { url, agent } = request;
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
  const common = {
    // The address itself: nothing is looked up after it was judged.
    host: request.address,
    port: request.port,
    method: request.method,
    path: url.pathname + url.search,
    headers: { ...request.headers, Host: url.host, Connection: agent ? 'keep-alive' : 'close' },
    setHost: false,
    maxHeaderSize,
    insecureHTTPParser: false,
    agentKey: request.agentKey,
  };
  // An agent of its own: Node's global one would follow proxy settings of the environment.
  if (url.protocol === 'http:') return http.request({ ...common, agent: agent ?? new http.Agent() });
  return https.request({
    ...common,
    agent: agent ?? new https.Agent(),
    // The certificate must be for the name (or, without one, for the address), whatever address it leads to.
    servername: isIP(host) ? '' : host.replace(/\.$/, ''),
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
    ...(request.certificateAuthorities ? { ca: request.certificateAuthorities } : {}),
  });
}

/** Lower-case names; values of a repeated header are joined by a comma, as RFC 9110 5.3 allows. */
function singleHeaders(incoming: http.IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  for (const [name, values] of Object.entries(incoming.headersDistinct)) headers[name] = (values ?? []).join(', ');
  return headers;
}
