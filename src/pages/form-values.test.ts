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
    PLACE: { public: false },
  }))
    await app.call('listMergeVarAdd', { id: list, tag, name: tag, options });
  // SOURCE and BORN are public, and the form does not show them.
  await app.call('listFormUpdate', {
    id: list,
    options: { fields: ['EMAIL', 'FNAME', 'TOPICS', 'SIZE'], hidden_fields: ['place'] },
  });
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

test('a field that is not public takes a value where the form names it as hidden, and keeps that when it is renamed', async () => {
  const { settings, html } = await app.call<{ settings: { hidden_fields: string[] }; html: string }>('listForm', {
    id: list,
  });
  assert.deepEqual(settings.hidden_fields, ['PLACE']);
  assert.match(html, /<input type="hidden" name="PLACE" value="">/);
  assert.doesNotMatch(html, /name="(NOTE|SOURCE)"/);
  const stored = await signUp('place@example.com', [
    ['PLACE', 'Fair'],
    ['NOTE', 'mine'],
  ]);
  assert.deepEqual([stored.PLACE, stored.NOTE], ['Fair', '']);
  const shown = await server.inject({ url: `${path}?place=%22%3E%3Cscript%3E&note=x` });
  assert.equal(new Map(formOf(shown.body)).get('PLACE'), '"><script>');
  assert.doesNotMatch(shown.body, /<script>|name="NOTE"/);
  await app.call('listMergeVarUpdate', { id: list, tag: 'PLACE', options: { tag: 'SPOT' } });
  assert.equal((await signUp('spot@example.com', [['SPOT', 'Fair']])).SPOT, 'Fair');
  await assert.rejects(app.call('listFormUpdate', { id: list, options: { hidden_fields: ['NONE'] } }), {
    fault: 'LIST_OPTION_INVALID',
  });
});

test('fields are known by their tags in any case and by their numbers, as forms of other programs write them', async () => {
  const stored = await signUp('case@example.com', [
    ['fname', 'Ann'],
    ['MERGE2', 'Lee'],
    ['topics[0]', 'Tea'],
    ['topics[1]', 'Milk'],
  ]);
  assert.deepEqual([stored.FNAME, stored.LNAME, stored.TOPICS], ['Ann', 'Lee', 'Tea, Milk']);
  assert.match(
    (
      await post([
        ['email', 'small@example.com'],
        ['CONSENT', '1'],
        ['LOOK', look()],
      ])
    ).body,
    /Nearly done/,
  );
  await merges('small@example.com');
});

test('an address is taken with what people and programs leave around it', async () => {
  for (const [i, untidy] of [
    '\u200b%@x.example\u200b',
    '%@x.example,',
    '%@x.example.',
    "'%@x.example'",
    'Ann <%@x.example>',
    'mailto:%@x.example?subject=Hi',
    '\u00a0%@x.example\u202f',
    '%\uff20x.example',
  ].entries()) {
    const name = `untidy${i}`;
    assert.match(
      (
        await post([
          ['EMAIL', untidy.replace('%', name)],
          ['CONSENT', '1'],
          ['LOOK', look()],
        ])
      ).body,
      /Nearly done/,
      untidy,
    );
    await merges(`${name}@x.example`);
  }
  for (const wrong of ['a b@x.example', 'x.example', 'a@x.example, b@x.example', 'a@x.example\r\nBcc: b@x.example'])
    assert.equal(
      (
        await post([
          ['EMAIL', wrong],
          ['CONSENT', '1'],
          ['LOOK', look()],
        ])
      ).statusCode,
      400,
      wrong,
    );
});

test('a domain that seems to be mistyped is a question on the page, and the sign-up is taken all the same', async () => {
  const hint = 'Did you mean ann@gmail.com?';
  const thanks = await post([
    ['EMAIL', 'ann@gmail.con'],
    ['FNAME', 'Ann & Co'],
    ['CONSENT', '1'],
    ['LOOK', look()],
  ]);
  assert.match(thanks.body, /Nearly done/);
  assert.ok(thanks.body.includes(hint));
  await merges('ann@gmail.con');
  const link = /href="([^"]*EMAIL=[^"]*)"/.exec(thanks.body)![1]!.replaceAll('&amp;', '&');
  const again = await server.inject({ url: link });
  assert.equal(new Map(formOf(again.body)).get('EMAIL'), 'ann@gmail.com');
  assert.equal(new Map(formOf(again.body)).get('FNAME'), 'Ann & Co');
  assert.doesNotMatch(again.body, /Did you mean/);
  // A form on another site is shown once more, before anything is sent.
  const first = await post([
    ['EMAIL', 'ann@gmail.con'],
    ['CONSENT', '1'],
  ]);
  assert.deepEqual([first.statusCode, first.body.includes(hint)], [200, true]);
  const odd = await post([
    ['EMAIL', 'a&"<b>@gmial.com'],
    ['CONSENT', '1'],
    ['LOOK', look()],
  ]);
  assert.doesNotMatch(odd.body, /<b>@/);
});
