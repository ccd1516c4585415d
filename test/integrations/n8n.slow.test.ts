// The node in n8n, against a running server: a sign-up by a workflow, the signed webhook that starts another, and its message; every
// operation, faults, and an answer that is lost. Without n8n the tests are skipped, with the reason.
import assert from 'node:assert/strict';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test as plainTest } from 'node:test';
import { type TestDatabase, testDatabase } from '../support/database/database.ts';
import { Installation } from '../support/installation/installation.ts';
import { testKey } from '../support/installation/service.ts';
import { until } from '../support/run/until.ts';
import { missingN8n, N8n, type Node } from './n8n-server.ts';

const skip = missingN8n;
const test = (name: string, body: () => Promise<void>) => plainTest(name, { skip }, body);

let database: TestDatabase;
let service: Installation;
let n8n: N8n;
let front: Server;
let list: string;
let credentials: { id: string; name: string };
/** Those whose requests pass a server that loses the first answer of messageSend. */
let lossy: { id: string; name: string };
let lost = 0;

before(async () => {
  if (skip) return;
  database = await testDatabase();
  service = new Installation({ DATABASE_URL: database.url, OUTBOUND_ALLOW: '127.0.0.0/8' });
  n8n = new N8n();
  await Promise.all([service.start(), n8n.start()]);
  list = await service.call<string>('listCreate', { title: 'Readers' });
  front = createServer((request, response) => {
    const { method, url: path, headers } = request;
    const passed = httpRequest(service.base + path, { method, headers }, (answer) => {
      const isLost = path === '/api/messageSend' && lost++ === 0;
      if (isLost) answer.resume().on('end', () => response.destroy());
      else answer.pipe(response.writeHead(answer.statusCode!, answer.headers));
    });
    request.pipe(passed);
  });
  await new Promise<void>((listening) => front.listen(0, '127.0.0.1', listening));
  credentials = await credentialsFor('Postrider', service.base);
  lossy = await credentialsFor('Lossy', `http://127.0.0.1:${(front.address() as AddressInfo).port}/`);
});
after(async () => {
  await n8n?.close();
  front?.closeAllConnections();
  front?.close();
  await service?.remove();
  await database?.close();
});

async function credentialsFor(name: string, url: string): Promise<{ id: string; name: string }> {
  const data = { url, apiKey: testKey };
  const { id } = await n8n.rest<{ id: string }>('POST', 'credentials', { name, type: 'postriderApi', data });
  return { id, name };
}

const node = (name: string, parameters: Record<string, unknown>, settings: Record<string, unknown> = {}): Node => ({
  name,
  type: 'n8n-nodes-postrider.postrider',
  parameters,
  credentials: { postriderApi: credentials },
  ...settings,
});
/** Starts a workflow by a request and answers with what its last node returns. */
const byRequest = (path: string): Node => ({
  name: 'Request',
  type: 'n8n-nodes-base.webhook',
  typeVersion: 2,
  parameters: { httpMethod: 'POST', path, responseMode: 'lastNode', responseData: 'allEntries' },
});
async function post<T>(path: string, body: unknown): Promise<T> {
  const answer = await fetch(`${n8n.base}/webhook/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  assert.equal(answer.status, 200, `${text}\n${n8n.output.slice(-2_000)}`);
  return JSON.parse(text) as T;
}
const byId = (value: string) => ({ __rl: true, mode: 'id', value });

type Mail = { id: string; rcpt_to: string[]; subject: string };
const mailTo = async (address: string) =>
  (await service.call<Mail[]>('inboxMessages', { limit: 100 })).filter(({ rcpt_to }) => rcpt_to.includes(address));

test('the test of the credentials passes with a key and names the problem without one', async () => {
  const tested = (apiKey: string) =>
    n8n.rest<{ status: string; message: string }>('POST', 'credentials/test', {
      credentials: { id: '', name: 'x', type: 'postriderApi', data: { url: `${service.base}/`, apiKey } },
    });
  assert.equal((await tested(testKey)).status, 'OK');
  const refused = await tested('0'.repeat(32));
  assert.equal(refused.status, 'Error');
  assert.match(refused.message, /unauthori[sz]ed|authori[sz]ation/i);
});

test('its fields offer lists, drafts, merge fields and types of events', async () => {
  const draft = await service.draft(list, 'Offered');
  const asked = (name: string, kind: string, methodName: string, currentNodeParameters = {}) =>
    n8n.rest<unknown>('POST', `dynamic-node-parameters/${kind}`, {
      path: 'parameters.x',
      nodeTypeAndVersion: { name: `n8n-nodes-postrider.${name}`, version: 1 },
      methodName,
      currentNodeParameters,
      credentials: { postriderApi: credentials },
    });
  type Found = { results: { name: string; value: string }[] };
  const lists = (await asked('postrider', 'resource-locator-results', 'searchLists')) as Found;
  assert.deepEqual(
    lists.results.filter(({ value }) => value === list).map(({ name }) => name),
    ['Readers'],
  );
  const drafts = (await asked('postrider', 'resource-locator-results', 'searchDrafts')) as Found;
  assert.ok(drafts.results.some(({ value }) => value === draft));
  const fields = (await asked('postrider', 'options', 'getMergeFields', { id: byId(list) })) as Found['results'];
  assert.deepEqual(
    fields.map(({ value }) => value),
    ['EMAIL', 'FNAME', 'LNAME'],
  );
  const types = (await asked('postriderTrigger', 'options', 'getEventTypes')) as Found['results'];
  assert.ok(types.some(({ value }) => value === 'contact.subscribe'));
});

test('a workflow subscribes a contact, its signed webhook starts another, and that sends a message', async () => {
  const signUp = await n8n.workflow('Sign-up', [
    byRequest('sign-up'),
    node('Subscribe', {
      resource: 'contact',
      operation: 'subscribe',
      id: byId(list),
      email_address: '={{ $json.body.email }}',
      merge_vars: { field: [{ tag: 'FNAME', value: '={{ $json.body.name }}' }] },
      options: { double_optin: false },
    }),
  ]);
  const greet = await n8n.workflow('Greet', [
    {
      name: 'Trigger',
      type: 'n8n-nodes-postrider.postriderTrigger',
      parameters: { events: ['contact.subscribe'], options: { list_id: byId(list) } },
      credentials: { postriderApi: credentials },
    },
    node('Send', {
      resource: 'message',
      operation: 'send',
      to: '={{ $json.data.email }}',
      subject: '=Welcome, {{ $json.data.fields.FNAME }}',
      html: '<p>Hello *|NAME|*</p>',
      options: { values: '={{ { NAME: $json.data.fields.FNAME } }}', tags: 'greeting, n8n', send_at: '' },
    }),
  ]);
  await n8n.activate(signUp);
  await n8n.activate(greet);
  type Webhook = { id: string; url: string; status: string; title: string; list_id: string };
  const webhooks = () => service.call<Webhook[]>('webhooks');
  const [webhook, ...more] = await webhooks();
  assert.deepEqual([webhook!.status, webhook!.title, webhook!.list_id, more], ['active', 'n8n: Greet', list, []]);

  assert.deepEqual(await post('sign-up', { email: 'ada@example.com', name: 'Ada' }), [{ success: true }]);
  await until('the message has arrived', async () => (await mailTo('ada@example.com')).length === 1, 120_000);
  const [mail] = await mailTo('ada@example.com');
  assert.equal(mail!.subject, 'Welcome, Ada');
  const [{ source }] = await service.call<[{ source: string }]>('inboxMessages', { id: mail!.id });
  // Quoted-printable breaks lines.
  assert.match(source.replace(/=\r?\n/g, ''), /<p>Hello Ada<\/p>/);

  const body = JSON.stringify({
    timestamp: Math.floor(Date.now() / 1_000),
    events: [{ type: 'contact.subscribe', data: { id: 'evt_1', email: 'eve@example.com', fields: { FNAME: 'Eve' } } }],
  });
  const headers = { 'content-type': 'application/json', 'webhook-id': 'msg_1', 'webhook-signature': 'v1,AAAA' };
  const forged = await fetch(webhook!.url, {
    method: 'POST',
    headers: { ...headers, 'webhook-timestamp': String(Math.floor(Date.now() / 1_000)) },
    body,
  });
  assert.deepEqual([forged.status, await forged.text()], [401, '401 Unauthorized']);
  type Executions = { results: { status: string }[] };
  const filter = encodeURIComponent(JSON.stringify({ workflowId: greet }));
  const { results } = await n8n.rest<Executions>('GET', `executions?filter=${filter}`);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['success'],
  );

  await n8n.deactivate(greet);
  assert.deepEqual(await webhooks(), []);
});

test('the other operations do what their methods do', async () => {
  const email = 'bob@example.com';
  await service.call('listSubscribe', { id: list, email_address: email, double_optin: false });
  const cid = await service.draft(list, 'By n8n');
  const id = await n8n.workflow('Operations', [
    byRequest('operations'),
    node('Update', {
      resource: 'contact',
      operation: 'update',
      id: byId(list),
      email_address: email,
      merge_vars: { field: [{ tag: 'LNAME', value: 'Doe' }] },
    }),
    node('Get', { resource: 'contact', operation: 'get', email }),
    node('Record', {
      resource: 'event',
      operation: 'record',
      name: 'order.placed',
      email_address: '={{ $json.email }}',
      options: { data: '{"name":"Tea"}', value: 49.9, id: 'A-17', time: '2026-11-20T10:00:00' },
    }),
    node('Send', { resource: 'campaign', operation: 'send', cid: byId(cid), options: { undo_seconds: 0 } }),
    node('Many', { resource: 'campaign', operation: 'getAll', returnAll: true, options: { subject: 'By n8n' } }),
    node('Unsubscribe', {
      resource: 'contact',
      operation: 'unsubscribe',
      id: byId(list),
      email_address: email,
      options: { send_goodbye: false },
    }),
    node('Again', { resource: 'campaign', operation: 'getAll', returnAll: false, limit: 1, options: {} }),
  ]);
  await n8n.activate(id);
  const [campaign, ...more] = await post<{ id: string; subject: string }[]>('operations', {});
  assert.deepEqual([campaign!.id, campaign!.subject, more], [cid, 'By n8n', []]);
  const member = await service.call<{ status: string; merges: Record<string, string> }>('listMemberInfo', {
    id: list,
    email_address: email,
  });
  assert.deepEqual([member.status, member.merges['LNAME']], ['unsubscribed', 'Doe']);
  type Event = { name: string; value: string; data: unknown };
  const events = await service.call<{ data: Event[] } | Event[]>('contactEvents', { email });
  const [event] = Array.isArray(events) ? events : events.data;
  assert.deepEqual([event!.name, Number(event!.value), event!.data], ['order.placed', 49.9, { name: 'Tea' }]);
});

test('a fault is the error of the node, and its text an item where the workflow goes on', async () => {
  const id = await n8n.workflow('Fault', [
    byRequest('fault'),
    node(
      'Subscribe',
      { resource: 'contact', operation: 'subscribe', id: byId('d0000000'), email_address: 'x@example.com' },
      { onError: 'continueRegularOutput' },
    ),
  ]);
  await n8n.activate(id);
  const [{ error }] = await post<[{ error: string }]>('fault', {});
  assert.match(error, /^id: the list "d0000000" does not exist/);
});

test('a message whose answer was lost is sent once by "Retry On Fail"', async () => {
  const id = await n8n.workflow('Retry', [
    byRequest('retry'),
    node(
      'Send',
      { resource: 'message', operation: 'send', to: 'cy@example.com', subject: 'Once', html: '<p>Hello</p>' },
      { retryOnFail: true, maxTries: 2, waitBetweenTries: 0, credentials: { postriderApi: lossy } },
    ),
  ]);
  await n8n.activate(id);
  const [{ id: message }] = await post<[{ id: string }]>('retry', {});
  assert.equal(lost, 2);
  type Sent = { id: string };
  const log = await service.call<{ data: Sent[] } | Sent[]>('messages', { email: 'cy@example.com' });
  assert.deepEqual(
    (Array.isArray(log) ? log : log.data).map((one) => one.id),
    [message],
  );
});
