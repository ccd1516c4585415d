// URLs of relays: what they may contain, and that no error or description reveals the password.
import assert from 'node:assert/strict';
import test from 'node:test';
import { describeRelay, parseSmtpUrl } from './relay.ts';

test('a URL with only a host has opportunistic TLS on port 25', () => {
  const { id, ...relay } = parseSmtpUrl('smtp://Mail.Example.com');
  assert.deepEqual(relay, { host: 'mail.example.com', port: 25, tls: 'opportunistic', connections: 20, weight: 1 });
  assert.equal(id, 'mail.example.com:25');
});

test('a password goes over a network only to a verified server, unless the URL allows otherwise', () => {
  const tls = (address: string) => parseSmtpUrl(address).tls;
  for (const host of ['h:587', '10.0.0.5', '127.0.0.1.example.com', 'localhost.example.com', '[::2]'])
    assert.equal(tls(`smtp://u:p@${host}`), 'require', host);
  for (const host of ['127.0.0.1:25', '127.9.9.9', 'LOCALHOST', '[::1]:587'])
    assert.equal(tls(`smtp://u:p@${host}`), 'opportunistic', host);
  assert.equal(tls('smtp://u:p@h?tls=opportunistic'), 'opportunistic');
  assert.equal(tls('smtp://u:p@h?tls=none'), 'none');
});

test('every setting is read', () => {
  const { id, ...relay } = parseSmtpUrl(
    'smtp://us%40er:p%2Fss%3A@h:587?tls=require&connections=7&rate=12.5&weight=3&auth=cram-md5',
  );
  assert.deepEqual(relay, {
    host: 'h',
    port: 587,
    tls: 'require',
    auth: { user: 'us@er', password: 'p/ss:', method: 'cram-md5' },
    connections: 7,
    ratePerSecond: 12.5,
    weight: 3,
  });
  assert.match(id, /^h:587\/[0-9a-f]{8}$/);
});

test('smtps is TLS from the first byte on port 465', () => {
  const { tls, port } = parseSmtpUrl('smtps://h');
  assert.deepEqual({ tls, port }, { tls: 'implicit', port: 465 });
  assert.equal(parseSmtpUrl('smtps://h:5555?tls=require').port, 5555);
});

test('IPv6 hosts are written with brackets and read without', () => {
  const relay = parseSmtpUrl('smtp://[::1]:2525');
  assert.equal(relay.host, '::1');
  assert.match(describeRelay(relay), /^\[::1\]:2525 /);
});

test('two users of one host are two relays, and the same URL is always the same relay', () => {
  const id = (user: string) => parseSmtpUrl(`smtp://${user}:secret@h`).id;
  assert.notEqual(id('a'), id('b'));
  assert.equal(id('a'), id('a'));
});

const wrong: [string, RegExp][] = [
  ['mail.example.com', /like smtp:/],
  ['http://h', /neither smtp/],
  ['smtp://', /names no host|like smtp/],
  ['smtp://h:99999', /like smtp/],
  ['smtp://h:0', /port 0/],
  ['smtp://h:587/path', /path/],
  ['smtp://h#x', /%23/],
  ['smtp://h?tls=maybe', /tls=maybe; valid values are none, opportunistic, require/],
  ['smtps://h?tls=none', /smtps and tls=none/],
  ['smtp://h?speed=9', /unknown setting speed/],
  ['smtp://h?weight=1&weight=2', /weight twice/],
  ['smtp://h?connections=0', /connections=0.*1 to 1000/],
  ['smtp://h?connections=2.5', /whole/],
  ['smtp://h?rate=fast', /rate=fast/],
  ['smtp://h?rate=0', /rate=0/],
  ['smtp://h?warmup=5:1:10:2026-11-21', /warmup=5:1:10:2026-11-21 is not first:growth:max:date/],
  ['smtp://h?warmup=5:2:10:2026-02-30', /begins on 2026-02-30, which is not a day of the calendar/],
  ['smtp://h?auth=plain', /without user/],
  ['smtp://u:hunter2@h?auth=digest', /auth=digest/],
  ['smtp://u@h', /only one of/],
  ['smtp://:hunter2@h', /only one of/],
  ['smtp://u:hunter2%zz@h', /starts no percent code|like smtp/],
  ['smtp://u:hunter2%0d%0a@h', /control character/],
  ['smtp://u:hunter2/x@h', /./],
  ['smtp://u:hunter2?x@h', /./],
  ['smtp://u:hunter2#x@h', /./],
  ['smtp://u:hunter2@bad host', /./],
  ['smtp://u:hunter2@a_b!c', /neither a name/],
];
for (const [address, reason] of wrong)
  test(`${address} is refused with the reason and without the password`, () => {
    assert.throws(
      () => parseSmtpUrl(address),
      (error: Error) => {
        assert.match(error.message, reason);
        assert.doesNotMatch(error.message, /hunter2/);
        return true;
      },
    );
  });

test('a description names the user and never the password', () => {
  const text = describeRelay(parseSmtpUrl('smtp://anna:hunter2@h:587?rate=5'));
  assert.equal(text, 'anna at h:587 (tls require, 20 connections, 5 a second, weight 1)');
});

test('settings are read up to their limits', () => {
  const setting = (query: string) => parseSmtpUrl(`smtp://u:p@h?${query}`);
  for (const method of ['plain', 'login', 'cram-md5', 'xoauth2', 'oauthbearer'])
    assert.equal(setting(`auth=${method}`).auth?.method, method);
  for (const weight of [0, 0.5, 1_000_000]) assert.equal(setting(`weight=${weight}`).weight, weight);
  for (const count of [1, 1_000]) assert.equal(setting(`connections=${count}`).connections, count);
  for (const [rate, perSecond] of [
    ['0.001', 0.001],
    ['1000000', 1_000_000],
    ['5/s', 5],
    ['30/m', 0.5],
    ['0.5/h', 0.5 / 3_600],
    ['1000000/h', 1_000_000 / 3_600],
  ] as const)
    assert.equal(setting(`rate=${rate}`).ratePerSecond, perSecond, rate);
  for (const [query, reason] of [
    ['weight=1000000.1', 'weight=1000000.1; it must be a number from 0 to 1000000'],
    ['connections=1001', 'connections=1001; it must be a number from 1 to 1000'],
    ['rate=0.0009', 'rate=0.0009; it must be a number from 0.001 to 1000000'],
    ['rate=1000001', 'rate=1000001; it must be a number from 0.001 to 1000000'],
    ['rate=0.0009/m', 'rate=0.0009; it must be a number from 0.001 to 1000000'],
    ['rate=1000001/m', 'rate=1000001; it must be a number from 0.001 to 1000000'],
    ['auth=digest', 'auth=digest; valid values are plain, login, cram-md5, xoauth2, oauthbearer'],
    ['x=1', 'the unknown setting x; valid settings are tls, connections, messages, rate, weight, auth, warmup'],
  ])
    assert.throws(() => setting(query!), { message: `has ${reason}` });
});

test('a path is refused, a slash at the end is not, and a connection may take so many messages', () => {
  assert.equal(parseSmtpUrl('smtp://h/').host, 'h');
  assert.throws(() => parseSmtpUrl('smtp://h/x'), /has a path after the port/);
  assert.equal(parseSmtpUrl('smtp://h?messages=1').messagesPerConnection, 1);
  assert.equal(parseSmtpUrl('smtp://h?messages=1000000').messagesPerConnection, 1_000_000);
  for (const count of ['0', '1000001', 'x', '1.5'])
    assert.throws(() => parseSmtpUrl(`smtp://h?messages=${count}`), /messages=/);
});
