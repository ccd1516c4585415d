// Tests the CSV files for spreadsheets.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvOf } from './csv.ts';

test('cells are quoted where needed, and none is read as a formula', () => {
  assert.equal(
    csvOf([
      { email: 'a@example.com', reply: 'quoted "no", twice', opens: -1 },
      { email: '=1+1', clicks: 2 },
    ]),
    '\uFEFFemail,reply,opens,clicks\r\na@example.com,"quoted ""no"", twice",-1,\r\n\'=1+1,,,2\r\n',
  );
});
