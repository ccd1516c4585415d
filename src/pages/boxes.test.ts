// Yes/no and multiple choice as check boxes: on the sign-up form and the preference page, and that any names survive the way from a
// form through the export into an import and a segment.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { formOf } from '../../test/support/builders/html-form.ts';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { runs } from '../../test/support/run/runs.ts';
import { exportRows } from '../audience/export/rows.ts';
import { runImport } from '../audience/import/run.ts';
import { distinctChoices, storedChoices } from '../audience/model/chosen.ts';
import { openedToken } from '../audience/signup/form.ts';
import { sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import { tokensOf } from '../tracking/token-secret.ts';
import { createServer } from '../web.ts';

let app: TestApp;
let server: Awaited<ReturnType<typeof createServer>>;
before(async () => {
  app = await testApp({ TRUST_PROXY: '127.0.0.1/32' });
  server = await createServer(app.app);
});
after(async () => {
  await server.close();
  await app.close();
});

type Fields = Record<string, Record<string, unknown>>;
async function newList(fields: Fields, title = 'Letter') {
  const id = await app.call<string>('listCreate', { title });
  for (const [tag, options] of Object.entries(fields))
    await app.call('listMergeVarAdd', { id, tag, name: `Field ${tag}`, options });
  const path = new URL((await app.call<{ url: string }>('listForm', { id })).url).pathname;
  return { id, path };
}

let next = 0;
const request = (method: 'GET' | 'POST', url: string, pairs: [string, string][] = []) =>
  server.inject({
    method,
    url,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-forwarded-for': `203.0.${(next >> 8) & 255}.${next++ & 255}`,
    },
    ...(method === 'POST' && { payload: new URLSearchParams(pairs).toString() }),
  });
/** Opens the form, ticks boxes by name and value, and sends it. */
async function signUp(path: string, email: string, boxes: [string, string][], query = '') {
  const page = (await request('GET', `${path}${query}`)).body;
  const pairs = formOf(page).filter(([name]) => !['EMAIL', 'CONSENT', 'LOOK', 'CONTACT_URL'].includes(name));
  const LOOK = openedToken(app.app, path.split('/').at(-1)!, Date.now() - 5_000 - next);
  const given: [string, string][] = [['EMAIL', email], ['CONSENT', '1'], ['LOOK', LOOK], ...pairs, ...boxes];
  return { page, answer: (await request('POST', path, given)).body };
}
const merges = async (id: string, email_address: string) =>
  (await app.call<{ merges: Record<string, string>; id: string }>('listMemberInfo', { id, email_address })).merges;

test('a form has a box for each choice; unticked is no, and what is required is asked for beside it', async () => {
  const { id, path } = await newList({
    VIP: { field_type: 'yes_no', req: true },
    TOPICS: { field_type: 'multiple_choice', choices: ['Food', 'Wine, <b>red</b>', '0'], req: true },
  });
  const { page, answer } = await signUp(path, 'none@example.com', []);
  assert.match(page, /<label for="f-VIP">Field VIP<\/label>/);
  assert.match(page, /<legend>Field TOPICS .*<\/legend>/);
  assert.match(page, /<span>Wine, &lt;b&gt;red&lt;\/b&gt;<\/span>/);
  assert.doesNotMatch(page, /name="VIP" type="checkbox"[^>]* required/);
  assert.match(answer, /id="f-TOPICS-problem"/);
  assert.doesNotMatch(answer, /id="f-VIP-problem"/);
  const boxes = [...page.matchAll(/name="TOPICS" value="([^"]*)"/g)].map(([, value]) => value!);
  const ticked = ['', 'Wine\\, &lt;b&gt;red&lt;/b&gt;', '0,'];
  assert.deepEqual(
    boxes.filter((box) => ticked.includes(box)),
    ticked,
  );
  await signUp(path, 'ann@example.com', [
    ['VIP', '1'],
    ['TOPICS', '0,'],
    ['TOPICS', 'Wine\\, <b>red</b>'],
  ]);
  const { VIP, TOPICS } = await merges(id, 'ann@example.com');
  assert.deepEqual([VIP, TOPICS], ['yes', 'Wine\\, <b>red</b>, 0']);
  // Other forms post names as they are, with [] or not; the address of the form ticks boxes.
  await signUp(path, 'bob@example.com', [
    ['TOPICS[]', 'Food'],
    ['TOPICS[]', '0'],
  ]);
  assert.deepEqual(
    [(await merges(id, 'bob@example.com')).VIP, (await merges(id, 'bob@example.com')).TOPICS],
    ['no', 'Food, 0'],
  );
  const ahead = await signUp(path, 'eve@example.com', [], '?vip=ja&TOPICS=Food&TOPICS=Cheese');
  assert.match(ahead.page, /name="VIP" type="checkbox" value="1" checked/);
  assert.match(ahead.page, /value="Food" id="f-TOPICS-1" checked/);
  assert.equal((await merges(id, 'eve@example.com')).TOPICS, 'Food');
});

/** The preference page of a contact of a list. */
async function preferences(id: string, email_address: string) {
  const member = await app.call<{ id: string }>('listMemberInfo', { id, email_address });
  const of = { account: app.account.id, campaign: 1, seq: 1, contact: parseId(member.id), lists: [parseId(id)] };
  const url = `/p/${tokensOf(app.app).tokens(of).profile}`;
  const open = async () => formOf((await request('GET', url)).body);
  return { open, save: (pairs: [string, string][]) => request('POST', url, pairs) };
}

test('the preference page ticks what is chosen, and saves what is ticked and unticked', async () => {
  const choices = ['Food', 'Wine, red', 'Back\\slash'];
  const { id } = await newList({
    VIP: { field_type: 'yes_no' },
    NEWS: { field_type: 'yes_no' },
    TOPICS: { field_type: 'multiple_choice', choices },
  });
  const email_address = 'reader@example.com';
  await app.call('listSubscribe', {
    id,
    email_address,
    merge_vars: { VIP: 'yes', TOPICS: ['Food', 'Wine, red'] },
    double_optin: false,
  });
  const page = await preferences(id, email_address);
  const values = async () => {
    const { VIP, NEWS, TOPICS } = await merges(id, email_address);
    return [VIP, NEWS, TOPICS];
  };
  const opened = await page.open();
  assert.deepEqual(
    opened.filter(([name]) => name.startsWith('field.TOPICS')).map(([, value]) => value),
    ['', 'Food', 'Wine\\, red'],
  );
  // Saved as it is: what was never answered is still no answer.
  await page.save(opened);
  assert.deepEqual(await values(), ['yes', '', 'Food, Wine\\, red']);
  await page.save(opened.filter(([name, value]) => !(name === 'field.VIP' && value === '1') && value !== 'Food'));
  assert.deepEqual(await values(), ['no', '', 'Wine\\, red']);
  const again = await page.open();
  await page.save(again.filter(([name, value]) => name !== 'field.TOPICS' || value === ''));
  assert.deepEqual(await values(), ['no', '', '']);
  // A form that does not have the fields changes nothing.
  await page.save([...(await page.open()), ['field.TOPICS', 'Back\\\\slash'], ['field.NEWS', '1']]);
  await page.save([
    ['form', 'preferences'],
    [`list.${id}`, 'on'],
    ['email_type', 'html'],
  ]);
  assert.deepEqual(await values(), ['no', 'yes', 'Back\\\\slash']);
  // A choice that is renamed while the page is open: the page says so, and nothing is lost.
  const open = await page.open();
  await app.call('listMergeVarUpdate', {
    id,
    tag: 'TOPICS',
    options: { rename_choices: [{ from: 'Back\\slash', to: 'B' }] },
  });
  const wrong = await page.save([...open, ['field.TOPICS', 'Food']]);
  assert.equal(wrong.statusCode, 400);
  assert.match(wrong.body, /This was not saved: [^<:]+: This value is not valid here\.</);
  await page.save(open);
  assert.deepEqual(await values(), ['no', 'yes', 'B']);
});

test('any set of any names survives form, export, import and segment', async () => {
  for (let round = 0; round < runs(300) / 30; round++) await roundTrip();
});

async function roundTrip() {
  const name = fc.oneof(
    fc.string({
      unit: fc.constantFrom('\\', ',', ' ', ';', '|', '"', "'", '[', ']', 'a', 'B', '0', '<', '*', '=', 'é', '%', '_'),
      maxLength: 7,
    }),
    fc.string({ unit: 'grapheme', maxLength: 8 }),
    fc.constantFrom('0', '["a","B"]', 'a, B', 'a\\, B', 'null', 'N/A', '__proto__', '=1+1', '-1', '@a', 'yes', "'x"),
  );
  const clean = (names: string[]) => distinctChoices(names).filter((each) => !/\p{C}/u.test(each));
  const [names] = fc.sample(fc.array(name, { minLength: 10, maxLength: 14 }).map(clean), 1) as [string[]];
  const options = { field_type: 'multiple_choice', choices: names };
  const from = await newList({ SET: options }, 'From');
  const to = await newList({ SET: options }, 'To');
  const kept = (await app.call<{ tag: string; predefined_values: string[] }[]>('listMergeVars', { id: from.id })).find(
    ({ tag }) => tag === 'SET',
  )!.predefined_values;
  assert.deepEqual(kept, names);
  const page = (await request('GET', from.path)).body;
  const boxes = [...page.matchAll(/type="checkbox" name="SET" value="([^"]*)"/g)].map(
    ([, value]) => formOf(`<form><input type="hidden" name="x" value="${value}"></form>`)[0]![1],
  );
  assert.equal(boxes.length, names.length);
  const sets = fc.sample(fc.subarray(names.map((_, i) => i)), 5);
  const emailOf = (no: number) => `p${no}of${from.id}@example.com`;
  for (const [no, set] of sets.entries()) {
    const sent = await signUp(
      from.path,
      emailOf(no),
      set.map((i): [string, string] => ['SET', boxes[i]!]),
    );
    assert.match(sent.answer, /Nearly done/);
  }
  await app.app.db.run(sql`
    update subscription set status = 'subscribed', confirm_at = now() where list_id = ${parseId(from.id)}`);
  let csv = '';
  for await (const part of exportRows(app.app.db, app.account.id, {
    list: from.id,
    status: '',
    segment: '',
    bom: false,
  }))
    csv += part;
  const id = await app.call<string>('importCreate', { id: to.id, content: csv, options: { status: 'subscribed' } });
  await app.call('importStart', { import: id });
  const { signal } = new AbortController();
  assert.equal(await runImport(app.app, app.account.id, parseId(id), false, signal, app.app.log), 'finished');
  for (const [no, set] of sets.entries()) {
    const stored = storedChoices(
      set.map((i) => names[i]!),
      names,
    );
    for (const list of [from.id, to.id]) assert.equal((await merges(list, emailOf(no))).SET, stored);
  }
  const found = async (condition: string, value: string) =>
    (
      await app.call<{ count: number }>('segmentPreview', {
        list: to.id,
        match: 'all',
        filter: [{ field: 'SET', condition, value }],
      })
    ).count;
  for (const [i, choice] of names.entries()) {
    const having = sets.filter((set) => set.includes(i)).length;
    const value = storedChoices([choice], names);
    assert.deepEqual(
      [await found('hasany', value), await found('hasnone', value)],
      [having, sets.length - having],
      JSON.stringify(choice),
    );
  }
}
