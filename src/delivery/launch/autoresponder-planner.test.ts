// Occasions become rows, and campaigns that are found late are paused, on a real database.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { renderPacked } from '../../base/messages.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { planOccasions } from './autoresponder-planner.ts';
import { startDue } from './launch.ts';

const hourMs = 3_600_000;
let app: TestApp;
let list: string;

before(async () => {
  app = await testApp();
  list = await app.call<string>('listCreate', { title: 'One' });
  await app.call('listMergeVarAdd', { id: list, tag: 'BIRTH', name: 'Birth', options: { field_type: 'date' } });
});
after(() => app.close());

const member = (email: string, values: Record<string, string> = {}) =>
  app.call('listSubscribe', { id: list, email_address: email, merge_vars: values, double_optin: false });

async function autoresponder(auto: object, begunHoursAgo: number): Promise<number> {
  const row = await app.app.db.row<{ id: number }>(sql`
    insert into campaign (account_id, type, status, title, subject, from_name, reply_to, html, plain, auto, send_at)
    values (${app.account.id}, 'auto', 'sending', 't', 's', 'Us', 'us@example.com', '<p>x</p>', 'x',
      ${JSON.stringify(auto)}::jsonb, now() - make_interval(hours => ${begunHoursAgo}))
    returning id`);
  await app.app.db.run(sql`
    insert into campaign_list (account_id, campaign_id, list_id) values (${app.account.id}, ${row!.id}, ${parseId(list)})`);
  return row!.id;
}
const rowsOf = (id: number) =>
  app.app.db.rows<{ email: string; occasion: string; state: number; reason: string | null }>(
    sql`select email, occasion, state, reason from delivery where campaign_id = ${id} order by email, occasion`,
  );

test('a sign-up gets one row when several planners run at once, and one that was missed is sent late', async () => {
  await member('due@example.com');
  await member('old@example.com');
  await member('far@example.com');
  for (const [email, hours] of [
    ['due', 23],
    ['old', 40],
    ['far', 2],
  ] as const)
    await app.app.db.run(sql`
      update subscription s set optin_at = now() - make_interval(hours => ${hours}), confirm_at = null
      from contact c where c.id = s.contact_id and c.email = ${`${email}@example.com`}`);
  const id = await autoresponder({ units: 'day', time: 1, direction: 'after', event: 'signup', tag: '' }, 100);
  await Promise.all([1, 2, 3, 4].map(() => planOccasions(app.app.db, 4 * hourMs)));
  await planOccasions(app.app.db, 4 * hourMs);
  assert.deepEqual(await rowsOf(id), [
    { email: 'due@example.com', occasion: 'signup', state: 0, reason: null },
    { email: 'old@example.com', occasion: 'signup', state: 0, reason: null },
  ]);
  const tally = await app.app.db.row(
    sql`select sum(recipients)::int as recipients, sum(queued)::int as queued, sum(skipped)::int as skipped from tally where campaign_id = ${id}`,
  );
  assert.deepEqual(tally, { recipients: 2, queued: 2, skipped: 0 });
  // A contact that is added today with an older sign-up is not greeted weeks later.
  await member('added@example.com');
  await app.app.db.run(sql`
    update subscription s set optin_at = now() - interval '90 hours', confirm_at = null
    from contact c where c.id = s.contact_id and c.email = 'added@example.com'`);
  await app.app.db.run(sql`update occasion_plan set look_at = now(), changed_from = now() - interval '1 minute'`);
  await planOccasions(app.app.db, 4 * hourMs);
  assert.deepEqual(
    (await rowsOf(id)).find(({ email }) => email === 'added@example.com'),
    { email: 'added@example.com', occasion: 'signup', state: 5, reason: 'late' },
  );
});

test('of what fell due while an autoresponder was paused, what is too late is skipped with the reason', async () => {
  for (const [email, hours] of [
    ['pausedlong', 40],
    ['pausedsoon', 25],
  ] as const) {
    await member(`${email}@example.com`);
    await app.app.db.run(sql`
      update subscription s set optin_at = now() - make_interval(hours => ${hours}), confirm_at = null
      from contact c where c.id = s.contact_id and c.email = ${`${email}@example.com`}`);
  }
  const id = await autoresponder({ units: 'day', time: 1, direction: 'after', event: 'signup', tag: '' }, 100);
  await app.call('campaignPause', { cid: formatId(id) });
  await planOccasions(app.app.db, 4 * hourMs);
  await app.call('campaignResume', { cid: formatId(id) });
  await planOccasions(app.app.db, 4 * hourMs);
  assert.deepEqual(
    (await rowsOf(id)).filter(({ email }) => email.startsWith('paused')),
    [
      { email: 'pausedlong@example.com', occasion: 'signup', state: 5, reason: 'late' },
      { email: 'pausedsoon@example.com', occasion: 'signup', state: 0, reason: null },
    ],
  );
});

test('a date that was missed by more than MAX_LATENESS is skipped with the reason', async () => {
  const day = (hours: number) => new Date(Date.now() - hours * hourMs).toISOString().slice(0, 10);
  await member('missed@example.com', { BIRTH: day(72) });
  const id = await autoresponder({ units: 'day', time: 1, direction: 'after', event: 'date', tag: 'BIRTH' }, 100);
  await planOccasions(app.app.db, 4 * hourMs);
  assert.deepEqual(
    (await rowsOf(id)).filter(({ email }) => email === 'missed@example.com'),
    [{ email: 'missed@example.com', occasion: day(72), state: 5, reason: 'late' }],
  );
});

test('F44 a campaign found five hours late pauses with the reason and is launched by campaignResume; one hour late starts', async () => {
  const make = async (hours: number) =>
    (await app.app.db.row<{ id: number }>(sql`
      insert into campaign (account_id, type, status, title, subject, from_name, reply_to, html, plain, schedule_at)
      values (${app.account.id}, 'html', 'scheduled', 't', 's', 'Us', 'us@example.com', '<p>x</p>', 'x', now() - make_interval(hours => ${hours}))
      returning id`))!.id;
  const late = await make(5);
  const soon = await make(1);
  await startDue(app.app.db);
  const status = async (id: number) =>
    app.app.db.row<{ status: string; from: string | null }>(
      sql`select status, paused_from as "from" from campaign where id = ${id}`,
    );
  assert.deepEqual(await status(late), { status: 'paused', from: 'launching' });
  assert.equal((await status(soon))!.status, 'launching');
  await app.call('campaignResume', { cid: formatId(late) });
  assert.deepEqual(await status(late), { status: 'launching', from: null });
});

test('a date that changes before the message is sent removes its row, and later planning does not bring it back', async () => {
  // By GMT: nine o'clock of the day is what is counted from, so a day is found whose mail lies in the next hour or so.
  const { now } = (await app.app.db.row<{ now: Date }>(sql`select now() as now`))!;
  const early = now.getUTCHours() < 8;
  const zone = `Etc/GMT${early ? '-' : '+'}${early ? 8 - now.getUTCHours() : Math.min(12, now.getUTCHours() - 8)}`;
  await member('born@example.com', { BIRTH: '2000-01-01' });
  await app.app.db.run(sql`update contact set time_zone = ${zone} where email = 'born@example.com'`);
  const today = new Date(now.getTime() + (early ? 1 : -1) * Math.min(12, Math.abs(8 - now.getUTCHours())) * hourMs);
  const dueDay = today.toISOString().slice(0, 10);
  const set = (day: string) =>
    app.call('listUpdateMember', { id: list, email_address: 'born@example.com', merge_vars: { BIRTH: day } });
  const dayBefore = new Date(Date.parse(dueDay) - 24 * hourMs).toISOString().slice(0, 10);
  await set(dayBefore);
  const id = await autoresponder({ units: 'day', time: 1, direction: 'after', event: 'date', tag: 'BIRTH' }, 48);
  await planOccasions(app.app.db, 4 * hourMs);
  const planned = (await rowsOf(id)).filter((row) => row.email === 'born@example.com');
  assert.deepEqual(
    planned.map((row) => row.occasion),
    [dayBefore],
  );
  await set('1990-05-05');
  await app.app.db.run(sql`update occasion_plan set look_at = now()`);
  await planOccasions(app.app.db, 4 * hourMs);
  const queued = (await rowsOf(id)).filter((row) => row.email === 'born@example.com' && row.state === 0);
  assert.deepEqual(queued, []);
  const tally = await app.app.db.row<{ rows: number; recipients: number }>(sql`
    select (select count(*)::int from delivery where campaign_id = ${id}) as rows, sum(recipients)::int as recipients
    from tally where campaign_id = ${id}`);
  assert.equal(tally!.rows, tally!.recipients);
});

const planAnew = async (id: number) => {
  await app.app.db.run(sql`update occasion_plan set look_at = now() where campaign_id = ${id}`);
  await planOccasions(app.app.db, 4 * hourMs);
};
const joinedAt = (email: string, hoursAgo: number) =>
  app.app.db.run(sql`
    update subscription s set optin_at = now() - make_interval(secs => ${hoursAgo * 3_600}), confirm_at = null, changed_at = now()
    from contact c where c.id = s.contact_id and c.email = ${email}`);
const ownList = async (title: string) => {
  list = await app.call<string>('listCreate', { title });
  await app.call('listMergeVarAdd', { id: list, tag: 'BIRTH', name: 'Birth', options: { field_type: 'date' } });
};
const afterADay = { units: 'day', time: 1, direction: 'after', event: 'signup', tag: '' };

test('contacts who joined within the same ten seconds share a chunk, and none is due before its time', async () => {
  await ownList('Shared');
  for (let n = 0; n < 12; n++) await member(`shared${n}@example.com`);
  await app.app.db.run(sql`
    update subscription s
    set optin_at = date_trunc('minute', now()) - interval '23 hours' + make_interval(secs => 0.1 + n.n * 0.7), confirm_at = null
    from contact c, lateral (select substring(c.email from 'shared(\\d+)')::int as n) n
    where c.id = s.contact_id and s.list_id = ${parseId(list)}`);
  const id = await autoresponder(afterADay, 100);
  await planOccasions(app.app.db, 4 * hourMs);
  const rows = await app.app.db.rows<{ dueAt: Date; exactAt: Date }>(sql`
    select d.due_at as "dueAt", s.optin_at + interval '1 day' as "exactAt"
    from delivery d join subscription s on s.contact_id = d.contact_id and s.list_id = d.list_id
    where d.campaign_id = ${id}`);
  assert.equal(rows.length, 12);
  for (const row of rows) {
    const laterMs = row.dueAt.getTime() - row.exactAt.getTime();
    assert.ok(laterMs >= 0 && laterMs < 10_000, `${laterMs} ms after the exact time`);
  }
  const chunks = await app.app.db.rows<{ count: number }>(
    sql`select cardinality(seqs) as count from chunk where campaign_id = ${id}`,
  );
  assert.deepEqual(
    chunks.map((chunk) => chunk.count),
    [12],
  );
});

test("a contact's new zone moves what has not been sent, and so does a new zone of the list", async () => {
  await ownList('Zones');
  await member('moved@example.com', { BIRTH: '2000-01-01' });
  await app.app.db.run(sql`update contact set time_zone = '' where email = 'moved@example.com'`);
  // By the first clocks it is past eight now, so that nine o'clock lies within the two hours planned; by the second not.
  const { now } = (await app.app.db.row<{ now: Date }>(sql`select now() as now`))!;
  const offset = now.getUTCHours() <= 17 ? 8 - now.getUTCHours() : 32 - now.getUTCHours();
  const zoneOf = (hours: number) => `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`;
  const [first, second] = [zoneOf(offset), zoneOf(offset - 3)];
  const day = new Date(now.getTime() + offset * hourMs);
  await app.call('listUpdateMember', {
    id: list,
    email_address: 'moved@example.com',
    merge_vars: { BIRTH: `1990-${day.toISOString().slice(5, 10)}` },
  });
  await app.call('listUpdate', { id: list, name: 'timezone', value: first });
  const id = await autoresponder({ units: 'year', time: 1, direction: 'after', event: 'annual', tag: 'BIRTH' }, 48);
  const queued = async () => (await rowsOf(id)).filter((row) => row.state === 0).length;
  await planOccasions(app.app.db, 4 * hourMs);
  await planAnew(id);
  assert.equal(await queued(), 1, first);
  await app.call('listUpdate', { id: list, name: 'timezone', value: second });
  await planAnew(id);
  assert.equal(await queued(), 0, second);
  await app.app.db.run(
    sql`update contact set time_zone = ${first}, changed_at = now() where email = 'moved@example.com'`,
  );
  await planAnew(id);
  assert.equal(await queued(), 1, first);
  const numbers = await app.app.db.rows<{ seq: number }>(sql`select seq from delivery where campaign_id = ${id}`);
  assert.deepEqual(numbers, [{ seq: 2 }], 'the number of the row taken away is not given again');
});

test('a contact that unsubscribes and returns gets what is not sent yet counted from the new signup, and nothing twice', async () => {
  await ownList('Again');
  const id = await autoresponder(afterADay, 100);
  await member('again@example.com');
  await joinedAt('again@example.com', 23);
  await planOccasions(app.app.db, 4 * hourMs);
  assert.equal((await rowsOf(id)).length, 1);
  await joinedAt('again@example.com', 2);
  await planAnew(id);
  assert.deepEqual(await rowsOf(id), []);
  await joinedAt('again@example.com', 23);
  await planAnew(id);
  await app.app.db.run(sql`update delivery set state = 2 where campaign_id = ${id}`);
  await joinedAt('again@example.com', 22.5);
  await planAnew(id);
  assert.deepEqual(
    (await rowsOf(id)).map((row) => row.state),
    [2],
  );
});

test('a pass leaves the changes of a transaction that is still open to the next one, however old it is', async () => {
  await ownList('Slow');
  await member('slow@example.com');
  const id = await autoresponder(afterADay, 48);
  const { db } = app.app;
  const startedAt = await db.transaction(async (tx) => {
    await tx.run(sql`update contact set changed_at = now() where email = 'slow@example.com'`);
    await planAnew(id);
    return (await tx.row<{ at: Date }>(sql`select now() as at`))!.at;
  });
  const plan = await db.row<{ changedFrom: Date }>(
    sql`select changed_from as "changedFrom" from occasion_plan where campaign_id = ${id}`,
  );
  assert.equal(plan!.changedFrom.getTime(), startedAt.getTime() - 60_000);
});

test('campaignExplain shows when a subscriber is due, that there is no date, and which occasion is not made up for', async () => {
  await ownList('Explained');
  await member('soon@example.com');
  await member('missed@example.com');
  await joinedAt('missed@example.com', 400);
  const signup = await autoresponder(afterADay, 100);
  const explain = (id: number, email: string) =>
    app.call<{ outcome: string; explanation: string }>('campaignExplain', { cid: formatId(id), email });
  const soon = await explain(signup, 'soon@example.com');
  assert.equal(soon.outcome, 'not due');
  assert.match(soon.explanation, /^It is due at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d GMT\.$/);
  assert.match((await explain(signup, 'missed@example.com')).explanation, /before the autoresponder was started/);
  const birthday = await autoresponder({ ...afterADay, event: 'annual', tag: 'BIRTH' }, 100);
  assert.match((await explain(birthday, 'soon@example.com')).explanation, /no date in the field BIRTH/);
});

test('an autoresponder whose segment refers to a deleted campaign pauses with the reason, and continues with another segment', async () => {
  const about = await app.call<string>('campaignCreate', {
    type: 'plain',
    options: { list_id: list, subject: 's', from_email: 'a@example.com', from_name: 'A' },
    content: { plain: 'x' },
  });
  const segment = await app.call<string>('listSegmentCreate', {
    list,
    title: 'Not readers of it',
    match: 'all',
    filter: [{ field: 'opened', condition: 'not', value: about }],
  });
  const id = await autoresponder({ units: 'day', time: 1, direction: 'after', event: 'signup', tag: '' }, 100);
  const cid = formatId(id);
  await app.app.db.run(sql`
    insert into campaign_segment (account_id, campaign_id, segment_id) values (${app.account.id}, ${id}, ${parseId(segment)})`);
  const look = async () => {
    await app.app.db.run(sql`update occasion_plan set look_at = now() where campaign_id = ${id}`);
    await Promise.all([1, 2].map(() => planOccasions(app.app.db, 4 * hourMs)));
    const row = await app.app.db.row<{ status: string; reason: string }>(sql`
      select status, status_reason as reason from campaign where id = ${id}`);
    return { status: row!.status, reason: renderPacked(row!.reason) };
  };
  const notices = async () =>
    (await app.app.db.row<{ count: number }>(sql`
      select count(*) as count from graphile_worker._private_jobs where payload::text like ${`%(${cid})%`}`))!.count;
  assert.deepEqual(await look(), { status: 'sending', reason: '' });
  await app.call('campaignDelete', { cid: about });
  await member('late@example.com');
  await app.app.db.run(sql`
    update subscription s set optin_at = now() - interval '23 hours', confirm_at = null, changed_at = now()
    from contact c where c.id = s.contact_id and c.email = 'late@example.com'`);
  const reason = 'The segment "Not readers of it" has a condition on a deleted campaign or list; change the segment';
  assert.deepEqual(await look(), { status: 'paused', reason });
  assert.equal(await notices(), 1);
  // Resumed without a change it pauses again.
  await app.call('campaignResume', { cid });
  assert.deepEqual(await look(), { status: 'paused', reason });
  assert.ok(!(await rowsOf(id)).some(({ email }) => email === 'late@example.com'));
  await app.call('listSegmentUpdate', {
    id: segment,
    filter: [{ field: 'EMAIL', condition: 'starts', value: 'late' }],
  });
  await app.call('campaignResume', { cid });
  assert.deepEqual(await look(), { status: 'sending', reason: '' });
  assert.deepEqual(
    (await rowsOf(id)).filter(({ email }) => email === 'late@example.com').map(({ occasion }) => occasion),
    ['signup'],
  );
});
