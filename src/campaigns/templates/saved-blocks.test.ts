// Saved blocks of the visual editor.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pictures } from '../../../test/support/builders/archives.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

type Block = { name: string; html: string };
const blocks = () => app.call<Block[]>('savedBlocks');

test('a block is saved, replaced by name and deleted; another account does not see it', async () => {
  await app.call('savedBlockCreate', { name: ' Greeting ', html: '<tr><td>Hello</td></tr>' });
  await app.call('savedBlockCreate', { name: 'About us', html: '<tr><td>We</td></tr>' });
  await app.call('savedBlockCreate', { name: 'Greeting', html: '<tr><td>Dear</td></tr>' });
  assert.deepEqual(await blocks(), [
    { name: 'About us', html: '<tr><td>We</td></tr>' },
    { name: 'Greeting', html: '<tr><td>Dear</td></tr>' },
  ]);
  const other = await app.anotherAccount();
  assert.deepEqual(await other.call('savedBlocks'), []);
  assert.equal(await other.call('savedBlockDelete', { name: 'Greeting' }), false);
  assert.equal(await app.call('savedBlockDelete', { name: 'Greeting' }), true);
  assert.deepEqual(
    (await blocks()).map(({ name }) => name),
    ['About us'],
  );
});

test('the picture of a block stays as long as the block', async () => {
  const asset = await app.call<{ url: string; name: string }>('assetCreate', {
    content: pictures.png.toString('base64'),
  });
  await app.call('savedBlockCreate', { name: 'Picture', html: `<tr><td><img src="${asset.url}"></td></tr>` });
  await app.call('assetDelete', { name: asset.name });
  const left = () => app.app.db.rows(sql`select name from asset where name = ${asset.name}`);
  assert.equal((await left()).length, 1);
  await app.call('savedBlockCreate', { name: 'Picture', html: '<tr><td>No picture</td></tr>' });
  assert.equal((await left()).length, 0);
});

test('there is an end to the number of blocks; those that exist can still be replaced', async () => {
  await app.app.db.run(sql`
    insert into saved_block (account_id, name, html)
    select ${app.account.id}, 'Block ' || n, '<tr></tr>' from generate_series(1, 198) n`);
  await assert.rejects(app.call('savedBlockCreate', { name: 'One more', html: '<tr><td>x</td></tr>' }), /200/);
  await app.call('savedBlockCreate', { name: 'Block 1', html: '<tr><td>new</td></tr>' });
  assert.equal((await blocks()).find(({ name }) => name === 'Block 1')!.html, '<tr><td>new</td></tr>');
});
