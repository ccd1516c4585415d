// One HTTP request to one checked network address, and its response, read under limits.
// Ends within every time limit, keeps at most maxBytes, accepts only well-formed HTTP/1.x, and closes the connection
// unless it has read the response to its end. Knows nothing of names, redirects or encodings; outbound.ts does.
import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import type { ExchangeLimits, Failure } from '../outbound-client.ts';

/**
 * Not imported: an import reads all members of the module, and some of them load a WebSocket client, which costs each process
 * 6 MB and 20 ms.
 */
export const http = process.getBuiltinModule('node:http');

export type ExchangeRequest = {
  url: URL;
  address: string;
  port: number;
  method: string;
  headers: Record<string, string>;
  body: Uint8Array | undefined;
  limits: ExchangeLimits;
  /** Keeps connections; without one, each exchange has a connection of its own. */
  agent: Agent | undefined;
  /** Keeps connections of different users of this client apart. */
  agentKey: string | undefined;
  certificateAuthorities: string[] | undefined;
  signal: AbortSignal | undefined;
};

export type Exchange =
  | { ok: true; status: number; headers: Record<string, string>; body: Buffer; cut: boolean }
  | {
      ok: false;
      why: Failure;
      detail: string;
      /** Of the operating system, TLS or the parser of HTTP, or one of those below. */
      code: string;
      connected: boolean;
      /** A kept connection had gone. */
      stale: boolean;
    };

/** What failed where no library has a code for it. */
export const timeoutCodes = { connection: 'CONNECTION_TIMEOUT', answer: 'ANSWER_TIMEOUT' } as const;

/** Longest header block, in bytes; also of the trailers. */
const maxHeaderSize = 16 * 1024;
/** More answers of the 1xx kind before the real one are a fault. */
const maxInterim = 8;
const slowAfterMs = 5_000;

export function exchange(request: ExchangeRequest): Promise<Exchange> {
  return new Promise((resolve) => new RunningExchange(request, resolve).start());
}

/** CONNECTING → CONNECTED → ANSWERED → done: one result, after which every timer is cleared. */
class RunningExchange {
  readonly #request: ExchangeRequest;
  readonly #resolve: (result: Exchange) => void;
  readonly #startedAt = performance.now();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #onAbort = () => this.#fail('aborted', 'aborted by the caller');
  #outgoing: ClientRequest | undefined;
  #done = false;
  #connected = false;
  #answered = false;

  constructor(request: ExchangeRequest, resolve: (result: Exchange) => void) {
    this.#request = request;
    this.#resolve = resolve;
  }

  start(): void {
    const { limits, signal, body } = this.#request;
    if (signal?.aborted) {
      this.#onAbort();
      return;
    }
    const outgoing = openRequest(this.#request);
    this.#outgoing = outgoing;
    signal?.addEventListener('abort', this.#onAbort);
    this.#within(limits.totalMs, 'the exchange', timeoutCodes.answer);
    this.#watchConnection(outgoing);
    let interim = 0;
    outgoing.on('information', () => {
      if (++interim > maxInterim) this.#fail('protocol', 'too many 1xx answers');
    });
    outgoing.on('upgrade', (_answer, socket) => {
      socket.destroy();
      this.#fail('protocol', 'the server changed the protocol');
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => this.#onError(outgoing, error.code ?? error.message));
    outgoing.end(body);
  }

  /** Limits the time to connect, and from then on the time to the response. */
  #watchConnection(outgoing: ClientRequest): void {
    const { url, limits } = this.#request;
    const connectTimer = this.#within(limits.connectMs, 'the connection', timeoutCodes.connection);
    let headersTimer: NodeJS.Timeout | undefined;
    const onConnected = () => {
      this.#connected = true;
      clearTimeout(connectTimer);
      if (!this.#answered && !this.#done)
        headersTimer = this.#within(limits.headersMs, 'the header of the answer', timeoutCodes.answer);
    };
    outgoing.on('socket', (socket) => {
      const ready = url.protocol === 'https:' ? 'secureConnect' : 'connect';
      if (outgoing.reusedSocket || (!socket.connecting && url.protocol === 'http:')) onConnected();
      else socket.once(ready, onConnected);
    });
    outgoing.on('response', (incoming) => {
      this.#answered = true;
      clearTimeout(headersTimer);
      this.#readBody(incoming);
    });
  }

  #onError(outgoing: ClientRequest, code: string): void {
    const { address } = this.#request;
    const stale =
      this.#connected && outgoing.reusedSocket && !this.#answered && (code === 'ECONNRESET' || code === 'EPIPE');
    this.#fail(this.#connected ? 'protocol' : 'unreachable', `${address}: ${code}`, { stale, code });
  }

  #readBody(incoming: IncomingMessage): void {
    const { limits, method } = this.#request;
    const headers = singleHeaders(incoming);
    const status = incoming.statusCode!;
    const chunks: Buffer[] = [];
    let length = 0;
    const answer = (cut: boolean) =>
      this.#finish({ ok: true, status, headers, body: Buffer.concat(chunks, length), cut });

    const announced = method === 'HEAD' ? 0 : Number(headers['content-length']);
    if (status < 200 || status > 599) this.#fail('protocol', `status ${status}`);
    if (limits.overflow === 'fail' && announced > limits.maxBytes)
      this.#fail('too_large', `content-length ${announced}`);
    if (this.#done) return;
    this.#watchPace(() => length);

    incoming.on('data', (chunk: Buffer) => {
      if (this.#done) return;
      const room = limits.maxBytes - length;
      if (chunk.length > room && limits.overflow === 'fail') {
        this.#fail('too_large', `more than ${limits.maxBytes} bytes`);
        return;
      }
      const kept = chunk.subarray(0, room);
      chunks.push(kept);
      length += kept.length;
      if (kept.length === chunk.length) return;
      answer(true);
      this.#outgoing!.destroy();
    });
    incoming.on('end', () => answer(false));
    incoming.on('error', (error: NodeJS.ErrnoException) =>
      this.#fail('protocol', `body: ${error.code ?? error.message}`, { code: error.code ?? '' }),
    );
    incoming.on('close', () => this.#fail('protocol', 'the answer ended early', { code: 'ECONNRESET' }));
  }

  /** Fails a body that arrives too slowly. */
  #watchPace(length: () => number): void {
    const firstByteAt = performance.now();
    const { minBytesPerS } = this.#request.limits;
    const pace = setInterval(() => {
      const elapsedMs = performance.now() - firstByteAt;
      if (elapsedMs < slowAfterMs || length() >= (minBytesPerS * elapsedMs) / 1_000) return;
      this.#fail('timeout', `${length()} bytes in ${Math.round(performance.now() - this.#startedAt)} ms`, {
        code: timeoutCodes.answer,
      });
    }, 500);
    this.#timers.add(pace);
  }

  #within(ms: number, what: string, code: string): NodeJS.Timeout {
    const timer = setTimeout(
      () => this.#fail('timeout', `${what} took longer than ${Math.round(ms)} ms`, { code }),
      ms,
    );
    this.#timers.add(timer);
    return timer;
  }

  #fail(why: Failure, detail: string, { code = '', stale = false } = {}): void {
    this.#finish({ ok: false, why, detail, code, connected: this.#connected, stale });
    this.#outgoing?.destroy();
  }

  #finish(result: Exchange): void {
    if (this.#done) return;
    this.#done = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#request.signal?.removeEventListener('abort', this.#onAbort);
    this.#resolve(result);
  }
}

function openRequest(request: ExchangeRequest): ClientRequest {
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
function singleHeaders(incoming: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  for (const [name, values] of Object.entries(incoming.headersDistinct)) headers[name] = (values ?? []).join(', ');
  return headers;
}
