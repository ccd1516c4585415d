// Conversions: which email an event with a value counts for, once, and what stays of it. The table is in docs/flows.md.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { runAutomations } from '../automations/run/engine.ts';
import { sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import { purgeCampaign } from '../delivery/control/purge.ts';
import { launch } from '../delivery/launch/launch.ts';
import { writeHits } from './ingest.ts';

let app: TestApp;
let list: string;

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);

before(async () => {
  app = await testApp();
  list = await app.call<string>('listCreate', { title: 'Shop' });
  for (const name of ['ann', 'ben', 'cem'])
    await app.call('listSubscribe', { id: list, email_address: `${name}@a.example`, double_optin: false });
});
after(() => app.close());

/** A campaign that all got. */
async function sent(): Promise<string> {
  const cid = await app.call<string>('campaignCreate', {
    type: 'HTML',
    options: { list_id: list, subject: 's', from_email: 'us@example.com', from_name: 'Us', generate_text: true },
    content: { html: '<a href="https://example.com/one">one</a> <a href="*|UNSUB|*">leave</a>' },
  });
  await app.call('campaignSendNow', { cid });
  await launch(app.app, { account: app.account.id, campaign: parseId(cid) });
  await app.app.db.run(sql`update delivery set state = 2, done_at = now() where campaign_id = ${parseId(cid)}`);
  return cid;
}

async function click(cid: string, name: string, at: Date, machine: string | null = null): Promise<void> {
  const row = await app.app.db.row<{ seq: number }>(sql`
    select seq from delivery where campaign_id = ${parseId(cid)} and email = ${`${name}@a.example`}`);
  const hit = {
    account: app.account.id,
    campaign: parseId(cid),
    seq: row!.seq,
    kind: 'click' as const,
    link: 0,
    url: '',
    at,
    ip: '127.0.0.1',
    userAgent: 'x',
    machine,
  };
  await app.app.db.transaction((tx) => writeHits(tx, [hit]));
}

const order = (name: string, value: number, at: Date, id?: string) =>
  app.call('eventSend', { name: 'order', email_address: `${name}@a.example`, value, time: at.toISOString(), id });
type Figures = { people: number; values: { currency: string; value: string }[] };
/** Such as "2 5 EUR+70": two people, 5 euros, and 70 of no currency. */
const asText = ({ people, values }: Figures) =>
  `${people} ${values.map(({ currency, value }) => `${value} ${currency}`.trim()).join('+') || 0}`;
const conversions = async (...cids: string[]) =>
  (await app.call<Figures[]>('campaignConversions', { cids })).map(asText);

test('an event counts for the last click within the days before it, once, and no other', async () => {
  const [one, two] = [await sent(), await sent()];
  assert.deepEqual(await conversions(one, two), ['0 0', '0 0']);
  await click(one, 'ann', daysAgo(4));
  await click(two, 'ann', daysAgo(2));
  await click(one, 'ben', daysAgo(7));
  await click(one, 'cem', daysAgo(1), 'scanner');
  await order('ann', 20, daysAgo(3), 'A-1');
  assert.deepEqual(await conversions(one, two), ['1 20', '0 0'], 'the second click came later');
  await order('ann', 30.5, daysAgo(1), 'A-2');
  await order('ann', 30.5, daysAgo(1), 'A-2');
  await order('ann', 10, daysAgo(1), 'A-3');
  assert.deepEqual(await conversions(one, two), ['1 20', '1 40.5']);
  await order('ben', 5, daysAgo(1));
  await order('cem', 5, daysAgo(0));
  await order('ann', -10, daysAgo(1));
  await order('ann', 0, daysAgo(1));
  assert.deepEqual(await conversions(one, two), ['1 20', '1 40.5'], 'too long ago, a machine, nothing to sum up');
  await app.call('accountUpdate', { name: 'conversion_days', value: '10' });
  await order('ben', 5, daysAgo(1));
  assert.deepEqual(await conversions(one, two), ['2 25', '1 40.5']);
  await app.call('accountUpdate', { name: 'conversion_days', value: '0' });
  await order('ann', 5, daysAgo(1));
  assert.deepEqual(await conversions(one, two), ['2 25', '1 40.5']);
  const home = await app.call<{ conversions: Figures }>('homeSummary');
  assert.equal(asText(home.conversions), '2 65.5', 'one of the two bought after two emails');

  await app.call('contactErase', { email: 'ann@a.example' });
  assert.deepEqual(await conversions(one, two), ['2 25', '1 40.5'], 'the figures stay');
  await app.call('campaignDelete', { cid: two });
  const { log } = app.app;
  await purgeCampaign({ app: app.app, signal: new AbortController().signal, log } as never, {
    account_id: app.account.id,
    campaign_id: parseId(two),
  });
  assert.deepEqual(await conversions(one), ['2 25']);
  assert.equal((await app.app.db.rows(sql`select from conversion where campaign_id = ${parseId(two)}`)).length, 0);
  await assert.rejects(conversions(two), { fault: 'CAMPAIGN_UNKNOWN' });
  const other = await app.anotherAccount();
  await assert.rejects(other.call('campaignConversions', { cids: [one] }), { fault: 'CAMPAIGN_UNKNOWN' });
});

test('an automation counts a person once, whatever its emails were, and each currency on its own', async () => {
  const email = async (subject: string) =>
    app.call<string>('automationEmailCreate', { list, subject, text: 'https://example.com/one' });
  const [first, second, unused] = [await email('One'), await email('Two'), await email('Three')];
  const send = (key: string, campaign: string) => ({ key, type: 'send', campaign });
  const id = await app.call<string>('automationCreate', { title: 'Welcome', list });
  const figures = async () => asText((await app.call<{ conversions: Figures }>('automationGet', { id })).conversions);
  const steps = [send('a', first), send('b', second)];
  await app.call('automationUpdate', { id, trigger: { type: 'event', name: 'hello' }, steps });
  assert.equal(await figures(), '0 0', 'a draft');
  await app.call('automationStart', { id });
  for (const cid of [first, second]) await launch(app.app, { account: app.account.id, campaign: parseId(cid) });
  const names = ['dan', 'eve'];
  for (const name of names)
    await app.call('listSubscribe', { id: list, email_address: `${name}@a.example`, double_optin: false });
  await app.call('accountUpdate', { name: 'conversion_days', value: '5' });
  for (const name of names) await app.call('eventSend', { name: 'hello', email_address: `${name}@a.example` });
  while ((await runAutomations(app.app)) > 0);
  const buy = (name: string, value: number, at: Date, currency: unknown) =>
    app.call('eventSend', {
      name: 'order',
      email_address: `${name}@a.example`,
      value,
      time: at.toISOString(),
      data: { currency },
    });
  await click(first, 'dan', daysAgo(4));
  await buy('dan', 20, daysAgo(3), 'EUR');
  await click(second, 'dan', daysAgo(2));
  await buy('dan', 30.5, daysAgo(1), 'eur');
  await buy('dan', 7, daysAgo(1), 'usd');
  await click(second, 'eve', daysAgo(1));
  assert.deepEqual(await conversions(first, second), ['1 20 EUR', '1 30.5 EUR+7 USD']);
  assert.equal(await figures(), '1 50.5 EUR+7 USD', 'one person, although after two emails');
  for (const [value, currency] of [
    [1, 'EURO'],
    [2, null],
    [3, { code: 'EUR' }],
    [4, ' chf '],
  ] as const)
    await buy('eve', value, daysAgo(0), currency);
  assert.equal(await figures(), '2 6+50.5 EUR+4 CHF+7 USD', 'what names no currency has a sum of its own');

  // What is edited does not change what was counted; neither do contacts that go.
  await app.call('automationUpdate', { id, steps: [send('a', first), send('c', unused)] });
  await app.call('automationStart', { id });
  assert.equal(await figures(), '2 6+50.5 EUR+4 CHF+7 USD', 'an email of an earlier version');
  await app.call('contactErase', { email: 'dan@a.example' });
  await app.call('listUnsubscribe', {
    id: list,
    email_address: 'eve@a.example',
    delete_member: true,
    send_goodbye: false,
  });
  assert.equal(await figures(), '2 6+50.5 EUR+4 CHF+7 USD');
  await app.call('campaignDelete', { cid: first });
  await purgeCampaign({ app: app.app, signal: new AbortController().signal, log: app.app.log } as never, {
    account_id: app.account.id,
    campaign_id: parseId(first),
  });
  assert.equal(await figures(), '2 6+4 CHF+30.5 EUR+7 USD', 'an email that was deleted with its report');
});

test('a click counts as earlier when the time of the event is no more exact than that', async () => {
  await app.call('accountUpdate', { name: 'conversion_days', value: '5' });
  const day = daysAgo(1).toISOString().slice(0, 10);
  const second = Date.parse(`${day}T11:22:33Z`) / 1_000;
  const cid = await sent();
  await click(cid, 'ben', new Date(`${day}T11:22:33.456Z`));
  const cases: [time: string, counts: boolean][] = [
    [`${day} 11:22:33`, true],
    [`${day} 11:22:32`, false],
    [`${day}T12:22:33+01:00`, true],
    [`${day}T11:22:33.4Z`, true],
    [`${day}T11:22:33.3Z`, false],
    [`${day}T11:22:33,456Z`, true],
    [`${day}T11:22:33.455999Z`, false],
    [`${day}T11:22:33.457Z`, true],
    [`${day}T11:22`, true],
    [`${day}T11:21`, false],
    [day, true],
    [String(second), true],
    [String(second - 1), false],
    [`${second}.45`, true],
    [`${second}.44`, false],
    [`${second}456`, true],
    [`${second}455`, false],
  ];
  // Each has a value of its own, so that the sum says which of them count.
  await app.call('eventSendBatch', {
    events: cases.map(([time], i) => ({ name: 'order', email_address: 'ben@a.example', value: 2 ** i, time })),
  });
  const [result] = await conversions(cid);
  const sum = Number(result!.split(' ')[1]);
  assert.deepEqual(
    cases.map(([time], i) => [time, Math.floor(sum / 2 ** i) % 2 === 1]),
    cases,
  );
});

test('the days of conversions are 0 to 99', async () => {
  for (const value of ['100', '-1', 'x', '1.5'])
    await assert.rejects(app.call('accountUpdate', { name: 'conversion_days', value }), {
      fault: 'ACCOUNT_OPTION_INVALID',
      message: /^conversion_days must be 0 to 99 days/,
    });
});
