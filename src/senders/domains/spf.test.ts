// SPF evaluation as tables: a small zone, an address, and the result that a receiver computes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Dns, DnsAnswer } from './dns.ts';
import { checkSpf } from './spf.ts';

type Zone = Record<string, { TXT?: string[]; A?: string[]; MX?: string[]; failed?: boolean }>;

/** A domain name system that is a table. */
function dnsOf(zone: Zone): Dns {
  const answer = (name: string, records?: string[]): Promise<DnsAnswer<string>> =>
    Promise.resolve(
      zone[name]?.failed
        ? { kind: 'failed', why: 'the name server failed' }
        : records && records.length > 0
          ? { kind: 'found', records }
          : { kind: 'none' },
    );
  return {
    txt: (name) => answer(name, zone[name]?.TXT),
    addresses: (name) => answer(name, zone[name]?.A),
    mx: (name) => answer(name, zone[name]?.MX),
    mailHosts: (name) => answer(name, zone[name]?.MX),
    ptr: (address) => answer(address),
    cname: (name) => answer(name),
  };
}

const rest: Zone = {
  'relay.example': { TXT: ['v=spf1 ip4:203.0.113.0/24 -all'] },
  'soft.example': { TXT: ['v=spf1 ~all'] },
  'other.example': { TXT: ['hello', 'v=spf10 ip4:192.0.2.1', 'v=spf1x'] },
  'two.example': { TXT: ['v=spf1 -all', 'v=spf1 ~all'] },
  'broken.example': { TXT: ['v=spf1 nonsense -all'] },
  'slow.example': { failed: true },
  'a%b.example': { A: ['192.0.2.1'] },
  'host.example': { A: ['192.0.2.1', '2001:db8::1'] },
  'mail.example': { MX: ['host.example', 'gone.example'] },
  'ten.example': { MX: Array.from({ length: 10 }, () => 'host.example') },
  'crowd.example': { MX: Array.from({ length: 11 }, (_, i) => `h${i}.example`) },
  '1.2.0.192.in-addr.macro.example': { A: ['127.0.0.2'] },
  'postmaster.of.example.com': { A: ['127.0.0.2'] },
  'self.example': { TXT: ['v=spf1 include:self.example -all'] },
  'open.example': { TXT: ['v=spf1 +all'] },
  ...Object.fromEntries(
    Array.from({ length: 20 }, (_, i) => [`i${i}.example`, { TXT: [`v=spf1 include:i${i + 1}.example ~all`] }]),
  ),
};

const ip4 = '192.0.2.1';
const ip6 = '2001:db8::1';
const table: [string, string | null, string][] = [
  // [record, address, result]
  ['v=spf1 ip4:192.0.2.1 -all', ip4, 'pass'],
  ['v=spf1 ip4:192.0.2.1 -all', '192.0.2.2', 'fail'],
  ['v=spf1 ip4:192.0.2.0/24 ~all', '192.0.2.200', 'pass'],
  ['v=spf1 ip4:192.0.2.0/24 ~all', '192.0.3.1', 'softfail'],
  ['v=spf1 ip4:192.0.2.1 ?all', '192.0.2.2', 'neutral'],
  ['v=spf1 ip4:192.0.2.1', '192.0.2.2', 'neutral'],
  ['v=spf1', ip4, 'neutral'],
  ['V=SPF1 IP4:192.0.2.1 -ALL', ip4, 'pass'],
  ['v=spf1  ip4:192.0.2.1   -all ', ip4, 'pass'],
  ['v=spf1 ip4:192.0.2.1 -all', '::ffff:192.0.2.1', 'pass'],
  ['v=spf1 ip6:2001:db8::/32 -all', ip6, 'pass'],
  ['v=spf1 ip6:2001:db8::2 -all', ip6, 'fail'],
  ['v=spf1 ip6:2001:db8::/32 -all', ip4, 'fail'],
  ['v=spf1 -ip4:192.0.2.1 +all', ip4, 'fail'],
  ['v=spf1 ~ip4:192.0.2.1 +all', ip4, 'softfail'],
  ['v=spf1 ?ip4:192.0.2.1 +all', ip4, 'neutral'],
  ['v=spf1 all', ip4, 'pass'],
  ['v=spf1 mx:ten.example -all', ip4, 'pass'],
  ['v=spf1 include:relay.example -all', '203.0.113.7', 'pass'],
  ['v=spf1 include:relay.example -all', ip4, 'fail'],
  ['v=spf1 include:soft.example ip4:192.0.2.1 -all', ip4, 'pass'],
  ['v=spf1 -include:relay.example +all', '203.0.113.7', 'fail'],
  ['v=spf1 include:gone.example -all', ip4, 'permerror'],
  ['v=spf1 include:other.example -all', ip4, 'permerror'],
  ['v=spf1 include:two.example -all', ip4, 'permerror'],
  ['v=spf1 include:broken.example -all', ip4, 'permerror'],
  ['v=spf1 include:slow.example -all', ip4, 'temperror'],
  ['v=spf1 ip4:192.0.2.1 include:gone.example -all', ip4, 'pass'],
  ['v=spf1 include:self.example -all', ip4, 'permerror'],
  ['v=spf1 include -all', ip4, 'permerror'],
  ['v=spf1 redirect=relay.example', '203.0.113.7', 'pass'],
  ['v=spf1 redirect=relay.example', ip4, 'fail'],
  ['v=spf1 redirect=relay.example ip4:192.0.2.1', ip4, 'pass'],
  ['v=spf1 redirect=relay.example ~all', '203.0.113.7', 'softfail'],
  ['v=spf1 redirect=gone.example', ip4, 'permerror'],
  ['v=spf1 a:host.example -all', ip4, 'pass'],
  ['v=spf1 a:host.example -all', ip6, 'pass'],
  ['v=spf1 a:host.example -all', '192.0.2.9', 'fail'],
  ['v=spf1 a:host.example/24 -all', '192.0.2.9', 'pass'],
  ['v=spf1 a:host.example//64 -all', '2001:db8::99', 'pass'],
  ['v=spf1 a:host.example/24//64 -all', '2001:db8:1::99', 'fail'],
  ['v=spf1 a -all', '192.0.2.77', 'pass'],
  ['v=spf1 mx:mail.example -all', ip4, 'pass'],
  ['v=spf1 mx:mail.example -all', '192.0.2.9', 'fail'],
  ['v=spf1 mx -all', ip6, 'pass'],
  ['v=spf1 mx:crowd.example -all', ip4, 'permerror'],
  ['v=spf1 exists:%{ir}.%{v}.macro.example -all', ip4, 'pass'],
  ['v=spf1 exists:%{ir}.%{v}.macro.example -all', '192.0.2.3', 'fail'],
  ['v=spf1 a:%{d1}.example.%{d3} -all', ip4, 'fail'],
  ['v=spf1 a:a%%b.example -all', ip4, 'pass'],
  ['v=spf1 ptr -all', ip4, 'fail'],
  ['v=spf1 unknown=x ip4:192.0.2.1 -all', ip4, 'pass'],
  ['v=spf1 exp=why.example ip4:192.0.2.1 -all', ip4, 'pass'],
  ['v=spf1 ip4:nonsense -all', ip4, 'permerror'],
  ['v=spf1 ip4:10 -all', ip4, 'permerror'],
  ['v=spf1 ip4:192.0.2.0/33 -all', ip4, 'permerror'],
  ['v=spf1 ip4 -all', ip4, 'permerror'],
  ['v=spf1 foo:bar -all', ip4, 'permerror'],
  ['v=spf1 ip4:192.0.2.1,ip4:192.0.2.2 -all', ip4, 'permerror'],
  ['v=spf1 ! -all', ip4, 'permerror'],
  // Ten lookups are allowed, and two of them may find nothing.
  ['v=spf1 include:i11.example ip4:192.0.2.1 -all', ip4, 'permerror'],
  [
    'v=spf1 a:host.example a:host.example a:host.example a:host.example a:host.example a:host.example a:host.example a:host.example a:host.example a:host.example ip4:192.0.2.9 -all',
    '192.0.2.9',
    'pass',
  ],
  [
    'v=spf1 a:host.example a:host.example a:host.example a:host.example a:host.example a:host.example a:host.example a:host.example a:host.example a:host.example a:host.example ip4:192.0.2.9 -all',
    '192.0.2.9',
    'permerror',
  ],
  ['v=spf1 a:n1.example a:n2.example ip4:192.0.2.1 -all', ip4, 'pass'],
  ['v=spf1 a:n1.example a:n2.example a:n3.example ip4:192.0.2.1 -all', ip4, 'permerror'],
  // No one's address: only +all lets it pass.
  ['v=spf1 ip4:0.0.0.0/0 ip6:::/0 -all', null, 'fail'],
  ['v=spf1 include:relay.example ~all', null, 'softfail'],
  ['v=spf1 +all', null, 'pass'],
  ['v=spf1 include:open.example -all', null, 'pass'],
  ['v=spf1 -include:open.example ~all', null, 'fail'],
  ['v=spf1 include:%{ir}.macro.example ~all', null, 'softfail'],
  ['v=spf1 a:slow.example -all', ip4, 'temperror'],
  ['v=spf1 exists:%{l}.of.%{o} -all', ip4, 'pass'],
];

test(`records are evaluated as RFC 7208 says (${table.length})`, async () => {
  for (const [record, address, result] of table) {
    const zone: Zone = {
      ...rest,
      'example.com': { TXT: ['other text', record], A: ['192.0.2.77'], MX: ['host.example'] },
    };
    const finding = await checkSpf(dnsOf(zone), 'example.com', address);
    assert.equal(finding.result, result, `${record} for ${address}: ${finding.why}`);
    assert.equal(finding.why !== '', result.endsWith('error'), record);
    assert.equal(finding.record, record);
  }
});

test('no record, two records and no DNS answer give different results', async () => {
  assert.equal((await checkSpf(dnsOf({}), 'example.com', ip4)).result, 'none');
  assert.equal((await checkSpf(dnsOf(rest), 'other.example', ip4)).result, 'none');
  const two = await checkSpf(dnsOf(rest), 'two.example', ip4);
  assert.deepEqual([two.result, two.record], ['permerror', 'v=spf1 -all and v=spf1 ~all']);
  assert.equal((await checkSpf(dnsOf(rest), 'slow.example', ip4)).result, 'temperror');
});

test('includes are listed at any depth, also behind the mechanism that would match', async () => {
  const zone: Zone = {
    'example.com': { TXT: ['v=spf1 include:A.example ip4:192.0.2.1 include:c.example. redirect=d.example'] },
    'a.example': { TXT: ['v=spf1 include:b.example -all'] },
    'b.example': { TXT: ['v=spf1 -all'] },
    'c.example': { TXT: ['v=spf1 -all'] },
    'd.example': { TXT: ['v=spf1 -all'] },
  };
  const finding = await checkSpf(dnsOf(zone), 'example.com', null);
  assert.deepEqual(finding.included, ['a.example', 'b.example', 'c.example', 'd.example']);
  assert.equal(finding.lookups, 4);
});
