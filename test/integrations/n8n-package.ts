// The node for n8n, compiled as its package is, without the types of n8n, which are not a dependency of this repository.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');
export const source = join(root, 'integrations/n8n');
export const tsc = join(root, 'node_modules/.bin/tsc');

/** @returns what loads a file of the package, such as nodes/Postrider/operations, and what removes the package */
export function compiled(): { load<T>(path: string): T; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'n8n-package-'));
  cpSync(join(source, 'package.json'), join(folder, 'package.json'));
  execFileSync(tsc, ['-p', source, '--noCheck', '--outDir', join(folder, 'dist')], { stdio: 'pipe' });
  const require = createRequire(join(folder, 'package.json'));
  return {
    load: (path) => require(`./dist/${path}.js`),
    remove: () => rmSync(folder, { recursive: true }),
  };
}
