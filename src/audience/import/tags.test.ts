// A column of tags: what an import adds to contacts, what an export writes, and what an undo takes back.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { parseId } from '../../db/ids.ts';
import { exportRows } from '../export/rows.ts';
import { runImport } from './run.ts';
import { undoImport } from './undo.ts';

let t: TestApp;
before(async () => {
  t = await testApp();
});
after(() => t.close());

const tagsOf = async (email: string) => (await t.call<{ tags: string[] }>('contactGet', { email })).tags;

async function imported(list: string, content: string) {
  const id = await t.call<string>('importCreate', { id: list, content });
  await t.call('importStart', { import: id });
  assert.equal(
    await runImport(t.app, t.account.id, parseId(id), false, new AbortController().signal, t.app.log),
    'finished',
  );
  const { result } = await t.call<{ result: Record<string, number> }>('importGet', { import: id });
  return { id, result };
}

test('tags are added to new and known contacts, whatever separates them; a row that changes nothing is unchanged', async () => {
  const list = await t.call<string>('listCreate', { title: 'Tagged' });
  const file =
    'Email,Tags\nann@example.com,"VIP, New  York; vip"\nbob@example.com,"""Ärzte"",""Press"""\ncy@example.com,\n';
  const first = await imported(list, file);
  assert.equal(first.result['added'], 3);
  assert.deepEqual(await tagsOf('ann@example.com'), ['new york', 'vip']);
  assert.deepEqual(await tagsOf('bob@example.com'), ['press', 'ärzte']);
  assert.deepEqual(await tagsOf('cy@example.com'), []);
  assert.equal((await imported(list, file)).result['unchanged'], 3);
  await t.call('contactTagsUpdate', { emails: ['ann@example.com'], remove: ['vip'], add: ['mine'] });
  const second = await imported(list, 'Email,Tags\nann@example.com,vip\ncy@example.com,late\n');
  assert.equal(second.result['updated'], 2);
  assert.deepEqual(await tagsOf('ann@example.com'), ['mine', 'new york', 'vip']);
  const other = await t.call<string>('listCreate', { title: 'Other' });
  assert.equal((await imported(other, 'Email,Tags\nann@example.com,other\n')).result['added'], 1);
  assert.deepEqual(await tagsOf('ann@example.com'), ['mine', 'new york', 'other', 'vip']);
});

test('an export has the tags, and an import of it changes nothing', async () => {
  const list = await t.call<string>('listCreate', { title: 'Exported' });
  await imported(list, 'Email,Tags\nex@example.com,"one, two"\n');
  let text = '';
  for await (const piece of exportRows(t.app.db, t.account.id, { list, status: '', segment: '', bom: false }))
    text += piece;
  assert.match(text, /,TAGS,/);
  assert.match(text, /"one, two"/);
  assert.equal((await imported(list, text)).result['unchanged'], 1);
});

test('an undo gives back the tags from before', async () => {
  const list = await t.call<string>('listCreate', { title: 'Undone' });
  await imported(list, 'Email,Tags\nun@example.com,first\n');
  const { id } = await imported(list, 'Email,Tags\nun@example.com,second\n');
  assert.deepEqual(await tagsOf('un@example.com'), ['first', 'second']);
  await t.call('importUndo', { import: id });
  assert.equal(await undoImport(t.app, t.account.id, parseId(id), new AbortController().signal), 'finished');
  assert.deepEqual(await tagsOf('un@example.com'), ['first']);
});

test('a tag that is too long, and tags of a contact that would have too many, are left out with the reason', async () => {
  const list = await t.call<string>('listCreate', { title: 'Refused' });
  const many = (from: number) => Array.from({ length: 30 }, (_, i) => `t${from + i}`).join(';');
  await imported(list, `Email,Tags\nfull@example.com,${many(0)}\n`);
  const { id, result } = await imported(
    list,
    `Email,Tags\nfull@example.com,${many(100)}\nlong@example.com,${'x'.repeat(51)}\n`,
  );
  assert.deepEqual([result['added'], result['unchanged'], result['values_left_out']], [1, 1, 2]);
  const errors = await t.call<{ line: number; reason: string }[]>('importErrors', { import: id });
  const reasons = new Map(errors.map(({ line, reason }) => [line, reason]));
  assert.match(reasons.get(2)!, /more than 50 tags/);
  assert.match(reasons.get(3)!, /not a tag of 1 to 50 characters/);
  assert.equal((await tagsOf('full@example.com')).length, 30);
});
