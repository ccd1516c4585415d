// The emails of a list are in the dress of the account's brand: what a reader gets first looks like the sender.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultText, textsFrom } from '../audience/signup/texts.ts';
import { plainBrand } from '../campaigns/model/plain-brand.ts';
import { inListFrame, type ListFrame } from './list-frame.ts';

const brand = { ...plainBrand, logoUrl: 'https://a.example/logo.png', colour: '#c00000', font: 'georgia' as const };
const frame: ListFrame = { brand, language: 'en', hasAddress: true, hasLinks: false };

test('a confirmation has the logo, colour, font, footer and postal address of the sender', () => {
  const html = inListFrame(defaultText('confirm.html', 'en'), { ...frame, brand: { ...brand, footer: 'Since 1871' } });
  assert.match(html, /<img src="https:\/\/a\.example\/logo\.png" alt="\*\|LIST:COMPANY\|\*"/);
  assert.match(html, /<a class="button" href="\*\|CONFIRM\|\*" style="[^"]*background-color:#c00000;color:#ffffff/);
  assert.match(html, /class="sheet"[^>]*font-family:Georgia,serif/);
  assert.match(html, /Since 1871<br>\n\*\|LIST:COMPANY\|\*<br>\n\*\|LIST:ADDRESS\|\*/);
  assert.doesNotMatch(html, /2f6fde|UNSUB/);
});

test('without a logo there is the name; without an address none; links are in words, each once', () => {
  const html = inListFrame(defaultText('welcome.html', 'de'), {
    ...frame,
    brand: { ...brand, logoUrl: '' },
    language: 'de',
    hasAddress: false,
    hasLinks: true,
  });
  assert.match(html, /class="name"[^>]*>\*\|LIST:COMPANY\|\*</);
  assert.doesNotMatch(html, /LIST:ADDRESS|<img/);
  assert.equal(html.split('href="*|UNSUB|*"').length, 2);
  assert.equal(html.split('href="*|UPDATE_PROFILE|*"').length, 2);
  assert.doesNotMatch(html, />\*\|UNSUB\|\*</);
});

test('a light brand colour has dark words on the button, and a link that can be read', () => {
  const html = inListFrame(defaultText('confirm.html', 'en'), { ...frame, brand: { ...brand, colour: '#ffd400' } });
  assert.match(html, /background-color:#ffd400;color:#10131a/);
  assert.doesNotMatch(html, /class="link" style="color:#ffd400/);
});

test('a piece of HTML is put into the frame, its own styles stay; a whole document is left alone', () => {
  const piece = '<h1>Hello</h1><p style="color:#123456">There</p><a class="button" href="https://a.example">Shop</a>';
  const html = inListFrame(piece, frame);
  assert.match(html, /<p style="color:#123456">There<\/p>/);
  assert.match(html, /<a class="button" href="https:\/\/a\.example" style="[^"]*#c00000/);
  const whole = '<!doctype html><html><body>*|CONFIRM|*</body></html>';
  assert.equal(inListFrame(whole, frame), whole);
});

test('the HTML follows a plain text that was changed', () => {
  const rows = [{ name: 'welcome.text' as const, language: 'en', value: 'Hello <you>\n\nSee *|UPDATE_PROFILE|*' }];
  const html = inListFrame(textsFrom(rows, 'en')('welcome.html'), { ...frame, hasLinks: true });
  assert.match(html, /Hello &lt;you&gt;/);
  assert.equal(html.split('href="*|UPDATE_PROFILE|*"').length, 2);
});
