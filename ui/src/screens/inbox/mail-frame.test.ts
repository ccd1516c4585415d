// Tests the policy of the message frame, and the parsing of a raw message.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asksForRemote, frameOf, headersOf } from './mail-frame.ts';

const home = 'https://mail.example.com';

test('the policy precedes all content of the message', () => {
  const frame = frameOf('<html><head><meta http-equiv="Content-Security-Policy" content="img-src *">', {
    remote: false,
    home,
  });
  assert.ok(
    frame.indexOf("default-src 'none'; img-src data: https://mail.example.com/asset/;") < frame.indexOf('<html>'),
  );
  assert.doesNotMatch(frame, /script-src/);
});

test('remote images are allowed only on request', () => {
  assert.match(frameOf('', { remote: true, home }), /img-src data: http: https:;/);
  assert.doesNotMatch(frameOf('', { remote: false, home }), /http: https:/);
});

test('what the policy would block is not asked for, and stored images are', () => {
  const shown = (html: string, remote = false) => frameOf(html, { remote, home }).split('<base target="_blank">')[1];
  const pixel = '<img alt="" src="https://track.example.com/o/1">';
  assert.equal(shown(pixel), '<img alt="" data-blocked-src="https://track.example.com/o/1">');
  assert.equal(shown(pixel, true), pixel);
  assert.equal(
    shown('<td background=//x.example/b.png style="background:url(http://x.example/c.png) red">'),
    '<td data-blocked-background=//x.example/b.png style="background:none red">',
  );
  const own = `<img src="${home}/asset/a.png"><img src='data:image/png;base64,AA=='><a href="https://x.example/">x</a>`;
  assert.equal(shown(own), own);
  assert.equal(shown('<p>src="https://example.com/" is text</p>'), '<p>src="https://example.com/" is text</p>');
});

test('a message with remote content is detected', () => {
  for (const html of [
    '<img src="https://example.com/a.png">',
    '<td background=http://example.com/b.png>',
    '<img srcset = "//example.com/c.png 2x">',
    '<p style="background: url( https://example.com/d.png )">',
  ])
    assert.equal(asksForRemote(html), true, html);
  for (const html of [
    '<p>https://example.com</p>',
    '<a href="https://example.com">',
    '<img src="data:image/png;base64,">',
  ])
    assert.equal(asksForRemote(html), false, html);
});

test('folded headers are joined, and the body is not read as headers', () => {
  assert.deepEqual(headersOf('Subject: a\r\n long one\r\nTo: b@example.com\r\n\r\nNot: a header'), [
    { name: 'Subject', value: 'a long one' },
    { name: 'To', value: 'b@example.com' },
  ]);
});
