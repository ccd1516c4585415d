// The node for n8n names only methods, parameters and values that exist, and what must be given is a field of it. n8n is not needed.
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { z } from 'zod';
import { paramsOf as describedParams } from '../../src/doors/describe.ts';
import { methods } from '../../src/doors/registry.ts';
import { compiled, source } from './n8n-package.ts';

type Field = { name: string; type: string; default: unknown; required?: boolean; options?: { value: unknown }[] };
type Operation = {
  resource: string;
  value: string;
  method: string;
  fields: Field[];
  options: Field[];
  optionsIn?: string;
  isIdempotent?: boolean;
  hasPages?: boolean;
};
type Schema = {
  properties?: Record<string, Schema>;
  required?: string[];
};

const node = compiled();
after(() => node.remove());
const { operations } = node.load<{ operations: Operation[] }>('nodes/Postrider/operations');
const read = (path: string) => readFileSync(join(source, path), 'utf8');
const files = globSync('{nodes,credentials}/**/*.ts', { cwd: source });
const methodOf = (name: string) => methods.find((one) => one.name === name);

function paramsOf(name: string): Schema {
  const method = methodOf(name);
  assert.ok(method, name);
  return z.toJSONSchema(method.params, { io: 'input', unrepresentable: 'any' }) as Schema;
}

test('each operation is a method, its fields are parameters of it, and all that are required are fields', () => {
  assert.ok(operations.length >= 8);
  for (const { method, fields, options, optionsIn, isIdempotent = false, hasPages = false } of operations) {
    const { properties = {}, required = [] } = paramsOf(method);
    const withOptions = optionsIn === undefined ? properties : properties[optionsIn]!.properties!;
    for (const { name } of fields) assert.ok(name in properties, `${method}(${name})`);
    for (const { name } of options) assert.ok(name in withOptions, `${method}(${name})`);
    for (const name of required)
      assert.ok(fields.find((one) => one.name === name)?.required, `${method} needs ${name}`);
    assert.equal(isIdempotent, 'idempotency_key' in properties, method);
    assert.equal(hasPages, 'start' in properties && 'limit' in properties, method);
    const names = [...fields, ...options].map(({ name }) => name);
    assert.equal(new Set(names).size, names.length, method);
    for (const own of ['resource', 'operation', 'options', 'returnAll', 'limit'])
      assert.ok(!names.includes(own), `${method}: the node has a field ${own} of its own`);
  }
});

test('n8n shows each field for its operation alone, and every field has a name of its own there', () => {
  type Property = { name: string; displayOptions?: { show: Record<string, unknown[]> } };
  const { properties } = node.load<{ properties: Property[] }>('nodes/Postrider/properties');
  for (const { resource, value, method, fields, options, hasPages } of operations) {
    const shown = properties.filter(({ displayOptions }) => {
      const { resource: resources, operation } = displayOptions?.show ?? {};
      return resources?.includes(resource) && operation?.includes(value);
    });
    const expected = fields.map(({ name }) => name);
    if (hasPages) expected.push('returnAll', 'limit');
    if (options.length > 0) expected.push('options');
    assert.deepEqual(
      shown.map(({ name }) => name),
      expected,
      method,
    );
  }
});

test('the API takes the values to choose from, and a box begins as the API does without it', () => {
  let tried = 0;
  for (const { method, fields, options, optionsIn } of operations) {
    const { params, example } = methodOf(method)!;
    const known = describedParams(methodOf(method)!);
    for (const field of [...fields, ...options]) {
      if (field.type === 'boolean')
        assert.equal(
          String(field.default),
          known.find(({ name }) => name === field.name)?.fallback,
          `${method}(${field.name})`,
        );
      for (const { value } of field.type === 'options' ? field.options! : []) {
        const given = optionsIn === undefined ? { [field.name]: value } : { [optionsIn]: { [field.name]: value } };
        assert.ok(params.safeParse({ ...example.params, ...given }).success, `${method}(${field.name}: ${value})`);
        tried++;
      }
    }
  }
  assert.ok(tried >= 8, `${tried} values`);
});

test('what the node calls besides exists too, with the parameters and members that it names', () => {
  const text = files.map(read).join('\n');
  const called = [...text.matchAll(/(?<!\.)\bcall(?:<[^(]*>)?\(\s*(?:this|node),\s*'(\w+)'/g)].map(([, name]) => name!);
  assert.deepEqual([...new Set(called)].toSorted(), [
    'campaignSearch',
    'eventTypes',
    'listMergeVars',
    'lists',
    'webhookCreate',
    'webhookDelete',
    'webhooks',
  ]);
  const params = {
    campaignSearch: ['query', 'state', 'hidden', 'start', 'limit'],
    listMergeVars: ['id'],
    lists: ['start', 'limit', 'hidden'],
    webhookCreate: ['title', 'options'],
    webhookDelete: ['wid'],
  };
  for (const [method, names] of Object.entries(params))
    for (const name of names) assert.ok(name in paramsOf(method).properties!, `${method}(${name})`);
  for (const name of ['url', 'secret_key', 'events', 'list_id', 'sources'])
    assert.ok(name in paramsOf('webhookCreate').properties!['options']!.properties!, name);
});

test('requests are believed by the same rule as in the receiver', () => {
  const { isSigned } = node.load<{
    isSigned(body: Buffer, headers: Record<string, string>, secret: string, now: number): boolean;
  }>('nodes/Postrider/signature');
  type Vector = {
    name: string;
    secret: string;
    tolerance: number;
    now: number;
    headers: Record<string, string>;
    body?: string;
    body_base64?: string;
    status: number;
  };
  const { vectors } = JSON.parse(readFileSync(join(source, '../../receiver/vectors.json'), 'utf8')) as {
    vectors: Vector[];
  };
  // Five minutes are not a choice here, and there is always a secret.
  const chosen = vectors.filter(({ tolerance, secret }) => tolerance === 300 && secret);
  assert.ok(chosen.length >= 8, `${chosen.length}`);
  for (const { name, secret, now, headers, body, body_base64: encoded = '', status } of chosen) {
    const bytes = body === undefined ? Buffer.from(encoded, 'base64') : Buffer.from(body);
    const inLowerCase = Object.fromEntries(Object.entries(headers).map(([key, value]) => [key.toLowerCase(), value]));
    assert.equal(isSigned(bytes, inLowerCase, secret, now), status !== 401, name);
  }
  assert.equal(isSigned(Buffer.from('{}'), {}, '', 0), false);
});

test('entered values become what the API takes', () => {
  const { addressesOf, fieldsOf, jsonOf, timeOf, wordsOf } =
    node.load<Record<'addressesOf' | 'fieldsOf' | 'jsonOf' | 'timeOf' | 'wordsOf', (...values: unknown[]) => unknown>>(
      'nodes/Postrider/values',
    );
  assert.deepEqual(wordsOf(' one, two,,'), ['one', 'two']);
  assert.deepEqual(addressesOf('Ada <ada@example.com>, "Doe, \\"Jo\\"" <jo@example.com>,'), [
    'Ada <ada@example.com>',
    '"Doe, \\"Jo\\"" <jo@example.com>',
  ]);
  assert.deepEqual(addressesOf(['"Doe, Jo" <jo@example.com>']), ['"Doe, Jo" <jo@example.com>']);
  assert.deepEqual(jsonOf('{"a":1}'), { a: 1 });
  assert.deepEqual(jsonOf({ a: 1 }), { a: 1 });
  assert.deepEqual(fieldsOf({ field: [{ tag: 'FNAME', value: 'Ada' }] }), { FNAME: 'Ada' });
  for (const [given, gmt] of [
    ['2026-07-01T12:00:00', '2026-07-01 10:00:00'],
    ['2026-12-01 12:00:00', '2026-12-01 11:00:00'],
    ['2026-12-01', '2026-11-30 23:00:00'],
    ['2026-07-01T12:00:00.000+09:00', '2026-07-01 03:00:00'],
    ['2026-07-01T12:00:00.000Z', '2026-07-01 12:00:00'],
    // The first hour after the clocks go forward.
    ['2026-03-29T03:30:00', '2026-03-29 01:30:00'],
  ] as const)
    assert.equal(timeOf(given, 'Europe/Berlin'), gmt, given);
});

test('the package lists its nodes and credentials, and its pictures are there', () => {
  const { n8n, peerDependencies, dependencies } = JSON.parse(read('package.json'));
  for (const path of [...n8n.nodes, ...n8n.credentials])
    assert.ok(existsSync(join(source, path.replace(/^dist\//, '').replace(/\.js$/, '.ts'))), path);
  assert.deepEqual([Object.keys(peerDependencies), dependencies], [['n8n-workflow'], undefined]);
  for (const path of files)
    for (const [, icon] of read(path).matchAll(/'file:((?:\.\.\/)+icons\/[^']+)'/g))
      assert.ok(existsSync(join(source, path, '..', icon!)), `${path}: ${icon}`);
  assert.equal(read('LICENSE'), readFileSync(join(source, '../../LICENSE'), 'utf8'));
});
