// Automations with real worker processes that are killed at random: each contact is on one known step at any time, gets each email
// once (a marked copy where a worker died between the final dot and the reply), and each event once.
// AUTOMATION_CONTACTS and AUTOMATION_KILLS make it smaller.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../src/db/connect.ts';
import { parseId } from '../../src/db/ids.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { type Program, startProgram } from '../support/installation/program.ts';
import { diceOf } from '../support/judges/dice.ts';
import { type SinkProcess, startSinkProcess } from '../support/smtp-sink/process.ts';

const contacts = Number(process.env['AUTOMATION_CONTACTS'] ?? 100_000);
const kills = Number(process.env['AUTOMATION_KILLS'] ?? 50);
const workers = 2;
const limitMs = 40 * 60_000;

let app: TestApp;
let sink: SinkProcess;
let folder: string;

before(async () => {
  app = await testApp();
  sink = await startSinkProcess();
  folder = mkdtempSync(join(tmpdir(), 'automations-'));
});
after(async () => {
  await app.close();
  await sink.close();
  rmSync(folder, { recursive: true, force: true });
});

const worker = (): Program =>
  startProgram(['work'], { DATABASE_URL: app.app.db.url, DATA_DIR: folder, SMTP_URL: sink.url, LOG_LEVEL: 'warn' });

/** Every second one has an address that begins with "even", every third one speaks German. */
const subscribeAll = (list: string) =>
  app.app.db.run(sql`
    with made as (
      insert into contact (account_id, email, email_key, domain, language)
      select ${app.account.id}::int, address, address, 'good.example', case when n % 3 = 0 then 'de' else '' end
      from generate_series(1, ${contacts}::int) n,
        lateral (select format('%s.%s@good.example', case when n % 2 = 0 then 'even' else 'odd' end, n) as address) a
      returning account_id, id
    )
    insert into subscription (account_id, list_id, contact_id, status, optin_at)
    select account_id, ${parseId(list)}::int, id, 'subscribed', now()
    from made`);

type State = { entered: number; inside: number; completed: number; wrong: number };

/** Where the contacts are; `wrong`: steps whose figures are not what the runs show, in one snapshot. */
async function look(id: number): Promise<State> {
  const row = await app.app.db.row<State>(sql`
    with shown as (
      select step, count(*) as waiting from automation_run where automation_id = ${id} and ended_at is null group by step
    )
    select count(*)::int as entered, count(*) filter (where ended_at is null)::int as inside,
      count(*) filter (where outcome = 'completed')::int as completed,
      (
        select count(*)
        from automation_tally t
        full join shown s on s.step = t.step
        where t.step is distinct from '' and coalesce(t.waiting, 0) <> coalesce(s.waiting, 0)
      )::int as wrong
    from automation_run
    where automation_id = ${id}`);
  return row!;
}

async function start(list: string): Promise<{ id: number; emails: string[] }> {
  const email = (subject: string) => app.call<string>('automationEmailCreate', { list, subject, text: 'Hello' });
  const emails = [await email('First'), await email('Second')];
  const german = { language: 'de', subject: 'Erste', html: '<p>Hallo</p>' };
  await app.call('campaignLanguageUpdate', { cid: emails[0], ...german });
  const id = await app.call<string>('automationCreate', { title: 'Under fire', list });
  await app.call('automationUpdate', {
    id,
    trigger: { type: 'subscribed' },
    steps: [
      { key: 'first', type: 'send', campaign: emails[0] },
      { key: 'pause', type: 'wait', amount: 1, unit: 'minutes' },
      {
        key: 'fork',
        type: 'condition',
        filter: [{ field: 'EMAIL', condition: 'starts', value: 'even' }],
        yes: [{ key: 'second', type: 'send', campaign: emails[1] }],
      },
      { key: 'event', type: 'webhook', name: 'through' },
    ],
  });
  await app.call('automationStart', { id });
  return { id: parseId(id), emails };
}

test(`F05 ${contacts} contacts go through five steps while workers are killed ${kills} times`, async (t) => {
  const list = await app.call<string>('listCreate', { title: 'List' });
  // Its events wait, so that they can be counted.
  await app.app.db.run(sql`
    insert into webhook (account_id, title, url, events, status)
    values (${app.account.id}, 'Hook', 'http://127.0.0.1:9/', '{automation.step}', 'paused')`);
  const { id, emails } = await start(list);
  await subscribeAll(list);
  const dice = diceOf(1);
  const running = Array.from({ length: workers }, worker);
  let killed = 0;
  let state = await look(id);
  const startedAt = performance.now();
  try {
    for (;;) {
      assert.ok(performance.now() - startedAt < limitMs, `in time: ${JSON.stringify(state)}, ${killed} kills`);
      await sleep(1_000 + dice.below(2_000));
      state = await look(id);
      assert.equal(state.wrong, 0, 'the figures of the steps are what the contacts show');
      assert.equal(state.entered, state.inside + state.completed);
      if (killed < kills) {
        const at = dice.below(running.length);
        running[at]!.kill('SIGKILL');
        await running[at]!.ended;
        running[at] = worker();
        killed += 1;
      } else if (state.completed === contacts && (await isSent(emails))) break;
    }
  } finally {
    for (const program of running) program.kill('SIGKILL');
    await Promise.all(running.map((program) => program.ended));
  }
  t.diagnostic(`${killed} kills in ${Math.round((performance.now() - startedAt) / 1_000)} s`);
  await checkOutcome(id, emails);
});

/** All recipients have an outcome. */
async function isSent(emails: readonly string[]): Promise<boolean> {
  const row = await app.app.db.row<{ open: number }>(sql`
    select sum(queued + trying + later + unclear)::int as open
    from tally
    where campaign_id = any (${emails.map(parseId)}::int[])`);
  return row!.open === 0;
}

async function checkOutcome(id: number, emails: readonly string[]): Promise<void> {
  const db = app.app.db;
  assert.deepEqual(await look(id), { entered: contacts, inside: 0, completed: contacts, wrong: 0 });
  const ways = await db.rows<{ way: string; count: number }>(sql`
    select (select string_agg(x ->> 'step', ' ' order by n) from jsonb_array_elements(trail) with ordinality as e(x, n)) as way,
      count(*)::int as count
    from automation_run
    where automation_id = ${id}
    group by 1
    order by 1`);
  const half = Math.floor(contacts / 2);
  assert.deepEqual(ways, [
    { way: 'first pause fork', count: contacts - half },
    { way: 'first pause fork second', count: half },
  ]);
  // Each contact has one event, and one row for each email that its way has.
  const events = await db.row<{ rows: number; contacts: number }>(sql`
    select count(*)::int as rows, count(distinct payload ->> 'contact')::int as contacts
    from webhook_event
    where type = 'automation.step'`);
  assert.deepEqual(events, { rows: contacts, contacts });
  const rows = await db.rows<{ email: string; rows: number; resent: number; accepted: number }>(sql`
    select email, count(*)::int as rows, sum(resent)::int as resent, count(*) filter (where state = 2)::int as accepted
    from delivery
    where campaign_id = any (${emails.map(parseId)}::int[])
    group by email`);
  assert.equal(rows.length, contacts);
  // Each has the version of its language, whichever worker added it.
  const versions = await db.rows<{ language: string; rows: number; others: number }>(sql`
    select coalesce(d.language, '') as language, count(*)::int as rows,
      count(*) filter (where c.language <> coalesce(d.language, ''))::int as others
    from delivery d
    join contact c on c.account_id = d.account_id and c.id = d.contact_id
    where d.campaign_id = ${parseId(emails[0]!)}
    group by 1
    order by 1`);
  const speakers = Math.floor(contacts / 3);
  assert.deepEqual(versions, [
    { language: '', rows: contacts - speakers, others: 0 },
    { language: 'de', rows: speakers, others: 0 },
  ]);
  const accepted = sink.accepted();
  let copies = 0;
  for (const { email, rows: due, resent, accepted: known } of rows) {
    const wanted = email.startsWith('even') ? 2 : 1;
    assert.equal(due, wanted, email);
    assert.equal(known, wanted, email);
    const times = accepted.get(email) ?? 0;
    assert.ok(times >= wanted && times <= wanted + resent, `${email}: ${times} messages, ${resent} marked copies`);
    copies += times - wanted;
  }
  assert.ok(copies <= rows.reduce((sum, row) => sum + row.resent, 0));
}
