// Runs commands, above all those of the program, and gives back what they print.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { bareEnvironment } from './service.ts';

export const root = join(import.meta.dirname, '../../..');

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

/** Runs a command of the program with these settings. */
export const postriderWith = (args: string[], settings: Record<string, string>) =>
  run(process.execPath, [join(root, 'src/main.ts'), ...args], { LOG_LEVEL: 'silent', ...settings });
