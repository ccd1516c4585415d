// The files that documents name exist.
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');
const ours = (pattern: string) =>
  globSync(pattern, { cwd: root, exclude: (name) => name === 'node_modules' || name === 'dist' });

/** Written by the running program, or an example. */
const notOfTheRepository = new Set([
  'credentials.json',
  'server.json',
  'heartbeat.json',
  'DATA_DIR/heartbeat.json',
  '0016_tags.sql',
]);

test('files that documents name in code spans exist', () => {
  const files = ours('{*,{src,ui,test,docs,site,scripts,bin,receiver,examples,integrations}/**/*}');
  const folders = new Set(files.flatMap((file) => [file, dirname(file)]));
  const exists = (name: string) => folders.has(name) || files.some((file) => file.endsWith(`/${name}`));
  const documents = ours('{*.md,{docs,src,ui,test,site}/**/*.md}').filter((path) => path !== 'CHANGELOG.md');
  assert.ok(documents.length > 100 && files.length > 2_000);
  const missing = documents.flatMap((document) =>
    namesIn(readFileSync(join(root, document), 'utf8'))
      .filter((name) => !notOfTheRepository.has(name) && !exists(name) && !/\bdist(\/|$)/.test(name))
      .map((name) => `${document}: ${name}`),
  );
  assert.deepEqual(missing, []);
});

test('in ARCHITECTURE, a file that is "there" is in the folder that was named before it', () => {
  const lines = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
    .split('\n')
    .filter((line) => / there\b/.test(line));
  assert.ok(lines.length > 10);
  const elsewhere = lines.flatMap((line) => {
    let folder = '';
    return [...line.matchAll(/`([\w./-]+)`/g)].flatMap(([, name]) => {
      if (name!.includes('/') && !name!.endsWith('.ts') && !name!.endsWith('.tsx') && !name!.includes('.'))
        folder = name!;
      else if (name!.includes('/') && existsSync(join(root, name!))) folder = dirname(name!);
      return folder !== '' &&
        /\.tsx?$/.test(name!) &&
        !existsSync(join(root, name!)) &&
        !existsSync(join(root, folder, name!))
        ? [`${name} is not in ${folder}`]
        : [];
    });
  });
  assert.deepEqual(elsewhere, []);
});

test('names are paths below a folder of the repository, and names with an ending of its sources', () => {
  assert.deepEqual(
    namesIn('`src/delivery/`, `pace.ts` and `GET /src`; `campaign.json` but no `{ "a.ts": 1 }` or `x.y`'),
    ['src/delivery', 'pace.ts', 'campaign.json'],
  );
});

function namesIn(text: string): string[] {
  return [...text.matchAll(/`([\w./@-]+)`/g)]
    .map(([, name]) => name!.replace(/^(\.\.\/)+|\/$/g, ''))
    .filter((name) => !name.startsWith('/'))
    .filter(
      (name) =>
        /^(src|test|ui|docs|bin|scripts|site|receiver|examples)\//.test(name) || /\w\.(tsx?|sql|json)$/.test(name),
    );
}
