// The budget of the built application: how many script files each screen loads and how large they are, compressed as they
// are sent. Counted is what a first visit loads: the entry, the shell, the texts of the larger language, the screen, and
// everything these import. The editors and the charting library follow, and are limited apart.
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { buildUi, root } from '../support/browser/ui.ts';

const dist = join(root, 'ui/dist');
const maxFiles = 60;
const maxKb = 200;
/** kB of the screens with an editor. */
const larger: Record<string, number> = { 'composer/composer-screen': 297, 'templates/template-screen': 260 };
/** The parts of a screen of which it loads one at once. */
const parts: Record<string, string[]> = {
  'setup/setup-screen': ['address', 'organisation', 'relay', 'domain', 'test'].map((step) => `setup/${step}-step`),
};
/** kB of what is loaded when a screen edits or plots. */
const later = { 'visual-editor': 300, 'html-editor': 170, chart: 120 };

type Chunk = { file: string; imports?: string[]; dynamicImports?: string[]; css?: string[] };
let chunks: Record<string, Chunk>;

before(() => {
  buildUi();
  chunks = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8'));
});

/** The chunks that these import, themselves included. */
function closure(names: readonly string[], seen = new Set<string>()): Set<string> {
  for (const name of names) {
    if (seen.has(name)) continue;
    seen.add(name);
    closure(chunks[name]!.imports ?? [], seen);
  }
  return seen;
}

/** kB of a file, as it is sent. */
const sent = (file: string) => statSync(join(dist, `${file}.br`)).size / 1000;

/** The areas of texts of a screen, as routes.ts names them. */
function areasOf(screen: string): string[] {
  const routes = readFileSync(join(root, 'ui/src/screens/routes.ts'), 'utf8');
  const path = screen.replace('src/screens/', './');
  const named = routes.split('createRoute(').find((route) => route.includes(`import('${path}')`)) ?? '';
  return [...(/withTexts\(\s*\[([^\]]*)\]/.exec(named)?.[1] ?? '').matchAll(/'([^']+)'/g)].map(([, area]) => area!);
}

/** The budget of a screen: the number of its files, and their size in kB; with the largest of its parts. */
function loadedBy(screen: string, language: 'en' | 'de') {
  const named = parts[screen.replace(/^src\/screens\/|\.tsx$/g, '')] ?? [];
  const all = named.length === 0 ? [[screen]] : named.map((part) => [screen, `src/screens/${part}.tsx`]);
  return all.map((files) => loaded(screen, files, language)).reduce((one, other) => (other.kb > one.kb ? other : one));
}

function loaded(screen: string, files: readonly string[], language: 'en' | 'de') {
  const texts = areasOf(screen).map((area) => `src/locales/${language}/${area}.json`);
  const names = closure(['index.html', `src/locales/${language}-first.ts`, ...files, ...texts]);
  const scripts = new Set([...names].map((name) => chunks[name]!.file).filter((file) => file.endsWith('.js')));
  return { files: scripts.size, kb: [...scripts].reduce((sum, file) => sum + sent(file), 0) };
}

for (const language of ['en', 'de'] as const)
  test(`each screen loads at most ${maxKb} kB of scripts, in ${language}`, () => {
    const screens = Object.keys(chunks).filter((name) => /^src\/screens\/.*-screen\.tsx$/.test(name));
    assert.ok(screens.length > 30, `${screens.length} screens`);
    const over = screens.flatMap((screen) => {
      const { files, kb } = loadedBy(screen, language);
      const limit = larger[screen.replace(/^src\/screens\/|\.tsx$/g, '')] ?? maxKb;
      if (process.env.BUDGETS) console.log(`${files} files, ${kb.toFixed(1)} of ${limit} kB: ${screen}`);
      return files <= maxFiles && kb <= limit ? [] : [`${screen}: ${files} files, ${kb.toFixed(1)} of ${limit} kB`];
    });
    assert.deepEqual(over, []);
  });

test('the editors and the charts stay within their own limits, and no screen waits for them', () => {
  for (const [name, limit] of Object.entries(later)) {
    const [path] = Object.keys(chunks).filter((one) => one.endsWith(`/${name}.tsx`));
    assert.ok(path, name);
    const kb = sent(chunks[path]!.file);
    assert.ok(kb <= limit, `${name}: ${kb.toFixed(1)} of ${limit} kB`);
    const waiting = Object.keys(chunks).filter((one) => one.endsWith('-screen.tsx') && closure([one]).has(path));
    assert.deepEqual(waiting, []);
  }
});

test('no screen of the gallery of parts is built', () => {
  assert.deepEqual(
    Object.keys(chunks).filter((name) => name.includes('parts-screen')),
    [],
  );
});

test('the font comes with its licence, and nothing is fetched from other hosts for it', () => {
  assert.match(readFileSync(join(dist, 'assets/inter-licence.txt'), 'utf8'), /SIL OPEN FONT LICENSE/i);
  const sheets = [...closure(['index.html'])].flatMap((name) => chunks[name]!.css ?? []);
  const sheet = sheets.map((file) => readFileSync(join(dist, file), 'utf8')).join('\n');
  const sources = [...sheet.matchAll(/@font-face\{[^}]*src:url\(([^)]+)\)/g)].map(([, address]) => address!);
  assert.ok(sources.length >= 4, `${sources.length} font files`);
  for (const address of sources) assert.match(address, /^\.\/inter-/);
});
