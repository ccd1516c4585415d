// The reports of a campaign whose recipients, hits and bounces are written into the database as a delivery leaves them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { launch } from '../../delivery/launch/launch.ts';
import { type Hit, writeHits } from '../ingest.ts';
import { tokensOf } from '../token-secret.ts';

let app: TestApp;
let base: string;
let cid: string;
let campaign: number;
let list: string;
/** The recipient numbers of the addresses. */
const seqs = new Map<string, number>();

const people = ['ada@a.example', 'bob@a.example', 'cy@a.example', 'dee@b.example', 'eve@b.example', 'flo@c.example'];
const at = (second: number) => new Date(Date.UTC(2027, 0, 1, 12, 0, second));

before(async () => {
  app = await testApp();
  base = await app.listen();
  list = await app.call<string>('listCreate', { title: 'Letter' });
  for (const email_address of people) await app.call('listSubscribe', { id: list, email_address, double_optin: false });
  cid = await app.call<string>('campaignCreate', {
    type: 'HTML',
    options: { list_id: list, subject: 's', from_email: 'us@example.com', from_name: 'Us', generate_text: true },
    content: {
      html: '<a href="https://example.com/one">one</a><a href="https://example.com/*|FNAME|*">two</a> <a href="*|UNSUB|*">leave</a>',
    },
  });
  campaign = parseId(cid);
  await app.call('campaignSendNow', { cid });
  await launch(app.app, { account: app.account.id, campaign });
  for (const row of await app.app.db.rows<{ email: string; seq: number }>(sql`select email, seq from delivery`))
    seqs.set(row.email, row.seq);
  const settle = (email: string, state: number, reason: string | null, code: number, reply: string) =>
    app.app.db.run(sql`
      update delivery set state = ${state}, reason = ${reason}, reply_code = ${code}, reply = ${reply}, done_at = ${at(0)}
      where email = ${email}`);
  for (const email of people.slice(0, 4)) await settle(email, 2, null, 250, 'ok');
  await settle('eve@b.example', 4, 'hard', 550, '5.1.1 unknown user');
  await settle('flo@c.example', 4, 'soft', 552, '5.2.2 full');
  await app.app.db.run(sql`update tally set queued = 0, accepted = 4, failed = 2`);
  const hit = (email: string, kind: 'open' | 'click', second: number, more: Partial<Hit> = {}): Hit => ({
    account: app.account.id,
    campaign,
    seq: seqs.get(email)!,
    kind,
    link: kind === 'click' ? 0 : null,
    url: '',
    at: at(second),
    ip: '127.0.0.1',
    userAgent: 'x',
    machine: null,
    ...more,
  });
  await app.app.db.transaction((tx) =>
    writeHits(tx, [
      hit('ada@a.example', 'open', 1),
      hit('ada@a.example', 'open', 2),
      hit('ada@a.example', 'click', 3),
      hit('ada@a.example', 'click', 4),
      hit('ada@a.example', 'click', 5, { link: 1 }),
      hit('bob@a.example', 'click', 9),
      hit('cy@a.example', 'open', 20, { machine: 'scanner' }),
      hit('cy@a.example', 'click', 20, { machine: 'scanner' }),
      hit('dee@b.example', 'open', 21, { machine: 'privacy-proxy' }),
    ]),
  );
  await leave('bob@a.example');
});
after(() => app.close());

test('clients and devices count people, each once for a client; machines do not count', async () => {
  const show = () =>
    app.call<Record<'clients' | 'devices', { name: string; people: number }[]>>('campaignClients', { cid });
  assert.deepEqual(await show(), { clients: [{ name: '', people: 2 }], devices: [{ name: 'unknown', people: 2 }] });
  const phone =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile';
  await app.app.db.run(sql`update hit set user_agent = ${phone} where seq = ${seqs.get('ada@a.example')!}`);
  const { clients, devices } = await show();
  assert.deepEqual(new Set(clients.map(({ name, people }) => `${name} ${people}`)), new Set(['Apple Mail 1', ' 1']));
  assert.deepEqual(new Set(devices.map(({ name, people }) => `${name} ${people}`)), new Set(['phone 1', 'unknown 1']));
});

/** Unsubscribes by the link of a message and gives a reason. */
async function leave(email: string): Promise<void> {
  const contact = await app.app.db.row<{ id: number }>(sql`select id from contact where email = ${email}`);
  const { unsubscribe } = tokensOf(app.app).tokens({
    account: app.account.id,
    campaign,
    seq: seqs.get(email)!,
    contact: contact!.id,
    lists: [parseId(list)],
  });
  await fetch(`${base}/u/${unsubscribe}`, { method: 'POST', body: new URLSearchParams({ reason: 'too often' }) });
}

type List = { total: number; data: { email: string }[] };
const emails = (found: List) => found.data.map((row) => row.email).sort();

test('the totals separate people from machines, and a click counts as an open', async () => {
  assert.deepEqual(await app.call('campaignStats', { cid }), {
    hard_bounces: 1,
    soft_bounces: 1,
    blocked_bounces: 0,
    temporary_bounces: 0,
    generic_bounces: 0,
    unsubscribes: 1,
    complaints: 0,
    forwards: 0,
    opens: 3,
    last_open: '2027-01-01 12:00:09',
    unique_opens: 2,
    clicks: 4,
    unique_clicks: 3,
    last_click: '2027-01-01 12:00:09',
    users_who_clicked: 2,
    emails_sent: 4,
    machine_opens: 2,
    unique_machine_opens: 2,
    machine_clicks: 1,
    unique_machine_clicks: 1,
    users_with_machine_clicks: 1,
  });
});

test('all totals of a campaign that was not sent are zero', async () => {
  const draft = await app.call<string>('campaignReplicate', { cid });
  const stats = await app.call<Record<string, unknown>>('campaignStats', { cid: draft });
  assert.deepEqual([...new Set(Object.values(stats))].sort(), ['', 0]);
  assert.deepEqual(await app.call('campaignGeoOpens', { cid: draft }), []);
  assert.deepEqual(await app.call('campaignEmailDomainPerformance', { cid: draft }), []);
});

test('each link has its clicks and the people who followed it', async () => {
  const never = { first_url: '', corrected_at: '', corrected_by: '' };
  assert.deepEqual(await app.call('campaignClickStats', { cid }), [
    { id: '1', url: 'https://example.com/one', clicks: 3, unique: 2, machine_clicks: 1, ...never },
    { id: '2', url: 'https://example.com/*|FNAME|*', clicks: 1, unique: 1, machine_clicks: 0, ...never },
  ]);
  const one = 'https://example.com/one';
  const details = await app.call<List>('campaignClickStatsDetails', { cid, link_id: '1' });
  assert.deepEqual(
    details.data.sort((a, b) => (a.email < b.email ? -1 : 1)),
    [
      { email: 'ada@a.example', link_id: '1', link: one, clicks: 2, machine_clicks: 0, date: '2027-01-01 12:00:05' },
      { email: 'bob@a.example', link_id: '1', link: one, clicks: 1, machine_clicks: 0, date: '2027-01-01 12:00:09' },
    ],
  );
  const found = async (given: object) =>
    (
      await app.call<{ data: { email: string; link_id: string }[] }>('campaignClickStatsDetails', { cid, ...given })
    ).data
      .map(({ email, link_id }) => `${email} ${link_id}`)
      .sort();
  assert.deepEqual(await found({}), ['ada@a.example 1', 'ada@a.example 2', 'bob@a.example 1']);
  assert.deepEqual(await found({ link: one }), ['ada@a.example 1', 'bob@a.example 1']);
  assert.deepEqual(await found({ link: 'https://example.com/none' }), []);
  assert.deepEqual(await found({ filters: { linkId: '2' } }), ['ada@a.example 2']);
  await assert.rejects(app.call('campaignClickStatsDetails', { cid, filters: { colour: 'x' } }), /^.*filters\.colour/);
  await assert.rejects(app.call('campaignClickStatsDetails', { cid, link_id: '3' }), /has no link "3"/);
});

test('openers and non-openers are listed separately, page by page, without bounced recipients', async () => {
  const opened = await app.call<List>('campaignOpened', { cid });
  assert.deepEqual(emails(opened), ['ada@a.example', 'bob@a.example']);
  assert.deepEqual(
    opened.data.find((row) => row.email === 'ada@a.example'),
    { email: 'ada@a.example', count: 2, opens: 2, clicks: 3, last_open: '2027-01-01 12:00:02', machine_opens: 0 },
  );
  const pages = [0, 1, 2].map((start) => app.call<List>('campaignNotOpened', { cid, start, limit: 1 }));
  const answers = await Promise.all(pages);
  assert.deepEqual(
    answers.map((answer) => answer.total),
    [2, 2, 2],
  );
  assert.deepEqual(answers.flatMap(emails).sort(), ['cy@a.example', 'dee@b.example']);
});

test('bounces are listed by class with the reply of the server', async () => {
  assert.deepEqual(await app.call('campaignHardBounces', { cid }), {
    total: 1,
    data: [{ email: 'eve@b.example', code: 550, message: '5.1.1 unknown user', timestamp: '2027-01-01 12:00:00' }],
  });
  assert.deepEqual(emails(await app.call<List>('campaignSoftBounces', { cid })), ['flo@c.example']);
  assert.deepEqual(emails(await app.call<List>('campaignBounceMessages', { cid })), ['eve@b.example', 'flo@c.example']);
  const move = (reason: string) =>
    app.app.db.run(sql`update delivery set reason = ${reason} where email = 'flo@c.example'`);
  for (const [method, reason] of [
    ['campaignBlockedBounces', 'blocked'],
    ['campaignTemporaryBounces', 'temporary'],
    ['campaignGenericBounces', 'attempts'],
  ] as const) {
    assert.deepEqual(emails(await app.call<List>(method, { cid })), [], method);
    await move(reason);
    assert.deepEqual(emails(await app.call<List>(method, { cid })), ['flo@c.example'], method);
  }
  await move('soft');
});

test('an unsubscribed contact stays in the report after subscribing again and after being deleted', async () => {
  const left = () => app.call<{ total: number; data: Record<string, string>[] }>('campaignUnsubscribes', { cid });
  const [first] = (await left()).data;
  assert.equal(first!.email, 'bob@a.example');
  assert.equal(first!.reason, 'too often');
  await app.call('listSubscribe', { id: list, email_address: 'bob@a.example', double_optin: false });
  assert.equal((await left()).total, 1);
  await app.call('listMemberDelete', { id: list, email_address: 'bob@a.example' });
  assert.deepEqual((await left()).data[0]!.email, 'bob@a.example');
});

test('domains are ranked by messages, each with its own numbers', async () => {
  const domains = await app.call<Record<string, unknown>[]>('campaignEmailDomainPerformance', { cid });
  assert.deepEqual(new Set(domains.map(({ total_sent }) => total_sent)), new Set([6]));
  assert.deepEqual(
    domains.map(({ domain, emails: count, delivered, bounces, opens, clicks, unsubs, emails_pct, opens_pct }) => [
      domain,
      count,
      delivered,
      bounces,
      opens,
      clicks,
      unsubs,
      emails_pct,
      opens_pct,
    ]),
    [
      ['a.example', 3, 3, 0, 2, 2, 1, 50, 66.7],
      ['b.example', 2, 1, 1, 0, 0, 0, 33.3, 0],
      ['c.example', 1, 0, 1, 0, 0, 0, 16.7, 0],
    ],
  );
});

test('all opens are under the empty country, as countries are not known', async () => {
  assert.deepEqual(await app.call('campaignGeoOpens', { cid }), [
    { code: '', name: 'not known', opens: 3, unique_opens: 2 },
  ]);
  const from = (code: string) => app.call<{ opens: number }>('campaignGeoOpensByCountry', { cid, code });
  assert.equal((await from('')).opens, 3);
  assert.deepEqual(await from('lv'), { code: 'LV', name: '', opens: 0, unique_opens: 0 });
});

test("another account's campaign is unknown to every report", async () => {
  const other = await app.anotherAccount();
  for (const name of ['Stats', 'ClickStats', 'Opened', 'NotOpened', 'HardBounces', 'Unsubscribes', 'GeoOpens'])
    await assert.rejects(other.call(`campaign${name}`, { cid }), { fault: 'CAMPAIGN_UNKNOWN' });
});

test('the timeline of a contact who unsubscribed by a link names the campaign', async () => {
  await leave('ada@a.example');
  const timeline = await app.call<{ what: string; campaign_id: string }[]>('contactTimeline', {
    email: 'ada@a.example',
  });
  assert.deepEqual(
    timeline
      .filter((item) => ['subscribe', 'unsubscribe'].includes(item.what))
      .map((item) => [item.what, item.campaign_id]),
    [
      ['subscribe', ''],
      ['unsubscribe', cid],
    ],
  );
});

test('the numbers of the reports stay when recipients are erased, and no address is shown', async () => {
  const seq = seqs.get('ada@a.example')!;
  await app.app.db.run(sql`
    insert into notice (account_id, campaign_id, seq, kind, contact_id, list_id, email, class)
    select account_id, campaign_id, seq, 'complaint', contact_id, list_id, email, 'abuse'
    from delivery
    where seq = ${seq}`);
  const totals = ['campaignUnsubscribes', 'campaignOpened', 'campaignNotOpened', 'campaignBounceMessages'];
  const numbers = async () => ({
    stats: await app.call('campaignStats', { cid }),
    links: await app.call('campaignClickStats', { cid }),
    progress: await app.call('campaignProgress', { cid }),
    complaints: await app.app.db.rows(
      sql`select kind, class, count(*)::int as count from notice group by 1, 2 order by 1`,
    ),
    totals: await Promise.all(totals.map(async (name) => (await app.call<List>(name, { cid })).total)),
    hits: await app.app.db.rows(sql`select kind, machine, at from hit order by id`),
  });
  const before = await numbers();
  assert.equal((before.stats as { complaints: number }).complaints, 1);
  for (const email of people.filter((person) => !person.startsWith('bob'))) await app.call('contactErase', { email });
  assert.deepEqual(await numbers(), before);
  for (const name of totals)
    for (const { email } of (await app.call<List>(name, { cid })).data) assert.match(email, /^bob@|@erased\.invalid$/);
});

test('a list names the campaign that was sent to it last, and is rated by those of which most reactions are in', async () => {
  const read = () => app.call<Record<string, unknown>[]>('listResults', { ids: [list, list] });
  await app.app.db.run(sql`update campaign set status = 'sent', send_at = now() where id = ${campaign}`);
  const [young, ...others] = await read();
  assert.equal(others.length, 0);
  assert.deepEqual([young!['campaign'], young!['campaigns'], young!['open_rate']], [cid, 0, 0]);
  await app.app.db.run(sql`update campaign set send_at = now() - interval '3 days' where id = ${campaign}`);
  const [rated] = await read();
  const stats = await app.call<{ unique_opens: number; emails_sent: number }>('campaignStats', { cid });
  assert.equal(rated!['campaigns'], 1);
  assert.equal(rated!['open_rate'], stats.unique_opens / 4);
  assert.ok(stats.unique_opens > 0);
  const other = await app.call<string>('listCreate', { title: 'Nothing yet' });
  assert.deepEqual(await app.call('listResults', { ids: [other] }), []);
});
