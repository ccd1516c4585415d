import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitStatements } from './statements.ts';

const cases: [name: string, text: string, statements: string[]][] = [
  ['an empty text has no statement', ' ;; \n', []],
  ['a semicolon ends a statement', 'select 1; select 2', ['select 1', 'select 2']],
  ['comments are left out', '-- one; two\nselect /* ; */ 1; -- end', ['select   1']],
  ['a semicolon in a text is part of it', "select ';', 'it''s;'; select 2", ["select ';', 'it''s;'", 'select 2']],
  [
    'a backslash escapes a quote in an E text only',
    "select E'\\';'; select '\\'; select 2",
    ["select E'\\';'", "select '\\'", 'select 2'],
  ],
  ['a semicolon in a quoted name is part of it', 'select 1 as "a;b"; select 2', ['select 1 as "a;b"', 'select 2']],
  ['a comment mark in a text is part of it', "select '--;'; select 2", ["select '--;'", 'select 2']],
  ['a dollar quote is kept whole', 'do $$ begin -- ;\n end; $$; select 2', ['do $$ begin -- ;\n end; $$', 'select 2']],
  ['a dollar quote ends at its own tag', 'select $a$ $$;$b$ $a$; select 2', ['select $a$ $$;$b$ $a$', 'select 2']],
];

for (const [name, text, statements] of cases) {
  test(name, () => assert.deepEqual(splitStatements(text), statements));
}
