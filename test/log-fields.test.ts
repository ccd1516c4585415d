// The tables of docs/operations.md name every field that the program writes into its log.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseSync } from '@swc/core';

const root = join(import.meta.dirname, '..');
const levels = new Set(['trace', 'debug', 'info', 'warn', 'error', 'child']);

test('docs/operations.md lists every field of the log', () => {
  const text = readFileSync(join(root, 'docs/operations.md'), 'utf8');
  const section = text.slice(text.indexOf('The log is one JSON line'), text.indexOf('\n## What happens when'));
  const listed = new Set([...section.matchAll(/^\| (`[^|]+`) *\|/gm)].flatMap(([, names]) => names!.match(/\w+/g)!));
  // Those of every line come from the library and from src/base/log.ts.
  const everywhere = ['level', 'time', 'process', 'pid', 'msg'];
  const written = new Map(everywhere.map((name) => [name, 'src/base/log.ts']));
  for (const path of globSync('src/**/*.ts', { cwd: root })) {
    if (path.endsWith('.test.ts')) continue;
    for (const name of loggedBy(readFileSync(join(root, path), 'utf8'))) written.set(name, path);
  }
  assert.ok(written.size > 30, `${written.size} fields`);
  assert.deepEqual(
    [...written].filter(([name]) => !listed.has(name)),
    [],
    'written and not listed',
  );
});

test('fields are found in calls of the log, at any depth of conditions', () => {
  const source = `app.log.warn({ one, two: 2, ...(three && { three }) }, 'x'); log.child({ four: 4 }); other.info({ five });`;
  assert.deepEqual([...loggedBy(source)], ['one', 'two', 'three', 'four']);
});

type Node = Record<string, unknown> & { type?: string };

/** The members of objects that are logged. Objects made elsewhere are not followed. */
function loggedBy(source: string): Set<string> {
  const names = new Set<string>();
  const walk = (node: unknown) => {
    if (Array.isArray(node)) return node.forEach(walk);
    if (typeof node !== 'object' || node === null) return;
    const one = node as Node;
    if (one.type === 'CallExpression' && isLog(one.callee as Node)) {
      const [first] = one.arguments as { expression: Node }[];
      if (first?.expression.type === 'ObjectExpression') take(first.expression, names);
    }
    Object.values(one).forEach(walk);
  };
  walk(parseSync(source, { syntax: 'typescript', target: 'es2024' }).body);
  return names;
}

/** `log.info`, `app.log.warn`, `context.app.log.child`. */
function isLog(callee: Node): boolean {
  if (callee.type !== 'MemberExpression' || !levels.has((callee.property as { value: string }).value)) return false;
  const { type, value, property } = callee.object as Node & { property?: { value: string } };
  return type === 'MemberExpression' ? property?.value === 'log' : value === 'log';
}

function take(object: Node, names: Set<string>) {
  for (const property of object.properties as Node[]) {
    if (property.type === 'Identifier') names.add(property.value as string);
    if (property.type === 'KeyValueProperty') names.add((property.key as { value: string }).value);
    if (property.type === 'SpreadElement') spread(property.arguments as Node, names);
  }
}

/** `...(known && { known })`: what is spread under a condition. */
function spread(node: Node, names: Set<string>) {
  if (node.type === 'ObjectExpression') take(node, names);
  if (node.type === 'ParenthesisExpression') spread(node.expression as Node, names);
  if (node.type === 'BinaryExpression') spread(node.right as Node, names);
  if (node.type === 'ConditionalExpression')
    for (const part of ['consequent', 'alternate']) spread(node[part] as Node, names);
}
