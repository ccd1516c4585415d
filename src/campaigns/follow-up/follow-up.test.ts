// Follow-ups of a campaign that has been sent: who is in their audience, and whose content they have.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { aCampaign, listOf } from '../../../test/support/builders/campaigns.ts';
import { draftWithTest, hitsOf, holdSending, launched, testIsDue } from '../../../test/support/delivery/ab-test.ts';
import { Stage } from '../../../test/support/delivery/stage.ts';
import { until } from '../../../test/support/run/until.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { launch } from '../../delivery/launch/launch.ts';

let stage: Stage;
before(async () => {
  stage = await Stage.start();
});
after(() => stage.stop());

const app = () => stage.engine.app;
const call = <T = string>(method: string, params: Record<string, unknown>) => app().call<T>(method, params);

async function sent(emails: readonly string[]): Promise<{ cid: string; list: string; seqs: Map<string, number> }> {
  const list = await listOf(app(), emails);
  const id = await launched(app(), await aCampaign(app(), { to: list }));
  await stage.engine.untilStatus(id, 'sent');
  const rows = await stage.db.rows<{ email: string; seq: number }>(
    sql`select email, seq from delivery where campaign_id = ${id}`,
  );
  return { cid: formatId(id), list, seqs: new Map(rows.map(({ email, seq }) => [email, seq])) };
}

/** Who a copy would go to, by a launch that no worker sees. */
async function audienceOf(cid: string): Promise<string[]> {
  await holdSending(app(), true);
  await call('campaignSendNow', { cid });
  await launch(app().app, { account: app().account.id, campaign: parseId(cid) });
  await call('campaignPause', { cid });
  await holdSending(app(), false);
  const rows = await stage.db.rows<{ email: string }>(
    sql`select email from delivery where campaign_id = ${parseId(cid)} order by email`,
  );
  return rows.map(({ email }) => email.split('@')[0]!);
}

test('each follow-up goes to those recipients only, without those who have left since', async () => {
  const emails = ['opened', 'clicked', 'silent', 'left'].map((name) => `${name}@follow.example`);
  const { cid, list, seqs } = await sent([...emails, '552dot.full@follow.example']);
  const seq = (name: string) => seqs.get(`${name}@follow.example`)!;
  await hitsOf(app(), parseId(cid), 'open', [seq('opened')]);
  await hitsOf(app(), parseId(cid), 'click', [seq('clicked')]);
  // A machine's open is none.
  await hitsOf(app(), parseId(cid), 'open', [seq('silent')], 'privacy-proxy');
  const copies = {
    not_opened: await call('campaignFollowUp', { cid, to: 'not_opened' }),
    not_clicked: await call('campaignFollowUp', { cid, to: 'not_clicked' }),
    failed: await call('campaignFollowUp', { cid, to: 'failed' }),
  };
  await call('listUnsubscribe', { id: list, email_address: 'left@follow.example' });
  await call('listSubscribe', { id: list, email_address: 'new@follow.example', double_optin: false });
  assert.deepEqual(await audienceOf(copies.not_opened), ['silent']);
  assert.deepEqual(await audienceOf(copies.not_clicked), ['opened', 'silent']);
  assert.deepEqual(await audienceOf(copies.failed), ['552dot.full']);
  const [copy] = await call<{ title: string; delivery_status: string }[]>('campaigns', {
    filters: { campaign_id: copies.not_opened },
  });
  assert.equal(copy!.title, 'News (again, not opened)');
});

test('who reacts between the launch of a follow-up and its own turn is skipped with the reason', async () => {
  const { cid, seqs } = await sent(['reads@turn.example', 'clicks@turn.example', 'silent@turn.example']);
  const seq = (name: string) => seqs.get(`${name}@turn.example`)!;
  for (const [to, expected] of [
    ['not_clicked', { reads: 'accepted', clicks: 'skipped', silent: 'accepted' }],
    ['not_opened', { reads: 'skipped', silent: 'accepted' }],
  ] as const) {
    const copy = await call('campaignFollowUp', { cid, to });
    await holdSending(app(), true);
    await call('campaignSendNow', { cid: copy });
    await launch(app().app, { account: app().account.id, campaign: parseId(copy) });
    if (to === 'not_clicked') await hitsOf(app(), parseId(cid), 'click', [seq('clicks')]);
    else await hitsOf(app(), parseId(cid), 'open', [seq('reads')]);
    await holdSending(app(), false);
    await stage.engine.untilStatus(parseId(copy), 'sent');
    const found = await stage.engine.recipients(parseId(copy));
    assert.deepEqual(Object.fromEntries(found.map(({ email, state }) => [email.split('@')[0], state])), expected);
    await stage.check(parseId(copy));
    const skipped = to === 'not_clicked' ? 'clicks' : 'reads';
    const explained = await call<{ outcome: string; explanation: string }>('campaignExplain', {
      cid: copy,
      email: `${skipped}@turn.example`,
    });
    assert.equal(explained.outcome, 'skipped');
    assert.match(explained.explanation, /no longer matched the segment/);
  }
});

test('an excluded segment is asked again too, and a campaign that was deleted meanwhile keeps no one from getting it', async () => {
  const { cid, list, seqs } = await sent(['opens@excluded.example', 'silent@excluded.example']);
  const segment = await call('listSegmentCreate', {
    list,
    title: 'Opened',
    match: 'all',
    filter: [{ field: 'opened', condition: 'is', value: cid }],
  });
  const sendTo = async (before: () => Promise<unknown>) => {
    const to = await aCampaign(app(), { to: list, exclude_segment_id: [segment] });
    await holdSending(app(), true);
    await call('campaignSendNow', { cid: to });
    await launch(app().app, { account: app().account.id, campaign: parseId(to) });
    await before();
    await holdSending(app(), false);
    await stage.engine.untilStatus(parseId(to), 'sent');
    const found = await stage.engine.recipients(parseId(to));
    return Object.fromEntries(found.map(({ email, state }) => [email.split('@')[0], state]));
  };
  assert.deepEqual(await sendTo(() => hitsOf(app(), parseId(cid), 'open', [seqs.get('opens@excluded.example')!])), {
    opens: 'skipped',
    silent: 'accepted',
  });
  assert.deepEqual(await sendTo(() => call('campaignDelete', { cid })), { silent: 'accepted' });
});

test('a contact whose opens and clicks are not recorded gets no follow-up for what it did not do, and the count says so', async () => {
  const { cid, list } = await sent(['seen@private.example', 'private@private.example']);
  await call('contactTrackingUpdate', { email: 'private@private.example', tracked: false });
  for (const to of ['not_opened', 'not_clicked']) {
    const copy = await call('campaignFollowUp', { cid, to });
    const audience = await call<{ recipients: number; left_out: unknown[] }>('campaignAudience', { cid: copy });
    assert.deepEqual(audience, { ...audience, recipients: 1, left_out: [{ reason: 'untracked', count: 1 }] });
    assert.deepEqual(await audienceOf(copy), ['seen']);
  }
  const preview = (filter: unknown[], match = 'all') =>
    call<{ count: number; untracked: number }>('segmentPreview', { list, match, filter });
  const idle = (field: string, value: string) => ({ field, condition: 'not', value });
  for (const condition of [
    { field: 'not_opened', condition: 'is', value: cid },
    { field: 'not_opened', condition: 'is', value: 'last 1' },
    idle('opened', cid),
    idle('clicked', 'last 2'),
    idle('opened', '30 days'),
    idle('clicked', '30 days'),
    idle('clicked_link', 'https://example.com/'),
  ]) {
    const { count, untracked } = await preview([condition]);
    assert.deepEqual([condition.field, condition.value, count, untracked], [condition.field, condition.value, 1, 1]);
  }
  // Neither is it known to have done none of several things.
  const did = (field: string, value: string) => ({ field, condition: 'is', value });
  for (const conditions of [
    [did('opened', cid)],
    [did('opened', '30 days'), did('clicked', cid)],
    [did('clicked_link', 'https://example.com/')],
  ]) {
    const { count, untracked } = await preview(conditions, 'none');
    assert.deepEqual([count, untracked], [1, 1], JSON.stringify(conditions));
  }
  assert.equal(
    (await preview([{ match: 'none', filter: [{ match: 'none', filter: [did('was_sent', cid)] }] }])).count,
    2,
  );
  const denied = { match: 'none', filter: [{ match: 'none', filter: [did('opened', cid)] }] };
  assert.equal((await preview([denied])).count, 0, 'no one has opened it');
  // It is found by what it got.
  assert.equal((await preview([{ field: 'was_sent', condition: 'is', value: cid }])).count, 2);
});

test('the latest campaigns of a segment are those before the one that is sent to it', async () => {
  const { list } = await sent(['one@latest.example', 'two@latest.example']);
  const segment = await call('listSegmentCreate', {
    list,
    title: 'Not opened',
    match: 'all',
    filter: [{ field: 'not_opened', condition: 'is', value: 'last 1' }],
  });
  const id = await launched(app(), await aCampaign(app(), { to: list, segment_id: [segment] }));
  await stage.engine.untilStatus(id, 'sent');
  assert.equal((await stage.engine.recipients(id)).filter(({ state }) => state === 'accepted').length, 2);
});

test('a second follow-up of the same kind uses the same segment', async () => {
  const { cid, list } = await sent(['one@again.example']);
  const segments = async () => (await call<unknown[]>('listSegments', { id: list })).length;
  await call('campaignFollowUp', { cid, to: 'not_opened' });
  const before = await segments();
  await call('campaignFollowUp', { cid, to: 'not_opened' });
  assert.equal(await segments(), before);
});

test('what is impossible is refused with the reason', async () => {
  const list = await listOf(app(), ['a@refused.example']);
  const draft = await aCampaign(app(), { to: list });
  await assert.rejects(call('campaignFollowUp', { cid: draft, to: 'failed' }), /is a draft; a follow-up/);
  const id = await launched(app(), await aCampaign(app(), { to: list, tracking: { opens: false } }));
  await stage.engine.untilStatus(id, 'sent');
  await assert.rejects(call('campaignFollowUp', { cid: formatId(id), to: 'not_opened' }), /opens were not counted/);
});

test('after an A/B test the copy is what the winner was, without a test', async () => {
  const emails = Array.from({ length: 8 }, (_, n) => `w${n}@winner.example`);
  const id = await launched(app(), await draftWithTest(app(), emails, { share: 100 }));
  await stage.engine.untilStatus(id, 'sent');
  await hitsOf(app(), id, 'click', [5, 6, 7]);
  await testIsDue(app(), id);
  const cid = formatId(id);
  const info = () => call<{ on: boolean; chosen: number }>('campaignTestGet', { cid });
  await until('the winner is known', async () => (await info()).chosen === 1);
  const copy = await call('campaignFollowUp', { cid, to: 'not_clicked' });
  const options = await call<{ subject: string }>('campaignGet', { cid: copy });
  const content = await call<{ html: string }>('campaignContent', { cid: copy });
  assert.equal(options.subject, 'Letter B');
  assert.match(content.html, /Letter B/);
  assert.equal((await call<{ on: boolean }>('campaignTestGet', { cid: copy })).on, false);
});
