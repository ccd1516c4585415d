// Erasing a contact at awkward moments: during a campaign, before the confirmation, twice, and when the contact comes
// back. races.test.ts searches the whole database for the address, after erasures in the middle of other work.
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { zipOf } from '../../../test/support/builders/archives.ts';
import { Engine } from '../../../test/support/delivery/engine.ts';
import { runWaitingJobs } from '../../../test/support/run/jobs.ts';
import { type Sink, startSink } from '../../../test/support/smtp-sink/sink.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { erasureParts } from '../../erasure.ts';
import { enqueue } from '../../jobs/queue.ts';
import { tokensOf } from '../../tracking/token-secret.ts';
import { appendUpload, createUpload } from '../import/file/upload.ts';
import { runImport } from '../import/run.ts';
import { eraseCopies } from './copies.ts';

let engine: Engine;
let sink: Sink;
let list: string;
let base: string;
before(async () => {
  sink = await startSink();
  engine = await Engine.start({ SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none&connections=1` }, 0);
  base = await engine.app.listen();
  list = await engine.app.call<string>('listCreate', { title: 'Letter' });
});
after(async () => {
  await engine.stop();
  await sink.close();
});

const call = <T = unknown>(method: string, params: Record<string, unknown> = {}) => engine.app.call<T>(method, params);
const subscribe = (email_address: string, more: Record<string, unknown> = {}) =>
  call('listSubscribe', { id: list, email_address, double_optin: false, ...more });
const unknown = { fault: 'ADDRESS_UNKNOWN' };
const rows = <T>(query: Parameters<typeof engine.app.app.db.rows>[0]) => engine.app.app.db.rows(query) as Promise<T[]>;

test('a contact erased during a campaign gets no message of it, nor does the placeholder address', async () => {
  const emails = Array.from({ length: 20 }, (_, n) => `reader.${n}@good.example`);
  const [waiting, flying, refused] = ['reader.7@good.example', 'reader.11@good.example', '550dot.x@good.example'];
  await engine.app.app.db.run(sql`
    insert into webhook (account_id, title, url, events)
    values (${engine.app.account.id}, 'All', 'http://127.0.0.1:9/', '{email.bounce}')`);
  const id = await engine.send([...emails, refused]);
  await call('contactErase', { email: waiting });
  const holds = [flying, refused].map((to) => sink.hold({ step: 'dot', to }));
  await engine.addWorker();
  // The messages of these two are on the wire, and the answer is not there.
  // In whatever order they are sent: one connection may carry both.
  await Promise.all(
    holds.map(async (hold) => {
      const { to } = await hold.reached;
      await call('contactErase', { email: to });
      hold.release();
    }),
  );
  const all = await engine.settled(id);
  await engine.untilStatus(id, 'sent');
  assert.equal(sink.log.filter((entry) => entry.to === waiting || entry.to?.endsWith('.invalid')).length, 0);
  assert.deepEqual(
    all
      .filter((item) => item.email.endsWith('@erased.invalid'))
      .map(({ state, reason }) => `${state} ${reason ?? ''}`)
      .sort(),
    ['accepted ', 'failed blocked', 'skipped deleted'].sort(),
  );
  const { recipients, accepted, failed } = await engine.progress(id);
  assert.deepEqual([recipients, accepted, failed, sink.counts.accepted], [21, 19, 1, 19]);
  // Replies that arrive later do not write the addresses down again.
  for (const email of [waiting, flying, refused])
    assert.deepEqual(
      await rows(sql`
        select 1 from delivery where strpos(email || coalesce(reply, ''), ${email}) > 0
        union all select 1 from webhook_event where strpos(payload::text, ${email}) > 0
        union all select 1 from suppression where strpos(value || detail, ${email}) > 0`),
      [],
      email,
    );
});

test('after erasing a pending contact, its confirmation link no longer works', async () => {
  await subscribe('waits@reader.example', { double_optin: true });
  const [contact] = await rows<{ id: number }>(sql`select id from contact where email = 'waits@reader.example'`);
  const { confirm } = tokensOf(engine.app.app).tokens({
    account: engine.app.account.id,
    campaign: 0,
    seq: 0,
    contact: contact!.id,
    lists: [parseId(list)],
  });
  await call('contactErase', { email: 'waits@reader.example' });
  for (const method of ['GET', 'POST']) {
    const response = await fetch(`${base}/confirm/${confirm}`, { method });
    assert.equal(response.status, 200);
    assert.doesNotMatch(await response.text(), /waits@reader/);
  }
  assert.deepEqual(await rows(sql`select 1 from subscription where contact_id = ${contact!.id}`), []);
  await assert.rejects(call('contactGet', { email: 'waits@reader.example' }), unknown);
});

test('erasing twice fails; a returning contact can be erased again, and its whole consent log stays under one hash', async () => {
  const email = 'twice@reader.example';
  const evidence = async () =>
    rows<{ kind: string; ip: string; hash: string | null; members: string }>(sql`
      select kind, ip, detail ->> 'hash' as hash,
        (select string_agg(name, ', ') from jsonb_object_keys(detail) as name) as members
      from consent
      where account_id = ${engine.app.account.id}
        and contact_id = any (${ids}::int[])
      order by id`);
  const ids: number[] = [];
  const idNow = async () => {
    const { id } = await call<{ id: string }>('contactGet', { email });
    ids.push(parseId(id));
    return id;
  };
  await subscribe(email, { merge_vars: { FNAME: 'Tim', OPTINIP: '192.0.2.44' } });
  const first = await idNow();
  await call('listUpdateMember', { id: list, email_address: email, merge_vars: { FNAME: 'Tom' } });
  await call('contactPause', { email, until: '2098-01-02' });
  await call('contactErase', { email });
  for (const named of [email, first]) await assert.rejects(call('contactErase', { email: named }), unknown);
  const kept = await evidence();
  assert.deepEqual(
    kept.map((item) => [item.kind, item.ip]),
    [
      ['subscribe', ''],
      ['update', ''],
      ['pause', ''],
    ],
  );
  assert.deepEqual(new Set(kept.map((item) => item.members)), new Set(['hash']), 'nothing else is kept of each');
  assert.match(kept[0]!.hash!, /^[0-9a-f]{64}$/);
  await call('suppressedListUnsubscribe', { email_address: email });
  await subscribe(email);
  const second = await idNow();
  assert.notEqual(second, first, 'nothing leads from the one to the other');
  const returned = await call<{ what: string }[]>('contactTimeline', { email });
  assert.deepEqual(
    returned.map((item) => item.what).filter((what) => what !== 'suppressed'),
    ['subscribe'],
    'the earlier history of a contact who comes back is gone',
  );
  await call('contactErase', { email: second });
  assert.deepEqual(new Set((await evidence()).map((item) => item.hash)), new Set([kept[0]!.hash]));
  const hashes = await rows(sql`select 1 from suppression where kind = 'hash' and value = ${kept[0]!.hash}`);
  assert.equal(hashes.length, 1);
});

test('an erased address cannot be subscribed through any door, unless it was erased without suppression or is unsuppressed', async () => {
  const audience = async () => {
    const cid = await call<string>('campaignCreate', {
      type: 'plain',
      options: { list_id: list, subject: 's', from_email: 'a@example.com', from_name: 'A' },
      content: { plain: 'x' },
    });
    return call<{ recipients: number; left_out: { reason: string; count: number }[] }>('campaignAudience', { cid });
  };
  const silent = 'silent@reader.example';
  const open = 'open@reader.example';
  for (const email of [silent, open]) await subscribe(email);
  assert.equal((await audience()).recipients, 2);
  await call('contactErase', { email: silent });
  await call('contactErase', { email: open, keep_suppressed: false });
  assert.equal((await audience()).recipients, 0);
  await subscribe(open);
  const refused = { fault: 'ADDRESS_INVALID', message: /^email_address: silent@reader\.example was erased / };
  for (const double_optin of [true, false]) await assert.rejects(subscribe(silent, { double_optin }), refused);
  const batch = await call<{ success_count: number; errors: { code: number; message: string; email: string }[] }>(
    'listBatchSubscribe',
    { id: list, batch: [{ EMAIL: silent }, { EMAIL: 'batch@reader.example' }], double_optin: false },
  );
  assert.equal(batch.success_count, 1);
  assert.deepEqual(
    batch.errors.map(({ code, email }) => [code, email]),
    [[502, silent]],
  );
  await assert.rejects(call('listUpdateMember', { id: list, email_address: open, merge_vars: { EMAIL: silent } }), {
    fault: 'ADDRESS_INVALID',
    message: /^merge_vars\.EMAIL: silent@reader\.example was erased /,
  });
  assert.deepEqual(await rows(sql`select 1 from contact where email = ${silent}`), []);
  assert.deepEqual(await audience(), { recipients: 2, left_out: [] });
  const id = await call<string>('importCreate', { id: list, content: `EMAIL\n${silent}\nnew@reader.example\n` });
  await call('importStart', { import: id });
  const { app, account } = engine.app;
  await runImport(app, account.id, parseId(id), false, new AbortController().signal, app.log);
  const { result } = await call<{ result: Record<string, number> }>('importGet', { import: id });
  assert.deepEqual([result['added'], result['suppressed']], [1, 1]);
  await call('suppressedListUnsubscribe', { email_address: silent });
  await subscribe(silent);
  assert.equal((await audience()).recipients, 4);
  const info = await call<{ suppressed: string }>('contactGet', { email: silent });
  assert.equal(info.suppressed, '');
});

test('erasing waits for none of the logs, and the copies in them are removed in portions afterwards', async () => {
  const email = 'logged@reader.example';
  const { app, account } = engine.app;
  await subscribe(email);
  const id = await engine.send(['reader.99@good.example']);
  await app.db.run(sql`
    with hook as (
      insert into webhook (account_id, title, url, events)
      values (${account.id}, 'Log', 'http://127.0.0.1:9/', '{email.open}')
      returning account_id, id
    ), queued as (
      insert into webhook_event (account_id, webhook_id, event_id, type, payload)
      select account_id, id, 'evt_log', 'email.open', jsonb_build_object('id', 'evt_log', 'email', ${email}::text)
      from hook
    )
    insert into webhook_attempt (account_id, webhook_id, kind, try, event_ids, url, headers, body, outcome)
    select account_id, id, 'delivery', 1, '{}', '', '{}', case when n % 2 = 0 then ${email} else 'another' end, 'delivered'
    from hook, generate_series(1, 500) as n`);
  // A transaction that holds the logs, as a long search in them would.
  const locked = Promise.withResolvers<void>();
  const erased = Promise.withResolvers<void>();
  const holder = app.db.transaction(async (tx) => {
    await tx.run(
      sql`lock table webhook_event, webhook_attempt, inbox_message, import_problem in access exclusive mode`,
    );
    locked.resolve();
    await erased.promise;
  });
  await locked.promise;
  await call('contactErase', { email });
  await assert.rejects(call('contactGet', { email }), unknown);
  erased.resolve();
  await holder;
  await runWaitingJobs(app, 'eraseCopies');
  const left = await rows<{ attempts: number; named: number; events: number }>(sql`
    select count(*) filter (where body <> '') as attempts, count(*) filter (where strpos(body, ${email}) > 0) as named,
      (select count(*) from webhook_event where strpos(payload::text, ${email}) > 0) as events
    from webhook_attempt`);
  assert.deepEqual(left, [{ attempts: 500, named: 0, events: 0 }]);
  await engine.untilStatus(id, 'sent');
});

test('an address that contains the erased one keeps its messages and attempts, and notices to others stay', async () => {
  const { app, account } = engine.app;
  const email = 'ann@reader.example';
  await subscribe(email);
  const bodies = [
    'joann@reader.example',
    'ann@reader.example.org',
    'ann@reader.example-two.org',
    '{"text":"\\nann@reader.example"}',
    '?e=ann@reader.example.',
    '<ANN@reader.example>',
    'e=3Dann@reader.example',
  ];
  await app.db.run(sql`delete from inbox_message`);
  await app.db.run(sql`
    with hook as (
      insert into webhook (account_id, title, url, events)
      values (${account.id}, 'Whole', 'http://127.0.0.1:9/', '{email.open}')
      returning account_id, id
    )
    insert into webhook_attempt (account_id, webhook_id, kind, try, event_ids, url, headers, body, outcome, answer)
    select account_id, id, 'delivery', 1, '{}', '', '{}', 'whole', 'delivered', body
    from hook, unnest(${bodies}::text[]) as body`);
  await app.db.run(sql`
    insert into inbox_message (account_id, mail_from, rcpt_to, size, source)
    select ${account.id}::int, 'a@example.com', array['b@example.com'], 4, convert_to(body, 'UTF8')
    from unnest(${bodies}::text[]) as body
    union all
    select null, 'a@example.com', array['owner@example.org'], 4, ${Buffer.from(email)}
    union all
    select null, 'a@example.com', array[${email}], 4, convert_to('Dear Ann', 'UTF8')`);
  await call('contactErase', { email });
  await runWaitingJobs(app, 'eraseCopies');
  const kept = await rows<{ text: string }>(sql`
    select answer as text
    from webhook_attempt
    where body in ('whole', '{}')
      and answer <> ''
    order by id`);
  assert.deepEqual(
    kept.map(({ text }) => text),
    bodies.slice(0, 3),
  );
  const messages = await rows<{ text: string }>(
    sql`select convert_from(source, 'UTF8') as text from inbox_message order by id`,
  );
  assert.deepEqual(
    messages.map(({ text }) => text),
    [...bodies.slice(0, 3), email],
  );
});

test('a file that waits to be imported is deleted if it names the contact, and its import fails with the reason', async () => {
  const { app, account } = engine.app;
  const email = 'filed@reader.example';
  await subscribe(email);
  const file = async (content: string, state: string) => {
    const id = await call<string>('importCreate', { id: list, content });
    await app.db.run(sql`update import set state = ${state} where account_id = ${account.id} and id = ${parseId(id)}`);
    return id;
  };
  const other = await file(`EMAIL\nun${email}\n${email}.org\n`, 'checked');
  const many = Array.from({ length: 40_000 }, (_, n) => `reader.${n}@good.example`).join('\n');
  const named = await file(`EMAIL\n${many}\n${email.toUpperCase()}\n`, 'checked');
  await call('contactErase', { email });
  await runWaitingJobs(app, 'eraseCopies');
  const status = async (id: string) => {
    const { state, reason } = await call<{ state: string; reason: string }>('importGet', { import: id });
    return [state, reason];
  };
  assert.deepEqual(await status(other), ['checked', '']);
  assert.deepEqual(await status(named), [
    'failed',
    'The file was deleted because it names a contact that was erased. Upload it again without that contact.',
  ]);
  await assert.rejects(call('importStart', { import: named }), { fault: 'UPLOAD_UNKNOWN' });
  const files = await rows(sql`select id from upload where account_id = ${account.id}`);
  assert.equal(files.length, 1);
});

test('a workbook that names the contact in a sheet which is not imported is deleted too', async () => {
  const { app, account } = engine.app;
  await app.db.run(sql`delete from upload`);
  const email = 'sheet@reader.example';
  await subscribe(email);
  const row = (text: string) =>
    `<worksheet><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>${text}</t></is></c></row></sheetData></worksheet>`;
  const book = (second: string) =>
    zipOf([
      {
        name: 'xl/workbook.xml',
        body: '<workbook xmlns:r="r"><sheets><sheet name="A" r:id="r1"/><sheet name="B" r:id="r2"/></sheets></workbook>',
      },
      {
        name: 'xl/_rels/workbook.xml.rels',
        body: '<Relationships><Relationship Id="r1" Target="worksheets/1.xml"/><Relationship Id="r2" Target="worksheets/2.xml"/></Relationships>',
      },
      { name: 'xl/worksheets/1.xml', body: row('other@reader.example') },
      { name: 'xl/worksheets/2.xml', body: row(second) },
    ]);
  const waiting = async (second: string) => {
    const upload = await createUpload(app.db, account.id, 'book.xlsx');
    await appendUpload(app.db, account.id, upload, 0, Readable.from([book(second)]));
    return call<string>('importCreate', { id: list, upload: formatId(upload) });
  };
  const named = await waiting(email);
  const other = await waiting('third@reader.example');
  await call('contactErase', { email });
  await runWaitingJobs(app, 'eraseCopies');
  const state = async (id: string) => (await call<{ state: string }>('importGet', { import: id })).state;
  assert.deepEqual([await state(named), await state(other)], ['failed', 'mapped']);
});

test('what an import in progress still writes of an erased contact is removed when it has ended', async () => {
  const { app, account } = engine.app;
  const email = 'running@reader.example';
  await app.db.run(sql`delete from upload`);
  await subscribe(email);
  const id = await call<string>('importCreate', { id: list, content: `EMAIL\n${email}\n${email}\n` });
  await call('importStart', { import: id });
  await call('contactErase', { email });
  const erase = () =>
    app.db.rows<{ later: boolean; payload: Parameters<typeof eraseCopies>[1] }>(sql`
      delete from graphile_worker._private_jobs
      where payload ->> 'placeholder' is not null
      returning run_at > now() + interval '50 minutes' as later, payload`);
  const context = { app, log: app.log, signal: new AbortController().signal };
  const [first] = await erase();
  await eraseCopies(context, first!.payload, erasureParts);
  await runImport(app, account.id, parseId(id), false, context.signal, app.log);
  const left = () =>
    rows(sql`
      select 'problem' as what from import_problem where strpos(value, ${email}) > 0
      union all select 'file' from upload_piece where strpos(encode(bytes, 'escape'), ${email}) > 0`);
  assert.ok((await left()).length >= 2);
  const [again] = await erase();
  assert.equal(again!.later, true);
  await eraseCopies(context, again!.payload, erasureParts);
  assert.deepEqual(await left(), []);
  assert.deepEqual(await erase(), [], 'nothing is left to come back to');
});

test('failed jobs that name the contact are deleted with it, and all of them after a month', async () => {
  const { app, account } = engine.app;
  const email = 'job@reader.example';
  await subscribe(email);
  const add = (to: string, accountId = account.id) =>
    enqueue(app.db, 'sendTestMails', { account_id: accountId, campaign_id: 1, emails: [to] });
  for (const to of [email, `x${email}`, 'old@reader.example', 'waits@reader.example']) await add(to);
  await add(email, account.id + 1);
  const fail = (to: string, days: number) =>
    app.db.run(sql`
      update graphile_worker._private_jobs
      set attempts = max_attempts, run_at = now() - make_interval(days => ${days})
      where payload::text like ${`%"${to}"%`}`);
  for (const [to, days] of [
    [email, 0],
    [`x${email}`, 0],
    ['old@reader.example', 31],
  ] as const)
    await fail(to, days);
  const left = async () => {
    const found = await rows<{ to: string; mine: boolean }>(sql`
      select payload -> 'emails' ->> 0 as to, (payload ->> 'account_id')::int = ${account.id} as mine
      from graphile_worker._private_jobs
      where payload -> 'emails' is not null
      order by id`);
    return found.map(({ to, mine }) => (mine ? to : `${to} of another account`));
  };
  await call('contactErase', { email });
  await runWaitingJobs(app, 'eraseCopies');
  const others = [`x${email}`, 'old@reader.example', 'waits@reader.example', `${email} of another account`];
  assert.deepEqual(await left(), others);
  await enqueue(app.db, 'deleteFailedJobs', {});
  await runWaitingJobs(app, 'deleteFailedJobs');
  assert.deepEqual(
    await left(),
    others.filter((to) => to !== 'old@reader.example'),
  );
});
