// A reader changes its address: asked for on the preference page, confirmed at the new address, with what else may happen to the contact
// meanwhile and afterwards. docs/flows.md has the table.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type MailingApp, mailingApp } from '../../test/support/installation/mailing-app.ts';
import { until } from '../../test/support/run/until.ts';
import { purgeAddressChanges } from '../audience/members/address-change.ts';
import { sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import { sendMovedNotice } from '../mail/address-mail.ts';
import { tokensOf } from '../tracking/token-secret.ts';

let app: MailingApp;
let list: string;
let other: string;
before(async () => {
  app = await mailingApp();
  list = await app.call<string>('listCreate', { title: 'Letters', options: { company: 'Acme', public: true } });
  other = await app.call<string>('listCreate', { title: 'x', options: { company: 'Acme' } });
});
after(() => app.close());

type Member = { id: string; status: string; merges: Record<string, string> };
const member = (email_address: string, id = list) => app.call<Member>('listMemberInfo', { id, email_address });
const isKnown = async (email: string) => (await app.call('contactGet', { email }).catch(() => undefined)) !== undefined;
const add = (email_address: string, id = list) =>
  app.call('listSubscribe', { id, email_address, double_optin: false, merge_vars: { FNAME: 'Secret' } });
const get = async (url: string) => {
  const answer = await fetch(url);
  return { status: answer.status, body: await answer.text() };
};
const post = async (url: string, given: Record<string, string> = {}) => {
  const answer = await fetch(url, { method: 'POST', body: new URLSearchParams(given) });
  return { status: answer.status, body: await answer.text() };
};

/** A contact with its links. */
async function reader(email: string) {
  await add(email);
  const contact = parseId((await member(email)).id)!;
  const ids = { account: app.account.id, campaign: 0, seq: 0, contact, lists: [parseId(list)!] };
  const tokens = tokensOf(app.app).tokens(ids);
  const url = `${app.base}/p/${tokens.profile}`;
  return {
    contact,
    url,
    choices: `${app.base}/p/${tokens.choices}`,
    oneClick: `${app.base}/u/${tokens.unsubscribe}`,
    ask: (address: string) => post(url, { form: 'address', address }),
  };
}
type Mail = { id: string; to: string; subject: string; text: string };
async function mailsTo(address: string): Promise<Mail[]> {
  const found = await app.call<Mail[]>('inboxMessages', { contains: address, limit: 20 });
  return Promise.all(found.map(async ({ id }) => (await app.call<Mail[]>('inboxMessages', { id }))[0]!));
}
const linksIn = (messages: Mail[]) => messages.flatMap(({ text }) => text.match(/http\S+\/address\/[\w-]+/g) ?? []);
/** The link that came to an address. @param count how many are there by then */
async function linkTo(address: string, count = 1): Promise<string> {
  await until('the link arrives', async () => linksIn(await mailsTo(address)).length >= count);
  return linksIn(await mailsTo(address))[0]!;
}
/** So that the mailbox may be asked again at once. */
const forgetLimits = () => app.app.db.run(sql`delete from confirmation_asked`);
const suppressionOf = async (value: string) =>
  (await app.app.db.row<{ reason: string }>(sql`select reason from suppression where value = ${value}`))?.reason;
const suppress = (value: string, reason: string) =>
  app.app.db.run(sql`
    insert into suppression (account_id, kind, value, reason) values (${app.account.id}, 'address', ${value}, ${reason})`);
const moved = async (r: { ask(address: string): Promise<unknown> }, to: string) => {
  await r.ask(to);
  return post(await linkTo(to));
};

test('the new address confirms the change, the old one gets a notice, and the contact stays the same', async () => {
  await app.app.db.run(sql`
    insert into webhook (account_id, title, url, events)
    values (${app.account.id}, 'w', 'http://127.0.0.1:9/', '{email.change,address.suppressed}')`);
  const ann = await reader('Ann@old.example');
  await add('ann@old.example', other);
  await app.call('contactPause', { email: 'ann@old.example', until: '2037-01-01 00:00:00' });
  assert.match((await get(ann.url)).body, /<a href="\?change=address">Change your email address<\/a>/);
  assert.match((await get(`${ann.url}?change=address`)).body, /Emails go to Ann@old\.example\./);
  const asked = await ann.ask(' ann@new.example ');
  assert.equal(asked.status, 200);
  assert.match(asked.body, /If emails can be sent to ann@new\.example/);
  const link = await linkTo('ann@new.example');
  const [mail] = await mailsTo('ann@new.example');
  assert.equal(mail!.subject, 'Please confirm your new address: Acme');
  assert.doesNotMatch(mail!.text, /old\.example|Secret/, 'the mailbox may be of another person');
  const shown = await get(link);
  assert.match(shown.body, /receive the emails of Acme at ann@new\.example/);
  assert.doesNotMatch(shown.body, /old\.example|Secret/);
  assert.ok(await isKnown('ann@old.example'), 'GET changes nothing');

  for (let i = 0; i < 2; i++) {
    const done = await post(link);
    assert.equal(done.status, 200);
    assert.match(done.body, /Your address has been changed[\s\S]*Emails now go to ann@new\.example/);
  }
  assert.match((await get(link)).body, /Your address has been changed/);
  const after = await member('ann@new.example');
  assert.deepEqual([parseId(after.id), after.status, after.merges['FNAME']], [ann.contact, 'subscribed', 'Secret']);
  assert.equal(await isKnown('ann@old.example'), false);
  const exported = await app.call<{
    contact: { paused_until: string };
    timeline: { what: string; evidence: Record<string, string>; source: string }[];
  }>('contactExport', { email: 'ann@new.example' });
  assert.equal(exported.contact.paused_until, '2037-01-01 00:00:00');
  assert.deepEqual(
    exported.timeline.map(({ what }) => what).filter((what) => what !== 'mail'),
    ['subscribe', 'subscribe', 'pause', 'address'],
  );
  const change = exported.timeline.find(({ what }) => what === 'address')!;
  assert.deepEqual(change.evidence, { form: 'preferences', old: 'Ann@old.example', new: 'ann@new.example' });
  await until('the notice arrives', async () =>
    (await mailsTo('ann@old.example')).some(({ subject }) => subject === 'Your address has been changed: Acme'),
  );
  const notices = (await mailsTo('ann@old.example')).filter(({ subject }) => subject.startsWith('Your address'));
  assert.equal(notices.length, 1);
  assert.doesNotMatch(notices[0]!.text, /new\.example/);
  const events = await app.app.db.rows<{ type: string; list: string }>(sql`
    select type, payload ->> 'list' as list from webhook_event order by id`);
  assert.deepEqual(
    events
      .filter(({ type }) => type === 'email.change')
      .map((event) => event.list)
      .sort(),
    [list, other].sort(),
    'one for each list',
  );
  // The links of earlier emails are of the contact, wherever its emails go.
  await post(ann.oneClick, { 'List-Unsubscribe': 'One-Click' });
  assert.equal((await member('ann@new.example')).status, 'unsubscribed');
});

test('what is no address, or the present one, is refused at the field; the link to unsubscribe changes none', async () => {
  const r = await reader('bea@old.example');
  for (const wrong of ['', 'bea(at)new.example', `${'x'.repeat(300)}@new.example`, '"><script>alert(1)</script>']) {
    const { status, body } = await r.ask(wrong);
    assert.deepEqual([status, /Please enter a valid email address/.test(body)], [400, true], wrong);
    assert.doesNotMatch(body, /<script>alert/);
  }
  assert.match((await r.ask('BEA@old.example'.replace('OLD', 'old'))).body, /This is already your address/);
  assert.doesNotMatch((await get(r.choices)).body, /change=address/);
  assert.doesNotMatch((await get(`${r.choices}?change=address`)).body, /New email address/);
  await post(r.choices, { form: 'address', address: 'bea@new.example' });
  assert.deepEqual(await app.app.db.rows(sql`select from address_change where contact_id = ${r.contact}`), []);
});

test('an address that is a contact already gives no sign of it, and its owner learns that nothing can be moved', async () => {
  const r = await reader('cy@old.example');
  await add('cy@taken.example', other);
  const page = (body: string) => body.replaceAll(/cy@\w+\.example/g, '…').replaceAll(/\/p\/[\w-]+/g, '');
  const free = await r.ask('cy@free.example');
  const taken = await r.ask('cy@taken.example');
  assert.equal(page(taken.body), page(free.body));
  const link = await linkTo('cy@taken.example');
  assert.match((await get(link)).body, /receive the emails of Acme at cy@taken\.example/);
  const refused = await post(link);
  assert.match(refused.body, /Nothing was changed: the emails cannot be moved to cy@taken\.example/);
  assert.deepEqual(
    [(await member('cy@old.example')).status, await suppressionOf('cy@old.example')],
    ['subscribed', undefined],
  );
});

test('an address that may not be written to gets no link; one that left everything may come back', async () => {
  const r = await reader('dan@old.example');
  await suppress('dan@dead.example', 'bounce');
  await suppress('dan@left.example', 'unsubscribe');
  assert.match((await r.ask('dan@dead.example')).body, /If emails can be sent to/);
  const { body } = await moved(r, 'dan@left.example');
  assert.match(body, /Emails now go to dan@left\.example/);
  assert.equal(await suppressionOf('dan@left.example'), undefined);
  assert.deepEqual(linksIn(await mailsTo('dan@dead.example')), []);
});

test('what suppressed the former address suppresses the new one, but for a bounce, whose subscriptions continue', async () => {
  const angry = await reader('eva@old.example');
  await suppress('eva@old.example', 'complaint');
  await moved(angry, 'eva@new.example');
  assert.equal(await suppressionOf('eva@new.example'), 'complaint');
  assert.ok(!(await mailsTo('eva@old.example')).some(({ subject }) => subject.startsWith('Your address')));

  const dead = await reader('fay@old.example');
  await suppress('fay@old.example', 'bounce');
  await app.app.db.run(sql`update subscription set status = 'bounced' where contact_id = ${dead.contact}`);
  await moved(dead, 'fay@new.example');
  assert.deepEqual(
    [await suppressionOf('fay@new.example'), (await member('fay@new.example')).status],
    [undefined, 'subscribed'],
  );
  assert.equal(await suppressionOf('fay@old.example'), 'bounce');
});

test('who leaves before confirming has left at the new address too: one list by one click, or everything', async () => {
  const one = await reader('gil@old.example');
  await one.ask('gil@new.example');
  await post(one.oneClick, { 'List-Unsubscribe': 'One-Click' });
  await post(await linkTo('gil@new.example'));
  assert.deepEqual(
    [(await member('gil@new.example')).status, await suppressionOf('gil@new.example')],
    ['unsubscribed', undefined],
  );

  const all = await reader('hal@old.example');
  await all.ask('hal@new.example');
  await post(all.url, { form: 'leave-everything' });
  await post(await linkTo('hal@new.example'));
  assert.deepEqual(
    [(await member('hal@new.example')).status, await suppressionOf('hal@new.example')],
    ['unsubscribed', 'unsubscribe'],
  );
});

test('the request ends with its contact: erased, or deleted; with the list of the link it stays', async () => {
  const erased = await reader('ida@old.example');
  await erased.ask('ida@new.example');
  const link = await linkTo('ida@new.example');
  await app.call('contactErase', { email: 'ida@old.example' });
  const gone = await post(link);
  assert.deepEqual([gone.status, /no longer valid/.test(gone.body)], [410, true]);
  assert.deepEqual([await isKnown('ida@new.example'), await suppressionOf('ida@new.example')], [false, undefined]);

  const deleted = await reader('jan@old.example');
  await deleted.ask('jan@new.example');
  const second = await linkTo('jan@new.example');
  await app
    .call('listDeleteMember', { id: list, email_address: 'jan@old.example' })
    .catch(() => app.call('listUnsubscribe', { id: list, email_address: 'jan@old.example', delete_member: true }));
  assert.equal((await post(second)).status, 410);

  const brief = await app.call<string>('listCreate', { title: 'Brief', options: { company: 'Acme' } });
  await add('jo@old.example', brief);
  await add('jo@old.example');
  const ids = { account: app.account.id, campaign: 0, seq: 0, contact: parseId((await member('jo@old.example')).id)! };
  const { profile } = tokensOf(app.app).tokens({ ...ids, lists: [parseId(brief)!] });
  await post(`${app.base}/p/${profile}`, { form: 'address', address: 'jo@new.example' });
  const third = await linkTo('jo@new.example');
  await app.call('listDelete', { id: brief });
  assert.match((await post(third)).body, /Emails now go to jo@new\.example/);
});

test('erasing the contact after the change erases the former address, and its entry', async () => {
  const r = await reader('kim@old.example');
  await moved(r, 'kim@new.example');
  await until('the notice arrives', async () => (await mailsTo('kim@old.example')).length > 0);
  await app.call('contactErase', { email: 'kim@new.example', keep_suppressed: false });
  assert.equal(await suppressionOf('kim@old.example'), undefined);
  assert.deepEqual(
    await app.app.db.rows(sql`
      select from consent where detail::text like '%kim@%' union all
      select from message_recipient where email_key like 'kim@%'`),
    [],
  );
  // A job that runs once more finds nothing to say.
  const before = (await mailsTo('kim@old.example')).length;
  const task = { app: app.app, log: app.app.log, signal: new AbortController().signal };
  await sendMovedNotice(task as never, { account_id: app.account.id, contact_id: r.contact });
  assert.ok((await mailsTo('kim@old.example')).length <= before);
});

test('an import of the former address adds no second contact; one of the new address before it is confirmed counts first', async () => {
  const importOf = async (email: string) => {
    const id = await app.call<string>('importCreate', { id: list, content: `EMAIL\n${email}\n` });
    await app.call('importStart', { import: id });
    let result: Record<string, number> = {};
    await until('the import has ended', async () => {
      const got = await app.call<{ state: string; result: Record<string, number> }>('importGet', { import: id });
      result = got.result;
      return got.state === 'done';
    });
    return result;
  };
  const lea = await reader('lea@old.example');
  await moved(lea, 'lea@new.example');
  assert.equal((await importOf('lea@old.example'))['suppressed'], 1);
  assert.equal(await isKnown('lea@old.example'), false);

  const max = await reader('max@old.example');
  await max.ask('max@new.example');
  const link = await linkTo('max@new.example');
  await importOf('max@new.example');
  assert.match((await post(link)).body, /Nothing was changed/);
  assert.ok((await isKnown('max@old.example')) && (await isKnown('max@new.example')));
});

test('of two tabs the later request counts; a link is good for a week, and five requests a day are possible', async () => {
  const r = await reader('ned@old.example');
  await r.ask('ned@first.example');
  await r.ask('ned@second.example');
  const [first, second] = [await linkTo('ned@first.example').catch(() => ''), await linkTo('ned@second.example')];
  assert.ok(first === '' || /no longer valid/.test((await post(first)).body));
  await app.app.db.run(
    sql`update address_change set asked_at = now() - interval '8 days' where contact_id = ${r.contact}`,
  );
  assert.deepEqual([(await get(second)).status, (await post(second)).status], [410, 410]);
  await purgeAddressChanges(app.app.db);
  assert.deepEqual(await app.app.db.rows(sql`select from address_change where contact_id = ${r.contact}`), []);

  for (let i = 0; i < 5; i++) assert.equal((await r.ask(`ned${i}@new.example`)).status, 200);
  const many = await r.ask('ned5@new.example');
  assert.deepEqual([many.status, /too many requests/.test(many.body)], [400, true]);
  await app.app.db.run(
    sql`update address_change set first_at = now() - interval '2 days' where contact_id = ${r.contact}`,
  );
  assert.equal((await r.ask('ned6@new.example')).status, 200);
  await forgetLimits();
});

test('the change is one transaction: if a part of it fails nothing of it remains, and the link still works', async () => {
  const r = await reader('ole@old.example');
  await r.ask('ole@new.example');
  const link = await linkTo('ole@new.example');
  await app.app.db.run(sql`
    create function stop() returns trigger language plpgsql as $$ begin raise exception 'killed'; end $$`);
  await app.app.db.run(sql`create trigger stop before insert on suppression for each row execute function stop()`);
  try {
    assert.equal((await post(link)).status, 500);
  } finally {
    await app.app.db.run(sql`drop trigger stop on suppression`);
  }
  assert.deepEqual([await isKnown('ole@old.example'), await isKnown('ole@new.example')], [true, false]);
  assert.match((await post(link)).body, /Emails now go to ole@new\.example/);
  // As after the restore of a backup that was made before the request.
  const pia = await reader('pia@old.example');
  await pia.ask('pia@new.example');
  const lost = await linkTo('pia@new.example');
  await app.app.db.run(sql`delete from address_change where contact_id = ${pia.contact}`);
  assert.match((await post(lost)).body, /no longer valid[\s\S]*ask for a new link/);
  assert.ok(await isKnown('pia@old.example'));
});
