// The checks of a sender domain against a name server on loopback: right, missing, wrong and unknown records.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { type DnsRecords, type DnsStub, startDnsStub } from '../../../test/support/network/dns-stub.ts';
import { generateDkimKey, zoneFileText } from './dkim-key.ts';
import { createDns } from './dns.ts';
import { checkSenderDomain, type DnsFinding, type SenderSetup, spfTerms } from './dns-check.ts';

const rsa = await generateDkimKey('rsa-sha256');
const ed25519 = await generateDkimKey('ed25519-sha256');
const setup: SenderSetup = {
  domain: 'shop.example',
  returnDomain: 'bounces.shop.example',
  keys: [
    { selector: 'r1', algorithm: rsa.algorithm, publicKey: rsa.publicKey },
    { selector: 'e1', algorithm: ed25519.algorithm, publicKey: ed25519.publicKey },
  ],
  addresses: ['192.0.2.7', '2001:db8::7'],
  includes: ['spf.relay.example'],
  hostName: 'mail.shop.example',
};

let stub: DnsStub;
before(async () => {
  stub = await startDnsStub();
});
after(() => stub.close());

const rsaName = 'r1._domainkey.shop.example';
const edName = 'e1._domainkey.shop.example';
const reverse6 = `7.${'0.'.repeat(23)}8.b.d.0.1.0.0.2.ip6.arpa`;
const right: Record<string, DnsRecords> = {
  'bounces.shop.example': { TXT: ['v=spf1 include:spf.relay.example ip4:192.0.2.7 ip6:2001:db8::7 ~all', 'other'] },
  'spf.relay.example': { TXT: ['v=spf1 ip4:203.0.113.0/24 -all'] },
  [rsaName]: { TXT: [`v=DKIM1; k=rsa; p=${rsa.publicKey}`] },
  [edName]: { TXT: [`v=DKIM1; k=ed25519; p=${ed25519.publicKey}`] },
  '_dmarc.shop.example': { TXT: ['v=DMARC1; p=quarantine; rua=mailto:reports@shop.example'] },
  '7.2.0.192.in-addr.arpa': { PTR: ['mail.shop.example'] },
  [reverse6]: { PTR: ['mail.shop.example'] },
  'mail.shop.example': { A: ['192.0.2.7'], AAAA: ['2001:db8::7'] },
};
beforeEach(() => {
  for (const [name, records] of Object.entries(right)) stub.set(name, records);
});

const dns = (timeoutMs = 1_000, deadlineMs = 10_000) => createDns({ servers: [stub.server], timeoutMs, deadlineMs });
const check = (changed: Partial<SenderSetup> = {}) => checkSenderDomain(dns(), { ...setup, ...changed });
const states = (findings: DnsFinding[]): string =>
  findings.map((finding) => `${finding.name} ${finding.state}`).join(', ');
const only = async (name: DnsFinding['name'], changed: Partial<SenderSetup> = {}): Promise<DnsFinding> =>
  (await check(changed)).find((item) => item.name === name)!;

test('a domain with all records passes every check', async () => {
  const findings = await check();
  assert.equal(states(findings), 'spf ok, dkim ok, dkim ok, dmarc ok, ptr ok, ptr ok');
  assert.deepEqual(findings.map((finding) => finding.hint).join(''), '');
  assert.deepEqual(findings[0], {
    name: 'spf',
    record: 'bounces.shop.example',
    expected: 'v=spf1 include:spf.relay.example ip4:192.0.2.7 ip6:2001:db8::7 ~all',
    found: 'v=spf1 include:spf.relay.example ip4:192.0.2.7 ip6:2001:db8::7 ~all',
    state: 'ok',
    hint: '',
  });
});

test('a domain without records fails every check, and each finding names what to publish', async () => {
  const findings = await check({ domain: 'new.example', returnDomain: 'new.example', addresses: ['192.0.2.99'] });
  assert.equal(states(findings), 'spf missing, dkim missing, dkim missing, dmarc missing, ptr missing');
  assert.deepEqual(
    findings.map((finding) => [finding.record, finding.expected]),
    [
      ['new.example', 'v=spf1 include:spf.relay.example ip4:192.0.2.99 ~all'],
      ['r1._domainkey.new.example', `v=DKIM1; k=rsa; p=${rsa.publicKey}`],
      ['e1._domainkey.new.example', `v=DKIM1; k=ed25519; p=${ed25519.publicKey}`],
      ['_dmarc.new.example', 'v=DMARC1; p=none'],
      ['192.0.2.99', 'mail.shop.example'],
    ],
  );
});

test('with a name server that fails, refuses or is silent every finding is "unknown", in time', async () => {
  for (const records of [{ rcode: 2 }, { rcode: 5 }, { delayMs: Number.POSITIVE_INFINITY }]) {
    for (const name of Object.keys(right)) stub.set(name, records);
    const findings = await checkSenderDomain(dns(100), setup);
    assert.equal(states(findings), 'spf unknown, dkim unknown, dkim unknown, dmarc unknown, ptr unknown, ptr unknown');
    assert.ok(findings.every((finding) => finding.hint !== ''));
  }
});

test('a check ends at its deadline, whatever the name server does', async () => {
  for (const name of Object.keys(right)) stub.set(name, { delayMs: Number.POSITIVE_INFINITY });
  const findings = await checkSenderDomain(dns(60_000, 300), setup);
  assert.ok(findings.every((finding) => finding.state === 'unknown'));
});

const spfCases: [string, string[], DnsFinding['state'], RegExp][] = [
  ['the include is missing', ['v=spf1 ip4:192.0.2.7 ip6:2001:db8::7 ~all'], 'wrong', /Add include:spf\.relay\.example/],
  ['an address is missing', ['v=spf1 include:spf.relay.example ip4:192.0.2.7 ~all'], 'wrong', /2001:db8::7.*softfail/],
  ['two records', ['v=spf1 ~all', 'v=spf1 -all'], 'wrong', /more than one/],
  ['any server may send', ['v=spf1 include:spf.relay.example +all'], 'wrong', /any server/],
  ['no SPF among the texts', ['hello', 'v=spf2 a'], 'missing', /^$/],
  ['too many lookups', [`v=spf1 ${'a:mail.shop.example '.repeat(11)}~all`], 'wrong', /more than 10/],
  ['nonsense', ['v=spf1 include:spf.relay.example ipv4:192.0.2.7 ~all'], 'wrong', /no SPF mechanism/],
  ['an include of nothing', ['v=spf1 include:spf.relay.example include:gone.example ~all'], 'wrong', /gone\.example/],
];
test('SPF: each mistake has its own hint', async () => {
  for (const [about, TXT, state, hint] of spfCases) {
    stub.set('bounces.shop.example', { TXT });
    const finding = await only('spf');
    assert.equal(finding.state, state, about);
    assert.match(finding.hint, hint, about);
  }
});

test('SPF: without known servers only the syntax is checked, and the finding mentions it', async () => {
  stub.set('bounces.shop.example', { TXT: ['v=spf1 mx ~all'] });
  const finding = await only('spf', { addresses: [], includes: [] });
  assert.deepEqual([finding.state, finding.expected], ['ok', 'v=spf1 mx ~all']);
  assert.match(finding.hint, /not known/);
});

const p = rsa.publicKey;
const dkimCases: [string, string[], DnsFinding['state'], RegExp][] = [
  ['as published', [`v=DKIM1; k=rsa; p=${p}`], 'ok', /^$/],
  ['without version and kind', [`p=${p}`], 'ok', /^$/],
  ['with space in the key', [`v=DKIM1;k=rsa;p=${p.slice(0, 50)} ${p.slice(50)}`], 'ok', /^$/],
  ['in another order, with a note', [`v=DKIM1; n=note; p=${p}; k=rsa;`], 'ok', /^$/],
  ['for mail and SHA-256', [`v=DKIM1; h=sha1:sha256; s=email; p=${p}`], 'ok', /^$/],
  ['as a test', [`v=DKIM1; t=y:s; p=${p}`], 'ok', /test/],
  ['another key', [`v=DKIM1; k=rsa; p=${p.replace(/.$/, 'X')}`], 'wrong', /Another key/],
  ['cut short', [`v=DKIM1; k=rsa; p=${p.slice(0, 200)}`], 'wrong', /cut short/],
  ['revoked', ['v=DKIM1; k=rsa; p='], 'wrong', /revoked/],
  ['no key', ['v=DKIM1; k=rsa'], 'wrong', /no key/],
  ['another version', [`v=DKIM2; p=${p}`], 'wrong', /v=DKIM1/],
  ['another kind', [`v=DKIM1; k=ed25519; p=${p}`], 'wrong', /kind of key/],
  ['SHA-1 only', [`v=DKIM1; h=sha1; p=${p}`], 'wrong', /SHA-256/],
  ['not for mail', [`v=DKIM1; s=tlsrpt; p=${p}`], 'wrong', /not for mail/],
  ['two records', [`v=DKIM1; p=${p}`, 'v=DKIM1; p=x'], 'wrong', /more than one/],
  ['with the quotation marks of a zone file', [zoneFileText(`v=DKIM1; k=rsa; p=${p}`)], 'wrong', /./],
];
test('DKIM: the published key is compared with the stored one, and each mistake has its own hint', async () => {
  for (const [about, TXT, state, hint] of dkimCases) {
    stub.set(rsaName, { TXT });
    const finding = await only('dkim');
    assert.equal(finding.state, state, `${about}: ${finding.hint}`);
    assert.match(finding.hint, hint, about);
  }
});

test('DKIM: a key behind an alias is found', async () => {
  stub.set(rsaName, { CNAME: 'r1.dkim.relay.example' });
  stub.set('r1.dkim.relay.example', { TXT: [`v=DKIM1; p=${p}`] });
  assert.equal((await only('dkim')).state, 'ok');
});

const dmarcCases: [string, string[], DnsFinding['state'], RegExp][] = [
  ['quarantine', ['v=DMARC1; p=quarantine'], 'ok', /^$/],
  ['reject', ['v=DMARC1;p=reject;pct=100'], 'ok', /^$/],
  ['none', ['v=DMARC1; p=none'], 'ok', /only watches/],
  ['strict SPF', ['v=DMARC1; p=reject; aspf=s'], 'ok', /DKIM alone/],
  ['in capitals', ['v=DMARC1; p=Reject'], 'ok', /^$/],
  ['no policy', ['v=DMARC1; rua=mailto:x@shop.example'], 'wrong', /policy/],
  ['nonsense policy', ['v=DMARC1; p=block'], 'wrong', /policy/],
  ['two records', ['v=DMARC1; p=none', 'v=DMARC1; p=reject'], 'wrong', /more than one/],
  ['another text', ['hello'], 'missing', /^$/],
  ['another version', ['v=DMARC2; p=none'], 'missing', /^$/],
];
test('DMARC: policy and alignment, each with its own hint', async () => {
  for (const [about, TXT, state, hint] of dmarcCases) {
    stub.set('_dmarc.shop.example', { TXT });
    const finding = await only('dmarc');
    assert.equal(finding.state, state, about);
    assert.match(finding.hint, hint, about);
  }
});

test('DMARC: a domain without a policy has that of its parent', async () => {
  stub.set('_dmarc.shop.example', { TXT: ['v=DMARC1; p=reject; sp=none'] });
  const finding = await only('dmarc', { domain: 'news.shop.example', returnDomain: 'news.shop.example' });
  assert.deepEqual([finding.state, finding.record], ['ok', '_dmarc.news.shop.example']);
  assert.match(finding.hint, /that of shop\.example.*only watches/);
});

test('DMARC: without DKIM, a return path of another domain never passes', async () => {
  const foreign = await only('dmarc', { keys: [], returnDomain: 'relay.example' });
  assert.equal(foreign.state, 'wrong');
  const near = await only('dmarc', { keys: [] });
  assert.deepEqual([near.state, /Only SPF/.test(near.hint)], ['ok', true]);
  stub.set('_dmarc.shop.example', { TXT: ['v=DMARC1; p=reject; aspf=s'] });
  assert.equal((await only('dmarc', { keys: [] })).state, 'wrong');
});

test('PTR: the name of an address must resolve to that address', async () => {
  stub.set('mail.shop.example', { A: ['192.0.2.8'] });
  const wrong = await only('ptr');
  assert.equal(wrong.state, 'wrong');
  assert.match(wrong.hint, /add 192\.0\.2\.7 to mail\.shop\.example/);
  stub.set('7.2.0.192.in-addr.arpa', { PTR: ['gone.example', 'host-7.provider.example'] });
  stub.set('host-7.provider.example', { A: ['192.0.2.7'] });
  const other = await only('ptr');
  assert.deepEqual([other.state, other.found], ['ok', 'gone.example, host-7.provider.example']);
  assert.match(other.hint, /better as host-7\.provider\.example/);
});

test('a name is looked up once per check, however often SPF needs it', async () => {
  stub.set('bounces.shop.example', {
    TXT: ['v=spf1 a:mail.shop.example a:mail.shop.example include:spf.relay.example ~all'],
  });
  const before = stub.questions.length;
  await check();
  const asked = stub.questions.slice(before).map(({ name, type }) => `${type} ${name}`);
  assert.equal(new Set(asked).size, asked.length);
});

test('the SPF record holds includes and addresses or, where none is known, the mail servers', () => {
  assert.deepEqual(spfTerms({ includes: [], addresses: [] }), ['mx']);
  assert.deepEqual(spfTerms({ includes: ['a.example'], addresses: [] }), ['include:a.example']);
  assert.deepEqual(spfTerms({ includes: [], addresses: ['192.0.2.1', '2001:db8::1'] }), [
    'ip4:192.0.2.1',
    'ip6:2001:db8::1',
  ]);
});
