// A webhook receiver on loopback: keeps every request with its raw body, answers as the test decides, and can be down for
// a while. Distinguishes requests that a live sender made at once from those whose sender was dead already, of which the
// kernel still held the bytes.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { type TestApp, testApp } from '../installation/app.ts';

export type Received = {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  at: number;
  /** The status that was sent whole; 0 while there is none, or when the connection broke before. */
  answered: number;
  /** The process that sent it, where it says so (dispatcher-main.ts). */
  sender: string;
};

export type Receiver = {
  url: string;
  /** POST requests, in the order they came. */
  posts: Received[];
  heads: Received[];
  /** Called for every POST; without an answer by it, 200 is answered. */
  answer: (request: Received, response: ServerResponse) => void;
  /** The largest number of requests in progress at once. */
  maxConcurrent: number;
  /** Requests that came while an earlier one was in progress. */
  overlaps: { earlier: Received; later: Received }[];
  /** Refuses connections and breaks those there are, until up(). */
  down(): Promise<void>;
  up(): Promise<void>;
  /** The ids of the events of all requests, repetitions included. */
  eventIds(): string[];
  close(): Promise<void>;
};

export async function startReceiver(): Promise<Receiver> {
  const open = new Set<Received>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('error', () => {});
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const received = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks),
        at: Date.now(),
        answered: 0,
        sender: String(request.headers['x-sender'] ?? ''),
      };
      if (received.method === 'HEAD') {
        receiver.heads.push(received);
        response.end();
        return;
      }
      for (const earlier of open) receiver.overlaps.push({ earlier, later: received });
      open.add(received);
      receiver.maxConcurrent = Math.max(receiver.maxConcurrent, open.size);
      response.on('close', () => {
        open.delete(received);
        if (response.writableFinished) received.answered = response.statusCode;
      });
      receiver.posts.push(received);
      receiver.answer(received, response);
    });
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const close = () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    return closed;
  };
  await listen(0);
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    posts: [],
    heads: [],
    answer: (_request, response) => void response.end('ok'),
    maxConcurrent: 0,
    overlaps: [],
    down: close,
    up: () => listen(port),
    eventIds: () => receiver.posts.flatMap((post) => idsOf(post.body)),
    close,
  };
  return receiver;
}

/** A receiver, and an app that may reach it. */
export async function appWithReceiver(): Promise<{ t: TestApp; receiver: Receiver; close(): Promise<void> }> {
  const t = await testApp({ OUTBOUND_ALLOW: '127.0.0.0/8' });
  const receiver = await startReceiver();
  const close = async () => {
    await receiver.close();
    t.app.outbound.close();
    await t.close();
  };
  return { t, receiver, close };
}

export function idsOf(body: Buffer): string[] {
  const parsed = JSON.parse(body.toString()) as { events: { data: { id: string } }[] };
  return parsed.events.map((event) => event.data.id);
}
