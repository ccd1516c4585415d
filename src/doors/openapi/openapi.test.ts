// Tests that the description names the shapes that methods share, and describes what has a type by its type.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { methods } from '../registry.ts';
import { jsonSchema } from './json-schema.ts';
import { openApi } from './openapi.ts';

type Schema = {
  $ref?: string;
  type?: string;
  const?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
};
type Content = { content: { 'application/json': { schema: Schema } } };
type Operation = { operationId: string; requestBody: Content; responses: { 200: Content } };

const { paths, components } = openApi('http://127.0.0.1:8080', '0') as unknown as {
  paths: Record<string, { post: Operation }>;
  components: { schemas: Record<string, Schema>; responses: Record<string, unknown> };
};
const results = Object.values(paths).map(({ post }) => ({
  method: post.operationId,
  schema: post.responses[200].content['application/json'].schema,
}));

/** A schema and all within it, without those it refers to. */
function* within(schema: Schema): Generator<Schema> {
  yield schema;
  const inner = [...Object.values(schema.properties ?? {}), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  for (const one of [...inner, ...(schema.items ? [schema.items] : [])]) yield* within(one);
}

test('every reference leads to what is described', () => {
  for (const [, ref] of JSON.stringify([paths, components]).matchAll(/"\$ref":"([^"]*)"/g)) {
    const [kind, name] = ref!.replace('#/components/', '').split('/');
    assert.match(name!, /^[\w.-]+$/);
    assert.ok(components[kind as 'schemas' | 'responses'][name!], ref);
  }
});

test('a struct of four or more members that several methods return has a name', () => {
  const seen = new Map<string, string>();
  for (const { method, schema } of results)
    for (const { type, properties = {} } of within(schema)) {
      if (type !== 'object' || Object.keys(properties).length < 4) continue;
      const shape = JSON.stringify(properties);
      assert.equal(seen.get(shape) ?? method, method, Object.keys(properties).join(', '));
      seen.set(shape, method);
    }
});

test('triggers and steps are described by their type, in parameters and results', () => {
  for (const name of ['AutomationTrigger', 'AutomationTriggerSettings', 'AutomationStep', 'AutomationStepSettings']) {
    const { oneOf = [] } = components.schemas[name]!;
    const date = oneOf.find(({ properties }) => ['date', 'wait'].includes(properties!['type']!.const ?? ''))!;
    assert.ok(Object.keys(date.properties!).includes('unit'), name);
    assert.ok(!Object.keys(date.properties!).includes('campaign'), name);
  }
});

test('the schema of a tool is complete in itself', () => {
  for (const { params } of methods) assert.ok(!JSON.stringify(jsonSchema(params, 'input')).includes('$ref'));
});
