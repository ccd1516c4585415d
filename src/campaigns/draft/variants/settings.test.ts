// Setting up an A/B test: what is refused, what a variant takes from its campaign, and preview, check and test emails of each.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { aCampaign, listOf } from '../../../../test/support/builders/campaigns.ts';
import { type TestApp, testApp } from '../../../../test/support/installation/app.ts';
import { Fault } from '../../../base/faults.ts';

let app: TestApp;
let list: string;
before(async () => {
  app = await testApp();
  list = await listOf(app, ['ada@example.com', 'bob@example.com', 'cy@example.com']);
});
after(() => app.close());

const draft = (more: Record<string, unknown> = {}) => aCampaign(app, { to: list, ...more });
const set = (cid: string, variants: unknown, more: Record<string, unknown> = {}) =>
  app.call('campaignTestUpdate', { cid, variants, ...more });
type Info = {
  on: boolean;
  share: number;
  winner: string;
  wait_minutes: number;
  state: string;
  variants: { subject: string; preview_text: string; from_name: string; html: string; differs: string[] }[];
};
const info = (cid: string) => app.call<Info>('campaignTestGet', { cid });
const refused = (of: Promise<unknown>, code: string, text: RegExp) =>
  assert.rejects(of, (error) => error instanceof Fault && error.fault === code && text.test(error.message));

test('a test is set, shown, replaced as a whole and removed', async () => {
  const cid = await draft();
  assert.deepEqual([(await info(cid)).on, (await info(cid)).variants], [false, []]);
  await set(cid, [{ subject: 'Second' }, { from_name: 'Ada', preview_text: 'Read <this>' }], {
    share: 30,
    winner: 'opens',
    wait_minutes: 60,
  });
  const { variants, ...settings } = await info(cid);
  assert.deepEqual(
    [settings.on, settings.share, settings.winner, settings.wait_minutes, settings.state],
    [true, 30, 'opens', 60, 'draft'],
  );
  assert.deepEqual(
    variants.map(({ subject, preview_text, from_name, differs }) => [subject, preview_text, from_name, differs]),
    [
      ['News', '', '', []],
      ['Second', '', '', ['subject']],
      ['News', 'Read <this>', 'Ada', ['preview_text', 'from_name']],
    ],
  );
  await set(cid, [{ subject: 'Only' }]);
  assert.deepEqual(
    (await info(cid)).variants.map(({ subject }) => subject),
    ['News', 'Only'],
  );
  await app.call('campaignTestDelete', { cid });
  assert.equal((await info(cid)).on, false);
});

test('the faults name the member and the reason', async () => {
  const cid = await draft();
  await refused(set(cid, []), 'CAMPAIGN_OPTION_INVALID', /^variants: .*at least one variant/);
  await refused(set(cid, [{ subject: 'B' }, { subject: 'News' }]), 'CAMPAIGN_OPTION_INVALID', /^variants\.1: .*differ/);
  await refused(set(cid, [{ subject: 'B' }, { subject: 'B' }]), 'CAMPAIGN_OPTION_INVALID', /^variants\.1: .*differ/);
  const five = Array.from({ length: 5 }, (_, n) => ({ subject: `${n}` }));
  await assert.rejects(set(cid, five), /4/);
  for (const [member, value] of [
    ['share', 0],
    ['share', 101],
    ['wait_minutes', 4],
    ['winner', 'luck'],
  ])
    await assert.rejects(set(cid, [{ subject: 'B' }], { [String(member)]: value }), new RegExp(String(member)));
  await app.call('campaignUpdate', { cid, name: 'tracking', value: { opens: false } });
  await refused(
    set(cid, [{ subject: 'B' }], { winner: 'opens' }),
    'CAMPAIGN_OPTION_INVALID',
    /^winner: opens are not counted/,
  );
  const plain = await draft({ type: 'plain', content: { plain: 'Hello' }, tracking: { text_clicks: true } });
  await refused(set(plain, [{ html: '<p>x</p>' }]), 'CAMPAIGN_OPTION_INVALID', /^variants\.0\.html: a plain-text/);
  await set(plain, [{ plain: 'Hello again' }]);
});

test('local time and autoresponders exclude a test, in either order', async () => {
  const timed = await draft({ time_match: true });
  await refused(set(timed, [{ subject: 'B' }]), 'CAMPAIGN_OPTION_INVALID', /^cid: time_match/);
  const cid = await draft();
  await set(cid, [{ subject: 'B' }]);
  await refused(
    app.call('campaignUpdate', { cid, name: 'time_match', value: true }),
    'CAMPAIGN_OPTION_INVALID',
    /^time_match: time_match/,
  );
  const auto = await draft({ type: 'auto', type_opts: { 'offset-units': 'day', 'offset-time': 1, event: 'signup' } });
  await refused(set(auto, [{ subject: 'B' }]), 'CAMPAIGN_OPTION_INVALID', /^cid: an autoresponder/);
  await app.call('campaignUpdate', {
    cid,
    name: 'type_opts',
    value: { 'offset-units': 'day', 'offset-time': 1, event: 'signup' },
  });
  await refused(
    app.call('campaignUpdate', { cid, name: 'type', value: 'auto' }),
    'CAMPAIGN_OPTION_INVALID',
    /^type: an autoresponder/,
  );
});

test('only a campaign that has not been sent can get a test, and a copy has the same one', async () => {
  const cid = await draft();
  await set(cid, [{ subject: 'B', html: '<p>Other <a href="*|UNSUB|*">Leave</a></p>' }], { share: 40 });
  const copy = await app.call<string>('campaignReplicate', { cid });
  const copied = await info(copy);
  assert.deepEqual([copied.share, copied.variants[1]!.subject], [40, 'B']);
  assert.match(copied.variants[1]!.html, /Other/);
  await app.call('campaignSendNow', { cid });
  await refused(set(cid, [{ subject: 'C' }]), 'CAMPAIGN_STATE_CONFLICT', /already being sent/);
  await refused(app.call('campaignTestDelete', { cid }), 'CAMPAIGN_STATE_CONFLICT', /already being sent/);
  await refused(app.call('campaignTestChoose', { cid, variant: 0 }), 'CAMPAIGN_STATE_CONFLICT', /has not begun/);
});

test('the preview shows each variant: what is its own, and the campaign for the rest', async () => {
  const cid = await draft({ html: '<p>First <a href="*|UNSUB|*">Leave</a></p>' });
  await set(cid, [
    { subject: 'Dear *|FNAME:friend|*', preview_text: 'Soon & cheap' },
    { from_name: 'Ada', html: '<p>Second <a href="*|UNSUB|*">Leave</a></p>' },
  ]);
  const preview = (variant: number) =>
    app.call<{ subject: string; from_name: string; html: string; plain: string }>('campaignPreview', { cid, variant });
  const [a, b, c] = [await preview(0), await preview(1), await preview(2)];
  assert.deepEqual(
    [a, b, c].map(({ subject, from_name }) => [subject, from_name]),
    [
      ['News', 'The editors'],
      ['Dear friend', 'The editors'],
      ['News', 'Ada'],
    ],
  );
  assert.match(b.html, /^\s*<div style="display:none[^"]*">Soon &amp; cheap<\/div><p>First/);
  assert.match(c.html, /Second/);
  assert.match(c.plain, /Second/, 'its text is made from its HTML');
  await assert.rejects(preview(3), /no variant 3/);
  await assert.rejects(
    app.call('campaignSendTest', { cid, test_emails: ['me@example.com'], variant: 3 }),
    /no variant 3/,
  );
});

test('the check names the variant, and reports once what all have', async () => {
  const cid = await draft({ html: '<p>*|NO_SUCH|* <a href="*|UNSUB|*">Leave</a></p>' });
  await set(cid, [
    { subject: 'B' },
    { html: '<p>*|NO_SUCH|* <a href="">nowhere</a> <a href="*|UNSUB|*">Leave</a></p>', subject: 'C' },
  ]);
  const findings = await app.call<{ code: string; message: string; variant: number }[]>('campaignCheck', { cid });
  const of = (code: string) => findings.filter((finding) => finding.code === code);
  assert.deepEqual(
    of('link_empty').map(({ variant, message }) => [variant, message]),
    [[2, 'Variant C: 1 link has no URL']],
  );
  assert.equal(of('tag_unknown').filter(({ variant }) => variant < 2).length, 1);
});
