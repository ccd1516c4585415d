// The components of the npm package and of the image, as CycloneDX: what npm installs with the package, on all platforms, or what the
// image has; and what is built into the web application and the documentation. npm writes the list; its own filter (--omit dev) leaves
// out packages that are used for development too, so the lock file decides here what belongs to the package.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

type Locked = {
  name?: string;
  version: string;
  dev?: boolean;
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
};
type Lock = { packages: Record<string, Locked> };
type Component = {
  'bom-ref': string;
  type: string;
  name: string;
  version: string;
  purl: string;
  scope?: string;
  licenses?: { license: { id: string } }[];
  properties?: { name: string; value: string }[];
};
type Bom = {
  serialNumber: string;
  metadata: { timestamp?: string; component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
};

/** Of the npm package. @throws Error when npm's list lacks a package of the lock file */
export function components(root: string): Bom {
  const timestamp = execFileSync('git', ['log', '-1', '--format=%cI'], { cwd: root, encoding: 'utf8' }).trim();
  return settled(
    root,
    withParts(root, ({ dev }) => !dev),
    timestamp,
  );
}

/**
 * Of the image, whose files are in `folder`: the packages that it has, and the Node that runs this. It is built without Git, and so
 * has no time. @throws Error for a package that the lock file does not have
 */
export function imageComponents(root: string, folder: string): Bom {
  const installed = new Set(
    globSync('node_modules/**/package.json', { cwd: folder })
      .map((path) => dirname(path))
      .filter((path) => /(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/.test(path)),
  );
  const bom = withParts(root, (_, path) => installed.delete(path));
  if (installed.size > 0) throw new Error(`The lock file does not have ${[...installed].join(', ')}.`);
  const { node } = process.versions;
  const purl = `pkg:generic/node@${node}`;
  bom.components.push({
    'bom-ref': purl,
    type: 'platform',
    name: 'node',
    version: node,
    purl,
    licenses: [{ license: { id: 'MIT' } }],
  });
  return settled(root, bom);
}

/** @param has whether the package at this place of the lock file is one of them */
function withParts(root: string, has: (one: Locked, path: string) => boolean): Bom {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock;
  const npm = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const bom = JSON.parse(execFileSync('npm', npm, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })) as Bom;
  const installed = new Set(
    Object.entries(lock.packages).flatMap(([path, one]) => (path !== '' && has(one, path) ? [purlOf(path, one)] : [])),
  );
  const built = new Set([...builtIn(root, lock)].filter((purl) => !installed.has(purl)));
  bom.components = bom.components.filter(({ purl }) => installed.has(purl) || built.has(purl));
  for (const component of bom.components)
    if (built.has(component.purl))
      component.properties = [{ name: 'postrider:use', value: 'built into the web application or the documentation' }];
  const named = new Set(bom.components.map(({ purl }) => purl));
  const missing = [...installed, ...built].filter((purl) => !named.has(purl));
  if (missing.length > 0) throw new Error(`npm lists no component for ${missing.join(', ')}.`);
  return bom;
}

/** Without what differs from run to run or by the name of the folder. @param timestamp of the commit; none where it is not known */
function settled(root: string, bom: Bom, timestamp?: string): Bom {
  const { name } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { name: string };
  const refs = new Set([bom.metadata.component['bom-ref'], ...bom.components.map((one) => one['bom-ref'])]);
  bom.metadata.component.name = name;
  delete bom.metadata.timestamp;
  if (timestamp !== undefined) bom.metadata.timestamp = timestamp;
  bom.dependencies = bom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map((one) => ({ ...one, dependsOn: one.dependsOn.filter((ref) => refs.has(ref)) }));
  const hex = createHash('sha256')
    .update(JSON.stringify({ ...bom, serialNumber: '' }))
    .digest('hex');
  bom.serialNumber = `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  return bom;
}

/** What the sources of the web application and of the generator of the site import, with all that these depend on. */
function builtIn(root: string, lock: Lock): Set<string> {
  const found = new Set<string>();
  const visit = (path: string | undefined) => {
    if (path === undefined || found.has(path)) return;
    found.add(path);
    const { dependencies = {}, peerDependencies = {} } = lock.packages[path]!;
    for (const name of Object.keys({ ...dependencies, ...peerDependencies })) visit(resolved(lock, path, name));
  };
  for (const file of globSync(['ui/src/**/*.{ts,tsx,css}', 'site/*.ts'], { cwd: root })) {
    if (/\.test\./.test(file)) continue;
    const text = readFileSync(join(root, file), 'utf8');
    for (const [, name] of text.matchAll(
      /(?:from|import|import\(|require\.resolve\() ?'((?:@[\w.-]+\/)?[\w.-]+)[^']*'/g,
    ))
      visit(resolved(lock, '', name!));
  }
  // Types are not part of what is built.
  const parts = [...found].filter((path) => !path.startsWith('node_modules/@types/'));
  return new Set(parts.map((path) => purlOf(path, lock.packages[path]!)));
}

/** Where Node finds a package that is imported from another: in its folder or in one around it. */
function resolved({ packages }: Lock, from: string, name: string): string | undefined {
  const around = from.split(/(?=\/?node_modules\/)/);
  for (let depth = around.length; depth >= 0; depth--) {
    const path = `${around.slice(0, depth).join('')}/node_modules/${name}`.replace(/^\//, '');
    if (packages[path]) return path;
  }
  return undefined;
}

const purlOf = (
  path: string,
  { name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length), version }: Locked,
) => `pkg:npm/${name.replace('@', '%40')}@${version}`;
