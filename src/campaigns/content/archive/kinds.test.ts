// The type of a file: by its name and its first bytes, which must agree.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kindOf, useOf } from './kinds.ts';

const bytes = (text: string) => Buffer.from(text, 'latin1');
const riff = 'RIFF\0\0\0\0';

const kinds: [path: string, start: string, contentType: string | undefined, extension?: string][] = [
  ['a.png', '\x89PNG\r\n\x1a\n', 'image/png', 'png'],
  ['a.png', '\x89PNG\r\n\x1a\r', undefined],
  ['a.jpeg', '\xff\xd8\xff\xe0', 'image/jpeg', 'jpg'],
  ['a.jpe', 'GIF87a', 'image/gif', 'gif'],
  ['A.JPG', 'GIF89a', 'image/gif', 'gif'],
  ['a.gif', 'GIF88a', undefined],
  ['a.webp', `${riff}WEBP`, 'image/webp', 'webp'],
  ['a.webp', `${riff}WAVE`, undefined],
  ['a.webp', `XXXX\0\0\0\0WEBP`, undefined],
  ['a.woff', 'wOFF', 'font/woff', 'woff'],
  ['a.woff2', 'wOF2', 'font/woff2', 'woff2'],
  ['a.ttf', '\0\x01\0\0', 'font/ttf', 'ttf'],
  ['a.ttf', 'true', 'font/ttf', 'ttf'],
  ['a.otf', 'OTTO', 'font/otf', 'otf'],
  ['a.otf', 'GIF89a', undefined],
  ['a.png', 'OTTO', undefined],
  ['a.svg', '<svg xmlns="">', 'image/svg+xml', 'svg'],
  ['a.svg', '\xef\xbb\xbf <?xml version="1.0"?> <!-- a --><!DOCTYPE svg> <!-- b --> <SVG>', 'image/svg+xml', 'svg'],
  ['a.svg', `${' '.repeat(4091)}<svg>`, 'image/svg+xml', 'svg'],
  ['a.svg', `${' '.repeat(4092)}<svg>`, undefined],
  ['a.svg', '<html><svg>', undefined],
  ['a.png', '<svg>', undefined],
  ['a.html', '<html>', 'text/html', 'html'],
  ['a.htm', '', 'text/html', 'html'],
  ['a.xhtml', '\xff\xfe<\0', 'text/html', 'html'],
  ['a.html', '\xfe\xff\0<', 'text/html', 'html'],
  ['a.html', '\xff\xff\0<', undefined],
  ['a.html', '\xfe\xfe\0<', undefined],
  ['a.html', '<\0', undefined],
  ['a.html', 'GIF89a', undefined],
  ['a.css', 'a {}', 'text/css', 'css'],
  ['a.css', 'a\0', undefined],
  ['a.js', 'alert()', undefined],
  ['a.html.php', '<html>', undefined],
  ['html', '<html>', undefined],
];
for (const [path, start, contentType, extension] of kinds)
  test(`${path} that starts with ${JSON.stringify(start.trim())} is ${contentType ?? 'left out'}`, () => {
    const kind = kindOf(path, bytes(start));
    assert.deepEqual([kind?.contentType, kind?.extension], [contentType, extension]);
    if (kind) assert.equal(kind.use, useOf(path));
  });

test('pages and SVG may hold script, other files may not', () => {
  const sandboxed = (path: string, start: string) => kindOf(path, bytes(start))!.sandbox;
  assert.ok(sandboxed('a.html', '<html>') && sandboxed('a.svg', '<svg>'));
  assert.ok(!sandboxed('a.css', '') && !sandboxed('a.png', 'GIF89a') && !sandboxed('a.otf', 'OTTO'));
});
