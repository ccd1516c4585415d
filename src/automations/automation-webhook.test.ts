// Incoming webhooks of automations over HTTP: what lets a contact enter, what is ignored, what is refused, and what a request
// without the secret can do.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import { runAutomations } from './run/engine.ts';

let app: TestApp;
let base: string;
let list: string;

before(async () => {
  app = await testApp();
  base = await app.listen();
  list = await app.call<string>('listCreate', { title: 'Buyers' });
  for (const email_address of ['ann@example.com', 'ben@example.com', 'left@example.com'])
    await app.call('listSubscribe', { id: list, email_address, double_optin: false });
  await app.call('listUnsubscribe', { id: list, email_address: 'left@example.com', send_goodbye: false });
});
after(() => app.close());

type Info = {
  status: string;
  problems: { problem: string }[];
  webhook: Record<'url' | 'last_at' | 'last_result', string>;
};
const info = (id: string) => app.call<Info>('automationGet', { id });
const inside = async (id: string) =>
  (await app.call<{ data: { email: string }[] }>('automationContacts', { id })).data.map(({ email }) => email).sort();

/** An automation with this trigger that then waits, and the path of its URL. */
async function automation(trigger: Record<string, unknown> = {}, start = true) {
  const id = await app.call<string>('automationCreate', { title: 'Cart', list });
  await app.call('automationUpdate', {
    id,
    trigger: { type: 'webhook', ...trigger },
    steps: [{ type: 'wait', amount: 1, unit: 'days' }],
  });
  const { url } = await app.call<{ url: string }>('automationWebhookUrl', { id });
  if (start) await app.call('automationStart', { id });
  return { id, path: new URL(url).pathname };
}

async function post(path: string, body: string, type = 'application/json'): Promise<[status: number, answer: string]> {
  const answer = await fetch(base + path, { method: 'POST', headers: { 'content-type': type }, body });
  while ((await runAutomations(app.app)) > 0);
  return [answer.status, await answer.text()];
}

test('a request lets a subscribed contact enter; it is ignored or refused otherwise, and the automation says why', async () => {
  const { id, path } = await automation();
  const cases: [body: string, type: string, status: number, answer: RegExp, result: string][] = [
    [
      '{"email":"stranger@example.com"}',
      'application/json',
      200,
      /ignored: the address is not subscribed/,
      'not_subscribed',
    ],
    [
      '{"email":"left@example.com"}',
      'application/json',
      200,
      /ignored: the address is not subscribed/,
      'not_subscribed',
    ],
    ['{"email":"ann"}', 'application/json', 422, /the member \\"email\\" is not an email address/, 'no_address'],
    ['{"email":["ann@example.com"]}', 'application/json', 422, /is not an email address/, 'no_address'],
    ['{"mail":"ann@example.com"}', 'application/json', 422, /is not an email address/, 'no_address'],
    ['null', 'application/json', 422, /is not an email address/, 'no_address'],
    ['{"__proto__":{"email":"ann@example.com"}}', 'application/json', 422, /is not an email address/, 'no_address'],
    ['{"email":', 'application/json', 400, /neither JSON nor a form/, 'unreadable'],
    ['', 'application/json', 400, /neither JSON nor a form/, 'unreadable'],
    ['email=ann%40example.com', 'text/plain', 400, /neither JSON nor a form/, 'unreadable'],
    ['{"email":" Ann@Example.com "}', 'application/json; charset=utf-8', 202, /accepted/, 'entered'],
    ['{"email":"ann@example.com"}', 'application/x-www-form-urlencoded', 202, /accepted/, 'entered'],
    ['email=ben%40example.com&total=12', 'application/x-www-form-urlencoded', 202, /accepted/, 'entered'],
  ];
  assert.deepEqual(await inside(id), []);
  for (const [body, type, status, words, result] of cases) {
    const [given, answer] = await post(path, body, type);
    assert.equal(given, status, `${body}: ${answer}`);
    assert.match(answer, words, body);
    const { webhook } = await info(id);
    assert.equal(webhook.last_result, result, body);
    assert.notEqual(webhook.last_at, '');
  }
  assert.deepEqual(await inside(id), ['ann@example.com', 'ben@example.com']);
  // Repeated by the sender: a contact that is inside stays where it is.
  assert.equal((await post(path, '{"email":"ann@example.com"}'))[0], 202);
  assert.deepEqual(await inside(id), ['ann@example.com', 'ben@example.com']);
  assert.equal((await post(path, `{"email":"ann@example.com","more":"${'x'.repeat(1024 * 1024)}"}`))[0], 413);
});

test('the address is found where the trigger says', async () => {
  const places: [member: string, body: string, type?: string][] = [
    ['customer.email', '{"customer":{"email":"ann@example.com"}}'],
    ['orders.0.buyer', '{"orders":[{"buyer":"ann@example.com"}]}'],
    ['a.b', '{"a.b":"ann@example.com","a":{"b":"ben@example.com"}}'],
    ['customer[email]', 'customer%5Bemail%5D=ann%40example.com', 'application/x-www-form-urlencoded'],
  ];
  for (const [member, body, type] of places) {
    const { id, path } = await automation({ member });
    assert.deepEqual(await post(path, body, type), [202, '{"status":"accepted"}'], member);
    assert.deepEqual(await inside(id), ['ann@example.com'], member);
  }
  const { path } = await automation({ member: 'customer.email' });
  assert.match((await post(path, '{"email":"ann@example.com"}'))[1], /the member \\"customer\.email\\"/);
});

test('an automation without a URL cannot start, and one that is not active ignores requests', async () => {
  const id = await app.call<string>('automationCreate', { title: 'Cart', list });
  await app.call('automationUpdate', {
    id,
    trigger: { type: 'webhook' },
    steps: [{ type: 'wait', amount: 1, unit: 'days' }],
  });
  assert.deepEqual(
    (await info(id)).problems.map(({ problem }) => problem),
    ['create the URL of the webhook'],
  );
  assert.equal((await info(id)).webhook.url, '');
  await assert.rejects(app.call('automationStart', { id }), /create the URL of the webhook/);

  const { id: draft, path } = await automation({}, false);
  assert.match((await post(path, '{"email":"ann@example.com"}'))[1], /ignored: the automation is not active/);
  await app.call('automationStart', { id: draft });
  await app.call('automationPause', { id: draft });
  assert.match((await post(path, '{"email":"ann@example.com"}'))[1], /ignored: the automation is not active/);
  await app.call('automationStart', { id: draft });
  assert.deepEqual(await inside(draft), []);
  assert.equal((await post(path, '{"email":"ann@example.com"}'))[0], 202);
  assert.deepEqual(await inside(draft), ['ann@example.com']);
  // With another trigger, a URL that was made earlier lets no contact enter.
  await app.call('automationUpdate', { id: draft, trigger: { type: 'event', name: 'order' } });
  await app.call('automationStart', { id: draft });
  assert.equal((await post(path, '{"email":"ben@example.com"}'))[0], 200);
  assert.deepEqual(await inside(draft), ['ann@example.com']);
});

test('only the latest URL works; it is shown once, its token is not stored, and GET asks whether it exists', async () => {
  const { id, path } = await automation();
  const token = path.split('/').at(-1)!;
  assert.match(token, /^[\w-]{43}$/);
  assert.equal((await fetch(base + path)).status, 200);
  const { webhook } = await info(id);
  assert.equal(webhook.url, `${app.app.baseUrl}/in/automation/…${token.slice(-4)}`);
  const [stored] = await app.app.db.rows<{ row: string }>(sql`
    select row_to_json(w)::text as row from automation_webhook w where automation_id = ${parseId(id)}`);
  assert.ok(!stored!.row.includes(token));
  const { url } = await app.call<{ url: string }>('automationWebhookUrl', { id });
  assert.equal((await post(path, '{"email":"ann@example.com"}'))[0], 404);
  assert.equal((await post(new URL(url).pathname, '{"email":"ann@example.com"}'))[0], 202);
  for (const wrong of ['x', 'A'.repeat(43), `${token}A`]) {
    assert.equal((await fetch(`${base}/in/automation/${wrong}`)).status, 404);
    assert.equal((await post(`/in/automation/${wrong}`, '{"email":"ben@example.com"}'))[0], 404);
  }
  assert.deepEqual(await inside(id), ['ann@example.com']);
  await app.call('automationDelete', { id });
  assert.equal((await post(new URL(url).pathname, '{"email":"ben@example.com"}'))[0], 404);
});

test('the members of the request are the data of the event for the emails, and one that is not active says so first', async () => {
  const list = await app.call<string>('listCreate', { title: 'Data' });
  const email = 'data@example.com';
  await app.call('listSubscribe', { id: list, email_address: email, double_optin: false });
  const id = await app.call<string>('automationCreate', { title: 'Data', list });
  await app.call('automationUpdate', {
    id,
    trigger: { type: 'webhook', member: 'customer.email' },
    steps: [{ key: 'wait', type: 'wait', amount: 1, unit: 'days' }],
  });
  const { url } = await app.call<{ url: string }>('automationWebhookUrl', { id });
  const body = { customer: { email, name: 'Ada' }, items: [{ name: 'Tea' }], cart_url: 'https://shop.example/1' };
  const post = async (given: object) => {
    const answer = await fetch(base + new URL(url).pathname, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(given),
    });
    return [answer.status, await answer.text()] as const;
  };
  const [early, said] = await post(body);
  assert.equal(early, 200);
  assert.match(said, /not active/);
  await app.call('automationStart', { id });
  assert.equal((await post(body))[0], 202);
  while ((await runAutomations(app.app)) > 0);
  const [run] = await app.app.db.rows<{ data: object }>(
    sql`select event -> 'data' as data from automation_run where automation_id = ${parseId(id)}`,
  );
  assert.deepEqual(run!.data, body);
});
