// Builds the site of the documentation into site/dist, which the program serves at /docs: a page for each Markdown file, with its
// text beside it, the examples, the images, and an index for the search in the browser. Called by bin/build-docs.
// usage: node site/build.ts [what to write into .sources]
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { draw } from './markdown.ts';
import { missingHtml, pageHtml, type Site } from './page.ts';
import { searchTexts } from './search-texts.ts';
import { sectionsOf } from './sections.ts';
import { exampleFiles, examplePath, readSources, root } from './sources.ts';

const dist = join(import.meta.dirname, 'dist');
const building = join(import.meta.dirname, `.build-${process.pid}`);

process.on('exit', () => rmSync(building, { recursive: true, force: true }));
process.on('SIGTERM', () => process.exit(143)).on('SIGINT', () => process.exit(130));
build();

function build() {
  const sources = readSources();
  const byFile = new Map(sources.map((source) => [source.file, source]));
  const drawn = new Map(sources.map((source) => [source, draw(source, byFile)]));
  const site: Site = { sections: sectionsOf(sources), assets: writeAssets(JSON.stringify(searchTexts(drawn))) };
  for (const [source, page] of drawn) {
    const path = /(^|\/)$/.test(source.path) ? `${source.path}index` : source.path;
    writePacked(`${path}.html`, pageHtml(site, source, page));
    write(`${path}.md`, source.text);
  }
  writePacked('404.html', missingHtml(site));
  for (const file of new Set([...drawn.values()].flatMap(({ images }) => images)))
    write(file.replace(/^docs\//, ''), readFileSync(join(root, file)));
  for (const file of exampleFiles()) write(examplePath(file), readFileSync(join(root, file)));
  write('.sources', process.argv[2] ?? '');
  replaceDist();
}

/** Writes what all pages share, under names with a hash; returns these names. */
function writeAssets(search: string): Record<string, string> {
  const require = createRequire(import.meta.url);
  const inter = dirname(require.resolve('@fontsource-variable/inter/package.json'));
  const names: Record<string, string> = {};
  const add = (name: string, content: string | Buffer) => {
    const hash = createHash('sha256').update(content).digest('base64url').replace(/[-_]/g, '').slice(0, 10);
    names[name] = name.replace(/(?=\.[^.]+$)/, `-${hash}`);
    writePacked(`assets/${names[name]}`, content);
  };
  // Files name each other: those that are named come first.
  const withNames = (path: string) =>
    Object.entries(names).reduce(
      (text, [name, built]) => text.replaceAll(`./${name}`, `./${built}`),
      readFileSync(path, 'utf8'),
    );
  add('inter.woff2', readFileSync(join(inter, 'files/inter-latin-wght-normal.woff2')));
  add(
    'minisearch.js',
    readFileSync(join(dirname(require.resolve('minisearch')), '../es/index.js'), 'utf8').replace(
      /^\/\/# source.*$/m,
      '',
    ),
  );
  add('icon.svg', readFileSync(join(root, 'ui/public/icon.svg')));
  add('search.json', search);
  for (const name of ['style.css', 'scheme.js', 'ranking.js', 'docs.js'])
    add(name, withNames(join(import.meta.dirname, 'client', name)));
  write('assets/inter-licence.txt', readFileSync(join(inter, 'LICENSE')));
  write(
    'assets/minisearch-licence.txt',
    readFileSync(join(dirname(require.resolve('minisearch')), '../../LICENSE.txt')),
  );
  return names;
}

function write(path: string, content: string | Buffer) {
  const file = join(building, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** With a compressed form beside it, which the program then sends. */
function writePacked(path: string, content: string | Buffer) {
  write(path, content);
  if (!path.endsWith('.woff2')) write(`${path}.gz`, gzipSync(content));
}

/** Two builds at the same time make the same: the later one is put in place. */
function replaceDist() {
  const old = join(import.meta.dirname, `.build-${process.pid}-old`);
  if (existsSync(dist)) renameSync(dist, old);
  try {
    renameSync(building, dist);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
  rmSync(old, { recursive: true, force: true });
}
