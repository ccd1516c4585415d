// Which files of the installed packages a program can load: what its sources import and require, with all that those files load in turn.
// Node resolves the names, under the conditions with which it would. Needs --experimental-import-meta-resolve.
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type ParseOptions, parseSync } from '@swc/core';

/** Whose computed names lead to files of their user, or to files that are no code: their code is chosen like that of others. */
const harmless = [
  // A path in a variable of the environment.
  '@node-rs/argon2',
  // Configuration and tasks that are files; Postrider gives them as values.
  'cosmiconfig',
  'import-fresh',
  'graphile-worker',
  // Its own package.json and browsers.json.
  'playwright-core',
];

/** Folders of a package that its program does not read. */
const beside = /^(tests?|__tests__|benchmarks?|bench|examples?|docs?|coverage|\.github|\.vscode)\//;

const isCode = (file: string) => /\.[cm]?js$/.test(file);
/** For people who develop with the package. */
const isForDevelopment = (file: string) =>
  /\.(map|[cm]?ts|md|markdown)$/.test(file) && !/licen[cs]e|notice/i.test(file);

/** A name in a file: what loads it, or undefined for a string that may be the name of a file. */
type Mention = { name: string; by?: 'import' | 'require' };
type Read = { mentions: Mention[]; computed: boolean };

/** The folder of the package that a file belongs to. */
export function packageOf(file: string): string {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? '';
}

/**
 * The files below `root`/node_modules that the sources below `root` can load, by full path.
 * @param sources patterns of files below `root`
 */
export function loadable(root: string, sources: string[]): Set<string> {
  const reached = new Set(globSync(sources, { cwd: root }).map((file) => join(root, file)));
  const all = Map.groupBy(installedFiles(root), packageOf);
  for (const file of reached) {
    if (!isCode(file) && !file.endsWith('.ts')) continue;
    const own = packageOf(file);
    const { mentions, computed } = read(file);
    for (const mention of mentions)
      for (const found of mention.by ? resolved(file, mention) : namedSo(mention.name, file, all.get(own) ?? []))
        reached.add(found);
    if (computed && own === '') throw new Error(`${file} computes the name of what it imports.`);
    if (computed && !harmless.some((name) => own.endsWith(`node_modules/${name}`)))
      for (const other of all.get(own)!) if (isCode(other) && !isBeside(other)) reached.add(other);
  }
  const kept = new Set([...reached].filter((file) => packageOf(file) !== ''));
  for (const own of new Set([...kept].map(packageOf))) for (const file of notCode(all.get(own)!, kept)) kept.add(file);
  return kept;
}

/** The files below `root`/node_modules, with those whose names begin with a dot. */
export function installedFiles(root: string): string[] {
  return readdirSync(join(root, 'node_modules'), { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
}

const isBeside = (file: string) => beside.test(relative(packageOf(file), file));

/** Of the files of a package, those that its code may read: not in a folder of which no code is loaded. */
function notCode(files: string[], kept: ReadonlySet<string>): string[] {
  const unused = new Set(files.filter((file) => isCode(file) && !kept.has(file)).map((file) => dirname(file)));
  const used = new Set(files.filter((file) => kept.has(file)).map((file) => dirname(file)));
  return files.filter((file) => {
    if (isCode(file) || isForDevelopment(file)) return false;
    if (basename(file) === 'package.json' || /^(licen[cs]e|notice|copying)/i.test(basename(file)))
      return !isBeside(file);
    return !isBeside(file) && (used.has(dirname(file)) || !unused.has(dirname(file)));
  });
}

/** Files below the folder of `from` whose name is that of a string, such as a script that it starts in a thread. */
function namedSo(name: string, from: string, files: string[]): string[] {
  const folder = `${dirname(from)}/`;
  return files.filter(
    (file) => isCode(file) && basename(file) === basename(name) && file.startsWith(folder) && !isBeside(file),
  );
}

function resolved(file: string, { name, by }: Mention): string[] {
  if (isBuiltin(name)) return [];
  try {
    const found =
      by === 'import'
        ? fileURLToPath(import.meta.resolve(name, pathToFileURL(file).href))
        : createRequire(file).resolve(name);
    return existsSync(found) ? [found] : [];
  } catch {
    // Optional: a build for another machine, or a package that is only used when it is there.
    return [];
  }
}

function read(file: string): Read {
  const found: Read = { mentions: [], computed: false };
  const text = readFileSync(file, 'utf8');
  // A file that is no module may have what modules may not.
  const tree = file.endsWith('.ts')
    ? parseSync(text, { syntax: 'typescript', target: 'es2024' })
    : parseSync(text, { syntax: 'ecmascript', target: 'es2024', isModule: 'unknown' } as ParseOptions);
  visit(tree.body, found);
  return found;
}

// biome-ignore lint/suspicious/noExplicitAny: any node of the tree
type Node = any;

function visit(node: Node, found: Read): void {
  if (typeof node !== 'object' || node === null) return;
  if (Array.isArray(node)) {
    for (const part of node) visit(part, found);
    return;
  }
  if (loads(node, found)) return;
  if (node.type === 'StringLiteral' && /^[\w./-]+\.[cm]?js$/.test(node.value))
    found.mentions.push({ name: node.value });
  for (const [member, part] of Object.entries(node)) if (member !== 'span') visit(part, found);
}

/** Whether the node loads one file, whose name is not to be read again. */
function loads(node: Node, found: Read): boolean {
  if (/^(Import|ExportNamed|ExportAll)Declaration$/.test(node.type) && node.source) {
    if (!node.typeOnly) found.mentions.push({ name: node.source.value, by: 'import' });
    return true;
  }
  if (node.type !== 'CallExpression') return false;
  const by = callOf(node.callee);
  if (by === undefined) return false;
  const argument = node.arguments[0]?.expression;
  if (argument?.type === 'StringLiteral') found.mentions.push({ name: argument.value, by });
  else found.computed = true;
  return argument?.type === 'StringLiteral';
}

function callOf(callee: Node): Mention['by'] {
  if (callee.type === 'Import') return 'import';
  const isRequire = (one: Node) => one?.type === 'Identifier' && /^(__)?require$/.test(one.value);
  if (isRequire(callee)) return 'require';
  if (callee.type !== 'MemberExpression' || callee.property?.value !== 'resolve') return undefined;
  if (isRequire(callee.object)) return 'require';
  return callee.object?.type === 'MetaProperty' ? 'import' : undefined;
}
