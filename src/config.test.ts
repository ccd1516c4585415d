import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from './config.ts';

const invalid: [name: string, value: string, reason: RegExp][] = [
  ...['banana', '10.0.0.0/99', '0.0.0.0/0', '10.0.0.0/8:443', 'loopback,localhost'].map(
    (value): [string, string, RegExp] => ['TRUST_PROXY', value, /must contain ranges such as/],
  ),
  ['SMTP_URL', 'smtp://h?weight=abc', /SMTP_URL has weight=abc; it must be a number/],
  ['SMTP_URL', 'smtp://a,smtp://b?banana=1', /SMTP_URL has the unknown setting banana/],
  ['SMTP_URL', 'http://user:hunter2@h', /SMTP_URL starts with neither smtp/],
  ...['banana', 'ftp://h', 'https://h?a=b', 'https://h/#top', 'https://ann@h', 'https://ann:b@h/'].map(
    (value): [string, string, RegExp] => ['BASE_URL', value, /must be a URL such as https:\/\/mail\.example\.com/],
  ),
  ['PORT', '0', /PORT "0" needs BASE_URL/],
  ['INBOX_PORT', '8080', /PORT, BOUNCE_PORT, INBOX_PORT and SUBMISSION_PORT must be different/],
  ['SPF_INCLUDE', 'spf.example.com, not a domain', /SPF_INCLUDE .* is not a domain/],
  ['SEAL_KEY', 'hunter2-hunter2', /SEAL_KEY must have at least 16 characters/],
  ['SETUP_PASSWORD', 'hunter2', /SETUP_PASSWORD must have at least 12 characters/],
];
for (const [name, value, reason] of invalid)
  test(`${name}=${value} is refused at start, without passwords`, () => {
    assert.throws(
      () => readConfig({ [name]: value }),
      ({ message }: Error) => {
        assert.match(message, reason);
        assert.ok(message.includes(name));
        assert.doesNotMatch(message, /hunter2/);
        return true;
      },
    );
  });

test('proxies are addresses, ranges and the names that Fastify knows', () => {
  const value = 'loopback, linklocal, uniquelocal, 10.0.0.0/8, 192.0.2.1, fd00::/8';
  assert.deepEqual(readConfig({ TRUST_PROXY: value }).trustProxy, value.split(', '));
});

test('any free port is allowed with BASE_URL, which may have a path', () => {
  const { port, baseUrl } = readConfig({ PORT: '0', BASE_URL: 'https://mail.example.com/news/' });
  assert.deepEqual([port, baseUrl], [0, 'https://mail.example.com/news']);
});

test('several relays are read, with their settings', () => {
  assert.equal(readConfig({ SMTP_URL: 'smtp://a?weight=2 smtps://u:p@b' }).smtpUrls.length, 2);
});
