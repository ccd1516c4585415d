// Every method as every role and as some chosen permissions, as a browser asks: refused exactly when the rule says so, a refused call
// changes nothing, and no one without contacts:read is shown the address of a contact. XML-RPC and MCP keep the same rule.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createKey } from '../../src/accounts/keys/key.ts';
import { addMember } from '../../src/accounts/people/user.ts';
import { permissionsOf, type Role, withReads } from '../../src/base/permissions.ts';
import { sql } from '../../src/db/connect.ts';
import { parseId } from '../../src/db/ids.ts';
import { states } from '../../src/db/states.ts';
import { launch } from '../../src/delivery/launch/launch.ts';
import { methods } from '../../src/doors/registry.ts';
import type { AnyMethod } from '../../src/method/method.ts';
import { Browser } from '../support/browser/session.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { sample } from '../support/run/runs.ts';
import { draftOf, type Fixture, fillExample, makeAccount, memberEmail, signIn } from './fixture.ts';
import { custom, digest, heldBy, mayBy, named, type Who, written } from './rights-fixture.ts';

let app: TestApp;
let base: string;
let own: Fixture;
before(async () => {
  // More calls than a key has a minute.
  app = await testApp({ API_RATE: '100000' });
  base = await app.listen();
  own = await makeAccount(app.app, 'pro', ['inline_img']);
  await receiveReplies();
});
after(() => app.close());

const everyone = [...named, ...sample(custom, 5)];

/** A campaign whose recipients were refused with replies that quote their address, paused because of it. */
async function receiveReplies(): Promise<void> {
  const { accountId, list } = own;
  for (const [n, state] of [states.later, states.failed].entries()) {
    const cid = await own.call<string>('campaignCreate', draftOf(list, { options: { subject: `Refused ${n}` } }));
    await own.call('campaignSendNow', { cid });
    await launch(app.app, { account: accountId, campaign: parseId(cid) });
    await own.call('campaignPause', { cid });
    const reply = `<${memberEmail}>: mailbox unavailable`;
    await app.app.db.run(sql`
      update delivery
      set state = ${state}, reply_code = 450, reply = ${reply}, attempts = 1, next_at = now() + interval '1 hour'
      where account_id = ${accountId} and campaign_id = ${parseId(cid)}`);
    await app.app.db.run(sql`
      update tally set queued = 0, later = 1 where account_id = ${accountId} and campaign_id = ${parseId(cid)} and queued > 0`);
    await app.app.db.run(sql`
      update campaign set status_reason = ${`450 ${reply}`}
      where account_id = ${accountId} and id = ${parseId(cid)}`);
    paused.push(cid);
  }
}
const paused: string[] = [];

async function browserOf({ role, chosen }: Who): Promise<Browser> {
  const { token, userId } = await signIn(app.app, own.accountId);
  await addMember(app.app.db, own.accountId, userId, role, chosen);
  const browser = new Browser(base);
  browser.cookie = token;
  return browser;
}

const isRefused = ({ status, body }: { status: number; body: unknown }) =>
  status === 403 && /needs the permission/.test((body as { error?: string }).error ?? '');

const calls = { refused: 0, allowed: 0, shown: 0, xmlrpc: 0 };

test('the roles are these sets of permissions', () => {
  for (const [role, text] of Object.entries(written)) assert.equal(permissionsOf(role as Role, null).join(' '), text);
  assert.deepEqual(withReads(['contacts:export', 'sending:write', 'nonsense']), [
    'contacts:read',
    'contacts:export',
    'sending:write',
    'account:read',
  ]);
});

for (const who of everyone) {
  test(`${who.name}: refused exactly when a permission is missing, and then nothing changes`, async () => {
    const held = heldBy(who);
    const browser = await browserOf(who);
    const before = await digest(app.app);
    for (const method of sample(
      methods.filter((one) => !mayBy(held, one)),
      8,
    )) {
      const answer = await browser.call(method.name, method.example.params);
      assert.ok(isRefused(answer), `${method.name}: ${JSON.stringify(answer.body)}`);
      assert.equal((answer.body as { code?: number }).code, 120);
      calls.refused++;
    }
    assert.deepEqual(await digest(app.app), before, 'a refused call changed something');
    for (const method of sample(
      methods.filter((method) => mayBy(held, method)),
      12,
    )) {
      // What changes something may end the session or remove the person, so each such method gets its own.
      const answer = await (method.reads ? browser : await browserOf(who)).call(method.name, method.example.params);
      assert.ok(!isRefused(answer), `${method.name}: ${JSON.stringify(answer.body)}`);
      calls.allowed++;
    }
  });
}

for (const who of everyone.filter((who) => !heldBy(who).includes('contacts:read'))) {
  test(`${who.name}: no answer shows the address of a contact`, async () => {
    const held = heldBy(who);
    const browser = await browserOf(who);
    // The log of single messages is a right of its own, and shows to whom they went.
    const shown = sample(
      methods.filter(
        (method) => mayBy(held, method) && method.scope === 'read' && !method.person && method.group !== 'messages',
      ),
      2,
    );
    for (const method of shown) {
      for (const params of await paramsFor(method)) {
        const { body } = await browser.call(method.name, params);
        const text = JSON.stringify(body);
        assert.ok(!text.includes(memberEmail) && !text.includes('Grace'), `${method.name} ${text}`);
        calls.shown++;
      }
    }
  });
}

/** The example, and the campaigns with replies in place of its campaign. */
async function paramsFor({ example }: AnyMethod): Promise<Record<string, unknown>[]> {
  const filled = await fillExample(app.app, own, example.params);
  const member = ['cid', 'campaign', 'campaign_id'].find((name) => typeof filled[name] === 'string');
  return [filled, ...(member ? paused.map((cid) => ({ ...filled, [member]: cid })) : [])];
}

test('the same rule holds for keys through XML-RPC, whose person or permissions decide', async () => {
  for (const who of everyone) {
    const held = heldBy(who);
    const { key } = await createKey(app.app.db, own.accountId, {
      label: who.name.slice(0, 100),
      scope: 'limited',
      permissions: held,
    });
    for (const method of sample(
      methods.filter((_, i) => i % 5 === 0),
      8,
    )) {
      // Called without parameters: of some these make the difference, and apikeyExpire would end the key.
      if (method.identify || ['ping', 'apikeyExpire'].includes(method.name) || typeof method.addresses === 'function')
        continue;
      const answer = await xmlrpc(key, method.name);
      assert.equal(/needs the permission/.test(answer), !mayBy(held, method), `${who.name} ${method.name}: ${answer}`);
      calls.xmlrpc++;
    }
  }
});

async function xmlrpc(key: string, name: string): Promise<string> {
  const body = `<?xml version="1.0"?><methodCall><methodName>${name}</methodName><params><param><value><struct><member><name>apikey</name><value><string>${key}</string></value></member></struct></value></param></params></methodCall>`;
  const response = await fetch(`${base}/xmlrpc`, { method: 'POST', headers: { 'content-type': 'text/xml' }, body });
  return response.text();
}

test('so many calls were made', (t) => {
  t.diagnostic(`${JSON.stringify(calls)} with ${everyone.length} sets of rights, ${methods.length} methods`);
  assert.ok(calls.refused > 80 && calls.shown > 30 && calls.xmlrpc > 20);
});
