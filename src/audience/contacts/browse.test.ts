// Contacts over all lists: paging in both directions, conditions, counts and figures, on a real database.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { runs } from '../../../test/support/run/runs.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';

let app: TestApp;
let letter: string;
let news: string;

type Contact = {
  id: string;
  email: string;
  merges: Record<string, string>;
  lists: { id: string; status: string }[];
  suppressed: boolean;
  paused_until: string;
  emails: number;
  opened: number;
  clicked: number;
  last_active: string;
};
type Page = { data: Contact[]; next: string; previous: string };
const contacts = (params: Record<string, unknown> = {}) => app.call<Page>('contacts', params);
const emailsOf = ({ data }: Page) => data.map(({ email }) => email);

before(async () => {
  app = await testApp();
  letter = await app.call('listCreate', { title: 'Letter' });
  news = await app.call('listCreate', { title: 'News' });
  await app.call('listMergeVarAdd', { id: news, tag: 'CITY', name: 'City' });
  const add = (id: string, email_address: string, merge_vars: Record<string, string>) =>
    app.call('listSubscribe', { id, email_address, merge_vars, double_optin: false });
  await add(letter, 'ada@example.com', { FNAME: 'Ada' });
  await add(letter, 'grace@example.org', { FNAME: 'Grace' });
  await add(news, 'grace@example.org', { FNAME: 'Grace M.', CITY: 'New York' });
  await add(news, 'edith@example.com', { FNAME: 'Edith', CITY: 'Hamburg' });
  await app.call('listUnsubscribe', { id: news, email_address: 'edith@example.com', send_goodbye: false });
});
after(() => app.close());

test('each contact is there once, the newest first, with its lists and the values that changed last', async () => {
  const page = await contacts();
  assert.deepEqual(emailsOf(page), ['edith@example.com', 'grace@example.org', 'ada@example.com']);
  assert.deepEqual([page.next, page.previous], ['', '']);
  const [, grace] = page.data;
  assert.deepEqual(grace!.lists, [
    { id: letter, status: 'subscribed' },
    { id: news, status: 'subscribed' },
  ]);
  assert.deepEqual(grace!.merges, { FNAME: 'Grace M.', CITY: 'New York' });
});

test('pages lead on and back in both orders, and a contact that is added moves no one', async () => {
  for (const sort of ['newest', 'email']) {
    const all = emailsOf(await contacts({ sort }));
    const first = await contacts({ sort, limit: 1 });
    const second = await contacts({ sort, limit: 1, cursor: first.next });
    const third = await contacts({ sort, limit: 1, cursor: second.next });
    assert.deepEqual([first, second, third].flatMap(emailsOf), all, sort);
    assert.deepEqual([first.previous, third.next], ['', ''], sort);
    const back = await contacts({ sort, limit: 1, cursor: third.previous });
    assert.deepEqual(back, second, sort);
    assert.deepEqual(await contacts({ sort, limit: 1, cursor: back.previous }), { ...first, previous: '' }, sort);
  }
  const first = await contacts({ limit: 1 });
  await app.call('listSubscribe', { id: letter, email_address: 'new@example.com', double_optin: false });
  assert.deepEqual(emailsOf(await contacts({ limit: 1, cursor: first.next })), ['grace@example.org']);
  await app.call('listUnsubscribe', { id: letter, email_address: 'new@example.com', delete_member: true });
});

test('conditions, a status and a text narrow the contacts and their number alike', async () => {
  const cases: [Record<string, unknown>, string[]][] = [
    [{ query: 'EXAMPLE.com' }, ['edith@example.com', 'ada@example.com']],
    [{ status: 'unsubscribed' }, ['edith@example.com']],
    [{ filter: [{ field: 'CITY', condition: 'is', value: 'new york' }] }, ['grace@example.org']],
    [{ filter: [{ field: 'FNAME', condition: 'is', value: 'Grace' }] }, ['grace@example.org']],
    // On one list she has the name, on the other the city.
    [
      {
        filter: [
          { field: 'FNAME', condition: 'is', value: 'Grace' },
          { field: 'CITY', condition: 'is', value: 'New York' },
        ],
      },
      [],
    ],
    [{ filter: [{ field: 'list', condition: 'not', value: letter }] }, ['edith@example.com']],
    [{ filter: [{ field: 'CITY', condition: 'is', value: 'Hamburg' }], status: 'subscribed' }, []],
    [
      {
        match: 'any',
        filter: [
          { field: 'CITY', condition: 'is', value: 'Hamburg' },
          { field: 'FNAME', condition: 'starts', value: 'A' },
        ],
      },
      ['edith@example.com', 'ada@example.com'],
    ],
    [{ filter: [{ field: 'opened', condition: 'is', value: 'last 5' }] }, []],
    [{ query: 'nowhere', filter: [{ field: 'DOMAIN', condition: 'is', value: 'example.com' }] }, []],
  ];
  for (const [params, expected] of cases) {
    assert.deepEqual(emailsOf(await contacts(params)), expected, JSON.stringify(params));
    assert.equal(await app.call('contactCount', params), expected.length, JSON.stringify(params));
  }
});

test('a wrong condition and a cursor of another order are refused', async () => {
  await assert.rejects(contacts({ filter: [{ field: 'TOWN', condition: 'is', value: 'x' }] }), /filter\.0\.field/);
  const { next } = await contacts({ limit: 1 });
  await assert.rejects(contacts({ sort: 'email', cursor: 'after-*' }), /cursor is not a cursor/);
  await assert.rejects(contacts({ cursor: 'after-x' }), /cursor is not a cursor/);
  assert.match(next, /^after-\d+-[abcdf]/);
});

test('the figures are those of the last twelve months, by people', async () => {
  const { data } = await contacts({ query: 'ada' });
  const id = parseId(data[0]!.id);
  await app.app.db.run(sql`
    insert into delivery (account_id, campaign_id, seq, month, contact_id, list_id, email, domain, state, due_at)
    select ${app.account.id}, campaign, 1, month, ${id}, 1, 'ada@example.com', 'example.com', state, now()
    from (values
      (1, date_trunc('month', now())::date, 2), (2, date_trunc('month', now())::date, 2),
      (3, date_trunc('month', now())::date, 4), (4, (now() - interval '3 years')::date, 2)
    ) sent (campaign, month, state)`);
  await app.app.db.run(sql`
    insert into engagement (account_id, campaign_id, seq, month, contact_id, opens, clicks, machine_opens, last_open_at)
    values (${app.account.id}, 1, 1, date_trunc('month', now())::date, ${id}, 2, 0, 0, now()),
      (${app.account.id}, 2, 1, date_trunc('month', now())::date, ${id}, 0, 0, 5, null)`);
  const [ada] = (await contacts({ query: 'ada' })).data;
  assert.deepEqual([ada!.emails, ada!.opened, ada!.clicked], [2, 1, 0]);
  assert.notEqual(ada!.last_active, '');
  assert.deepEqual(
    emailsOf(await contacts({ filter: [{ field: 'opened', condition: 'is', value: '30 days' }] })),
    [],
    'what has no campaign is not read by conditions',
  );
});

test('suppressed and paused contacts are marked', async () => {
  await app.call('suppressedListSubscribe', { email_address: 'ada@example.com' });
  await app.call('contactPause', { email: 'grace@example.org', until: '2099-01-01 00:00:00' });
  const { data } = await contacts();
  assert.deepEqual(
    data.map(({ suppressed, paused_until }) => [suppressed, paused_until]),
    [
      [false, ''],
      [false, '2099-01-01 00:00:00'],
      [true, ''],
    ],
  );
});

test('the fields of all lists are listed once, and as text where their types differ', async () => {
  await app.call('listMergeVarAdd', { id: letter, tag: 'CITY', name: 'Town', options: { field_type: 'number' } });
  const fields = await app.call<{ tag: string; name: string; field_type: string; lists: number }[]>('contactFields');
  assert.deepEqual(
    fields.map(({ tag, field_type, lists }) => [tag, field_type, lists]),
    [
      ['EMAIL', 'email', 2],
      ['FNAME', 'text', 2],
      ['LNAME', 'text', 2],
      ['CITY', 'text', 2],
    ],
  );
});

test('contacts far down are found by all conditions, as a look at each of them finds them', async () => {
  const other = await app.anotherAccount();
  const list = await other.call<string>('listCreate', { title: 'Large' });
  const second = await other.call<string>('listCreate', { title: 'Second' });
  const many = 12_000;
  await app.app.db.run(sql`
    insert into contact (account_id, email, email_key, domain, created_at)
    select ${other.account.id}, 'reader' || n || '@example.com', 'reader' || n || '@example.com', 'example.com',
      now() - make_interval(mins => n)
    from generate_series(1, ${many}::int) n`);
  await app.app.db.run(sql`
    insert into subscription (account_id, contact_id, list_id, status, fields)
    select c.account_id, c.id, list.id, 'subscribed',
      jsonb_build_object('FNAME', case when c.email_key ~ '[19]111@' then 'Rare' else 'Reader' end)
    from contact c
    cross join unnest(${[parseId(list), parseId(second)]}::int[]) as list (id)
    where c.account_id = ${other.account.id}`);
  const filter = [{ field: 'FNAME', condition: 'is', value: 'rare' }];
  const found = await other.call<Page>('contacts', { filter, limit: 1 });
  assert.deepEqual(emailsOf(found), ['reader1111@example.com']);
  const rest = await other.call<Page>('contacts', { filter, cursor: found.next });
  assert.deepEqual(emailsOf(rest), ['reader9111@example.com', 'reader11111@example.com']);
  assert.equal(await other.call('contactCount', { filter }), 3);
  assert.equal(await other.call('contactCount', { filter, query: 'reader9111' }), 1);
  assert.deepEqual(emailsOf(await other.call<Page>('contacts', { filter, query: 'reader9111' })), [
    'reader9111@example.com',
  ]);
  assert.equal(await other.call('contactCount'), many);
  const seen: string[] = [];
  const pages = runs(120, 15);
  for (let cursor = '', page = 0; page < pages && (page === 0 || cursor !== ''); page++) {
    const found: Page = await other.call('contacts', { cursor, limit: 100 });
    seen.push(...emailsOf(found));
    cursor = found.next;
  }
  assert.equal(new Set(seen).size, 100 * pages);
  assert.equal(seen.length, 100 * pages);
});

test('who looks at a contact does not wait for a change of it that is not committed', async () => {
  const email = 'ada@example.com';
  const seen = await app.app.db.transaction(async (tx) => {
    await tx.run(sql`select from contact where email_key = ${email} for update`);
    await tx.run(sql`select from subscription where list_id = ${parseId(letter)} for update`);
    const looks = [
      app.call('contactGet', { email }),
      app.call('contactTimeline', { email }),
      app.call('contactEvents', { email }),
      app.call('contactAutomations', { email }),
      app.call('listMemberInfo', { id: letter, email_address: email }),
    ];
    return Promise.race([Promise.all(looks), new Promise<null>((resolve) => setTimeout(resolve, 10_000, null))]);
  });
  assert.equal((seen?.[0] as Contact | undefined)?.email, email);
});
