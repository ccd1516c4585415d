// Searching members and contacts, and reading a whole list, on a real database.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';

let app: TestApp;
let list: string;
type Found = { total: number; counts: Record<string, number>; data: { email: string; status: string }[] };
const search = (more: Record<string, unknown> = {}) => app.call<Found>('memberSearch', { list, ...more });

before(async () => {
  app = await testApp();
  list = await app.call<string>('listCreate', { title: 'Letter' });
  for (const [email, name] of [
    ['ada@example.com', 'Ada'],
    ['grace@example.org', 'Grace'],
    ['sure@example.org', 'Ada 100%'],
  ])
    await app.call('listSubscribe', {
      id: list,
      email_address: email,
      merge_vars: { FNAME: name },
      double_optin: false,
    });
  await app.call('listUnsubscribe', { id: list, email_address: 'grace@example.org', send_goodbye: false });
});
after(() => app.close());

test('members are found by part of the address or of a value, in any case', async () => {
  assert.deepEqual((await search({ query: 'ADA' })).data.map(({ email }) => email).sort(), [
    'ada@example.com',
    'sure@example.org',
  ]);
  assert.equal((await search({ query: 'fname' })).total, 0, 'names of fields are no values');
  assert.equal((await search({ query: '%' })).total, 1, 'a sign of patterns stands for itself');
});

test('the counts of all states stay when one state is chosen', async () => {
  const found = await search({ status: 'unsubscribed' });
  assert.equal(found.total, 1);
  assert.deepEqual(
    found.data.map(({ email, status }) => [email, status]),
    [['grace@example.org', 'unsubscribed']],
  );
  assert.equal(found.counts.subscribed, 2);
});

test('a segment narrows the members and their counts', async () => {
  const segment = await app.call<string>('listSegmentCreate', {
    list,
    title: 'A',
    match: 'all',
    filter: [{ field: 'FNAME', condition: 'starts', value: 'Ada' }],
  });
  const found = await search({ segment });
  assert.equal(found.total, 2);
  assert.equal(found.counts.unsubscribed, 0);
  const other = await app.call<string>('listCreate', { title: 'Other' });
  await assert.rejects(app.call('memberSearch', { list: other, segment }), /segment: this list has no segment/);
});

test('each member is on exactly one page', async () => {
  const pages = await Promise.all([0, 1, 2].map((start) => search({ start, limit: 1 })));
  assert.equal(new Set(pages.flatMap(({ data }) => data.map(({ email }) => email))).size, 3);
});

test('contacts whose address begins with the text come first, then those whose values do', async () => {
  await app.call('listSubscribe', { id: list, email_address: 'nevada@example.com', double_optin: false });
  const found = await app.call<{ email: string; lists: number }[]>('contactSearch', { query: 'ADA' });
  assert.deepEqual(
    found.map(({ email, lists }) => [email, lists]),
    [
      ['ada@example.com', 1],
      ['nevada@example.com', 1],
      ['sure@example.org', 1],
    ],
  );
});

test('listGet returns the settings that listUpdate takes', async () => {
  await app.call('listUpdate', { id: list, name: 'company', value: 'Harbour Books' });
  await app.call('listUpdate', { id: list, name: 'timezone', value: 'Europe/Berlin' });
  const returned = await app.call<Record<string, unknown>>('listGet', { id: list });
  assert.equal(returned.company, 'Harbour Books');
  assert.equal(returned.timezone, 'Europe/Berlin');
  assert.equal(returned.title, 'Letter');
  assert.equal(returned.member_count, 3);
});

test('people are found by their full name in any order, over one list and over all', async () => {
  const id = await app.call<string>('listCreate', { title: 'People' });
  const people: [email: string, FNAME: string, LNAME: string][] = [
    ['p1@example.net', 'Ann', "O'Neil"],
    ['p2@example.net', 'Jérôme', 'Müller'],
    ['p3@example.net', 'Ada', 'Lovelace'],
    ['p4@example.net', 'Ada', 'Byron'],
    ['p5@example.net', 'Søren', 'Łukasz-Weiß'],
    ['p6@example.net', '太郎', '山田太郎'],
    ['countess@example.net', 'Augusta', 'King'],
  ];
  for (const [email_address, FNAME, LNAME] of people)
    await app.call('listSubscribe', { id, email_address, merge_vars: { FNAME, LNAME }, double_optin: false });
  const expected: [query: string, emails: string[]][] = [
    ["Ann O'Neil", ['p1']],
    ["O'Neil Ann", ['p1']],
    ['ann o’neil', ['p1']],
    ['oneil', ['p1']],
    ['Jerome', ['p2']],
    ['Jérôme MULLER', ['p2']],
    ['Je\u0301ro\u0302me', ['p2']],
    ['lovelace ada', ['p3']],
    ['Ada Lovelace', ['p3']],
    ['love ad', ['p3']],
    ['Ada Muller', []],
    ['soren lukasz', ['p5']],
    ['weiss', ['p5']],
    ['太郎', ['p6']],
    ['King countess', ['countess']],
    ['countess@example.net', ['countess']],
    ['King countess@example', ['countess']],
    ['counte augusta', ['countess']],
  ];
  const names = (rows: { email: string }[]) => rows.map(({ email }) => email.split('@')[0]!).sort();
  for (const [query, emails] of expected) {
    assert.deepEqual(
      names((await app.call<Found>('memberSearch', { list: id, query })).data),
      emails,
      `members: ${query}`,
    );
    assert.deepEqual(names((await app.call<Found>('contacts', { query })).data), emails, `contacts: ${query}`);
    assert.equal(await app.call('contactCount', { query }), emails.length, `count: ${query}`);
    assert.deepEqual(names(await app.call('contactSearch', { query })), emails, `search: ${query}`);
  }
});

test('a member whose values are as long as they may be is stored, in a script without blanks', async () => {
  const list = await app.call<string>('listCreate', { title: 'Long values' });
  const tags = Array.from({ length: 50 }, (_, n) => `T${n}`);
  for (const tag of tags) await app.call('listMergeVarAdd', { id: list, tag, name: tag });
  // Different words of thirty characters, so that each of their ends is one.
  const value = (field: number) =>
    Array.from({ length: 64 }, (_, n) =>
      Array.from({ length: 30 }, (_, at) =>
        String.fromCharCode(0x4e00 + ((field * 8_191 + n * 127 + at * 31) % 20_000)),
      ).join(''),
    ).join(' ');
  const merge_vars = Object.fromEntries(tags.map((tag, n) => [tag, value(n)]));
  await app.call('listSubscribe', { id: list, email_address: 'long@example.com', merge_vars, double_optin: false });
  const found = await app.call<{ data: { email: string }[] }>('contacts', { query: value(0).slice(0, 30) });
  assert.deepEqual(
    found.data.map(({ email }) => email),
    ['long@example.com'],
  );
});

test('pages of members that fulfil conditions have each once, in order, with the number of each status', async () => {
  const id = await app.call<string>('listCreate', { title: 'Pages' });
  const people = Array.from({ length: 14 }, (_, i) => ({
    email: `row${i}@example.net`,
    FNAME: i % 3 === 0 ? 'Third' : 'Other',
  }));
  for (const { email, FNAME } of people)
    await app.call('listSubscribe', { id, email_address: email, merge_vars: { FNAME }, double_optin: false });
  for (const filter of [
    [{ field: 'FNAME', condition: 'is', value: 'Third' }],
    [{ field: 'FNAME', condition: 'isany', value: '' }],
    [{ field: 'FNAME', condition: 'is', value: 'Nobody' }],
    [{ field: 'DOMAIN', condition: 'is', value: 'example.net' }],
    [{ field: 'signup_time', condition: 'greater', value: '1 days' }],
  ])
    for (const status of [undefined, 'subscribed', 'unsubscribed'] as const)
      for (const start of [0, 1, 2, 3]) {
        const { value } = filter[0]!;
        const expected = people
          .filter(
            ({ FNAME }) =>
              status !== 'unsubscribed' && (value === 'Third' || value === 'Nobody' ? FNAME === value : true),
          )
          .toReversed();
        const page = await app.call<Found>('memberSearch', {
          list: id,
          filter,
          ...(status && { status }),
          start,
          limit: 4,
        });
        assert.equal(page.total, expected.length, `${value} ${status}`);
        assert.deepEqual(
          page.data.map(({ email }) => email),
          expected.slice(start * 4, start * 4 + 4).map(({ email }) => email),
          `${value} ${status}, page ${start}`,
        );
      }
});
