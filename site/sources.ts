// What the site of the documentation is made of: the Markdown files of the repository, the pages of the methods, the address of each on the site, and the
// folders of examples, which get a page that lists their files.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { methodPages } from '../scripts/api-docs.ts';

export const root = join(import.meta.dirname, '..');

/**
 * A page before it is drawn.
 * @property file its place in the repository
 * @property path its address below /docs/, such as guide/webhooks; one that ends in a slash is the first page of a folder
 */
export type Source = { file: string; path: string; title: string; text: string };

const files = [
  'docs/**/*.md',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'STYLE.md',
  'examples/**/*.md',
  'sdk/*/README.md',
  'integrations/*/README.md',
];

export function readSources(): Source[] {
  const reference = [...methodPages()].map(([name, text]) => ({ file: `docs/api/${name}`, text }));
  const kept = globSync(files, { cwd: root }).map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));
  const written = [...kept, ...reference]
    .sort((a, b) => (a.file < b.file ? -1 : 1))
    .map(({ file, text }) => source(file, text));
  return [...written, ...exampleFolders(new Set(written.map(({ file }) => file)))];
}

/** The files of examples, which the site has as plain text. */
export const exampleFiles = (): string[] =>
  globSync('examples/**/*', { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.md'))
    .map((entry) => posix.relative(root, join(entry.parentPath, entry.name)))
    .sort();

/** Where the site has an example. It ends in .txt, so that a browser shows it. */
export const examplePath = (file: string): string => `${file}.txt`;

function source(file: string, text: string): Source {
  const title = /^# (.+)$/m.exec(text)?.[1] ?? file;
  return { file, path: pathOf(file), title: plain(title), text };
}

function pathOf(file: string): string {
  const path = file.replace(/^docs\//, '').replace(/\.md$/, '');
  if (posix.basename(path) === 'README') return path.slice(0, -'README'.length);
  return file.includes('/') ? path : path.toLowerCase();
}

/** A heading without the marks of Markdown. */
export const plain = (text: string): string =>
  text
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]|\b_|_\b/g, '')
    .trim();

/** A page for each folder of examples that has none. */
function exampleFolders(written: ReadonlySet<string>): Source[] {
  const folders = Map.groupBy(exampleFiles(), (file) => dirname(file));
  return [...folders].flatMap(([folder, inside]) => {
    const readme = `${folder}/README.md`;
    if (written.has(readme) || !existsSync(join(root, folder))) return [];
    const list = inside.map((file) => `- [${posix.basename(file)}](${posix.basename(file)})`);
    return [source(readme, `# Examples: ${posix.relative('examples', folder)}\n\n${list.join('\n')}\n`)];
  });
}
