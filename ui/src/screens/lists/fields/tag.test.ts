// Tests the tag suggested for a field name.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tagOf } from './tag.ts';

test('a suggested tag has only valid characters', () => {
  assert.equal(tagOf('First name'), 'FIRST_NAME');
  assert.equal(tagOf('Größe (cm)'), 'GROESSE_CM');
  assert.equal(tagOf('2nd address'), 'ND_ADDRESS');
  assert.equal(tagOf('Prénom'), 'PRENOM');
  assert.equal(tagOf('a very long name of a field'), 'A_VERY_LONG_NAME_OF');
  assert.equal(tagOf('名前'), '');
});
