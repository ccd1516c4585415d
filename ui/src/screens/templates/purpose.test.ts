import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  catalogue,
  frameMark,
  starterKeys,
  starterLanguages,
  starterNames,
} from '../../../../src/campaigns/starter/catalogue.ts';
import { purposeOf, purposes, starterOf } from './purpose.ts';

test('every starter template has a purpose, in each language, and any other template is of the account', () => {
  for (const key of starterKeys)
    for (const name of starterLanguages.map((language) => starterNames[language][key])) {
      assert.equal(purposeOf({ name }), catalogue[key].purpose, name);
      assert.ok(purposes.includes(purposeOf({ name })), name);
    }
  assert.equal(purposeOf({ name: 'Our harbour letter' }), 'own');
  assert.equal(purposeOf({ name: 'constructor' }), 'own');
});

test('a template is described as a starter only while its page is in the present design', () => {
  assert.equal(starterOf({ name: 'Letter', source: `<td ${frameMark}><p>Edited words</p></td>` }), 'letter');
  assert.equal(
    starterOf({ name: 'Letter', source: '<td class="pad"><p>The design of an earlier version</p></td>' }),
    undefined,
  );
  assert.equal(starterOf({ name: 'Ours', source: `<td ${frameMark}></td>` }), undefined);
});
