// The life of a sender domain against a name server on loopback: added, published, rotated, broken, silent, removed.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { type DnsStub, startDnsStub } from '../../../test/support/network/dns-stub.ts';
import { readDomain } from '../../base/domain-name.ts';
import { renderPacked } from '../../base/messages.ts';
import { sql } from '../../db/connect.ts';
import { type Finding, outcomeOf, type PublicKey, recordsOf, senderDomains } from './sender-domain.ts';
import { signingKeys } from './signing-keys.ts';
import { checkSenderDomains } from './watch.ts';

let app: TestApp;
let dns: DnsStub;
before(async () => {
  dns = await startDnsStub();
  app = await testApp({
    DNS_SERVERS: dns.server,
    SENDING_ADDRESSES: '192.0.2.7',
    SPF_INCLUDE: 'spf.relay.example',
    BOUNCE_DOMAIN: 'back.news.example',
    SEAL_KEY: 'a secret of this test alone',
  });
});
after(async () => {
  await app.close();
  await dns.close();
});

type Answer = {
  domain: string;
  status: string;
  records: {
    purpose: string;
    type: string;
    name: string;
    value: string;
    zone: string;
    required: boolean;
    note: string;
  }[];
  checks: { record: string; name: string; found: string; ok: boolean; state: string; advice: string }[];
  retired: { name: string }[];
};
const add = (domain: string) => app.call<Answer>('senderDomainCreate', { domain });
const check = (domain: string) => app.call<Answer>('senderDomainCheck', { domain });
const publish = (answer: Answer, purposes = ['dkim']) => {
  for (const { purpose, name, value } of answer.records)
    if (purposes.includes(purpose)) dns.set(name, { TXT: [value] });
};
/** The checks of records that a domain may do without. */
const optional = ['bimi', 'mta_sts', 'mta_sts_policy', 'tls_rpt'];
const keysOf = (domain: string) => signingKeys(app.app, app.app.db, app.account.id, domain);
const watch = () => checkSenderDomains({ app: app.app, log: app.app.log, signal: new AbortController().signal });

test('a domain of a public mailbox provider is refused', async () => {
  await assert.rejects(add('Gmail.com'), {
    fault: 'DOMAIN_INVALID',
    message: /^domain: gmail\.com is a mailbox provider/,
  });
});

test('a new domain shows the records to publish, and becomes active when its DKIM record is found', async () => {
  const added = await add('News.Example.');
  assert.equal(added.domain, 'news.example');
  assert.equal(added.status, 'pending');
  assert.deepEqual(
    added.records.map(({ purpose, type, required }) => [purpose, type, required]),
    [
      ['dkim', 'TXT', true],
      ['dkim', 'TXT', false],
      ['spf', 'TXT', false],
      ['dmarc', 'TXT', false],
      ['return_path', 'MX', false],
    ],
  );
  const [rsa, ed25519, spf, , mx] = added.records;
  assert.match(rsa!.name, /^pr[0-9a-f]{8}r\._domainkey\.news\.example$/);
  assert.match(rsa!.value, /^v=DKIM1; k=rsa; p=[\w+/=]{300,}$/);
  assert.match(rsa!.zone, /^"[^"]{255}" "[^"]+"$/);
  assert.match(ed25519!.value, /^v=DKIM1; k=ed25519; p=[\w+/=]{44}$/);
  assert.equal(spf!.value, 'v=spf1 include:spf.relay.example ip4:192.0.2.7 ~all');
  assert.deepEqual([spf!.name, mx!.name], ['back.news.example', 'back.news.example']);

  const before = await check('news.example');
  assert.equal(before.status, 'pending');
  assert.deepEqual(
    before.checks.map(({ record, ok, state }) => [record, ok, state]),
    [
      ['spf', false, 'missing'],
      ['dkim', false, 'missing'],
      ['dkim', false, 'missing'],
      ['dmarc', false, 'missing'],
      ['mx', false, 'missing'],
      ['ptr', false, 'missing'],
      ...optional.map((name) => [name, false, 'missing']),
    ],
  );
  const advice = before.checks.filter(({ record }) => optional.includes(record)).map((check) => check.advice);
  assert.match(advice.join(' '), /^Optional: .* beside emails from news\.example.* needs a DMARC record/);
  const [stored] = await senderDomains(app.app.db, app.account.id, 'news.example');
  const bimi = stored!.findings.find(({ name }) => name === 'bimi')!;
  assert.match(renderPacked(bimi.hint, 'de'), /^Freiwillig: .* neben E-Mails von news\.example.*DMARC-Eintrag/);
  assert.equal((await keysOf('news.example')).kind, 'none');

  publish(added, ['dkim', 'dmarc']);
  dns.set('back.news.example', {
    TXT: [added.records.find((record) => record.purpose === 'spf')!.value],
    MX: [{ exchange: 'mx.elsewhere.example', priority: 10 }],
  });
  dns.set('spf.relay.example', { TXT: ['v=spf1 ip4:192.0.2.0/24 -all'] });
  dns.set('7.2.0.192.in-addr.arpa', { PTR: ['out.news.example'] });
  dns.set('out.news.example', { A: ['192.0.2.7'] });
  const found = await check('news.example');
  assert.equal(found.status, 'active');
  assert.deepEqual(
    found.checks.filter((check) => !check.ok).map(({ record }) => record),
    optional,
  );
  assert.match(found.checks.find((check) => check.record === 'mx')!.advice, /handed on to the listener/);
  const keys = await keysOf('news.example');
  assert.deepEqual(keys.kind === 'keys' && keys.keys.map((key) => key.algorithm), ['ed25519-sha256', 'rsa-sha256']);
});

test('a domain is added once, and only if it can sign', async () => {
  await assert.rejects(add('news.example'), { code: 141 });
  for (const wrong of [
    '',
    'localhost',
    '192.0.2.1',
    'a b.example',
    '-x.example',
    `${'a.'.repeat(120)}example`,
    'x@y.example',
  ])
    await assert.rejects(add(wrong), { code: 141 }, wrong);
  assert.equal(readDomain('Bücher.example'), 'xn--bcher-kva.example');
});

test('without its Ed25519 record a domain signs with RSA only; without the RSA record it does not become active', async () => {
  const added = await add('half.example');
  dns.set(added.records[1]!.name, { TXT: [added.records[1]!.value] });
  assert.equal((await check('half.example')).status, 'pending');
  dns.set(added.records[0]!.name, { TXT: [added.records[0]!.value] });
  dns.set(added.records[1]!.name, {});
  assert.equal((await check('half.example')).status, 'active');
  const keys = await keysOf('half.example');
  assert.deepEqual(keys.kind === 'keys' && keys.keys.map((key) => key.algorithm), ['rsa-sha256']);
});

test('new keys are used once they are published; the old ones sign until then', async () => {
  const first = await keysOf('news.example');
  const rotated = await app.call<Answer>('senderDomainRotate', { domain: 'news.example' });
  assert.equal(rotated.records.filter((record) => record.purpose === 'dkim').length, 4);
  assert.deepEqual(await keysOf('news.example'), first);
  assert.equal((await check('news.example')).status, 'active');
  assert.deepEqual(await keysOf('news.example'), first);

  const again = await app.call<Answer>('senderDomainRotate', { domain: 'news.example' });
  publish({ ...again, records: again.records.filter((record) => record.note !== '') });
  const done = await check('news.example');
  assert.equal(done.status, 'active');
  assert.equal(done.retired.length, 2);
  const second = await keysOf('news.example');
  assert.ok(first.kind === 'keys' && second.kind === 'keys');
  for (const key of second.keys) {
    assert.ok(!first.keys.some((item) => item.selector === key.selector));
    assert.ok(again.records.some((record) => record.name.startsWith(key.selector) && record.note !== ''));
  }
});

test('the watch notices published and removed records, and notifies the owner of the removed ones', async () => {
  const added = await add('watched.example');
  publish(added);
  const status = async () =>
    (await app.call<Answer[]>('senderDomains')).find((item) => item.domain === 'watched.example')!.status;
  await watch();
  assert.equal(await status(), 'active');

  const age = () => app.app.db.run(sql`update sender_domain set checked_at = now() - interval '1 day'`);
  const notices = async () =>
    (await app.app.db.row<{ count: number }>(sql`
      select count(*)::int as count from graphile_worker.jobs where task_identifier = 'sendAccountNotice'`))!.count;
  const rsa = added.records[0]!;
  dns.set(rsa.name, { rcode: 2 });
  await age();
  await watch();
  assert.equal(await status(), 'active', 'a name server that fails is no reason to stop signing');

  dns.set(rsa.name, { TXT: ['v=DKIM1; k=rsa; p='] });
  await age();
  await watch();
  assert.equal(await status(), 'broken');
  assert.equal(await notices(), 1);
  assert.equal((await keysOf('watched.example')).kind, 'none');

  await age();
  await watch();
  assert.equal(await notices(), 1);
  dns.set(rsa.name, { TXT: [rsa.value] });
  await app.app.db.run(sql`update sender_domain set checked_at = now()`);
  await watch();
  assert.equal(await status(), 'broken', 'it is not looked at again at once');
  await age();
  await watch();
  assert.equal(await status(), 'active');
});

test('a campaign may use authenticate exactly while the domain of its From address is active', async () => {
  const pro = await app.anotherAccount('pro');
  const list = await pro.call<string>('listCreate', { title: 'L' });
  const create = (sender: string) =>
    pro.call('campaignCreate', {
      type: 'plain',
      options: { list_id: list, subject: 's', from_email: 'a@b.example', from_name: 'n', sender, authenticate: true },
      content: { plain: 'x' },
    });
  await assert.rejects(create('me@news.example'), { code: 312 }, "another account's domain is of no use");
  const own = await pro.call<Answer>('senderDomainCreate', { domain: 'news.example' });
  await assert.rejects(create('me@news.example'), { code: 312 }, 'pending');
  publish(own);
  assert.equal((await pro.call<Answer>('senderDomainCheck', { domain: 'news.example' })).status, 'active');
  assert.match(String(await create('me@NEWS.example')), /^[abcdf][0-9a-f]{7}$/);
  await assert.rejects(create('me@sub.news.example'), { code: 312 }, 'the From domain itself must sign');
  assert.equal(await pro.call('senderDomainDelete', { domain: 'news.example' }), true);
  await assert.rejects(create('me@news.example'), { code: 312 }, 'removed');
  await assert.rejects(pro.call('senderDomainCheck', { domain: 'news.example' }), { code: 140 });
});

test('private keys are stored encrypted, bound to their row, and cannot be decrypted with another SEAL_KEY', async () => {
  const rows = await app.app.db.rows<{ private: Buffer }>(sql`select private_key as private from sender_domain_key`);
  assert.ok(rows.length >= 6);
  for (const row of rows) assert.doesNotMatch(row.private.toString('latin1'), /PRIVATE KEY|MII/);
  const other = { ...app.app, config: { ...app.app.config, sealKey: 'quite another secret' } };
  const unopened = await signingKeys(other, app.app.db, app.account.id, 'news.example');
  assert.equal(unopened.kind, 'unusable');
  await app.app.db.run(sql`
    update sender_domain_key k
    set private_key = o.private_key
    from sender_domain_key o, sender_domain d, sender_domain e
    where d.id = k.domain_id and d.domain = 'half.example' and d.account_id = ${app.account.id}
      and e.id = o.domain_id and e.domain = 'watched.example' and o.algorithm = k.algorithm`);
  assert.equal((await keysOf('half.example')).kind, 'unusable');
});

const key = (selector: string, role: PublicKey['role'], published: boolean): PublicKey => ({
  selector,
  algorithm: 'rsa-sha256',
  role,
  publicKey: 'x',
  published,
  createdAt: new Date(0),
  retiredAt: null,
});
const finding = (selector: string, state: Finding['state']): Finding => ({
  name: 'dkim',
  record: `${selector}._domainkey.a.example`,
  expected: '',
  found: '',
  state,
  hint: '',
  role: 'current',
});

for (const [before, current, next, after, promoted] of [
  ['pending', 'missing', null, 'pending', false],
  ['pending', 'wrong', null, 'pending', false],
  ['pending', 'unknown', null, 'pending', false],
  ['pending', 'ok', null, 'active', false],
  ['active', 'ok', null, 'active', false],
  ['active', 'unknown', null, 'active', false],
  ['active', 'missing', null, 'broken', false],
  ['active', 'wrong', null, 'broken', false],
  ['broken', 'unknown', null, 'broken', false],
  ['broken', 'missing', null, 'broken', false],
  ['broken', 'ok', null, 'active', false],
  ['active', 'ok', 'missing', 'active', false],
  ['active', 'ok', 'unknown', 'active', false],
  ['active', 'ok', 'ok', 'active', true],
  ['active', 'missing', 'ok', 'active', true],
  ['active', 'unknown', 'ok', 'active', true],
  ['active', 'missing', 'wrong', 'broken', false],
  ['broken', 'wrong', 'ok', 'active', true],
] as const) {
  test(`${before}, its record ${current}, that of the next key ${next ?? 'not there'}: ${after}`, () => {
    const keys = [key('c', 'current', before === 'active'), ...(next ? [key('n', 'next', false)] : [])];
    const findings = [finding('c', current), ...(next ? [finding('n', next)] : [])];
    const outcome = outcomeOf({ domain: 'a.example', status: before, keys }, findings);
    assert.deepEqual([outcome.status, outcome.promoted], [after, promoted]);
  });
}

test('the MX record contains a host name; if only an address is known, its note explains what to do', () => {
  const mx = (baseUrl: string) =>
    recordsOf({ ...app.app, baseUrl }, { domain: 'news.example', keys: [], trackingHost: '' }).find(
      ({ type }) => type === 'MX',
    )!;
  const named = mx('https://mail.news.example:8443');
  assert.deepEqual([named.value, named.zone], ['10 mail.news.example', '10 mail.news.example.']);
  assert.match(named.note, /^The server that receives bounces/);
  for (const address of ['http://192.0.2.7:8080', 'http://[2001:db8::7]'])
    assert.match(mx(address).note, /^An MX record needs a name, not an address: set BASE_URL/);
});

test('one run checks all domains that are due', async () => {
  await app.app.db.run(sql`
    insert into sender_domain (account_id, domain, active, checked_at)
    select ${app.account.id}, 'many' || n || '.example', n % 2 = 0, now() - interval '1 day'
    from generate_series(1, 120) as n`);
  await watch();
  const left = await app.app.db.row<{ count: number }>(sql`
    select count(*) as count
    from sender_domain
    where account_id = ${app.account.id}
      and domain like 'many%'
      and checked_at < now() - interval '1 hour'`);
  assert.equal(left!.count, 0);
});
