// Tests how typed text becomes parameters, and back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openApi } from '../../../../src/doors/openapi/openapi.ts';
import { readReference, searched, typeOf } from './reference.ts';
import { samplesOf } from './samples.ts';
import { fieldKind, paramsOf, typedOf } from './typed-params.ts';

const { operations } = readReference(openApi('http://127.0.0.1:8080', '0') as never);

test('the example of every method survives conversion to fields and back', () => {
  assert.ok(operations.length > 80);
  for (const { name, example, params } of operations)
    assert.deepEqual(paramsOf(typedOf(example), params.properties ?? {}), example, name);
});

test('an empty field is left out, and a field with invalid JSON is named', () => {
  const properties = { limit: { type: 'integer' }, filters: { type: 'object' }, all: { type: 'boolean' } };
  assert.deepEqual(paramsOf({ limit: '5', filters: '', all: 'false' }, properties), { limit: 5, all: false });
  assert.throws(() => paramsOf({ filters: '{' }, properties), { message: 'filters' });
  assert.deepEqual(Object.values(properties).map(fieldKind), ['line', 'json', 'truth']);
});

test('methods are found by words in any order', () => {
  const names = searched(operations, 'Now SEND campaign').map(({ name }) => name);
  assert.ok(names.includes('campaignSendNow'));
  assert.ok(!names.includes('ping'));
  assert.equal(searched(operations, '').length, operations.length);
});

test('every parameter has a readable type', () => {
  for (const { params, name } of operations)
    for (const [member, schema] of Object.entries(params.properties ?? {}))
      assert.match(typeOf(schema), /^[a-z ]+$/, `${name}.${member}`);
});

test('samples escape quotes in each language', () => {
  const params = { name: `O'Neil "<&> \\ $x`, list: [1, true], none: {} };
  const [curl, python, php, node, typeScript, xml] = samplesOf({
    server: 'http://a',
    method: 'ping',
    params,
    key: 'k',
  });
  assert.ok(curl!.code.includes(`O'\\''Neil \\"<&>`));
  assert.ok(python!.code.includes(`"O'Neil \\"<&> \\\\ $x"`) && python!.code.includes('[1, True]'));
  assert.ok(php!.code.includes(`'O\\'Neil "<&> \\\\ $x'`) && php!.code.includes('[1, true]'));
  for (const sample of [node, typeScript])
    assert.ok(sample!.code.includes(`name: "O'Neil \\"<&> \\\\ $x"`), sample!.code);
  assert.ok(xml!.code.includes('&lt;&amp;&gt;') && xml!.code.includes('<int>1</int>'));
});
