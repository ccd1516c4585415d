import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageParts } from '../visual/page-parts.ts';
import { previewTextOf, withPreviewText } from './preview-text.ts';

const page = '<!doctype html><html><body style="margin:0">\n<p>Hello</p></body></html>';

test('a preview text is added, changed and removed, and nothing else changes', () => {
  assert.equal(previewTextOf(page), '');
  const first = withPreviewText(page, 'Fish & <chips>');
  assert.equal(previewTextOf(first), 'Fish & <chips>');
  const second = withPreviewText(first, 'Peas');
  assert.equal(previewTextOf(second), 'Peas');
  assert.equal(second.split('display:none').length, 2);
  assert.equal(withPreviewText(second, ''), page);
  assert.equal(previewTextOf(withPreviewText(page, 'Peas ')), 'Peas ', 'a space is typed before the next word');
});

test('a preview text of another program is found, without the characters that pad it', () => {
  const html =
    '<body><div class="preheader" style="color:#fff; display: none;">Sale&nbsp;now &#847;&zwnj;&nbsp;</div><p>x</p>';
  assert.equal(previewTextOf(html), 'Sale&nbsp;now');
  assert.equal(withPreviewText(html, ''), '<body><p>x</p>');
});

test('hidden elements that are no plain text at the start stay where they are', () => {
  for (const html of [
    '<body><p>x</p><div style="display:none">later</div>',
    '<body><div style="display:none"><b>bold</b></div>',
  ])
    assert.equal(previewTextOf(html), '');
});

test('the visual editor does not have the preview text in its content', () => {
  const html = withPreviewText(page, 'Peas');
  const { before, content, after } = pageParts(html);
  assert.ok(before.includes('Peas'));
  assert.doesNotMatch(content, /Peas/);
  assert.equal(before + content + after, html);
});
