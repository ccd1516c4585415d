// campaignUpdate, sending, scheduling, testing, copying and deleting, and the table of transitions, row by row.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { sql } from '../../src/db/connect.ts';
import { parseId } from '../../src/db/ids.ts';
import { launch } from '../../src/delivery/launch/launch.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { draftOf, type Fixture, fault, makeAccount, makePlaceholder, makeSegment } from './fixture.ts';
import { specTable } from './rows.ts';

let app: TestApp;
let own: Fixture;
before(async () => {
  app = await testApp();
  own = await makeAccount(app.app);
});
after(() => app.close());

const later = '2099-01-31 12:00:00 +0100';
const make = (placeholder: string) => makePlaceholder(app.app, own, placeholder) as Promise<string>;
const record = async (cid: string) =>
  (await own.call<Record<string, unknown>[]>('campaigns', { filters: { campaign_id: cid } }))[0];
const inside = async (cid: string) => (await record(cid))?.delivery_status;
const content = (cid: string) => own.call<{ html: string; plain: string }>('campaignContent', { cid });
const update = (cid: string, name: string, value: unknown) => own.call('campaignUpdate', { cid, name, value });
const sent = async () => {
  const cid = await make('campaign');
  await app.app.db.run(sql`
    update campaign set status = 'sent', send_at = now(), finished_at = now()
    where account_id = ${own.accountId} and id = ${parseId(cid)}`);
  return cid;
};
/** How each inside state is reached. */
const inState = {
  draft: () => make('campaign'),
  scheduled: () => make('scheduled'),
  sending: () => make('running'),
  paused: () => make('paused'),
  sent,
};
type State = keyof typeof inState;
const states = Object.keys(inState) as State[];
/** Tasks of a campaign that wait in the queue, by name. */
const jobs = async (cid: string) => {
  const { rows } = await app.app.db.pool.query<{ name: string }>(
    `select j.task_identifier as name
     from graphile_worker.jobs j join graphile_worker._private_jobs p on p.id = j.id
     where (p.payload ->> 'campaign_id')::int = $1`,
    [parseId(cid)],
  );
  return rows.map((row) => row.name);
};

/** The fault of a call in every state but those that allow it, which names the state. */
async function onlyIn(allowed: readonly State[], act: (cid: string) => Promise<unknown>): Promise<void> {
  const words: Record<State, string> = {
    draft: 'draft',
    scheduled: 'scheduled',
    sending: 'already being sent',
    paused: 'paused',
    sent: 'already been sent',
  };
  for (const state of states) {
    const cid = await inState[state]();
    if (allowed.includes(state)) {
      assert.equal(await act(cid), true, state);
    } else {
      await assert.rejects(act(cid), fault('CAMPAIGN_STATE_CONFLICT', words[state]));
      assert.equal(await inside(cid), state);
    }
  }
}

const transition = specTable('transitions');
transition('draft, campaignSendNow', 'answers true and the delivery starts at once', async () => {
  const cid = await make('campaign');
  assert.equal(await own.call('campaignSendNow', { cid }), true);
  assert.equal((await record(cid))?.status, 'sending');
  assert.deepEqual(await jobs(cid), ['launchCampaign']);
});
transition('draft, campaignSendNow', 'is for drafts and scheduled campaigns only', () =>
  onlyIn(['draft', 'scheduled'], (cid) => own.call('campaignSendNow', { cid })),
);
transition('draft, campaignSendNow', 'ends the schedule of a scheduled campaign', async () => {
  const cid = await make('scheduled');
  assert.equal(await own.call('campaignSendNow', { cid }), true);
  const row = await record(cid);
  assert.deepEqual([row?.delivery_status, row?.schedule_time], ['launching', '']);
  assert.deepEqual(await jobs(cid), ['launchCampaign']);
});
transition('draft, campaignSendNow', 'does not refuse what is only a warning of campaignCheck', async () => {
  for (const html of ['<p>*|NOSUCHTAG|*</p>', '<a href="http://">x</a>', '<p>No way out</p>']) {
    const cid = await own.call<string>('campaignCreate', draftOf(own.list, { content: { html, plain: 'x' } }));
    assert.equal(await own.call('campaignSchedule', { cid, schedule_time: later }), true, html);
    assert.equal(await own.call('campaignSendNow', { cid }), true, html);
  }
});
transition('not yet sent, campaignSchedule', 'schedules the delivery for that time and answers true', async () => {
  const cid = await make('campaign');
  assert.equal(await own.call('campaignSchedule', { cid, schedule_time: later }), true);
  const row = await record(cid);
  assert.deepEqual([row?.delivery_status, row?.schedule_time], ['scheduled', '2099-01-31 11:00:00']);
  assert.deepEqual(await jobs(cid), []);
});
transition('not yet sent, campaignSchedule', 'is for drafts and scheduled campaigns only', () =>
  onlyIn(['draft', 'scheduled'], (cid) => own.call('campaignSchedule', { cid, schedule_time: later })),
);
transition('not yet sent, campaignSchedule', 'sets a new time for a scheduled campaign', async () => {
  const cid = await make('scheduled');
  assert.equal(await own.call('campaignSchedule', { cid, schedule_time: later }), true);
  assert.equal((await record(cid))?.schedule_time, '2099-01-31 11:00:00');
  await assert.rejects(
    own.call('campaignSchedule', { cid, schedule_time: '2001-01-01 00:00:00' }),
    fault('DATE_INVALID', 'schedule_time'),
  );
  assert.equal((await record(cid))?.schedule_time, '2099-01-31 11:00:00');
});
transition('scheduled, campaignUnschedule', 'makes a draft again that is not delivered, and answers true', async () => {
  const cid = await make('scheduled');
  assert.equal(await own.call('campaignUnschedule', { cid }), true);
  const row = await record(cid);
  assert.deepEqual([row?.status, row?.delivery_status, row?.schedule_time], ['draft', 'draft', '']);
  assert.deepEqual(await jobs(cid), []);
});
transition('scheduled, campaignUnschedule', 'is for scheduled campaigns only', () =>
  onlyIn(['scheduled'], (cid) => own.call('campaignUnschedule', { cid })),
);
transition('not yet sent, campaignUpdate', 'changes the option, not the state, and answers true', async () => {
  const cid = await make('campaign');
  assert.equal(await update(cid, 'subject', 'Other news'), true);
  const row = await record(cid);
  assert.deepEqual([row?.subject, row?.status], ['Other news', 'draft']);
});
transition(
  'not yet sent, campaignUpdate',
  'keeps the schedule of a scheduled campaign and checks it again',
  async () => {
    const cid = await make('scheduled');
    const { schedule_time } = (await record(cid))!;
    assert.equal(await update(cid, 'subject', 'Other news'), true);
    assert.equal(await update(cid, 'html', '<p>*|NOSUCHTAG|*</p>'), true);
    const row = await record(cid);
    assert.deepEqual(
      [row?.subject, row?.delivery_status, row?.schedule_time],
      ['Other news', 'scheduled', schedule_time],
    );
    // Sending became impossible in another way: the change is refused and leaves nothing behind.
    await app.app.db.run(sql`update account set may_send = false where id = ${own.accountId}`);
    await assert.rejects(update(cid, 'subject', 'Third news'), fault('SENDING_NOT_ALLOWED', 'may not send'));
    await app.app.db.run(sql`update account set may_send = true where id = ${own.accountId}`);
    assert.equal((await record(cid))?.subject, 'Other news');
  },
);
transition('not yet sent, campaignUpdate', 'of a paused campaign that no one has received takes effect', async () => {
  const cid = await make('paused');
  const other = await own.call<string>('listCreate', { title: 'Two readers' });
  for (const email_address of ['one@example.com', 'two@example.com'])
    await own.call('listSubscribe', { id: other, email_address, double_optin: false });
  await update(cid, 'subject', 'Other news');
  await update(cid, 'list_id', other);
  const row = await record(cid);
  assert.deepEqual([row?.delivery_status, row?.subject, row?.send_time], ['paused', 'Other news', '']);
  await own.call('campaignResume', { cid });
  await launch(app.app, { account: own.accountId, campaign: parseId(cid) });
  const frozen = await app.app.db.row<{ subject: unknown }>(sql`
    select compiled -> 'subject' as subject from frozen_content where campaign_id = ${parseId(cid)}`);
  assert.deepEqual(frozen?.subject, ['Other news']);
  assert.equal((await own.call<{ recipients: number }>('campaignProgress', { cid })).recipients, 2);
});
transition('not yet sent, campaignUpdate', 'of the list ID removes all previous lists', async () => {
  const cid = await make('campaign');
  const segment = await makeSegment(app.app, own.accountId, own.list);
  await update(cid, 'segment_id', segment);
  assert.deepEqual((await record(cid))?.segment_ids, [segment]);
  const other = await own.call<string>('listCreate', { title: 'Others' });
  await update(cid, 'list_id', other);
  const row = await record(cid);
  assert.deepEqual([row?.list_ids, row?.segment_ids], [[other], []]);
});
transition('not yet sent, campaignUpdate', 'of the template ID overwrites the HTML', async () => {
  const cid = await make('campaign');
  await update(cid, 'template_id', await make('template'));
  assert.equal((await content(cid)).html, '<p>Letter</p>');
});
transition('any, campaignReplicate', 'makes a new draft and leaves the original as it is', async () => {
  for (const state of states) {
    const cid = await inState[state]();
    const before = await record(cid);
    const copy = await own.call<string>('campaignReplicate', { cid });
    assert.notEqual(copy, cid);
    assert.deepEqual(await record(cid), before);
    const row = await record(copy);
    assert.deepEqual(
      [row?.status, row?.emails_sent, row?.send_time, row?.list_ids],
      ['draft', 0, '', before?.list_ids],
      state,
    );
    assert.deepEqual(await content(copy), await content(cid));
  }
});
transition('none, campaignCreate', 'makes a new campaign and answers its ID', async () => {
  const cid = await own.call<string>('campaignCreate', draftOf(own.list));
  assert.equal((await record(cid))?.id, cid);
  assert.equal((await record(cid))?.status, 'draft');
});
transition('any, campaignDelete', 'ends the campaign and its reports', async () => {
  for (const state of states) {
    const cid = await inState[state]();
    assert.equal(await own.call('campaignDelete', { cid }), true, state);
    assert.equal(await record(cid), undefined, state);
    await assert.rejects(own.call('campaignProgress', { cid }), fault('CAMPAIGN_UNKNOWN', cid));
    assert.ok((await jobs(cid)).includes('purgeCampaign'));
  }
});

const change = specTable('campaignUpdate');
change('cid', 'is the campaign', () => needsCampaign('campaignUpdate', { name: 'subject', value: 'x' }));
change('name', 'is the name of a creation option', async () => {
  const cid = await make('campaign');
  await assert.rejects(update(cid, 'colour', 'red'), fault('CAMPAIGN_OPTION_INVALID', 'colour'));
  await assert.rejects(own.call('campaignUpdate', { cid, value: 'x' }), fault('INVALID_PARAMETER', 'name is required'));
});
const settings = { 'offset-units': 'week', 'offset-time': 2 };
for (const [name, value] of [
  ['subject', 'S'],
  ['from_email', 'other@example.com'],
  ['from_name', 'Other'],
  ['sender', ''],
  ['to_email', '*|FNAME|*'],
  ['tracking', { opens: false }],
  ['title', 'T'],
  ['analytics', { google: 'g' }],
  ['generate_text', true],
  ['auto_footer', true],
  ['authenticate', false],
  ['inline_img', false],
  ['time_match', true],
  ['ln', 'jp'],
  ['html', '<p>New</p>'],
  ['plain', 'New'],
  ['content', { html: '<p>New</p>', plain: 'New' }],
  ['type', 'plain'],
  ['type_opts', settings],
  ['auto', settings],
] as const) {
  change('name', `${name} is an option that can be changed`, async () => {
    const cid = await make('campaign');
    const before = await app.app.db.row<object>(sql`select * from campaign where id = ${parseId(cid)}`);
    assert.equal(await update(cid, name, value), true);
    const now = await app.app.db.row<object>(sql`select * from campaign where id = ${parseId(cid)}`);
    assert.notDeepEqual(now, before);
  });
}
change('value', 'is what the option allows', async () => {
  const cid = await make('campaign');
  await update(cid, 'tracking', { text_clicks: '1', opens: 'false' });
  const row = await record(cid);
  assert.deepEqual([row?.track_clicks_text, row?.track_opens, row?.track_clicks_html], [true, false, true]);
  await update(cid, 'analytics', { google: 'autumn' });
  assert.equal((await record(cid))?.analytcs_tag, 'autumn');
  await assert.rejects(update(cid, 'tracking', 'all'), fault('TRACKING_INVALID', 'tracking '));
  await assert.rejects(update(cid, 'ln', 'xx'), fault('CAMPAIGN_OPTION_INVALID', 'ln '));
  await assert.rejects(own.call('campaignUpdate', { cid, name: 'ln' }), fault('INVALID_PARAMETER', 'value'));
});

/** The parameter cid: required, and a campaign of the account. */
async function needsCampaign(method: string, more: Record<string, unknown> = {}): Promise<void> {
  await assert.rejects(own.call(method, more), fault('INVALID_PARAMETER', 'cid is required'));
  await assert.rejects(own.call(method, { ...more, cid: 'b0000000' }), fault('CAMPAIGN_UNKNOWN', 'b0000000'));
  const stranger = await makeAccount(app.app);
  const cid = (await makePlaceholder(app.app, stranger, 'campaign'))!;
  await assert.rejects(own.call(method, { ...more, cid }), fault('CAMPAIGN_UNKNOWN', cid));
}
specTable('campaignSendNow')('cid', 'is the campaign', () => needsCampaign('campaignSendNow'));
specTable('campaignUnschedule')('cid', 'is the campaign', () => needsCampaign('campaignUnschedule'));
specTable('campaignReplicate')('cid', 'is the campaign', () => needsCampaign('campaignReplicate'));
specTable('campaignDelete')('cid', 'is the campaign', () => needsCampaign('campaignDelete'));

const schedule = specTable('campaignSchedule');
schedule('cid', 'is the campaign', () => needsCampaign('campaignSchedule', { schedule_time: later }));
for (const [text, shown] of [
  ['2099-01-31 12:00:00 +0000', '2099-01-31 12:00:00'],
  ['2099-01-31 12:00:00 +0100', '2099-01-31 11:00:00'],
  ['2099-01-31 12:00:00 -0530', '2099-01-31 17:30:00'],
  ['2099-01-31 12:00:00', '2099-01-31 12:00:00'],
] as const) {
  schedule('schedule_time', `${text} is ${shown} GMT`, async () => {
    const cid = await make('campaign');
    await own.call('campaignSchedule', { cid, schedule_time: text });
    assert.equal((await record(cid))?.schedule_time, shown);
  });
}
for (const text of ['2099-02-30 12:00:00 +0000', 'tomorrow', '2001-01-01 00:00:00 +0000', '']) {
  schedule('schedule_time', `"${text}" is fault 501 and leaves a draft`, async () => {
    const cid = await make('campaign');
    await assert.rejects(
      own.call('campaignSchedule', { cid, schedule_time: text }),
      fault('DATE_INVALID', 'schedule_time'),
    );
    assert.equal(await inside(cid), 'draft');
  });
}

const trial = specTable('campaignSendTest');
const me = ['me@example.com'];
trial('cid', 'is the campaign', () => needsCampaign('campaignSendTest', { test_emails: me }));
trial('cid', 'is a draft', () =>
  // Ours: of a scheduled campaign too, which one wants to see before it leaves, and of the correction of a paused one.
  onlyIn(['draft', 'scheduled', 'paused'], (cid) => own.call('campaignSendTest', { cid, test_emails: me })),
);
trial('test_emails', 'are the addresses', async () => {
  const cid = await make('campaign');
  const test_emails = ['a@example.com', 'b@example.com'];
  assert.equal(await own.call('campaignSendTest', { cid, test_emails }), true);
  assert.deepEqual(await jobs(cid), ['sendTestMails']);
  for (const bad of [[], ['nobody']])
    await assert.rejects(
      own.call('campaignSendTest', { cid, test_emails: bad }),
      fault('ADDRESS_INVALID', 'test_emails'),
    );
  await assert.rejects(own.call('campaignSendTest', { cid }), fault('INVALID_PARAMETER', 'test_emails is required'));
});
for (const send_type of ['HTML', 'plain', '', undefined]) {
  trial('send_type', `may be ${send_type === '' ? 'empty' : (send_type ?? 'left out')}`, async () => {
    const cid = await make('campaign');
    const given = { cid, test_emails: me, ...(send_type === undefined ? {} : { send_type }) };
    assert.equal(await own.call('campaignSendTest', given), true);
  });
}
trial('send_type', 'may be nothing else', async () => {
  const given = { cid: await make('campaign'), test_emails: me, send_type: 'pdf' };
  await assert.rejects(own.call('campaignSendTest', given), fault('SEND_TYPE_INVALID', 'send_type'));
});
