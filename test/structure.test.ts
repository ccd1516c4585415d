// Keeps functions small enough to read: none has more than 100 lines. Tests do not count.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseSync } from '@swc/core';

const maxLines = 100;

const root = join(import.meta.dirname, '..');
const sources = globSync('{src,ui/src}/**/*.{ts,tsx}', { cwd: root }).filter(
  (path) => !/\.test(-d)?\.tsx?$/.test(path),
);

test(`no function has more than ${maxLines} lines`, () => {
  const long = sources.flatMap((path) =>
    longFunctions(readFileSync(join(root, path)), path.endsWith('x')).map((place) => `${path}:${place}`),
  );
  assert.deepEqual(long, [], 'split these by meaning into named functions or components');
});

test('functions and methods are measured from their first to their last line', () => {
  const lines = (count: number) => 'line();\n'.repeat(count);
  const source = `// Head.
function tooLong() {\n${lines(99)}}
class Example {
  short() {\n${lines(98)}}
  tooLong() {\n${lines(99)}}
}
const umlaut = 'ü', tooLong = () => {\n${lines(100)}};
`;
  assert.deepEqual(longFunctions(Buffer.from(source), false), ['2 (101 lines)', '204 (101 lines)', '306 (102 lines)']);
});

/** The functions over the limit, as "line (length)". */
function longFunctions(source: Buffer, tsx: boolean): string[] {
  // Positions count bytes from an arbitrary start; the semicolon makes that start known.
  const tree = parseSync(`;${String(source).replace(/^#!/, '//')}`, { syntax: 'typescript', tsx, target: 'es2024' });
  const start = tree.span.start + 1;
  const lineAt = (position: number) => source.toString('utf8', 0, position - start).split('\n').length;
  return functionsIn(tree.body).flatMap(({ span }) => {
    const first = lineAt(span.start);
    const length = lineAt(span.end) - first + 1;
    return length > maxLines ? [`${first} (${length} lines)`] : [];
  });
}

type FunctionNode = { span: { start: number; end: number }; params: unknown; body: unknown };

/** All functions below a node of the syntax tree: the nodes with parameters and a body. */
function functionsIn(node: unknown): FunctionNode[] {
  if (Array.isArray(node)) return node.flatMap(functionsIn);
  if (typeof node !== 'object' || node === null) return [];
  const below = Object.values(node).flatMap(functionsIn);
  return 'params' in node && 'body' in node ? [node as FunctionNode, ...below] : below;
}

const readmes = globSync('src/*/README.md', { cwd: root }).filter((path) => !path.includes('migrations'));

test('the README of a folder says in a sentence what each of its rooms is', () => {
  assert.ok(readmes.length > 15);
  for (const path of [...readmes, 'ui/src/README.md']) {
    const folder = path.replace('/README.md', '');
    const text = readFileSync(join(root, path), 'utf8');
    const listed = [...text.matchAll(/^- `([\w-]+)`: [A-Z].+\.$/gm)].map(([, room]) => room!);
    assert.deepEqual(listed.toSorted(), roomsOf(folder), path);
  }
});

test('a folder with rooms has a README, and every other folder of src is in the table of ARCHITECTURE.md', () => {
  const table = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  for (const folder of globSync('src/*/', { cwd: root }).map((path) => path.replace(/\/$/, ''))) {
    const isDescribed = table.includes(`\`${folder}/\``) || table.includes(`\`${folder.replace('src/', '')}/\``);
    assert.ok(isDescribed, folder);
    if (roomsOf(folder).length > 0) assert.ok(readmes.includes(`${folder}/README.md`), folder);
  }
});

test('the rooms of the web application import those before them', () => {
  const order = ['api', 'locales', 'text', 'session', 'parts', 'shell', 'screens'];
  assert.deepEqual(order.toSorted(), roomsOf('ui/src'));
  const upward = globSync('ui/src/*/**/*.{ts,tsx}', { cwd: root })
    .filter((path) => !path.includes('.test.'))
    .flatMap((path) => {
      const room = path.split('/')[2]!;
      const imported = [...readFileSync(join(root, path), 'utf8').matchAll(/ from '(\.{1,2}\/[^']+)'/g)];
      return imported
        .map(([, to]) => join(path, '..', to!).split('/')[2]!)
        .filter((other) => order.indexOf(other) > order.indexOf(room))
        .map((other) => `${path} imports ${other}`);
    });
  assert.deepEqual(upward, []);
});

/** The folders within a folder that have sources. */
function roomsOf(folder: string): string[] {
  const files = globSync(`${folder}/*/**/*.{ts,tsx}`, { cwd: root }).map((path) => path.slice(folder.length + 1));
  return [...new Set(files.map((path) => path.split('/')[0]!))].toSorted();
}
