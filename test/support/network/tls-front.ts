// A reverse proxy with TLS in front of a program, as its operator sets it up, and a forward proxy by which a browser reaches
// it under a public name. Both are on loopback; the name is never looked up.
import { createServer, request } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { createAuthority, createCertificate } from '../smtp-sink/certificate.ts';

export type TlsFront = {
  /** For a browser: leads https://HOST to the program. */
  proxy: string;
  close(): Promise<void>;
};

/** @param target where the program answers, such as http://127.0.0.1:8080 */
export async function startTlsFront(host: string, target: string): Promise<TlsFront> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const front = createTlsServer(createCertificate(createAuthority(), [host]), (asked, answer) => {
    const { method, url, headers } = asked;
    const passed = request({ host: hostname, port, method, path: url, headers }, (answered) => {
      answer.writeHead(answered.statusCode!, answered.headers);
      answered.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    answer.on('close', () => passed.destroy());
    asked.pipe(passed);
  });
  const frontPort = await listen(front, sockets);
  const forward = createServer((_asked, answer) => answer.writeHead(502).end());
  forward.on('connect', (asked, socket: Socket) => {
    socket.on('error', () => {});
    if (asked.url !== `${host}:443`) return socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    const there = connect(frontPort, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      there.pipe(socket).pipe(there);
    });
    there.on('error', () => socket.destroy());
    return undefined;
  });
  const proxyPort = await listen(forward, sockets);
  return {
    proxy: `http://127.0.0.1:${proxyPort}`,
    async close() {
      const closed = [front, forward].map((server) => new Promise((resolve) => server.close(resolve)));
      for (const socket of sockets) socket.destroy();
      await Promise.all(closed);
    },
  };
}

async function listen(server: Server, sockets: Set<Socket>): Promise<number> {
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
