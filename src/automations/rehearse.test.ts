// A rehearsal: the path of one contact, its emails at the person's own address, and nothing else.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import PostalMime from 'postal-mime';
import { fault } from '../../test/conformance/fixture.ts';
import { type MailingApp, mailingApp } from '../../test/support/installation/mailing-app.ts';
import { until } from '../../test/support/run/until.ts';
import { sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import { sendTestMails } from '../mail/test-mail.ts';

let app: MailingApp;
before(async () => {
  app = await mailingApp({ sendTestMails });
});
after(() => app.close());

type Rehearsal = {
  to: string;
  contact: string;
  outcome: string;
  path: { step: string; did: string; pretended: boolean; at: string; campaign: string; language: string }[];
};
const call = <T = unknown>(method: string, params: Record<string, unknown>) => app.call<T>(method, params);
const rehearse = (id: string, email_address?: string) =>
  call<Rehearsal>('automationRehearse', { id, ...(email_address && { email_address }) });
const did = ({ path }: Rehearsal) => path.map(({ step, did }) => `${step} ${did}`);

/** A list of two, and an automation with a step of each kind, which is not started. */
async function everyKind(
  host: string,
): Promise<{ list: string; other: string; first: string; second: string; id: string }> {
  const list = await call<string>('listCreate', { title: 'Readers' });
  const other = await call<string>('listCreate', { title: 'Other' });
  await call('listMergeVarAdd', { id: list, tag: 'CITY', name: 'City' });
  for (const [email_address, CITY] of [
    [`rome@${host}`, 'Rome'],
    [`oslo@${host}`, 'Oslo'],
  ])
    await call('listSubscribe', { id: list, email_address, merge_vars: { CITY }, double_optin: false });
  const draft = (subject: string) =>
    call<string>('automationEmailCreate', { list, subject, text: 'Hello *|CITY:you|* at *|EMAIL|*' });
  const [first, second] = [await draft('First *|CITY:you|*'), await draft('Second')];
  const id = await call<string>('automationCreate', { title: 'All', list });
  await call('automationUpdate', {
    id,
    steps: [
      { key: 'mail', type: 'send', campaign: first },
      { key: 'pause', type: 'wait', amount: 3, unit: 'days' },
      { key: 'tag', type: 'set_field', field: 'CITY', value: 'Paris' },
      { key: 'move', type: 'add_to_list', list: other },
      {
        key: 'fork',
        type: 'condition',
        filter: [{ field: 'CITY', condition: 'is', value: 'Rome' }],
        yes: [{ key: 'more', type: 'send', campaign: second }],
        no: [{ key: 'hook', type: 'webhook', name: 'x' }],
      },
      { key: 'note', type: 'notify', subject: 'Through', text: 'These:' },
    ],
  });
  return { list, other, first, second, id };
}

/** The messages to an address by subject. */
async function received(to: string, subject: RegExp): Promise<{ subject: string; text: string }[]> {
  const rows = await app.app.db.rows<{ source: Buffer }>(
    sql`select source from inbox_message where rcpt_to[1] = ${to} order by id`,
  );
  const all = await Promise.all(rows.map(({ source }) => PostalMime.parse(source)));
  return all
    .map((mail) => ({ subject: mail.subject ?? '', text: mail.text ?? '' }))
    .filter((m) => subject.test(m.subject));
}

/** What a rehearsal must not change: rows of all tables that record what happens to contacts. */
const state = async () =>
  app.app.db.row(sql`
    select (select count(*) from automation_run)::int as runs, (select count(*) from automation_tally)::int as tallies,
      (select count(*) from automation_signal)::int as signals, (select count(*) from tally t join campaign c on c.id = t.campaign_id where c.type <> 'message')::int as counts,
      (select count(*) from delivery d join campaign c on c.id = d.campaign_id where c.type <> 'message')::int as recipients,
      (select count(*) from webhook_event)::int as events, (select count(*) from subscription)::int as members,
      (select string_agg(fields::text, ' ' order by contact_id) from subscription) as values,
      (select string_agg(status || version, ' ' order by id) from automation) as automations,
      (select string_agg(status || type, ' ' order by id) from campaign where type <> 'message') as campaigns`);

test('a rehearsal goes the way of the contact, sends its emails to the person, and changes nothing', async () => {
  const { id, first, second } = await everyKind('one.example');
  const before = await state();
  const rome = await rehearse(id, 'rome@one.example');
  assert.deepEqual(did(rome), [
    'mail sent',
    'pause skipped',
    'tag left_out',
    'move left_out',
    'fork yes',
    'more sent',
    'note left_out',
  ]);
  assert.deepEqual([rome.to, rome.contact, rome.outcome], [app.account.email, 'rome@one.example', 'completed']);
  assert.deepEqual(
    rome.path.filter((step) => step.did === 'sent').map(({ campaign }) => campaign),
    [first, second],
  );
  // The wait is skipped now, and said for later.
  const days = (Date.parse(`${rome.path[2]!.at}Z`) - Date.parse(`${rome.path[0]!.at}Z`)) / 86_400_000;
  assert.ok(days > 2.9 && days < 3.1, String(days));
  const oslo = await rehearse(id, 'oslo@one.example');
  assert.deepEqual(did(oslo).slice(-3), ['fork no', 'hook left_out', 'note left_out']);
  await until('three messages have come', async () => (await received(app.account.email, /./)).length >= 3);
  assert.deepEqual((await received(app.account.email, /./)).map(({ subject }) => subject).sort(), [
    '[Test run] First Oslo',
    '[Test run] First Rome',
    '[Test run] Second',
  ]);
  const [letter] = await received(app.account.email, /First Rome/);
  assert.match(letter!.text, new RegExp(`Hello Rome at ${app.account.email}`));
  assert.equal((await received('rome@one.example', /./)).length, 0);
  assert.deepEqual(await state(), before);
});

test('a preview goes the same way, sends nothing, and is not recorded', async () => {
  const { id, first, second } = await everyKind('preview.example');
  const audit = () => call<{ total: number }>('auditLog', { limit: 1 }).then(({ total }) => total);
  const before = [await state(), await audit()];
  const rome = await call<Rehearsal>('automationPreview', { id, email_address: 'rome@preview.example' });
  assert.deepEqual(did(rome), [
    'mail would_send',
    'pause skipped',
    'tag left_out',
    'move left_out',
    'fork yes',
    'more would_send',
    'note left_out',
  ]);
  assert.deepEqual(
    rome.path.flatMap(({ campaign }) => (campaign === '' ? [] : [campaign])),
    [first, second],
  );
  const other = { step: 'fork', arm: 'no' };
  const pretended = await call<Rehearsal>('automationPreview', { id, email_address: rome.contact, pretend: [other] });
  assert.deepEqual(did(pretended).slice(-3), ['fork no', 'hook left_out', 'note left_out']);
  assert.equal((await received(app.account.email, /Preview/)).length, 0);
  assert.deepEqual([await state(), await audit()], before);
});

test('it sends the version of the language of the contact, and takes what is being edited while it runs', async () => {
  const list = await call<string>('listCreate', { title: 'Languages' });
  const cid = await call<string>('automationEmailCreate', { list, subject: 'Welcome', text: 'Welcome, reader' });
  await call('campaignLanguageUpdate', { cid, language: 'de', subject: 'Hallo', html: '<p>Hallo, Leser</p>' });
  const id = await call<string>('automationCreate', { title: 'Welcome', list });
  const mail = { key: 'mail', type: 'send', campaign: cid };
  await call('automationUpdate', { id, trigger: { type: 'subscribed' }, steps: [mail] });
  // No one is on the list yet.
  const empty = await rehearse(id);
  assert.deepEqual([empty.contact, empty.path[0]!.language], ['', '']);
  await call('automationStart', { id });
  await call('listSubscribe', { id: list, email_address: 'eva@two.example', double_optin: false });
  await app.app.db.run(sql`update contact set language = 'de_AT' where email = 'eva@two.example'`);
  const wait = { key: 'later', type: 'wait', amount: 1, unit: 'weeks' };
  await call('automationUpdate', { id, steps: [wait, mail] });
  for (const status of ['active', 'paused']) {
    if (status === 'paused') await call('automationPause', { id });
    const german = await rehearse(id);
    assert.deepEqual(did(german), ['later skipped', 'mail sent']);
    assert.deepEqual([german.contact, german.path[1]!.language], ['eva@two.example', 'de']);
  }
  await until('both have come', async () => (await received(app.account.email, /Hallo/)).length === 2);
  assert.equal((await received(app.account.email, /Hallo/))[0]!.subject, '[Test run] Hallo');
});

test('a contact that matches the goal is through at once, one that has left can be rehearsed, one that is erased is unknown', async () => {
  const { list, id } = await everyKind('goal.example');
  await call('automationUpdate', {
    id,
    goal: { filter: [{ field: 'CITY', condition: 'is', value: 'Rome' }] },
  });
  const rome = await rehearse(id, 'rome@goal.example');
  assert.deepEqual([rome.outcome, rome.path], ['goal', []]);
  await call('listUnsubscribe', { id: list, email_address: 'oslo@goal.example', send_goodbye: false });
  assert.equal((await rehearse(id, 'oslo@goal.example')).outcome, 'completed');
  assert.equal((await rehearse(id)).contact, 'rome@goal.example');
  await call('contactErase', { email: 'oslo@goal.example' });
  await assert.rejects(rehearse(id, 'oslo@goal.example'), { fault: 'ADDRESS_UNKNOWN' });
  await assert.rejects(rehearse(id, '<script>'), { fault: 'ADDRESS_UNKNOWN' });
});

test('a message that waits when its contact is erased has no values, not those of another contact', async () => {
  const { list, id } = await everyKind('three.example');
  await call('listSubscribe', {
    id: list,
    email_address: 'gone@three.example',
    merge_vars: { CITY: 'Lima' },
    double_optin: false,
  });
  const job = await app.app.db.row<{ contact: number }>(
    sql`select id as contact from contact where email = 'gone@three.example'`,
  );
  await rehearse(id, 'gone@three.example');
  await until('it has come', async () => (await received(app.account.email, /First Lima/)).length === 1);
  await call('contactErase', { email: 'gone@three.example' });
  const { steps } = await call<{ steps: { campaign: string }[] }>('automationGet', { id });
  await sendTestMails({ app: app.app, log: app.app.log } as never, {
    account_id: app.account.id,
    campaign_id: parseId(steps[0]!.campaign),
    emails: [app.account.email],
    send_type: 'both',
    variant: 0,
    reader: { contact: job!.contact, list: parseId(list), event: '' },
  });
  await until('it has come', async () => (await received(app.account.email, /First you/)).length === 1);
});

test('emails show the latest event of the trigger that the contact had, else examples', async () => {
  const list = await call<string>('listCreate', { title: 'Shop' });
  for (const name of ['ann', 'bob'])
    await call('listSubscribe', { id: list, email_address: `${name}@event.example`, double_optin: false });
  const subject = 'Cart of *|EVENT:total|* *|EACH:EVENT:items|**|ITEM:name|*, *|END:EACH|*';
  const campaign = await call<string>('automationEmailCreate', { list, subject, text: 'Your cart waits' });
  const id = await call<string>('automationCreate', { title: 'Cart', list });
  const trigger = { type: 'event', name: 'cart.left' };
  await call('automationUpdate', { id, trigger, steps: [{ key: 'mail', type: 'send', campaign }] });
  for (const total of [1, 7])
    await call('eventSend', {
      name: 'cart.left',
      email_address: 'ann@event.example',
      data: { total, items: [{ name: 'Boots' }, { name: '<b>' }] },
    });
  const ann = await call<{ event: string }>('automationRehearse', { id, email_address: 'ann@event.example' });
  assert.match(ann.event, /^2\d{3}-/);
  const bob = await call<{ event: string }>('automationRehearse', { id, email_address: 'bob@event.example' });
  assert.equal(bob.event, '');
  await until('both have come', async () => (await received(app.account.email, /Cart of/)).length === 2);
  assert.deepEqual((await received(app.account.email, /Cart of/)).map((mail) => mail.subject).sort(), [
    '[Test run] Cart of 7 Boots, <b>,',
    '[Test run] Cart of total name 1, name 2,',
  ]);
});

/** Waits for an event, then for an event or Rome, and asks whether it is Oslo; each arm has an email or a webhook. */
async function waiting(host: string): Promise<{ id: string; thanks: string }> {
  const { list, first, second } = await everyKind(host);
  const id = await call<string>('automationCreate', { title: 'Waits', list });
  const city = (value: string) => [{ field: 'CITY', condition: 'is', value }];
  const hook = (key: string) => [{ key, type: 'webhook', name: key }];
  const send = (key: string, campaign: string) => [{ key, type: 'send', campaign }];
  await call('automationUpdate', {
    id,
    steps: [
      {
        key: 'paid',
        type: 'wait_for',
        name: 'order',
        amount: 3,
        unit: 'days',
        yes: send('thanks', first),
        no: hook('a'),
      },
      {
        key: 'rome',
        type: 'wait_for',
        name: 'came',
        filter: city('Rome'),
        amount: 1,
        unit: 'weeks',
        yes: hook('b'),
        no: hook('c'),
      },
      { key: 'oslo', type: 'condition', filter: city('Oslo'), yes: send('more', second), no: hook('d') },
    ],
  });
  return { id, thanks: first };
}

test('either arm of a wait for an event and of a condition is taken where it is chosen, at the time that goes with it', async () => {
  const { id, thanks } = await waiting('arms.example');
  const go = (pretend: object[], email_address = 'oslo@arms.example') =>
    call<Rehearsal>('automationRehearse', { id, email_address, pretend });
  const daysOf = ({ path }: Rehearsal) =>
    path.map(({ at }) => Math.round((Date.parse(`${at}Z`) - Date.now()) / 86_400_000) + 0);
  const asIs = await go([]);
  assert.deepEqual(did(asIs), ['paid no', 'a left_out', 'rome no', 'c left_out', 'oslo yes', 'more sent']);
  assert.deepEqual(daysOf(asIs), [3, 3, 10, 10, 10, 10]);
  assert.ok(asIs.path.every(({ pretended }) => !pretended));
  const before = await state();
  const other = await go([
    { step: 'paid', arm: 'yes' },
    { step: 'oslo', arm: 'no' },
  ]);
  assert.deepEqual(did(other), ['paid yes', 'thanks sent', 'rome no', 'c left_out', 'oslo no', 'd left_out']);
  assert.deepEqual(daysOf(other), [0, 0, 7, 7, 7, 7]);
  assert.deepEqual(
    other.path.flatMap(({ step, pretended }) => (pretended ? [step] : [])),
    ['paid', 'oslo'],
  );
  assert.equal(other.path[1]!.campaign, thanks);
  // A condition that matches is asked no longer, and a list without contacts takes the arm too.
  assert.deepEqual(did(await go([{ step: 'rome', arm: 'no' }], 'rome@arms.example')).slice(2, 4), [
    'rome no',
    'c left_out',
  ]);
  assert.deepEqual(did(await go([], 'rome@arms.example')).slice(2, 4), ['rome yes', 'b left_out']);
  await until('its email has come', async () => (await received(app.account.email, /First Oslo/)).length >= 1);
  assert.deepEqual(await state(), before);
});

test('an arm of a step that is gone or has none is refused, and nothing is sent', async () => {
  const { id } = await waiting('gone.example');
  const queued = async () =>
    (await app.app.db.row<{ count: number }>(sql`select coalesce(sum(recipients), 0)::int as count from test_mail`))!
      .count;
  const before = await queued();
  for (const step of ['more', 'gone'])
    await assert.rejects(
      call('automationRehearse', {
        id,
        pretend: [
          { step: 'oslo', arm: 'yes' },
          { step, arm: 'yes' },
        ],
      }),
      fault('AUTOMATION_INVALID', 'pretend.1.step'),
    );
  await assert.rejects(call('automationRehearse', { id, pretend: [{ step: 'oslo', arm: 'maybe' }] }), {
    fault: 'AUTOMATION_INVALID',
  });
  assert.equal(await queued(), before);
});

test('it is refused, with nothing sent, when a step lacks something, sending is not allowed, or the hour is full', async () => {
  const { list, first, id } = await everyKind('four.example');
  const queued = async () =>
    (await app.app.db.row<{ count: number }>(sql`select coalesce(sum(recipients), 0)::int as count from test_mail`))!
      .count;
  const before = await queued();
  const steps = (more: object[]) =>
    call('automationUpdate', { id, steps: [{ key: 'mail', type: 'send', campaign: first }, ...more] });
  await steps([{ key: 'empty', type: 'send' }]);
  await assert.rejects(rehearse(id), fault('AUTOMATION_INVALID', 'step empty'));
  await steps([{ key: 'tag', type: 'set_field', field: 'CITY', value: 'x' }]);
  await call('listMergeVarDel', { id: list, tag: 'CITY' });
  await assert.rejects(rehearse(id), fault('AUTOMATION_INVALID', 'step tag'));
  await call('automationUpdate', { id, steps: [] });
  await assert.rejects(rehearse(id), { fault: 'AUTOMATION_INVALID' });
  await assert.rejects(rehearse('ffffffff'), { fault: 'AUTOMATION_UNKNOWN' });
  await steps([]);
  await app.app.db.run(sql`update account set may_send = false where id = ${app.account.id}`);
  await assert.rejects(rehearse(id), { fault: 'SENDING_NOT_ALLOWED' });
  await app.app.db.run(sql`update account set may_send = true where id = ${app.account.id}`);
  assert.equal(await queued(), before);
  // Two at once, of which one fits into the hour.
  await app.app.db.run(sql`insert into test_mail (account_id, recipients) values (${app.account.id}, ${59 - before})`);
  const both = await Promise.allSettled([rehearse(id), rehearse(id)]);
  assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  assert.equal(await queued(), 60);
  await call('campaignDelete', { cid: first });
  await assert.rejects(rehearse(id), fault('AUTOMATION_INVALID', 'step mail'));
});
