// The message of a recipient who is not tracked, against the tracked one: the same texts, the links' own addresses, nothing that tracks.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { content, recipient } from '../../../test/support/builders/mail.ts';
import { layouts } from '../../../test/support/samples/layouts.ts';
import { compile } from '../../campaigns/compile/compile.ts';
import { asMailed, preview } from '../../campaigns/compile/fill.ts';
import type { CampaignContent } from '../../campaigns/markup/compiled.ts';
import { untracked } from './untracked.ts';

const mailed = (overrides: Partial<CampaignContent>) => {
  const to = recipient({ values: { FNAME: 'Joe & "Ann"', LNAME: '<b>' } });
  return asMailed(untracked(compile(content(overrides))), to, to.at, to.tokens);
};

test('links have their own addresses with the values of the recipient, escaped for their place', () => {
  const { html, plain } = mailed({
    html: '<p>*|FNAME|* <a href="https://shop.example/a?b=1&amp;c=*|FNAME|*">Shop</a> <a href="*|UNSUB|*">Leave</a></p>',
    plain: 'See https://shop.example/a?b=1&c=*|FNAME|* or *|UNSUB|*',
  });
  assert.match(html!, /<a href="https:\/\/shop\.example\/a\?b=1&amp;c=Joe%20%26%20%22Ann%22">Shop<\/a>/);
  assert.match(plain!, /See https:\/\/shop\.example\/a\?b=1&c=Joe%20%26%20%22Ann%22 or https/);
  assert.match(html!, /<a href="https:\/\/mail\.shop\.example\/u\/[\w-]+">Leave/, 'personal addresses stay');
});

test('a link in a condition loses its tracking too', () => {
  const { html } = mailed({
    html: '<p>*|IF:FNAME|*<a href="https://shop.example/known">Yours</a>*|ELSE:|*<a href="https://shop.example/new">New</a>*|END:IF|*</p>',
  });
  assert.match(html!, /href="https:\/\/shop\.example\/known"/);
});

test('no message of the corpus has a click address or a pixel, and its links lead where the preview leads', () => {
  const to = recipient();
  const links = (html: string) =>
    [...html.matchAll(/\bhref="(https?:\/\/(?!mail\.shop)[^"]*)"/g)].map(([, url]) => url);
  for (const { name, html } of layouts) {
    const compiled = compile(content({ html, plain: null as never }));
    const shown = asMailed(untracked(compiled), to, to.at, to.tokens).html!;
    assert.doesNotMatch(shown, /mail\.shop\.example\/[co]\//, name);
    assert.deepEqual(links(shown), links(preview(compiled, to, to.at).html!), name);
  }
});
