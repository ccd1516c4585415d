// One registry, three doors: the example of every method gives the same result and the same faults through each of
// them, on equal fixtures; a result that published clients read in another shape is the same at XML-RPC and forms. Every method has a signature, a help text and an OpenAPI path, and never returns false or a
// member `error`.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createKey } from '../../src/accounts/keys/key.ts';
import { addMember, createUser } from '../../src/accounts/people/user.ts';
import { faults } from '../../src/base/faults.ts';
import { sql } from '../../src/db/connect.ts';
import { signatureOf } from '../../src/doors/describe.ts';
import { methods } from '../../src/doors/registry.ts';
import type { AnyMethod } from '../../src/method/method.ts';
import { phpUnserialize } from '../support/builders/php-unserialize.ts';
import { plainOf } from '../support/builders/xml-call.ts';
import { decodeResponse, encodeCall } from '../support/builders/xmlrpc-client.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { sample } from '../support/run/runs.ts';
import { type Fixture, fillPersonal, makeAccount, makeOperator, makePlaceholder, signIn } from './fixture.ts';

type Answer = { result: unknown } | { fault: { code: number; message: string } };
type Door = (method: string, key: string | undefined, params: Record<string, unknown>) => Promise<Answer>;

let app: TestApp;
let base: string;
before(async () => {
  app = await testApp();
  base = await app.listen();
});
after(() => app.close());

async function post(path: string, type: string, body: string, headers: Record<string, string> = {}) {
  const response = await fetch(base + path, { method: 'POST', headers: { 'content-type': type, ...headers }, body });
  return { status: response.status, bytes: new Uint8Array(await response.arrayBuffer()) };
}

/** An answer in XML, its fault apart from its result. */
function fromXml(bytes: Uint8Array): Answer {
  const answer = decodeResponse(bytes);
  return 'fault' in answer ? { fault: answer.fault } : { result: plainOf(answer.value) };
}

/** An answer in JSON or of PHP: a map of exactly error and code is a fault; the JSON door adds the text by key. */
function fromMap(value: unknown, ownDoor = false): Answer {
  if (typeof value !== 'object' || value === null || !('error' in value)) return { result: value };
  const members = Object.keys(value).filter((member) => !ownDoor || member !== 'text');
  assert.deepEqual(members.sort(), ['code', 'error']);
  const { error, code } = value as { error: unknown; code?: unknown };
  return { fault: { code: code as number, message: error as string } };
}

/** Pairs as PHP's http_build_query writes them. */
function pairsOf(value: unknown, name: string): [string, string][] {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, member]) => pairsOf(member, name === '' ? key : `${name}[${key}]`));
  return [[name, value === true ? '1' : value === false ? '0' : String(value)]];
}

const form = (output: string, read: (bytes: Uint8Array) => Answer): Door => {
  return async (method, key, params) => {
    const body = new URLSearchParams(pairsOf({ ...(key === undefined ? {} : { apikey: key }), ...params }, ''));
    const path = `/1.3/?output=${output}&method=${encodeURIComponent(method)}`;
    const { status, bytes } = await post(path, 'application/x-www-form-urlencoded', body.toString());
    assert.equal(status, 200);
    return read(bytes);
  };
};
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();

const doors: Record<string, Door> = {
  'XML-RPC': async (method, key, params) => {
    const struct = { ...(key === undefined ? {} : { apikey: key }), ...params };
    const { status, bytes } = await post('/', 'text/xml', encodeCall(method, [struct]));
    assert.equal(status, 200);
    return fromXml(bytes);
  },
  'form, json': form('json', (bytes) => fromMap(JSON.parse(text(bytes)))),
  'form, php': form('php', (bytes) => fromMap(phpUnserialize(bytes))),
  'form, xml': form('xml', fromXml),
  JSON: async (method, key, params) => {
    const headers = key === undefined ? undefined : { authorization: `Bearer ${key}` };
    const { status, bytes } = await post(`/api/${method}`, 'application/json', JSON.stringify(params), headers);
    const answer = fromMap(JSON.parse(text(bytes)), true);
    const expected = 'fault' in answer ? Object.values(faults).find(([code]) => code === answer.fault.code)![1] : 200;
    assert.equal(status, expected);
    return answer;
  },
};

/** A new account that has one of everything that can be listed. */
async function accountWithAll(): Promise<Fixture> {
  const own = await makeAccount(app.app, 'pro', ['inline_img']);
  for (const name of ['campaign', 'template']) await makePlaceholder(app.app, own, name);
  await app.app.db.run(sql`
    insert into inbox_message (account_id, mail_from, rcpt_to, subject, size, source)
    values (${own.accountId}, 'a@example.com', '{b@example.com}', 'Grüße', 4, 'test')`);
  return own;
}

/** The parameters of the example with its placeholders filled in: with those of `made`, which it extends. */
async function paramsOn(own: Fixture, method: AnyMethod, made: Map<string, string>): Promise<Record<string, unknown>> {
  const example = JSON.stringify(method.example.params);
  for (const [, name] of example.matchAll(/\{\{(\w+)\}\}/g))
    if (!made.has(name!)) made.set(name!, (await makePlaceholder(app.app, own, name!))!);
  return JSON.parse(example.replace(/\{\{(\w+)\}\}/g, (_all, name) => made.get(name)!));
}

/** The example on a new account. */
async function exampleOn(method: AnyMethod): Promise<{ own: Fixture; params: Record<string, unknown> }> {
  const own = method.reads ? await accountWithAll() : await makeAccount(app.app, 'pro', ['inline_img']);
  if (method.operator) await makeOperator(app.app, own.accountId);
  if (method.name.startsWith('campaignApprov')) await addApprover(own);
  return { own, params: await paramsOn(own, method, new Map()) };
}

/** Someone who may answer what is asked. */
async function addApprover({ accountId }: Fixture): Promise<void> {
  const user = await createUser(app.app.db, { email: `approver${accountId}@example.net`, password: 'correct horse' });
  await addMember(app.app.db, accountId, user.id, 'editor');
}

/** A result without what differs from account to account: ids, keys, times, running numbers, doors' own types. */
function alike(value: unknown, name = ''): unknown {
  if (['hint', 'id', 'attempt', 'ms'].includes(name)) return `<${name}>`;
  if (typeof value === 'string') {
    return value
      .replace(/\b[0-9a-f]{32}\b/g, '<key>')
      .replace(/\*{28}[0-9a-f]{4}/, '<masked key>')
      .replace(/\b[abcdf][0-9a-f]{7}\b/g, '<id>')
      .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, '<time>')
      .replace(/\/archive\/\d+-/g, '/archive/<number>-')
      .replace(/([-_])[0-9a-f]{24}(?=$|\/)/, '$1<token>')
      .replace(/(#|\/in\/\w+\/)[\w-]{43}$/, '$1<token>')
      .replace(/\bperson\d+@/, 'person@')
      .replace(/\bpr[0-9a-f]{8}([re])\b/g, '<selector $1>')
      .replace(/\bp=[\w+/=" ]{40,}/, 'p=<public key>')
      .replace(/\bwhsec_[\w+/=]+/, '<secret>');
  }
  if (name === 'web_id') return typeof value;
  if (Array.isArray(value)) return value.map((item) => alike(item));
  if (typeof value !== 'object' || value === null) return value;
  // PHP has one type for lists and maps.
  const members = Object.entries(value);
  return members.length === 0 ? [] : Object.fromEntries(members.map(([key, member]) => [key, alike(member, key)]));
}

for (const method of methods.filter((method) => method.person)) {
  test(`${method.name}: the example works for a signed-in user, and every door refuses a key`, async (t) => {
    // Passkeys need a host name.
    app.app.baseUrl = base.replace('127.0.0.1', 'localhost');
    t.after(() => Object.assign(app.app, { baseUrl: base }));
    const { own, params } = await exampleOn(method);
    for (const [name, door] of Object.entries(doors)) {
      const answer = await door(method.name, own.key, params);
      assert.equal('fault' in answer && answer.fault.code, 120, name);
    }
    const { token, userId } = await signIn(app.app, own.accountId);
    await fillPersonal(app.app, params, token, userId);
    const headers = { cookie: `postrider_session=${token}`, 'sec-fetch-site': 'same-origin' };
    const { status, bytes } = await post(`/api/${method.name}`, 'application/json', JSON.stringify(params), headers);
    assert.equal(status, 200, text(bytes));
    assert.ok(method.returns.safeParse(JSON.parse(text(bytes))).success);
  });
}

/** One account for all calls that change nothing: those of methods that only read, and those that are refused. */
let unchanged: { own: Fixture; made: Map<string, string> } | undefined;

/** The example on that account, with a new key, as a key has a limit of calls per minute. */
async function exampleUnchanged(method: AnyMethod): Promise<{ own: Fixture; params: Record<string, unknown> }> {
  unchanged ??= { own: await accountWithAll(), made: new Map() };
  const { own, made } = unchanged;
  if (method.operator) await makeOperator(app.app, own.accountId);
  const params = await paramsOn(own, method, made);
  // Those before are not needed any more, and an account has a limit of keys.
  await app.app.db.run(sql`delete from api_key where account_id = ${own.accountId} and label = 'unchanged'`);
  const { key } = await createKey(app.app.db, own.accountId, { label: 'unchanged', scope: 'full' });
  return { own: { ...own, key }, params };
}

/** The outputs of the form door differ only in how they write an answer, which the methods that read cover. */
const doorsFor = (method: AnyMethod) =>
  Object.entries(doors).filter(([name]) => method.reads || !['form, json', 'form, xml'].includes(name));

for (const method of sample(
  methods.filter((method) => !method.person),
  4,
)) {
  test(`${method.name}: the example gives the same result through all doors`, async () => {
    const answers: Record<string, unknown> = {};
    let fixture = method.reads ? await exampleUnchanged(method) : await exampleOn(method);
    for (const [name, door] of doorsFor(method)) {
      // A method that only reads finds at each door what the first one found.
      if (!method.reads && Object.keys(answers).length > 0) fixture = await exampleOn(method);
      const { own, params } = fixture;
      const answer = await door(method.name, own.key, params);
      assert.ok('result' in answer, `${name}: ${JSON.stringify(answer)}`);
      assert.notEqual(answer.result, false, name);
      const returns = name === 'JSON' ? method.returns : (method.family?.answer?.returns ?? method.returns);
      assert.ok(returns.safeParse(answer.result).success || name.includes('php'), `${name}: result's type`);
      // The JSON door keeps our own shape where published clients read another; family.test.ts has both.
      if (name !== 'JSON' || !method.family?.answer) answers[name] = alike(answer.result);
    }
    const [first, ...others] = Object.entries(answers);
    for (const [name, answer] of others) assert.deepEqual(answer, first![1], `${name} and ${first![0]}`);
  });

  test(`${method.name}: the same faults through all doors`, async () => {
    const { own, params } = await exampleUnchanged(method);
    const [firstName] = Object.keys(params);
    const { [firstName ?? '']: _left, ...incomplete } = params;
    for (const [what, key, given] of [
      // A method that identifies the caller itself ignores the key.
      ...(method.identify
        ? []
        : ([
            ['no key', undefined, params],
            ['a wrong key', 'f'.repeat(32), params],
          ] as const)),
      ['an unknown parameter', own.key, { ...params, colour: 'red' }],
      ['a struct for a word', own.key, { ...params, [firstName ?? 'colour']: { colour: { a: 'b' } } }],
      ...(firstName && takesNoDefault(method, firstName) ? [['a missing one', own.key, incomplete] as const] : []),
    ] as const) {
      const given_ = given as Record<string, unknown>;
      const answers = await Promise.all(doorsFor(method).map(([, door]) => door(method.name, key, given_)));
      const [first] = answers;
      assert.ok('fault' in first! && Number.isInteger(first.fault.code) && first.fault.message !== '', what);
      assert.ok(![0, -98, -99].includes(first.fault.code), what);
      for (const answer of answers) assert.deepEqual(answer, first, what);
    }
  });
}

const takesNoDefault = (method: AnyMethod, name: string) =>
  !method.params.safeParse({}).success &&
  (method.params.safeParse({}).error?.issues ?? []).some((issue: { path: unknown[] }) => issue.path[0] === name);

test('an unknown method is the same fault through all doors', async () => {
  const own = await makeAccount(app.app);
  const answers = await Promise.all(Object.values(doors).map((door) => door('campaignExplode', own.key, {})));
  for (const answer of answers) assert.deepEqual(answer, answers[0]);
  assert.ok('fault' in answers[0]! && answers[0].fault.code === -32601);
});

test('a method is found in any case through all doors', async () => {
  const own = await makeAccount(app.app);
  for (const [name, door] of Object.entries(doors))
    assert.deepEqual(await door('CAMPAIGNS', own.key, {}), { result: [] }, name);
});

test('every method is described: summary, faults, signature, help, OpenAPI path, reference page', async () => {
  const openApi = (await (await fetch(`${base}/api/openapi.json`)).json()) as { paths: Record<string, unknown> };
  assert.equal(new Set(methods.map((method) => method.name.toLowerCase())).size, methods.length);
  for (const method of methods) {
    assert.match(method.summary, /^[A-Z].*\.$/, method.name);
    for (const name of method.faults) assert.ok(name in faults, `${method.name}: ${name}`);
    assert.equal(new Set(method.faults).size, method.faults.length, method.name);
    const [[result, struct, ...more]] = signatureOf(method) as [string[]];
    assert.ok(['string', 'int', 'double', 'boolean', 'struct', 'array'].includes(result!), method.name);
    assert.deepEqual([struct, more], ['struct', []], method.name);
    const help = fromXml((await post('/', 'text/xml', encodeCall('system.methodHelp', [method.name]))).bytes);
    assert.ok('result' in help && String(help.result).startsWith(method.summary), method.name);
    assert.ok(openApi.paths[`/api/${method.name}`], method.name);
    assert.equal((await fetch(`${base}/api/${method.name}`)).status, 200, method.name);
  }
  const listed = fromXml((await post('/', 'text/xml', encodeCall('system.listMethods', []))).bytes);
  const names = new Set(('result' in listed ? listed.result : []) as string[]);
  for (const { name } of methods) assert.ok(names.has(name), name);
});

test('no result is a map that has a member error', () => {
  for (const method of methods) {
    const shape = (method.returns as { def?: { shape?: Record<string, unknown> } }).def?.shape ?? {};
    assert.ok(!('error' in shape), method.name);
  }
});
