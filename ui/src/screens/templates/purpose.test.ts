import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogue, starterKeys } from '../../../../src/campaigns/starter/catalogue.ts';
import { purposeOf, purposes } from './purpose.ts';

test('every starter template has a purpose, in each language, and any other template is of the account', () => {
  for (const key of starterKeys)
    for (const name of Object.values(catalogue[key].names)) {
      assert.equal(purposeOf({ name }), catalogue[key].purpose, name);
      assert.ok(purposes.includes(purposeOf({ name })), name);
    }
  assert.equal(purposeOf({ name: 'Our harbour letter' }), 'own');
  assert.equal(purposeOf({ name: 'constructor' }), 'own');
});
