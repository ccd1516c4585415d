// PostgreSQL accepts any value as jsonb, and any text can be cut.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { sql } from './connect.ts';
import { cut, jsonb } from './jsonb.ts';

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app?.close());

const stored = async (value: unknown) =>
  (await app.app.db.row<{ value: unknown }>(sql`select ${jsonb(value)}::jsonb as value`))!.value;

test('lone surrogates and NUL are replaced; text that only looks like them stays', async () => {
  assert.deepEqual(await stored({ a: ['x\ud83d', '\udc00y', 'a\0b', '😀'] }), {
    a: ['x\ufffd', '\ufffdy', 'a b', '😀'],
  });
  assert.deepEqual(await stored(['\\ud83d', '\\u0000']), ['\\ud83d', '\\u0000']);
});

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
    { numRuns: 100 },
  );
});

test('a cut never leaves a lone surrogate', () => {
  assert.equal(cut('ab😀', 3), 'ab\ufffd');
  assert.equal(cut('ab😀', 4), 'ab😀');
  assert.equal(cut('a\0b', 9), 'a b');
});
