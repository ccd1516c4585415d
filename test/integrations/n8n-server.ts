// n8n itself, as its user runs it: with a folder of its own, the package of the node installed in it, and a user who is signed in. It is
// the command `n8n`, or the one that the variable N8N names; nothing is installed by a test.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort } from '../../src/base/free-port.ts';
import { type TestDatabase, testDatabase } from '../support/database/database.ts';
import { until } from '../support/run/until.ts';
import { root, source } from './n8n-package.ts';

const command = process.env.N8N ?? spawnSync('sh', ['-c', 'command -v n8n'], { encoding: 'utf8' }).stdout.trim();

/** Why n8n cannot run here; false if it can. */
export const missingN8n: string | false =
  !existsSync(command) && 'needs n8n outside of the repository: the command n8n, or its path in the variable N8N';

export type Node = {
  name: string;
  type: string;
  parameters?: Record<string, unknown>;
  [setting: string]: unknown;
};

export class N8n {
  readonly #folder = mkdtempSync(join(tmpdir(), 'n8n-'));
  #child: ChildProcess | undefined;
  #database: TestDatabase | undefined;
  #cookie = '';
  base = '';
  output = '';

  /** Builds the package with the types of this n8n, installs it, starts n8n and signs its first user in. */
  async start(): Promise<void> {
    this.#install();
    // Not SQLite, whose driver is compiled when n8n is installed, by a script.
    this.#database = await testDatabase('empty');
    const database = new URL(this.#database.url);
    const [port, brokerPort] = [await freePort(), await freePort()];
    this.base = `http://127.0.0.1:${port}`;
    const child = spawn(process.execPath, [realpathSync(command), 'start'], {
      env: {
        PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
        HOME: this.#folder,
        N8N_USER_FOLDER: this.#folder,
        N8N_LISTEN_ADDRESS: '127.0.0.1',
        N8N_HOST: '127.0.0.1',
        N8N_PORT: String(port),
        N8N_RUNNERS_BROKER_PORT: String(brokerPort),
        WEBHOOK_URL: this.base,
        N8N_SECURE_COOKIE: 'false',
        N8N_DIAGNOSTICS_ENABLED: 'false',
        N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
        N8N_TEMPLATES_ENABLED: 'false',
        EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'all',
        DB_TYPE: 'postgresdb',
        DB_POSTGRESDB_HOST: decodeURIComponent(database.searchParams.get('host') ?? database.hostname),
        DB_POSTGRESDB_PORT: database.port || '5432',
        DB_POSTGRESDB_DATABASE: database.pathname.slice(1),
        DB_POSTGRESDB_USER: decodeURIComponent(database.username),
        DB_POSTGRESDB_PASSWORD: decodeURIComponent(database.password),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    for (const stream of [child.stdout!, child.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.output = (this.output + text).slice(-100_000);
      });
    await until(
      'n8n answers',
      async () => {
        if (child.exitCode !== null) throw new Error(`n8n ended with ${child.exitCode}:\n${this.output}`);
        return (await fetch(`${this.base}/healthz/readiness`).catch(() => undefined))?.ok === true;
      },
      600_000,
    );
    const person = { email: 'ann@example.com', firstName: 'Ann', lastName: 'Doe' };
    await this.rest('POST', 'owner/setup', { ...person, password: `A1${randomBytes(12).toString('hex')}` });
  }

  async close(): Promise<void> {
    if (this.#child && this.#child.exitCode === null) {
      const ended = once(this.#child, 'exit');
      this.#child.kill('SIGTERM');
      await ended;
    }
    await this.#database?.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** What the screens of n8n call. */
  async rest<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await fetch(`${this.base}/rest/${path}`, {
      method,
      headers: { 'content-type': 'application/json', cookie: this.#cookie },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}\n${this.output.slice(-2_000)}`);
    this.#cookie =
      answer.headers
        .getSetCookie()
        .find((one) => one.startsWith('n8n-auth='))
        ?.split(';')[0] ?? this.#cookie;
    return (JSON.parse(text) as { data: T }).data;
  }

  /** Makes a workflow in which each node leads to the next. @returns its id */
  async workflow(name: string, nodes: Node[]): Promise<string> {
    const connections = Object.fromEntries(
      nodes.slice(1).map((node, i) => [nodes[i]!.name, { main: [[{ node: node.name, type: 'main', index: 0 }]] }]),
    );
    const { id } = await this.rest<{ id: string }>('POST', 'workflows', {
      name,
      nodes: nodes.map((node, i) => ({
        id: crypto.randomUUID(),
        webhookId: crypto.randomUUID(),
        typeVersion: 1,
        position: [i * 200, 0],
        parameters: {},
        ...node,
      })),
      connections,
      settings: { executionOrder: 'v1' },
    });
    return id;
  }

  async activate(id: string): Promise<void> {
    const { versionId } = await this.rest<{ versionId: string }>('GET', `workflows/${id}`);
    await this.rest('POST', `workflows/${id}/activate`, { versionId });
  }

  deactivate(id: string): Promise<unknown> {
    return this.rest('POST', `workflows/${id}/deactivate`, {});
  }

  #install(): void {
    const modules = dirname(dirname(dirname(realpathSync(command))));
    const copy = join(this.#folder, 'source');
    cpSync(source, copy, { recursive: true });
    mkdirSync(join(copy, 'node_modules/@types'), { recursive: true });
    symlinkSync(join(modules, 'n8n-workflow'), join(copy, 'node_modules/n8n-workflow'));
    for (const name of ['@types/node', 'undici-types', 'typescript'])
      symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name));
    const PATH = `${join(root, 'node_modules/.bin')}:${process.env.PATH}`;
    execFileSync('npm', ['pack', '--silent'], { cwd: copy, env: { ...process.env, PATH }, stdio: ['ignore', 2, 2] });
    const installed = join(this.#folder, '.n8n/nodes/node_modules/n8n-nodes-postrider');
    mkdirSync(installed, { recursive: true });
    const archive = join(copy, 'n8n-nodes-postrider-0.1.0.tgz');
    execFileSync('tar', ['-xzf', archive, '-C', installed, '--strip-components=1']);
  }
}
