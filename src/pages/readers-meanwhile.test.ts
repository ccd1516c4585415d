// What readers choose on the preference page while something is being sent: what comes due in a pause, and a campaign that is in
// progress when a person leaves everything.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launchedTo, listOf, untilSent } from '../../test/support/builders/campaigns.ts';
import { type SendingApp, sendingApp } from '../../test/support/installation/sending-app.ts';
import { until } from '../../test/support/run/until.ts';
import { runAutomations } from '../automations/run/engine.ts';
import { sql } from '../db/connect.ts';
import { formatId, parseId } from '../db/ids.ts';
import { states } from '../db/states.ts';
import { launch } from '../delivery/launch/launch.ts';
import { addressToken } from '../tracking/address-token.ts';
import { tokensOf } from '../tracking/token-secret.ts';

let t: SendingApp;
let base: string;
before(async () => {
  t = await sendingApp({ relay: '&connections=1' });
  base = await t.listen();
});
after(() => t.close());

const pageOf = async (list: string, email: string) => {
  const { id } = await t.call<{ id: string }>('listMemberInfo', { id: list, email_address: email });
  const ids = { account: t.account.id, campaign: 0, seq: 0, contact: parseId(id)!, lists: [parseId(list)!] };
  return `${base}/p/${tokensOf(t.app).tokens(ids).profile}`;
};
const post = (url: string, given: Record<string, string>) =>
  fetch(url, { method: 'POST', body: new URLSearchParams(given) });
const sentTo = (email: string) =>
  t.sink.log
    .filter(({ event, to }) => event === 'accepted' && to === email)
    .map(({ raw }) => /^Subject: (.*)\r$/m.exec(raw!)![1]);
const skippedOf = (campaign: number) =>
  t.app.db.rows<{ email: string; reason: string }>(sql`
    select email, reason from delivery where campaign_id = ${campaign} and state = ${states.skipped}`);

test('in a pause the emails of automations are skipped and counted, their steps continue, and single messages arrive', async () => {
  const list = await listOf(t, []);
  const email = 'pia@reader.example';
  const mail = (subject: string) => t.call<string>('automationEmailCreate', { list, subject, text: 'Hello *|UNSUB|*' });
  const [first, second] = [await mail('First'), await mail('Second')];
  const id = await t.call<string>('automationCreate', { title: 'Welcome', list });
  await t.call('automationUpdate', {
    id,
    trigger: { type: 'subscribed' },
    steps: [
      { key: 'first', type: 'send', campaign: first },
      { key: 'wait', type: 'wait', amount: 8, unit: 'days' },
      { key: 'second', type: 'send', campaign: second },
    ],
  });
  await t.call('automationStart', { id });
  for (const cid of [first, second]) await launch(t.app, { account: t.account.id, campaign: parseId(cid)! });
  await t.call('listSubscribe', { id: list, email_address: email, double_optin: false });
  await post(await pageOf(list, email), { form: 'preferences', [`list.other`]: 'on', PAUSE: '1' });
  while ((await runAutomations(t.app)) > 0);
  await until('the first email is skipped', async () => (await skippedOf(parseId(first)!)).length === 1);
  assert.equal((await skippedOf(parseId(first)!))[0]!.reason, 'paused');
  await t.call('messageSend', {
    from_email: t.account.email,
    to: [email],
    subject: 'Receipt',
    plain: 'Paid',
  });
  await t.allSent();
  assert.deepEqual(sentTo(email), ['Receipt']);

  // The wait ends after the pause.
  await t.call('contactResume', { email });
  while ((await runAutomations(t.app, new Date(Date.now() + 9 * 86_400_000))) > 0);
  await until('the second email arrives', () => sentTo(email).includes('Second'));
  const runs = await t.call<{ outcome: string }[]>('automationExplain', { id, email_address: email });
  assert.equal(runs[0]!.outcome, 'completed');
});

test('a recipient who leaves everything while a campaign is in progress gets no more of it, and is counted', async () => {
  const email = '451x1rcpt.cat@reader.example';
  const list = await listOf(t, ['ann@reader.example', email]);
  const url = await pageOf(list, email);
  const campaign = await launchedTo(t, list);
  await until('one is deferred', async () => {
    const row = await t.app.db.row<{ state: number }>(sql`
      select state from delivery where campaign_id = ${campaign} and email = ${email}`);
    return row!.state === states.later;
  });
  await post(url, { form: 'leave-everything' });
  await t.app.db.run(sql`update chunk set due_at = now() where state = 'waiting'`);
  await untilSent(t, campaign);
  assert.deepEqual(await skippedOf(campaign), [{ email, reason: 'unsubscribed' }]);
  assert.deepEqual([sentTo('ann@reader.example').length, sentTo(email).length], [1, 0]);
});

test('a recipient who moves to another address while a campaign is in progress is skipped and counted, and gets the next one there', async () => {
  const email = '451x1rcpt.dan@reader.example';
  const list = await listOf(t, [email]);
  const url = await pageOf(list, email);
  const campaign = await launchedTo(t, list);
  await until('it is deferred', async () => {
    const row = await t.app.db.row<{ state: number }>(sql`select state from delivery where campaign_id = ${campaign}`);
    return row!.state === states.later;
  });
  const to = 'dan@elsewhere.example';
  await post(url, { form: 'address', address: to });
  const { id } = await t.call<{ id: string }>('listMemberInfo', { id: list, email_address: email });
  const token = addressToken(t.app, { account: t.account.id, contact: parseId(id)!, email: to });
  assert.equal((await post(`${base}/address/${token}`, {})).status, 200);
  await t.app.db.run(sql`update chunk set due_at = now() where state = 'waiting'`);
  await untilSent(t, campaign);
  assert.deepEqual(await skippedOf(campaign), [{ email, reason: 'address_changed' }]);
  const { explanation } = await t.call<{ explanation: string }>('campaignExplain', {
    cid: formatId(campaign),
    email: to,
  });
  assert.match(explanation, /had changed its address/);
  await untilSent(t, await launchedTo(t, list));
  assert.equal(sentTo(to).length, 1);
});
