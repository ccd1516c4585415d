// How the web application is built (into ui/dist, served by the program under /app/) and how it is run while one works
// on it: `npm run ui` serves the sources with every change at once and passes calls on to a program on port 8080.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** What the first screen does not need, however many others do: forms, and what floats (menus, dialogs, choices). */
const notFirst =
  /@mantine\/form|klona|fast-deep-equal|parts\/form|@floating-ui|react-remove-scroll|core\/esm\/(utils\/Floating|components\/(Popover|ScrollArea|Transition|Combobox|Portal|Overlay|FocusTrap))\//;

/**
 * Few, larger chunks: left to itself, the build makes a file of each icon and field, and a screen over 100 requests.
 * test/ui/budget.test.ts limits the requests and the bytes of each screen.
 */
const chunks = [
  // What nearly every screen shares, and the frame around them: the first screen needs these.
  { name: 'shared', test: (id: string) => !notFirst.test(id), minShareCount: 28, priority: 30 },
  { name: 'frame', test: /@mantine\/(hooks|core\/esm\/(core|components\/Burger))\//, priority: 28 },
  { name: 'icons', test: /@tabler/, minShareCount: 2, priority: 25 },
  // The rest of the component library that more than one screen uses.
  {
    name: 'fields',
    test: /node_modules\/(@mantine\/(core|form|hooks)|@floating-ui|klona|fast-deep-equal|react-)/,
    minShareCount: 2,
    priority: 20,
  },
  // Parts, apart from those that need more of the library, or the plots, than the first screen does.
  { name: 'plot', test: /ui\/src\/parts\/plot/, minShareCount: 2, priority: 12 },
  {
    name: 'parts',
    test: /ui\/src\/(parts\/(?!copy|form|url-tabs|table\/chosen)|shell|text|api)/,
    minShareCount: 2,
    priority: 10,
  },
  { name: 'entry', test: /ui\/src\/parts\//, minShareCount: 2, priority: 8 },
  // The editor of conditions, which lists, contacts and automations have.
  {
    name: 'conditions',
    test: /ui\/src\/screens\/lists\/(segments\/(group|condition)-editor|fields\/value-input)/,
    minShareCount: 2,
    priority: 4,
  },
];

const program = process.env.PROGRAM_URL ?? 'http://127.0.0.1:8080';

export default defineConfig(({ command }) => ({
  root: import.meta.dirname,
  // Built files find each other wherever they are; the program completes the addresses in the page (src/pages/application.ts).
  base: command === 'build' ? './' : '/app/',
  plugins: [react(), fontLicence(), compressed()],
  build: {
    outDir: process.env.UI_OUT ?? 'dist',
    emptyOutDir: true,
    target: 'es2022',
    // The content security policy allows scripts of our own address only, so nothing is inlined.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2_000,
    manifest: true,
    rolldownOptions: { output: { codeSplitting: { groups: chunks } } },
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
    writeBundle({ dir }) {
      const assets = join(dir!, 'assets');
      for (const file of readdirSync(assets).filter((name) => /\.(js|css)$/.test(name))) {
        const bytes = readFileSync(join(assets, file));
        const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
        writeFileSync(join(assets, `${file}.br`), brotliCompressSync(bytes, quality));
        writeFileSync(join(assets, `${file}.gz`), gzipSync(bytes));
      }
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
