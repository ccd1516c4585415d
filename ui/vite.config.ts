// How the web application is built (into ui/dist, served by the program under /app/) and how it is run while one works
// on it: `npm run ui` serves the sources with every change at once and passes calls on to a program on port 8080.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const program = process.env.PROGRAM_URL ?? 'http://127.0.0.1:8080';

export default defineConfig({
  root: import.meta.dirname,
  base: '/app/',
  plugins: [react(), compressed()],
  build: {
    outDir: process.env.UI_OUT ?? 'dist',
    emptyOutDir: true,
    target: 'es2022',
    // The content security policy allows scripts of our own address only, so nothing is inlined.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2_000,
    manifest: true,
    // One chunk for what many screens share: without it, the screen of a list makes over 100 requests.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'shared', minShareCount: 24 }] } } },
  },
  server: {
    proxy: Object.fromEntries(
      ['/api', '/session', '/events', '/asset', '/health'].map((path) => [path, { target: program }]),
    ),
  },
});

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
