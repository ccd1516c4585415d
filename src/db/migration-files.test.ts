import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { hashOf, noTransactionMarker, readMigrations, runsInTransaction } from './migration-files.ts';

/** A folder with these files. */
function folderOf(t: TestContext, files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'postrider-migrations-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

test('migrations come in the order of their numbers, other files are ignored', (t) => {
  const folder = folderOf(t, { '0002_b.sql': 'select 2', '0001_a.sql': 'select 1', 'README.md': '' });
  assert.deepEqual(readMigrations(folder), [
    { name: '0001_a', text: 'select 1' },
    { name: '0002_b', text: 'select 2' },
  ]);
});

test('two migrations with one number are refused', (t) => {
  const folder = folderOf(t, { '0001_a.sql': '', '0002_b.sql': '', '0002_c.sql': '' });
  assert.throws(() => readMigrations(folder), /0002_b and 0002_c have the same number/);
});

test('a misnamed file is refused instead of ignored', (t) => {
  assert.throws(() => readMigrations(folderOf(t, { '12_tags.sql': '' })), /12_tags\.sql is misnamed/);
});

test('the marker is only read on the first line', () => {
  const at = (text: string) => runsInTransaction({ name: '0001_a', text });
  assert.equal(at(`${noTransactionMarker}\nselect 1`), false);
  assert.equal(at('select 1'), true);
  assert.equal(at(`-- Tags.\n${noTransactionMarker}\nselect 1`), true);
});

for (const [statement, accepted] of [
  ['create index concurrently a_by_b on a (b)', false],
  ['create unique index\n  a_by_b on a (b)', false],
  ['drop index concurrently a_by_b', false],
  ['create index concurrently if not exists a_by_b on a (b)', true],
  ['drop index concurrently if exists a_by_b', true],
  ['vacuum a', true],
] as const) {
  test(`"${statement}" without a transaction is ${accepted ? 'accepted' : 'refused: it cannot be repeated'}`, (t) => {
    const folder = folderOf(t, { '0001_a.sql': `${noTransactionMarker}\n${statement};` });
    if (accepted) assert.equal(readMigrations(folder).length, 1);
    else assert.throws(() => readMigrations(folder), /may be run again after a crash.*needs "if/s);
  });
}

test('a migration runs without a transaction when its first line is the marker', () => {
  for (const [text, expected] of [
    ['-- postrider: no transaction', false],
    [' -- postrider: no transaction \nselect 1', false],
    ['-- postrider: no transaction.\nselect 1', true],
  ] as const)
    assert.equal(runsInTransaction({ name: '0001_a', text }), expected, text);
});

test('without a folder the migrations of the program are read, and all four digits count', (t) => {
  assert.equal(readMigrations()[0]?.name.slice(0, 5), '0001_');
  const folder = folderOf(t, { '0001_ab.sql': '', '1001_ab.sql': '', '1001_b.sql': '' });
  assert.throws(() => readMigrations(folder), /1001_ab and 1001_b have the same number/);
  assert.equal(readMigrations(folderOf(t, { '0001_a.sql': '', '1001_a.sql': '' })).length, 2);
});

test('a statement that cannot be repeated is quoted up to 60 characters', (t) => {
  const index = `create index concurrently ${'a'.repeat(60)} on t (id)`;
  const folder = folderOf(t, { '0001_a.sql': `${noTransactionMarker}\n${index};` });
  assert.throws(
    () => readMigrations(folder),
    (error: Error) => error.message.includes(`"${index.slice(0, 60)}…"`),
  );
});

test('the hash of a migration is SHA-256 in hexadecimal, and the end of lines and of the file does not count', () => {
  // printf 'select 1;\nselect 2;' | sha256sum
  const expected = 'b1a668cc8f385c71b9d64504067d5145d91dcf27d37d8201c08c65a20268cab9';
  for (const text of ['select 1;\nselect 2;', '\ufeffselect 1;\r\nselect 2;\r\n', 'select 1;\rselect 2;\n\n'])
    assert.equal(hashOf({ text }), expected);
});
