// What saving the preference page writes: what the person changed, on lists that it stays on, and nothing else. Leaving always works.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { formOf } from '../../test/support/builders/html-form.ts';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import { tokensOf } from '../tracking/token-secret.ts';

let app: TestApp;
let base: string;
before(async () => {
  app = await testApp();
  base = await app.listen();
});
after(() => app.close());

type ListOf = { values: Record<string, string>; fields?: Record<string, Record<string, unknown>>; email_type?: string };
let people = 0;

/** A contact on some lists, with its preference page as reached from the first. */
async function person(...lists: ListOf[]) {
  const email = `reader${people++}@example.com`;
  const ids: string[] = [];
  for (const [i, { values, fields = {}, email_type = 'html' }] of lists.entries()) {
    const title = `List ${i + 1}`;
    const id = await app.call<string>('listCreate', { title, options: { public_title: title } });
    for (const [tag, options] of Object.entries(fields))
      await app.call('listMergeVarAdd', { id, tag, name: tag, options });
    await app.call('listSubscribe', { id, email_address: email, merge_vars: values, email_type, double_optin: false });
    ids.push(id);
  }
  const of = async (id: string) =>
    app.call<{ id: string; status: string; email_type: string; merges: Record<string, string>; language: string }>(
      'listMemberInfo',
      { id, email_address: email },
    );
  const contact = parseId((await of(ids[0]!)).id);
  const of1 = { account: app.account.id, campaign: 1, seq: 1, contact, lists: [parseId(ids[0]!)] };
  const url = `${base}/p/${tokensOf(app.app).tokens(of1).profile}`;
  const submit = (pairs: [string, string][]) => fetch(url, { method: 'POST', body: new URLSearchParams(pairs) });
  const state = () => Promise.all(ids.map(of));
  return {
    ids,
    email,
    state,
    form: async () => formOf(await (await fetch(url)).text()),
    submit,
    /** Loads the page, changes some values, and saves. */
    save: async (changes: Record<string, string> = {}, unticked: string[] = []) => {
      const pairs = formOf(await (await fetch(url)).text());
      for (const name of Object.keys(changes))
        assert.ok(
          pairs.some(([given]) => given === name),
          `${name} is shown`,
        );
      return submit(
        pairs
          .filter(([name]) => !unticked.some((id) => name === `list.${id}`))
          .map(([name, value]) => [name, changes[name] ?? value]),
      );
    },
    changes: async () =>
      await app.app.db.rows<{ kind: string; list: number | null; fields: string }>(sql`
        select kind, list_id as list, detail ->> 'fields' as fields from consent
        where account_id = ${app.account.id} and contact_id = ${contact} and kind not in ('subscribe') order by id`),
  };
}

const dropdown = (...choices: string[]) => ({ field_type: 'dropdown', choices });

const variants: Record<string, ListOf[]> = {
  'other values on another list': [{ values: { FNAME: 'Ann', LNAME: 'Alpha' } }, { values: { LNAME: 'Beta' } }],
  'a date on one list and a text on another': [
    { values: { BDAY: '2001-04-07' }, fields: { BDAY: { field_type: 'date' } } },
    { values: { BDAY: '7 April' }, fields: { BDAY: { field_type: 'text' } } },
  ],
  'other choices on another list': [
    { values: { SIZE: 'S' }, fields: { SIZE: dropdown('S', 'M') } },
    { values: { SIZE: '40' }, fields: { SIZE: dropdown('38', '40') } },
  ],
  'another format on another list': [{ values: {} }, { values: {}, email_type: 'text' }],
  'several lines, blanks and signs': [
    { values: { NOTE: 'one\ntwo\n\nthree', LNAME: 'O\'Neil "<b>" & *|X|*' }, fields: { NOTE: { field_type: 'text' } } },
    { values: { HOME: '1 Road  Town  Country' }, fields: { HOME: { field_type: 'address' } } },
  ],
};

for (const [name, lists] of Object.entries(variants))
  test(`the page saved as it was loaded changes nothing: ${name}`, async () => {
    const reader = await person(...lists);
    const before = await reader.state();
    assert.equal((await reader.save()).status, 200);
    assert.deepEqual(await reader.state(), before);
    assert.deepEqual(await reader.changes(), []);
    // Another choice writes that alone.
    assert.equal((await reader.save({ LANGUAGE: 'de' })).status, 200);
    assert.deepEqual(
      (await reader.state()).map(({ merges, email_type, status }) => ({ merges, email_type, status })),
      before.map(({ merges, email_type, status }) => ({ merges, email_type, status })),
    );
    assert.deepEqual(
      (await reader.changes()).map(({ fields }) => fields),
      ['["LANGUAGE"]'],
    );
    // And so does leaving one list, then all.
    assert.equal((await reader.save({}, [reader.ids[0]!])).status, 200);
    const [first, second] = await reader.state();
    assert.deepEqual([first!.status, second!.status], ['unsubscribed', 'subscribed']);
    assert.deepEqual([first!.merges, second!.merges], [before[0]!.merges, before[1]!.merges]);
    assert.equal((await reader.save({}, reader.ids)).status, 200);
    assert.deepEqual(
      (await reader.state()).map(({ status }) => status),
      ['unsubscribed', 'unsubscribed'],
    );
  });

test('a changed value is written to each list that has the field and that the person stays on', async () => {
  const reader = await person(
    { values: { FNAME: 'Ann', LNAME: 'Alpha' } },
    { values: { FNAME: 'Ann', LNAME: 'Beta' } },
    { values: { FNAME: 'Old', LNAME: 'Gone' } },
  );
  await app.call('listUnsubscribe', { id: reader.ids[2]!, email_address: reader.email });
  assert.equal((await reader.save({ 'field.FNAME': 'Anna' })).status, 200);
  assert.deepEqual(
    (await reader.state()).map(({ merges }) => [merges.FNAME, merges.LNAME]),
    [
      ['Anna', 'Alpha'],
      ['Anna', 'Beta'],
      ['Old', 'Gone'],
    ],
  );
  assert.equal((await reader.save({ email_type: 'text' })).status, 200);
  assert.deepEqual(
    (await reader.state()).map(({ email_type }) => email_type),
    ['text', 'text', 'html'],
  );
});

test('a field that lists read differently is shown for each of them', async () => {
  const reader = await person(...variants['a date on one list and a text on another']!);
  const shown = (await reader.form()).filter(([name]) => name.startsWith('field.BDAY'));
  assert.deepEqual(
    shown.map(([, value]) => value),
    ['2001-04-07', '7 April'],
  );
  assert.equal((await reader.save({ [shown[1]![0]]: '8 April' })).status, 200);
  assert.deepEqual(
    (await reader.state()).map(({ merges }) => merges.BDAY),
    ['2001-04-07', '8 April'],
  );
});

test('a required field without a value hinders no one from leaving, nor from changing another list', async () => {
  const reader = await person({ values: { FNAME: 'Ann' } }, { values: {} });
  await app.call('listMergeVarAdd', { id: reader.ids[1]!, tag: 'CITY', name: 'City', options: { req: true } });
  assert.equal((await reader.save({}, [reader.ids[0]!])).status, 200);
  assert.deepEqual(
    (await reader.state()).map(({ status }) => status),
    ['unsubscribed', 'subscribed'],
  );
  // Emptying a required field is refused, and what else was asked for is done.
  const { ids } = reader;
  assert.equal((await reader.save({ 'field.CITY': 'Bern' })).status, 200);
  assert.equal((await reader.save({ 'field.CITY': '', LANGUAGE: 'fr' })).status, 400);
  assert.equal((await reader.state())[1]!.language, 'fr');
  assert.equal((await reader.save({ 'field.CITY': '' }, ids)).status, 200);
  assert.deepEqual(
    (await reader.state()).map(({ status }) => status),
    ['unsubscribed', 'unsubscribed'],
  );
});

test('a wrong value keeps no one on a list', async () => {
  const reader = await person(
    { values: {}, fields: { BORN: { field_type: 'date' } } },
    { values: {}, fields: { BORN: { field_type: 'date' } } },
  );
  const answer = await reader.save({ 'field.BORN': 'soon' }, [reader.ids[0]!]);
  assert.equal(answer.status, 400);
  const page = await answer.text();
  assert.match(page, /value="soon"/);
  assert.match(page, /This was not saved: \w+: Please enter a valid date\.</);
  const inGerman = await reader.save({ 'field.BORN': '31.02.2026', LANGUAGE: 'de' }, [reader.ids[0]!]);
  assert.match(await inGerman.text(), /Nicht gespeichert: \w+: Bitte geben Sie ein gültiges Datum ein\.</);
  assert.deepEqual(
    (await reader.state()).map(({ status }) => status),
    ['unsubscribed', 'subscribed'],
  );
});

test('what changed elsewhere while the page was open stays', async () => {
  const reader = await person({ values: { FNAME: 'Ann', LNAME: 'Alpha' } });
  const pairs = await reader.form();
  const merge_vars = { FNAME: 'Annika' };
  await app.call('listUpdateMember', { id: reader.ids[0]!, email_address: reader.email, merge_vars });
  await reader.submit(pairs.map(([name, value]) => [name, name === 'field.LNAME' ? 'Omega' : value]));
  const { merges } = (await reader.state())[0]!;
  assert.deepEqual([merges.FNAME, merges.LNAME], ['Annika', 'Omega']);
});

test('a choice that the field no longer has stays until another is chosen', async () => {
  const reader = await person({ values: { SIZE: 'S' }, fields: { SIZE: dropdown('S', 'M') } });
  await app.app.db.run(sql`update field set choices = '{M,L}' where tag = 'SIZE' and account_id = ${app.account.id}`);
  assert.equal((await reader.save({ LANGUAGE: 'de' })).status, 200);
  assert.equal((await reader.state())[0]!.merges.SIZE, 'S');
});

test('joining a list again takes the values that the page shows where the list has none', async () => {
  const reader = await person({ values: { FNAME: 'Ann' } }, { values: { LNAME: 'Beta' } });
  const [, second] = reader.ids as [string, string];
  await app.call('listUnsubscribe', { id: second, email_address: reader.email });
  await app.call('listMergeVarUpdate', { id: second, tag: 'FNAME', options: { req: true } });
  const pairs = await reader.form();
  assert.equal((await reader.submit([...pairs, [`list.${second}`, 'on']])).status, 200);
  const { status, merges } = (await reader.state())[1]!;
  assert.deepEqual([status, merges.FNAME, merges.LNAME], ['subscribed', 'Ann', 'Beta']);
});

test('a field of the account is shown once, and saved on a list that does not show it', async () => {
  const reader = await person(
    { values: { TOWN: 'Rome' }, fields: { TOWN: {} } },
    { values: { TOWN: 'Rome' }, fields: { TOWN: { public: false } } },
    { values: { TOWN: 'Rome' }, fields: { TOWN: {} } },
  );
  await app.call('accountFieldJoin', { tag: 'TOWN', conflicts: 0 });
  assert.equal((await reader.form()).filter(([name]) => name.startsWith('field.TOWN')).length, 1);
  await reader.save({ 'field.TOWN': 'Oslo' });
  const towns = (await reader.state()).map(({ merges }) => merges['TOWN']);
  assert.deepEqual(towns, ['Oslo', 'Oslo', 'Oslo']);
});
