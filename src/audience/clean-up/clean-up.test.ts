// Clean-up rules, on a real database: whom they choose, that nothing happens before the preview is confirmed, what a run leaves
// behind, and that a run which is killed loses and repeats nothing.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { aCampaign, listOf } from '../../../test/support/builders/campaigns.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { states } from '../../db/states.ts';
import { launch } from '../../delivery/launch/launch.ts';
import { cleanUpContacts } from './run.ts';

let t: TestApp;
before(async () => {
  t = await testApp();
});
after(() => t.close());

type Preview = { count: number; contacts: number; first: { email: string; list_title: string; since: string }[] };
type Rule = { id: string; enabled: boolean; last_count: number; total_count: number; last_run_at: string };

const run = () => cleanUpContacts({ app: t.app, signal: new AbortController().signal });
const create = (given: Record<string, unknown>) => t.call<string>('cleanUpRuleCreate', given);
const preview = (id: string) => t.call<Preview>('cleanUpRulePreview', { id });
const emailsOf = ({ first }: Preview) => first.map(({ email }) => email).sort();
const ruleOf = async (id: string) => (await t.call<Rule[]>('cleanUpRules')).find((rule) => rule.id === id)!;

async function enable(id: string): Promise<void> {
  await t.call('cleanUpRuleEnable', { id, count: (await preview(id)).count });
}

async function statuses(list: string): Promise<Record<string, string>> {
  const rows = await t.app.db.rows<{ email: string; status: string }>(sql`
    select c.email, s.status
    from subscription s
    join contact c on c.account_id = s.account_id and c.id = s.contact_id
    where s.list_id = ${parseId(list)}
    order by c.email`);
  return Object.fromEntries(rows.map(({ email, status }) => [email, status]));
}

async function pendingSince(list: string, email: string, days: number): Promise<void> {
  await t.call('listSubscribe', { id: list, email_address: email, double_optin: true });
  await t.app.db.run(sql`
    update subscription s
    set signup_at = now() - make_interval(days => ${days}::int)
    from contact c
    where s.list_id = ${parseId(list)}
      and c.account_id = s.account_id
      and c.id = s.contact_id
      and c.email = ${email}`);
}

/** A campaign that everyone on the list got so many days ago. */
async function sentTo(list: string, daysAgo: number, options: Record<string, unknown> = {}): Promise<number> {
  const cid = await aCampaign(t, { to: list, ...options });
  await t.call('campaignSendNow', { cid });
  const campaign = parseId(cid);
  await launch(t.app, { account: t.account.id, campaign });
  await t.app.db.run(sql`
    update delivery
    set state = ${states.accepted}, done_at = now() - make_interval(days => ${daysAgo}::int)
    where campaign_id = ${campaign}`);
  await t.app.db.run(sql`update chunk set state = 'done' where campaign_id = ${campaign}`);
  await t.app.db.run(sql`update campaign set status = 'sent' where id = ${campaign}`);
  return campaign;
}

async function opened(campaign: number, email: string, daysAgo: number, byMachine = false): Promise<void> {
  await t.app.db.run(sql`
    insert into engagement (account_id, campaign_id, seq, month, contact_id, opens, machine_opens, last_open_at)
    select d.account_id, d.campaign_id, d.seq, d.month, d.contact_id, ${byMachine ? 0 : 1}, ${byMachine ? 1 : 0},
      case when not ${byMachine} then now() - make_interval(days => ${daysAgo}::int) end
    from delivery d
    where d.campaign_id = ${campaign}
      and d.email = ${email}`);
}

const subscribedLongAgo = (list: string) =>
  t.app.db.run(sql`
    update subscription
    set signup_at = now() - interval '400 days', confirm_at = now() - interval '400 days'
    where list_id = ${parseId(list)}`);

test('nothing happens before a person has confirmed the preview', async () => {
  const list = await t.call<string>('listCreate', { title: 'Waiting' });
  await pendingSince(list, 'old@example.com', 40);
  await pendingSince(list, 'fresh@example.com', 10);
  const given = { kind: 'unconfirmed', days: 30, action: 'remove', list_id: list };
  assert.deepEqual(await t.call('cleanUpCount', given), { count: 1, contacts: 1 });
  assert.deepEqual(await t.call('cleanUpCount', { ...given, days: 5 }), { count: 2, contacts: 2 });
  await assert.rejects(t.call('cleanUpCount', { ...given, action: 'unsubscribe' }), { fault: 'CLEAN_UP_RULE_INVALID' });
  assert.deepEqual(await t.call('cleanUpRules'), [], 'nothing is created');
  const rule = await create(given);
  const shown = await preview(rule);
  assert.deepEqual(emailsOf(shown), ['old@example.com']);
  assert.equal(shown.first[0]!.list_title, 'Waiting');
  await run();
  assert.equal(Object.keys(await statuses(list)).length, 2);
  await pendingSince(list, 'older@example.com', 50);
  await assert.rejects(t.call('cleanUpRuleEnable', { id: rule, count: shown.count }), {
    fault: 'CLEAN_UP_PREVIEW_OLD',
  });
  assert.equal((await ruleOf(rule)).enabled, false);
  await enable(rule);
  await run();
  assert.deepEqual(await statuses(list), { 'fresh@example.com': 'pending' });
  const after = await ruleOf(rule);
  assert.equal(after.last_count, 2);
  assert.notEqual(after.last_run_at, '');
  await run();
  assert.deepEqual([(await ruleOf(rule)).last_count, (await ruleOf(rule)).total_count], [0, 2]);
  await t.call('cleanUpRuleDisable', { id: rule });
  await pendingSince(list, 'late@example.com', 50);
  await run();
  assert.equal((await statuses(list))['late@example.com'], 'pending');
  await t.call('cleanUpRuleDelete', { id: rule });
  await assert.rejects(preview(rule), { fault: 'CLEAN_UP_RULE_UNKNOWN' });
});

test('a removal is in the log of the contact and sends the ordinary event, and no one is suppressed', async () => {
  const list = await t.call<string>('listCreate', { title: 'Log' });
  await t.app.db.run(sql`
    insert into webhook (account_id, title, url, events)
    values (${t.account.id}, 'Hook', 'http://127.0.0.1:9/', '{contact.delete,contact.unsubscribe}')`);
  await pendingSince(list, 'logged@example.com', 40);
  const contact = await t.app.db.row<{ id: number }>(sql`select id from contact where email = 'logged@example.com'`);
  const rule = await create({ kind: 'unconfirmed', days: 30, action: 'remove', list_id: list });
  await enable(rule);
  await run();
  const log = await t.app.db.row<{ detail: Record<string, string> }>(sql`
    select detail from consent where contact_id = ${contact!.id} and kind = 'delete'`);
  assert.equal(log?.detail.reason, 'clean-up');
  assert.equal(log?.detail.rule, rule);
  const events = await t.app.db.rows<{ type: string; payload: unknown }>(sql`select type, payload from webhook_event`);
  assert.deepEqual(
    events.map(({ type }) => type),
    ['contact.delete'],
  );
  assert.match(JSON.stringify(events), /logged@example\.com/);
  assert.equal(await t.app.db.row(sql`select from contact where email = 'logged@example.com'`), undefined);
  assert.deepEqual(await t.call('suppressedListMembers'), []);
  await t.call('cleanUpRuleDelete', { id: rule });
});

test('inactive contacts are those who got the last campaigns and opened nothing since', async () => {
  const names = ['silent', 'opener', 'older', 'machine', 'private', 'plain', 'late'];
  const list = await listOf(
    t,
    names.map((name) => `${name}@inactive.example`),
  );
  await subscribedLongAgo(list);
  const oldest = await sentTo(list, 90);
  // A newcomer has not had as many; one whose opens cannot be seen is not judged by them.
  await t.call('listSubscribe', { id: list, email_address: 'new@inactive.example', double_optin: false });
  await t.app.db.run(sql`update contact set untracked = true where email = 'private@inactive.example'`);
  await t.app.db.run(sql`
    update subscription s set email_type = 'text'
    from contact c
    where c.id = s.contact_id and c.email = 'plain@inactive.example'`);
  const second = await sentTo(list, 60);
  await sentTo(list, 30);
  await sentTo(list, 20, { tracking: { opens: false } });
  const latest = await sentTo(list, 1);
  await opened(second, 'opener@inactive.example', 59);
  await opened(oldest, 'older@inactive.example', 10);
  await opened(second, 'machine@inactive.example', 59, true);
  await opened(latest, 'late@inactive.example', 0);
  const rule = (campaigns: number, days = 30) =>
    create({ kind: 'inactive', days, campaigns, action: 'unsubscribe', list_id: list });
  const two = await rule(2);
  assert.deepEqual(emailsOf(await preview(two)), ['machine@inactive.example', 'silent@inactive.example']);
  // The newcomer was on the list for two campaigns, but not for 30 days.
  const three = await rule(3);
  assert.deepEqual(emailsOf(await preview(three)), ['machine@inactive.example', 'silent@inactive.example']);
  assert.equal((await preview(await rule(4))).count, 0);
  assert.equal((await preview(await rule(2, 500))).count, 0);
  await enable(two);
  await run();
  const now = await statuses(list);
  assert.deepEqual(
    Object.keys(now).filter((email) => now[email] === 'unsubscribed'),
    ['machine@inactive.example', 'silent@inactive.example'],
  );
  const reason = await t.app.db.row<{ reason: string }>(sql`
    select s.unsubscribe_reason as reason
    from subscription s
    join contact c on c.id = s.contact_id
    where c.email = 'silent@inactive.example'`);
  assert.equal(reason?.reason, 'clean-up');
  assert.deepEqual(await t.call('suppressedListMembers'), []);
  await t.call('cleanUpRuleDelete', { id: two });
});

test('inactive contacts of all lists are tagged once', async () => {
  const first = await listOf(t, ['both@tag.example', 'first@tag.example']);
  const second = await listOf(t, ['both@tag.example']);
  for (const list of [first, second]) await subscribedLongAgo(list);
  await sentTo(first, 10);
  const rule = await create({ kind: 'inactive', days: 30, campaigns: 1, action: 'tag', tag: 'Asleep' });
  const shown = await preview(rule);
  const here = shown.first.filter(({ email }) => email.endsWith('@tag.example'));
  assert.equal(here.length, 3);
  await enable(rule);
  await run();
  const tags = await t.call<{ tag: string; contacts: number }[]>('contactTags');
  assert.deepEqual(tags, [{ tag: 'asleep', contacts: shown.contacts }]);
  assert.equal((await preview(rule)).count, 0);
  await t.call('cleanUpRuleDelete', { id: rule });
});

test('rules that make no sense are refused', async () => {
  const base = { kind: 'inactive', days: 30, campaigns: 3, action: 'remove' };
  await assert.rejects(create({ ...base, campaigns: 0 }), { fault: 'CLEAN_UP_RULE_INVALID' });
  await assert.rejects(create({ ...base, action: 'tag', tag: 'a;b' }), { fault: 'INVALID_PARAMETER' });
  await assert.rejects(create({ ...base, list_id: 'ffffffff' }), { fault: 'LIST_UNKNOWN' });
  await assert.rejects(create({ kind: 'unconfirmed', days: 30, action: 'unsubscribe' }), {
    fault: 'CLEAN_UP_RULE_INVALID',
  });
  await assert.rejects(create({ ...base, days: 0 }), { fault: 'INVALID_PARAMETER' });
});
