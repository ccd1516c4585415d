// The small decisions of sign-up: which addresses are one mailbox, and how tags in texts are
// filled.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { mailboxOf } from '../address.ts';
import { fillTags, tagsIn } from './texts.ts';

test('the program and the database use the same mailbox key', async () => {
  const app = await testApp();
  try {
    const expected: Record<string, string> = {
      'a.b+c@gmail.com': 'ab@gmail.com',
      'a.b@googlemail.com': 'ab@gmail.com',
      'a.b+c+d@example.com': 'a.b@example.com',
      '+x@example.com': '+x@example.com',
      '+.x@gmail.com': '+x@gmail.com',
      'a@example.com': 'a@example.com',
      'größe+1@example.com': 'größe@example.com',
    };
    for (const [key, mailbox] of Object.entries(expected)) {
      assert.equal(mailboxOf(key), mailbox);
      const row = await app.app.db.row<{ mailbox: string }>(sql`select mailbox_of(${key}) as mailbox`);
      assert.equal(row!.mailbox, mailbox);
    }
  } finally {
    await app.close();
  }
});

test('tags become values or their defaults, escaped where the text is HTML', () => {
  const values = { 'LIST:NAME': 'A & B', FNAME: '', LNAME: '<i>' };
  assert.equal(fillTags('*|LIST:NAME|*: *|FNAME:dear friend|* *|LNAME|*', values, 'plain'), 'A & B: dear friend <i>');
  assert.equal(fillTags('*|LIST:NAME|* *|LNAME|* *|NOWHERE|*', values, 'html'), 'A &amp; B &lt;i&gt; ');
  assert.deepEqual(tagsIn('*|LIST:NAME|* *|FNAME:x|* 2*|3'), ['LIST:NAME', 'FNAME']);
});
