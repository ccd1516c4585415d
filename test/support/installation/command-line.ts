// An installation, and the commands that its operator runs beside it.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { Installation } from './installation.ts';
import { bareEnvironment } from './service.ts';

export const root = join(import.meta.dirname, '../../..');
export let installation: Installation;
before(async () => {
  installation = new Installation({ LOG_LEVEL: 'warn' });
  await installation.start();
});
after(() => installation.remove());

export type Ended = { code: number | null; output: string; errors: string };

export function run(command: string, args: string[], environment: Record<string, string> = {}): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env: { ...bareEnvironment, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [output, errors] = ['', ''];
    child.stdout.on('data', (text) => {
      output += text;
    });
    child.stderr.on('data', (text) => {
      errors += text;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output, errors }));
  });
}
/** Runs a command of the program on the installation's data. */
export const postrider = (args: string[], environment: Record<string, string> = {}) =>
  run(process.execPath, [join(root, 'src/main.ts'), ...args], {
    DATA_DIR: installation.dataDir,
    LOG_LEVEL: 'silent',
    ...environment,
  });
