// The APIs of the sources, spoken by servers on loopback with pages and refusals for the moment, and the command line that reads them.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { postriderWith } from '../../../test/support/installation/commands.ts';
import { type MigrationTools, migrationTools } from '../../../test/support/installation/migrations.ts';
import { leavers, type Person, people } from '../../../test/support/samples/source-exports.ts';
import { formatId } from '../../db/ids.ts';
import { runJobs } from '../../jobs/queue.ts';
import type { Source } from '../files/item.ts';
import { itemLine, itemsFileName } from '../files/items-file.ts';
import { runMigrationTask } from '../run.ts';
import { waitOf } from './client.ts';
import { fetchItems } from './index.ts';
import { mailchimpUrl } from './mailchimp.ts';

const key = 'secret-key-us9';
let t: TestApp;
let tools: MigrationTools;
const closing: (() => Promise<void>)[] = [];
before(async () => {
  t = await testApp({ OUTBOUND_ALLOW: '127.0.0.0/8' });
  tools = migrationTools(t);
});
after(async () => {
  for (const close of closing) await close();
  await t.close();
});

type Asked = { path: string; query: URLSearchParams; headers: IncomingMessage['headers'] };
type Api = (asked: Asked) => unknown;

/** A server whose every seventh answer is a refusal for the moment. */
async function serving(api: Api, isAllowed: (headers: IncomingMessage['headers']) => boolean) {
  let count = 0;
  let refused = 0;
  const server = createServer((request, response) => {
    const url = new URL(request.url!, 'http://127.0.0.1');
    if (!isAllowed(request.headers)) return response.writeHead(401).end('{}');
    if (++count % 7 === 2) {
      refused++;
      const [status, wait] = count % 2 === 0 ? [429, { 'retry-after': '0' }] : [503, { 'retry-after': '0' }];
      return response.writeHead(status as number, wait as Record<string, string>).end();
    }
    const body = api({ path: url.pathname, query: url.searchParams, headers: request.headers });
    if (body === undefined) return response.writeHead(404).end('{}');
    return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => new Promise((resolve) => server.close(() => resolve())));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, refusals: () => refused };
}

const slice = <T>(all: readonly T[], { query }: Asked, size: string) =>
  all.slice(Number(query.get('offset') ?? 0), Number(query.get('offset') ?? 0) + Number(query.get(size)));
const iso = (person: Person) => `${person.at.replace(' ', 'T')}+00:00`;
const onBoth = people.filter((person) => person.onBoth);

const mailchimp: Api = (asked) => {
  const [, list, what] = /^\/lists(?:\/(\w+)\/([\w-]+))?$/.exec(asked.path) ?? [];
  if (list === undefined)
    return {
      lists: slice(
        [
          { id: 'a1', name: 'News' },
          { id: 'b2', name: 'Offers' },
        ],
        asked,
        'count',
      ),
    };
  if (what === 'merge-fields')
    return {
      merge_fields: [
        { tag: 'FNAME', name: 'First Name', type: 'text' },
        { tag: 'CITY', name: 'City', type: 'text' },
        { tag: 'BORN', name: 'Born', type: 'date' },
      ],
    };
  if (what === 'abuse-reports')
    return {
      abuse_reports: slice(
        leavers.filter(({ left }) => left === 'complained').map(({ email }) => ({ email_address: email })),
        asked,
        'count',
      ),
    };
  const status = ({ left, pending }: Person) =>
    pending
      ? 'pending'
      : list === 'b2' && left !== 'unsubscribed'
        ? 'subscribed'
        : left === 'bounced'
          ? 'cleaned'
          : left === ''
            ? 'subscribed'
            : 'unsubscribed';
  return {
    members: slice(list === 'a1' ? people : onBoth, asked, 'count').map((person) => ({
      email_address: person.email,
      status: person.no === 5 ? 'archived' : status(person),
      merge_fields: { FNAME: person.first, CITY: person.city, BORN: '' },
      tags: person.no % 4 === 0 ? [{ id: 1, name: 'VIP' }] : [],
      timestamp_opt: iso(person),
      ip_opt: '192.0.2.7',
      language: 'de',
      email_type: 'html',
    })),
  };
};

const listmonk: Api = ({ path, query }) => {
  const page = <T>(results: readonly T[], most = 500) => {
    const size = Math.min(most, Number(query.get('per_page')));
    const from = (Number(query.get('page')) - 1) * size;
    return { data: { results: results.slice(from, from + size), total: results.length, per_page: size } };
  };
  const lists = [
    { id: 1, name: 'News', optin: 'double' },
    { id: 2, name: 'Offers', optin: 'single' },
  ];
  if (path === '/api/lists') return page(lists);
  if (path === '/api/templates')
    return { data: [{ id: 1, name: 'Letter', type: 'campaign', body: '<p>{{ .Subscriber.FirstName }}</p>' }] };
  if (path === '/api/bounces')
    return page(
      leavers
        .filter(({ left }) => left !== 'unsubscribed')
        .map(({ email, left }) => ({ email, type: left === 'bounced' ? 'hard' : 'complaint' })),
    );
  return page(
    people.map((person) => ({
      id: person.no,
      email: person.email,
      name: `${person.first} ${person.last}`,
      attribs: { city: person.city, tags: ['VIP'] },
      status: 'enabled',
      created_at: iso(person),
      lists: lists.slice(0, person.onBoth && !person.pending ? 2 : 1).map((list) => ({
        ...list,
        subscription_status:
          person.left === 'unsubscribed' ? 'unsubscribed' : person.pending ? 'unconfirmed' : 'confirmed',
        subscription_created_at: iso(person),
      })),
    })),
  );
};

const keila: Api = ({ path, query }) => {
  if (path !== '/api/v1/contacts') return undefined;
  const [page, size] = [Number(query.get('paginate[page]')), Number(query.get('paginate[page_size]'))];
  return {
    meta: { page, page_count: Math.ceil(people.length / size), count: people.length },
    data: people.slice(page * size, (page + 1) * size).map((person) => ({
      email: person.email,
      first_name: person.first,
      last_name: person.last,
      data: { city: person.city },
      status: person.left === '' ? 'active' : person.left === 'bounced' ? 'unreachable' : 'unsubscribed',
      inserted_at: iso(person),
    })),
  };
};

const brevo: Api = (asked) => {
  const all = (member: string, entries: readonly unknown[]) => ({ [member]: slice(entries, asked, 'limit') });
  switch (asked.path) {
    case '/contacts/attributes':
      return {
        attributes: ['FIRSTNAME', 'CITY', 'DOUBLE_OPT-IN'].map((name) => ({ name, category: 'normal', type: 'text' })),
      };
    case '/contacts/lists':
      return all('lists', [
        { id: 1, name: 'News' },
        { id: 2, name: 'Offers' },
      ]);
    case '/smtp/blockedContacts':
      return all(
        'contacts',
        leavers
          .filter(({ left }) => left !== 'unsubscribed')
          .map(({ email, left }) => ({
            email,
            reason: { code: left === 'bounced' ? 'hardBounce' : 'contactFlaggedAsSpam' },
          })),
      );
    case '/smtp/templates':
      return all('templates', [{ id: 1, name: 'Letter', htmlContent: '<p>{{ contact.FIRSTNAME }}</p>' }]);
    default:
      return all(
        'contacts',
        people.map((person) => ({
          email: person.email,
          emailBlacklisted: person.left === 'unsubscribed' && person.no % 20 === 3,
          listIds: person.left === 'unsubscribed' ? [] : person.onBoth ? [1, 2] : [1],
          listUnsubscribed: person.left === 'unsubscribed' ? [1] : null,
          attributes: { FIRSTNAME: person.first, CITY: person.city, 'DOUBLE_OPT-IN': '1' },
          createdAt: iso(person),
        })),
      );
  }
};

const apis: [Source, Api, (headers: IncomingMessage['headers']) => boolean][] = [
  [
    'mailchimp',
    mailchimp,
    ({ authorization }) => authorization === `Basic ${Buffer.from(`postrider:${key}`).toString('base64')}`,
  ],
  ['listmonk', listmonk, ({ authorization }) => authorization === `token ${key}`],
  ['keila', keila, ({ authorization }) => authorization === `Bearer ${key}`],
  ['brevo', brevo, ({ 'api-key': given }) => given === key],
];

for (const [source, api, isAllowed] of apis)
  test(`everything is read from the API of ${source}, page by page, and who left is not subscribed`, async () => {
    const { url, refusals } = await serving(api, isAllowed);
    const account = await t.anotherAccount();
    let lines = '';
    for await (const item of fetchItems(source, { url, key }, t.app.outbound)) lines += itemLine(item);
    assert.ok(refusals() > 0);
    const id = await tools.prepared(account, source, [[itemsFileName, Buffer.from(lines)]]);
    assert.equal(await tools.run(account, id), 'finished');
    await account.call('migrationStart', { migration: id });
    assert.equal(await tools.run(account, id), 'finished');
    const subscribed = new Set(await tools.subscribedOf(account));
    assert.deepEqual(
      leavers.filter(({ email }) => subscribed.has(email)),
      [],
    );
    const stay = people.filter(
      ({ left, pending, no }) =>
        left === '' &&
        !(pending && ['mailchimp', 'listmonk'].includes(source)) &&
        !(source === 'mailchimp' && no === 5),
    );
    assert.equal(subscribed.size, stay.length);
    assert.deepEqual(await tools.fieldsOf(account, 'person4@example.com'), { first: people[4]!.first, city: 'Rome' });
    if (source === 'listmonk' || source === 'brevo')
      assert.match(await tools.stored(account), /Letter\|<p>\*\|FNAME\|\*<\/p>/);
  });

test('the command reads an API, shows what it would do, and does it with --apply', async () => {
  const [, api, isAllowed] = apis[2]!;
  const { url } = await serving(api, isAllowed);
  const account = await t.anotherAccount();
  const jobs = await runJobs(t.app, { runMigration: runMigrationTask }, 1);
  const settings = {
    DATABASE_URL: t.app.db.url,
    OUTBOUND_ALLOW: '127.0.0.0/8',
    MIGRATE_API_URL: url,
    MIGRATE_API_KEY: key,
  };
  const args = ['migrate-from', 'keila', '--api', '--account', formatId(account.account.id)];
  try {
    const dry = await postriderWith(args, settings);
    assert.equal(dry.code, 0, dry.errors);
    assert.match(dry.output, /9000 subscribed, 900 unsubscribed, 100 bounced/);
    assert.match(dry.output, /Nothing was changed\./);
    assert.deepEqual(await account.call('lists'), []);
    const applied = await postriderWith([...args, '--apply'], settings);
    assert.equal(applied.code, 0, applied.errors);
    assert.match(applied.output, /10000 {2}added/);
    assert.equal((await tools.subscribedOf(account)).length, 9_000);
    const wrong = await postriderWith(args, { ...settings, MIGRATE_API_KEY: 'wrong' });
    assert.equal(wrong.code, 1);
    assert.match(wrong.errors, /answered 401/);
    const keyless = await postriderWith(args, { ...settings, MIGRATE_API_KEY: '' });
    assert.match(keyless.errors, /Set MIGRATE_API_KEY/);
  } finally {
    await jobs.stop();
  }
});

test('a refusal is waited for as long as it says, and the address of Mailchimp follows from the key', () => {
  assert.equal(waitOf('3', 1), 3_000);
  assert.equal(waitOf(undefined, 4), 8_000);
  assert.equal(waitOf('999999', 1), 120_000);
  assert.equal(waitOf(new Date(10_000).toUTCString(), 1, 4_000), 6_000);
  assert.equal(mailchimpUrl({ url: '', key }), 'https://us9.api.mailchimp.com/3.0');
  assert.throws(() => mailchimpUrl({ url: '', key: 'nothing' }), /data center/);
});
