// What a spreadsheet gets.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvOf } from './csv.ts';

test('cells are quoted where they must be, and none is taken for a formula', () => {
  assert.equal(
    csvOf([
      { email: 'a@example.com', reply: 'said "no", twice', opens: -1 },
      { email: '=1+1', clicks: 2 },
    ]),
    '\uFEFFemail,reply,opens,clicks\r\na@example.com,"said ""no"", twice",-1,\r\n\'=1+1,,,2\r\n',
  );
});
