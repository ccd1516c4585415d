// PostgreSQL accepts any value as jsonb.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { runs } from '../../test/support/run/runs.ts';
import { sql } from './connect.ts';
import { jsonb } from './jsonb.ts';

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app?.close());

const stored = async (value: unknown) =>
  (await app.app.db.row<{ value: unknown }>(sql`select ${jsonb(value)}::jsonb as value`))!.value;

test('PostgreSQL accepts lists of arbitrary texts', async () => {
  const unit = fc.oneof(
    fc.constantFrom('\ud83d', '\ude00', '\0', '\\', 'u', 'd83d', '"'),
    fc.string({ unit: 'binary' }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(unit).map((parts) => parts.join(''))), async (texts) => {
      assert.deepEqual(
        await stored(texts),
        texts.map((text) => text.toWellFormed().replaceAll('\0', ' ')),
      );
    }),
    { numRuns: runs(200) },
  );
});
