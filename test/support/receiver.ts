// A webhook receiver on loopback: keeps every request with its raw body, and answers as it is told.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';

export type Received = { method: string; path: string; headers: IncomingHttpHeaders; body: Buffer; at: number };

export type Receiver = {
  url: string;
  /** POST requests, in the order they came. */
  posts: Received[];
  heads: Received[];
  /** Called for every POST; without an answer by it, 200 is answered. */
  answer: (request: Received, response: ServerResponse) => void;
  /** Requests under way now, and the most there were at once. */
  mostAtOnce: number;
  /** The ids of the events of all requests, repetitions included. */
  eventIds(): string[];
  close(): Promise<void>;
};

export async function startReceiver(): Promise<Receiver> {
  let open = 0;
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
      };
      if (received.method === 'HEAD') {
        receiver.heads.push(received);
        response.end();
        return;
      }
      receiver.mostAtOnce = Math.max(receiver.mostAtOnce, ++open);
      response.on('close', () => open--);
      receiver.posts.push(received);
      receiver.answer(received, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    posts: [],
    heads: [],
    answer: (_request, response) => void response.end('ok'),
    mostAtOnce: 0,
    eventIds: () => receiver.posts.flatMap((post) => idsOf(post.body)),
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return receiver;
}

export function idsOf(body: Buffer): string[] {
  const parsed = JSON.parse(body.toString()) as { events: { data: { id: string } }[] };
  return parsed.events.map((event) => event.data.id);
}

/** Waits until something holds. @throws Error when it does not in time */
export async function until(what: string, holds: () => boolean | Promise<boolean>, withinMs = 10_000): Promise<void> {
  const giveUpAt = Date.now() + withinMs;
  while (!(await holds())) {
    if (Date.now() > giveUpAt) throw new Error(`Waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
