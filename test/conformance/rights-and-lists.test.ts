// Every method as every role and some chosen permissions × every set of lists: by a signed-in person and by a key with the same rights,
// whose calls go through JSON and XML-RPC. A call is refused exactly when the rule says so; a person and a key get the same answer; what is of
// another list or account is answered like what does not exist and stays as it is; what may be called shows nothing of them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createKey } from '../../src/accounts/keys/key.ts';
import { addMember } from '../../src/accounts/people/user.ts';
import { type Fault, faults } from '../../src/base/faults.ts';
import { sql } from '../../src/db/connect.ts';
import { parseId } from '../../src/db/ids.ts';
import { methods } from '../../src/doors/registry.ts';
import type { AnyMethod } from '../../src/method/method.ts';
import { Browser } from '../support/browser/session.ts';
import { plainOf } from '../support/builders/xml-call.ts';
import { decodeResponse, encodeCall } from '../support/builders/xmlrpc-client.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { sample } from '../support/run/runs.ts';
import { type Fixture, makeAccount, makePlaceholder, signIn } from './fixture.ts';
import {
  digestOf,
  leaksIn,
  noteHidden,
  ofList,
  people,
  placeholdersOf,
  type Two,
  twoLists,
  withPlaceholders,
} from './list-sets-fixture.ts';
import { custom, digest, heldBy, mayBy, named, type Who } from './rights-fixture.ts';

type Outcome = { result: unknown } | { fault: { code: number; message: string } };
type Params = Record<string, unknown>;
type Door = { name: 'person' | 'JSON' | 'XML-RPC'; call(method: string, params: Params): Promise<Outcome> };
type Caller = Who & { held: readonly string[]; lists: string[] | null; doors: Door[] };

let app: TestApp;
let base: string;
let two: Two;
let other: Fixture;
const callers: Caller[] = [];
before(async () => {
  app = await testApp({ API_RATE: '1000000', API_PARALLEL: '1000' });
  base = await app.listen();
  other = await makeAccount(app.app, 'pro', ['inline_img']);
  two = await twoLists(app.app);
  const third = await two.own.call<string>('listCreate', { title: 'Third list' });
  const sets = [null, [two.own.list], [two.own.list, third], []];
  const everyone = [...named, ...custom].flatMap((who) => sets.map((lists) => ({ who, lists })));
  for (const { who, lists } of sample(everyone, 7)) callers.push(await callerOf(who, lists));
});
after(() => app?.close());

async function callerOf(who: Who, lists: string[] | null): Promise<Caller> {
  const name = `${who.name}, ${lists ? `${lists.length} lists` : 'all lists'}`;
  const held = heldBy(who);
  const numbers = lists?.map(parseId) ?? null;
  const rights = { scope: 'limited', permissions: held, lists: numbers } as const;
  const { key } = await createKey(app.app.db, two.accountId, { label: name.slice(0, 100), ...rights });
  const doors = [json(key), xmlrpc(key)];
  // Owners have all lists.
  if (who.role !== 'owner' || lists === null) doors.unshift(await person(who, numbers));
  return { ...who, name, held, lists, doors: doors.map(patient) };
}

async function person({ role, chosen }: Who, lists: number[] | null): Promise<Door> {
  const browser = new Browser(base);
  const { token, userId } = await signIn(app.app, two.accountId, 'viewer');
  await addMember(app.app.db, two.accountId, userId, role, chosen);
  await app.app.db.run(sql`
    update membership set lists = ${lists}::int[] where account_id = ${two.accountId} and user_id = ${userId}`);
  browser.cookie = token;
  return { name: 'person', call: async (method, params) => outcomeOf((await browser.call(method, params)).body) };
}

const json = (key: string): Door => ({
  name: 'JSON',
  async call(method, params) {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const response = await fetch(`${base}/api/${method}`, { method: 'POST', headers, body: JSON.stringify(params) });
    return outcomeOf(await response.json());
  },
});

const xmlrpc = (key: string): Door => ({
  name: 'XML-RPC',
  async call(method, params) {
    const body = encodeCall(method, [{ apikey: key, ...params }]);
    const response = await fetch(`${base}/xmlrpc`, { method: 'POST', headers: { 'content-type': 'text/xml' }, body });
    const answer = decodeResponse(new Uint8Array(await response.arrayBuffer()));
    return 'fault' in answer ? answer : { result: plainOf(answer.value) };
  },
});

/** A machine that is too busy has changed nothing, and is asked again. */
const patient = ({ name, call }: Door): Door => ({
  name,
  async call(method, params) {
    for (;;) {
      const outcome = await call(method, params);
      if (!('fault' in outcome) || outcome.fault.code !== unavailable) return outcome;
    }
  },
});

/** Makes a thing, as patiently. */
async function make(of: Fixture, placeholder: string): Promise<string> {
  for (;;)
    try {
      return (await makePlaceholder(app.app, of, placeholder))!;
    } catch (error) {
      if ((error as Fault).fault !== 'UNAVAILABLE') throw error;
    }
}

function outcomeOf(body: unknown): Outcome {
  const { error, code } = (typeof body === 'object' ? (body ?? {}) : {}) as { error?: string; code?: number };
  return error === undefined ? { result: body } : { fault: { code: code!, message: error } };
}

const calls = { refused: 0, foreign: 0, own: 0, hidden: 0 };
const [internal] = faults.INTERNAL;
const [unavailable] = faults.UNAVAILABLE;
/** What differs between a person and a key of the same rights. */
const text = (outcome: Outcome) => JSON.stringify(outcome).replaceAll('this user', 'this key');

/** How the rule answers a call, if it refuses it. */
function refusalOf({ held, lists }: Caller, method: AnyMethod): RegExp | undefined {
  if (lists !== null && !method.narrowed) return /limited to some of its lists/;
  if (method.name !== 'ping' && !mayBy(held, method)) return /needs the permission/;
  return undefined;
}

/** It identifies the caller by its parameters. */
const called = methods.filter(({ identify }) => !identify);
/** Keys are refused, and the examples of persons are about themselves. */
const shared = called.filter(({ person, operator }) => !person && !operator);

/** The doors take turns, so that every method is called by each of them, as many roles and sets. */
let turn = 0;
const nextDoor = ({ doors }: Caller) => doors[turn++ % doors.length]!;

/** Some at once: a call waits for the database most of the time. */
async function forEach<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const take = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: 6 }, take));
}

test('a call is refused exactly when a permission or the list is missing, whatever it asks for, and changes nothing', async () => {
  const foreign = new Map<string, string>();
  const some = sample(called, 8);
  for (const name of some.flatMap(({ example }) => placeholdersOf(example.params)))
    if (!foreign.has(name)) foreign.set(name, await make(two.foreign, name));
  const failed: string[] = [];
  const unchanged = await digest(app.app);
  await forEach(some, async (method) => {
    const params = withPlaceholders(method.example.params, foreign);
    for (const caller of callers) {
      const refusal = refusalOf(caller, method);
      if (!refusal) continue;
      calls.refused += 1;
      const door = nextDoor(caller);
      const outcome = await door.call(method.name, params);
      const isRefused = 'fault' in outcome && outcome.fault.code === 120 && refusal.test(outcome.fault.message);
      if (!isRefused) failed.push(`${caller.name}, ${door.name}: ${method.name}: ${text(outcome)}`);
    }
  });
  assert.deepEqual(failed, []);
  assert.deepEqual(await digest(app.app), unchanged, 'a refused call changed something');
});

/** A call with a thing of another list or account, and who must not find it. */
type Foreign = {
  method: AnyMethod;
  own: ReadonlyMap<string, string>;
  placeholder: string;
  value: string;
  for: Caller[];
};

/** Placeholders that have no id: another account may have the same. */
const withoutId = new Set([
  ...['email', 'suppressed', 'newcomer', 'username', 'password', 'domain', 'asset', 'block'],
  ...['field_tag', 'free_tag', 'shared_tag', 'asked_version'],
]);

async function foreignCalls(method: AnyMethod): Promise<Foreign[]> {
  const among = callers.filter((caller) => !refusalOf(caller, method));
  if (among.length === 0) return [];
  const own = await ownThings(method, two.own);
  const found: Foreign[] = [];
  for (const placeholder of own.keys()) {
    const of = (fixture: Fixture) => make(fixture, placeholder);
    if (ofList.has(placeholder)) {
      const value = placeholder === 'email' ? people.foreign : await of(two.foreign);
      found.push({ method, own, placeholder, value, for: among.filter(({ lists }) => lists !== null) });
    }
    if (!withoutId.has(placeholder)) found.push({ method, own, placeholder, value: await of(other), for: among });
  }
  return found;
}

/** A thing that no one has. */
const unknownOf = (value: string) => (value.includes('@') ? 'nobody@example.org' : 'f'.repeat(value.length));

test('what is of another list or account is answered like what does not exist, and stays as it is', async () => {
  const failed: string[] = [];
  for (const group of groupsOf(sample(shared, 24))) {
    const foreign: Foreign[] = [];
    for (const method of group) foreign.push(...(await foreignCalls(method)));
    await noteHidden(two);
    await unchanged(group, () =>
      forEach(foreign, async (one) => {
        for (const caller of one.for) failed.push(...(await callForeign(caller, one)));
      }),
    );
  }
  assert.deepEqual(failed, []);
});

/** @returns what is wrong */
async function callForeign(caller: Caller, { method, own, placeholder, value }: Foreign): Promise<string[]> {
  const failed: string[] = [];
  const door = nextDoor(caller);
  const what = `${caller.name}, ${door.name}: ${method.name} with the ${placeholder}`;
  const ask = async (asked: string) => {
    calls.foreign += 1;
    const params = withPlaceholders(method.example.params, new Map([...own, [placeholder, asked]]));
    const outcome = await door.call(method.name, params);
    if (caller.lists !== null) failed.push(...leaksIn(two, outcome, params).map((leak) => `${what} shows ${leak}`));
    return text(outcome).replaceAll(asked, '<asked>');
  };
  const [given, missing] = [await ask(value), await ask(unknownOf(value))];
  if (given !== missing) failed.push(`${what}: ${given} / ${missing}`);
  return failed;
}

/** Methods between two digests, which take longer than calls. */
function groupsOf(all: readonly AnyMethod[]): AnyMethod[][] {
  const count = Math.ceil(all.length / 10);
  return Array.from({ length: count }, (_, group) => all.filter((_method, i) => i % count === group));
}

/** New things of a list for the placeholders of a method. */
async function ownThings({ example }: AnyMethod, of: Fixture): Promise<Map<string, string>> {
  const made = new Map<string, string>();
  for (const name of placeholdersOf(example.params))
    made.set(name, name === 'email' ? await newMember(of) : await make(of, name));
  return made;
}

let members = 0;
async function newMember({ call, list }: Fixture): Promise<string> {
  const email_address = `reader${++members}@example.com`;
  const merge_vars = { FNAME: 'Gwendolyn' };
  await call('listSubscribe', { id: list, email_address, merge_vars, double_optin: false });
  return email_address;
}

/** Rows of the other list and of the other account. */
async function unchanged(group: readonly AnyMethod[], work: () => Promise<void>): Promise<void> {
  const what = `one of ${group.map(({ name }) => name).join(', ')} changed something of the other`;
  const [list, account] = [await digestOf(two), await rowsOf(other.accountId)];
  await work();
  assert.deepEqual(await digestOf(two), list, `${what} list`);
  assert.deepEqual(await rowsOf(other.accountId), account, `${what} account`);
}

/** A digest of each table's rows of an account. */
async function rowsOf(accountId: number): Promise<Record<string, string>> {
  rowsStatement ??= await makeRowsStatement();
  const { rows } = await app.app.db.pool.query<{ name: string; digest: string }>(rowsStatement, [accountId]);
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
}
let rowsStatement: string | undefined;
async function makeRowsStatement(): Promise<string> {
  const tables = await app.app.db.rows<{ name: string }>(sql`
    select c.relname as name
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id' and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace
      and c.relkind in ('r', 'p')
      and not c.relispartition
    order by c.relname`);
  return tables
    .map(
      ({ name }) =>
        `select '${name}' as name, md5(coalesce(string_agg(t::text, ' ' order by t::text), '')) as digest from "${name}" t where account_id = $1`,
    )
    .join(' union all ');
}

test('what may be called works on the own list, and shows and changes nothing of another one', async () => {
  const failed: string[] = [];
  for (const group of groupsOf(sample(shared, 24))) {
    const [limited, free]: OwnCall[][] = [[], []];
    for (const method of group) {
      limited!.push(...(await ownCalls(method, true)));
      free!.push(...(await ownCalls(method, false)));
    }
    await noteHidden(two);
    const run = async ({ caller, method, own }: OwnCall) => {
      failed.push(...(await callOwn(caller, method, own)));
    };
    // What others change meanwhile would be in one of two answers of a method that reads, such as the audit log.
    const readsFirst = async (calls: readonly OwnCall[]) => {
      for (const reads of [true, false])
        await forEach(
          calls.filter(({ method }) => (method.reads === true) === reads),
          run,
        );
    };
    await unchanged(group, () => readsFirst(limited!));
    // With all lists they may change anything of their account.
    await readsFirst(free!);
  }
  assert.deepEqual(failed, []);
});

type OwnCall = { caller: Caller; method: AnyMethod; own: ReadonlyMap<string, string> };

/** What only reads finds the same things for all. What changes something has its own, and with all lists may delete the list. */
async function ownCalls(method: AnyMethod, isLimited: boolean): Promise<OwnCall[]> {
  const among = callers.filter((caller) => !refusalOf(caller, method) && (caller.lists !== null) === isLimited);
  if (among.length === 0) return [];
  const list = isLimited || method.reads ? two.own.list : await anotherList();
  const of = { ...two.own, list };
  const shares = method.reads ? await ownThings(method, of) : undefined;
  const calls: OwnCall[] = [];
  for (const caller of among) calls.push({ caller, method, own: shares ?? (await ownThings(method, of)) });
  return calls;
}

/** With a contact: what is sent to no one is finished at once. */
async function anotherList(): Promise<string> {
  const list = await two.own.call<string>('listCreate', { title: 'Another list' });
  await two.own.call('listSubscribe', { id: list, email_address: 'one@another.example', double_optin: false });
  return list;
}

/** Answers about the caller: a key approves nothing and is not asked to, and a preview names who reads it. */
const ofCaller = new Set(['sessionGet', 'homeSummary', 'campaignApprovalGet', 'automationPreview']);

/** An answer without what changes from call to call: a check of a domain answers when it was made. */
const withoutTimes = (shown: string) => shown.replace(/"\d{4}-\d\d-\d\d[ T][\d:.]+Z?"|"ms":\d+/g, '');

/** Calls a method that only reads through two doors, another one through one of them. @returns what is wrong */
async function callOwn(caller: Caller, method: AnyMethod, own: ReadonlyMap<string, string>): Promise<string[]> {
  const params = withPlaceholders(method.example.params, own);
  const things = [...own].filter(([name]) => ofList.has(name)).map(([, value]) => value);
  const failed: string[] = [];
  const answers = new Set<string>();
  for (const door of method.reads ? [nextDoor(caller), nextDoor(caller)] : [nextDoor(caller)]) {
    calls.own += 1;
    const outcome = await door.call(method.name, params);
    const shown = text(outcome);
    const what = `${caller.name}, ${door.name}: ${method.name}`;
    const code = 'fault' in outcome ? outcome.fault.code : undefined;
    if (code === internal || (code === 120 && !refusedAnyway.test(shown))) failed.push(`${what}: ${shown}`);
    // Published clients read some answers in another shape.
    if (!ofCaller.has(method.name)) answers.add(method.family?.answer ? String(code) : withoutTimes(shown));
    if (caller.lists !== null) failed.push(...leaksIn(two, outcome, params).map((leak) => `${what} shows ${leak}`));
    const echoed = JSON.stringify(params);
    const found = things.filter((thing) => shown.includes(thing) && !echoed.includes(thing));
    if (caller.lists?.length === 0 && found.length > 0) failed.push(`${what} finds ${found}`);
    if (caller.held.includes('contacts:read') || method.scope !== 'read' || method.group === 'messages') continue;
    calls.hidden += 1;
    if (/Gwendolyn|reader\d+@|own@example|both@example/.test(shown)) failed.push(`${what} shows a contact`);
  }
  if (answers.size > 1) failed.push(`${caller.name}: ${method.name} answers ${[...answers].join(' / ')}`);
  return failed;
}

/** What depends on the state of a thing and on who made it, which the rights above allow. */
const refusedAnyway =
  /only drafts can be changed|no one can give|of another person|the one who asked|not an address of a person of the account/;

test('so many calls were made', (t) => {
  t.diagnostic(`${JSON.stringify(calls)} by ${callers.length} roles × sets of lists, ${called.length} methods`);
  assert.ok(calls.refused > 80 && calls.foreign > 30 && calls.own > 30);
});
