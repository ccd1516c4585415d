// Members named like parts of JavaScript's objects: no door passes them on, at any depth, and none can give a call its parameters.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { listOf } from '../../test/support/builders/campaigns.ts';
import { decodeResponse, encodeCall } from '../../test/support/builders/xmlrpc-client.ts';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import type { Fault } from '../base/faults.ts';

let t: TestApp;
let base: string;
let list: string;
before(async () => {
  t = await testApp();
  base = await t.listen();
  list = await listOf(t, ['ann@example.com']);
});
after(() => t.close());

type Params = Record<string, unknown>;
type Answer = { code: number; message: string } | { value: unknown };

async function post(path: string, type: string, body: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(base + path, { method: 'POST', headers: { 'content-type': type, ...headers }, body });
}

const readJson = async (response: Response): Promise<Answer> => {
  const value = (await response.json()) as { error?: string; message?: string; code?: number };
  return typeof value?.code === 'number'
    ? { code: value.code, message: value.error ?? value.message ?? '' }
    : { value };
};

/** `batch[0][EMAIL]=…`, as PHP writes nested arrays. */
const pairsOf = (value: unknown, name: string): [string, string][] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, member]) => pairsOf(member, name === '' ? key : `${name}[${key}]`))
    : [[name, String(value)]];

/** The answer of each door to the same parameters. */
const doors: Record<string, (method: string, params: Params) => Promise<Answer>> = {
  'XML-RPC': async (method, params) => {
    // A struct without a prototype keeps the name as a member.
    const body = encodeCall(method, [{ apikey: t.key, ...params }]);
    const answer = decodeResponse(new Uint8Array(await (await post('/', 'text/xml', body)).arrayBuffer()));
    return 'fault' in answer ? answer.fault : answer;
  },
  form: async (method, params) => {
    const body = new URLSearchParams(pairsOf({ apikey: t.key, ...params }, '')).toString();
    return readJson(await post(`/1.3/?output=json&method=${method}`, 'application/x-www-form-urlencoded', body));
  },
  'query of a form': async (method, params) => {
    const query = new URLSearchParams(pairsOf({ apikey: t.key, ...params }, '')).toString();
    return readJson(await post(`/1.3/?output=json&method=${method}&${query}`, 'application/x-www-form-urlencoded', ''));
  },
  JSON: async (method, params) =>
    readJson(
      await post(`/api/${method}`, 'application/json', JSON.stringify(params), { authorization: `Bearer ${t.key}` }),
    ),
};

/** A struct that has the member as one of its own. */
const withMember = (name: string, value: unknown, others: Params = {}): Params =>
  Object.fromEntries([...Object.entries(others), [name, value]]);

const reserved = ['__proto__', 'constructor', 'prototype'];

for (const [door, send] of Object.entries(doors))
  for (const name of reserved) {
    test(`${door}: ${name} can not give a call its parameters`, async () => {
      const batch = [{ EMAIL: 'eve@example.com' }];
      const answer = await send('listBatchSubscribe', withMember(name, { id: list, batch, double_optin: false }));
      assert.ok('code' in answer, JSON.stringify(answer));
      assert.equal(answer.code, -32602);
      assert.equal(answer.message, `${name} is a reserved name, which no member can have`);
      assert.deepEqual(await t.call('listMembers', { id: list }).then(addresses), ['ann@example.com']);
    });

    test(`${door}: ${name} among the fields of a contact is refused by its path`, async () => {
      const merge_vars = withMember(name, { polluted: 'yes' }, { FNAME: 'Eve' });
      for (const value of [merge_vars, withMember(name, 'text'), { FNAME: withMember(name, 'x') }]) {
        const params = { id: list, email_address: 'eve@example.com', merge_vars: value, double_optin: false };
        const answer = await send('listSubscribe', params);
        assert.ok('code' in answer, JSON.stringify(answer));
        assert.equal(answer.code, -32602, answer.message);
        assert.match(answer.message, new RegExp(`^merge_vars\\.(FNAME\\.)?${name} is a reserved name`));
      }
      unpolluted();
    });

    test(`${door}: ${name} in one contact of a batch is an error of that contact alone`, async () => {
      const batch = [withMember(name, { EMAIL: 'eve@example.com' }), { EMAIL: 'ann@example.com', FNAME: 'Ann' }];
      const params = { id: list, batch, double_optin: false, update_existing: true };
      const answer = await send('listBatchSubscribe', params);
      assert.ok('value' in answer, JSON.stringify(answer));
      const { success_count, error_count, errors } = JSON.parse(JSON.stringify(answer.value));
      assert.deepEqual([success_count, error_count], [1, 1]);
      assert.match(errors[0].message, new RegExp(`^batch\\.0\\.${name} is a reserved name`));
      unpolluted();
    });
  }

test('a reserved name that another parameter gives is no way round', async () => {
  const segment = await t.call<string>('listSegmentCreate', {
    list,
    title: 'One',
    match: 'all',
    filter: [{ field: 'FNAME', condition: 'starts', value: 'Ann' }],
  });
  for (const name of reserved) {
    for (const value of ['x', { title: 'Stolen' }])
      await assert.rejects(
        t.call('listSegmentUpdate', { sid: segment, name, value }),
        (fault: Fault) => fault.fault !== 'INTERNAL' && fault.message.startsWith(name),
        `${name}: ${JSON.stringify(value)}`,
      );
    await assert.rejects(
      t.call('listMembersByMerge', { id: list, merge_var: name, merge_value: 'x' }),
      (fault: Fault) => fault.fault === 'FIELD_INVALID' && fault.message.startsWith('merge_vars'),
    );
  }
  unpolluted();
});

const addresses = (members: unknown) => (members as { email: string }[]).map(({ email }) => email);

function unpolluted(): void {
  assert.equal(({} as { polluted?: string }).polluted, undefined);
  assert.deepEqual(
    Object.keys(Object.prototype).concat(Object.keys(Array.prototype)),
    [],
    'objects have no new members',
  );
}
