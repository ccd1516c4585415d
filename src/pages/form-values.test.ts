// What a sign-up form takes beside what it shows: hidden fields, several values of one name, and values in its address.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { formOf } from '../../test/support/builders/html-form.ts';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { openedToken } from '../audience/signup/form.ts';
import { createServer } from '../web.ts';

let app: TestApp;
let server: Awaited<ReturnType<typeof createServer>>;
let list: string;
let path: string;
before(async () => {
  app = await testApp({ TRUST_PROXY: '127.0.0.1/32' });
  server = await createServer(app.app);
  list = await app.call<string>('listCreate', { title: 'Letter' });
  for (const [tag, options] of Object.entries({
    SOURCE: {},
    TOPICS: {},
    SIZE: { field_type: 'dropdown', choices: ['S', 'M'] },
    BORN: { field_type: 'date' },
    NOTE: { public: false },
  }))
    await app.call('listMergeVarAdd', { id: list, tag, name: tag, options });
  // SOURCE and BORN are public, and the form does not show them.
  await app.call('listFormUpdate', { id: list, options: { fields: ['EMAIL', 'FNAME', 'TOPICS', 'SIZE'] } });
  path = new URL((await app.call<{ url: string }>('listForm', { id: list })).url).pathname;
});
after(async () => {
  await server.close();
  await app.close();
});

let next = 0;
const post = (pairs: [string, string][]) =>
  server.inject({
    method: 'POST',
    url: path,
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': `203.0.113.${next++}` },
    payload: new URLSearchParams(pairs).toString(),
  });
const look = () => openedToken(app.app, path.split('/').at(-1)!, Date.now() - 5_000 - next);
const signUp = async (EMAIL: string, pairs: [string, string][]) => {
  const given: [string, string][] = [['EMAIL', EMAIL], ['CONSENT', '1'], ['LOOK', look()], ...pairs];
  assert.match((await post(given)).body, /Nearly done/);
  return merges(EMAIL);
};
const merges = async (email_address: string) =>
  (await app.call<{ merges: Record<string, string> }>('listMemberInfo', { id: list, email_address })).merges;

test('hidden inputs of public fields that the form does not show are stored; of others they are not', async () => {
  const stored = await signUp('hidden@example.com', [
    ['SOURCE', 'home'],
    ['BORN', 'soon'],
    ['NOTE', 'mine'],
  ]);
  assert.deepEqual([stored.SOURCE, stored.BORN, stored.NOTE], ['home', '', '']);
});

test('hidden values stay when the page asks once more', async () => {
  const first = await post([
    ['EMAIL', 'more@example.com'],
    ['CONSENT', '1'],
    ['SOURCE', 'a "b" <c>'],
  ]);
  const again = formOf(first.body).map(([name, value]): [string, string] => [name, name === 'LOOK' ? look() : value]);
  assert.match((await post(again)).body, /Nearly done/);
  assert.equal((await merges('more@example.com')).SOURCE, 'a "b" <c>');
});

test('several values of one name are one value, separated by commas', async () => {
  const stored = await signUp('several@example.com', [
    ['TOPICS', 'Tea'],
    ['TOPICS', 'Coffee'],
    ['TOPICS', 'Tea'],
    ['FNAME', ''],
    ['FNAME', 'Ann'],
  ]);
  assert.deepEqual([stored.TOPICS, stored.FNAME], ['Tea, Coffee', 'Ann']);
  const php = await signUp('php@example.com', [
    ['TOPICS[]', 'Tea'],
    ['TOPICS[]', 'Milk'],
    // A box with a hidden 0 before it, for when it is not ticked.
    ['SOURCE', '0'],
    ['SOURCE', 'yes'],
  ]);
  assert.deepEqual([php.TOPICS, php.SOURCE], ['Tea, Milk', 'yes']);
});

test('values in the address of the form are filled in, in any case of their names, and agree to nothing', async () => {
  const query =
    'email=ann%40example.com&FNAME=%22Ann%22+%3Cb%3E&size=m&source=mail&NOTE=x&CONSENT=1&LOOK=x&CONTACT_URL=x';
  const { body, statusCode } = await server.inject({ url: `${path}?${query}&topics=Tea&topics=Milk&ln=en` });
  assert.equal(statusCode, 200);
  const form = new Map(formOf(body));
  assert.deepEqual(
    ['EMAIL', 'FNAME', 'SIZE', 'SOURCE', 'TOPICS', 'NOTE', 'CONSENT', 'CONTACT_URL'].map((name) => form.get(name)),
    ['ann@example.com', '"Ann" <b>', 'M', 'mail', 'Tea, Milk', undefined, undefined, ''],
  );
  assert.doesNotMatch(body, /role="alert"|<b>/);
  for (const odd of ['email=%00', `email=${'x'.repeat(9_000)}`, 'email[]=a', 'email=%ff', '__proto__=x&constructor=y'])
    assert.equal((await server.inject({ url: `${path}?${odd}` })).statusCode, 200, odd);
});
