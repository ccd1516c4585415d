// A/B tests from the launch to the winner, with a worker, a sink that keeps every message, and the pages. Who got what is read
// from the messages.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  draftWithTest,
  hitsOf,
  holdSending,
  launched,
  lettersOf,
  testIsDue,
} from '../../../test/support/delivery/ab-test.ts';
import { countBy, people } from '../../../test/support/delivery/engine.ts';
import { Stage } from '../../../test/support/delivery/stage.ts';
import { until } from '../../../test/support/run/until.ts';
import { rangeOf, testSizeOf, variantName, variantOf } from '../../campaigns/model/division.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { tokensOf } from '../../tracking/token-secret.ts';
import { launch } from '../launch/launch.ts';
import { decideDue } from './decide.ts';

let stage: Stage;
let base: string;
before(async () => {
  stage = await Stage.start({ sink: { raw: true } });
  base = await stage.engine.app.listen();
});
after(() => stage.stop());

const app = () => stage.engine.app;
const call = <T = Info>(method: string, params: Record<string, unknown>) => app().call<T>(method, params);
type Sums = { recipients: number; sent: number; opens: number; clicks: number; unsubscribes: number };
type Info = {
  state: string;
  chosen: number;
  decided_by: string;
  due_time: string;
  test_recipients: number;
  variants: (Sums & { variant: number; subject: string })[];
  rest: Sums;
  significant: boolean;
  confidence: number;
  summary: string;
};
const info = (id: number) => call('campaignTestGet', { cid: formatId(id) });
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);

const seqOf = async (id: number) =>
  new Map(
    (
      await stage.db.rows<{ seq: number; email: string }>(
        sql`select seq, email from delivery where campaign_id = ${id}`,
      )
    ).map(({ seq, email }) => [email, seq]),
  );

/** The test group has been sent to. */
const untilWaiting = (id: number) => until('the test group is sent to', async () => (await info(id)).due_time !== '');

/** Each recipient got exactly the variant that the function says; nothing came twice. */
async function assertLetters(id: number, recipients: number, variants: number, share: number, chosen: number) {
  const entries = stage.sink.accepted().filter(({ messageId }) => messageId?.startsWith(`<${id.toString(36)}.`));
  assert.equal(entries.length, recipients);
  const letters = lettersOf(entries);
  const division = { variants, testSize: testSizeOf(recipients, share, variants) };
  for (const [email, seq] of await seqOf(id))
    assert.equal(letters.get(email), variantName(variantOf(seq, division, chosen)!), `${email}, number ${seq}`);
}

test('the test group gets its variants, the others wait, and then get the one that people clicked more', async () => {
  const id = await launched(
    app(),
    await draftWithTest(app(), people(200, 'good.example', 'one'), { variants: 3, share: 50 }),
  );
  await untilWaiting(id);
  const division = { variants: 3, testSize: 100 };
  const progress = await call<Record<string, unknown>>('campaignProgress', { cid: formatId(id) });
  assert.deepEqual(
    [
      progress['accepted'],
      progress['queued'],
      progress['waits_for'],
      progress['delivery_status'],
      progress['finish_at'],
    ],
    [100, 100, 'test', 'sending', ''],
  );
  const [held] = [...(await seqOf(id))].find(([, seq]) => seq > 100)!;
  const explained = await call<{ explanation: string }>('campaignExplain', { cid: formatId(id), email: held });
  assert.match(explained.explanation, /waiting for the result of the A\/B test, which ends at/);

  // Machines click every link of variant A; people more in C than in B.
  await hitsOf(app(), id, 'click', numbers(...rangeOf(0, division)), 'scanner');
  await hitsOf(app(), id, 'click', numbers(...rangeOf(1, division)).slice(0, 6));
  await hitsOf(app(), id, 'click', numbers(...rangeOf(2, division)).slice(0, 20));
  const before = await info(id);
  assert.deepEqual([before.state, before.chosen, before.test_recipients], ['waiting', -1, 100]);
  assert.deepEqual(
    before.variants.map(({ recipients, sent, opens, clicks }) => [recipients, sent, opens, clicks]),
    [
      [33, 33, 0, 0],
      [33, 33, 6, 6],
      [34, 34, 20, 20],
    ],
  );
  assert.match(before.summary, /^Variant C is better with 99(\.\d)? % confidence\.$/);
  assert.equal(await decideDue(stage.db), 0, 'not before its time');
  await testIsDue(app(), id);
  await stage.engine.untilStatus(id, 'sent');
  await assertLetters(id, 200, 3, 50, 2);
  const end = await info(id);
  assert.deepEqual([end.state, end.chosen, end.decided_by], ['decided', 2, 'clicks']);
  assert.equal(
    end.variants.reduce((sum, { recipients }) => sum + recipients, end.rest.recipients),
    200,
  );
  assert.deepEqual([end.rest.recipients, end.rest.sent], [100, 100]);
  await stage.check(id);

  // A link that all variants have counts once, with the clicks of all.
  const links = await call<{ url: string; clicks: number }[]>('campaignClickStats', { cid: formatId(id) });
  assert.deepEqual(
    links.map(({ url, clicks }) => [new URL(url).pathname, clicks]),
    [
      ['/all', 26],
      ['/A', 0],
      ['/B', 0],
      ['/C', 0],
    ],
  );
});

test('two processes and a person who end a test at once: it ends once, with one event and one chunk for each recipient', async () => {
  const { account } = app();
  await stage.db.run(sql`
    insert into webhook (account_id, title, url, events)
    values (${account.id}, 'Ends', 'https://example.com/', '{campaign.winner_chosen}')`);
  const id = await launched(app(), await draftWithTest(app(), people(60, 'good.example', 'race')));
  await untilWaiting(id);
  await testIsDue(app(), id);
  const ends = await Promise.allSettled([
    decideDue(stage.db),
    decideDue(stage.db),
    call('campaignTestChoose', { cid: formatId(id), variant: 1 }),
  ]);
  const refused = ends.filter((end) => end.status === 'rejected');
  for (const { reason } of refused) assert.match(String(reason), /has ended/);
  await stage.engine.untilStatus(id, 'sent');
  const { chosen, decided_by } = await info(id);
  assert.ok(
    (chosen === 0 && decided_by === 'clicks') || (chosen === 1 && decided_by === 'person'),
    `${chosen} by ${decided_by}`,
  );
  await assertLetters(id, 60, 2, 20, chosen);
  const events = await stage.db.rows<{ data: unknown }>(sql`
    with taken as (delete from webhook_event returning payload) select payload as data from taken`);
  assert.equal(events.length, 1);
  const cut = await stage.db.rows<{ n: number }>(sql`
    select count(*)::int as n from chunk, generate_series(from_seq, to_seq) as seq
    where campaign_id = ${id} and kind = 'first' group by seq having count(*) <> 1`);
  assert.deepEqual(cut, []);
  await stage.db.run(sql`delete from webhook`);
});

test('the page of a recipient shows its own variant, the public archive the winner', async () => {
  const id = await launched(app(), await draftWithTest(app(), people(40, 'good.example', 'page'), { share: 50 }));
  await untilWaiting(id);
  const view = async (seq: number) => {
    const [row] = await stage.db.rows<{ contact: number; list: number }>(
      sql`select contact_id as contact, list_id as list from delivery where campaign_id = ${id} and seq = ${seq}`,
    );
    const ids = { account: app().account.id, campaign: id, seq, contact: row!.contact, lists: [row!.list] };
    const page = await (await fetch(`${base}/v/${tokensOf(app().app).tokens(ids).view}`)).text();
    return /Letter ([A-E])/.exec(page)?.[1];
  };
  const archive = async () => {
    const row = await stage.db.row<{ webId: number; key: string }>(
      sql`select web_id as "webId", archive_key as key from campaign where id = ${id}`,
    );
    const campaigns = await call<{ id: string; archive_url: string }[]>('campaigns', { limit: 100 });
    assert.ok(row);
    const page = await (await fetch(campaigns.find((campaign) => campaign.id === formatId(id))!.archive_url)).text();
    return /Letter ([A-E])/.exec(page)?.[1];
  };
  assert.deepEqual([await view(1), await view(10), await view(11), await view(20)], ['A', 'A', 'B', 'B']);
  assert.equal(await archive(), 'A');
  await call('campaignTestChoose', { cid: formatId(id), variant: 1 });
  assert.deepEqual([await view(1), await view(21), await view(40)], ['A', 'B', 'B']);
  assert.equal(await archive(), 'B');
  await stage.engine.untilStatus(id, 'sent');
  await assertLetters(id, 40, 2, 50, 1);
});

test('machines alone do not decide, nor make a difference: variant A wins without a click', async () => {
  const id = await launched(app(), await draftWithTest(app(), people(60, 'good.example', 'bots'), { share: 50 }));
  await untilWaiting(id);
  await hitsOf(app(), id, 'click', numbers(16, 30), 'scanner');
  await hitsOf(app(), id, 'open', numbers(16, 30), 'privacy-proxy');
  assert.equal((await info(id)).summary, 'No one has opened or clicked yet.');
  await testIsDue(app(), id);
  await stage.engine.untilStatus(id, 'sent');
  assert.deepEqual((await info(id)).chosen, 0);
  await assertLetters(id, 60, 2, 50, 0);
});

test('opens decide where they are asked for, and a small difference is called chance', async () => {
  const cid = await draftWithTest(app(), people(60, 'good.example', 'opens'), { share: 50, winner: 'opens' });
  const id = await launched(app(), cid);
  await untilWaiting(id);
  await hitsOf(app(), id, 'click', [1]);
  await hitsOf(app(), id, 'open', [16, 17]);
  assert.equal((await info(id)).summary, 'Variant B is ahead, but the difference may be chance.');
  await testIsDue(app(), id);
  await stage.engine.untilStatus(id, 'sent');
  assert.deepEqual([(await info(id)).chosen, (await info(id)).decided_by], [1, 'opens']);
});

test('while it waits it is paused, resumed and stopped like any campaign, and a paused one is not decided', async () => {
  const id = await launched(app(), await draftWithTest(app(), people(50, 'good.example', 'pause')));
  await untilWaiting(id);
  const cid = formatId(id);
  await call('campaignPause', { cid });
  await testIsDue(app(), id);
  assert.equal(await decideDue(stage.db), 0);
  assert.equal((await info(id)).state, 'waiting');
  await call('campaignResume', { cid });
  await stage.engine.untilStatus(id, 'sent');
  await assertLetters(id, 50, 2, 20, 0);

  const stopped = await launched(app(), await draftWithTest(app(), people(50, 'good.example', 'stop')));
  await untilWaiting(stopped);
  await call('campaignPause', { cid: formatId(stopped) });
  assert.equal(await call('campaignStop', { cid: formatId(stopped) }), 40);
  await testIsDue(app(), stopped);
  await until('the public page has a winner', async () => (await info(stopped)).state === 'decided');
  const all = await stage.engine.recipients(stopped);
  assert.deepEqual(
    countBy(all, ({ state }) => state),
    { accepted: 10, skipped: 40 },
  );
  assert.equal(
    await stage.db.row(sql`select from chunk where campaign_id = ${stopped} and state <> 'done' limit 1`),
    undefined,
  );
});

test('by hand: nothing ends until a person chooses, also before the test group is sent to and while paused; then only once', async () => {
  const cid = await draftWithTest(app(), people(50, 'good.example', 'hand'), { winner: 'manual', variants: 3 });
  await assert.rejects(call('campaignTestChoose', { cid, variant: 1 }), /has not begun/);
  const id = await launched(app(), cid);
  await stage.engine.until(id, (all) => all.filter(({ state }) => state === 'accepted').length === 10);
  await until('it waits for a person', async () => (await info(id)).state === 'waiting');
  assert.equal(await decideDue(stage.db), 0);
  assert.equal((await info(id)).due_time, '');
  await assert.rejects(call('campaignTestChoose', { cid, variant: 3 }), /no variant 3/);
  await call('campaignPause', { cid });
  await call('campaignTestChoose', { cid, variant: 2 });
  await assert.rejects(call('campaignTestChoose', { cid, variant: 1 }), /has ended/);
  assert.equal((await stage.engine.recipients(id)).filter(({ state }) => state === 'queued').length, 40);
  await call('campaignResume', { cid });
  await stage.engine.untilStatus(id, 'sent');
  await assertLetters(id, 50, 3, 20, 2);
  assert.equal((await info(id)).decided_by, 'person');
});

test('a recipient that is tried again gets its own variant', async () => {
  // A domain each: one that defers its messages is slowed down.
  const names = Array.from({ length: 30 }, (_, n) => `451x1.${n}@later${n}.example`);
  const id = await launched(app(), await draftWithTest(app(), names, { share: 100, variants: 3 }));
  await stage.engine.until(id, (all) => all.every(({ state }) => state === 'later' || state === 'accepted'));
  const hurried = async () => {
    await stage.passTime(id);
    return (await stage.engine.status(id)).status === 'sent';
  };
  await until('all are sent to', hurried);
  await assertLetters(id, 30, 3, 100, 0);
});

test('with a share of 100 no one waits, and the winner is that of the report', async () => {
  const id = await launched(app(), await draftWithTest(app(), people(40, 'good.example', 'whole'), { share: 100 }));
  await stage.engine.untilStatus(id, 'sent');
  await untilWaiting(id);
  await hitsOf(app(), id, 'click', numbers(21, 35));
  await testIsDue(app(), id);
  await until('the winner is known', async () => (await info(id)).chosen === 1);
  await assertLetters(id, 40, 2, 100, 0);
});

test('with two recipients each variant has one; with fewer recipients than variants the campaign is paused with the reason', async () => {
  const two = await launched(app(), await draftWithTest(app(), people(2, 'good.example', 'two'), { share: 1 }));
  await stage.engine.untilStatus(two, 'sent');
  await assertLetters(two, 2, 2, 1, 0);

  const cid = await draftWithTest(app(), people(2, 'good.example', 'few'), { variants: 3 });
  const findings = await call<{ code: string; message: string }[]>('campaignCheck', { cid });
  assert.match(
    findings.find(({ code }) => code === 'test_too_small')!.message,
    /has 3 variants, and the campaign 2 recipients/,
  );
  const few = await launched(app(), cid);
  const { status, reason } = await stage.engine.status(few);
  assert.equal(status, 'paused');
  assert.match(reason, /3 variants, but there are only 2 recipients/);
  assert.deepEqual(await stage.engine.recipients(few), []);
  await call('campaignTestDelete', { cid });
  await call('campaignResume', { cid });
  await launch(app().app, { account: app().account.id, campaign: few });
  await stage.engine.untilStatus(few, 'sent');
  await assertLetters(few, 2, 1, 100, 0);
});

test('a campaign that is changed while paused, before anyone got it, starts its test again', async () => {
  const cid = await draftWithTest(app(), people(20, 'good.example', 'again'), { share: 50 });
  await stage.db.run(sql`update campaign set status = 'launching', send_at = now() where id = ${parseId(cid)}`);
  await holdSending(app(), true);
  await launch(app().app, { account: app().account.id, campaign: parseId(cid) });
  await call('campaignPause', { cid });
  await call('campaignUpdate', { cid, name: 'title', value: 'Another title' });
  await holdSending(app(), false);
  assert.equal((await info(parseId(cid))).state, 'draft');
  await call('campaignResume', { cid });
  await launch(app().app, { account: app().account.id, campaign: parseId(cid) });
  await untilWaiting(parseId(cid));
  await call('campaignTestChoose', { cid, variant: 1 });
  await stage.engine.untilStatus(parseId(cid), 'sent');
  await assertLetters(parseId(cid), 20, 2, 50, 1);
});

test('the same contacts are not the test group of every campaign, and variants do not depend on the order of sign-up', async () => {
  const of = async (campaign: number) =>
    (
      await stage.db.rows<{ n: number }>(sql`
        select n from generate_series(1, 100000) as n order by hashint8extended(n, ${campaign}), n`)
    ).map(({ n }) => n);
  const [first, second] = [await of(600_000_001), await of(600_000_002)];
  const group = new Set(first.slice(0, 20_000));
  const both = second.slice(0, 20_000).filter((n) => group.has(n)).length;
  assert.ok(Math.abs(both - 4_000) < 300, `${both} of 20000 are in both test groups`);
  // Ten blocks of contacts by age against four variants: 27 degrees of freedom, p = 0.001 at 55.5.
  const counts = Array.from({ length: 10 }, () => [0, 0, 0, 0]);
  const division = { variants: 4, testSize: 100_000 };
  for (const [at, n] of first.entries())
    counts[Math.floor((n - 1) / 10_000)]![variantOf(at + 1, division, null)!]! += 1;
  const chiSquare = counts.flat().reduce((sum, count) => sum + (count - 2_500) ** 2 / 2_500, 0);
  assert.ok(chiSquare < 55.5, `chi-square ${chiSquare}`);
});
