// Letters with an accent are one value, whether a caller writes them as one character or as a letter and a mark (NFC and NFD).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { parseId } from '../../db/ids.ts';
import { runImport } from '../import/run.ts';

let t: TestApp;
let list: string;
before(async () => {
  t = await testApp();
  list = await t.call<string>('listCreate', { title: 'Letters' });
  await t.call('listMergeVarAdd', { id: list, tag: 'CITY', name: 'Città'.normalize('NFD') });
  await t.call('listMergeVarAdd', {
    ...{ id: list, tag: 'SIZE', name: 'Size' },
    options: { field_type: 'dropdown', choices: ['Größe'.normalize('NFD'), 'Klein'] },
  });
});
after(() => t.close());

const decomposed = 'Zürich'.normalize('NFD');
const composed = 'Zürich'.normalize('NFC');

async function imported(content: string, mapping: Record<string, string> = {}) {
  const id = await t.call<string>('importCreate', { id: list, content, options: { mapping } });
  await t.call('importStart', { import: id });
  assert.equal(
    await runImport(t.app, t.account.id, parseId(id), false, new AbortController().signal, t.app.log),
    'finished',
  );
}
const cityOf = async (email_address: string) =>
  (await t.call<{ merges: Record<string, string> }>('listMemberInfo', { id: list, email_address })).merges['CITY'];
const count = async (condition: string, value: string, field = 'CITY') => {
  const filter = [{ field, condition, value }];
  return (await t.call<{ total: number }>('memberSearch', { list, filter, match: 'all' })).total;
};

test('values are stored composed, by whatever way they come', async () => {
  await t.call('listSubscribe', {
    ...{ id: list, email_address: 'a@x.example', double_optin: false },
    merge_vars: { CITY: decomposed, SIZE: 'größe'.normalize('NFD') },
  });
  await t.call('listSubscribe', {
    ...{ id: list, email_address: 'b@x.example', double_optin: false },
    merge_vars: { CITY: composed, SIZE: 'Größe' },
  });
  // The heading and the choice are written the other way here than in the list.
  await imported(`Email,${'Città'.normalize('NFC')},Size\nc@x.example,${decomposed},${'Größe'.normalize('NFD')}\n`);
  await imported(`Email,${'Böe'.normalize('NFD')}\nd@x.example,${decomposed}\n`, { [`Böe`.normalize('NFC')]: 'CITY' });
  for (const name of ['a', 'b', 'c', 'd']) assert.equal(await cityOf(`${name}@x.example`), composed, name);
  await t.call('listUpdateMember', { id: list, email_address: 'b@x.example', merge_vars: { CITY: decomposed } });
  assert.equal(await cityOf('b@x.example'), composed);
});

test('conditions and searches find both spellings, and a blank around a value does not matter', async () => {
  for (const value of [decomposed, composed, ` ${composed} `]) {
    assert.equal(await count('is', value), 4, value);
    assert.equal(await count('isoneof', `Bern; ${value}`), 4, value);
    assert.equal(await count('not', value), 0, value);
  }
  assert.equal(await count('contains', 'ü'.normalize('NFD')), 4);
  assert.equal(await count('is', 'Größe'.normalize('NFD'), 'SIZE'), 3);
  assert.equal((await t.call<{ total: number }>('memberSearch', { list, query: decomposed })).total, 4);
});
