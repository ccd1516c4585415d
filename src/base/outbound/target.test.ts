import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTarget } from './target.ts';

const refused = (text: string) => assert.equal(readTarget(text).ok, false, JSON.stringify(text));
const hostOf = (text: string) => {
  const target = readTarget(text);
  return target.ok ? `${target.host}:${target.port}` : target.detail;
};

test('only http and https are read', () => {
  const schemes = [
    'ftp',
    'file',
    'gopher',
    'dict',
    'ldap',
    'ldaps',
    'tftp',
    'sftp',
    'ws',
    'wss',
    'jar',
    'netdoc',
    'blob',
  ]
    .concat(['data', 'javascript', 'vbscript', 'about', 'chrome', 'view-source', 'unix', 'http+unix', 'php', 'phar'])
    .concat(['expect', 'zip', 'ssh2', 'rtsp', 'rtmp', 'smb', 'nfs', 'smtp', 'imap', 'pop3', 'telnet', 'ipp', 'git']);
  for (const scheme of schemes) {
    refused(`${scheme}://example.org/`);
    refused(`${scheme}:http://example.org/`);
    refused(`${scheme.toUpperCase()}://example.org/`);
  }
  for (const text of ['', ' ', 'example.org', '//example.org', '/path', 'http://', 'https:///', 'http://?', 'http:']) {
    refused(text);
  }
  assert.equal(hostOf('HTTP://example.org'), 'example.org:80');
  assert.equal(hostOf(' https://EXAMPLE.org '), 'example.org:443');
});

test('user names and passwords are refused in every form', () => {
  for (const text of [
    'http://user@example.org/',
    'http://user:secret@example.org/',
    'http://:secret@example.org/',
    'http://example.com@127.0.0.1/',
    'http://example.com%40x@127.0.0.1/',
    'http://example.com:80@127.0.0.1/',
    'http://a@b@c/',
  ]) {
    refused(text);
  }
});

test('the host is parsed by the URL Standard, whatever surrounds it', () => {
  assert.equal(hostOf('http://example.com\\@127.0.0.1/'), 'example.com:80');
  assert.equal(hostOf('http://127.0.0.1#@example.com/'), '127.0.0.1:80');
  assert.equal(hostOf('http://127.0.0.1?@example.com/'), '127.0.0.1:80');
  assert.equal(hostOf('http://127.0.0.1/@example.com/'), '127.0.0.1:80');
  assert.equal(hostOf('http:\\\\127.0.0.1\\'), '127.0.0.1:80');
  assert.equal(hostOf('http:127.0.0.1'), '127.0.0.1:80');
  assert.equal(hostOf('ht\ttp://127.0\n.0.1/'), '127.0.0.1:80');
  assert.equal(hostOf('http://0x7f.1/'), '127.0.0.1:80');
  assert.equal(hostOf('http://[::FFFF:127.0.0.1]/'), '::ffff:7f00:1:80');
  assert.equal(hostOf('http://ⓔxample.org./'), 'example.org.:80');
  refused('http://[fe80::1%25eth0]/');
  refused('http://exam ple.org/');
  refused('http://example.org:99999/');
  refused('http://127.0.0.1.1.1/');
  refused(`http://example.org/${'a'.repeat(5000)}`);
});

test('of the ports below 1024 only 80 and 443 are allowed, and above, none of other protocols', () => {
  for (const port of [80, 443, 1024, 1721, 3000, 8000, 8080, 8443, 9000, 65535]) {
    assert.equal(readTarget(`http://example.org:${port}/`).ok, true, String(port));
  }
  for (const port of [0, 1, 7, 19, 20, 21, 22, 23, 25, 53, 69, 79, 81, 88, 110, 111, 119, 123, 135, 139, 143, 161, 389])
    refused(`http://example.org:${port}/`);
  for (const port of [444, 445, 465, 514, 587, 631, 873, 993, 995, 1023, 2049, 3659, 4045, 5060, 5061, 6000, 6566])
    refused(`http://example.org:${port}/`);
  for (const port of [1719, 1720, 1723, 4190, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080])
    refused(`https://example.org:${port}/`);
});

test('the fragment never reaches the wire', () => {
  const target = readTarget('http://example.org/a?b#c');
  assert.equal(target.ok && target.url.href, 'http://example.org/a?b');
});

test('a refusal names the reason', () => {
  const detail = (text: string, base?: URL) => {
    const target = readTarget(text, base);
    return target.ok ? target.url.href : target.detail;
  };
  const longest = `http://a.example/${'a'.repeat(4096 - 17)}`;
  assert.equal(detail(longest), longest);
  assert.equal(detail(`${longest}a`), 'the address is too long');
  assert.equal(detail('nowhere'), 'not an address');
  assert.equal(detail('/b', new URL('http://a.example/x')), 'http://a.example/b');
  assert.equal(detail('ftp://a.example/'), 'scheme ftp: is not http or https');
  for (const user of ['joe', ':secret', 'joe:secret'])
    assert.equal(detail(`http://${user}@a.example/`), 'user name or password in the address');
  assert.equal(detail('http://a.example:22/'), 'port 22 is not a web port');
});
