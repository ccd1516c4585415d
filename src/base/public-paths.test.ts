// Which paths a public URL may have, and what is taken off a request.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basePathOf, hasUsablePath, publicPath, routedPath, withoutBase } from './public-paths.ts';

const at = (baseUrl: string) => ({ baseUrl });

test('links of pages begin with the path of the public URL', () => {
  assert.equal(publicPath(at('https://mail.example.com'), '/api'), '/api');
  assert.equal(publicPath(at('https://www.example.com/mail'), '/api'), '/mail/api');
  assert.equal(basePathOf('http://127.0.0.1:8080/team/mail/'), '/team/mail');
});

test('the path is taken off where it is, and only as whole segments', () => {
  const base = at('https://www.example.com/mail');
  for (const [requested, routed] of [
    ['/mail', '/'],
    ['/mail/', '/'],
    ['/mail?output=json&method=ping', '/?output=json&method=ping'],
    ['/mail/app/inbox?to=/mail/x', '/app/inbox?to=/mail/x'],
    ['/app/inbox', '/app/inbox'],
    ['/mailbox', '/mailbox'],
    ['/', '/'],
    ['*', '*'],
  ] as const)
    assert.equal(withoutBase(base, requested), routed);
  for (const requested of ['/mail/app/', '/', '//x'])
    assert.equal(withoutBase(at('https://mail.example.com'), requested), requested);
});

test('slashes too many are one in an address of the API, and stay elsewhere', () => {
  for (const [base, requested, routed] of [
    ['', '//1.8/?output=json', '/1.8/?output=json'],
    ['', '/1.8//', '/1.8/'],
    ['', '///xmlrpc', '/xmlrpc'],
    ['', '//?method=ping&a=//', '/?method=ping&a=//'],
    ['', '//api/ping', '/api/ping'],
    ['', '/v//x?to=//y', '/v//x?to=//y'],
    ['', '//app/', '//app/'],
    ['', '//evil.example/xmlrpc/x', '//evil.example/xmlrpc/x'],
    ['', 'http://other.example//xmlrpc', 'http://other.example//xmlrpc'],
    ['/mail', '/mail//1.8/', '/1.8/'],
    ['/mail', '//mail//RPC2', '/RPC2'],
    ['/mail', '/mail/c//x', '/c//x'],
  ] as const)
    assert.equal(routedPath(at(`https://www.example.com${base}`), requested), routed);
  const long = `/${'/'.repeat(1_000_000)}x`;
  assert.equal(routedPath(at('https://www.example.com'), long), long);
});

test('a path that could be one of the program, or that has to be encoded, is refused', () => {
  for (const url of [
    'https://mail.example.com',
    'https://www.example.com/mail/',
    'http://[::1]:8080/a/b.c_d~e',
    'https://www.example.com/applications',
    'https://www.example.com/mail/app',
  ])
    assert.equal(hasUsablePath(url), true, url);
  for (const url of [
    'https://www.example.com/app',
    'https://www.example.com/p/mail',
    'https://www.example.com/1.3',
    'https://www.example.com/forms.js',
    'https://www.example.com//mail',
    'https://www.example.com/a/../b',
    'https://www.example.com/./b',
    'https://www.example.com/m%61il',
    'https://www.example.com/a;b',
    'https://www.example.com/a"b',
    'https://www.example.com/grüße',
    'https:/\\www.example.com/a',
  ])
    assert.equal(hasUsablePath(url), false, url);
});
