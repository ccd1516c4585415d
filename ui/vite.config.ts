// How the web application is built (into ui/dist, served by the program under /app/) and how it is run while one works
// on it: `npm run ui` serves the sources with every change at once and passes calls on to a program on port 8080.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** What a first visit shows: the frame around all screens, and the campaigns. */
const firstScreen = ['main.tsx', 'shell/shell.tsx', 'screens/campaigns/campaigns-screen.tsx'].map((name) =>
  join(import.meta.dirname, 'src', name),
);

/** A file for the modules that the same screens use; those of less than 6 kB are joined with the most similar. */
const joined = { minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 3_000 };

/** The library of components and its icons. */
const libraries = /node_modules\/(@mantine\/(core|hooks)|@tabler)/;
/** What floats above the page, and the fields that open such a layer. */
const floating = /@floating-ui|@mantine\/core\/esm\/(utils\/Floating|components\/(Popover|Overlay|FocusTrap)\/)/;
const layers =
  /@mantine\/core\/esm\/(utils\/Floating|components\/(Popover|Overlay|FocusTrap|Menu|Tooltip|ScrollArea|ColorInput|ColorPicker|Select|MultiSelect|TagsInput|Autocomplete|Pill|PillsInput|NumberInput|Modal|ModalBase|Drawer|Combobox\/(?!ComboboxChevron|get-parsed))\b)/;

/**
 * Few, larger chunks: left to itself, the build makes a file of each icon and field, and a screen over 100 requests.
 * The first group takes the first screen with all that it imports, and nothing else. The others take what at least two
 * of the other screens share; a module belongs to the group with the highest priority that fits.
 * test/ui/budget.test.ts limits the requests and the bytes of each screen.
 */
const chunks = [
  { name: 'first', test: (id: string) => firstScreen.includes(id), priority: 5 },
  // Apart from the other parts, which are needed by screens without a plot.
  { name: 'plot', test: /ui\/src\/parts\/plot/, minShareCount: 2, priority: 4 },
  // The libraries of components, by what screens use together. What a module imports comes with its whole file, so that
  // nothing which needs the floating layers is in a file with what does not.
  {
    name: 'fields',
    test: (id: string) => libraries.test(id) && !layers.test(id),
    minShareCount: 2,
    entriesAware: true,
    entriesAwareMergeThreshold: 4_000,
    priority: 4,
  },
  { name: 'floating', test: floating, minShareCount: 2, priority: 3 },
  { name: 'menus', test: /@mantine\/core\/esm\/components\/Menu\//, minShareCount: 2, priority: 2 },
  {
    name: 'selects',
    test: /@mantine\/core\/esm\/components\/(Combobox|ScrollArea|Select)\//,
    minShareCount: 2,
    priority: 2,
  },
  {
    name: 'tags',
    test: /@mantine\/core\/esm\/components\/(Pill|PillsInput|MultiSelect|TagsInput|Autocomplete)\//,
    minShareCount: 2,
    priority: 2,
  },
  {
    name: 'forms',
    test: /@mantine\/form|klona|fast-deep-equal|parts\/form\/(form|fault-field)/,
    minShareCount: 2,
    priority: 3,
  },
  {
    name: 'parts',
    test: /ui\/src\/(parts\/(?!table\/chosen-columns|labels\/|copy-to\/|barred-button|form\/more-settings)|shell|text|api)/,
    ...joined,
    priority: 1,
  },
  // The editors of conditions and fields, which lists, contacts and automations have; the settings that the setup has too.
  // Those with selects apart from what only shows a condition.
  {
    name: 'conditions',
    test: /ui\/src\/screens\/lists\/(segments|fields)\/(?!condition-editor|event-editor|group-editor)/,
    ...joined,
    priority: 1,
  },
  {
    name: 'editors',
    test: /ui\/src\/screens\/lists\/(segments|fields)\/(condition-editor|event-editor|group-editor)/,
    minShareCount: 2,
    priority: 1,
  },
  // What a list and the contacts of all lists share.
  {
    name: 'members',
    test: /ui\/src\/screens\/lists\/(add-member|export-button|member-status)\.tsx/,
    ...joined,
    priority: 1,
  },
  { name: 'settings', test: /ui\/src\/screens\/settings\//, ...joined, priority: 1 },
  // What the composer shares with its editors, and with the pages of templates.
  {
    name: 'composer',
    test: /ui\/src\/screens\/composer\/(?!.*-editor|pictures)/,
    ...joined,
    entriesAwareMergeThreshold: 4_000,
    priority: 1,
  },
];

const program = process.env.PROGRAM_URL ?? 'http://127.0.0.1:8080';

export default defineConfig(({ command }) => ({
  root: import.meta.dirname,
  // Built files find each other wherever they are; the program completes the addresses in the page (src/pages/application.ts).
  base: command === 'build' ? './' : '/app/',
  plugins: [react(), fontFirst(), fontLicence(), compressed()],
  // Texts are read as a whole, and a third smaller so.
  json: { namedExports: false, stringify: true },
  build: {
    outDir: process.env.UI_OUT ?? 'dist',
    emptyOutDir: true,
    target: 'es2022',
    // The content security policy allows scripts of our own address only, so nothing is inlined.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2_000,
    manifest: true,
    rolldownOptions: {
      output: {
        codeSplitting: { groups: chunks },
        // The build names parts after all the screens that use them.
        chunkFileNames: ({ name }) => `assets/${name.replace(/~.*/, '')}-[hash].js`,
        assetFileNames: ({ names }) => `assets/${names[0]!.replace(/~.*|\.\w+$/, '')}-[hash][extname]`,
      },
    },
  },
  server: {
    // Node modules and the few files of the server that the README names are beside this folder.
    fs: { allow: ['..'] },
    proxy: Object.fromEntries(
      ['/api', '/session', '/events', '/asset', '/health'].map((path) => [path, { target: program }]),
    ),
  },
}));

/** Puts a compressed form beside each script and style sheet, which is what the program then sends. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    async writeBundle({ dir }) {
      const assets = join(dir!, 'assets');
      const squeeze = async (file: string) => {
        const bytes = readFileSync(join(assets, file));
        // A step more takes 6 % off, at seven times the time: for all but the editors and charts, which are large.
        const params = { [constants.BROTLI_PARAM_QUALITY]: bytes.length < 600_000 ? 10 : 9 };
        writeFileSync(join(assets, `${file}.br`), await promisify(brotliCompress)(bytes, { params }));
        writeFileSync(join(assets, `${file}.gz`), gzipSync(bytes));
      };
      await Promise.all(readdirSync(assets).flatMap((file) => (/\.(js|css)$/.test(file) ? squeeze(file) : [])));
    },
  };
}

/** Loads the font beside the scripts: it would otherwise arrive after the first words, and move what is below them. */
function fontFirst(): Plugin {
  return {
    name: 'font-first',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(_page, { bundle }) {
        const font = Object.keys(bundle ?? {}).find((name) => /inter-latin-wght-normal[^/]*\.woff2$/.test(name))!;
        const attrs = { rel: 'preload', href: `./${font}`, as: 'font', type: 'font/woff2', crossorigin: '' };
        return [{ tag: 'link', attrs, injectTo: 'head-prepend' }];
      },
    },
  };
}

/** The licence of the font goes wherever the font goes, as the licence demands. */
function fontLicence(): Plugin {
  return {
    name: 'font-licence',
    apply: 'build',
    buildStart() {
      const font = dirname(createRequire(import.meta.url).resolve('@fontsource-variable/inter/package.json'));
      this.emitFile({
        type: 'asset',
        fileName: 'assets/inter-licence.txt',
        source: readFileSync(join(font, 'LICENSE')),
      });
    },
  };
}
