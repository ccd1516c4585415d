// The comparison of the public address with that of the browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareAddress, readAddress, readBase } from './address.ts';

const of = (base_url: string, here: string, base_url_source = 'default') =>
  compareAddress({ base_url, base_url_local: /localhost|127/.test(base_url), base_url_source }, here);

test('the public address is compared with that of the browser', () => {
  const [local, other] = ['http://127.0.0.1:8080', 'http://localhost:8080'];
  const mail = 'https://mail.example.com';
  assert.equal(of(local, local), 'local');
  assert.equal(of(local, other), 'local');
  assert.equal(of(mail, local, 'application'), 'local-browser');
  assert.equal(of(mail, mail, 'application'), 'works');
  assert.equal(of(`${mail}/news`, mail, 'operator'), 'works');
  assert.equal(of(local, mail), 'differs');
  assert.equal(of('http://mail.example.com', mail, 'application'), 'differs');
  assert.equal(of(local, mail, 'operator'), 'operator');
});

test('a typed address is https unless it has a scheme', () => {
  assert.equal(readAddress(' mail.example.com/ '), 'https://mail.example.com');
  assert.equal(readAddress('http://10.0.0.4:8080/app'), 'http://10.0.0.4:8080');
  for (const text of ['', ' ', 'https://', 'a b', 'javascript:alert(1)'])
    assert.equal(readAddress(text), undefined, text);
});

test('a typed address with a path is for the operator to set', () => {
  for (const text of [
    'www.example.com/mail',
    ' https://www.example.com/mail/ ',
    'https://www.example.com/mail/app/setup',
  ])
    assert.equal(readBase(text), 'https://www.example.com/mail', text);
  for (const text of [
    '',
    'https://',
    'mail.example.com',
    'https://mail.example.com/',
    'https://mail.example.com/app/home',
  ])
    assert.equal(readBase(text), undefined, text);
});
