// The brand: stored once, followed by starter templates that were not edited, and readable in any colour.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { addTemplatesTask } from '../starter/starter.ts';
import { brandFrom } from './brand.ts';
import { plainBrand } from './plain-brand.ts';

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

type Template = { id: string; name: string; source: string };
const sourceOf = async (name: string) =>
  (await app.call<Template[]>('campaignTemplates')).find((template) => template.name === name)!;

test('an account begins with the plain brand, and changes keep what is not given', async () => {
  const plain = await app.call<Record<string, unknown>>('brandGet');
  assert.deepEqual([plain.color, plain.font, plain.logo_url, plain.text_on_color], ['#1f5fbf', 'arial', '', '#ffffff']);
  await app.call('brandUpdate', { color: '#FFD400', footer: 'Kettle <& Sons>' });
  const changed = await app.call<Record<string, unknown>>('brandUpdate', { font: 'georgia' });
  assert.deepEqual(
    [changed.color, changed.footer, changed.font, changed.text_on_color],
    ['#ffd400', 'Kettle <& Sons>', 'georgia', '#10131a'],
  );
  assert.ok((changed.contrast as number) >= 4.5);
  assert.deepEqual(await app.call('brandGet'), changed);
});

test('values that are no colour, font or web address are refused', async () => {
  for (const params of [{ color: 'red' }, { background: '#fff' }, { font: 'comic' }, { logo_url: 'javascript:1' }])
    await assert.rejects(app.call('brandUpdate', params), JSON.stringify(params));
});

test('starter templates follow the brand until they are edited', async () => {
  await app.call('brandUpdate', { color: '#1f5fbf', font: 'arial', footer: '' });
  const context = { app: app.app, log: app.app.log, signal: new AbortController().signal };
  await addTemplatesTask(context, { account_id: app.account.id });
  const letter = await sourceOf('Letter');
  assert.match(letter.source, /background-color:#1f5fbf/);
  const own = await sourceOf('Offer');
  await app.call('templateUpdate', {
    template_id: own.id,
    name: 'source',
    value: own.source.replace('SPRING20', 'Mine'),
  });
  await app.call('brandUpdate', { color: '#0f766e', footer: 'Since 1871', logo_url: 'https://example.com/logo.png' });
  const followed = (await sourceOf('Letter')).source;
  assert.match(followed, /background-color:#0f766e/);
  assert.doesNotMatch(followed, /#1f5fbf/);
  assert.match(followed, /Since 1871<br>\n\*\|LIST:COMPANY\|\*/);
  assert.match(followed, /<img src="https:\/\/example.com\/logo.png" alt="\*\|LIST:NAME\|\*"/);
  assert.match((await sourceOf('Offer')).source, /Mine[\s\S]*#1f5fbf/);
  const { source: digest } = await sourceOf('Digest');
  assert.match(digest, /<p [^>]*><img src="https:\/\/example.com\/logo.png"[^>]*><\/p>/);
});

test('what an earlier release stored and is not valid has its default', () => {
  assert.deepEqual(brandFrom({ colour: 'x', font: 'toString', footer: 7 }), plainBrand);
  assert.deepEqual(brandFrom(null), plainBrand);
});
