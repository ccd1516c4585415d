// How the web application is built (into ui/dist, served by the program under /app/) and how it is run while one works
// on it: `npm run ui` serves the sources with every change at once and passes calls on to a program on port 8080.
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const program = process.env.PROGRAM_URL ?? 'http://127.0.0.1:8080';

export default defineConfig({
  root: import.meta.dirname,
  base: '/app/',
  plugins: [react()],
  build: {
    outDir: process.env.UI_OUT ?? 'dist',
    emptyOutDir: true,
    target: 'es2022',
    // The content security policy allows scripts of our own address only, so nothing is inlined.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2_000,
    manifest: true,
  },
  server: {
    proxy: Object.fromEntries(
      ['/api', '/session', '/events', '/asset', '/health'].map((path) => [path, { target: program }]),
    ),
  },
});
