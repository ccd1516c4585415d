// A campaign from launch to outcomes in one process, with a real SMTP server and a real database.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { launchedTo, untilSent } from '../../../test/support/builders/campaigns.ts';
import { testApp } from '../../../test/support/installation/app.ts';
import { type MailingApp, mailingApp } from '../../../test/support/installation/mailing-app.ts';
import { type Database, type Sql, sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { startInbox } from '../../inbox/inbox.ts';
import { chunkChannel, ofLists } from '../../jobs/channels.ts';
import { launch } from '../launch/launch.ts';
import { startWorker } from '../worker.ts';

let app: MailingApp;
let lists: string[];

before(async () => {
  app = await mailingApp({});
  lists = [
    await app.call<string>('listCreate', { title: 'One' }),
    await app.call<string>('listCreate', { title: 'Two' }),
  ];
});
after(() => app.close());

const subscribe = (list: string, email: string, fname = '') =>
  app.call('listSubscribe', { id: list, email_address: email, merge_vars: { FNAME: fname }, double_optin: false });

/** To both lists. */
const launched = (html: string, subject: string) =>
  launchedTo(app, lists[0]!, html, { list_id: lists, subject, content: { html, plain: 'Hello *|FNAME:friend|*' } });

test('a campaign reaches each person of several lists once, personalised, and is then sent', async () => {
  await subscribe(lists[0]!, 'ada@example.com', 'Ada');
  await subscribe(lists[0]!, 'bob@example.com');
  await subscribe(lists[1]!, 'ADA@example.com', 'Other');
  await subscribe(lists[1]!, 'cy@example.com', 'Cy');
  await subscribe(lists[1]!, 'left@example.com');
  await app.call('listUnsubscribe', { id: lists[1], email_address: 'left@example.com', send_goodbye: false });
  await subscribe(lists[1]!, 'x@bad.example');
  await app.app.db.run(
    sql`insert into suppression (account_id, kind, value, reason) values (${app.account.id}, 'domain', 'bad.example', 'manual')`,
  );
  const id = await launched('<p>Dear *|FNAME:friend|* of *|LIST:NAME|*</p>', 'Hi *|FNAME:friend|*');
  await launch(app.app, { account: app.account.id, campaign: id });
  await untilSent(app, id);
  const messages = await app.app.db.rows<{ rcpt: string; subject: string }>(sql`
    select rcpt_to[1] as rcpt, subject from inbox_message order by 1`);
  assert.deepEqual(messages, [
    { rcpt: 'ada@example.com', subject: 'Hi Ada' },
    { rcpt: 'bob@example.com', subject: 'Hi friend' },
    { rcpt: 'cy@example.com', subject: 'Hi Cy' },
  ]);
  const tally = await app.app.db.row(sql`
    select sum(recipients)::int as recipients, sum(accepted)::int as accepted, sum(queued)::int as queued, sum(trying)::int as trying
    from tally where campaign_id = ${id}`);
  assert.deepEqual(tally, { recipients: 3, accepted: 3, queued: 0, trying: 0 });
  const left = await app.app.db.rows(
    sql`select reason, count from exclusion where campaign_id = ${id} order by reason`,
  );
  assert.deepEqual(left, [
    { reason: 'duplicate', count: 1 },
    { reason: 'suppressed', count: 1 },
    { reason: 'unsubscribed', count: 1 },
  ]);
});

test('every message carries List-Id, List-Unsubscribe with one-click POST, and a unique Message-ID', async () => {
  const sources = await app.app.db.rows<{ source: Buffer }>(sql`select source from inbox_message`);
  const ids = new Set<string>();
  for (const { source } of sources) {
    const head = source
      .toString('latin1')
      .split('\r\n\r\n')[0]!
      .replace(/\r\n[ \t]/g, ' ');
    assert.match(head, /^List-Id: /m);
    assert.match(head, /^List-Unsubscribe: .*<http[^>]+\/u\/[^>]+>/m);
    assert.match(head, /^List-Unsubscribe-Post: List-Unsubscribe=One-Click$/m);
    ids.add(/^Message-ID: (\S+)$/im.exec(head)![1]!);
  }
  assert.equal(ids.size, sources.length);
});

test('the unsubscribe link of a delivered message works with one POST, and the next campaign skips the contact', async () => {
  const row = await app.app.db.row<{ source: Buffer }>(
    sql`select source from inbox_message where rcpt_to = '{cy@example.com}'`,
  );
  const url = /<(http[^>]+\/u\/[^>]+)>/.exec(row!.source.toString('latin1').replace(/\r\n[ \t]/g, ''))![1]!;
  assert.equal(
    (await fetch(url, { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) })).status,
    200,
  );
  const id = await launched('<p>Again</p>', 'Again');
  await untilSent(app, id);
  const rcpt = await app.app.db.rows<{ rcpt: string }>(
    sql`select rcpt_to[1] as rcpt from inbox_message where subject = 'Again' order by 1`,
  );
  assert.deepEqual(
    rcpt.map((row) => row.rcpt),
    ['ada@example.com', 'bob@example.com'],
  );
});

test('a contact that unsubscribes between launch and sending is skipped with the reason', async () => {
  // Paused in the transaction that launches it: no send loop can take a chunk yet.
  await app.app.db.run(sql`
    create or replace function hold_it() returns trigger language plpgsql as
    $$ begin if new.status = 'sending' and old.status = 'launching' then new.status := 'paused'; new.paused_from := 'sending'; end if; return new; end $$`);
  await app.app.db.run(sql`create trigger hold before update on campaign for each row execute function hold_it()`);
  const id = await launched('<p>Late</p>', 'Late');
  await app.app.db.run(sql`drop trigger hold on campaign`);
  await app.call('listUnsubscribe', { id: lists[0], email_address: 'bob@example.com', send_goodbye: false });
  await app.app.db.run(sql`update campaign set status = 'sending', paused_from = null where id = ${id}`);
  await untilSent(app, id);
  const rows = await app.app.db.rows(
    sql`select email, state, reason from delivery where campaign_id = ${id} order by email`,
  );
  assert.deepEqual(rows, [
    { email: 'ada@example.com', state: 2, reason: null },
    { email: 'bob@example.com', state: 5, reason: 'unsubscribed' },
  ]);
  assert.equal(formatId(id).length, 8);
});

test('however many messages of lists are written, the loops look for them 20 times a second', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'looks-'));
  const quiet = await testApp({ DATA_DIR: folder });
  const { db, config } = quiet.app;
  const inbox = await startInbox(quiet.app);
  config.inboxPort = inbox.port;
  let looks = 0;
  const within = (ms: number): Database => {
    const inner = db.within(ms);
    const rows = <T>(statement: Sql) => {
      if (statement.sql.includes("where p.type = 'message'")) looks += 1;
      return inner.rows<T>(statement);
    };
    return { ...inner, rows };
  };
  const worker = await startWorker({ ...quiet.app, db: { ...db, within } }, {});
  try {
    while (looks === 0) await sleep(20);
    await sleep(100);
    looks = 0;
    const startedAt = performance.now();
    for (let n = 0; n < 500; n++) await db.run(sql`select pg_notify(${chunkChannel}, ${ofLists})`);
    await sleep(60);
    const ms = performance.now() - startedAt;
    assert.ok(looks > 0 && looks <= (2 * ms) / 50 + 10, `${looks} in ${ms} ms`);
  } finally {
    await worker.stop();
    await inbox.close();
    await quiet.close();
    rmSync(folder, { recursive: true });
  }
});
