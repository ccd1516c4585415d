// A receiver for development: takes webhooks at a terminal, checks their signatures, prints what came, and fails on
// purpose where asked to, so that one can watch what is tried again and when.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { receive, signatureHeader } from '../../../receiver/index.js';

export type ListenOptions = {
  host: string;
  /** 0 takes any free port. */
  port: number;
  /** Without one signatures are not checked. */
  secret: string;
  /** Answers with this status instead of 200; 0 fails nothing. */
  failStatus: number;
  /** Fails the first of every so many requests; 1 fails all. */
  failEvery: number;
  /** Milliseconds before each answer. */
  delayMs: number;
  /** Prints each event as one line of JSON, for other programs. */
  json: boolean;
};

export type Listener = { url: string; close(): Promise<void> };

/** Longest body that is read; the service sends 256 kB at most but for a single event that is larger. */
const maxBytes = 8 * 1024 * 1024;

export async function listen(options: ListenOptions, print: (line: string) => void): Promise<Listener> {
  let count = 0;
  const seen = new Set<string>();
  const server = createServer(async (request, response) => {
    const answer = (status: number, text: string) => {
      response.writeHead(status, { 'content-type': 'text/plain' });
      response.end(request.method === 'HEAD' ? undefined : `${text}\n`);
    };
    if (request.method === 'HEAD') {
      if (!options.json) print(`HEAD ${plain(request.url ?? '/')} → 200 (the address is being checked)`);
      return answer(200, '');
    }
    if (request.method !== 'POST') return answer(405, 'POST webhooks here.');
    const body = await bodyOf(request);
    if (!body) return answer(413, '413 Content Too Large');
    const header = request.headers[signatureHeader];
    const result = receive(body, typeof header === 'string' ? header : undefined, options.secret || undefined);
    const fails = options.failStatus > 0 && result.status === 200 && count++ % options.failEvery === 0;
    const status = fails ? options.failStatus : result.status;
    if (options.delayMs > 0) await sleep(options.delayMs);
    answer(status, status === 200 ? 'OK' : result.text);
    if (options.json) {
      for (const event of result.delivery?.events ?? []) print(JSON.stringify({ status, ...event }));
      return;
    }
    const signed = options.secret === '' ? 'not checked' : result.status === 401 ? 'WRONG' : 'right';
    print(
      `${new Date().toISOString().slice(11, 19)}  ${plain(String(request.headers['webhook-id'] ?? 'no id'))}  ` +
        `signature ${signed}  → ${status}${fails ? ' (failed on purpose)' : ''}`,
    );
    if (!result.delivery && result.status !== 401) print(`  not a delivery: ${plain(body.toString().slice(0, 200))}`);
    for (const { type, data } of result.delivery?.events ?? []) {
      const again = seen.has(data.id) ? '  (again)' : '';
      if (seen.size < 100_000) seen.add(data.id);
      print(`  ${plain(type)}  ${plain(data.id)}${again}`);
      for (const [name, value] of Object.entries(data)) {
        if (name !== 'id' && value !== '')
          print(`    ${plain(name)}: ${plain(typeof value === 'string' ? value : JSON.stringify(value))}`);
      }
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}/`,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** What strangers wrote must not steer the terminal: control characters are shown, not sent. */
function plain(text: string): string {
  return text.replace(/[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
