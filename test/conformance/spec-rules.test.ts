// Templates, the rules common to all methods, and the table of limits, row by row.

import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { sql } from '../../src/db/connect.ts';
import { parseId } from '../../src/db/ids.ts';
import { decodeResponse, encodeCall } from '../support/builders/xmlrpc-client.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { draftOf, type Fixture, fault, makeAccount, makePlaceholder } from './fixture.ts';
import { specTable } from './rows.ts';

let app: TestApp;
let base: string;
let own: Fixture;
let pro: Fixture;
before(async () => {
  app = await testApp();
  base = await app.listen();
  own = await makeAccount(app.app);
  pro = await makeAccount(app.app, 'pro', ['inline_img']);
});
after(() => app.close());

const xmlrpc = async (method: string, struct: Record<string, unknown>) => {
  const response = await fetch(`${base}/`, {
    method: 'POST',
    headers: { 'content-type': 'text/xml' },
    body: encodeCall(method, [struct]),
  });
  assert.equal(response.status, 200);
  return decodeResponse(new Uint8Array(await response.arrayBuffer()));
};

type Template = { id: string; name: string; layout: string; preview_image: string; source: string };
const templates = () => own.call<Template[]>('campaignTemplates');
specTable('campaignTemplates')('no parameters', 'but apikey, and an array of templates', async () => {
  const fresh = await makeAccount(app.app);
  assert.deepEqual(await fresh.call('campaignTemplates'), []);
  const id = await makePlaceholder(app.app, fresh, 'template');
  assert.deepEqual(
    (await fresh.call<Template[]>('campaignTemplates')).map((template) => template.id),
    [id],
  );
  await assert.rejects(own.call('campaignTemplates', { start: 0 }), fault('INVALID_PARAMETER', 'start'));
});
const field = specTable('Template record');
field('id', 'is what campaignCreate takes as template_id', async () => {
  const template = (await makePlaceholder(app.app, own, 'template'))!;
  assert.ok((await templates()).some((saved) => saved.id === template));
  const cid = await own.call<string>('campaignCreate', draftOf(own.list, { content: { template_id: template } }));
  assert.match(cid, /^[abcdf][0-9a-f]{7}$/);
});
for (const layout of ['basic', 'left column', 'right column', 'postcard']) {
  field('layout', `may be ${layout}`, async () => {
    const id = await own.call<string>('templateCreate', { name: layout, layout, source: '<p>x</p>' });
    assert.equal((await templates()).find((template) => template.id === id)?.layout, layout);
  });
}
field('name', 'is the name it was saved under', async () => {
  const id = await own.call<string>('templateCreate', { name: 'Sunday letter', source: '<p>x</p>' });
  assert.equal((await templates()).find((template) => template.id === id)?.name, 'Sunday letter');
});
field('preview_image', 'is the URL of a picture', async () => {
  const id = await makePlaceholder(app.app, own, 'template');
  const url = (await templates()).find((template) => template.id === id)!.preview_image;
  assert.ok(url.startsWith(`${base}/`), url);
});
field('source', 'is the HTML as it was saved', async () => {
  const source = '<table><tr><td>é ☃</td></tr></table>';
  const id = await own.call<string>('templateCreate', { name: 'Table', source });
  assert.equal((await templates()).find((template) => template.id === id)?.source, source);
});

const rule = specTable('common rules');
rule('XML-RPC call', 'carries one struct with the named parameters', async () => {
  const fresh = await makeAccount(app.app);
  assert.deepEqual(await xmlrpc('campaigns', { apikey: fresh.key, limit: 5 }), { value: [] });
});
rule('apikey', 'is required and must be a key of an account', async () => {
  const missing = await xmlrpc('campaigns', {});
  assert.ok('fault' in missing && missing.fault.code === 104);
  const wrong = await xmlrpc('campaigns', { apikey: 'f'.repeat(32) });
  assert.ok('fault' in wrong && wrong.fault.code === 104);
});
rule('booleans', 'are true on success, and an error instead of false', async () => {
  const cid = await makePlaceholder(app.app, own, 'campaign');
  assert.deepEqual(await xmlrpc('campaignSendNow', { apikey: own.key, cid }), { value: true });
  const again = await xmlrpc('campaignSendNow', { apikey: own.key, cid });
  assert.ok('fault' in again && again.fault.code === 313);
  await own.call('campaignDelete', { cid });
});
rule('optional parameters', 'may be omitted', async () => {
  assert.deepEqual(await xmlrpc('campaigns', { apikey: pro.key }), { value: [] });
});
rule('errors', 'carry a code and a message that names the member', async () => {
  const answer = await xmlrpc('campaignDelete', { apikey: own.key, cid: 'x' });
  assert.deepEqual(answer, { fault: { code: 300, message: 'cid: the campaign "x" does not exist' } });
});

const limit = specTable('limits');
limit('campaigns limit', 'is 25 by default and 1000 at most', async () => {
  const many = await makeAccount(app.app);
  const cid = await makePlaceholder(app.app, many, 'campaign');
  await app.app.db.run(sql`
    insert into campaign (account_id, type, title, subject, from_name, reply_to)
    select ${many.accountId}::int, 'html', 'T', 'S', 'N', 'a@example.com'
    from generate_series(1, 1000)`);
  assert.ok(cid);
  assert.equal((await many.call<unknown[]>('campaigns')).length, 25);
  assert.equal((await many.call<unknown[]>('campaigns', { limit: 1000 })).length, 1000);
  assert.equal((await many.call<unknown[]>('campaigns', { limit: 1000, start: 1 })).length, 1);
  await assert.rejects(many.call('campaigns', { limit: 1001 }), fault('LIMIT_OUT_OF_RANGE', 'limit'));
  await assert.rejects(many.call('campaigns', { limit: 0 }), fault('LIMIT_OUT_OF_RANGE', 'limit'));
});
limit('campaigns start', 'is 0 by default', async () => {
  const two = await makeAccount(app.app);
  await makePlaceholder(app.app, two, 'campaign');
  assert.deepEqual(await two.call('campaigns'), await two.call('campaigns', { start: 0 }));
});
const create = (as: Fixture, options: Record<string, unknown>) =>
  as.call('campaignCreate', draftOf(as.list, { options }));
limit('sender is for PRO', 'users, others get fault 120', async () => {
  await create(pro, { sender: 'sender@example.com' });
  await assert.rejects(create(own, { sender: 'sender@example.com' }), fault('NOT_ALLOWED', 'options.sender'));
});
limit('inline_img needs the add-on', 'and is fault 125 without', async () => {
  await create(pro, { inline_img: true });
  await assert.rejects(create(own, { inline_img: true }), fault('ADDON_MISSING', 'options.inline_img'));
});
limit('authenticate needs a domain', 'that is authenticated and activated', async () => {
  const bad = fault('CAMPAIGN_OPTION_INVALID', 'options.authenticate');
  await assert.rejects(create(own, { authenticate: true }), bad);
  await app.app.db.run(sql`insert into sender_domain (account_id, domain) values (${own.accountId}, 'example.com')`);
  await assert.rejects(create(own, { authenticate: true }), bad);
  await app.app.db.run(sql`update sender_domain set active = true where account_id = ${own.accountId}`);
  await create(own, { authenticate: true });
});
limit('offset-time greater than 0', 'or fault 317', async () => {
  const auto = (time: unknown) =>
    own.call(
      'campaignCreate',
      draftOf(own.list, { type: 'auto', type_opts: { 'offset-units': 'day', 'offset-time': time } }),
    );
  for (const bad of [0, -1, '0', 0.5])
    await assert.rejects(auto(bad), fault('AUTORESPONDER_INVALID', 'type_opts.offset-time'));
  await auto(1);
});
limit('campaignUpdate before sending only', 'and fault 313 afterwards', async () => {
  const change = (cid: unknown) => own.call('campaignUpdate', { cid, name: 'subject', value: 'Other news' });
  for (const state of ['campaign', 'scheduled', 'paused'])
    assert.equal(await change(await makePlaceholder(app.app, own, state)), true, state);
  const running = await makePlaceholder(app.app, own, 'running');
  await assert.rejects(change(running), fault('CAMPAIGN_STATE_CONFLICT', 'The campaign is already being sent'));
  const received = (await makePlaceholder(app.app, own, 'paused'))!;
  await app.app.db.run(sql`
    update tally set queued = 0, accepted = 1
    where account_id = ${own.accountId} and campaign_id = ${parseId(received)}`);
  // A correction, for those who have not received it; nothing else.
  assert.equal(await change(received), true);
  await assert.rejects(
    own.call('campaignUpdate', { cid: received, name: 'tracking', value: { opens: false } }),
    fault('CAMPAIGN_STATE_CONFLICT', 'only its texts can be corrected'),
  );
  const sent = await makePlaceholder(app.app, own, 'sent');
  await assert.rejects(change(sent), fault('CAMPAIGN_STATE_CONFLICT', 'The campaign has already been sent'));
});
