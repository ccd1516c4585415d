// What a caller with a set of lists reads does not depend on other lists: every answer, with all its totals, is the same before and after
// people join, leave, open and buy on a list that is not in the set, while the answers to a caller with all lists change.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/db/connect.ts';
import { parseId } from '../../src/db/ids.ts';
import { states } from '../../src/db/states.ts';
import { launchDraft } from '../support/builders/campaigns.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { sample } from '../support/run/runs.ts';
import { draftOf, type Fixture, makeAccount } from './fixture.ts';
import { exampleOf, keyWith, narrowedMethods } from './list-sets-fixture.ts';

let app: TestApp;
let own: Fixture;
let other: Fixture;
before(async () => {
  app = await testApp();
  own = await makeAccount(app.app, 'pro', ['inline_img']);
  other = { ...own, list: await own.call<string>('listCreate', { title: 'Other' }) };
  await happen(own, 3, 'own.example');
});
after(() => app.close());

/** People join a list, get a campaign, open it, follow a link, buy, and one leaves. */
async function happen({ call, list, accountId }: Fixture, people: number, domain: string): Promise<void> {
  const emails = Array.from({ length: people }, (_, n) => `reader${n}@${domain}`);
  for (const email_address of emails) {
    await call('listSubscribe', { id: list, email_address, merge_vars: { FNAME: 'Ada' }, double_optin: false });
    await call('eventSend', { name: 'purchase', email_address, value: 20, data: { currency: 'EUR' } });
  }
  await call('contactTagsUpdate', { emails, add: ['regular'] });
  const cid = await call<string>('campaignCreate', draftOf(list, { options: { subject: 'News', title: 'News' } }));
  const id = parseId(cid);
  const label = await call<string>('labelCreate', { name: `Label of ${domain}` });
  await call('campaignUpdate', { cid, name: 'add_label', value: label });
  await launchDraft({ app: app.app, account: { id: accountId } } as TestApp, id);
  const { db } = app.app;
  await db.run(sql`
    update delivery set state = ${states.accepted}, attempts = 1, first_at = now(), done_at = now() where campaign_id = ${id}`);
  await db.run(sql`update tally set queued = 0, accepted = recipients where campaign_id = ${id}`);
  await db.run(sql`update campaign set status = 'sent', send_at = now() - interval '3 days' where id = ${id}`);
  await db.run(sql`
    insert into engagement (account_id, campaign_id, seq, month, contact_id, opens)
    select account_id, campaign_id, seq, month, contact_id, 1 from delivery where campaign_id = ${id}`);
  await db.run(sql`delete from recipient_summary`);
  await call('listUnsubscribe', { id: list, email_address: emails[0], send_goodbye: false, send_notify: false });
  const filter = [{ field: 'EMAIL', condition: 'contains', value: 'reader' }];
  await call('listSegmentCreate', { list, title: 'Readers', match: 'all', filter });
  await call('automationCreate', { title: 'Welcome', list });
  const paused = await call<string>('campaignCreate', draftOf(list, { options: { subject: 'Paused' } }));
  await db.run(sql`
    update campaign set status = 'paused', paused_from = 'launching', status_reason = '{"key":"pause.launch_failed"}' where id = ${parseId(paused)}`);
  await db.run(sql`
    insert into sending_day (account_id, day, kind, list_id, provider, shard, accepted, refused, complaints)
    select account_id, current_date, 'campaign', ${parseId(list)}, 'example.com', 0, 100, 9, 3 from campaign where id = ${id}`);
}

/** Answers without times, which pass. */
async function answers(
  caller: Awaited<ReturnType<typeof keyWith>>,
  asked: ReadonlyMap<string, Record<string, unknown>>,
) {
  const found = new Map<string, string>();
  for (const [method, params] of asked)
    found.set(
      method,
      await caller(method, params).then(
        (result) => JSON.stringify(result).replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?/g, '<time>'),
        ({ fault }: { fault: string }) => fault,
      ),
    );
  return found;
}

/** Methods whose answers to a caller with all lists change. */
const totals = ['homeSummary', 'campaignSearch', 'lists', 'labels', 'contacts', 'contactTags', 'segments'];

const differing = (one: ReadonlyMap<string, string>, two: ReadonlyMap<string, string>) =>
  [...one].filter(([method, answer]) => two.get(method) !== answer).map(([method]) => method);

test('answers to a caller with a set have the same totals, whatever happens on other lists', async (t) => {
  const asked = new Map<string, Record<string, unknown>>();
  const reading = narrowedMethods.filter(({ reads, person }) => reads && !person);
  const always = reading.filter(({ name }) => totals.includes(name));
  for (const { name, example } of new Set([...always, ...sample(reading, 8)]))
    asked.set(name, (await exampleOf(app.app, own, example.params, 'reader1@own.example')).params);
  const limited = await keyWith(app.app, own.accountId, [own.list]);
  const unlimited = await keyWith(app.app, own.accountId, null);
  const [before, all] = [await answers(limited, asked), await answers(unlimited, asked)];
  assert.deepEqual(differing(before, await answers(limited, asked)), [], 'the same without any change');
  const home = JSON.parse(before.get('homeSummary')!) as { members: number; recent: Record<string, unknown> };
  assert.deepEqual([home.recent['campaigns'], home.recent['delivered']], [1, 4]);

  await happen(other, 7, 'other.example');
  const later = await answers(limited, asked);
  for (const method of differing(before, later))
    t.diagnostic(`${method}: ${before.get(method)} → ${later.get(method)}`);
  assert.deepEqual(differing(before, later), []);
  const changed = differing(all, await answers(unlimited, asked));
  t.diagnostic(`${asked.size} methods; of a caller with all lists, the answers of ${changed.join(', ')} changed`);
  for (const method of totals)
    assert.ok(changed.includes(method), `${method} shows the other list to a caller with all lists`);
});
