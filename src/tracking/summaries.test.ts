// Summaries of who got, opened and clicked: whatever happens to a campaign after its end, a segment that reads them has the
// members that it has without them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { launchedTo, listOf } from '../../test/support/builders/campaigns.ts';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { runs } from '../../test/support/run/runs.ts';
import { segmentCondition } from '../audience/segments/condition-sql.ts';
import { withJoins } from '../audience/segments/joins.ts';
import { joinsOf, type SegmentScope, wholeList } from '../audience/segments/scope.ts';
import { type Queries, raw, sql } from '../db/connect.ts';
import { formatId, parseId } from '../db/ids.ts';
import { purgeCampaign } from '../delivery/control/purge.ts';
import { finishIfDone } from '../delivery/outcomes/finish.ts';
import { type Hit, writeHits } from './ingest.ts';
import { foldReactions, summariseRecipients, summaryTables } from './summaries.ts';

const people = 6;
const fields = ['opened', 'clicked', 'not_opened', 'was_sent'] as const;

let t: TestApp;
let list: string;
before(async () => {
  t = await testApp();
  list = await listOf(
    t,
    Array.from({ length: people }, (_, i) => `reader${i}@example.com`),
  );
});
after(() => t.close());

/** A campaign that all but the last recipient have accepted. */
async function ended(): Promise<number> {
  const id = await launchedTo(t, list, '<p><a href="https://example.com/">One</a> <a href="*|UNSUB|*">Leave</a></p>');
  await t.app.db.run(sql`delete from chunk where campaign_id = ${id}`);
  await t.app.db.run(sql`
    update delivery set state = case when seq < ${people} then 2 else 4 end, done_at = now() where campaign_id = ${id}`);
  await t.app.db.run(sql`
    update tally set queued = 0, accepted = recipients - 1, failed = 1 where campaign_id = ${id}`);
  assert.ok(await t.app.db.transaction((tx) => finishIfDone(tx, { account: t.account.id, campaign: id })));
  return id;
}

const summarise = (id: number) => summariseRecipients({ app: t.app }, { account_id: t.account.id, campaign_id: id }, 1);
const fold = () => foldReactions({ app: t.app, signal: new AbortController().signal });

/** The members of segments about a campaign: by its summary, if that is complete, and without. */
async function members(campaign: number, value = formatId(campaign)): Promise<{ read: boolean }> {
  const place = { accountId: t.account.id, zone: t.account.timeZone, listId: parseId(list) };
  await sameNumbers(campaign);
  return t.app.db.transaction(async (tx) => {
    let read = false;
    for (const field of fields)
      for (const condition of ['is', 'not'] as const) {
        const filter = [{ field, condition, value }];
        const whole = await wholeList(tx, place, filter);
        const joined = await withJoins(tx, whole, filter);
        read = joined.whole!.joins!.summarised.includes(campaign);
        for (const match of ['all', 'any'] as const) {
          const one = (scope: SegmentScope) => contacts(tx, segmentCondition(match, filter, scope), scope);
          assert.deepEqual(await one(joined), await one(place), `${condition} ${field}`);
        }
      }
    return { read };
  });
}

/** A table of campaigns shows the numbers of the report. */
async function sameNumbers(campaign: number): Promise<void> {
  type Numbers = { unique_opens: number; users_who_clicked: number };
  const cid = formatId(campaign);
  const { unique_opens, users_who_clicked } = await t.call<Numbers>('campaignStats', { cid });
  assert.deepEqual(await t.call('campaignReactions', { cids: [cid] }), [{ id: cid, unique_opens, users_who_clicked }]);
}

async function contacts(tx: Queries, condition: ReturnType<typeof segmentCondition>, scope: SegmentScope) {
  const rows = await tx.rows<{ id: number }>(sql`
    select s.contact_id as id
    from subscription s
    ${joinsOf(scope)}
    where s.account_id = ${scope.accountId}
      and s.list_id = ${scope.listId}
      and ${condition}
    order by 1`);
  return rows.map(({ id }) => id);
}

let at = Date.UTC(2027, 0, 1);
const hit = (campaign: number, seq: number, more: Partial<Hit> = {}): Hit => ({
  ...{ account: t.account.id, campaign, seq, kind: 'open', link: null, url: '', ip: '', machine: null },
  ...{ userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0', at: new Date(at), ...more },
});
const click = (campaign: number, seq: number, link = 1) =>
  hit(campaign, seq, { kind: 'click', link, url: 'https://example.com/' });
const write = (...hits: Hit[]) => t.app.db.transaction((tx) => writeHits(tx, hits));

test('a campaign that ends is summarised by a task', async () => {
  const id = await ended();
  const jobs = await t.app.db.rows(sql`
    select
    from graphile_worker._private_jobs j
    join graphile_worker._private_tasks k on k.id = j.task_id
    where k.identifier = 'summariseRecipients'
      and (j.payload ->> 'campaign_id')::int = ${id}`);
  assert.equal(jobs.length, 1);
  assert.equal((await members(id)).read, false);
  await summarise(id);
  assert.equal((await members(id)).read, true);
});

test('opens, clicks and bursts after the end are in the answer, whenever they are folded', async () => {
  const id = await ended();
  await write(hit(id, 1), click(id, 2));
  await summarise(id);
  const action = fc.record({
    what: fc.constantFrom('open', 'click', 'burst', 'machine', 'fold', 'again'),
    seq: fc.integer({ min: 1, max: people }),
  });
  let bursts = 0;
  const burst = (['burst', 'fold', 'again', 'burst', 'open'] as const).map((what) => ({ what, seq: 1 }));
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 6 }), async (actions) => {
      await t.app.db.run(sql`delete from engagement where campaign_id = ${id}`);
      await t.app.db.run(sql`delete from new_reaction where campaign_id = ${id}`);
      await summarise(id);
      for (const { what, seq } of actions) {
        at += 60_000;
        if (what === 'open') await write(hit(id, seq));
        if (what === 'click') await write(click(id, seq));
        if (what === 'machine') await write(hit(id, seq, { machine: 'prefetch' }));
        // The first links in one transaction, so that they count before they are recognised.
        if (what === 'burst') {
          await write(click(id, seq, 1), click(id, seq, 2));
          if (bursts++ % 2 === 0) await fold();
          await write(click(id, seq, 3), click(id, seq, 4));
        }
        if (what === 'fold') await fold();
        if (what === 'again') await summarise(id);
        assert.equal((await members(id)).read, true);
      }
    }),
    { numRuns: runs(30, 4), examples: [[burst]] },
  );
  assert.ok(bursts > 0);
});

test('"last N" reads the summaries of all these campaigns', async () => {
  const campaigns = [await ended(), await ended()];
  for (const id of campaigns) await summarise(id);
  await write(hit(campaigns[0]!, 1), hit(campaigns[1]!, 2), click(campaigns[1]!, 3));
  for (const id of campaigns) assert.equal((await members(id, 'last 2')).read, true);
});

test('a recipient that accepts later is in the answer at once: the summary counts again after it was made again', async () => {
  const id = await ended();
  await summarise(id);
  await t.app.db.run(sql`update delivery set state = 2 where campaign_id = ${id} and state = 4`);
  await t.app.db.run(sql`update tally set accepted = accepted + 1, failed = failed - 1 where campaign_id = ${id}`);
  assert.equal((await members(id)).read, false);
  await summarise(id);
  assert.equal((await members(id)).read, true);
});

test('two transactions that store hits of one campaign do not wait for each other', async () => {
  const id = await ended();
  await summarise(id);
  await t.app.db.transaction(async (tx) => {
    await writeHits(tx, [hit(id, 1)]);
    await write(hit(id, 2));
  });
  await fold();
  assert.equal((await members(id)).read, true);
});

test('small campaigns are not summarised, and nothing is left of a deleted one', async () => {
  const id = await ended();
  await write(hit(id, 1));
  await summariseRecipients({ app: t.app }, { account_id: t.account.id, campaign_id: id });
  assert.equal((await members(id)).read, false);
  await summarise(id);
  await write(hit(id, 2));
  await t.app.db.run(sql`delete from campaign where id = ${id}`);
  const context = { app: t.app, log: t.app.log, signal: new AbortController().signal };
  await purgeCampaign(context, { account_id: t.account.id, campaign_id: id });
  for (const table of summaryTables)
    assert.equal((await t.app.db.rows(sql`select from ${raw(table)} where campaign_id = ${id}`)).length, 0);
});
