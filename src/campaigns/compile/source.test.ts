// Campaigns whose content is Markdown or MJML: creating, changing, restoring and copying them, over a real database.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { limitThreads } from './in-thread.ts';

type Shown = { html: string; plain: string; source: string; source_format: string };

const mjml = (inside: string) =>
  `<mjml>\n<mj-body>\n<mj-section><mj-column>\n<mj-text>${inside}</mj-text>\n</mj-column></mj-section>\n</mj-body>\n</mjml>`;

let app: TestApp;
let list: string;
before(async () => {
  app = await testApp();
  list = await app.call<string>('listCreate', { title: 'Readers' });
});
after(() => app.close());

const create = (content: Record<string, unknown>, options: Record<string, unknown> = {}) =>
  app.call<string>('campaignCreate', {
    type: 'html',
    options: { list_id: list, subject: 'x', from_email: 'a@example.com', from_name: 'A', ...options },
    content,
  });
const show = (cid: string) => app.call<Shown>('campaignContent', { cid });
const update = (cid: string, name: string, value: unknown) => app.call('campaignUpdate', { cid, name, value });
const format = async (cid: string) => {
  const { source, source_format } = await show(cid);
  return [source_format, source];
};
const count = async () => (await app.call<unknown[]>('campaigns')).length;

test('a campaign from Markdown has the HTML, a plain text made of it, and the source', async () => {
  const cid = await create({ markdown: '# Hi *|FNAME:you|*\n\nSee [news](https://example.com/*|EMAIL|*).' });
  const { html, plain, source, source_format } = await show(cid);
  assert.match(html, /^<!doctype html>\n<html lang="en"[\s\S]*<h1 style="[^"]+">Hi \*\|FNAME:you\|\*<\/h1>/);
  assert.match(plain, /^Hi \*\|FNAME:you\|\*\s+See news \(https:\/\/example\.com\/\*\|EMAIL\|\*\)\.$/);
  assert.deepEqual(
    [source_format, source],
    ['markdown', '# Hi *|FNAME:you|*\n\nSee [news](https://example.com/*|EMAIL|*).'],
  );
  const preview = await app.call<{ html: string }>('campaignPreview', { cid });
  assert.match(preview.html, />Hi you</);
});

test('a campaign from MJML keeps a plain text that is given', async () => {
  const cid = await create({ mjml: mjml('Hi'), plain: 'own text' });
  const shown = await show(cid);
  assert.match(shown.html, /<!doctype html>[\s\S]*>Hi</);
  assert.deepEqual([shown.plain, shown.source, shown.source_format], ['own text', mjml('Hi'), 'mjml']);
});

test('the language of the campaign is that of the page', async () => {
  assert.match((await show(await create({ markdown: 'x' }, { ln: 'de' }))).html, /<html lang="de"/);
  assert.match((await show(await create({ mjml: mjml('x') }, { ln: 'fr' }))).html, /<html lang="fr"/);
});

test('only one of html, markdown and mjml can be given, and the fault names the second', async () => {
  const before = await count();
  const sources = { html: '<p>x</p>', markdown: 'x', mjml: mjml('x') };
  for (const [first, second] of [
    ['html', 'markdown'],
    ['html', 'mjml'],
    ['markdown', 'mjml'],
  ] as const) {
    await assert.rejects(create({ [first]: sources[first], [second]: sources[second] }), {
      fault: 'CONTENT_INVALID',
      message: `content.${second}: give only one of html, markdown and mjml`,
    });
  }
  assert.equal(await count(), before);
  assert.match((await show(await create({ html: ' ', markdown: 'x' }))).html, />x</);
});

test('MJML with an error names line and element and leaves nothing behind', async () => {
  const before = await count();
  await assert.rejects(create({ mjml: mjml('</mj-text><mj-txt>') }), {
    fault: 'CONTENT_INVALID',
    message: 'content.mjml, line 4: MJML has no element <mj-txt>',
  });
  assert.equal(await count(), before);
  const cid = await create({ mjml: mjml('kept') });
  const shown = await show(cid);
  await assert.rejects(update(cid, 'mjml', mjml('<mj-include path="/etc/passwd"/>')), {
    fault: 'CONTENT_INVALID',
    message: 'mjml, line 4: <mj-include> is not possible, since there are no other files; insert their content',
  });
  await assert.rejects(update(cid, 'content', { mjml: mjml('<p>') }), {
    message: 'content.mjml, line 4: <p> is not closed',
  });
  await assert.rejects(update(cid, 'markdown', ' '), { message: 'markdown is empty' });
  assert.deepEqual(await show(cid), shown);
});

test('sources and results that are too large are refused', async () => {
  const before = await count();
  await assert.rejects(create({ markdown: 'x'.repeat(512 * 1024 + 1) }), {
    fault: 'TOO_LARGE',
    message: 'content.markdown has 524289 characters, more than 524288',
  });
  const sections = '<mj-section><mj-column><mj-text>x</mj-text></mj-column></mj-section>'.repeat(2_500);
  await assert.rejects(create({ mjml: `<mjml><mj-body>${sections}</mj-body></mjml>` }), {
    fault: 'TOO_LARGE',
    message: /^content\.mjml makes \d+ characters of HTML, more than 2097152$/,
  });
  assert.equal(await count(), before);
});

test('a source that takes too long is refused, and the server goes on', async () => {
  const usual = limitThreads(1);
  try {
    await assert.rejects(create({ markdown: '*a_ '.repeat(100_000) }), { fault: 'CONTENT_INVALID' });
  } finally {
    usual();
  }
  assert.match((await show(await create({ markdown: 'on' }))).html, />on</);
});

test('a change of the source changes the HTML and the generated plain text', async () => {
  const cid = await create({ markdown: 'one' });
  await update(cid, 'markdown', 'two');
  let shown = await show(cid);
  assert.deepEqual([shown.plain, shown.source], ['two', 'two']);
  assert.match(shown.html, />two</);
  await update(cid, 'mjml', mjml('three'));
  shown = await show(cid);
  assert.deepEqual([shown.plain, shown.source_format, shown.source], ['three', 'mjml', mjml('three')]);
  await update(cid, 'content', { markdown: 'four' });
  assert.deepEqual(await format(cid), ['markdown', 'four']);
});

test('HTML, a template, and content without a source drop the source', async () => {
  const [template] = await Promise.all([app.call<string>('templateCreate', { name: 'T', source: '<p>t</p>' })]);
  for (const [name, value] of [
    ['html', '<p>edited</p>'],
    ['template_id', template],
    ['content', { html: '<p>c</p>', plain: 'c' }],
  ] as const) {
    const cid = await create({ markdown: 'x' });
    await update(cid, name, value);
    assert.deepEqual(await format(cid), ['html', ''], name);
  }
  const cid = await create({ markdown: 'x' });
  await update(cid, 'plain', 'own');
  await update(cid, 'subject', 'y');
  assert.deepEqual(await format(cid), ['markdown', 'x']);
});

test('versions keep the source, and restoring one restores it', async () => {
  const cid = await create({ markdown: 'first' });
  await update(cid, 'html', '<p>second</p>');
  const versions = await app.call<{ version: number; source: string; source_format: string }[]>('campaignVersions', {
    cid,
  });
  assert.deepEqual(
    versions.map(({ source, source_format }) => [source_format, source]),
    [['markdown', '']],
  );
  const [version] = await app.call<{ source: string }[]>('campaignVersions', { cid, version: 1 });
  assert.equal(version!.source, 'first');
  await app.call('campaignVersionRestore', { cid, version: 1 });
  assert.deepEqual(await format(cid), ['markdown', 'first']);
  await app.call('campaignVersionRestore', { cid, version: 2 });
  assert.deepEqual(await format(cid), ['html', '']);
});

test('a copy has the source', async () => {
  const cid = await create({ mjml: mjml('x') });
  assert.deepEqual(await format(await app.call<string>('campaignReplicate', { cid })), ['mjml', mjml('x')]);
});

test('the brand of the account is in the page, and the check finds nothing wrong with it', async () => {
  await app.app.db.run(sql`
    update account set settings = jsonb_set(settings, '{brand}', '{"colour": "#0a7d33", "font": "georgia"}')`);
  const cid = await create({ markdown: '[x](https://example.com/) ![harbour](https://example.com/a.png)' });
  const { html } = await show(cid);
  assert.match(html, /color:#0a7d33/);
  assert.match(html, /Georgia,serif/);
});
