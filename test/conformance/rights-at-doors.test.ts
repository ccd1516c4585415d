// A key that expires, and a set of lists, at every door: calls, an assistant that is connected, an open session of SMTP submission,
// downloads and live progress. And what a contact that moves between lists is to someone with one of them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createTransport } from 'nodemailer';
import { createKey } from '../../src/accounts/keys/key.ts';
import { sql } from '../../src/db/connect.ts';
import { parseId } from '../../src/db/ids.ts';
import { ProgressFeed } from '../../src/delivery/progress/feed.ts';
import { startSubmission } from '../../src/doors/submission/server.ts';
import { Browser } from '../support/browser/session.ts';
import { decodeResponse, encodeCall } from '../support/builders/xmlrpc-client.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { until } from '../support/run/until.ts';
import { makePlaceholder, signIn } from './fixture.ts';
import { keyWith, people, type Two, twoLists } from './list-sets-fixture.ts';

let app: TestApp;
let base: string;
let two: Two;
let submission: { port: number; close(): Promise<void> };
before(async () => {
  app = await testApp();
  base = await app.listen();
  two = await twoLists(app.app);
  submission = await startSubmission(app.app, 0);
});
after(async () => {
  await submission?.close();
  await app?.close();
});

const keyOf = async (lists: string[] | null) =>
  createKey(app.app.db, two.accountId, { label: 'door', scope: 'full', lists: lists?.map(parseId) ?? null });

const post = async (path: string, type: string, body: string, headers: Record<string, string> = {}) =>
  fetch(base + path, { method: 'POST', headers: { 'content-type': type, ...headers }, body });

/** A call of `lists` through each door: the code of the fault, or undefined. */
const calls: Record<string, (key: string) => Promise<number | undefined>> = {
  JSON: async (key) => codeIn(await (await post('/api/lists', 'application/json', '{}', bearer(key))).json()),
  form: async (key) =>
    codeIn(
      await (await post('/1.3/?output=json&method=lists', 'application/x-www-form-urlencoded', `apikey=${key}`)).json(),
    ),
  'XML-RPC': async (key) => {
    const response = await post('/xmlrpc', 'text/xml', encodeCall('lists', [{ apikey: key }]));
    const answer = decodeResponse(new Uint8Array(await response.arrayBuffer()));
    return 'fault' in answer ? answer.fault.code : undefined;
  },
};
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const codeIn = (answer: unknown) => (answer as { code?: number }).code;

async function assistant<T>(key: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ name: 'assistant', version: '1.0.0' });
  const url = new URL('/mcp', base);
  await client.connect(new StreamableHTTPClientTransport(url, { authProvider: { token: async () => key } }));
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

/** A mail program that keeps its connection open. */
const mailer = (key: string) =>
  createTransport({
    host: '127.0.0.1',
    port: submission.port,
    ignoreTLS: true,
    pool: true,
    maxConnections: 1,
    auth: { user: 'any', pass: key },
  });
const letter = { from: 'main@example.com', to: people.own, subject: 'Hello', text: 'Hello' };

test('a key that expires is refused at every door, by an open connection too', async () => {
  const { id, key } = await keyOf(null);
  const transport = mailer(key);
  try {
    for (const [door, code] of Object.entries(calls)) assert.equal(await code(key), undefined, door);
    await transport.sendMail(letter);
    const exported = `${base}/export/${two.own.list}.csv`;
    assert.equal((await fetch(exported, { headers: bearer(key) })).status, 200);
    await assistant(key, async (client) => {
      const use = () => client.callTool({ name: 'lists', arguments: {} });
      await use();
      await app.app.db.run(sql`
        update api_key set expires_at = now() where account_id = ${two.accountId} and id = ${id}`);
      await assert.rejects(use);
    });
    for (const [door, code] of Object.entries(calls)) assert.equal(await code(key), 104, door);
    assert.equal((await fetch(exported, { headers: bearer(key) })).status, 401);
    await assert.rejects(transport.sendMail(letter), /^Error: .*\b[45]\d\d\b/);
  } finally {
    transport.close();
  }
});

test('with a set of lists an assistant gets the tools and lists of the set, and a mail program is refused when it signs in', async () => {
  const { key } = await keyOf([two.own.list]);
  const [tools, text] = await assistant(key, async (client) => {
    const listed = await client.listTools();
    const { content } = (await client.callTool({ name: 'lists', arguments: {} })) as { content: { text: string }[] };
    return [listed.tools.map(({ name }) => name), content[0]!.text] as const;
  });
  assert.ok(tools.includes('campaignCreate') && tools.includes('lists'));
  assert.match(text, /Choir/);
  assert.doesNotMatch(text, /Foreign/);
  const transport = mailer(key);
  await assert.rejects(transport.sendMail(letter), { code: 'EAUTH' });
  transport.close();
});

test('exports have the contacts of the set, with what is of its lists', async () => {
  const { key } = await keyOf([two.own.list]);
  const get = async (path: string) => {
    const response = await fetch(base + path, { headers: bearer(key) });
    return { status: response.status, text: await response.text() };
  };
  const { status, text } = await get(`/export/${two.own.list}.csv`);
  assert.equal(status, 200);
  assert.match(text, new RegExp(`${people.own}[^]*${people.both}`));
  assert.doesNotMatch(text, /foreign/i);
  const rejected = await makePlaceholder(app.app, two.foreign, 'import');
  for (const path of [`/export/${two.foreign.list}.csv`, `/import/${rejected}/errors.csv`])
    assert.deepEqual(await get(path), {
      ...(await get(path.replace(/[0-9a-f]{8}/, 'ffffffff'))),
      text: (await get(path)).text,
    });
  const call = await keyWith(app.app, two.accountId, [two.own.list]);
  assert.doesNotMatch(JSON.stringify(await call('contactExport', { email: people.both })), /foreign/i);
  await assert.rejects(call('listExport', { id: two.foreign.list }), { fault: 'LIST_UNKNOWN' });
  await assert.rejects(call('usage', {}), { fault: 'NOT_ALLOWED' });
});

test('live progress is of the campaigns of the set, and of another set from the next reading on', async () => {
  const [own, foreign] = [
    (await makePlaceholder(app.app, two.own, 'running'))!,
    (await makePlaceholder(app.app, two.foreign, 'running'))!,
  ];
  const { userId } = await signIn(app.app, two.accountId, 'editor');
  const limit = (lists: string[]) =>
    app.app.db.run(sql`
      update membership set lists = ${lists.map(parseId)}::int[] where account_id = ${two.accountId} and user_id = ${userId}`);
  await limit([two.own.list]);
  const session = await app.app.db.row<{ id: number }>(sql`select id from session where user_id = ${userId}`);
  const feed = new ProgressFeed(app.app);
  const seen = new Set<string>();
  try {
    feed.watch({
      accountId: two.accountId,
      userId,
      sessionId: session!.id,
      language: 'en',
      send: ({ campaign }) => seen.add(campaign),
      end: () => {},
    });
    await until('the own campaign is shown', () => seen.has(own));
    assert.ok(!seen.has(foreign));
    seen.clear();
    await limit([two.foreign.list]);
    await until('the other campaign is shown', () => seen.has(foreign));
    assert.ok(!seen.has(own));
  } finally {
    feed.stop();
  }
});

test('a contact that moves to another list is unknown in the one it left, and its own data are no longer changed from there', async () => {
  const email = 'mover@example.com';
  const join = (id: string) => two.own.call('listSubscribe', { id, email_address: email, double_optin: false });
  const [call, there] = [
    await keyWith(app.app, two.accountId, [two.own.list]),
    await keyWith(app.app, two.accountId, [two.foreign.list]),
  ];
  await join(two.own.list);
  await call('contactTagsUpdate', { emails: [email], add: ['alto'] });
  await assert.rejects(there('contactGet', { email }), { fault: 'ADDRESS_UNKNOWN' });
  await join(two.foreign.list);
  const listsOf = async (caller: typeof call) => {
    const { subscriptions } = (await caller('contactGet', { email })) as { subscriptions: { list_id: string }[] };
    return subscriptions.map(({ list_id }) => list_id);
  };
  assert.deepEqual(await listsOf(call), [two.own.list]);
  await assert.rejects(call('contactTagsUpdate', { emails: [email], add: ['bass'] }), { fault: 'NOT_ALLOWED' });
  await two.own.call('listMemberDelete', { id: two.own.list, email_address: email });
  await assert.rejects(call('contactGet', { email }), { fault: 'ADDRESS_UNKNOWN' });
  assert.deepEqual(await listsOf(there), [two.foreign.list]);
});

test('a session whose set ends with its person or its time gets nothing more', async () => {
  const { token, userId } = await signIn(app.app, two.accountId, 'viewer');
  await app.app.db.run(sql`
    update membership set lists = ${[parseId(two.own.list)]}::int[] where account_id = ${two.accountId} and user_id = ${userId}`);
  const browser = new Browser(base);
  browser.cookie = token;
  const path = `/export/${two.own.list}.csv`;
  assert.equal((await browser.ask('GET', path)).status, 403, 'viewers export nothing');
  assert.equal((await browser.call('lists')).status, 200);
  await app.app.db.run(sql`update session set expires_at = now() where user_id = ${userId}`);
  assert.equal((await browser.call('lists')).status, 401);
  assert.equal((await browser.ask('GET', path)).status, 401);
});
