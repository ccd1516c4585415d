// Foreign HTML is read in threads: what a large, a hostile and a small document do to the caller.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { plainPartOf } from '../content/plain-text.ts';
import { limitThreads, plainPartInThread } from './in-thread.ts';

/** The slowest document known: each attribute of a tag is compared with a set of all. */
const attributes = (count: number) =>
  `<p ${Array.from({ length: count }, (_, i) => `a${i.toString(36)}=1`).join(' ')}>text</p>`;

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

test('a large page has the same plain part as one that is read here', async () => {
  const html = '<h1>News</h1><p>All about <a href="https://example.com/">harbours</a>.</p>'.repeat(1_000);
  assert.equal(await plainPartInThread(html), plainPartOf(html));
});

test('a page that exceeds the time is refused with the reason, leaves no campaign, and the server goes on', async () => {
  const list = await app.call<string>('listCreate', { title: 'Readers' });
  const create = (html: string) =>
    app.call<string>('campaignCreate', {
      type: 'html',
      options: { list_id: list, subject: 'x', from_email: 'a@example.com', from_name: 'A', generate_text: true },
      content: { html },
    });
  const usual = limitThreads(1);
  try {
    await assert.rejects(create(attributes(50_000)), {
      fault: 'CONTENT_INVALID',
      message: 'The content cannot be read within 10 s; simplify its HTML',
    });
    assert.deepEqual(await app.call<{ total?: number; data?: [] } | []>('campaigns'), []);
  } finally {
    usual();
  }
  const cid = await create(`<p>${'a large page '.repeat(5_000)}</p>`);
  assert.match((await app.call<{ plain: string }>('campaignContent', { cid })).plain, /^a large page/);
});

const draft = (list: string, html: string) => ({
  type: 'html',
  options: { list_id: list, subject: 'x', from_email: 'a@example.com', from_name: 'A', generate_text: true },
  content: { html },
});

test('documents of one account wait outside of transactions, and do not keep another account waiting', async () => {
  const other = await app.anotherAccount();
  const [ownList, otherList] = await Promise.all(
    [app, other].map((one) => one.call<string>('listCreate', { title: 'Readers' })),
  );
  const slow = (n: number) => `<p id=x${n}></p>${attributes(15_000)}`;
  let ended = 0;
  const queue = Array.from({ length: 8 }, (_, n) =>
    app.call<string>('campaignCreate', draft(ownList!, slow(n))).finally(() => (ended += 1)),
  );
  let held = 0;
  const watch = setInterval(async () => {
    const row = await app.app.db.row<{ count: number }>(sql`
      select count(*)::int as count
      from pg_stat_activity
      where datname = current_database()
        and state = 'idle in transaction'
        and state_change < now() - interval '200 ms'`);
    held = Math.max(held, row!.count);
  }, 50);
  const cid = await other.call<string>('campaignCreate', draft(otherList!, `<p>${'plain '.repeat(9_000)}</p>`));
  assert.ok(ended < 8, `${ended} of 8 documents before that of the other account`);
  const cids = await Promise.all(queue);
  clearInterval(watch);
  assert.equal(new Set([...cids, cid]).size, 9);
  assert.equal(held, 0);
  // Every other way to a document within a call.
  const large = `<p>${'large '.repeat(9_000)}</p><a href="*|UNSUB|*">x</a>`;
  for (const [name, value] of Object.entries({ html: large, plain: '', generate_text: true }))
    assert.equal(await app.call('campaignUpdate', { cid: cids[0], name, value }), true, name);
  assert.equal(
    await app.call('campaignLanguageUpdate', {
      cid: cids[0],
      language: 'de',
      subject: 'y',
      html: large.replace('large', 'groß'),
    }),
    true,
  );
  assert.match((await app.call<{ html: string }>('campaignPreview', { cid: cids[0] })).html ?? '', /large/);
});

test('a document that is refused leaves nothing, and repeats nothing', async () => {
  const list = await app.call<string>('listCreate', { title: 'Readers' });
  const before = await app.call<unknown[]>('campaigns');
  await assert.rejects(
    app.call('campaignCreate', {
      ...draft(list, ''),
      content: { mjml: '<mjml><mj-body><mj-nonsense/></mj-body></mjml>' },
    }),
    { fault: 'CONTENT_INVALID' },
  );
  assert.deepEqual(await app.call('campaigns'), before);
});
