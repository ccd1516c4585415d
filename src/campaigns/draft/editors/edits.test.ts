// Two people, one draft: no one overwrites what another person has written since, and History keeps the texts of both.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../../test/support/installation/app.ts';
import { startSession } from '../../../accounts/access/session.ts';
import { addMember, createUser } from '../../../accounts/people/user.ts';
import { sql } from '../../../db/connect.ts';
import { call } from '../../../doors/call.ts';

type Call = <T = unknown>(method: string, params?: Record<string, unknown>) => Promise<T>;
type Version = { version: number; replaced_by: string; written_by: string; html: string; source: string };
type Edit = { part: string; version: number; by: string; self: boolean; own?: boolean };

let app: TestApp;
let mia: Call;
let ben: Call;
before(async () => {
  app = await testApp();
  [mia, ben] = [await person('Mia'), await person('Ben')];
});
after(() => app.close());

async function person(name: string): Promise<Call> {
  const { db } = app.app;
  const { id } = await createUser(db, { email: `${name.toLowerCase()}@example.com`, password: 'by the lake', name });
  await addMember(db, app.account.id, id, 'editor');
  const { token } = (await startSession(db, id, { ip: '127.0.0.1', userAgent: '' }))!;
  return (method, params = {}) =>
    call(app.app, method, params, { kind: 'session', token, ip: '127.0.0.1' }, 'web') as Promise<never>;
}

const draft = async (changes: Record<string, unknown> = {}) =>
  app.call<string>('campaignCreate', {
    type: 'HTML',
    options: {
      list_id: await app.call<string>('listCreate', { title: 'Readers' }),
      subject: 'News',
      from_email: 'a@example.com',
      from_name: 'A',
      generate_text: true,
      ...changes,
    },
    content: { html: '<p>start</p>' },
  });
const htmlOf = async (cid: string) => (await app.call<{ html: string }>('campaignContent', { cid })).html;
/** The bodies in History, oldest first, and who wrote each. */
async function history(cid: string): Promise<[string, string][]> {
  const rows = await app.call<Version[]>('campaignVersions', { cid });
  const whole = await Promise.all(
    rows.map(async ({ version }) => (await app.call<Version[]>('campaignVersions', { cid, version }))[0]!),
  );
  return whole.reverse().map(({ html, written_by }) => [html, written_by]);
}
const edits = async (cid: string, by: Call = app.call) => (await by<{ edits: Edit[] }>('campaignGet', { cid })).edits;
const changed = (who: string, part: string) => (error: Error & { fault?: string; code?: number; text?: unknown }) => {
  assert.equal(error.fault, 'CAMPAIGN_CHANGED');
  assert.equal(error.code, 322);
  const { values } = error.text as { values: Record<string, unknown> };
  assert.deepEqual([values['who'], values['part'], values['member']], [who, part, 'base_version']);
  assert.match(String(values['at']), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  return true;
};

test('edits of two people within two minutes are versions of their own, by name', async () => {
  const cid = await draft();
  const write = (by: Call, html: string) => by('campaignUpdate', { cid, name: 'html', value: html });
  await write(mia, '<p>Mia</p>');
  await write(mia, '<p>Mia, a letter later</p>');
  await write(ben, '<p>Ben</p>');
  await write(ben, '<p>Ben, a letter later</p>');
  await write(app.call, '<p>a program</p>');
  await write(mia, '<p>Mia again</p>');
  assert.deepEqual(await history(cid), [
    ['<p>start</p>', ''],
    ['<p>Mia, a letter later</p>', 'Mia'],
    ['<p>Ben, a letter later</p>', 'Ben'],
    ['<p>a program</p>', ''],
  ]);
});

test('two windows of one person are two editors', async () => {
  const cid = await draft();
  for (const [editor, html] of [
    ['one', '<p>one</p>'],
    ['two', '<p>two</p>'],
    ['two', '<p>two, a letter later</p>'],
  ])
    await mia('campaignUpdate', { cid, name: 'html', value: html, editor });
  assert.deepEqual(
    (await history(cid)).map(([html]) => html),
    ['<p>start</p>', '<p>one</p>'],
  );
});

test('a change that is based on an older version changes nothing and names who was faster', async () => {
  const cid = await draft();
  assert.deepEqual(await edits(cid), []);
  await mia('campaignUpdate', { cid, name: 'html', value: '<p>Mia</p>', base_version: 0, editor: 'm' });
  const late = { cid, base_version: 0, editor: 'b' };
  for (const [name, value] of [
    ['html', '<p>Ben</p>'],
    ['Plain', 'Ben'],
    ['markdown', '# Ben'],
    ['generate_text', false],
  ])
    await assert.rejects(ben('campaignUpdate', { ...late, name, value }), changed('Mia', 'content'));
  assert.equal(await htmlOf(cid), '<p>Mia</p>');
  // Other parts are not what she changed.
  await ben('campaignUpdate', { ...late, name: 'subject', value: "Ben's subject" });
  await assert.rejects(
    mia('campaignUpdate', { cid, name: 'subject', value: 'Mine', base_version: 0, editor: 'm' }),
    changed('Ben', 'subject'),
  );
  assert.deepEqual(
    (await edits(cid, ben)).map(({ part, version, by, self }) => [part, version, by, self]),
    [
      ['content', 1, 'Mia', false],
      ['subject', 1, 'Ben', true],
    ],
  );
  // Who knows her version may overwrite it, and it is kept.
  await ben('campaignUpdate', { ...late, name: 'html', value: '<p>Ben</p>', base_version: 1 });
  assert.equal(await htmlOf(cid), '<p>Ben</p>');
  assert.deepEqual((await history(cid)).at(-1), ['<p>Mia</p>', 'Mia']);
});

test('a window is never in conflict with itself, another window of the same person is', async () => {
  const cid = await draft();
  const write = (editor: string, html: string, base_version = 0) =>
    mia('campaignUpdate', { cid, name: 'html', value: html, base_version, editor });
  await write('one', '<p>1</p>');
  // Its answer may have been lost.
  await write('one', '<p>1</p>');
  await write('one', '<p>2</p>');
  await assert.rejects(write('two', '<p>3</p>'), changed('Mia', 'content'));
  await assert.rejects(write('', '<p>3</p>'), changed('Mia', 'content'));
  await write('two', '<p>3</p>', 3);
  await assert.rejects(write('one', '<p>4</p>'), changed('Mia', 'content'));
});

test('programs that give no version change what they want, and are seen by those that do', async () => {
  const cid = await draft();
  await mia('campaignUpdate', { cid, name: 'html', value: '<p>Mia</p>', base_version: 0, editor: 'm' });
  assert.equal(await app.call('campaignUpdate', { cid, name: 'html', value: '<p>program</p>' }), true);
  await assert.rejects(
    mia('campaignUpdate', { cid, name: 'html', value: '<p>more</p>', base_version: 0, editor: 'm' }),
    (error: Error & { code?: number }) => error.code === 322,
  );
});

test('a restored version counts as a change of the content', async () => {
  const cid = await draft();
  await mia('campaignUpdate', { cid, name: 'html', value: '<p>Mia</p>', base_version: 0, editor: 'm' });
  await ben('campaignVersionRestore', { cid, version: 1, editor: 'b' });
  await assert.rejects(
    mia('campaignUpdate', { cid, name: 'html', value: '<p>more</p>', base_version: 0, editor: 'm' }),
    changed('Ben', 'content'),
  );
  assert.deepEqual((await history(cid)).at(-1), ['<p>Mia</p>', 'Mia']);
});

test('language versions and the A/B test have versions, too', async () => {
  const languages = await draft();
  const german = { cid: languages, language: 'de', subject: 'Neues', html: '<p>Hallo</p>', base_version: 0 };
  await mia('campaignLanguageUpdate', { ...german, editor: 'm' });
  await assert.rejects(ben('campaignLanguageUpdate', { ...german, editor: 'b' }), changed('Mia', 'languages'));
  await assert.rejects(
    ben('campaignLanguageDelete', { cid: languages, language: 'de', base_version: 0, editor: 'b' }),
    changed('Mia', 'languages'),
  );
  await mia('campaignLanguageUpdate', { ...german, subject: 'Noch Neueres', editor: 'm' });
  const cid = await draft();
  const variants = { cid, variants: [{ subject: 'Another' }], base_version: 0 };
  await mia('campaignTestUpdate', { ...variants, editor: 'm' });
  await assert.rejects(ben('campaignTestUpdate', { ...variants, editor: 'b' }), changed('Mia', 'test'));
  await assert.rejects(ben('campaignTestDelete', { cid, base_version: 0, editor: 'b' }), changed('Mia', 'test'));
  await ben('campaignTestDelete', { cid, base_version: 1, editor: 'b' });
});

test('a text that is not saved is kept in History, with its source, and can be restored', async () => {
  const cid = await draft();
  await ben('campaignVersionKeep', {
    cid,
    html: '<h1>Ben</h1>',
    source: '# Ben',
    source_format: 'markdown',
  });
  assert.equal(await htmlOf(cid), '<p>start</p>');
  const [kept] = await app.call<Version[]>('campaignVersions', { cid });
  assert.deepEqual([kept!.replaced_by, kept!.written_by], ['conflict', 'Ben']);
  await ben('campaignVersionRestore', { cid, version: kept!.version });
  assert.deepEqual(await app.call<{ html: string; source: string }>('campaignContent', { cid }), {
    ...(await app.call<object>('campaignContent', { cid })),
    html: '<h1>Ben</h1>',
    source: '# Ben',
    source_format: 'markdown',
  });
  await assert.rejects(ben('campaignVersionKeep', { cid: 'nothing1', html: '<p>x</p>' }), {
    fault: 'CAMPAIGN_UNKNOWN',
  });
});

test('a language version and a variant that are not saved are kept in History by name, and restored where they were', async () => {
  type Part = Version & { part: string; name: string; subject: string; beginning: string };
  const languages = await draft();
  const german = { cid: languages, language: 'de', subject: 'Neues', html: '<p>Mia</p>' };
  await mia('campaignLanguageUpdate', { ...german, editor: 'm' });
  await ben('campaignVersionKeep', {
    cid: languages,
    part: 'languages',
    name: 'de',
    subject: 'Bens Neues',
    html: '<p>Ben</p>',
  });
  const kept = (await app.call<Part[]>('campaignVersions', { cid: languages }))[0]!;
  assert.deepEqual(
    [kept.part, kept.name, kept.subject, kept.written_by, kept.source],
    ['languages', 'de', 'Bens Neues', 'Ben', ''],
  );
  await ben('campaignVersionRestore', { cid: languages, version: kept.version });
  const versionsOf = (cid: string) => app.call<{ subject: string; html: string }[]>('campaignLanguages', { cid });
  assert.deepEqual(
    (await versionsOf(languages)).slice(1).map(({ subject, html }) => [subject, html]),
    [['Bens Neues', '<p>Ben</p>']],
  );
  assert.equal(await htmlOf(languages), '<p>start</p>');
  const [before] = await app.call<Part[]>('campaignVersions', { cid: languages });
  assert.deepEqual([before!.subject, before!.replaced_by, before!.beginning], ['Neues', 'restore', 'Mia']);

  const tested = await draft();
  await mia('campaignTestUpdate', { cid: tested, variants: [{ subject: 'Hers', html: '<p>Hers</p>' }], editor: 'm' });
  const variant = { cid: tested, part: 'test', name: 'B', subject: 'Mine', html: '<p>Mine</p>' };
  await ben('campaignVersionKeep', { ...variant, author: 'last_editor' });
  const [ofTest] = await app.call<Part[]>('campaignVersions', { cid: tested });
  assert.deepEqual([ofTest!.part, ofTest!.name, ofTest!.written_by], ['test', 'B', 'Mia']);
  await ben('campaignVersionRestore', { cid: tested, version: ofTest!.version });
  const { variants } = await app.call<{ variants: { subject: string; html: string }[] }>('campaignTestGet', {
    cid: tested,
  });
  assert.deepEqual([variants[1]!.subject, variants[1]!.html], ['Mine', '<p>Mine</p>']);
  await ben('campaignTestDelete', { cid: tested });
  await assert.rejects(ben('campaignVersionRestore', { cid: tested, version: ofTest!.version }), {
    fault: 'INVALID_PARAMETER',
  });
});

test('those who have a draft open see each other until they have closed it', async () => {
  const cid = await draft();
  type Editing = { others: { name: string; self: boolean }[]; edits: Edit[] };
  const open = (by: Call, editor: string) => by<Editing>('campaignEditing', { cid, editor });
  assert.deepEqual(await open(mia, 'm'), { others: [], edits: [] });
  assert.deepEqual((await open(ben, 'b')).others, [{ name: 'Mia', self: false }]);
  await open(ben, 'another');
  assert.deepEqual((await open(mia, 'm')).others, [{ name: 'Ben', self: false }]);
  assert.deepEqual((await open(ben, 'b')).others, [
    { name: 'Ben', self: true },
    { name: 'Mia', self: false },
  ]);
  await mia('campaignUpdate', { cid, name: 'subject', value: 'New', editor: 'm' });
  const seen = (editing: Editing) => editing.edits.map(({ part, version, own, self }) => [part, version, own, self]);
  assert.deepEqual(seen(await open(mia, 'm')), [['subject', 1, true, true]]);
  assert.deepEqual(seen(await open(mia, 'second')), [['subject', 1, false, true]]);
  assert.deepEqual(seen(await open(ben, 'b')), [['subject', 1, false, false]]);
  await app.app.db.run(
    sql`update campaign_presence set seen_at = seen_at - interval '1 minute' where editor in ('m', 'second', 'another')`,
  );
  assert.deepEqual((await open(ben, 'b')).others, []);
});
