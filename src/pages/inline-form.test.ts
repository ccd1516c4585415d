// The sign-up form on other sites over HTTP: which pages may use it, what a submission needs, and what is logged of refused ones.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { openedToken } from '../audience/signup/form.ts';
import { proofBits } from '../audience/signup/proof.ts';
import { sql } from '../db/connect.ts';
import { createServer } from '../web.ts';

let app: TestApp;
let list: string;
let path: string;
let server: Awaited<ReturnType<typeof createServer>>;
const site = 'https://www.shop.example';
before(async () => {
  app = await testApp({ TRUST_PROXY: '127.0.0.1/32' });
  server = await createServer(app.app);
  list = await app.call<string>('listCreate', { title: 'Letter' });
  await app.call('listFormUpdate', { id: list, options: { origins: [`${site}/`], ask_consent: false } });
  path = new URL((await app.call<{ url: string }>('listForm', { id: list })).url).pathname;
});
after(async () => {
  await server.close();
  await app.close();
});

const prove = (look: string) => {
  for (let n = 0; ; n++) {
    const proof = n.toString(36);
    const digest = createHash('sha256').update(`${look}:${proof}`).digest();
    if (digest.readUInt32BE() >>> (32 - proofBits) === 0) return proof;
  }
};
let nextLook = 5_000;
const look = () => openedToken(app.app, path.split('/').at(-1)!, Date.now() - nextLook++);
let nextIp = 0;
const post = async (given: Record<string, string>, origin = site) => {
  const answer = await server.inject({
    method: 'POST',
    url: `${path}/inline`,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-forwarded-for': `203.0.113.${nextIp++ % 250}`,
      ...(origin && { origin }),
    },
    payload: new URLSearchParams(given).toString(),
  });
  const allowed = answer.headers['access-control-allow-origin'];
  return { status: answer.statusCode, allowed, ...answer.json<{ state: string; problems?: Record<string, string> }>() };
};
const proven = (email: string, at = look()) => ({ EMAIL: email, LOOK: at, PROOF: prove(at) });
const subscriptions = async () =>
  (await app.app.db.row<{ count: number }>(sql`select count(*)::int as count from subscription`))!.count;
type Refusal = { reason: string; email: string; network: string; origin: string };
const latest = async () => (await app.call<Refusal[]>('listFormRefusals', { id: list, limit: 1 }))[0];

test('a page of an allowed origin signs a person up, with a proof that is accepted once', async () => {
  const start = await server.inject({ url: `${path}/inline`, headers: { origin: site } });
  assert.equal(start.statusCode, 200);
  assert.equal(start.headers['access-control-allow-origin'], site);
  assert.equal(start.json<{ bits: number }>().bits, proofBits);
  const given = proven('ann@example.com');
  const first = await post(given);
  assert.deepEqual([first.status, first.state, first.allowed], [200, 'done', site]);
  assert.equal(await subscriptions(), 1);
  const second = await post({ ...given, EMAIL: 'ben@example.com' });
  assert.deepEqual([second.status, second.state], [403, 'again']);
  assert.equal((await latest())?.reason, 'proof');
  assert.equal(await subscriptions(), 1);
});

test('another origin, or none, is refused and cannot read the answer', async () => {
  for (const origin of ['https://evil.example', 'http://www.shop.example', `${site}:8443`, 'null', '']) {
    const answer = await post(proven('carl@example.com'), origin);
    assert.deepEqual([answer.status, answer.allowed], [403, undefined], origin);
    const start = await server.inject({ url: `${path}/inline`, headers: { origin } });
    assert.deepEqual([start.statusCode, start.headers['access-control-allow-origin']], [403, undefined], origin);
  }
  await post(proven('dora@example.com'), 'https://evil.example');
  const { reason, email, network, origin } = (await latest())!;
  assert.deepEqual([reason, email, origin], ['origin', 'd…@example.com', 'https://evil.example']);
  assert.match(network, /^203[.]0[.]113[.]0\/24$/);
});

test('without a token, too soon, or with a wrong proof nothing is written but the refusal', async () => {
  const before = await subscriptions();
  const at = look();
  const early = openedToken(app.app, path.split('/').at(-1)!, Date.now() + 30_000);
  const wrong = prove(at);
  for (const [given, reason] of [
    [{ EMAIL: 'eve@example.com' }, 'token'],
    [{ EMAIL: 'eve@example.com', LOOK: early, PROOF: prove(early) }, 'token'],
    [{ EMAIL: 'eve@example.com', LOOK: at }, 'proof'],
    [{ EMAIL: 'eve@example.com', LOOK: at, PROOF: `${wrong}-` }, 'proof'],
    [{ ...proven('eve@example.com'), LOOK: at }, 'proof'],
    [{ ...proven('eve@example.com'), CONTACT_URL: 'x' }, 'trap'],
  ] as const) {
    const answer = await post(given);
    assert.equal(answer.state, reason === 'trap' ? 'done' : 'again');
    assert.equal((await latest())?.reason, reason);
  }
  assert.equal(await subscriptions(), before);
});

test('a wrong value is answered by its field, and a known address like a new one', async () => {
  const wrong = await post(proven('not an address'));
  assert.deepEqual([wrong.status, wrong.state, Object.keys(wrong.problems!)], [400, 'problems', ['EMAIL']]);
  await app.call('listSubscribe', { id: list, email_address: 'known@example.com', double_optin: false });
  const known = await post(proven('known@example.com'));
  assert.deepEqual([known.status, known.state], [200, 'done']);
  assert.equal((await latest())?.reason, 'not_asked');
});

test('a form that is off is answered like an unknown one', async () => {
  await app.call('listFormUpdate', { id: list, options: { enabled: false } });
  assert.equal((await post(proven('fay@example.com'))).status, 403);
  await app.call('listFormUpdate', { id: list, options: { enabled: true } });
});

test('only origins are allowed, and another account does not see the refusals', async () => {
  for (const origin of ['www.shop.example', 'https://www.shop.example/page', 'ftp://shop.example', '*', 'null'])
    await assert.rejects(app.call('listFormUpdate', { id: list, options: { origins: [origin] } }), {
      fault: 'LIST_OPTION_INVALID',
      message: /^options[.]origins[.]0/,
    });
  const other = await app.anotherAccount();
  await assert.rejects(other.call('listFormRefusals', { id: list }), { fault: 'LIST_UNKNOWN' });
});

test('the script is small and is loaded from any site', async () => {
  const { body, headers } = await server.inject({ url: '/forms.js' });
  assert.equal(body, readFileSync(join(import.meta.dirname, 'forms.js'), 'utf8'));
  assert.ok(Buffer.byteLength(body) <= 4_096, `${Buffer.byteLength(body)} bytes`);
  assert.match(String(headers['content-type']), /^text\/javascript/);
  assert.equal(headers['cross-origin-resource-policy'], 'cross-origin');
  const { inline_html } = await app.call<{ inline_html: string }>('listForm', { id: list });
  assert.match(inline_html, /<script src="http[^"]+\/forms[.]js" async><\/script>/);
});

test('a domain that seems to be mistyped is a question after the thanks', async () => {
  const { status, text } = (await post(proven('ann@hotmial.com'))) as { status: number; text?: string };
  assert.equal(status, 200);
  assert.match(text!, /Did you mean ann@hotmail\.com\?$/);
});
