// What people have decided about rights, reports, approvals and pauses is the same after a backup and its restore by the commands, and
// after kill -9: sets of lists, links to reports, questions and approvals, and a campaign that bad addresses paused. Nothing that was
// not approved goes out, and nothing that was paused continues.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startSession } from '../src/accounts/access/session.ts';
import { setAccount } from '../src/accounts/account/account.ts';
import { createKey } from '../src/accounts/keys/key.ts';
import type { App } from '../src/base/context.ts';
import { renderPacked } from '../src/base/messages.ts';
import { sql } from '../src/db/connect.ts';
import { parseId } from '../src/db/ids.ts';
import { startDue } from '../src/delivery/launch/launch.ts';
import { startWorker } from '../src/delivery/worker.ts';
import { call } from '../src/doors/call.ts';
import { confirmSending } from '../src/jobs/sending-guard.ts';
import { handlers } from '../src/task-handlers.ts';
import { createServer } from '../src/web.ts';
import { aCampaign, listOf } from './support/builders/campaigns.ts';
import { aPerson } from './support/builders/people.ts';
import { testDatabase } from './support/database/database.ts';
import { checkInvariants } from './support/database/invariants.ts';
import { appOn, type TestApp, testApp } from './support/installation/app.ts';
import { postriderWith } from './support/installation/commands.ts';
import { startProgram } from './support/installation/program.ts';
import { until } from './support/run/until.ts';
import { type Sink, startSink } from './support/smtp-sink/sink.ts';

const later = '2099-01-31 09:00:00';

type Stand = TestApp & { sink: Sink; settings: Record<string, string>; folder: string };

/** An account whose campaigns need approval, and whose mail goes to a sink. */
async function stand(t: TestContext): Promise<Stand> {
  const folder = mkdtempSync(join(tmpdir(), 'decisions-'));
  const sink = await startSink({ raw: true });
  const settings = { DATA_DIR: folder, SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none&connections=2` };
  const app = await testApp(settings);
  t.after(async () => {
    await app.close();
    await sink.close();
    rmSync(folder, { recursive: true });
  });
  await setAccount(app.app.db, app.account.id, { plan: 'pro' });
  await app.app.db.run(sql`
    update account set settings = settings || '{"approval": "everyone"}' where id = ${app.account.id}`);
  return { ...app, sink, settings, folder };
}

type Call = TestApp['call'];
const approvalOf = (as: Call, cid: string) => as<{ state: string; version: string }>('campaignApprovalGet', { cid });
const statusOf = async (as: Call, cid: string) =>
  (await as<{ delivery_status: string }>('campaignGet', { cid })).delivery_status;

/** On a busy machine the program starts and sends slowly. */
const longestMs = 240_000;
const untilStatus = (as: Call, cid: string, status: string) =>
  until(`${cid} is ${status}`, async () => (await statusOf(as, cid)) === status, longestMs);

async function approve(as: Call, cid: string, more: Record<string, unknown> = {}): Promise<void> {
  await as('campaignApprove', { cid, version: (await approvalOf(as, cid)).version, ...more });
}

async function asked(by: Call, options: Parameters<typeof aCampaign>[1]): Promise<string> {
  const cid = await aCampaign({ call: by }, options);
  await by('campaignApprovalAsk', { cid });
  return cid;
}

/** The subjects of what the relay accepted for addresses of this domain, in order. */
const arrived = ({ sink }: Pick<Stand, 'sink'>, domain: string): string[] =>
  sink
    .accepted()
    .filter(({ to }) => to!.endsWith(`@${domain}`))
    .map(({ raw = '' }) => /^Subject: (.*)\r$/m.exec(raw)?.[1] ?? '');

/** What is compared: who has which lists, links, and the records of approvals. */
async function decided(app: App): Promise<Record<string, unknown[]>> {
  const { db } = app;
  return {
    people: await db.rows(sql`select user_id, role, permissions, lists from membership order by user_id`),
    keys: await db.rows(sql`select id, label, scope, lists, expired_at from api_key order by id`),
    links: await db.rows(
      sql`select id, name, campaign_id, list_id, token_hash::text as hash, expires_at from report_link order by id`,
    ),
    approvals: await db.rows(sql`select * from campaign_approval order by campaign_id`),
    steps: await db.rows(sql`select * from campaign_approval_step order by campaign_id, no`),
    campaigns: await db.rows(sql`select id, status, schedule_at, subject from campaign order by id`),
  };
}

/** People, a key, links and campaigns in every state of an approval. */
async function decide(on: Stand) {
  const own = await listOf(on, ['one@own.example'], 'Own');
  const other = await listOf(on, ['two@other.example'], 'Other');
  const author = await aPerson(on, 'author', 'Ann');
  const approver = await aPerson(on, 'editor', 'Bob');
  const people = {
    one: await aPerson(on, 'editor', 'Cem', [own]),
    none: await aPerson(on, 'viewer', 'Dan', []),
    all: await aPerson(on, 'viewer', 'Eva'),
  };
  const given = { label: 'Choir', scope: 'read', lists: [parseId(own)] } as const;
  const { key } = await createKey(on.app.db, on.account.id, given);
  const link = async (name: string, about: Record<string, unknown>) =>
    on.call<{ id: string; url: string }>('reportLinkCreate', { name, ...about });
  const links = {
    valid: await link('Valid', {}),
    list: await link('List', { list: own }),
    early: await link('Early', {}),
  };
  await on.call('reportLinkDelete', { id: links.early.id });
  const to = (name: string) => listOf(on, [`reader@${name}.example`], name);
  const filter = [{ field: 'EMAIL', condition: 'contains', value: 'reader' }];
  const list = await to('segment');
  const segment = await on.call<string>('listSegmentCreate', { list, title: 'Some', match: 'all', filter });
  const waiting = await asked(author.call, { to: await to('waiting'), subject: 'Waiting' });
  const scheduled = await asked(author.call, { to: await to('scheduled'), subject: 'Scheduled' });
  const outdated = await asked(author.call, { to: list, segment_id: [segment], subject: 'Outdated' });
  const withdrawn = await asked(author.call, { to: await to('withdrawn'), subject: 'Withdrawn' });
  const refused = await asked(author.call, { to: await to('refused'), subject: 'Refused' });
  for (const cid of [scheduled, outdated, withdrawn]) await approve(approver.call, cid, { schedule_time: later });
  await on.call('campaignUpdate', { cid: withdrawn, name: 'subject', value: 'Changed' });
  await approver.call('campaignApprovalRefuse', { cid: refused });
  const campaigns = { waiting, scheduled, outdated, withdrawn, refused };
  return { own, other, author, approver, people, key, links, link, segment, campaigns };
}

test('a backup and its restore by the commands keep sets of lists, links to reports and approvals', async (t) => {
  const source = await stand(t);
  await source.listen();
  const { own, other, author, approver, people, key, links, link, segment, campaigns } = await decide(source);
  const before = await decided(source.app);
  const file = join(source.folder, 'one.backup');
  const BACKUP_PASSPHRASE = 'correct horse battery';
  const written = await postriderWith(['backup', file], {
    ...source.settings,
    DATABASE_URL: source.app.db.url,
    BACKUP_PASSPHRASE,
  });
  assert.equal(written.code, 0, written.errors);
  // What is decided afterwards is not in it.
  await source.app.db.run(sql`update membership set lists = null`);
  await source.call('reportLinkDelete', { id: links.valid.id });
  const late = await link('Late', {});
  await approve(approver.call, campaigns.waiting, { schedule_time: later });

  const database = await testDatabase('empty');
  t.after(() => database.close());
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'restored-'));
  t.after(() => rmSync(DATA_DIR, { recursive: true }));
  const settings = { ...source.settings, DATA_DIR, DATABASE_URL: database.url };
  const restored = await postriderWith(['restore', file], { ...settings, BACKUP_PASSPHRASE });
  assert.equal(restored.code, 0, restored.errors);
  for (const line of [
    'cem@people.example (editor; lists: Own)',
    'dan@people.example (viewer; lists: none)',
    '"Choir" (read; lists: Own)',
  ])
    assert.ok(restored.output.includes(line), `${line} in ${restored.output}`);
  for (const line of ['link to reports "Valid"', 'link to reports of the list "Own" "List"'])
    assert.ok(restored.output.includes(line), `${line} in ${restored.output}`);
  assert.ok(!restored.output.includes('"Early"') && !restored.output.includes('"Late"'));

  const app = await appOn(database.url, settings);
  t.after(() => app.db.close());
  const server = await createServer(app);
  const base = await server.listen({ port: 0, host: '127.0.0.1' });
  t.after(() => server.close());
  assert.deepEqual(await decided(app), before);
  const as = async ({ id }: { id: number }): Promise<Call> => {
    const { token } = (await startSession(app.db, id, { ip: '127.0.0.1', userAgent: 'test' }))!;
    return ((method: string, params = {}) =>
      call(app, method, params, { kind: 'session', token, ip: '127.0.0.1' }, 'web')) as Call;
  };
  await t.test('everyone sees the lists of the backup', async () => {
    const idsOf = async (who: Call) => (await who<{ id: string }[]>('lists')).map(({ id }) => id).sort();
    const all = (await idsOf(await as(people.all))).length;
    assert.ok(all > 2);
    assert.deepEqual(await idsOf(await as(people.one)), [own]);
    assert.deepEqual(await idsOf(await as(people.none)), []);
    const byKey = ((method: string, params = {}) =>
      call(app, method, params, { kind: 'key', key, ip: '127.0.0.1' }, 'json')) as Call;
    assert.deepEqual(await idsOf(byKey), [own]);
    await assert.rejects(byKey('listMembers', { id: other }), { fault: 'LIST_UNKNOWN' });
  });
  await t.test('links to reports are valid or withdrawn as they were', async () => {
    const open = async ({ url }: { url: string }) => (await fetch(base + new URL(url).pathname)).status;
    const found = {
      valid: await open(links.valid),
      list: await open(links.list),
      early: await open(links.early),
      late: await open(late),
    };
    assert.deepEqual(found, { valid: 200, list: 200, early: 404, late: 404 });
  });
  await t.test('what was approved is sent, and nothing else', async () => {
    const [ann, bob] = [await as(author), await as(approver)];
    await bob('listSegmentUpdate', { sid: segment, filter: [{ field: 'EMAIL', condition: 'contains', value: '@' }] });
    for (const cid of Object.values(campaigns)) {
      await app.db.run(
        sql`update campaign_approval set wanted_at = now() where campaign_id = ${parseId(cid)} and wanted_at is not null`,
      );
      await app.db.run(sql`
        update campaign
        set schedule_at = (select wanted_at from campaign_approval where campaign_id = id)
        where id = ${parseId(cid)} and status = 'scheduled'`);
    }
    assert.notEqual(await confirmSending(app.db, DATA_DIR), '');
    const worker = await startWorker(app, handlers);
    try {
      await startDue(app.db);
      await untilStatus(ann, campaigns.scheduled, 'sent');
      await untilStatus(ann, campaigns.outdated, 'paused');
      const states = await Promise.all(
        Object.entries(campaigns).map(async ([name, cid]) => [name, (await approvalOf(ann, cid)).state]),
      );
      const expected = {
        waiting: 'asked',
        scheduled: 'approved',
        outdated: 'withdrawn',
        withdrawn: 'withdrawn',
        refused: 'refused',
      };
      assert.deepEqual(Object.fromEntries(states), expected);
      const { version } = await approvalOf(bob, campaigns.waiting);
      await ann('campaignUpdate', { cid: campaigns.waiting, name: 'subject', value: 'Waiting again' });
      await assert.rejects(bob('campaignApprove', { cid: campaigns.waiting, version }), { fault: 'CAMPAIGN_CHANGED' });
      await approve(bob, campaigns.waiting);
      await untilStatus(bob, campaigns.waiting, 'sent');
    } finally {
      await worker.stop();
    }
    const subjects = Object.keys(campaigns).map((name) =>
      arrived(source, `${name === 'outdated' ? 'segment' : name}.example`),
    );
    assert.deepEqual(subjects, [['Waiting again'], ['Scheduled'], [], [], []]);
  });
});

test('killed before, at and after a pause for bad addresses, while questions wait: one state, and nothing that was not approved', async (t) => {
  const on = await stand(t);
  const author = await aPerson(on, 'author', 'Ann');
  const approver = await aPerson(on, 'editor', 'Bob');
  await on.call('accountUpdate', { name: 'reputation', value: 'pause' });
  const size = 900;
  const audience = Array.from(
    { length: size },
    (_, n) => `${n % 10 === 3 ? '550rcpt' : 'ok'}.n${n}@d${n % 30}.example`,
  );
  const bad = await asked(author.call, { to: await listOf(on, audience, 'Bought'), subject: 'Bought' });
  const waiting = await asked(author.call, { to: await listOf(on, ['reader@waiting.example']), subject: 'Waiting' });
  const list = await listOf(on, ['reader@outdated.example']);
  const filter = [{ field: 'EMAIL', condition: 'contains', value: 'reader' }];
  const segment = await on.call<string>('listSegmentCreate', { list, title: 'Some', match: 'all', filter });
  const outdated = await asked(author.call, { to: list, segment_id: [segment], subject: 'Outdated' });
  await approve(approver.call, outdated);
  await on.call('listSegmentUpdate', { sid: segment, filter: [{ field: 'EMAIL', condition: 'contains', value: '@' }] });
  await approve(approver.call, bad);
  const before = await approvalOf(on.call, waiting);

  const settings = { ...on.settings, DATABASE_URL: on.app.db.url, LOG_LEVEL: 'error' };
  const tries = () => on.sink.log.filter(({ event, to }) => event !== 'step' && to?.includes('.n')).length;
  const isPaused = async () => (await statusOf(on.call, bad)) === 'paused';
  // By what the relay has seen: before 500 messages it is never paused.
  for (const after of [1, 150, 300, 420, 490, 510, 540]) {
    const program = startProgram(['work'], settings);
    await until(`${after} messages, or paused`, async () => tries() >= after || (await isPaused()), longestMs);
    program.kill('SIGKILL');
    await program.ended;
  }
  // Once more while it is paused, and then to the end of what is in flight.
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    const program = startProgram(['work'], settings);
    for (const cid of [bad, outdated]) await untilStatus(on.call, cid, 'paused');
    if (signal === 'SIGTERM') await marker(on, author.call, approver.call);
    program.kill(signal);
    await program.ended;
  }
  const id = parseId(bad);
  const row = await on.app.db.row<{ status: string; reason: string; paused: string[] }>(sql`
    select c.status, c.status_reason as reason, w.paused_for as paused
    from campaign c
    join campaign_watch w on w.account_id = c.account_id and w.campaign_id = c.id
    where c.id = ${id}`);
  assert.deepEqual([row!.status, row!.paused], ['paused', ['bounces']]);
  assert.match(renderPacked(row!.reason), /of its \d+ messages so far are hard bounces/);
  const states = await on.app.db.row<{ open: number; trying: number; done: number }>(sql`
    select sum(queued + later)::int as open, sum(trying)::int as trying, sum(accepted + failed + unclear)::int as done from tally where campaign_id = ${id}`);
  assert.ok(states!.trying === 0 && states!.open > 0 && states!.done >= 500, JSON.stringify(states));
  assert.equal(states!.open + states!.done, size);
  t.diagnostic(`paused with ${JSON.stringify(states)} after 8 kills`);
  assert.deepEqual(await approvalOf(on.call, waiting), before);
  assert.equal(await statusOf(on.call, waiting), 'draft');
  assert.equal((await approvalOf(on.call, outdated)).state, 'withdrawn');
  assert.deepEqual([arrived(on, 'waiting.example'), arrived(on, 'outdated.example')], [[], []]);

  // The approval of the paused one is of what it still is.
  const program = startProgram(['work'], settings);
  await approver.call('campaignResume', { cid: bad });
  await untilStatus(on.call, bad, 'sent');
  assert.equal(await program.stop(), 0);
  const checked = await checkInvariants(on.app.db, on.sink.log, { campaign: id, audience });
  t.diagnostic(`then sent: ${JSON.stringify(checked)}; every copy is marked`);
});

/** A campaign that is approved now and arrives: everything that waited before it could have gone out, too. */
async function marker(on: Stand, author: Call, approver: Call): Promise<void> {
  const cid = await asked(author, { to: await listOf(on, ['reader@marker.example'], 'Marker'), subject: 'Marker' });
  await approve(approver, cid);
  await untilStatus(on.call, cid, 'sent');
  assert.deepEqual(arrived(on, 'marker.example'), ['Marker']);
}
