// Files for imports as they really arrive: uploaded by the web application and by programs, compressed or not, in every
// encoding; and how many confirmations an import with double opt-in may send to a mailbox.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { askToConfirm } from '../../src/audience/confirmation/confirmation-limit.ts';
import { runImport } from '../../src/audience/import/run.ts';
import { undoImport } from '../../src/audience/import/undo.ts';
import { sql } from '../../src/db/connect.ts';
import { parseId } from '../../src/db/ids.ts';
import { type JobRunner, runJobs } from '../../src/jobs/queue.ts';
import { Browser } from '../support/browser/session.ts';
import { zipOf } from '../support/builders/archives.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { until } from '../support/run/until.ts';

let t: TestApp;
let base: string;
let browser: Browser;
before(async () => {
  t = await testApp();
  base = await t.listen();
  browser = new Browser(base);
  await browser.signIn('owner@example.com', 'correct horse');
});
after(() => t.close());

type Status = { state: string; reason: string; result: Record<string, number> };
const newList = () => t.call<string>('listCreate', { title: 'Readers' });
const names = async (list: string) => {
  const rows = await t.app.db.rows<{ email: string; name: string }>(sql`
    select c.email, s.fields ->> 'FNAME' as name
    from subscription s
    join contact c on c.account_id = s.account_id and c.id = s.contact_id
    where s.list_id = ${parseId(list)}
    order by c.email`);
  return rows.map(({ email, name }) => `${email} ${name}`);
};
const finish = async (id: string): Promise<Status> => {
  await t.call('importStart', { import: id });
  await runImport(t.app, t.account.id, parseId(id), false, new AbortController().signal, t.app.log);
  return t.call<Status>('importGet', { import: id });
};

/** The two doors a file comes through, and the call that follows. */
const doors = {
  session: {
    headers: () => ({ cookie: `postrider_session=${browser.cookie}`, 'sec-fetch-site': 'same-origin' }),
    call: async (method: string, params: Record<string, unknown>) => {
      const { status, body } = await browser.call<string>(method, params);
      assert.equal(status, 200, JSON.stringify(body));
      return body;
    },
  },
  key: {
    headers: () => ({ authorization: `Bearer ${t.key}` }),
    call: async (method: string, params: Record<string, unknown>) => {
      const response = await fetch(`${base}/api/${method}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${t.key}`, 'content-type': 'application/json' },
        body: JSON.stringify(params),
      });
      assert.equal(response.status, 200);
      return (await response.json()) as string;
    },
  },
};
const upload = async (door: keyof typeof doors, name: string, bytes: Buffer) => {
  const response = await fetch(`${base}/upload?name=${encodeURIComponent(name)}`, {
    method: 'POST',
    headers: { ...doors[door].headers(), 'content-type': 'application/octet-stream' },
    body: new Uint8Array(bytes),
  });
  const answer = (await response.json()) as { id: string; size: number };
  assert.equal(response.status, 200, JSON.stringify(answer));
  assert.equal(answer.size, bytes.length);
  return answer.id;
};

const file = Buffer.from('EMAIL;FNAME\nann@example.com;Ann\nzoe@example.com;Zoë\n');
const packings: [name: string, bytes: () => Buffer][] = [
  ['readers.csv', () => file],
  ['readers.csv.gz', () => gzipSync(file)],
  ['readers.zip', () => zipOf([{ name: 'readers.csv', body: file }])],
];
for (const door of ['session', 'key'] as const)
  for (const [name, bytes] of packings)
    test(`${name} is imported by upload with a ${door}`, async () => {
      const list = await newList();
      const id = await doors[door].call('importCreate', {
        id: list,
        upload: await upload(door, name, bytes()),
        options: { mapping: { FNAME: 'FNAME' } },
      });
      const status = await finish(id);
      assert.equal(status.state, 'done', status.reason);
      assert.deepEqual(await names(list), ['ann@example.com Ann', 'zoe@example.com Zoë']);
    });

test('a file that a foreign page sends with the cookie of a session is refused', async () => {
  const response = await fetch(`${base}/upload`, {
    method: 'POST',
    headers: {
      cookie: `postrider_session=${browser.cookie}`,
      'sec-fetch-site': 'cross-site',
      origin: 'https://elsewhere.example',
      'content-type': 'application/octet-stream',
    },
    body: new Uint8Array(file),
  });
  assert.ok(response.status === 401 || response.status === 403, String(response.status));
});

test('a zip with several files, or none, or one that is damaged is refused with its reason', async () => {
  const list = await newList();
  const whole = zipOf([{ name: 'readers.csv', body: file }]);
  for (const [bytes, reason] of [
    [
      zipOf([
        { name: 'a.csv', body: file },
        { name: 'b.csv', body: file },
      ]),
      /contains 2 files; it must contain exactly one/,
    ],
    [whole.subarray(0, whole.length - 30), /./],
    [gzipSync(file).subarray(0, 30), /./],
  ] as const) {
    const given = await upload('key', 'x', Buffer.from(bytes));
    let failure = '';
    try {
      const id = await t.call<string>('importCreate', { id: list, upload: given });
      const status = await finish(id);
      assert.equal(status.state, 'failed');
      failure = status.reason;
    } catch (error) {
      failure = String((error as Error).message);
    }
    assert.match(failure, reason);
    assert.doesNotMatch(failure, /Internal error/);
  }
  assert.deepEqual(await names(list), []);
});

const swapped = (text: string) => Buffer.from(text, 'utf16le').swap16();
const text = 'EMAIL,FNAME\nann@example.com,Ann\nzoe@example.com,Zoë Müßé\n';
const encodings: [name: string, bytes: Buffer, encoding?: string][] = [
  ['utf-8', Buffer.from(text)],
  ['utf-8 with a mark', Buffer.from(`\ufeff${text}`)],
  ['windows-1252, detected', Buffer.from(text, 'latin1')],
  ['iso-8859-1, as stated', Buffer.from(text, 'latin1'), 'iso-8859-1'],
  ['windows-1252, as stated', Buffer.from(text, 'latin1'), 'windows-1252'],
  ['utf-16le with a mark', Buffer.from(`\ufeff${text}`, 'utf16le')],
  ['utf-16be with a mark', swapped(`\ufeff${text}`)],
  ['utf-16le without', Buffer.from(text, 'utf16le')],
  ['utf-16be, as stated', swapped(text), 'utf-16be'],
];
test('values are imported as written, whatever the encoding of the file', async () => {
  for (const [name, bytes, encoding] of encodings) {
    const list = await newList();
    const id = await t.call<string>('importCreate', {
      id: list,
      upload: await upload('key', 'readers.csv', bytes),
      options: encoding === undefined ? {} : { encoding },
    });
    const status = await finish(id);
    assert.equal(status.state, 'done', `${name}: ${status.reason}`);
    assert.deepEqual(await names(list), ['ann@example.com Ann', 'zoe@example.com Zoë Müßé'], name);
  }
  const greek = Buffer.from('EMAIL,FNAME\nnik@example.com,', 'latin1');
  // Νίκος in ISO-8859-7, and Иван in windows-1251: only readable when the encoding is stated.
  for (const [encoding, letters, expected] of [
    ['iso-8859-7', [0xcd, 0xdf, 0xea, 0xef, 0xf2], 'Νίκος'],
    ['windows-1251', [0xc8, 0xe2, 0xe0, 0xed], 'Иван'],
    ['shift_jis', [0x91, 0xbe, 0x98, 0x59], '太郎'],
  ] as const) {
    const list = await newList();
    const bytes = Buffer.concat([greek, Buffer.from(letters), Buffer.from('\n')]);
    const id = await t.call<string>('importCreate', {
      id: list,
      upload: await upload('key', 'readers.csv', bytes),
      options: { encoding },
    });
    assert.equal((await finish(id)).state, 'done');
    assert.deepEqual(await names(list), [`nik@example.com ${expected}`], encoding);
  }
  const list = await newList();
  await assert.rejects(
    t.call('importCreate', { id: list, content: text, options: { encoding: 'klingon' } }),
    /encoding|klingon/,
  );
});

test('an import with double opt-in sends a mailbox one confirmation per list and day, and three a day in all', async () => {
  const jobs: JobRunner = await runJobs(t.app, { askToConfirm }, 2);
  try {
    const email = 'vic.tim@gmail.com';
    // The same mailbox, as a second contact.
    const content = `EMAIL\n${email}\nvictim+x@googlemail.com\nother@example.com\n`;
    const asked = async (address: string) =>
      (await t.app.db.row<{ count: number }>(sql`
        select count(*)::int as count
        from graphile_worker._private_jobs j
        join graphile_worker._private_tasks k on k.id = j.task_id
        join contact c on c.id = (j.payload ->> 'contact_id')::int
        where k.identifier = 'sendConfirmation'
          and c.email = ${address}`))!.count;
    const settled = () =>
      until('all are judged', async () => {
        const row = await t.app.db.row<{ count: number }>(sql`
          select count(*)::int as count
          from graphile_worker._private_jobs j
          join graphile_worker._private_tasks k on k.id = j.task_id
          where k.identifier = 'askToConfirm'`);
        return row!.count === 0;
      });
    const bring = async (list: string) => {
      const id = await t.call<string>('importCreate', { id: list, content, options: { double_optin: true } });
      const status = await finish(id);
      await settled();
      return { id, status };
    };
    const first = await newList();
    const { id, status } = await bring(first);
    assert.equal(status.result['added'], 3);
    const pending = await t.app.db.rows<{ status: string }>(sql`
      select distinct status from subscription where list_id = ${parseId(first)}`);
    assert.deepEqual(pending, [{ status: 'pending' }], 'no one is subscribed without confirmation');
    const both = async () => (await asked(email)) + (await asked('victim+x@googlemail.com'));
    assert.deepEqual([await both(), await asked('other@example.com')], [1, 1]);
    // Taken back and brought again, by an import and by a call: nothing more.
    await t.call('importUndo', { import: id });
    await undoImport(t.app, t.account.id, parseId(id), new AbortController().signal);
    await bring(first);
    await t.call('listSubscribe', { id: first, email_address: email });
    const confirmations = async () =>
      (await t.app.db.row<{ count: number }>(sql`
        select count(*)::int as count
        from graphile_worker._private_jobs j
        join graphile_worker._private_tasks k on k.id = j.task_id
        where k.identifier = 'sendConfirmation'`))!.count;
    assert.equal(await confirmations(), 2);
    for (let i = 0; i < 4; i++) await bring(await newList());
    // Three of each mailbox in all.
    assert.equal(await confirmations(), 6);
  } finally {
    await jobs.stop();
  }
});
