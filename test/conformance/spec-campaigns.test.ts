// campaigns() and the Campaign record, row by row of the specification.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { sql } from '../../src/db/connect.ts';
import { parseId } from '../../src/db/ids.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { draftOf, type Fixture, fault, makeAccount, makePlaceholder } from './fixture.ts';
import { specTable } from './rows.ts';

type Record_ = { id: string } & { [member: string]: unknown };

let app: TestApp;
let own: Fixture;
let other: string;
const made: Record<'first' | 'second' | 'plain' | 'old' | 'new' | 'paused' | 'running', string> = {
  first: '',
  second: '',
  plain: '',
  old: '',
  new: '',
  paused: '',
  running: '',
};
before(async () => {
  app = await testApp();
  own = await makeAccount(app.app);
  const create = (list: string, changes: Parameters<typeof draftOf>[1]) =>
    own.call<string>('campaignCreate', draftOf(list, changes));
  other = await own.call<string>('listCreate', { title: 'Others' });
  made.first = await create(own.list, {
    options: {
      title: 'First',
      subject: 'Alpha',
      from_name: 'Ann',
      from_email: 'ann@example.com',
      to_email: '*|FNAME|*',
      analytics: { google: 'spring' },
      tracking: { opens: false, html_clicks: false, text_clicks: true },
    },
  });
  made.second = await create(other, {
    options: { title: 'Second', subject: 'Beta', from_name: 'Bob', from_email: 'bob@example.com' },
  });
  made.plain = await create(own.list, { type: 'plain', content: { plain: 'Hello' }, options: { title: 'Plain' } });
  made.old = await sentAt('2020-05-01 10:00:00+00', 7);
  made.new = await sentAt('2024-05-01 10:00:00+00', 3);
  made.paused = (await makePlaceholder(app.app, own, 'paused'))!;
  made.running = (await makePlaceholder(app.app, own, 'running'))!;
});
after(() => app.close());

/** A campaign that was sent at a time, to a number of recipients. */
async function sentAt(at: string, accepted: number): Promise<string> {
  const cid = await own.call<string>('campaignCreate', draftOf(own.list, { options: { title: `Sent ${at}` } }));
  await app.app.db.run(sql`
    update campaign set status = 'sent', send_at = ${at}, finished_at = ${at}
    where account_id = ${own.accountId} and id = ${parseId(cid)}`);
  await app.app.db.run(sql`
    insert into tally (account_id, campaign_id, shard, recipients, accepted)
    values (${own.accountId}, ${parseId(cid)}, 0, ${accepted}, ${accepted})`);
  return cid;
}

const list = (params: Record<string, unknown> = {}) => own.call<Record_[]>('campaigns', params);
const one = async (cid: string) => (await list({ filters: { campaign_id: cid } }))[0]!;
const names = Object.keys(made) as (keyof typeof made)[];
const found = async (filters: Record<string, unknown>) =>
  (await list({ filters })).map(({ id }) => names.find((name) => made[name] === id)).sort();

const field = specTable('Campaign record');
field('id', 'is a string that the other methods take', async () => {
  assert.match((await one(made.first)).id, /^[abcdf][0-9a-f]{7}$/);
  assert.deepEqual(await own.call('campaignContent', { cid: made.first }), {
    html: '<p>Dear *|FNAME:friend|*</p>',
    plain: 'Dear *|FNAME:friend|*',
    source: '',
    source_format: 'html',
  });
});
field('web_id', 'is the id in the archive link', async () => {
  const { web_id, archive_url } = await one(made.first);
  assert.ok(Number.isInteger(web_id));
  assert.ok(String(archive_url).includes(`/${web_id}`), String(archive_url));
  assert.notEqual(web_id, (await one(made.second)).web_id);
});
field('title', 'is the name, by default the subject', async () => {
  assert.equal((await one(made.first)).title, 'First');
  assert.equal((await one(made.paused)).title, 'News');
});
field('type', 'is HTML, plain text or auto', async () => {
  assert.equal((await one(made.first)).type, 'HTML');
  assert.equal((await one(made.plain)).type, 'plain text');
  const cid = await own.call<string>(
    'campaignCreate',
    draftOf(own.list, { type: 'auto', type_opts: { 'offset-units': 'day', 'offset-time': 1 } }),
  );
  assert.equal((await one(cid)).type, 'auto');
  await own.call('campaignDelete', { cid });
});
field('create_time', 'is when it was created, in GMT', async () => {
  const { create_time } = await one(made.first);
  assert.match(String(create_time), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  assert.ok(Math.abs(Date.parse(`${create_time}Z`) - Date.now()) < 120_000);
});
field('send_time', 'is when it was sent, in GMT, and empty before', async () => {
  assert.equal((await one(made.first)).send_time, '');
  assert.equal((await one(made.old)).send_time, '2020-05-01 10:00:00');
});
field('emails_sent', 'is the number of messages sent', async () => {
  assert.equal((await one(made.first)).emails_sent, 0);
  assert.equal((await one(made.old)).emails_sent, 7);
});
field('status', 'is one of sent, draft, paused, sending', async () => {
  const states = await Promise.all(
    [made.old, made.first, made.paused, made.running].map(async (cid) => (await one(cid)).status),
  );
  assert.deepEqual(states, ['sent', 'draft', 'paused', 'sending']);
});
field('from_name', 'is the name of the sender', async () => {
  assert.equal((await one(made.first)).from_name, 'Ann');
});
field('from_email', 'is the address given at creation', async () => {
  assert.equal((await one(made.first)).from_email, 'ann@example.com');
});
field('subject', 'is the subject line', async () => {
  assert.equal((await one(made.first)).subject, 'Alpha');
});
field('to_email', 'is true when the To field is personalised', async () => {
  assert.equal((await one(made.first)).to_email, true);
  assert.equal((await one(made.second)).to_email, false);
});
field('archive_url', 'is a link to the archive, another for each campaign', async () => {
  const first = String((await one(made.first)).archive_url);
  assert.ok(first.startsWith(`${app.app.baseUrl}/`), first);
  assert.notEqual(first, (await one(made.second)).archive_url);
});
field('analytics', 'is true when web analytics is on', async () => {
  assert.equal((await one(made.first)).analytics, true);
  assert.equal((await one(made.second)).analytics, false);
});
field('analytcs_tag', 'is the name of the analytics campaign', async () => {
  assert.equal((await one(made.first)).analytcs_tag, 'spring');
  assert.equal((await one(made.second)).analytcs_tag, '');
});
field('track_clicks_text', 'is true when clicks in the plain text are counted', async () => {
  assert.equal((await one(made.first)).track_clicks_text, true);
  assert.equal((await one(made.second)).track_clicks_text, false);
});
field('track_clicks_html', 'is true when clicks in the HTML are counted', async () => {
  assert.equal((await one(made.first)).track_clicks_html, false);
  assert.equal((await one(made.second)).track_clicks_html, true);
});
field('track_opens', 'is true when opens are counted', async () => {
  assert.equal((await one(made.first)).track_opens, false);
  assert.equal((await one(made.second)).track_opens, true);
});

const parameter = specTable('campaigns');
parameter('filters', 'may be left out, be empty, and combine as AND', async () => {
  const all = (await list()).map((row) => row.id).sort();
  assert.deepEqual(all, Object.values(made).sort());
  assert.deepEqual((await list({ filters: {} })).map((row) => row.id).sort(), all);
  assert.deepEqual(await found({ from_name: 'Ann', subject: 'Alpha' }), ['first']);
  assert.deepEqual(await found({ from_name: 'Ann', subject: 'Beta' }), []);
});
parameter('filters', 'with an unknown member are fault 506, which names it', async () => {
  await assert.rejects(list({ filters: { colour: 'red' } }), fault('OPTIONS_STRUCT_INVALID', 'filters.colour'));
});
parameter('start', 'is a page number from 0', async () => {
  const all = (await list()).map((row) => row.id);
  assert.deepEqual(
    (await list({ limit: 2, start: 1 })).map((row) => row.id),
    all.slice(2, 4),
  );
  assert.deepEqual(await list({ limit: 7, start: 1 }), []);
  await assert.rejects(list({ start: -1 }), fault('START_OUT_OF_RANGE', 'start'));
});
parameter('limit', 'is the number of results on a page', async () => {
  assert.equal((await list({ limit: 3 })).length, 3);
  await assert.rejects(list({ limit: 0 }), fault('LIMIT_OUT_OF_RANGE', 'limit'));
});

const filter = specTable('campaigns filters');
filter('campaign_id', 'selects the one campaign', async () => {
  assert.deepEqual(await found({ campaign_id: made.second }), ['second']);
  assert.deepEqual(await found({ campaign_id: 'b0000000' }), []);
});
filter('list_id', 'selects the campaigns of a list', async () => {
  assert.deepEqual(await found({ list_id: other }), ['second']);
  assert.equal((await found({ list_id: own.list })).length, 6);
});
for (const [status, expected] of [
  ['sent', ['new', 'old']],
  ['draft', ['first', 'plain', 'second']],
  ['paused', ['paused']],
  ['sending', ['running']],
] as const) {
  filter('status', `${status} selects the campaigns that show it`, async () => {
    assert.deepEqual(await found({ status }), expected);
  });
}
filter('status', 'of another word is a fault', async () => {
  await assert.rejects(list({ filters: { status: 'scheduled' } }), fault('OPTIONS_STRUCT_INVALID', 'filters.status'));
});
filter('status', 'and every other that is empty counts as not given', async () => {
  const empty = Object.fromEntries(
    ['campaign_id', 'list_id', 'status', 'type', 'from_name', 'from_email', 'title', 'subject'].map((name) => [
      name,
      '',
    ]),
  );
  assert.deepEqual(
    await found({ ...empty, sendtime_start: '', sendtime_end: '', status: 'draft' }),
    await found({ status: 'draft' }),
  );
  assert.deepEqual(await found({ ...empty, sendtime_start: '', sendtime_end: '' }), await found({}));
});
filter('type', 'plain selects plain campaigns, HTML the others', async () => {
  assert.deepEqual(await found({ type: 'plain' }), ['plain']);
  assert.deepEqual(await found({ type: 'plain text' }), ['plain']);
  assert.equal((await found({ type: 'HTML' })).length, 6);
});
filter('from_name', 'selects by the name of the sender', async () => {
  assert.deepEqual(await found({ from_name: 'ann' }), ['first']);
});
filter('from_email', 'selects by the address of the sender', async () => {
  assert.deepEqual(await found({ from_email: 'BOB@example.com' }), ['second']);
});
filter('title', 'selects by the name of the campaign', async () => {
  assert.deepEqual(await found({ title: 'second' }), ['second']);
  assert.deepEqual(await found({ title: 'seco' }), []);
});
filter('subject', 'selects by the subject line', async () => {
  assert.deepEqual(await found({ subject: 'Alpha' }), ['first']);
});
filter('sendtime_start', 'selects campaigns sent before the date', async () => {
  assert.deepEqual(await found({ sendtime_start: '2022-01-01' }), ['old']);
  assert.deepEqual(await found({ sendtime_start: '2020-05-01 10:00:00' }), []);
  assert.deepEqual(await found({ sendtime_start: '2020-05-01 12:00:01 +0200' }), ['old']);
});
filter('sendtime_end', 'selects campaigns sent after the date', async () => {
  assert.deepEqual(await found({ sendtime_end: '2022-01-01', status: 'sent' }), ['new']);
});
for (const range of [
  { sendtime_start: '2019-01-01', sendtime_end: '2021-01-01' },
  { sendtime_start: '2021-01-01', sendtime_end: '2019-01-01' },
]) {
  filter('sendtime_end', `with sendtime_start ${range.sendtime_start} makes a range in either order`, async () => {
    assert.deepEqual(await found(range), ['old']);
  });
}
filter('sendtime_start', 'that is no date is fault 501', async () => {
  await assert.rejects(found({ sendtime_start: '2020-02-30' }), fault('DATE_INVALID', 'filters.sendtime_start'));
});
