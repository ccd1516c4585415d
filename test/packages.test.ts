// What is published carries one version (the program, its changelog, the image, the chart and the clients), and the Helm chart
// names settings, commands and values that exist. What Helm makes of it: chart.test.ts.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { z } from 'zod';
import { versions } from '../scripts/release/checks.ts';
import { version } from '../src/base/version.ts';
import { settings } from '../src/config.ts';

const { load, loadAll } = createRequire(import.meta.url)('js-yaml') as Record<
  'load' | 'loadAll',
  (text: string) => unknown
>;
const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const folder = 'examples/helm/postrider';
const values = load(read(`${folder}/values.yaml`)) as { settings: Record<string, string> };
const templates = readdirSync(join(root, folder, 'templates')).map((name) => ({
  name,
  text: read(`${folder}/templates/${name}`),
}));

test('program, lock file, changelog, image, chart and clients have the same version', () => {
  const found = { ...versions(root), 'CHANGELOG.md': /^## (\d\S*)/m.exec(read('CHANGELOG.md'))?.[1] };
  for (const [place, one] of Object.entries(found)) assert.equal(one, version, place);
});

test('the values of the chart fit its schema, and wrong ones do not', () => {
  const schema = z.fromJSONSchema(JSON.parse(read(`${folder}/values.schema.json`)));
  schema.parse(values);
  assert.throws(() => schema.parse({ ...values, web: { replicas: 'two' } }));
  assert.throws(() => schema.parse({ ...values, existingSecret: '' }));
  assert.throws(() => schema.parse({ ...values, ingress: { hots: 'mail.example.com' } }));
});

test('the templates of the chart are YAML once actions on lines of their own are removed and others are words', () => {
  const kinds = templates
    .filter(({ name }) => name.endsWith('.yaml'))
    .flatMap(({ text }) => {
      const plain = text.replace(/^ *\{\{.*\}\}\n/gm, '').replace(/\{\{.*?\}\}/g, 'word');
      return (loadAll(plain) as ({ kind: string } | null)[]).flatMap((one) => one?.kind ?? []);
    });
  for (const kind of ['ConfigMap', 'Deployment', 'HorizontalPodAutoscaler', 'Ingress', 'Job', 'PodDisruptionBudget'])
    assert.ok(kinds.includes(kind), kind);
  for (const kind of ['Service', 'ServiceAccount', 'StatefulSet']) assert.ok(kinds.includes(kind), kind);
});

test('the chart names only values, parts, settings and commands that exist', () => {
  const names = new Set(Object.values(settings).map(({ name }) => name));
  const commands = ['main.ts', 'administration.ts', 'accounts/commands.ts', 'operator/commands.ts']
    .map((name) => read(`src/${name}`))
    .join();
  for (const name of Object.keys(values.settings)) assert.ok(names.has(name), `values.yaml: ${name}`);
  const defined = new Set(
    [...read(`${folder}/templates/_helpers.tpl`).matchAll(/define "([^"]+)"/g)].map(([, n]) => n),
  );
  for (const { name, text } of templates) {
    for (const [, setting] of text.matchAll(/\{ name: ([A-Z_]+),/g))
      assert.ok(names.has(setting!), `${name}: ${setting}`);
    for (const [, command] of text.matchAll(/src\/main\.ts,? (\w+)/g))
      assert.ok(new RegExp(`command\\('${command}[ ']`).test(commands), `${name}: ${command}`);
    for (const [, part] of text.matchAll(/include "([^"]+)"/g)) assert.ok(defined.has(part), `${name}: ${part}`);
    for (const [, path] of text.matchAll(/\.Values\.([\w.]+)/g)) {
      let at: unknown = values;
      for (const key of path!.split('.')) {
        assert.ok(typeof at === 'object' && at !== null && key in at, `${name}: .Values.${path}`);
        at = (at as Record<string, unknown>)[key];
      }
    }
  }
});
