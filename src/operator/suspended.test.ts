// An account that is suspended, or deleted and within its days: what readers have works as before, no issue of a recurring campaign is
// made, and its test account is suspended with it. What waits to be sent: quota.test.ts.
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { aCampaign, listOf } from '../../test/support/builders/campaigns.ts';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { item, rss } from '../../test/support/samples/feeds/sample.ts';
import { openedToken } from '../audience/signup/form.ts';
import { sql } from '../db/connect.ts';
import { formatId, parseId } from '../db/ids.ts';
import { launch } from '../delivery/launch/launch.ts';
import { call } from '../doors/call.ts';
import { runDue } from '../recurring/issue/due.ts';
import { tokensOf } from '../tracking/token-secret.ts';

let t: TestApp;
let base: string;
let feed: Server;
before(async () => {
  t = await testApp({ OUTBOUND_ALLOW: '127.0.0.0/8' });
  base = await t.listen();
  feed = createServer((_request, response) =>
    response.end(rss(item('<title>One</title><link>https://site.example/one</link><description>x</description>'))),
  );
  await new Promise<void>((resolve) => feed.listen(0, '127.0.0.1', resolve));
});
after(async () => {
  feed?.closeAllConnections();
  feed?.close();
  await t?.close();
});

type Client = Awaited<ReturnType<TestApp['anotherAccount']>> & { app: TestApp['app']; id: string };
async function aClient(): Promise<Client> {
  const client = await t.anotherAccount('pro');
  return { ...client, app: t.app, id: formatId(client.account.id) };
}

/** The ways in which an account is off, and the way back. */
const off: Record<string, { begin(id: string): Promise<unknown>; end(id: string): Promise<unknown> }> = {
  suspended: {
    begin: (account) => t.call('accountLimitsUpdate', { account, active: false }),
    end: (account) => t.call('accountLimitsUpdate', { account, active: true }),
  },
  deleted: {
    begin: (account) => t.call('accountDelete', { account }),
    end: (account) => t.call('accountRestore', { account }),
  },
};

const members = ['ada@pages.example', 'bea@pages.example'];
const post = (url: string, given: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', body: new URLSearchParams(given), redirect: 'manual' });

for (const [how, { begin, end }] of Object.entries(off)) {
  test(`${how}: what readers have links to works, they leave and choose as before, and its sign-up forms are off`, async () => {
    const client = await aClient();
    const list = await listOf(client, members);
    const cid = await aCampaign(client, {
      to: list,
      html: '<p><a href="https://example.com/">Offer</a> *|UNSUB|*</p>',
    });
    await client.call('campaignSendNow', { cid });
    await launch(t.app, { account: client.account.id, campaign: parseId(cid) });
    const form = await client.call<{ url: string }>('listForm', { id: list });
    // The form was opened a minute ago.
    const LOOK = openedToken(t.app, form.url.split('/').at(-1)!, Date.now() - 60_000);
    const signUp = () => post(form.url, { EMAIL: 'new@pages.example', LOOK });
    const tokens = await tokensFor(client, list, members[0]!, cid);
    const others = await tokensFor(client, list, members[1]!, cid);
    const { url: report } = await client.call<{ url: string }>('reportLinkCreate', { cid });
    await begin(client.id);
    for (const path of [`/p/${tokens.profile}`, `/u/${tokens.unsubscribe}`, `/v/${tokens.view}`])
      assert.equal((await fetch(base + path)).status, 200, path);
    assert.equal((await fetch(report)).status, 404);
    // No one could be sent the message that confirms it.
    assert.equal((await fetch(form.url)).status, 403);
    assert.equal((await signUp()).status, 403);
    assert.equal((await post(`${base}/u/${tokens.unsubscribe}`)).status, 200);
    assert.ok((await post(`${base}/p/${others.profile}`, { form: 'preferences', PAUSE: '1' })).status < 400);
    await assert.rejects(call(t.app, 'ping', {}, { kind: 'key', key: client.key, ip: '' }, 'json'), { code: 101 });
    await end(client.id);
    assert.equal((await fetch(report)).status, 200);
    assert.equal((await fetch(form.url)).status, 200);
    const statusOf = async (email_address: string) =>
      (await client.call<{ status: string }>('listMemberInfo', { id: list, email_address })).status;
    assert.equal(await statusOf(members[0]!), 'unsubscribed');
  });

  test(`${how}: no issue of a recurring campaign is made, and the next one is when it is active again`, async () => {
    const client = await aClient();
    const id = await client.call<string>('recurringCreate', {
      title: 'Notes',
      list: await listOf(client, members),
      schedule: { type: 'daily', time: '09:00' },
      time_zone: 'UTC',
      source_url: `http://127.0.0.1:${(feed.address() as AddressInfo).port}/feed.xml`,
    });
    await client.call('recurringResume', { id });
    const isTriedAt = async (clock: string) => {
      await t.app.db.run(sql`
        update recurring set next_at = ${clock}::timestamptz, try_at = ${clock}::timestamptz where id = ${parseId(id)}`);
      await runDue(t.app, { account: client.account.id, recurring: parseId(id) }, new Date(clock));
      const row = await t.app.db.row(sql`select from recurring_issue where account_id = ${client.account.id} limit 1`);
      return row !== undefined;
    };
    await begin(client.id);
    assert.equal(await isTriedAt('2027-03-01T09:00:00Z'), false);
    await end(client.id);
    assert.equal(await isTriedAt('2027-03-02T09:00:00Z'), true);
  });

  test(`${how}: its test account is off and on with it`, async () => {
    const client = await aClient();
    const testAccount = await t.app.db.row<{ id: number }>(sql`
      insert into account (name, email, test_of) values ('Test', 'test@pages.example', ${client.account.id}) returning id`);
    const isActive = async () =>
      (await t.app.db.row<{ active: boolean }>(sql`select active from account where id = ${testAccount!.id}`))!.active;
    await begin(client.id);
    assert.equal(await isActive(), false);
    await end(client.id);
    assert.equal(await isActive(), true);
  });
}

async function tokensFor(client: Client, list: string, email_address: string, cid: string) {
  const { id } = await client.call<{ id: string }>('listMemberInfo', { id: list, email_address });
  const row = await t.app.db.row<{ seq: number }>(sql`
    select seq from delivery where account_id = ${client.account.id} and campaign_id = ${parseId(cid)} and email = ${email_address}`);
  const ids = {
    account: client.account.id,
    campaign: parseId(cid),
    seq: row!.seq,
    contact: parseId(id),
    lists: [parseId(list)],
  };
  return tokensOf(t.app).tokens(ids);
}
