// Foreign HTML is read in threads: what a large, a hostile and a small document do to the caller.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
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
