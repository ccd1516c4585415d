// The budget of the built application: how many script files each screen loads and how large they are, compressed.
// Counted is what a first visit loads: the entry, the shell, the texts of one language, the screen, everything these
// import, and what the screen loads afterwards (editors, plots).
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { buildUi, root } from '../support/browser/ui.ts';

const dist = join(root, 'ui/dist');
const maxFiles = 25;
/** kB of scripts of a screen; of those with an editor or a plot. */
const maxKb = 331;
const heavy: Record<string, number> = {
  'composer/composer-screen': 845,
  'templates/template-screen': 797,
  'webhooks/webhook-screen': 460,
  'home/home-screen': 431,
  'lists/list-screen': 450,
  'report/campaign-screen': 450,
};

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

/** The budget of a screen: the number of its files, and their size in kB. */
function loadedBy(screen: string) {
  const frame = closure(['index.html', 'src/locales/en-first.ts', 'src/locales/en.ts']);
  const own = [...closure([screen])].filter((name) => !frame.has(name));
  const later = own.flatMap((name) => chunks[name]!.dynamicImports ?? []).filter((name) => !name.includes('dialog'));
  // An area whose texts are not among those of all screens has them in a file of its own.
  const texts = [`src/locales/en/${screen.split('/')[2]}.json`].filter((name) => chunks[name]);
  const files = new Set([...frame, ...closure([...own, ...later, ...texts])].map((name) => chunks[name]!.file));
  const scripts = [...files].filter((file) => file.endsWith('.js'));
  const bytes = scripts.reduce((sum, file) => sum + gzipSync(readFileSync(join(dist, file))).length, 0);
  return { files: scripts.length, kb: Math.round(bytes / 1000) };
}

test('each screen loads at most 25 script files, and stays within its size', () => {
  const screens = Object.keys(chunks).filter((name) => /^src\/screens\/.*-screen\.tsx$/.test(name));
  assert.ok(screens.length > 30, `${screens.length} screens`);
  const over = screens.flatMap((screen) => {
    const { files, kb } = loadedBy(screen);
    const limit = heavy[screen.replace(/^src\/screens\/|\.tsx$/g, '')] ?? maxKb;
    if (process.env.BUDGETS) console.log(`${files} files, ${kb} of ${limit} kB: ${screen}`);
    return files <= maxFiles && kb <= limit ? [] : [`${screen}: ${files} files, ${kb} of ${limit} kB`];
  });
  assert.deepEqual(over, []);
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
