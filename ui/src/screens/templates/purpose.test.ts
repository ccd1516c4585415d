import assert from 'node:assert/strict';
import { test } from 'node:test';
import { starterTemplates } from '../../../../src/campaigns/starter/starter.ts';
import { purposeOf } from './purpose.ts';

test('every starter template has a purpose, and any other template is of the account', () => {
  for (const template of starterTemplates) assert.notEqual(purposeOf(template), 'own', template.name);
  assert.equal(purposeOf({ name: 'Our harbour letter' }), 'own');
  assert.equal(purposeOf({ name: 'constructor' }), 'own');
});
