// nginx, Caddy and HAProxy as examples/proxies configures them, on loopback: only ports, certificates and paths of files are replaced.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { freePort } from '../../../src/base/free-port.ts';
import { createAuthority, createCertificate } from '../smtp-sink/certificate.ts';

export type ProxyName = 'nginx' | 'caddy' | 'haproxy';
type Place = { folder: string; port: number; target: number; certificate: string; key: string; both: string };

const examples = join(import.meta.dirname, '../../../examples/proxies');

/** Why this proxy cannot be run here; false if it can. */
export function missingProxy(name: ProxyName): string | false {
  return pathOf(name) === undefined && `${name} is not installed`;
}

export class RealProxy {
  readonly port: number;
  readonly #folder: string;
  readonly #child: ChildProcess;
  readonly #sessions = new Set<ClientHttp2Session>();
  #output = '';

  private constructor(place: Place, command: string, args: string[]) {
    this.port = place.port;
    this.#folder = place.folder;
    const env = { ...process.env, HOME: place.folder, XDG_DATA_HOME: place.folder, XDG_CONFIG_HOME: place.folder };
    this.#child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
    for (const stream of [this.#child.stdout!, this.#child.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#output = (this.#output + text).slice(-20_000);
      });
  }

  /**
   * @param target the port where the program answers
   * @param example a file of examples/proxies
   * @param change further changes of its text
   */
  static async start(
    name: ProxyName,
    { target, host, example, change = (text) => text }: ProxyOptions,
  ): Promise<RealProxy> {
    const folder = mkdtempSync(join(tmpdir(), 'proxy-'));
    const { cert, key } = createCertificate(createAuthority(), [host]);
    const file = (named: string, text: string) => {
      writeFileSync(join(folder, named), text);
      return join(folder, named);
    };
    const files = {
      certificate: file('cert.pem', cert),
      key: file('key.pem', key),
      both: file('both.pem', cert + key),
    };
    const place = { folder, target, port: await freePort(), ...files };
    const text = change(readFileSync(join(examples, example), 'utf8'));
    const config = file(`config-of-${name}`, await configurations[name](text, place));
    const proxy = new RealProxy(place, pathOf(name)!, argumentsOf[name](config));
    await proxy.#answers(host);
    return proxy;
  }

  /** A connection by HTTP/2 from an address of this machine. */
  async open(host: string, localAddress: string): Promise<ClientHttp2Session> {
    const options = { host: '127.0.0.1', port: this.port, servername: host, ALPNProtocols: ['h2'], localAddress };
    const socket = connectTls({ ...options, rejectUnauthorized: false });
    const session = connect(`https://${host}`, { createConnection: () => socket });
    this.#sessions.add(session);
    await new Promise<void>((resolve, reject) => {
      session.once('connect', () => resolve());
      session.once('error', reject);
    });
    return session;
  }

  async close(): Promise<void> {
    for (const session of this.#sessions) session.destroy();
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill('SIGTERM');
      await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #answers(host: string): Promise<void> {
    for (;;) {
      if (this.#child.exitCode !== null) throw new Error(`The proxy ended:\n${this.#output}`);
      const session = await this.open(host, '127.0.0.1').catch(() => undefined);
      if (session) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

export type ProxyOptions = { target: number; host: string; example: string; change?: (text: string) => string };

export type Answer = { status: number; headers: Record<string, unknown>; body: string };

export function begin(session: ClientHttp2Session, method: string, path: string, headers: Record<string, string> = {}) {
  const { HTTP2_HEADER_METHOD, HTTP2_HEADER_PATH } = constants;
  return session.request(
    { [HTTP2_HEADER_METHOD]: method, [HTTP2_HEADER_PATH]: path, ...headers },
    { endStream: false },
  );
}

export function answered(stream: ClientHttp2Stream): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let answer: Answer = { status: 0, headers: {}, body: '' };
    stream.on('response', (headers) => {
      answer = { ...answer, status: Number(headers[':status']), headers };
    });
    stream.setEncoding('utf8').on('data', (text: string) => {
      answer.body += text;
    });
    stream.on('end', () => resolve(answer));
    stream.on('error', reject);
  });
}

const pathOf = (name: ProxyName) =>
  ['/usr/sbin', '/usr/bin', '/usr/local/sbin', '/usr/local/bin'].map((dir) => join(dir, name)).find(existsSync);

const argumentsOf: Record<ProxyName, (config: string) => string[]> = {
  nginx: (config) => ['-c', config, '-e', 'stderr'],
  caddy: (config) => ['run', '--adapter', 'caddyfile', '--config', config],
  haproxy: (config) => ['-db', '-f', config],
};

const configurations: Record<ProxyName, (text: string, place: Place) => Promise<string>> = {
  async nginx(text, { folder, port, target, certificate, key }) {
    const server = text
      .replaceAll(/^ *listen \[::\].*\n/gm, '')
      .replaceAll('listen 443', `listen 127.0.0.1:${port}`)
      .replaceAll('listen 80;', `listen 127.0.0.1:${await freePort()};`)
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${target}`)
      .replace(/ssl_certificate .*;/, `ssl_certificate ${certificate};`)
      .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${key};`);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((kind) => `${kind}_temp_path ${join(folder, kind)};`)
      .join('\n');
    return `${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
daemon off;
pid ${join(folder, 'pid')};
events { worker_connections 512; }
http {
access_log off;
${temporary}
${server}
}
`;
  },
  async caddy(text, { port, target, certificate, key, folder }) {
    const site = text
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${target}`)
      .replace(/^([\w.]+) \{$/m, `https://$1:${port} {\n\tbind 127.0.0.1\n\ttls ${certificate} ${key}`);
    return `{
	admin off
	auto_https disable_redirects
	storage file_system ${folder}
	servers {
		protocols h1 h2
	}
}
${site}`;
  },
  async haproxy(text, { port, target, both }) {
    return text
      .replace('bind :80', `bind 127.0.0.1:${await freePort()}`)
      .replace(/bind :443 ssl crt \S+/, `bind 127.0.0.1:${port} ssl crt ${both}`)
      .replace('127.0.0.1:8080', `127.0.0.1:${target}`);
  },
};
