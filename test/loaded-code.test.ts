// Each process loads at its start only what it needs while it is idle: every further module costs memory and time in every
// installation. Follows the static imports from what a process loads; import(…) is what a process loads later.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { type ModuleItem, parseSync } from '@swc/core';

const root = join(import.meta.dirname, '..');

/** Loaded by one task, call or command, which many installations never use. */
const rare = [
  '@modelcontextprotocol/server',
  'src/telemetry/sdk.ts',
  '@opentelemetry/api',
  'html-to-text',
  'feedsmith',
  'sanitize-html',
  'openid-client',
  'playwright-core',
  'smtp-server',
  'graphile-worker',
];

/** What each process loads, and what it must not: packages, files and folders. */
const processes = {
  parent: {
    from: ['src/main.ts', 'src/supervisor.ts'],
    not: [
      ...rare,
      'zod',
      'fastify',
      'parse5',
      'src/app.ts',
      'src/audience/',
      'src/campaigns/',
      'src/delivery/worker.ts',
      'src/delivery/sending/',
      'src/relays/smtp/',
      'src/doors/',
    ],
  },
  web: {
    from: ['src/main.ts', 'src/app.ts', 'src/web.ts'],
    not: [
      ...rare,
      'src/supervisor.ts',
      'src/delivery/worker.ts',
      'src/delivery/sending/send-loop.ts',
      'src/task-handlers.ts',
    ],
  },
  work: {
    from: ['src/main.ts', 'src/app.ts', 'src/delivery/worker.ts', 'src/task-handlers.ts', 'src/webhooks/dispatch.ts'],
    not: [...rare, 'fastify', 'prom-client', 'src/supervisor.ts', 'src/web.ts', 'src/doors/', 'src/pages/'],
  },
  inbox: {
    from: ['src/main.ts', 'src/app.ts', 'src/inbox/inbox.ts'],
    not: ['zod', 'fastify', 'parse5', 'src/audience/', 'src/campaigns/', 'src/delivery/', 'src/doors/', 'src/pages/'],
  },
};

for (const [name, { from, not }] of Object.entries(processes))
  test(`the ${name} process loads no code of the others at its start`, () => {
    const main = readFileSync(join(root, 'src/main.ts'), 'utf8');
    for (const file of from.slice(1)) assert.match(main, new RegExp(`'\\./${relative('src', file)}'`));
    const reached = reachedFrom(from);
    const wrong = [...reached].filter(([module]) =>
      not.some((unwanted) => (unwanted.endsWith('/') ? module.startsWith(unwanted) : module === unwanted)),
    );
    assert.deepEqual(
      wrong.map(([module]) => wayTo(module, reached)),
      [],
    );
    assert.ok(reached.size > 20);
  });

test('no source imports node:http, which would load a WebSocket client as well', () => {
  const files = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'));
  const importers = files.filter((file) => !file.includes('/terminal/') && importsOf(file).includes('node:http'));
  assert.deepEqual(importers, [], 'use process.getBuiltinModule, as src/base/outbound/exchange.ts does');
});

/** Module → the file that imports it first. */
function reachedFrom(files: readonly string[]): Map<string, string> {
  const reached = new Map(files.map((file) => [file, '']));
  for (const [file] of reached) {
    if (!file.endsWith('.ts')) continue;
    for (const name of importsOf(file)) {
      const module = name.startsWith('.') ? join(dirname(file), name) : name;
      if (!reached.has(module)) reached.set(module, file);
    }
  }
  return reached;
}

function wayTo(module: string, reached: Map<string, string>): string {
  const importer = reached.get(module);
  return importer ? `${wayTo(importer, reached)} > ${module}` : module;
}

/** What Node loads before it runs the file. */
function importsOf(file: string): string[] {
  const { body } = parseSync(readFileSync(join(root, file), 'utf8'), { syntax: 'typescript', target: 'es2024' });
  return body.flatMap((item) => {
    const source = sourceOf(item);
    return source === undefined ? [] : [source];
  });
}

function sourceOf(item: ModuleItem): string | undefined {
  if (item.type === 'ExportAllDeclaration') return item.source.value;
  if (item.type === 'ExportNamedDeclaration') return item.typeOnly ? undefined : item.source?.value;
  if (item.type !== 'ImportDeclaration' || item.typeOnly) return undefined;
  return item.source.value;
}
