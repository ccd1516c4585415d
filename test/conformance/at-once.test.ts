// What programs, people and readers do twice at the same time, and two things that meet: each happens once, the loser gets its reason,
// and what is stored agrees with itself. docs/flows.md has the cells ("two clients at once").
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { purgeReceivedBodies } from '../../src/automations/retention.ts';
import { runAutomations } from '../../src/automations/run/engine.ts';
import type { Fault } from '../../src/base/faults.ts';
import { sql } from '../../src/db/connect.ts';
import { formatId, parseId } from '../../src/db/ids.ts';
import { launch } from '../../src/delivery/launch/launch.ts';
import { addressToken } from '../../src/tracking/address-token.ts';
import { tokensOf } from '../../src/tracking/token-secret.ts';
import { aCampaign, launchedTo, listOf } from '../support/builders/campaigns.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';

let app: TestApp;
let base: string;
before(async () => {
  app = await testApp();
  base = await app.listen();
});
after(() => app.close());

const call = <T = unknown>(method: string, params: Record<string, unknown> = {}) => app.call<T>(method, params);
const rows = <T = Record<string, unknown>>(statement: ReturnType<typeof sql>) => app.app.db.rows<T>(statement);
const key = (id: number) => ({ account: app.account.id, campaign: id });
/** 'ok', or the fault's name. */
const outcomes = async (...calls: Promise<unknown>[]) =>
  (await Promise.allSettled(calls)).map((result) =>
    result.status === 'fulfilled' ? 'ok' : ((result.reason as Fault).fault ?? String(result.reason)),
  );
async function pageOf(list: string, email_address: string): Promise<{ contact: number; url: string }> {
  const contact = parseId((await call<{ id: string }>('listMemberInfo', { id: list, email_address })).id);
  const ids = { account: app.account.id, campaign: 0, seq: 0, contact, lists: [parseId(list)] };
  return { contact, url: `${base}/p/${tokensOf(app.app).tokens(ids).profile}` };
}
const post = async (url: string, given: Record<string, string> = {}) =>
  (await fetch(url, { method: 'POST', body: new URLSearchParams(given) })).status;
const consents = (contact: number) =>
  rows<{ kind: string }>(sql`select kind from consent where contact_id = ${contact} order by id`);

test('two corrections of a link: the later one is in the link, in every frozen content and in the audit log', async () => {
  const list = await listOf(app, ['ada@links.example']);
  const id = await launchedTo(app, list, '<a href="https://a.example/0">a</a> <a href="*|UNSUB|*">x</a>');
  const correct = (n: number) =>
    call('campaignLinkUpdate', { cid: formatId(id), link_id: '1', url: `https://a.example/${n}` });
  await Promise.all([1, 2, 3, 4].map(correct));
  const [link] = await rows<{ target: string; first: string }>(sql`
    select target, first_target as first from link where campaign_id = ${id} and no = 0`);
  assert.equal(link!.first, 'https://a.example/0');
  const frozen = await rows<{ target: string }>(sql`
    select compiled -> 'links' -> 0 ->> 'target' as target from frozen_content where campaign_id = ${id}`);
  assert.deepEqual([...new Set(frozen.map(({ target }) => target))], [link!.target]);
  const audit = await rows<{ old: string; new: string }>(sql`
    select detail ->> 'old_url' as old, detail ->> 'new_url' as new
    from audit_entry where method = 'campaignLinkUpdate' order by id`);
  assert.equal(audit.length, 4);
  for (const [n, { old }] of audit.entries()) assert.equal(old, audit[n - 1]?.new ?? 'https://a.example/0');
  assert.equal(audit.at(-1)!.new, link!.target);
});

test('a link is corrected while a revision is published: the revision has the corrected target', async () => {
  for (let round = 0; round < 5; round++) {
    const list = await listOf(app, [`a${round}@publishing.example`, `b${round}@publishing.example`]);
    const id = await launchedTo(app, list, '<a href="https://a.example/wrong">a</a> <a href="*|UNSUB|*">x</a>');
    const cid = formatId(id);
    await app.app.db.run(sql`update delivery set state = 2, attempts = 1 where campaign_id = ${id} and seq = 1`);
    await app.app.db.run(sql`update tally set queued = queued - 1, accepted = accepted + 1 where campaign_id = ${id}`);
    await call('campaignPause', { cid });
    await call('campaignUpdate', { cid, name: 'subject', value: 'Corrected' });
    await call('campaignResume', { cid });
    const url = 'https://a.example/right';
    await Promise.all([launch(app.app, key(id)), call('campaignLinkUpdate', { cid, link_id: '1', url })]);
    await launch(app.app, key(id));
    const frozen = await rows<{ target: string }>(sql`
      select compiled -> 'links' -> 0 ->> 'target' as target from frozen_content where campaign_id = ${id}`);
    assert.deepEqual(frozen, [{ target: url }, { target: url }]);
  }
});

test('two publish a revision, and two start an automation: one revision, and the other finds nothing to publish', async () => {
  const list = await listOf(app, []);
  const type_opts = { 'offset-units': 'day', 'offset-time': 1, event: 'signup' };
  const cid = await aCampaign(app, { to: list, type: 'auto', type_opts });
  await call('campaignSendNow', { cid });
  await launch(app.app, key(parseId(cid)));
  await call('campaignUpdate', { cid, name: 'subject', value: 'Corrected' });
  const publish = () => call('campaignRevisionCreate', { cid });
  assert.deepEqual((await outcomes(publish(), publish())).sort(), ['CAMPAIGN_STATE_CONFLICT', 'ok']);
  await Promise.all([launch(app.app, key(parseId(cid))), launch(app.app, key(parseId(cid)))]);
  const revisionOf = async (of: string) => (await call<{ revision: number }>('campaignGet', { cid: of })).revision;
  assert.equal(await revisionOf(cid), 2);

  const email = await call<string>('automationEmailCreate', { list, subject: 'First', text: 'x' });
  const id = await call<string>('automationCreate', { title: 'Twice', list });
  await call('automationUpdate', { id, trigger: { type: 'subscribed' }, steps: [{ type: 'send', campaign: email }] });
  await call('automationStart', { id });
  await launch(app.app, key(parseId(email)));
  await call('campaignUpdate', { cid: email, name: 'subject', value: 'Second' });
  const start = () => call('automationStart', { id });
  await outcomes(start(), start());
  await Promise.all([launch(app.app, key(parseId(email))), launch(app.app, key(parseId(email)))]);
  assert.equal(await revisionOf(email), 2);
  const [{ versions }] = (await rows<{ versions: number }>(sql`
    select count(*)::int as versions from automation_version where automation_id = ${parseId(id)}`)) as [
    { versions: number },
  ];
  assert.ok(versions <= 3, `${versions}`);
});

test('a correction that is typed while it is published is in that revision or refused, never lost', async () => {
  const list = await listOf(app, []);
  const type_opts = { 'offset-units': 'day', 'offset-time': 1, event: 'signup' };
  const cid = await aCampaign(app, { to: list, type: 'auto', type_opts });
  await call('campaignSendNow', { cid });
  await launch(app.app, key(parseId(cid)));
  for (let round = 0; round < 5; round++) {
    await call('campaignUpdate', { cid, name: 'subject', value: `A ${round}` });
    const [published, typed] = await outcomes(
      call('campaignRevisionCreate', { cid }),
      call('campaignUpdate', { cid, name: 'subject', value: `B ${round}` }),
    );
    assert.equal(published, 'ok');
    await launch(app.app, key(parseId(cid)));
    const [last] = await rows<{ subject: string[] }>(sql`
      select compiled -> 'subject' as subject from frozen_content where campaign_id = ${parseId(cid)} order by variant desc limit 1`);
    const { unpublished } = await call<{ unpublished: boolean }>('campaignGet', { cid });
    const expected = typed === 'ok' ? `B ${round}` : `A ${round}`;
    assert.deepEqual(
      [last!.subject.join(''), unpublished, typed === 'ok' || typed === 'CAMPAIGN_STATE_CONFLICT'],
      [expected, false, true],
    );
  }
});

test('rehearsals at the same time do not exceed the messages of the hour together', async () => {
  const other = await app.anotherAccount();
  const list = await listOf(other, ['ada@rehearse.example']);
  const campaign = await other.call<string>('automationEmailCreate', { list, subject: 'First', text: 'x' });
  const id = await other.call<string>('automationCreate', { title: 'Try', list });
  await other.call('automationUpdate', { id, trigger: { type: 'subscribed' }, steps: [{ type: 'send', campaign }] });
  const results = await outcomes(...Array.from({ length: 80 }, () => other.call('automationRehearse', { id })));
  const sent = results.filter((result) => result === 'ok').length;
  assert.deepEqual([...new Set(results)].sort(), ['TOO_MANY_CALLS', 'ok']);
  const [jobs] = await rows<{ count: number }>(sql`
    select count(*)::int as count
    from graphile_worker._private_jobs j
    join graphile_worker._private_tasks k on k.id = j.task_id
    where k.identifier = 'sendTestMails' and (j.payload ->> 'account_id')::int = ${other.account.id}`);
  assert.equal(jobs!.count, sent, 'a refused one has sent nothing');
});

test('a new URL of an incoming webhook twice: one of the two works, and the first one no longer', async () => {
  const { id, url } = await call<{ id: string; url: string }>('incomingWebhookCreate', {
    title: 'x',
    service: 'custom',
  });
  const renew = () => call<{ url: string }>('incomingWebhookUrl', { id });
  const renewed = await Promise.all([renew(), renew(), renew()]);
  const status = async (address: string) => (await fetch(base + new URL(address).pathname)).status;
  assert.equal(await status(url), 404);
  assert.deepEqual((await Promise.all(renewed.map((one) => status(one.url)))).sort(), [200, 404, 404]);
});

test('a contact that is erased while a webhook names it is named nowhere afterwards', async () => {
  const mapping = { email: 'email', event: 'event' };
  const { id, url } = await call<{ id: string; url: string }>('incomingWebhookCreate', {
    title: 'x',
    service: 'custom',
    mapping,
  });
  for (let round = 0; round < 10; round++) {
    const email = `erased${round}@hooks.example`;
    await listOf(app, [email]);
    const body = JSON.stringify({ email, event: 'order' });
    const deliver = () =>
      fetch(base + new URL(url).pathname, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    await Promise.all([deliver(), deliver(), call('contactErase', { email })]);
    const [left] = await rows<{ result: string; body: string; detail: string }>(sql`
      select last_result as result, last_body as body, last_detail as detail from incoming_webhook where id = ${parseId(id)}`);
    // One that comes after the erasure is of an address that no one knows.
    if (left!.result === 'accepted') assert.doesNotMatch(`${left!.body} ${left!.detail}`, /erased/, `round ${round}`);
    await purgeReceivedBodies({ app: app.app, log: app.app.log, signal: new AbortController().signal } as never);
  }
});

test('a reader confirms its new address twice, and the notice goes once', async () => {
  const list = await listOf(app, ['ada@before.example']);
  const { contact, url } = await pageOf(list, 'ada@before.example');
  const email = 'ada@after.example';
  assert.equal(await post(url, { form: 'address', address: email }), 200);
  const link = `${base}/address/${addressToken(app.app, { account: app.account.id, contact, email })}`;
  assert.deepEqual(await Promise.all([post(link), post(link), post(link)]), [200, 200, 200]);
  const notices = await rows(sql`
    select from graphile_worker._private_jobs j
    join graphile_worker._private_tasks k on k.id = j.task_id
    where k.identifier = 'sendMovedNotice' and (j.payload ->> 'contact_id')::int = ${contact}`);
  assert.equal(notices.length, 1);
  assert.deepEqual(
    (await consents(contact)).map(({ kind }) => kind).filter((kind) => kind === 'address'),
    ['address'],
  );
});

test('a new address is confirmed while it subscribes itself: one contact has it', async () => {
  for (let round = 0; round < 5; round++) {
    const [old, email] = [`old${round}@moves.example`, `new${round}@moves.example`];
    const list = await listOf(app, [old]);
    const { contact, url } = await pageOf(list, old);
    await post(url, { form: 'address', address: email });
    const link = `${base}/address/${addressToken(app.app, { account: app.account.id, contact, email })}`;
    const [status, subscribed] = await Promise.all([
      post(link),
      outcomes(call('listSubscribe', { id: list, email_address: email, double_optin: false })),
    ]);
    const having = await rows<{ id: number }>(sql`select id from contact where email = ${email}`);
    assert.equal(having.length, 1);
    assert.ok(status < 500, `${status} ${subscribed}`);
  }
});

test('a reader leaves everything twice while it joins a list: it has left, with one entry, and each list once', async () => {
  const list = await listOf(app, ['leo@leaves.example']);
  const open = await call<string>('listCreate', { title: 'Open', options: { public: true } });
  const { contact, url } = await pageOf(list, 'leo@leaves.example');
  const leave = () => post(url, { form: 'leave-everything' });
  const statuses = await Promise.all([leave(), leave(), leave()]);
  assert.deepEqual([...new Set(statuses)], [200]);
  const entries = await rows(sql`select from suppression where value = 'leo@leaves.example'`);
  assert.equal(entries.length, 1);
  const left = (await consents(contact)).filter(({ kind }) => kind === 'unsubscribe');
  assert.equal(left.length, 1);
  const join = () => post(url, { form: 'preferences', [`list.${open}`]: 'on', 'was.lists': '' });
  await Promise.all([join(), leave()]);
  const state = await rows<{ subscribed: number; suppressed: number }>(sql`
    select (select count(*)::int from subscription where contact_id = ${contact} and status = 'subscribed') as subscribed,
      (select count(*)::int from suppression where value = 'leo@leaves.example') as suppressed`);
  // Whichever came last.
  assert.ok(
    [
      { subscribed: 0, suppressed: 1 },
      { subscribed: 1, suppressed: 0 },
    ].some((one) => JSON.stringify(one) === JSON.stringify(state[0])),
    JSON.stringify(state),
  );
});

test('events that come while an automation is paused, started and paused again, let each contact in at most once', async () => {
  const list = await listOf(
    app,
    Array.from({ length: 10 }, (_, n) => `p${n}@paused.example`),
  );
  const id = await call<string>('automationCreate', { title: 'Pauses', list });
  const steps = [{ key: 'wait', type: 'wait', amount: 1, unit: 'days' }];
  await call('automationUpdate', { id, trigger: { type: 'event', name: 'seen' }, steps });
  await call('automationStart', { id });
  const events = Array.from({ length: 10 }, (_, n) => ({ name: 'seen', email_address: `p${n}@paused.example` }));
  const turn = async () => {
    await call('automationPause', { id }).catch(() => {});
    await call('automationStart', { id }).catch(() => {});
  };
  await Promise.all([
    call('eventSendBatch', { events }),
    turn(),
    call('eventSendBatch', { events: events.toReversed() }),
    runAutomations(app.app),
    runAutomations(app.app),
  ]);
  while ((await runAutomations(app.app)) > 0);
  const twice = await rows(sql`
    select contact_id from automation_run where automation_id = ${parseId(id)} group by 1 having count(*) > 1`);
  assert.deepEqual(twice, []);
  const [sums] = await rows<{ entered: number; runs: number }>(sql`
    select (select entered from automation_tally where automation_id = ${parseId(id)} and step = 'wait')::int as entered,
      (select count(*)::int from automation_run where automation_id = ${parseId(id)}) as runs`);
  assert.equal(sums!.entered ?? 0, sums!.runs);
});

test('a list is deleted while a contact waits for an event there: refused, and possible once the automation is paused', async () => {
  const list = await listOf(app, ['wes@waits.example']);
  const id = await call<string>('automationCreate', { title: 'Waits', list });
  const end = [{ key: 'end', type: 'wait', amount: 1, unit: 'days' }];
  const steps = [{ key: 'wait', type: 'wait_for', name: 'invited', amount: 3, unit: 'days', yes: end, no: [] }];
  await call('automationUpdate', { id, trigger: { type: 'event', name: 'came' }, steps });
  await call('automationStart', { id });
  await call('eventSend', { name: 'came', email_address: 'wes@waits.example' });
  while ((await runAutomations(app.app)) > 0);
  await call('eventSend', { name: 'invited', email_address: 'wes@waits.example' });
  const first = await outcomes(call('listDelete', { id: list }));
  await call('automationPause', { id });
  const second = await outcomes(call('listDelete', { id: list }));
  while ((await runAutomations(app.app)) > 0);
  const runs = await rows<{ outcome: string | null }>(
    sql`select outcome from automation_run where automation_id = ${parseId(id)} and outcome is null`,
  );
  assert.deepEqual({ first, second, runs }, { first: ['CAMPAIGN_STATE_CONFLICT'], second: ['ok'], runs: [] });
  assert.deepEqual(await rows(sql`select from automation_signal where automation_id = ${parseId(id)}`), []);
});
