// The searches for people find the same as their plain definitions, whatever way they take: with few or many contacts looked at
// first, and for values of any letters.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { diceOf } from '../../../test/support/judges/dice.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { lookedAt } from './search.ts';
import { inAddressSql, peopleWith, wordsOf } from './words.ts';

let app: TestApp;
let list: string;
const first = [
  'Ada',
  'ADAM',
  'Löwe',
  "O'Brien",
  'Zoë',
  'Straße',
  'Анна',
  '山田太郎',
  'e\u0301mile',
  'ßeta',
  'Dada',
  '',
  'Kß',
  'İpek',
];
const last = [
  'Lovelace',
  'lowe',
  'Obrien',
  'O’Brien',
  'Adams',
  'Müller-Ada',
  '100%',
  'd`Arc',
  'Иванова',
  'Ærø',
  'ab\\c',
  'Łoś',
];
const { pick: one } = diceOf(7);

before(async () => {
  app = await testApp();
  list = await app.call<string>('listCreate', { title: 'Letter' });
  const other = await app.call<string>('listCreate', { title: 'Other' });
  const batch = Array.from({ length: 400 }, (_, n) => ({
    EMAIL: `${one(['ada', 'adam.lowe', "o'brien", 'reader', 'x', 'lowe-ada', 'zoe'])}${n}@${one(['ada', 'mail', 'lowe'])}.example`,
    FNAME: one(first),
    LNAME: one(last),
  }));
  await app.call('listBatchSubscribe', { id: list, batch, double_optin: false });
  await app.call('listBatchSubscribe', { id: other, batch: batch.slice(0, 100), double_optin: false });
});
after(() => app.close());

const words = [
  'ada',
  'a',
  'löwe',
  'lowe',
  "o'brien",
  'obrien',
  'brien',
  'reader',
  'zoe',
  'ss',
  'ß',
  'strasse',
  'анна',
  '山田',
  '太',
  'émile',
];
const further = [
  'emile',
  '@ada',
  'ada1',
  '100%',
  '%',
  '-',
  "'",
  'x',
  'example',
  'dada',
  'aro',
  'los',
  'i',
  'ipek',
  'b\\c',
  'xylophone',
];
const queries = [
  ...words,
  ...further,
  ...Array.from({ length: 40 }, () => `${one(words)} ${one([...words, ...further])}`),
  ...Array.from({ length: 15 }, () => `${one(words)} ${one(further)} ${one(words)}`),
];

/** All that match, put in order: what contactSearch means. */
async function contactsOf(query: string, limit: number) {
  const { db } = app.app;
  const found = await wordsOf(db, query);
  const rows = await db.rows<{ id: number; email: string; lists: number }>(sql`
    select c.id, c.email,
      (select count(*)::int from subscription s where s.account_id = ${app.account.id} and s.contact_id = c.id) as lists
    from (${peopleWith(app.account.id, found)}) found
    join contact c on c.account_id = ${app.account.id} and c.id = found.id
    order by coalesce(nullif(strpos(c.email_key, ${found[0]!.inAddress}), 0), 1000), c.email_key
    limit ${limit}`);
  return rows.map((row) => ({ ...row, id: formatId(row.id) }));
}

for (const [byAddress, byValues] of [
  [1_000, 500],
  [20, 20],
  [2_000, 5],
  [1, 1],
] as const)
  test(`contacts are the same with ${byAddress} and ${byValues} looked at first`, async () => {
    const usual = { ...lookedAt };
    Object.assign(lookedAt, { byAddress, byValues });
    try {
      for (const query of queries)
        for (const limit of [3, 50])
          assert.deepEqual(await app.call('contactSearch', { query, limit }), await contactsOf(query, limit), query);
    } finally {
      Object.assign(lookedAt, usual);
    }
  });

test('members are those whose address or folded values have every word', async () => {
  for (const query of queries) {
    const { db } = app.app;
    const conditions = (await wordsOf(db, query)).map(
      (word) => sql`(${inAddressSql(word.inAddress)} or (${!word.inAddress.includes('@')} and strpos(
        folded(coalesce(s.fields ->> 'FNAME', '') || chr(1) || coalesce(s.fields ->> 'LNAME', '')), ${word.inValue}) > 0))`,
    );
    let rows = await db.rows<{ email: string; is: boolean[] }>(sql`
      select c.email, array[${conditions.reduce((all, condition) => sql`${all}, ${condition}`)}] as is
      from subscription s
      join contact c on c.account_id = s.account_id and c.id = s.contact_id
      where s.list_id = ${parseId(list)}`);
    rows = rows.filter(({ is }) => is.every(Boolean));
    const found = await app.call<{ total: number; data: { email: string }[] }>('memberSearch', {
      list,
      query,
      limit: 1_000,
    });
    assert.equal(found.total, rows.length, query);
    assert.deepEqual(found.data.map(({ email }) => email).sort(), rows.map(({ email }) => email).sort(), query);
  }
});
