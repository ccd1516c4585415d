// What the composer needs: all options of a draft, the preview for a contact, and earlier versions.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { maxVersions } from './editors/add-version.ts';
import { isWorthKeeping } from './editors/versions.ts';

let app: TestApp;
let list: string;
before(async () => {
  app = await testApp();
  list = await app.call<string>('listCreate', { title: 'Readers' });
  for (const [email_address, FNAME] of [
    ['ada@example.com', 'Ada'],
    ['bob@example.com', ''],
  ])
    await app.call('listSubscribe', { id: list, email_address, merge_vars: { FNAME }, double_optin: false });
});
after(() => app.close());

const draft = (
  changes: Record<string, unknown> = {},
  html = '<p>Dear *|FNAME:friend|*, <a href="https://example.com/">x</a> <a href="*|UNSUB|*">leave</a></p>',
) =>
  app.call<string>('campaignCreate', {
    type: 'HTML',
    options: {
      list_id: list,
      subject: 'Hello *|FNAME:friend|*',
      from_email: 'a@example.com',
      from_name: 'A',
      generate_text: true,
      ...changes,
    },
    content: { html },
  });
type Version = { version: number; replaced_by: string; characters: number; html: string; plain: string };
const versions = (cid: string) => app.call<Version[]>('campaignVersions', { cid });
const set = (cid: string, name: string, value: unknown) => app.call('campaignUpdate', { cid, name, value });
const htmlOf = async (cid: string) => (await app.call<{ html: string }>('campaignContent', { cid })).html;

test('every option is returned as it was set, named as in campaignCreate', async () => {
  const cid = await draft({ ln: 'de', to_email: '*|FNAME|*', time_match: true, analytics: { google: 'may' } });
  const options = await app.call<Record<string, unknown>>('campaignGet', { cid });
  assert.equal(options['ln'], 'de');
  assert.deepEqual(options['list_id'], [list]);
  assert.deepEqual(options['exclude_segment_id'], []);
  assert.equal(options['to_email'], '*|FNAME|*');
  assert.equal(options['time_match'], true);
  assert.equal(options['plain_generated'], true);
  assert.deepEqual(options['analytics'], { google: 'may' });
  assert.deepEqual(options['tracking'], { opens: true, html_clicks: true, text_clicks: false });
  assert.equal((options['type_opts'] as { event: string }).event, '');
  const wanted = { 'offset-units': 'week', 'offset-time': 2, 'offset-dir': 'after', event: 'signup' };
  await set(cid, 'type_opts', wanted);
  const { type_opts } = await app.call<Record<string, unknown>>('campaignGet', { cid });
  assert.deepEqual(type_opts, { ...wanted, 'event-datemerge': '' });
  await set(cid, 'ln', '');
  assert.equal((await app.call<Record<string, unknown>>('campaignGet', { cid }))['ln'], '');
});

test('the preview text takes the place of the one in the HTML, for a contact and in a copy; an empty one leaves it', async () => {
  const own = '<body><div style="display:none">From the HTML</div><p>Text</p></body>';
  const cid = await draft({ preview_text: 'For *|FNAME:you|* & <all>' }, own);
  const htmlFor = async (cid: string) =>
    (await app.call<Record<string, string>>('campaignPreview', { cid, email: 'ada@example.com' }))['html']!;
  assert.match(await htmlFor(cid), /<body>\s*<div style="display:none[^"]*">For Ada &amp; &lt;all&gt;<\/div><p>Text/);
  assert.equal(await htmlOf(cid), own, 'the HTML stays as it was given');
  const copy = await app.call<string>('campaignReplicate', { cid });
  assert.match(await htmlFor(copy), /For Ada/);
  await set(cid, 'preview_text', '');
  assert.equal((await app.call<Record<string, unknown>>('campaignGet', { cid }))['preview_text'], '');
  assert.match(await htmlFor(cid), /<body><div style="display:none">From the HTML<\/div><p>Text/);
});

test('inline_css copies rules into style attributes, also of HTML that is long enough for a thread, and is off by default', async () => {
  const styled = '<head><style>p { color: red }</style></head><body><p>Text</p></body>';
  const htmlFor = async (cid: string) => (await app.call<Record<string, string>>('campaignPreview', { cid }))['html']!;
  assert.match(await htmlFor(await draft({}, styled)), /<p>Text<\/p>/);
  const cid = await draft({ inline_css: true }, styled);
  assert.match(await htmlFor(cid), /<p style="color: red;">Text<\/p>/);
  assert.equal(await htmlOf(cid), styled, 'the HTML stays as it was given');
  const long = await draft({ inline_css: true }, styled.replace('<p>', `<b>${'words '.repeat(10_000)}</b><p>`));
  assert.match(await htmlFor(long), /<p style="color: red;">Text<\/p>/);
  await set(cid, 'inline_css', false);
  assert.match(await htmlFor(cid), /<p>Text<\/p>/);
});

test('a preview has the values of the given contact, else of a member, and counts nothing', async () => {
  const cid = await draft();
  const ada = await app.call<Record<string, string>>('campaignPreview', { cid, email: 'ADA@example.com' });
  assert.equal(ada['subject'], 'Hello Ada');
  assert.equal(ada['contact'], 'ada@example.com');
  assert.match(ada['html']!, /Dear Ada, <a href="https:\/\/example.com\/">/);
  assert.doesNotMatch(ada['html']!, /<img/);
  assert.match(ada['plain']!, /Dear Ada/);
  const bob = await app.call<Record<string, string>>('campaignPreview', { cid, email: 'bob@example.com' });
  assert.equal(bob['subject'], 'Hello friend');
  const unnamed = await app.call<Record<string, string>>('campaignPreview', { cid });
  assert.match(unnamed['contact']!, /^(ada|bob)@example.com$/);
  const empty = await draft({ list_id: await app.call<string>('listCreate', { title: 'Nobody' }) });
  const none = await app.call<Record<string, string>>('campaignPreview', { cid: empty });
  assert.deepEqual([none['contact'], none['subject']], ['', 'Hello friend']);
});

test('a replaced body can be restored, and so can the one that the restore replaced', async () => {
  const cid = await draft({}, '<p>first</p>');
  await set(cid, 'html', '<p>second</p>');
  await set(cid, 'html', '<p>second, a letter later</p>');
  const [kept, ...more] = await versions(cid);
  assert.deepEqual(more, []);
  assert.deepEqual([kept!.version, kept!.replaced_by, kept!.characters, kept!.html], [1, 'edit', 12, '']);
  const [whole] = await app.call<Version[]>('campaignVersions', { cid, version: 1 });
  assert.equal(whole!.html, '<p>first</p>');
  await app.call('campaignVersionRestore', { cid, version: 1 });
  assert.equal(await htmlOf(cid), '<p>first</p>');
  assert.equal((await app.call<{ plain: string }>('campaignContent', { cid })).plain.trim(), 'first');
  const [back] = await versions(cid);
  assert.equal(back!.replaced_by, 'restore');
  await app.call('campaignVersionRestore', { cid, version: back!.version });
  assert.equal(await htmlOf(cid), '<p>second, a letter later</p>');
});

test('a template keeps the body it replaces; options that do not change the body keep nothing', async () => {
  const cid = await draft({}, '<p>mine</p>');
  await set(cid, 'subject', 'Another');
  assert.deepEqual(await versions(cid), []);
  const template = await app.call<string>('templateCreate', { name: 'T', source: '<p>T</p>' });
  await set(cid, 'template_id', template);
  await set(cid, 'template_id', template);
  assert.deepEqual(
    (await versions(cid)).map((item) => item.replaced_by),
    ['template', 'template'],
  );
  await set(cid, 'template_id', template);
  assert.equal((await versions(cid)).length, 2);
});

test('the number of versions has a limit', async () => {
  const cid = await draft({}, '<p>0</p>');
  const template = await app.call<string>('templateCreate', { name: 'T', source: '<p>T</p>' });
  for (let i = 1; i <= maxVersions / 2 + 3; i++) {
    await set(cid, 'html', `<p>${i}</p>`);
    await set(cid, 'template_id', template);
  }
  assert.equal((await versions(cid)).length, maxVersions);
});

const at = (seconds: number) => new Date(1_800_000_000_000 + seconds * 1_000);
for (const [sameBody, replacedBy, replacement, seconds, kept] of [
  [true, 'import', 'restore', 9_999, false],
  [false, 'edit', 'edit', 119, false],
  [false, 'edit', 'edit', 120, true],
  [false, 'edit', 'template', 1, true],
  [false, 'template', 'edit', 1, true],
] as const)
  test(`${sameBody ? 'the same body' : 'another body'} after ${replacedBy}, ${replacement} in ${seconds} s: ${kept ? 'kept' : 'not kept'}`, () => {
    assert.equal(isWorthKeeping({ sameBody, replacedBy, keptAt: at(0) }, replacement, at(seconds)), kept);
  });
