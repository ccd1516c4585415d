// Coming back after leaving by mistake, over HTTP and a real database.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import { tokensOf } from '../tracking/token-secret.ts';
import { readReturn, returnMinutes, returnToken } from './return.ts';

let app: TestApp;
let base: string;
let list: string;
let contact: number;
before(async () => {
  app = await testApp();
  base = await app.listen();
});
beforeEach(async () => {
  list = await app.call<string>('listCreate', { title: 'Letter' });
  await app.call('listSubscribe', {
    id: list,
    email_address: 'ada@example.com',
    merge_vars: { FNAME: 'Ada' },
    email_type: 'text',
    double_optin: false,
  });
  contact = parseId((await member()).id);
});
after(() => app.close());

type Member = { id: string; status: string; merges: Record<string, string>; email_type: string };
const member = () => app.call<Member>('listMemberInfo', { id: list, email_address: 'ada@example.com' });

const path = () => {
  const ids = { account: app.account.id, contact, lists: [parseId(list)], campaign: 0, seq: 0 };
  return `${base}/u/${tokensOf(app.app).tokens(ids).unsubscribe}`;
};
const post = async (url: string, given: Record<string, string> = {}) =>
  (await fetch(url, { method: 'POST', body: new URLSearchParams(given) })).text();
/** Leaves, and returns what the button of the page sends. */
const leave = async () => /name="BACK" value="([^"]+)"/.exec(await post(path()))![1]!;

test('who left by mistake is back by one click, with all values, and the log says how', async () => {
  const BACK = await leave();
  assert.equal((await member()).status, 'unsubscribed');
  assert.match(
    await post(`${path()}/back`, { BACK }),
    /You are subscribed[\s\S]*href="[^"]*\/p\/[^"]+">Your preferences/,
  );
  const { status, merges, email_type } = await member();
  assert.deepEqual([status, merges['FNAME'], email_type], ['subscribed', 'Ada', 'text']);
  const kinds = await app.app.db.rows<{ kind: string; how: string | null }>(
    sql`select kind, detail ->> 'how' as how from consent where list_id = ${parseId(list)} order by id`,
  );
  assert.deepEqual(
    kinds.map(({ kind, how }) => `${kind} ${how ?? ''}`.trim()),
    ['subscribe', 'unsubscribe', 'subscribe undo'],
  );
});

test('a page that ended nothing has no button', async () => {
  await leave();
  assert.doesNotMatch(await post(path()), /name="BACK"/);
});

test('nothing comes back by a button that is altered, too old or of another contact, or without one', async () => {
  const BACK = await leave();
  const ended = [{ listId: parseId(list), contactId: contact }] as never;
  const old = returnToken(app.app, app.account.id, ended, Date.now() - (returnMinutes + 1) * 60_000);
  const foreign = returnToken(app.app, app.account.id + 1, ended, Date.now());
  for (const given of [`${BACK}x`, BACK.replace('.', '.1-1.'), old, foreign, '', '.', 'x'])
    assert.doesNotMatch(await post(`${path()}/back`, { BACK: given }), /You are subscribed/, given);
  assert.equal((await member()).status, 'unsubscribed');
  assert.deepEqual(readReturn(app.app, app.account.id, BACK, Date.now()), [{ list: parseId(list), contact }]);
});

test('what was changed since stays as it is', async () => {
  const BACK = await leave();
  await app.call('listMemberDelete', { id: list, email_address: 'ada@example.com' }).catch(() => undefined);
  await app.app.db.run(sql`delete from subscription where list_id = ${parseId(list)}`);
  assert.doesNotMatch(await post(`${path()}/back`, { BACK }), /You are subscribed/);
});

test('of several lists all come back, or none', async () => {
  const other = await app.call<string>('listCreate', { title: 'Offers' });
  await app.call('listSubscribe', { id: other, email_address: 'ada@example.com', double_optin: false });
  const lists = [parseId(list), parseId(other)];
  const ids = { account: app.account.id, contact, lists, campaign: 0, seq: 0 };
  const url = `${base}/u/${tokensOf(app.app).tokens(ids).unsubscribe}`;
  const BACK = /name="BACK" value="([^"]+)"/.exec(await post(url))![1]!;
  await app.call('listMergeVarAdd', { id: other, tag: 'CITY', name: 'City', options: { req: true } });
  assert.doesNotMatch(await post(`${url}/back`, { BACK }), /You are subscribed/);
  const statuses = async () =>
    (
      await app.app.db.rows<{ status: string }>(
        sql`select status from subscription where list_id = any (${lists}::int[]) order by list_id`,
      )
    ).map(({ status }) => status);
  assert.deepEqual(await statuses(), ['unsubscribed', 'unsubscribed']);
  await app.call('listMergeVarDel', { id: other, tag: 'CITY' });
  assert.match(await post(`${url}/back`, { BACK }), /You are subscribed/);
  assert.deepEqual(await statuses(), ['subscribed', 'subscribed']);
});

test('who has left is not asked again, unless another list still sends to them', async () => {
  const subscribe = (id: string) =>
    app.call('listSubscribe', { id, email_address: 'bob@example.com', double_optin: false });
  await subscribe(list);
  const bob = await app.call<Member>('listMemberInfo', { id: list, email_address: 'bob@example.com' });
  const ids = { account: app.account.id, contact: parseId(bob.id), lists: [parseId(list)], campaign: 0, seq: 0 };
  const url = `${base}/u/${tokensOf(app.app).tokens(ids).unsubscribe}`;
  const page = async () => (await fetch(url)).text();
  assert.match(await page(), /Do you want to stop[\s\S]*<button>Unsubscribe/);
  await post(url);
  const left = await page();
  assert.match(left, /<h1>[^<]*nsubscribed/);
  assert.doesNotMatch(left, /<form method="post">/);
  await subscribe(await app.call<string>('listCreate', { title: 'Other' }));
  assert.match(await page(), /Do you want to stop/);
});
