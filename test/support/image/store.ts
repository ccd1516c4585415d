// Images without Docker: buildah builds them, in a store of its own, as root. No image registry is asked for the images that the
// Dockerfile starts from. Stand-ins with the same names are made once from the packages of Debian and the Node of the dependencies; they
// know the certificates and the package registry of this machine.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../../..');
const run = promisify(execFile);
/** Not in memory and not in the checkout: some gigabytes, with the owners of other users. */
const folder = '/var/tmp/postrider-images';
const certificates = '/etc/ssl/certs/ca-certificates.crt';

/** A stand-in is made again when it would be made in another way, or of another Node. */
const madeBy = 'postrider.made-by';
const recipe = () => {
  const ways = [makeDebian, makeSlim, makeNode, makeNodeWithTools].map(String);
  return createHash('sha256')
    .update(ways.join() + process.version)
    .digest('hex')
    .slice(0, 16);
};

/** What the image says about how it is to be run. */
export type ImageConfig = {
  User: string;
  Env: string[];
  Cmd: string[];
  Labels: Record<string, string>;
  WorkingDir: string;
  Volumes: Record<string, unknown>;
  ExposedPorts: Record<string, unknown>;
  /** Times in nanoseconds. */
  Healthcheck: { Test: string[]; Timeout: number; StartPeriod: number };
};

/** Why no image can be built and run here; false if one can. */
export function missingTools(): string | false {
  const missing = ['buildah', 'debootstrap', 'nsenter', 'unshare'].filter(
    (name) => !['/usr/bin', '/usr/sbin', '/bin', '/sbin'].some((dir) => existsSync(join(dir, name))),
  );
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'the image is built and run as root on Linux';
  return missing.length > 0 && `${missing.join(', ')} not installed (Debian: apt-get install buildah debootstrap)`;
}

/** Runs buildah at low priority. Returns what it printed to its standard output. */
export async function buildah(...args: string[]): Promise<string> {
  const places = ['--root', join(folder, 'store'), '--runroot', join(folder, 'run')];
  mkdirSync(folder, { recursive: true });
  try {
    const { stdout } = await run('nice', ['buildah', ...places, '--storage-driver', driver(), ...args], {
      maxBuffer: 1e9,
    });
    return stdout.trim();
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    const end = `${stdout ?? ''}${stderr ?? ''}`.split('\n').slice(-60).join('\n');
    throw new Error(`buildah ${args[0]} failed:\n${end}`, { cause: error });
  }
}

/** Where npm keeps its downloads while an image is built. */
const npmCache = '/npm-cache';

/** Builds one target of the Dockerfile, or its last stage. */
export async function buildImage(name: string, target?: string, args: Record<string, string> = {}): Promise<void> {
  const given = Object.entries(args).flatMap(([argument, value]) => ['--build-arg', `${argument}=${value}`]);
  await buildFolder(name, root, [...(target === undefined ? [] : ['--target', target]), ...given]);
}

/** Builds a folder that has a Dockerfile. */
export async function buildFolder(name: string, folder: string, options: string[] = []): Promise<void> {
  for (const base of baseNames()) await needBase(base);
  // npm finds again what it has downloaded for the checkout.
  const cache = await npm('config', 'get', 'cache');
  mkdirSync(cache, { recursive: true });
  await build([
    '--layers',
    '--format',
    'docker',
    '--volume',
    `${cache}:${npmCache}`,
    ...options,
    '--tag',
    name,
    folder,
  ]);
}

export async function imageConfig(name: string): Promise<ImageConfig> {
  return JSON.parse(await buildah('inspect', '--type', 'image', name)).Docker.config as ImageConfig;
}

/** Calls `look` with the folder of the files of an image. */
export async function withFiles<T>(name: string, look: (folder: string) => T | Promise<T>): Promise<T> {
  const container = await buildah('from', '--pull=never', name);
  try {
    return await look(await buildah('mount', container));
  } finally {
    await buildah('rm', container);
  }
}

/** As the tools show it: the sum of all layers. */
export async function imageSize(name: string): Promise<string> {
  return buildah('images', '--format', '{{.Size}}', name);
}

/** Removes images that were built, with the layers that no other needs. The stand-ins stay. */
export async function removeImages(...names: string[]): Promise<void> {
  for (const name of names) await buildah('rmi', '--force', name).catch(() => undefined);
  await buildah('rmi', '--prune', '--force').catch(() => undefined);
}

const build = (args: string[]) => buildah('bud', '--isolation', 'chroot', '--network', 'host', '--pull=never', ...args);

const npm = async (...args: string[]) => (await run('npm', args, { cwd: root })).stdout.trim();

/** A container in which this runs may have no overlay file system; plain copies work everywhere and need more space. */
function driver(): string {
  return readFileSync('/proc/filesystems', 'utf8').includes('overlay') ? 'overlay' : 'vfs';
}

/** The images that stages of the Dockerfile start from, other than its own stages. */
export function baseNames(): string[] {
  const text = readFileSync(join(root, 'Dockerfile'), 'utf8');
  const stages = [...text.matchAll(/^FROM (?:--platform=\S+ )?(\S+)(?: AS (\S+))?/gm)];
  const own = new Set(stages.map(([, , name]) => name));
  return [...new Set(stages.map(([, base]) => base!))].filter((base) => !own.has(base));
}

async function needBase(name: string): Promise<void> {
  const [, node, suite, slim] = /^(debian:|node:24-)(\w+?)(-slim)?$/.exec(name) ?? [];
  if (suite === undefined) throw new Error(`There is no stand-in for ${name}: see test/support/image/store.ts.`);
  const full = `docker.io/library/${name}`;
  const made = await buildah(
    'inspect',
    '--type',
    'image',
    '--format',
    `{{index .OCIv1.Config.Labels "${madeBy}"}}`,
    full,
  ).catch(() => '');
  if (made === recipe()) return;
  const context = mkdtempSync(join(folder, 'base-'));
  try {
    if (node === 'debian:') await makeDebian(context, suite);
    else if (slim) {
      await needBase(`debian:${suite}-slim`);
      await makeNode(context, suite);
    } else {
      await needBase(`node:24-${suite}-slim`);
      makeNodeWithTools(context, suite);
    }
    await build(['--format', 'docker', '--label', `${madeBy}=${recipe()}`, '--tag', full, context]);
  } finally {
    rmSync(context, { recursive: true, force: true });
  }
}

async function makeDebian(context: string, suite: string): Promise<void> {
  const system = join(context, 'system');
  await run('nice', ['debootstrap', '--variant=minbase', suite, system], { maxBuffer: 1e8 });
  await makeSlim(system);
  await run('tar', ['-C', system, '--exclude=./dev/*', '-cf', `${system}.tar`, '.']);
  rmSync(system, { recursive: true });
  writeFileSync(
    join(context, 'Dockerfile'),
    `FROM scratch
ADD system.tar /
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
CMD ["bash"]
`,
  );
}

/**
 * Deletes what the image with the suffix "slim" lacks, so that sizes are those that people will see, and lets packages that are
 * installed later lack it as well. The rules are those by which the image is made (debuerreotype-slimify).
 */
async function makeSlim(system: string): Promise<void> {
  const excluded = ['doc', 'groff', 'info', 'linda', 'lintian/overrides', 'locale', 'man'].map(
    (name) => `/usr/share/${name}/*`,
  );
  const included = ['/usr/share/doc/*/copyright', '/usr/share/locale/locale.alias'];
  writeFileSync(
    join(system, 'etc/dpkg/dpkg.cfg.d/docker'),
    [...excluded.map((path) => `path-exclude ${path}\n`), ...included.map((path) => `path-include ${path}\n`)].join(''),
  );
  writeFileSync(
    join(system, 'etc/apt/apt.conf.d/docker-clean'),
    'DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb /var/cache/apt/*.bin || true"; };\nDir::Cache::pkgcache "";\nDir::Cache::srcpkgcache "";\n',
  );
  const gone = [...excluded, '/var/cache/apt/*', '/var/lib/apt/lists/*'].flatMap((path) => [
    '-o',
    '-path',
    system + path,
  ]);
  const kept = included.flatMap((path) => ['!', '-path', system + path]);
  await run('find', [system, '(', ...gone.slice(1), ')', ...kept, '!', '-type', 'd', '-delete'], { maxBuffer: 1e8 });
  await run('find', [join(system, 'usr/share'), '-mindepth', '2', '-type', 'd', '-empty', '-delete']);
}

async function makeNode(context: string, suite: string): Promise<void> {
  cpSync(realpathSync(join(root, 'node_modules/.bin/node')), join(context, 'node'));
  cpSync(join(await npm('root', '--global'), 'npm'), join(context, 'npm'), { recursive: true, dereference: true });
  cpSync(certificates, join(context, 'certificates'), { dereference: true });
  writeFileSync(join(context, 'npmrc'), `registry=${await npm('config', 'get', 'registry')}\ncache=${npmCache}\n`);
  writeFileSync(
    join(context, 'Dockerfile'),
    `FROM debian:${suite}-slim
COPY certificates ${certificates}
COPY npmrc /usr/local/etc/npmrc
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
RUN cd /usr/local/bin && for name in npm npx; do ln -s ../lib/node_modules/npm/bin/$name-cli.js $name; done
ENV NODE_EXTRA_CA_CERTS=${certificates}
`,
  );
}

/** The image without "slim" has compilers and more; of these, the Dockerfile uses one. */
function makeNodeWithTools(context: string, suite: string): void {
  writeFileSync(
    join(context, 'Dockerfile'),
    `FROM node:24-${suite}-slim
RUN apt-get update && apt-get install -y --no-install-recommends binutils && rm -rf /var/lib/apt/lists/*
`,
  );
}
