// Double opt-in and the preference page, with the real mails in the built-in inbox.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../test/support/app.ts';
import { sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import { startInbox } from '../delivery/inbox.ts';
import { startWorker } from '../delivery/worker.ts';
import { tasks } from '../task-list.ts';
import { tokensOf } from '../tracking/token-secret.ts';

let app: TestApp;
let base: string;
let list: string;
let stop: () => Promise<void>;
const folder = mkdtempSync(join(tmpdir(), 'preferences-'));
before(async () => {
  app = await testApp({ DATA_DIR: folder });
  base = await app.listen();
  const inbox = await startInbox(app.app);
  app.app.config.inboxPort = inbox.port;
  const worker = await startWorker(app.app, tasks);
  stop = async () => {
    await worker.stop();
    await inbox.close();
  };
  list = await app.call<string>('listCreate', { title: 'Letter & more' });
});
after(async () => {
  await stop();
  await app.close();
  rmSync(folder, { recursive: true });
});

const info = (email: string) =>
  app.call<{ id: string; status: string; email_type: string; merges: Record<string, string> }>('listMemberInfo', {
    id: list,
    email_address: email,
  });
const post = (url: string, body: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', body: new URLSearchParams(body) });

async function mail(subject: string): Promise<string> {
  for (let tries = 0; tries < 100; tries++) {
    const [row] = await app
      .call<{ id: string; subject: string }[]>('inboxMessages', { limit: 50 })
      .then((rows) => rows.filter((one) => one.subject === subject));
    if (row) return (await app.call<{ text: string }[]>('inboxMessages', { id: row.id }))[0]!.text;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return assert.fail(`no mail "${subject}" arrived`);
}

test('with double opt-in the mail asks, GET of its link changes nothing, POST subscribes, and the event tells so', async () => {
  await app.app.db.run(
    sql`insert into webhook (account_id, title, url, events) values (${app.account.id}, 'w', 'http://localhost/', '{contact.subscribe}')`,
  );
  await app.call('listSubscribe', {
    id: list,
    email_address: 'ada@example.com',
    merge_vars: { FNAME: 'http://spam.example' },
  });
  const text = await mail('Please confirm: Letter & more');
  assert.doesNotMatch(text, /spam/, 'nothing a visitor typed stands in the mail');
  const url = /(http\S+\/confirm\/\S+)/.exec(text)![1]!;
  for (const method of ['GET', 'HEAD']) assert.equal((await fetch(url, { method })).status, 200);
  assert.equal((await info('ada@example.com')).status, 'pending');
  assert.match(await (await post(url)).text(), /You are subscribed/);
  assert.equal((await info('ada@example.com')).status, 'subscribed');
  assert.match(await (await post(url)).text(), /nothing to confirm/);
  const events = await app.app.db.rows<{ source: string }>(
    sql`select payload ->> 'source' as source from webhook_event`,
  );
  assert.deepEqual(events, [{ source: 'subscriber' }]);
});

test('welcome and goodbye mails are sent when they are asked for', async () => {
  await app.call('listSubscribe', {
    id: list,
    email_address: 'bob@example.com',
    double_optin: false,
    send_welcome: true,
  });
  assert.match(await mail('Welcome to Letter & more'), /\/u\//);
  await app.call('listUnsubscribe', { id: list, email_address: 'bob@example.com', send_notify: true });
  assert.match(await mail('You have left Letter & more'), /unsubscribed/);
  assert.match(await mail('bob@example.com has left Letter & more'), /GMT/);
});

test('the preference page changes fields and format, refuses what is wrong without losing it, and unsubscribes', async () => {
  await app.call('listMergeVarAdd', { id: list, tag: 'BORN', name: 'Birthday', options: { field_type: 'date' } });
  const member = await info('ada@example.com');
  const tokens = tokensOf(app.app).tokens({
    account: app.account.id,
    campaign: 1,
    seq: 1,
    contact: parseId(member.id),
    lists: [parseId(list)],
  });
  const url = `${base}/p/${tokens.profile}`;
  assert.match(await (await fetch(url)).text(), /name="field\.BORN"/);
  const kept = { [`list.${list}`]: 'on', email_type: 'text' };
  const refused = await post(url, { ...kept, 'field.BORN': 'soon', 'field.FNAME': 'Ada "A" <b>' });
  assert.equal(refused.status, 400);
  const shown = await refused.text();
  assert.match(shown, /value="soon"/);
  assert.match(shown, /value="Ada &quot;A&quot; &lt;b&gt;"/);
  assert.equal((await info('ada@example.com')).email_type, 'html');
  assert.equal((await post(url, { ...kept, 'field.BORN': '2001-02-03', 'field.FNAME': 'Ada' })).status, 200);
  const after = await info('ada@example.com');
  assert.deepEqual([after.email_type, after.merges.BORN, after.merges.FNAME], ['text', '2001-02-03', 'Ada']);
  await post(url, { email_type: 'text' });
  assert.equal((await info('ada@example.com')).status, 'unsubscribed');
});

test('every task that is enqueued by name has a task', () => {
  const names = tasks.map((task) => task.name);
  for (const name of [
    'launchCampaign',
    'purgeCampaign',
    'sendTestMails',
    'sendConfirmation',
    'sendWelcome',
    'sendGoodbye',
    'sendUnsubscribeNotice',
  ])
    assert.ok(names.includes(name), name);
});
