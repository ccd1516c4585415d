// A container of the image as Docker or Kubernetes run it: its command as process 1, its environment and nothing else, a read-only root
// file system with /tmp and 64 MB of /dev/shm, a volume at /data, no capabilities. Only the network is that of this machine.
import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../src/base/free-port.ts';
import { type Ended, run } from '../installation/commands.ts';
import { Service, testKey } from '../installation/service.ts';
import { buildah, type ImageConfig, imageConfig } from './store.ts';

/** Mounts what a container has, then becomes its command. Arguments: root, volume, folders to mount, user, group, command. */
const start = `set -e
root=$1 volume=$2 folders=$3 user=$4 group=$5
shift 5
mount --bind "$root" "$root"
mount --options remount,bind,ro "$root"
mount --types proc proc "$root/proc"
mount --types tmpfs --options mode=1777 tmp "$root/tmp"
mount --types tmpfs --options mode=755 dev "$root/dev"
mkdir "$root/dev/shm"
mount --types tmpfs --options mode=1777,size=64m shm "$root/dev/shm"
for name in null zero full random urandom; do
  : > "$root/dev/$name"
  mount --bind "/dev/$name" "$root/dev/$name"
done
ln -s /proc/self/fd "$root/dev/fd"
mount --bind "$volume" "$root/data"
for pair in $folders; do mount --bind --options ro "\${pair%%:*}" "$root\${pair#*:}"; done
exec chroot "$root" setpriv --reuid "$user" --regid "$group" --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all "$@"`;

export type User = { uid: number; gid: number };

/** What a platform may decide; without it, the image does. */
export type Options = {
  /** Arguments of the container: what runs instead of the command of the image. */
  command?: readonly string[];
  /** The data of another container, which is not running. */
  dataDir?: string;
  /** Of the volume at /data. */
  volume?: User & { mode: number };
  /** Folders to mount read-only: by path in the container, the path here. */
  folders?: Record<string, string>;
  /** Whether it works yet. Without it: the web process answers. */
  ready?: (container: Container) => Promise<boolean>;
};

export class Container extends Service {
  readonly image: string;
  readonly user: User;
  #config!: ImageConfig;
  /** Variables of the image that a platform does not set. */
  without: string[] = [];
  /** The working container of buildah, whose mounted files are the root. */
  #id = '';
  #root = '';
  #port = 0;
  #child: ChildProcess | undefined;

  readonly #options: Options;

  constructor(image: string, user: User, settings: Record<string, string> = {}, options: Options = {}) {
    super(settings, options.dataDir);
    this.image = image;
    this.user = user;
    this.#options = options;
  }

  /** Starts the command; resolves when it works. */
  async start(): Promise<void> {
    const child = await this.#run();
    const { ready = answers } = this.#options;
    await this.until('the container works', async () => {
      if (child.exitCode !== null) throw new Error(`The container ended with ${child.exitCode}:\n${this.output}`);
      return ready(this);
    });
  }

  /** Runs the command as a job, to its end. Returns the exit code. */
  async runToEnd(): Promise<number | null> {
    const child = await this.#run();
    return new Promise((resolve) => child.once('close', resolve));
  }

  /** Runs a command in the running container, as `docker exec` does. */
  exec(...command: string[]): Promise<Ended> {
    const { uid, gid } = this.user;
    const entered = ['--target', String(this.#init()), '--mount', '--pid', '--ipc', '--uts', '--root', '--wd'];
    const asUser = ['setpriv', '--reuid', String(uid), '--regid', String(gid), '--clear-groups', '--no-new-privs'];
    return run('nsenter', [...entered, ...asUser, ...this.#withEnvironment(command)]);
  }

  /** The command by which the image shows whether it works. */
  health(): Promise<Ended> {
    const [kind, ...command] = this.#config.Healthcheck.Test;
    if (kind !== 'CMD') throw new Error(`a check of the kind ${kind}`);
    return this.exec(...command);
  }

  /** Sends a signal to the processes of the container with such a command line. */
  kill(command: RegExp, signal: NodeJS.Signals): void {
    const namespace = namespaceOf(this.#init());
    for (const pid of processes())
      if (namespaceOf(pid) === namespace && command.test(commandOf(pid))) process.kill(pid, signal);
  }

  /** Processes that have ended and whose end no one has noticed. */
  zombies(): string[] {
    const namespace = namespaceOf(this.#init());
    return processes()
      .filter((pid) => / Z /.test(statOf(pid)) && namespaceOf(parentOf(pid)) === namespace)
      .map(statOf);
  }

  /** SIGTERM to process 1, and the wait for the end. Returns the exit code. */
  async stop(): Promise<number | null> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    process.kill(this.#init(), 'SIGTERM');
    return ended;
  }

  async remove(): Promise<void> {
    if (this.#child?.exitCode === null && this.#child.signalCode === null) {
      const ended = new Promise((resolve) => this.#child!.once('exit', resolve));
      // With process 1, the kernel ends all others of the container. The end of unshare would not reach it: it has changed its user.
      process.kill(this.#init(), 'SIGKILL');
      await ended;
    }
    if (this.#id !== '') await buildah('rm', this.#id);
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  async #run(): Promise<ChildProcess> {
    if (this.#id === '') await this.#create();
    const child = spawn(
      'unshare',
      ['--mount', '--pid', '--ipc', '--uts', '--fork', '--kill-child', 'sh', '-c', start, 'sh', this.#root].concat(
        [this.dataDir, this.#mounts(), String(this.user.uid), String(this.user.gid)],
        this.#withEnvironment(this.#options.command ?? this.#config.Cmd),
      ),
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    this.#child = child;
    for (const stream of [child.stdout!, child.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.output = (this.output + text).slice(-200_000);
      });
    return child;
  }

  async #create(): Promise<void> {
    this.#config = await imageConfig(this.image);
    this.#id = await buildah('from', '--pull=never', this.image);
    this.#root = await buildah('mount', this.#id);
    for (const file of ['hosts', 'resolv.conf'])
      cpSync(join('/etc', file), join(this.#root, 'etc', file), { dereference: true });
    // A new volume of Docker has the owner and the mode of the directory in the image.
    const { uid, gid, mode } = this.#options.volume ?? statSync(join(this.#root, 'data'));
    chownSync(this.dataDir, uid, gid);
    chmodSync(this.dataDir, mode & 0o7777);
    this.#port = await freePort();
    this.base = `http://127.0.0.1:${this.#port}`;
  }

  /** For the script that mounts them. A mount needs a folder to be mounted on. */
  #mounts(): string {
    const pairs = Object.entries(this.#options.folders ?? {});
    for (const [path] of pairs) mkdirSync(join(this.#root, path), { recursive: true });
    return pairs.map(([path, here]) => `${here}:${path}`).join(' ');
  }

  #withEnvironment(command: readonly string[]): string[] {
    const setup = this.#options.command ? {} : { SETUP_API_KEY: testKey, WORKERS: '2' };
    const own = { ...setup, ...this.settings, PORT: String(this.#port) };
    const pairs = Object.entries(own).map(([name, value]) => `${name}=${value}`);
    const { WorkingDir, Env } = this.#config;
    const ofImage = Env.filter((pair) => !this.without.includes(pair.split('=')[0]!));
    return ['env', '-i', '-C', WorkingDir, ...ofImage, ...pairs, ...command];
  }

  /** Process 1 of the container, as this machine sees it. */
  #init(): number {
    const init = processes().find((pid) => parentOf(pid) === this.#child?.pid);
    if (init === undefined) throw new Error(`The container is not running:\n${this.output}`);
    return init;
  }
}

const answers = async ({ base }: Container) => (await fetch(`${base}/ready`).catch(() => undefined))?.ok === true;

const processes = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

const statOf = (pid: number) => read(`/proc/${pid}/stat`);

const parentOf = (pid: number) => Number(statOf(pid).split(') ')[1]?.split(' ')[1]);

const commandOf = (pid: number) => read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');

/** Of its children; a process that has just ended has none. */
function namespaceOf(pid: number): number | undefined {
  const path = `/proc/${pid}/ns/pid_for_children`;
  return existsSync(path) ? statSync(path).ino : undefined;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
