// What happens to the rights of a person at every door at once: the role changes, the person is removed, the session ends, the key
// expires, the list is deleted, a contact moves to another list. Doors: JSON by a session, JSON, form, XML-RPC and MCP by a key from
// login(), SMTP submission, the URL of an export, live progress, and public links, which are rights of their own. The cells are those of
// docs/flows.md.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createTransport } from 'nodemailer';
import { addMember } from '../../src/accounts/people/user.ts';
import { sql } from '../../src/db/connect.ts';
import { formatId } from '../../src/db/ids.ts';
import { ProgressFeed } from '../../src/delivery/progress/feed.ts';
import { call } from '../../src/doors/call.ts';
import { startSubmission } from '../../src/doors/submission/server.ts';
import { Browser } from '../support/browser/session.ts';
import { decodeResponse, encodeCall } from '../support/builders/xmlrpc-client.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { until } from '../support/run/until.ts';
import { type Fixture, makeAccount, makePlaceholder, personPassword, signIn } from './fixture.ts';

let app: TestApp;
let base: string;
let own: Fixture;
let submission: { port: number; close(): Promise<void> };
before(async () => {
  app = await testApp();
  base = await app.listen();
  own = await makeAccount(app.app, 'pro');
  submission = await startSubmission(app.app, 0);
});
after(async () => {
  await submission.close();
  await app.close();
});

const doors = ['session', 'JSON', 'form', 'XML-RPC', 'MCP', 'SMTP', 'export', 'progress', 'report', 'sign-up'] as const;
type Door = (typeof doors)[number];

/** A person with a session, a key from login() and everything open, about a list and a contact of their own. */
async function open() {
  const list = await own.call<string>('listCreate', { title: 'Choir' });
  const elsewhere = await own.call<string>('listCreate', { title: 'Elsewhere' });
  const email = `reader${list}@example.com`;
  await own.call('listSubscribe', { id: list, email_address: email, double_optin: false });
  const { token, userId } = await signIn(app.app, own.accountId);
  await addMember(app.app.db, own.accountId, userId, 'editor', null);
  const row = await app.app.db.row<{ username: string; sessionId: number }>(sql`
    select email as username, session.id as "sessionId" from app_user join session on session.user_id = app_user.id where app_user.id = ${userId}`);
  const none = { kind: 'key', key: '', ip: '' } as const;
  const login = { username: row!.username, password: personPassword };
  const key = (await call(app.app, 'login', login, none, 'json')) as string;
  const browser = new Browser(base);
  browser.cookie = token;
  const report = await own.call<{ url: string }>('reportLinkCreate', { list, name: 'Board', days: 3 });
  const form = await own.call<{ url: string }>('listForm', { id: list });
  const running = (await makePlaceholder(app.app, own, 'running'))!;
  return {
    list,
    elsewhere,
    email,
    userId,
    sessionId: row!.sessionId,
    key,
    browser,
    report: report.url,
    form: form.url,
    running,
  };
}
type Open = Awaited<ReturnType<typeof open>>;

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const post = (path: string, type: string, body: string, headers: Record<string, string> = {}) =>
  fetch(base + path, { method: 'POST', headers: { 'content-type': type, ...headers }, body });
const codeIn = (answer: unknown): string => String((answer as { code?: number }).code ?? 'ok');

/** What each door answers about the contact, or does for what it is for: ok, or the number that it refuses with. */
const ask: Record<Door, (of: Open, assistant: Client, ended: () => boolean) => Promise<string>> = {
  session: async ({ browser, list, email }) =>
    codeIn((await browser.call('listMemberInfo', { id: list, email_address: email })).body),
  JSON: async ({ key, list, email }) => {
    const body = JSON.stringify({ id: list, email_address: email });
    return codeIn(await (await post('/api/listMemberInfo', 'application/json', body, bearer(key))).json());
  },
  async form({ key, list, email }) {
    const body = new URLSearchParams({ apikey: key, id: list, email_address: email }).toString();
    const path = '/1.3/?output=json&method=listMemberInfo';
    return codeIn(await (await post(path, 'application/x-www-form-urlencoded', body)).json());
  },
  async 'XML-RPC'({ key, list, email }) {
    const response = await post(
      '/xmlrpc',
      'text/xml',
      encodeCall('listMemberInfo', [{ apikey: key, id: list, email_address: email }]),
    );
    const answer = decodeResponse(new Uint8Array(await response.arrayBuffer()));
    return 'fault' in answer ? String(answer.fault.code) : 'ok';
  },
  // An assistant has no tool that shows a contact: it counts.
  async MCP({ list, email }, assistant) {
    const filter = [{ field: 'EMAIL', condition: 'is', value: email }];
    const given = { name: 'segmentPreview', arguments: { list, match: 'all', filter } };
    type Answer = { isError?: boolean; content?: { text: string }[] };
    const answer = (await assistant.callTool(given).catch(() => ({ isError: true }))) as Answer;
    if (answer.isError) return 'refused';
    return /"count": ?1\b/.test(answer.content![0]!.text) ? 'ok' : 'without';
  },
  async SMTP({ key, email }) {
    const auth = { user: 'any', pass: key };
    const transport = createTransport({ host: '127.0.0.1', port: submission.port, ignoreTLS: true, auth });
    const letter = { from: 'main@example.com', to: email, subject: 'Hello', text: 'Hello' };
    return transport.sendMail(letter).then(
      () => 'ok',
      () => 'refused',
    );
  },
  async export({ browser, list, email }) {
    const { status, body } = await browser.ask<string>('GET', `/export/${list}.csv`);
    return status === 200 ? (body.includes(email) ? 'ok' : 'without') : String(status);
  },
  progress: async (_, __, ended) => (ended() ? 'ended' : 'ok'),
  report: async ({ report }) => String((await fetch(base + new URL(report).pathname)).status),
  'sign-up': async ({ form }) => String((await fetch(base + new URL(form).pathname)).status),
};

/** What is answered before anything happens. */
const open200 = { report: '200', 'sign-up': '200' } as const;

/** THE cells: what each door answers after the event, where it is not as before. */
const events: Record<string, { happens(of: Open): Promise<unknown>; cells: Partial<Record<Door, string>> }> = {
  'the role changes': {
    happens: ({ userId }) =>
      own.call('userUpdate', { id: formatId(userId), role: 'custom', permissions: ['reports:read'] }),
    cells: {
      ...{ session: '120', JSON: '120', form: '120', 'XML-RPC': '120', MCP: 'refused', SMTP: 'refused' },
      ...{ export: '403', progress: 'ended' },
    },
  },
  'the person is removed': {
    happens: ({ userId }) => own.call('userDelete', { id: formatId(userId) }),
    cells: {
      ...{ session: '104', JSON: '104', form: '104', 'XML-RPC': '104', MCP: 'refused', SMTP: 'refused' },
      ...{ export: '401', progress: 'ended' },
    },
  },
  'the session ends': {
    happens: ({ sessionId }) => app.app.db.run(sql`delete from session where id = ${sessionId}`),
    cells: { session: '104', export: '401', progress: 'ended' },
  },
  'the key expires': {
    happens: ({ userId }) => app.app.db.run(sql`update api_key set expires_at = now() where user_id = ${userId}`),
    cells: { JSON: '104', form: '104', 'XML-RPC': '104', MCP: 'refused', SMTP: 'refused' },
  },
  'the list is deleted': {
    happens: ({ list }) => own.call('listDelete', { id: list }),
    cells: {
      ...{ session: '200', JSON: '200', form: '200', 'XML-RPC': '200', MCP: 'refused' },
      ...{ export: '404', report: '404', 'sign-up': '404' },
    },
  },
  'the contact moves to another list': {
    async happens({ list, elsewhere, email }) {
      await own.call('listSubscribe', { id: elsewhere, email_address: email, double_optin: false });
      await own.call('listMemberDelete', { id: list, email_address: email });
    },
    cells: { session: '232', JSON: '232', form: '232', 'XML-RPC': '232', MCP: 'without', export: 'without' },
  },
};

for (const [event, { happens, cells }] of Object.entries(events))
  test(`${event}, at every door`, async () => {
    const of = await open();
    const { key, userId, sessionId, running } = of;
    const assistant = new Client({ name: 'assistant', version: '1.0.0' });
    const url = new URL('/mcp', base);
    await assistant.connect(new StreamableHTTPClientTransport(url, { authProvider: { token: async () => key } }));
    const feed = new ProgressFeed(app.app);
    let readings = 0;
    let isEnded = false;
    feed.watch({
      ...{ accountId: own.accountId, userId, sessionId, language: 'en' },
      send({ campaign }) {
        if (campaign === running) readings += 1;
      },
      end() {
        isEnded = true;
      },
    });
    const answers = async () => {
      const found: Partial<Record<Door, string>> = {};
      for (const door of doors) found[door] = await ask[door](of, assistant, () => isEnded);
      return found;
    };
    try {
      await until('the campaign is shown', () => readings > 0);
      const before = Object.fromEntries(doors.map((door) => [door, 'ok']));
      assert.deepEqual(await answers(), { ...before, ...open200 });
      await happens(of);
      if (cells.progress) await until('live progress ends', () => isEnded);
      assert.deepEqual(await answers(), { ...before, ...open200, ...cells });
    } finally {
      feed.stop();
      await assistant.close();
    }
  });
