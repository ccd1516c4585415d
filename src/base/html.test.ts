// The template tag for HTML: what it escapes and what it leaves out.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { escapeHtml, html } from './html.ts';

test('every value is escaped unless it is HTML', () => {
  const name = `<b title='x' lang="y">&`;
  const escaped = '&lt;b title=&#39;x&#39; lang=&quot;y&quot;&gt;&amp;';
  assert.equal(escapeHtml(name), escaped);
  assert.equal(`${html`<p>${name} ${html`<i>${7}</i>`}</p>`}`, `<p>${escaped} <i>7</i></p>`);
});

test('lists are joined, undefined and false are left out, and zero is shown', () => {
  assert.equal(html`[${['<', [html`<br>`, 0]]}${undefined}${false}]`.text, '[&lt;<br>0]');
});
