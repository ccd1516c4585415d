// The compose files as Docker Compose reads them, and the settings that people fill in for them.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

export type ComposeService = {
  build?: unknown;
  command?: string[];
  env_file?: string[];
  environment?: Record<string, string>;
  ports?: string[];
  restart?: string;
  stop_grace_period?: string;
};
const { load } = createRequire(import.meta.url)('js-yaml') as { load(text: string): unknown };
const root = join(import.meta.dirname, '../../..');

export const composePaths = ['compose.yaml', 'examples/compose-several/compose.yaml'] as const;

/** @property program the services of the image, by name */
export type ComposeFile = { text: string; all: [string, ComposeService][]; program: [string, ComposeService][] };

export function composeFile(path: string): ComposeFile {
  const text = readFileSync(join(root, path), 'utf8');
  const all = Object.entries((load(text) as { services: Record<string, ComposeService> }).services);
  return { text, all, program: all.filter(([, { build }]) => build !== undefined) };
}

/** A value as Docker Compose fills it in. @throws Error for a value that is needed and not given */
export function filled(value: string, given: Record<string, string>): string {
  return String(value).replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, kind: string, rest = '') => {
    if (given[name]) return given[name];
    if (kind === '?') throw new Error(`${name}: ${rest}`);
    return rest;
  });
}

/** The variables of a service, with what is in .env. */
export function composeEnvironment(
  { environment = {} }: ComposeService,
  given: Record<string, string>,
): Record<string, string> {
  const own = Object.entries(environment).map(([name, value]) => [name, filled(value, given)]);
  return { ...given, ...Object.fromEntries(own) };
}

/** What .env.example has. */
export function exampleOf(path: string): Record<string, string> {
  const text = readFileSync(join(root, path.replace('compose.yaml', '.env.example')), 'utf8');
  return Object.fromEntries([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name!, value!]));
}
