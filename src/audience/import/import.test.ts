// Imports from the file to the list, through the methods, with the task in this process.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sample } from '../../../test/support/run/runs.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { importRecords, statusOf } from './record.ts';
import { runImport } from './run.ts';
import { undoImport } from './undo.ts';

type Status = { state: string; reason: string; predicted: Counts; result: Counts; undone: Record<string, number> };
type Counts = Record<string, number>;
type Member = { email: string; status: string; merges: Record<string, string>; email_type: string; ip_opt: string };

let t: TestApp;
before(async () => {
  t = await testApp();
});
after(() => t.close());

test('a file is mapped, tried in a dry run, imported and found on the list with its consent evidence', async () => {
  const list = await newList();
  const id = await t.call<string>('importCreate', {
    id: list,
    content:
      '\ufeffE-Mail;Vorname;Nachname;Stadt;Opt-in IP\r\nann@example.com;Ann;"Lee; the first";Rome;192.0.2.7\r\nBob <BOB@Example.com>;Bob;;;\r\nno address;;;;\r\nann@EXAMPLE.com;Anna;;;\r\n',
    options: { mapping: { Stadt: 'new:CITY' } },
  });
  assert.equal(await t.call('importDryRun', { import: id }), true);
  assert.equal(await run(id, true), 'finished');
  const predicted = (await status(id)).predicted;
  assert.deepEqual(some(predicted), { rows: 4, added: 2, invalid: 1, duplicate: 1 });
  assert.equal((await t.call<unknown[]>('listMembers', { id: list })).length, 0);
  await t.call('importStart', { import: id });
  assert.equal(await run(id), 'finished');
  const after = await status(id);
  assert.equal(after.state, 'done');
  assert.deepEqual(after.result, predicted);
  const ann = await member(list, 'ann@example.com');
  assert.deepEqual(ann.merges, { EMAIL: 'ann@example.com', FNAME: 'Ann', LNAME: 'Lee; the first', CITY: 'Rome' });
  assert.equal(ann.status, 'subscribed');
  assert.equal(ann.ip_opt, '192.0.2.7');
  assert.deepEqual(await t.call('importErrors', { import: id }), [
    {
      line: 4,
      column: 'E-Mail',
      value: 'no address',
      reason: 'the address contains a space or an invisible character',
    },
    { line: 5, column: '', value: 'ann@example.com', reason: 'duplicate of an earlier row' },
  ]);
  const evidence = await t.app.db.rows<{ kind: string; source: string; detail: { import: string } }>(sql`
    select kind, source, detail from consent where list_id = ${parseId(list)}`);
  assert.equal(evidence.length, 2);
  assert.ok(
    evidence.every((entry) => entry.kind === 'subscribe' && entry.source === 'import' && entry.detail.import === id),
  );
});

test('the preview warns of an encoding that was guessed, until one is chosen, and of times that cannot be read', async () => {
  const list = await newList();
  const upload = await t.app.db.row<{ id: number }>(sql`
    insert into upload (account_id, name, size) values (${t.account.id}, 'x.csv', 60) returning id`);
  const bytes = Buffer.from('EMAIL,FNAME,OPTINTIME\nann@example.com,J\u00fcrgen,43470\n'.padEnd(60, '\n'), 'latin1');
  await t.app.db.run(sql`
    insert into upload_piece (account_id, upload_id, at, bytes) values (${t.account.id}, ${upload!.id}, 0, ${bytes})`);
  const id = await t.call<string>('importCreate', { id: list, upload: formatId(upload!.id) });
  const warnings = async () => (await t.call<{ warnings: string[] }>('importPreview', { import: id })).warnings;
  const time =
    'The column OPTINTIME has values that are not times such as 2026-05-31 12:00:00, for example “43470”. Such values are left out.';
  assert.deepEqual(await warnings(), [
    'The encoding of the file was guessed as windows-1252. If letters look wrong below, choose another one.',
    time,
  ]);
  await t.call('importUpdate', { import: id, mapping: {} });
  assert.equal((await warnings()).length, 2);
  await t.call('importUpdate', { import: id, options: { encoding: 'macintosh' } });
  assert.deepEqual(await warnings(), [time]);
  await t.call('importUpdate', { import: id, mapping: { OPTINTIME: '' } });
  assert.deepEqual(await warnings(), []);
});

test('a quotation mark that is not closed is reported with its row', async () => {
  const content = 'EMAIL,FNAME\nann@example.com,Ann\nbob@example.com,"Bob\n';
  await assert.rejects(t.call('importCreate', { id: await newList(), content }), {
    fault: 'IMPORT_INVALID',
    message: 'The file cannot be read: a quotation mark in row 3 is not closed',
  });
});

test('the preview warns of date columns with values in no accepted form', async () => {
  const list = await newList();
  await t.call('listMergeVarAdd', { id: list, tag: 'BORN', name: 'Born', options: { field_type: 'date' } });
  const warnings = async (rows: string, mapping: Record<string, string> = {}) => {
    const content = `EMAIL,BORN,Since\n${rows}`;
    const id = await t.call<string>('importCreate', { id: list, content, options: { mapping } });
    return (await t.call<{ warnings: string[] }>('importPreview', { import: id })).warnings;
  };
  assert.deepEqual(
    await warnings('a@x.example,1970-12-31,\nb@x.example,31.12.1970,44197\nc@x.example,\\N,1/5/19\n'),
    [],
  );
  assert.deepEqual(await warnings('a@x.example,1970-12-31,\nb@x.example,25933,44197\n', { Since: 'new:SINCE:date' }), [
    'The column BORN has values that are not dates such as 2026-05-31, for example “25933”. Such values are left out.',
    'The column Since has values that are not dates such as 2026-05-31, for example “44197”. Such values are left out.',
  ]);
});

test('the samples of a column are its first values that differ, without blank ones', async () => {
  const list = await newList();
  const cities = ['', 'Rome', 'Rome', ' ', '', '', 'Oslo', 'Rome', 'Bergen'];
  const content = `EMAIL,City\n${cities.map((city, no) => `p${no}@x.example,${city}`).join('\n')}\n`;
  const id = await t.call<string>('importCreate', { id: list, content });
  const { columns } = await t.call<{ columns: { samples: string[] }[] }>('importPreview', { import: id });
  assert.deepEqual(columns[1]!.samples, ['Rome', 'Oslo', 'Bergen']);
});

test('the headings may be followed by empty lines, however many', async () => {
  const list = await newList();
  for (const lineEnd of sample(['\r\n', '\n'], 2)) {
    const lines = ['EMAIL,FNAME', ...Array(300 * 1024).fill(''), `ann${lineEnd.length}@example.com,Ann`, ''];
    const id = await start(list, lines.join(lineEnd));
    assert.deepEqual(some((await status(id)).result), { rows: 1, added: 1 });
    assert.equal((await member(list, `ann${lineEnd.length}@example.com`)).merges['FNAME'], 'Ann');
  }
});

test('a file with backslashes before quotation marks, as MySQL exports it, is read', async () => {
  const list = await newList();
  const id = await start(
    list,
    '"EMAIL","FNAME","LNAME"\n"ann@example.com","A \\"x\\" B","C:\\\\new"\n"bob@example.com","two\\\nlines",\\N\n',
  );
  assert.deepEqual(some((await status(id)).result), { rows: 2, added: 2 });
  const { FNAME, LNAME } = (await member(list, 'ann@example.com')).merges;
  assert.deepEqual([FNAME, LNAME], ['A "x" B', 'C:\\new']);
  const bob = (await member(list, 'bob@example.com')).merges;
  assert.deepEqual([bob['FNAME'], bob['LNAME']], ['two\nlines', '']);
});

test('undoing an import removes what it added and restores what it changed, except what changed since', async () => {
  const list = await newList();
  for (const [email, name] of [
    ['old@example.com', 'Old'],
    ['busy@example.com', 'Busy'],
  ])
    await t.call('listSubscribe', { id: list, email_address: email, merge_vars: { FNAME: name }, double_optin: false });
  const id = await start(
    list,
    'EMAIL,FNAME\nold@example.com,New\nbusy@example.com,New\nfresh@example.com,F\nleft@example.com,L\n',
  );
  assert.deepEqual(some((await status(id)).result), { rows: 4, added: 2, updated: 2 });
  await t.call('listUpdateMember', { id: list, email_address: 'busy@example.com', merge_vars: { FNAME: 'Own' } });
  await t.call('listUnsubscribe', { id: list, email_address: 'left@example.com' });
  await t.call('importUndo', { import: id });
  assert.equal(await undoImport(t.app, t.account.id, parseId(id), new AbortController().signal), 'finished');
  const after = await status(id);
  assert.equal(after.state, 'undone');
  assert.deepEqual(after.undone, { removed: 1, put_back: 1, kept: 2 });
  assert.equal((await member(list, 'old@example.com')).merges['FNAME'], 'Old');
  assert.equal((await member(list, 'busy@example.com')).merges['FNAME'], 'Own');
  assert.equal((await member(list, 'left@example.com')).status, 'unsubscribed');
  await assert.rejects(member(list, 'fresh@example.com'));
});

test('undoing an import keeps who has changed since as a contact: pause, tracking, tags, language', async () => {
  for (const known of [false, true]) {
    const [list, other] = [await newList(), await newList()];
    const names = ['elsewhere', 'language', 'nothing', 'pause', 'tags', 'track'];
    const of = (name: string) => `${name}-${known ? 'known' : 'new'}@undo.example`;
    if (known)
      for (const name of names)
        await t.call('listSubscribe', {
          id: list,
          email_address: of(name),
          merge_vars: { FNAME: 'Old' },
          double_optin: false,
        });
    const id = await start(list, `EMAIL,FNAME\n${names.map((name) => `${of(name)},New`).join('\n')}\n`);
    await t.call('contactPause', { email: of('pause'), until: '2037-01-01 00:00:00' });
    await t.call('contactTrackingUpdate', { email: of('track'), tracked: false });
    await t.call('contactTagsUpdate', { emails: [of('tags')], add: ['vip'] });
    await t.call('listUpdateMember', {
      id: list,
      email_address: of('language'),
      merge_vars: { LANGUAGE: 'fr' },
    });
    // The contact itself stays as it is: only the membership of this list goes.
    await t.call('listSubscribe', { id: other, email_address: of('elsewhere'), double_optin: false });
    await t.call('importUndo', { import: id });
    assert.equal(await undoImport(t.app, t.account.id, parseId(id), new AbortController().signal), 'finished');
    assert.deepEqual((await status(id)).undone, { removed: known ? 0 : 2, put_back: known ? 2 : 0, kept: 4 });
    const found = await t.app.db.rows<{ email: string; name: string }>(sql`
      select c.email, s.fields ->> 'FNAME' as name
      from subscription s
      join contact c on c.account_id = s.account_id and c.id = s.contact_id
      where s.list_id = ${parseId(list)}
        and (s.fields ->> 'FNAME' = 'New')
      order by c.email`);
    assert.deepEqual(
      found.map(({ email }) => email),
      ['language', 'pause', 'tags', 'track'].map(of),
    );
  }
});

test('the timeline of a contact shows which fields an import changed, and nothing when none changed', async () => {
  const list = await newList();
  for (const n of ['one', 'two', 'three'])
    await t.call('listSubscribe', {
      id: list,
      email_address: `${n}@told.example`,
      merge_vars: { FNAME: 'Old', LNAME: n },
      double_optin: false,
    });
  const id = await start(
    list,
    'EMAIL,FNAME,LNAME,LANGUAGE\none@told.example,New,,de\ntwo@told.example,Old,two,\nthree@told.example,Old,3,\nfour@told.example,F,4,de\n',
    { empty: 'clear' },
  );
  assert.deepEqual(some((await status(id)).result), { rows: 4, added: 1, updated: 2, unchanged: 1 });
  const returned = async (n: string) =>
    (
      await t.call<{ what: string; source: string; detail: string; evidence: Record<string, string> }[]>(
        'contactTimeline',
        { email: `${n}@told.example` },
      )
    )
      .filter(({ what }) => what === 'update')
      .map(({ source, detail, evidence }) => [source, detail, evidence['import'] === id, evidence['line']]);
  assert.deepEqual(await returned('one'), [['import', 'FNAME, LNAME, LANGUAGE', true, '2']]);
  assert.deepEqual(await returned('two'), []);
  assert.deepEqual(await returned('three'), [['import', 'LNAME', true, '4']]);
  assert.deepEqual(await returned('four'), []);
});

test('the rate of a finished import covers its whole run, however long ago it was', async () => {
  const id = await start(await newList(), 'EMAIL\nx@example.com\ny@example.com\nz@example.com\n');
  await t.app.db.run(sql`
    update import
    set started_at = ended_at - interval '1.5 seconds', run_at = ended_at - interval '1 second'
    where id = ${parseId(id)}`);
  const [record] = await importRecords(t.app.db, t.account.id, sql`i.id = ${parseId(id)}`);
  for (const laterMs of [0, 1_000, 3_600_000, 86_400_000]) {
    const { rate, share, finish_at } = statusOf(record!, new Date(record!.endedAt!.getTime() + laterMs), 'en');
    assert.deepEqual([rate, share, finish_at], [2, 1, '']);
  }
});

async function newList(): Promise<string> {
  return t.call<string>('listCreate', { title: 'Readers' });
}

async function start(list: string, content: string, options: Record<string, unknown> = {}): Promise<string> {
  const id = await t.call<string>('importCreate', { id: list, content, options });
  await t.call('importStart', { import: id });
  await run(id);
  return id;
}

const run = (id: string, dry = false) =>
  runImport(t.app, t.account.id, parseId(id), dry, new AbortController().signal, t.app.log);
const status = (id: string) => t.call<Status>('importGet', { import: id });
const member = (list: string, email: string) => t.call<Member>('listMemberInfo', { id: list, email_address: email });
const some = (counts: Counts) => Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
