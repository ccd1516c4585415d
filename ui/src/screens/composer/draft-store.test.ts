// Saving what is typed: in order, never an old value over a newer one, and nothing lost when the server refuses a value
// or is unreachable.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDraftStore, Unfinished } from './draft-store.ts';

type Values = { list: string[]; segment: string[]; subject: string };
const initial: Values = { list: [], segment: [], subject: 'a' };
const order = ['list', 'segment', 'subject'] as const;
class Unreachable extends Error {}

function storeWith(save: (name: string, value: unknown) => Promise<unknown>) {
  const saved: string[] = [];
  const store = createDraftStore<Values>(initial, {
    order,
    waitMs: 5,
    retryMs: 20,
    isTemporary: (error) => error instanceof Unreachable,
    async save(name, value) {
      await save(name, value);
      saved.push(`${name}=${value}`);
    },
  });
  return { store, saved };
}

test('changes are saved after a pause, each once, a list before its segment', async () => {
  const { store, saved } = storeWith(async () => {});
  store.change({ subject: 'b' });
  store.change({ segment: ['s'], list: ['l'] });
  store.change({ subject: 'bc' });
  assert.equal(store.state().saving, 'saving');
  assert.deepEqual(saved, []);
  await sleep(40);
  assert.deepEqual(saved, ['list=l', 'segment=s', 'subject=bc']);
  assert.equal(store.state().saving, 'saved');
});

test('what is typed while a value is being saved is saved after it', async () => {
  const open = Promise.withResolvers<void>();
  const { store, saved } = storeWith(() => open.promise);
  store.change({ subject: 'b' });
  const first = store.flush();
  store.change({ subject: 'bc' });
  open.resolve();
  assert.equal(await first, true);
  await sleep(20);
  assert.deepEqual(saved, ['subject=b', 'subject=bc']);
  assert.equal(store.state().values.subject, 'bc');
});

test('a refused value stays with its fault, the others are saved, and a new value is sent', async () => {
  const { store, saved } = storeWith(async (_name, value) => {
    if (value === '') throw new Error('is empty');
  });
  store.change({ subject: '', list: ['l'] });
  assert.equal(await store.flush(), false);
  assert.deepEqual(saved, ['list=l']);
  assert.match(String(store.state().faults.subject), /is empty/);
  assert.equal(store.state().saving, 'failed');
  assert.equal(store.state().values.subject, '');
  store.change({ subject: 'c' });
  assert.equal(store.state().faults.subject, undefined);
  assert.equal(await store.flush(), true);
  assert.deepEqual(saved, ['list=l', 'subject=c']);
  assert.equal(store.state().saving, 'saved');
});

test('an unreachable server is retried until it responds', async () => {
  let unreachable = true;
  const { store, saved } = storeWith(async () => {
    if (unreachable) throw new Unreachable();
  });
  store.change({ subject: 'b' });
  assert.equal(await store.flush(), false);
  assert.equal(store.state().saving, 'failed');
  unreachable = false;
  await sleep(60);
  assert.deepEqual(saved, ['subject=b']);
  assert.equal(store.state().saving, 'saved');
  assert.deepEqual(store.state().faults, {});
});

test('adopted values are not sent', async () => {
  const { store, saved } = storeWith(async () => {});
  store.adopt({ subject: 'restored' });
  assert.equal(await store.flush(), true);
  assert.deepEqual(saved, []);
  assert.equal(store.state().values.subject, 'restored');
});

test('a value that waits for a decision is not sent when more is typed, until it is released or replaced', async () => {
  class Conflict extends Error {}
  const saved: string[] = [];
  let conflicts = true;
  const store = createDraftStore<Values>(initial, {
    order,
    waitMs: 5,
    isTemporary: () => false,
    needsDecision: (error) => error instanceof Conflict,
    async save(name, value) {
      if (conflicts && name === 'subject') throw new Conflict();
      saved.push(`${name}=${value}`);
    },
  });
  store.change({ subject: 'b' });
  assert.equal(await store.flush(), false);
  conflicts = false;
  store.change({ subject: 'bc', list: ['l'] });
  assert.ok(store.state().faults.subject instanceof Conflict);
  assert.equal(await store.flush(), false);
  assert.deepEqual(saved, ['list=l']);
  store.release(['subject']);
  assert.equal(store.state().faults.subject, undefined);
  assert.equal(await store.flush(), true);
  assert.deepEqual(saved, ['list=l', 'subject=bc']);
  conflicts = true;
  store.change({ subject: 'd' });
  assert.equal(await store.flush(), false);
  store.adopt({ subject: 'theirs' });
  assert.equal(await store.flush(), true);
  assert.deepEqual([store.state().values.subject, store.state().saving], ['theirs', 'saved']);
});

test('a value that the user has not finished is no failure, unless another value was refused', async () => {
  const { store } = storeWith(async (_name, value) => {
    if (value === 'refused') throw new Error('is refused');
    if (Array.isArray(value) && value.length === 0) throw new Unfinished();
  });
  store.change({ list: [] });
  assert.equal(await store.flush(), false, 'it is not saved');
  assert.equal(store.state().saving, 'unfinished');
  store.change({ subject: 'refused' });
  assert.equal(await store.flush(), false);
  assert.equal(store.state().saving, 'failed');
  store.change({ list: ['l'], subject: 'b' });
  assert.equal(await store.flush(), true);
  assert.equal(store.state().saving, 'saved');
});
