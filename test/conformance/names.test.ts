// The names of methods. The API family fixed some; ours have even verbs, so that a person who knows one name can guess the
// others: a plural lists, Get reads one, Create, Update and Delete change it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { methods } from '../../src/doors/registry.ts';

/** Names of the API family with other verbs. Published programs call them. */
const ofTheFamily = new Set(['apikeyAdd', 'getAccountDetails', 'listMemberInfo', 'listMergeVarAdd', 'listMergeVarDel']);

test('a method that is ours alone says Get, Create, Update and Delete, and none of the other words for them', () => {
  const uneven = [...methods.values()]
    .map(({ name }) => name)
    .filter((name) =>
      /(^(get|set|add)[A-Z]|(Info|Status|Options|Add|Set|Change|Remove|Del)$|(Info|Set|Change)[A-Z])/.test(name),
    );
  assert.deepEqual(uneven.filter((name) => !ofTheFamily.has(name)).sort(), []);
  for (const name of ofTheFamily) assert.ok(uneven.includes(name), `${name} is a method with an uneven verb`);
});
