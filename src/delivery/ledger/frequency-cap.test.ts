// The frequency limit of an account, with workers and a sink: who is skipped, who goes first, and what does not count.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { aCampaign, listOf } from '../../../test/support/builders/campaigns.ts';
import { holdSending, launched } from '../../../test/support/delivery/ab-test.ts';
import { Stage } from '../../../test/support/delivery/stage.ts';
import { until } from '../../../test/support/run/until.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';

let stage: Stage;
before(async () => {
  stage = await Stage.start({ workers: 2 });
});
after(() => stage.stop());

const app = () => stage.engine.app;
const call = <T = unknown>(method: string, params: Record<string, unknown>) => app().call<T>(method, params);
const limit = (value: string) => call('accountUpdate', { name: 'frequency_cap', value });
const send = async (list: string) => launched(app(), await aCampaign(app(), { to: list }));
const sent = async (list: string) => {
  const id = await send(list);
  await stage.engine.untilStatus(id, 'sent');
  return id;
};

/** The state of each recipient with its reason, by the beginning of the address. */
const outcomes = async (id: number) =>
  Object.fromEntries(
    (await stage.engine.recipients(id)).map(({ email, state, reason }) => [
      email.split('@')[0],
      state === 'skipped' ? `${state}: ${reason}` : state,
    ]),
  );

test('who has got as many as the limit is skipped with the reason, and gets the next one when the days are over', async () => {
  await limit('2:7');
  const list = await listOf(app(), ['ann@cap.example', 'bob@cap.example']);
  for (let i = 0; i < 2; i++) assert.deepEqual(await outcomes(await sent(list)), { ann: 'accepted', bob: 'accepted' });
  await call('listSubscribe', { id: list, email_address: 'new@cap.example', double_optin: false });
  const third = await sent(list);
  assert.deepEqual(await outcomes(third), { ann: 'skipped: capped', bob: 'skipped: capped', new: 'accepted' });
  await stage.check(third);
  const explained = await call<{ outcome: string; explanation: string }>('campaignExplain', {
    cid: formatId(third),
    email: 'ann@cap.example',
  });
  assert.equal(explained.outcome, 'skipped');
  assert.match(explained.explanation, /as many emails of campaigns as the limit/);
  await stage.db.run(sql`update delivery set done_at = done_at - interval '8 days' where email = 'ann@cap.example'`);
  assert.deepEqual(await outcomes(await sent(list)), { ann: 'accepted', bob: 'skipped: capped', new: 'accepted' });
  await limit('');
  assert.equal((await outcomes(await sent(list)))['bob'], 'accepted');
});

test('of campaigns that are sent at the same time the earlier one goes first, and every contact gets exactly one', async () => {
  await limit('1:1');
  const list = await listOf(
    app(),
    Array.from({ length: 60 }, (_, n) => `p${n}@together.example`),
  );
  await holdSending(app(), true);
  const ids = [await send(list), await send(list), await send(list)];
  await holdSending(app(), false);
  for (const id of ids) await stage.engine.untilStatus(id, 'sent');
  const [first, ...others] = await Promise.all(ids.map(outcomes));
  assert.deepEqual([...new Set(Object.values(first!))], ['accepted']);
  for (const other of others) assert.deepEqual([...new Set(Object.values(other))], ['skipped: capped']);
  for (const id of ids) await stage.check(id);
});

test('a recipient that waits for its next attempt counts, and is not skipped because of a later campaign', async () => {
  await limit('1:1');
  const list = await listOf(app(), ['451x1.slow@slow.example']);
  const first = await send(list);
  await stage.engine.until(first, (all) => all.every(({ state }) => state === 'later'));
  const second = await sent(list);
  assert.deepEqual(Object.values(await outcomes(second)), ['skipped: capped']);
  await until('the first is sent', async () => {
    await stage.passTime(first);
    return (await stage.engine.status(first)).status === 'sent';
  });
  assert.deepEqual(Object.values(await outcomes(first)), ['accepted']);
});

test('a campaign that was paused meanwhile finds what others sent', async () => {
  await limit('1:1');
  const list = await listOf(app(), ['one@paused.example']);
  await holdSending(app(), true);
  const first = await send(list);
  await call('campaignPause', { cid: formatId(first) });
  await holdSending(app(), false);
  assert.deepEqual(await outcomes(await sent(list)), { one: 'accepted' });
  await call('campaignResume', { cid: formatId(first) });
  await stage.engine.untilStatus(first, 'sent');
  assert.deepEqual(await outcomes(first), { one: 'skipped: capped' });
});

test('single messages neither count nor are limited', async () => {
  await limit('1:30');
  const message = async () => {
    const { id } = await call<{ id: string }>('messageSend', {
      to: ['free@single.example'],
      subject: 'Receipt',
      html: '<p>Thanks</p>',
    });
    const states = async () =>
      (await call<{ recipients: { state: string }[] }>('messageGet', { id })).recipients.map(({ state }) => state);
    await until('it is sent', async () => (await states()).every((state) => state === 'accepted'));
  };
  await message();
  await message();
  const list = await listOf(app(), ['free@single.example']);
  assert.deepEqual(await outcomes(await sent(list)), { free: 'accepted' });
  await message();
  assert.deepEqual(await outcomes(await sent(list)), { free: 'skipped: capped' });
});

test('the setting takes messages and days, and nothing else', async () => {
  for (const value of ['0:7', '3', '3:0', '3:91', 'x:7', '1000:7', '-1:7', '3:7:1'])
    await assert.rejects(limit(value), /3:7/, value);
  for (const value of ['1:1', '999:90', '']) assert.equal(await limit(value), true);
});
