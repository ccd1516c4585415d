// A web process that dies at the COMMIT of a change: nothing of the change is left, in no table and no job, and the same request that is
// repeated does it once. Each change that programs, people and readers make to events, automations, corrections, messages for later,
// templates, keys and their own choices. The database ends the session at the COMMIT, as when the process is killed.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { raw, sql } from '../src/db/connect.ts';
import { formatId, parseId } from '../src/db/ids.ts';
import { launch } from '../src/delivery/launch/launch.ts';
import { addressToken } from '../src/tracking/address-token.ts';
import { tokensOf } from '../src/tracking/token-secret.ts';
import { aCampaign, launchedTo, listOf } from './support/builders/campaigns.ts';
import { fingerprint } from './support/database/fingerprint.ts';
import { type TestApp, testApp } from './support/installation/app.ts';

let app: TestApp;
let base: string;
let list: string;
const email = 'ada@killed.example';
before(async () => {
  app = await testApp();
  base = await app.listen();
  list = await listOf(app, [email]);
  await app.call('listMergeVarAdd', { id: list, tag: 'PLAN', name: 'Plan' });
  await app.app.db.run(sql`
    create function die() returns trigger language plpgsql as $$
    begin
      if exists (select from installation where key = 'dying') then
        perform pg_terminate_backend(pg_backend_pid());
        perform pg_sleep(10);
      end if;
      return null;
    end $$`);
  for (const table of ['audit_entry', 'consent', 'contact_event', 'address_change'])
    await app.app.db.run(
      sql`
        create constraint trigger die after insert on ${raw(table)} deferrable initially deferred
        for each row execute function die()`,
    );
});
after(() => app.close());

const call = <T = unknown>(method: string, params: Record<string, unknown> = {}) => app.call<T>(method, params);
const rowsOf = async (statement: ReturnType<typeof sql>) =>
  (await app.app.db.row<{ count: number }>(sql`select count(*)::int as count from (${statement}) as found`))!.count;
const post = async (path: string, given: Record<string, string> | string): Promise<void> => {
  const isJson = typeof given === 'string';
  const answer = await fetch(base + path, {
    method: 'POST',
    body: isJson ? given : new URLSearchParams(given),
    ...(isJson && { headers: { 'content-type': 'application/json' } }),
  });
  if (answer.status >= 500) throw new Error(`${answer.status}`);
  assert.equal(answer.status, 200);
};

async function contactOf(email_address: string): Promise<number> {
  return parseId((await call<{ id: string }>('listMemberInfo', { id: list, email_address })).id);
}
async function pageOf(email_address: string): Promise<string> {
  const contact = await contactOf(email_address);
  const ids = { account: app.account.id, campaign: 0, seq: 0, contact, lists: [parseId(list)] };
  return `/p/${tokensOf(app.app).tokens(ids).profile}`;
}
async function autoresponder(): Promise<string> {
  const type_opts = { 'offset-units': 'day', 'offset-time': 1, event: 'signup' };
  const cid = await aCampaign(app, { to: list, type: 'auto', type_opts });
  await call('campaignSendNow', { cid });
  await launch(app.app, { account: app.account.id, campaign: parseId(cid) });
  await call('campaignUpdate', { cid, name: 'subject', value: 'Corrected' });
  return cid;
}
async function automation(): Promise<string> {
  const campaign = await call<string>('automationEmailCreate', { list, subject: 'First', text: 'x' });
  const id = await call<string>('automationCreate', { title: 'Test', list });
  const steps = [{ type: 'send', campaign }];
  await call('automationUpdate', { id, trigger: { type: 'event', name: 'seen' }, steps });
  return id;
}

/** What is prepared, then changed; and what is there once it is done, also when it is asked for again. */
type Change = () => Promise<{ change: () => Promise<unknown>; done: () => Promise<unknown>; again?: true }>;

const changes: Record<string, Change> = {
  async 'an event with a value, for an automation'() {
    await call('automationStart', { id: await automation() });
    return {
      change: () => call('eventSend', { name: 'seen', email_address: email, id: 'E-1', value: 5, data: { a: 1 } }),
      done: async () =>
        [
          await rowsOf(sql`select from contact_event`),
          await rowsOf(sql`select from event_id`),
          await rowsOf(sql`select from automation_signal where kind = 'enter'`),
        ].join(),
      again: true,
    };
  },
  async 'a batch that makes contacts'() {
    const events = [1, 2].map((n) => ({
      name: 'new',
      email_address: `b${n}@killed.example`,
      create_contact: true,
      id: `B-${n}`,
    }));
    return {
      change: () => call('eventSendBatch', { events }),
      done: () => rowsOf(sql`select from contact where email like 'b_@killed.example'`),
      again: true,
    };
  },
  async 'an incoming webhook that subscribes'() {
    const mapping = { email: 'email', event: 'event', consent: 'consent', create_contact: true, id: 'id' };
    const made = { title: 'x', service: 'custom', list, mapping };
    const { url } = await call<{ url: string }>('incomingWebhookCreate', made);
    const body = JSON.stringify({ email: 'w@killed.example', event: 'order', consent: 'yes', id: 'W-1' });
    return {
      change: () => post(new URL(url).pathname, body),
      done: async () =>
        [
          await rowsOf(
            sql`select from contact_event e join contact c on c.id = e.contact_id where c.email = 'w@killed.example'`,
          ),
          await rowsOf(sql`select from contact where email = 'w@killed.example'`),
        ].join(),
      again: true,
    };
  },
  async 'the start of an automation'() {
    const id = await automation();
    return {
      change: () => call('automationStart', { id }),
      done: () => rowsOf(sql`select from automation_version where automation_id = ${parseId(id)}`),
    };
  },
  async 'a label that a draft gets'() {
    const label = await call<string>('labelCreate', { name: 'Killed' });
    const cid = await aCampaign(app, { to: list });
    return {
      change: () => call('campaignUpdate', { cid, name: 'add_label', value: label }),
      done: () => rowsOf(sql`select from campaign_label where campaign_id = ${parseId(cid)}`),
      again: true,
    };
  },
  async 'a rehearsal'() {
    const id = await automation();
    return {
      change: () => call('automationRehearse', { id, email_address: email }),
      done: () =>
        rowsOf(sql`
          select from graphile_worker._private_jobs j
          join graphile_worker._private_tasks k on k.id = j.task_id
          where k.identifier = 'sendTestMails'`),
    };
  },
  async 'a revision'() {
    const cid = await autoresponder();
    return {
      change: () => call('campaignRevisionCreate', { cid }),
      done: () => rowsOf(sql`select from campaign where id = ${parseId(cid)} and status = 'launching'`),
    };
  },
  async 'the corrected rest of a paused campaign'() {
    const id = await launchedTo(app, list);
    await app.app.db.run(sql`update delivery set state = 3, attempts = 1 where campaign_id = ${id} and seq = 1`);
    await app.app.db.run(sql`update tally set queued = queued - 1, later = later + 1 where campaign_id = ${id}`);
    const cid = formatId(id);
    await call('campaignPause', { cid });
    await call('campaignUpdate', { cid, name: 'subject', value: 'Corrected' });
    return {
      change: () => call('campaignResume', { cid }),
      done: () => rowsOf(sql`select from campaign where id = ${id} and status = 'launching'`),
    };
  },
  async 'a corrected link'() {
    const id = await launchedTo(app, list, '<a href="https://a.example/0">a</a> <a href="*|UNSUB|*">x</a>');
    const corrected = { cid: formatId(id), link_id: '1', url: 'https://a.example/1' };
    return {
      change: () => call('campaignLinkUpdate', corrected),
      done: () => rowsOf(sql`select from link where campaign_id = ${id} and target = 'https://a.example/1'`),
      again: true,
    };
  },
  async 'a language version'() {
    const cid = await aCampaign(app, { to: list });
    return {
      change: () => call('campaignLanguageUpdate', { cid, language: 'de', subject: 'Neu', html: '<p>x</p>' }),
      done: () => rowsOf(sql`select from campaign_variant where campaign_id = ${parseId(cid)}`),
      again: true,
    };
  },
  async 'a message for later'() {
    const given = { to: email, subject: 'Later', plain: 'x', idempotency_key: 'later-1' };
    const send_at = new Date(Date.now() + 86_400_000).toISOString();
    return {
      change: () => call('messageSend', { ...given, send_at }),
      done: () => rowsOf(sql`select from message where send_at is not null`),
      again: true,
    };
  },
  async 'its cancellation'() {
    const send_at = new Date(Date.now() + 86_400_000).toISOString();
    const { id } = await call<{ id: string }>('messageSend', { to: email, subject: 'Never', plain: 'x', send_at });
    return {
      change: () => call('messageCancel', { id }),
      done: () => rowsOf(sql`select from delivery where reason = 'cancelled'`),
      again: true,
    };
  },
  async 'a template with an alias, and an earlier version of it'() {
    const template_id = await call<string>('templateCreate', { name: 'x', alias: 'killed', source: '<p>1</p>' });
    await call('templateUpdate', { template_id, name: 'source', value: '<p>2</p>' });
    const [first] = await call<{ version: number }[]>('templateVersions', { template_id });
    return {
      change: () => call('templateVersionRestore', { template_id, version: first!.version }),
      done: () => rowsOf(sql`select from template where alias = 'killed' and source = '<p>1</p>'`),
    };
  },
  async 'a key with limits'() {
    return {
      change: () => call('apikeyAdd', { label: 'killed', test: true, calls_per_minute: 5 }),
      done: () => rowsOf(sql`select from api_key where label = 'killed'`),
    };
  },
  async 'a pause of a reader'() {
    const page = await pageOf(email);
    return {
      change: () => post(page, { form: 'preferences', 'list.other': 'on', PAUSE: '2' }),
      done: () => rowsOf(sql`select from contact where email = ${email} and paused_until is not null`),
      again: true,
    };
  },
  async 'a change of address that is asked for'() {
    const page = await pageOf(email);
    return {
      change: () => post(page, { form: 'address', address: 'asked@killed.example' }),
      done: () => rowsOf(sql`select from address_change where email = 'asked@killed.example'`),
      again: true,
    };
  },
  async 'a change of address'() {
    const contact = await contactOf(email);
    const to = 'asked@killed.example';
    const path = `/address/${addressToken(app.app, { account: app.account.id, contact, email: to })}`;
    return {
      change: () => post(path, {}),
      done: async () =>
        [
          await rowsOf(sql`select from contact where email = ${to}`),
          await rowsOf(sql`select from consent where contact_id = ${contact} and kind = 'address'`),
        ].join(),
      again: true,
    };
  },
  async 'leaving everything'() {
    const page = await pageOf('asked@killed.example');
    return {
      change: () => post(page, { form: 'leave-everything' }),
      done: async () =>
        [
          await rowsOf(sql`select from suppression where value = 'asked@killed.example'`),
          await rowsOf(sql`select from subscription where status = 'subscribed'`),
        ].join(),
      again: true,
    };
  },
};

for (const [name, prepare] of Object.entries(changes))
  test(name, async () => {
    const { change, done, again } = await prepare();
    await app.app.db.run(sql`insert into installation (key, value) values ('dying', '"yes"')`);
    const before = await fingerprint(app.app.db.url);
    await assert.rejects(change(), 'it is killed');
    assert.deepEqual(await fingerprint(app.app.db.url), before, 'nothing is left');
    await app.app.db.run(sql`delete from installation where key = 'dying'`);
    const untouched = await done();
    await change();
    const once = await done();
    assert.notDeepEqual(once, untouched);
    if (!again) return;
    await change();
    assert.deepEqual(await done(), once, 'repeated, it is done once');
  });
