// A reverse proxy that serves an installation below a path of its host, and nothing else. It records every request, also those
// that miss the path.
import { createServer, request } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export type Passed = { method: string; path: string; status: number };
export type PathProxy = {
  /** The public URL: the proxy's own with the path. */
  url: string;
  passed: Passed[];
  close(): Promise<void>;
};

/**
 * @param target where the program answers, known when it runs
 * @param strips whether the path is taken off this request, by its number: some proxies do, others pass it on
 */
export async function startPathProxy(
  path: string,
  { target, strips }: { target: () => string; strips: (request: number) => boolean },
): Promise<PathProxy> {
  const passed: Passed[] = [];
  const sockets = new Set<Socket>();
  let count = 0;
  const server = createServer((asked, answer) => {
    const { method = '', url = '', headers } = asked;
    const record = (status: number) => passed.push({ method, path: url, status });
    if (url !== path && !url.startsWith(`${path}/`)) {
      record(404);
      return answer.writeHead(404).end('Not below the path\n');
    }
    const { hostname, port } = new URL(target());
    const asPassed = strips(count++) ? url.slice(path.length) || '/' : url;
    const passing = request({ host: hostname, port, method, path: asPassed, headers }, (answered) => {
      record(answered.statusCode!);
      answer.writeHead(answered.statusCode!, answered.headers);
      answered.pipe(answer);
    });
    passing.on('error', () => answer.destroy());
    answer.on('close', () => passing.destroy());
    return asked.pipe(passing);
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}${path}`,
    passed,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
