// A fault about a member names it by its path in the call; a method that changes one setting names the setting.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Fault } from '../../src/base/faults.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';

let app: TestApp;
let list: string;
let webhook: string;
let template: string;
let sender: string;
before(async () => {
  app = await testApp({ OUTBOUND_ALLOW: '' });
  list = await app.call<string>('listCreate', { title: 'Letter' });
  webhook = await app.call<string>('webhookCreate', { title: 'Hook', options: { url: 'https://127.0.0.1/' } });
  template = await app.call<string>('templateCreate', { name: 'Plain', layout: 'basic', source: '<p>Hi</p>' });
  sender = (await app.call<{ id: string }>('senderCreate', { name: 'Desk', email: 'owner@example.com' })).id;
});
after(() => app.close());

async function refusal(method: string, params: Record<string, unknown>): Promise<string> {
  const error = await app.call(method, params).then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(error instanceof Fault, `${method} ${JSON.stringify(params)} must be refused`);
  return error.message;
}

async function names(method: string, params: Record<string, unknown>, path: string): Promise<void> {
  const message = await refusal(method, params);
  const rest = message.startsWith(path) ? message.charAt(path.length) : '';
  assert.ok([':', ' '].includes(rest), `${method} must name ${path}: ${message}`);
}

test('a fault that names the choices leaves out the empty one', async () => {
  const text = await refusal('listExport', { id: list, status: 'x' });
  assert.match(text, /^status must be one of subscribed, /);
});

test('listCreate names its options by their path', async () => {
  const wrong = {
    default_from_email: 'nowhere',
    website: 'javascript:alert(1)',
    timezone: 'Mars/Base',
    sender: 'a0000001',
  };
  for (const [option, value] of Object.entries(wrong))
    await names('listCreate', { title: 'T', options: { [option]: value } }, `options.${option}`);
  assert.equal((await app.call<unknown[]>('lists')).length, 1);
});

test('webhookCreate names its options by their path', async () => {
  const url = 'https://127.0.0.1/';
  await names('webhookCreate', { title: 'T', options: { url: 'nowhere' } }, 'options.url');
  const wrong = {
    events: ['party'],
    sources: ['moon'],
    list_id: 'a0000001',
    signature_header: 'Host',
    secret_key: 'x'.repeat(201),
  };
  for (const [option, value] of Object.entries(wrong))
    await names('webhookCreate', { title: 'T', options: { url, [option]: value } }, `options.${option}`);
});

test('importCreate names the mapping and the content by their path', async () => {
  const content = 'email,name\nada@example.com,Ada\n';
  const options = (mapping: Record<string, unknown>) => ({ id: list, content, options: { mapping } });
  await names('importCreate', options({ Nope: 'FNAME' }), 'options.mapping');
  await names('importCreate', options({ name: ['FNAME'] }), 'options.mapping.name');
  await names('importCreate', { id: list }, 'content');
  const id = await app.call<string>('importCreate', { id: list, content });
  await names('importUpdate', { import: id, mapping: { Nope: 'FNAME' } }, 'mapping');
});

for (const [method, named, settings] of [
  ['accountUpdate', () => ({}), { email: 'nowhere', website: 'x', rate: 'fast', warm_up: '1', language: 'tlh' }],
  [
    'listUpdate',
    () => ({ id: list }),
    { default_from_email: 'nowhere', website: 'data:text/html,x', timezone: 'Mars' },
  ],
  ['webhookUpdate', () => ({ wid: webhook }), { url: 'nowhere', events: 'party', status: 'asleep' }],
  ['senderUpdate', () => ({ id: sender }), { email: 'nowhere', name: '' }],
  ['templateUpdate', () => ({ template_id: template }), { layout: 'round', name: '', source: '' }],
] as const)
  test(`${method} names the setting`, async () => {
    for (const [name, value] of Object.entries(settings)) await names(method, { ...named(), name, value }, name);
  });

test('the website of a list and of the account follow the same rule', async () => {
  for (const value of ['javascript:alert(1)', 'example.com', 'ftp://example.com/']) {
    assert.equal(await refusal('listUpdate', { id: list, name: 'website', value }), 'website is not a web address');
    assert.equal(await refusal('accountUpdate', { name: 'website', value }), 'website is not a web address');
  }
  for (const value of ['https://example.com/', ''])
    assert.equal(await app.call('listUpdate', { id: list, name: 'website', value }), true);
});
