import assert from 'node:assert/strict';
import { test } from 'node:test';
import { darknessOf } from './dark-mail.ts';

test('an email is inverted in dark mode if it has colours, and none of its own for dark mode', () => {
  for (const [html, darkness] of [
    ['<body style="background-color:#fff"><p>x</p>', 'inverted'],
    ['<table bgcolor="#ffffff"><tr><td>x</td></tr></table>', 'inverted'],
    ['<p style="color: #123456">x</p>', 'inverted'],
    ['<style>@media (prefers-color-scheme: dark) { p { color: #fff } }</style><p style="color:#000">x</p>', 'own'],
    ['<meta name="color-scheme" content="light dark"><p style="color:#000">x</p>', 'own'],
    ['<meta content="light dark" name="supported-color-schemes"><p style="color:#000">x</p>', 'own'],
    ['<meta name="color-scheme" content="light"><p style="color:#000">x</p>', 'inverted'],
    ['<p>Only words</p>', 'none'],
  ] as const)
    assert.equal(darknessOf(html), darkness, html);
});
