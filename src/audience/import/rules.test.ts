// What imports guarantee with difficult files: no unsubscribed contact is subscribed again, the dry run is right, and an
// import that is stopped resumes. With killed processes: kills.slow.test.ts.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { runs } from '../../../test/support/run/runs.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { membersByStatus } from '../model/tally.ts';
import { appendUpload, createUpload } from './file/upload.ts';
import { runImport } from './run.ts';

type Status = { state: string; reason: string; predicted: Counts; result: Counts; position: number };
type Counts = Record<string, number>;

let t: TestApp;
before(async () => {
  t = await testApp();
});
after(() => t.close());

test('unsubscribed contacts stay unsubscribed unless a reason is given, which is stored; suppressed ones are skipped', async () => {
  const list = await newList();
  await t.call('listSubscribe', { id: list, email_address: 'gone@example.com', merge_vars: {}, double_optin: false });
  await t.call('listUnsubscribe', { id: list, email_address: 'gone@example.com' });
  await t.app.db.run(sql`
    insert into suppression (account_id, kind, value, reason)
    values (${t.account.id}, 'domain', 'blocked.example.com', 'manual')`);
  const file = 'EMAIL,FNAME,STATUS\ngone@example.com,Back,subscribed\nx@blocked.example.com,X,\n';
  const first = await imported(list, file);
  assert.deepEqual([first.result['left'], first.result['suppressed'], first.result['updated']], [1, 1, 0]);
  assert.equal(await statusOn(list, 'gone@example.com'), 'unsubscribed');
  const second = await imported(list, file, { resubscribe: 'signed the form of 3 May' });
  assert.equal(second.result['updated'], 1);
  assert.equal(await statusOn(list, 'gone@example.com'), 'subscribed');
  const evidence = await t.app.db.rows(sql`
    select from consent where list_id = ${parseId(list)} and detail ->> 'grounds' = 'signed the form of 3 May'`);
  assert.equal(evidence.length, 1);
});

test('a status column unsubscribes members', async () => {
  const list = await newList();
  await imported(list, 'EMAIL\na@example.com\n');
  await imported(list, 'EMAIL;Status\na@example.com;abgemeldet\nb@example.com;bounced\n');
  assert.equal(await statusOn(list, 'a@example.com'), 'unsubscribed');
  assert.equal(await statusOn(list, 'b@example.com'), 'bounced');
});

test('a batch that changes fields of some members and the status of others logs and counts each', async () => {
  const list = await newList();
  await imported(list, 'EMAIL,FNAME,LNAME\na@example.net,Ada,Löwe\nb@example.net,Bo,\nc@example.net,Cy,\n');
  const file =
    'EMAIL,FNAME,LNAME,STATUS,LANGUAGE\na@example.net,Eda,,,de\nb@example.net,Bob,,unsubscribed,\nc@example.net,Cy,,,\n';
  const done = await imported(list, file, { empty: 'clear' });
  assert.deepEqual([done.result['updated'], done.result['unchanged']], [2, 1]);
  const logged = await t.app.db.rows<{ key: string; kind: string; fields: string[] }>(sql`
    select c.email_key as key, l.kind, l.detail -> 'fields' as fields
    from consent l
    join contact c on c.account_id = l.account_id and c.id = l.contact_id
    where l.list_id = ${parseId(list)}
      and l.kind <> 'subscribe'
    order by 1, 2`);
  assert.deepEqual(logged, [
    { key: 'a@example.net', kind: 'update', fields: ['FNAME', 'LNAME', 'LANGUAGE'] },
    { key: 'b@example.net', kind: 'unsubscribe', fields: null },
    { key: 'b@example.net', kind: 'update', fields: ['FNAME'] },
  ]);
  const counts = await membersByStatus(t.app.db, t.account.id, parseId(list));
  assert.deepEqual(Object.fromEntries(counts), { subscribed: 2, unsubscribed: 1 });
});

test('if one of several rows of an address is unsubscribed, the address is, whatever their order', async () => {
  const list = await newList();
  await imported(list, 'EMAIL\nthere@example.com\n');
  // More than a batch between the rows of an address.
  const between = Array.from({ length: 5_100 }, (_, i) => `r${i}@example.com,subscribed\n`).join('');
  const file = `EMAIL,STATUS
first@example.com,unsubscribed
last@example.com,subscribed
there@example.com,
both@example.com,bounced
FIRST@example.com,subscribed
${between}last@example.com,opted out
there@EXAMPLE.com,complained
both@example.com,unsubscribed
LAST@example.com,subscribed
dead@example.com,pending
dead@example.com,cleaned
twice@example.com,pending
twice@example.com,subscribed
`;
  const id = await t.call<string>('importCreate', { id: list, content: file });
  await t.call('importDryRun', { import: id });
  await runImport(t.app, t.account.id, parseId(id), true, new AbortController().signal, t.app.log);
  await t.call('importStart', { import: id });
  await run(id);
  const done = await status(id);
  for (const name of ['first', 'last', 'there', 'both'])
    assert.equal(await statusOn(list, `${name}@example.com`), 'unsubscribed', name);
  assert.equal(await statusOn(list, 'dead@example.com'), 'bounced');
  assert.equal(await statusOn(list, 'twice@example.com'), 'pending');
  assert.deepEqual(
    [done.result['rows'], done.result['added'], done.result['updated'], done.result['duplicate']],
    [5_113, 5_105, 1, 7],
  );
  assert.deepEqual(done.result, done.predicted);
});

test('a consent time in the future is not accepted as evidence', async () => {
  const list = await newList();
  const soon = new Date(Date.now() + 60_000).toISOString();
  const later = new Date(Date.now() + 20 * 60_000).toISOString();
  const id = await t.call<string>('importCreate', {
    id: list,
    content: `EMAIL,OPTINTIME\na@example.com,${later}\nb@example.com,${soon}\nc@example.com,2019-01-02\n`,
  });
  await t.call('importStart', { import: id });
  await run(id);
  assert.deepEqual(await t.call('importErrors', { import: id }), [
    { line: 2, column: 'OPTINTIME', value: later, reason: 'left out: is in the future' },
  ]);
  const times = await t.app.db.rows<{ email: string; isLater: boolean }>(sql`
    select c.email, s.optin_at > now() + interval '10 minutes' as "isLater"
    from subscription s
    join contact c on c.account_id = s.account_id and c.id = s.contact_id
    where s.list_id = ${parseId(list)}
    order by c.email`);
  assert.deepEqual(
    times,
    ['a', 'b', 'c'].map((name) => ({ email: `${name}@example.com`, isLater: false })),
  );
});

test('a file that decompresses to too much is refused before it fills the memory', async () => {
  const list = await newList();
  const bomb = gzipSync(
    Buffer.concat([Buffer.from('EMAIL\n'), Buffer.from('a@example.com\n'), Buffer.alloc(32 * 1024 * 1024, '\n')]),
  );
  const upload = await createUpload(t.app.db, t.account.id, 'bomb.csv.gz');
  await appendUpload(t.app.db, t.account.id, upload, 0, pieces(bomb));
  const id = await t.call<string>('importCreate', { id: list, upload: formatId(upload) });
  await t.call('importStart', { import: id });
  assert.equal(await run(id), 'failed');
  assert.match((await status(id)).reason, /unpacks to too many times/);
});

test('a stopped import writes nothing more and resumes where it was', async () => {
  const list = await newList();
  const id = await t.call<string>('importCreate', { id: list, content: rows(20_000) });
  await t.call('importStart', { import: id });
  const running = run(id);
  while ((await status(id)).position === 0) await sleep(5);
  await t.call('importStop', { import: id });
  const at = (await status(id)).position;
  assert.equal(await running, 'stopped');
  assert.equal((await status(id)).position, at);
  assert.ok(at > 0 && at < 20_000);
  await t.call('importStart', { import: id });
  assert.equal(await run(id), 'finished');
  assert.equal((await status(id)).result['added'], 20_000);
});

test('a dry run predicts exactly what the run does, for any file', async () => {
  const list = await newList();
  const cell = fc.constantFrom('', 'Ann', 'Bo, "B"', "'=1", 'é');
  const email = fc.integer({ min: 0, max: 25 }).map((n) => (n > 22 ? `wrong${n}` : `p${n}@example.com`));
  const line = fc.record({
    email,
    name: cell,
    state: fc.constantFrom('', 'subscribed', 'unsubscribed', 'bounced', '?'),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: 1, maxLength: 30 }),
      fc.constantFrom('add', 'add_update', 'update'),
      fc.constantFrom('keep', 'clear'),
      async (lines, update, empty) => {
        const text = lines.map((one) => `${one.email},"${one.name.replaceAll('"', '""')}",${one.state}\n`).join('');
        const id = await t.call<string>('importCreate', {
          id: list,
          content: `EMAIL,FNAME,STATUS\n${text}`,
          // Decided, also where a file has only words that say nothing.
          options: { update, empty, delimiter: ',', quote: '"', header: 'yes', mapping: { STATUS: 'STATUS' } },
        });
        await t.call('importDryRun', { import: id });
        assert.equal(await run(id, true), 'finished');
        await t.call('importStart', { import: id });
        assert.equal(await run(id), 'finished');
        const { predicted, result } = await status(id);
        assert.deepEqual(result, predicted);
        const { rows: all, added_left, values_left_out, ...outcomes } = result;
        assert.equal(values_left_out, 0);
        assert.equal(all, lines.length);
        assert.ok(added_left! <= outcomes.added!);
        assert.equal(
          Object.values(outcomes).reduce((sum, count) => sum + count, 0),
          lines.length,
        );
      },
    ),
    { numRuns: runs(40, 8) },
  );
});

const newList = () => t.call<string>('listCreate', { title: 'Readers' });
const run = (id: string, dry = false) =>
  runImport(t.app, t.account.id, parseId(id), dry, new AbortController().signal, t.app.log);
const status = (id: string) => t.call<Status>('importGet', { import: id });

async function imported(list: string, content: string, options: Record<string, unknown> = {}): Promise<Status> {
  const id = await t.call<string>('importCreate', { id: list, content, options });
  await t.call('importStart', { import: id });
  await run(id);
  return status(id);
}

const statusOn = async (list: string, email: string) =>
  (await t.call<{ status: string }>('listMemberInfo', { id: list, email_address: email })).status;

function rows(count: number): string {
  return `EMAIL,FNAME\n${Array.from({ length: count }, (_, i) => `reader${i}@example.com,Reader ${i}\n`).join('')}`;
}

async function* pieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}
