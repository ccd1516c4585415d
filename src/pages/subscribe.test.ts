// The hosted sign-up form over HTTP: what it accepts, what it reveals, and that no one can flood a mailbox with it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { mailboxHash } from '../audience/confirmation/confirmation-limit.ts';
import { openedToken } from '../audience/signup/form.ts';
import { formLimits, maxPerHour } from '../audience/signup/sign-up.ts';
import { sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import { createServer } from '../web.ts';

let app: TestApp;
let list: string;
let url: string;
let server: Awaited<ReturnType<typeof createServer>>;
before(async () => {
  app = await testApp({ TRUST_PROXY: '127.0.0.1/32' });
  server = await createServer(app.app);
  list = await app.call<string>('listCreate', { title: 'Letter & more' });
  url = await pathOf(list);
});
after(async () => {
  await server.close();
  await app.close();
});

type FormAnswer = { url: string; html: string; settings: Record<string, unknown> };
const pathOf = async (id: string) => new URL((await app.call<FormAnswer>('listForm', { id })).url).pathname;
const keyOf = (path: string) => path.split('?')[0]!.split('/').at(-1)!;
const look = (path: string) => openedToken(app.app, keyOf(path), Date.now() - 5_000);

let nextIp = 0;
const post = (path: string, given: Record<string, string>, ip = `203.0.113.${nextIp++ % 250}`) =>
  server.inject({
    method: 'POST',
    url: path,
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': ip },
    payload: new URLSearchParams(given).toString(),
  });
const sent = (path: string, email: string, more: Record<string, string> = {}) =>
  post(path, { EMAIL: email, CONSENT: '1', LOOK: look(path), ...more });
const status = async (email: string, id = list) =>
  (
    await app.app.db.row<{ status: string }>(sql`
      select s.status
      from subscription s
      join contact c on c.account_id = s.account_id and c.id = s.contact_id
      where c.email = ${email}
        and s.list_id = ${parseId(id)}`)
  )?.status;
const confirmations = async () =>
  (await app.app.db.row<{ count: number }>(sql`
    select count(*)::int as count from graphile_worker._private_jobs j
    join graphile_worker._private_tasks t on t.id = j.task_id
    where t.identifier = 'sendConfirmation'`))!.count;

test('GET shows the public fields in their order, in the language asked for, and writes nothing', async () => {
  await app.call('listMergeVarAdd', { id: list, tag: 'CITY', name: 'City', options: { req: true, order: 1 } });
  await app.call('listMergeVarAdd', {
    id: list,
    tag: 'KIND',
    name: 'Kind',
    options: { field_type: 'dropdown', choices: ['Tea', 'Coffee "black"'] },
  });
  await app.call('listMergeVarAdd', { id: list, tag: 'NOTE', name: 'Inner note', options: { public: false } });
  const page = await server.inject({ url: `${url}?ln=de` });
  assert.equal(page.statusCode, 200);
  assert.match(page.body, /<html lang="de">/);
  assert.match(page.body, /<h1>Letter &amp; more abonnieren<\/h1>/);
  assert.doesNotMatch(page.body, /Inner note|<script/);
  const order = [...page.body.matchAll(/ name="([A-Z_]+)"/g)].map((match) => match[1]);
  assert.deepEqual(order, ['LOOK', 'EMAIL', 'CITY', 'FNAME', 'LNAME', 'KIND', 'CONTACT_URL', 'CONSENT']);
  assert.match(page.body, /<option>Coffee &quot;black&quot;<\/option>/);
  assert.equal((await server.inject({ url: '/subscribe/00000000000000000000000000000000' })).statusCode, 404);
  await app.call('listMergeVarUpdate', { id: list, tag: 'CITY', options: { req: false } });
});

test('a form asks for confirmation, keeps what was agreed to, and never subscribes automatically', async () => {
  const consent = 'I agree. See [our rules](https://example.com/rules).';
  await app.call('listFormUpdate', { id: list, options: { consent } });
  const page = await server.inject({ url });
  assert.match(page.body, /<a href="https:\/\/example\.com\/rules"[^>]*>our rules<\/a>/);
  const answer = await post(
    url,
    { EMAIL: 'ada@example.com', FNAME: 'Ada', CONSENT: '1', LOOK: look(url) },
    '198.51.100.7',
  );
  assert.equal(answer.statusCode, 200);
  assert.match(answer.body, /Nearly done/);
  assert.equal(await status('ada@example.com'), 'pending');
  const evidence = await app.app.db.row<{ kind: string; ip: string; detail: Record<string, string> }>(
    sql`select kind, ip, detail from consent order by id desc limit 1`,
  );
  assert.equal(evidence!.kind, 'signup');
  assert.equal(evidence!.ip, '198.51.100.7');
  assert.equal(evidence!.detail.consent, consent);
  assert.equal(evidence!.detail.form, keyOf(url));
  // What was shown and agreed to can be read out, to be handed over or held up.
  type Evidence = { source: string; evidence: Record<string, string> };
  const { contact, timeline } = await app.call<{
    contact: { subscriptions: Evidence[] };
    timeline: (Evidence & { what: string })[];
  }>('contactExport', { email: 'ada@example.com' });
  const shown = { form: keyOf(url), language: 'en', consent, shown: evidence!.detail.shown };
  assert.match(shown.shown!, /Letter & more/);
  assert.deepEqual(contact.subscriptions[0]!.evidence, shown);
  const entry = timeline.find(({ what }) => what === 'signup')!;
  assert.deepEqual([entry.source, entry.evidence], ['subscriber', shown]);
});

test('errors are shown next to their fields, and what was typed stays', async () => {
  const answer = await post(url, { EMAIL: 'ada(at)example.com', FNAME: 'A "B" <c>', KIND: 'Milk', LOOK: look(url) });
  assert.equal(answer.statusCode, 400);
  assert.match(answer.body, /value="ada\(at\)example\.com"[^>]*aria-describedby="f-EMAIL-problem"/);
  assert.match(answer.body, /id="f-EMAIL-problem">Please enter a valid email address\./);
  assert.match(answer.body, /id="f-KIND-problem">This value is not valid here\./);
  assert.match(answer.body, /id="f-CONSENT-problem">Please give your consent/);
  assert.match(answer.body, /value="A &quot;B&quot; &lt;c&gt;"/);
});

test('a post with a missing, forged or too recent form token shows the form again with the values', async () => {
  const before = await confirmations();
  for (const token of ['', 'x.y', look('/subscribe/other'), openedToken(app.app, keyOf(url), Date.now())]) {
    const answer = await post(url, { EMAIL: 'look@example.com', CONSENT: '1', LOOK: token });
    assert.equal(answer.statusCode, 200);
    assert.match(answer.body, /Please check your details/);
    assert.match(answer.body, /value="look@example\.com"/);
  }
  assert.equal(await status('look@example.com'), undefined);
  assert.equal(await confirmations(), before);
});

test('a post with the hidden field gets the thank-you page and has no effect', async () => {
  assert.match((await sent(url, 'bot@example.com', { CONTACT_URL: 'http://spam.example' })).body, /Nearly done/);
  assert.equal(await status('bot@example.com'), undefined);
});

test('the answer is the same for new, subscribed, pending, suppressed and bounced addresses, which stay unchanged', async () => {
  await app.call('listSubscribe', {
    id: list,
    email_address: 'known@example.com',
    merge_vars: { FNAME: 'Known' },
    double_optin: false,
  });
  await app.call('listSubscribe', { id: list, email_address: 'dead@example.com', double_optin: false });
  await app.app.db.run(sql`
    update subscription s set status = 'bounced' from contact c where c.id = s.contact_id and c.email = 'dead@example.com'`);
  await app.app.db.run(sql`
    insert into suppression (account_id, kind, value, reason) values (${app.account.id}, 'address', 'never@example.com', 'complaint'),
      (${app.account.id}, 'domain', 'blocked.example', 'manual')`);
  await app.call('listSubscribe', { id: list, email_address: 'erased@example.com', double_optin: false });
  await app.call('contactErase', { email: 'erased@example.com' });
  const before = await confirmations();
  const answers = [];
  const names = ['known', 'dead', 'never', 'erased', 'fresh', 'fresh'].map((name) => `${name}@example.com`);
  for (const email of [...names, 'eve@blocked.example']) {
    const { statusCode, body, headers } = await sent(url, email, { FNAME: 'Another person' });
    answers.push({ statusCode, body, location: headers.location });
  }
  for (const answer of answers) assert.deepEqual(answer, answers[0]);
  assert.equal((await confirmations()) - before, 1);
  assert.deepEqual(
    [await status('known@example.com'), await status('dead@example.com'), await status('never@example.com')],
    ['subscribed', 'bounced', undefined],
  );
  assert.deepEqual([await status('erased@example.com'), await status('eve@blocked.example')], [undefined, undefined]);
  const info = await app.call<{ merges: Record<string, string> }>('listMemberInfo', {
    id: list,
    email_address: 'known@example.com',
  });
  assert.equal(info.merges.FNAME, 'Known');
});

test('the form subscribes a mailbox once, however its address is spelled; methods take each address as it is', async () => {
  await app.call('listSubscribe', { id: list, email_address: 'Grace.Hopper@gmail.com', double_optin: false });
  for (const spelling of ['gracehopper@gmail.com', 'g.racehopper+x@googlemail.com']) {
    assert.match((await sent(url, spelling)).body, /Nearly done/);
    assert.equal(await status(spelling), undefined);
  }
  await app.call('listSubscribe', { id: list, email_address: 'gracehopper@gmail.com', double_optin: false });
  assert.equal(await status('gracehopper@gmail.com'), 'subscribed');
});

test('a disabled form refuses GET and POST, and so does the form of an account that may not send', async () => {
  await app.call('listFormUpdate', { id: list, options: { enabled: false } });
  assert.equal((await server.inject({ url })).statusCode, 403);
  assert.equal((await sent(url, 'off@example.com')).statusCode, 403);
  assert.equal(await status('off@example.com'), undefined);
  await app.call('listFormUpdate', { id: list, options: { enabled: true } });
  assert.equal((await server.inject({ url })).statusCode, 200);
});

test('the owner may set a thank-you page, https only; the visitor cannot', async () => {
  await assert.rejects(
    app.call('listFormUpdate', { id: list, options: { redirect_url: 'http://example.com/' } }),
    /options\.redirect_url/,
  );
  await app.call('listFormUpdate', { id: list, options: { redirect_url: 'https://example.com/thanks' } });
  const page = await server.inject({ url });
  assert.match(String(page.headers['content-security-policy']), /form-action 'self' https:\/\/example\.com;/);
  const answer = await sent(`${url}?redirect_url=https://evil.example`, 'thanks@example.com', {
    redirect_url: 'https://evil.example',
  });
  assert.deepEqual([answer.statusCode, answer.headers.location], [303, 'https://example.com/thanks']);
  await app.call('listFormUpdate', { id: list, options: { redirect_url: '' } });
});

test('the snippet works on another site without cookies: it posts to the hosted page, which redirects', async () => {
  const { html } = await app.call<FormAnswer>('listForm', { id: list, language: 'fr' });
  const action = /<form action="([^"]+)" method="post"/.exec(html)![1]!;
  assert.match(html, /S’abonner/);
  assert.doesNotMatch(html, /<script|class="soft"[^>]*onclick/);
  const path = action.replace(app.app.baseUrl, '');
  const first = await server.inject({
    method: 'POST',
    url: path,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      origin: 'https://elsewhere.example',
      'sec-fetch-site': 'cross-site',
    },
    payload: new URLSearchParams({ EMAIL: 'embed@example.com', FNAME: 'Émile', CONSENT: '1' }).toString(),
  });
  assert.equal(first.statusCode, 200);
  assert.match(first.body, /value="Émile"/);
  assert.match(first.body, /name="CONSENT"[^>]* checked/);
  assert.match((await sent(path, 'embed@example.com', { FNAME: 'Émile' })).body, /C’est presque fini/);
  assert.equal(await status('embed@example.com'), 'pending');
});

test('a network that sends too many forms has to wait, whatever the address', async () => {
  const path = await pathOf(await app.call<string>('listCreate', { title: 'Busy' }));
  const codes = [];
  for (let i = 0; i < maxPerHour + 3; i++)
    codes.push((await post(path, { EMAIL: `n${i}@example.com` }, `2001:db8:1:2::${i + 1}`)).statusCode);
  assert.equal(codes.filter((code) => code === 429).length, 3);
  assert.notEqual((await post(path, { EMAIL: 'n@example.com' }, '2001:db8:1:3::1')).statusCode, 429);
});

test('a form that has sent too many confirmations stops for the hour, and the account gets one notice', async () => {
  const usual = formLimits.askedPerHour;
  formLimits.askedPerHour = 3;
  try {
    const path = await pathOf(await app.call<string>('listCreate', { title: 'Flooded' }));
    const elsewhere = await pathOf(await app.call<string>('listCreate', { title: 'Calm' }));
    const signUp = (to: string, i: number) =>
      post(to, { EMAIL: `flood${i}@example.com`, CONSENT: '1', LOOK: look(to) }, `10.77.${i}.1`);
    const codes = [];
    for (let i = 0; i < 6; i++) codes.push((await signUp(path, i)).statusCode);
    assert.deepEqual(codes, [200, 200, 200, 429, 429, 429]);
    assert.equal((await signUp(elsewhere, 7)).statusCode, 200);
    // An hour later it accepts three more, and sends no second notice.
    await app.app.db.run(sql`update signup_count set hour = hour - interval '1 hour' where counter like 'form %'`);
    for (let i = 10; i < 14; i++) codes.push((await signUp(path, i)).statusCode);
    assert.deepEqual(codes.slice(6), [200, 200, 200, 429]);
    const notices = await app.app.db.rows<{ subject: string }>(sql`
      select j.payload ->> 'subject' as subject
      from graphile_worker._private_jobs j
      join graphile_worker._private_tasks k on k.id = j.task_id
      where k.identifier = 'sendAccountNotice'`);
    assert.deepEqual(notices, [{ subject: 'Too many sign-ups through the form of Flooded' }]);
  } finally {
    formLimits.askedPerHour = usual;
  }
});

test('1,000 posts from 100 networks send a mailbox one message per list, and three in all', async () => {
  const paths: string[] = [];
  for (let i = 0; i < 5; i++) paths.push(await pathOf(await app.call<string>('listCreate', { title: `Bomb ${i}` })));
  const other = await app.anotherAccount();
  const elsewhere = await other.call<string>('listCreate', { title: 'Elsewhere' });
  paths.push(new URL((await other.call<FormAnswer>('listForm', { id: elsewhere })).url).pathname);
  const before = await confirmations();
  const started = process.cpuUsage();
  const bodies = new Set<string>();
  let next = 0;
  const sender = async () => {
    for (let i = next++; i < 1_000; i = next++) {
      const path = paths[i % paths.length]!;
      // Written in several ways, as an attacker would.
      const email = ['v.ictim@gmail.com', 'victim@gmail.com', `vic.tim+${i}@googlemail.com`][i % 3]!;
      const answer = await post(path, { EMAIL: email, CONSENT: '1', LOOK: look(path) }, `10.9.${i % 100}.1`);
      assert.equal(answer.statusCode, 200);
      bodies.add(answer.body.replace(/Bomb \d|Elsewhere/g, ''));
    }
  };
  await Promise.all(Array.from({ length: 16 }, sender));
  const { user, system } = process.cpuUsage(started);
  const asked = await app.app.db.rows<{ list_id: number; count: number }>(sql`
    select (payload ->> 'list_id')::int as list_id, count(*)::int as count
    from graphile_worker._private_jobs j
    join graphile_worker._private_tasks t on t.id = j.task_id
    where t.identifier = 'sendConfirmation'
      and (payload ->> 'list_id')::int in (select id from list where name like 'Bomb %' or name = 'Elsewhere')
    group by 1`);
  assert.deepEqual(
    asked.map((row) => row.count),
    [1, 1, 1],
  );
  assert.equal((await confirmations()) - before, 3);
  assert.equal(bodies.size, 1, 'every post gets the same answer');
  const seconds = (user + system) / 1e6;
  assert.ok(seconds <= 6, `it took ${seconds.toFixed(1)} s of CPU`);
  // A day later, the same list may ask again, once.
  await app.app.db.run(sql`update confirmation_asked set asked_at = asked_at - interval '24 hours 1 second'`);
  const spellings = ['v.ictim@gmail.com', 'victim@gmail.com', 'vic.tim+2@googlemail.com'];
  for (let i = 0; i < 2; i++) await sent(paths[0]!, spellings[0]!);
  assert.equal((await confirmations()) - before, 4);
  // Nor do the other lists come to more than three in those 24 hours.
  for (let i = 0; i < 3; i++) for (const [no, path] of paths.entries()) await sent(path, spellings[no % 3]!);
  assert.equal((await confirmations()) - before, 6);
  const most = await app.app.db.row<{ list: number; all: number }>(sql`
    select max(here)::int as list, sum(here)::int as all
    from (
      select count(*) as here
      from confirmation_asked
      where asked_at > now() - interval '24 hours'
        and mailbox = ${mailboxHash(app.app, 'victim@gmail.com')}
      group by account_id, list_id
    ) as asked`);
  assert.deepEqual(most, { list: 1, all: 3 });
});

test('repeated calls of listSubscribe send one message too', async () => {
  const before = await confirmations();
  for (let i = 0; i < 3; i++) await app.call('listSubscribe', { id: list, email_address: 'again@example.com' });
  assert.equal((await confirmations()) - before, 1);
});
