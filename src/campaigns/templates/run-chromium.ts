#!/usr/bin/env node
// Started by Playwright in place of Chromium when the program runs as root (chromium-user.ts): gives the profile directory
// to the browser's user and starts the browser as that user. Its descriptors 3 and 4 are the pipes to Playwright.
import { spawn } from 'node:child_process';
import { chownSync } from 'node:fs';

const { BROWSER_PATH: path = '', BROWSER_USER = '', BROWSER_ENV = '{}' } = process.env;
const id = Number(BROWSER_USER);
const args = process.argv.slice(2);
const profile = args.find((arg) => arg.startsWith('--user-data-dir='))?.slice('--user-data-dir='.length);
if (profile !== undefined) chownSync(profile, id, id);
const browser = spawn(path, args, {
  uid: id,
  gid: id,
  // The browser's user may not write to the program's directory for temporary files.
  env: { ...JSON.parse(BROWSER_ENV), HOME: profile ?? '/', ...(profile !== undefined && { TMPDIR: profile }) },
  stdio: [0, 1, 2, 3, 4],
});
browser.once('error', (error) => {
  console.error(error.message);
  process.exit(127);
});
// As the browser ended: Playwright reports the signal.
browser.once('exit', (code, signal) => (signal ? process.kill(process.pid, signal) : process.exit(code ?? 1)));
