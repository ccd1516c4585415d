// Which of the HTML files of an archive is the page.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findPage } from './find-page.ts';

for (const [paths, expected] of [
  [['news.html'], 'news.html'],
  [['index.html', 'news.html', 'index.htm'], 'index.html'],
  [['news.html', 'index.htm'], 'index.htm'],
  [['INDEX.HTML', 'index.html', 'Index.htm'], 'index.html'],
  [['Index.Html', 'index.htm'], 'Index.Html'],
  [['INDEX.HTM', 'index.htm', 'a.html'], 'index.htm'],
  [['INDEX.HTM', 'a.html'], 'INDEX.HTM'],
  [['parts/index.html', 'news.html'], 'news.html'],
  [['mail/a/index.html', 'mail/news.html'], 'mail/news.html'],
  [['mail/index.html', 'mail/news.html'], 'mail/index.html'],
] as const)
  test(`the page of ${paths.join(', ')}`, () => assert.equal(findPage(paths), expected));

test('several candidates are refused with the first three of their names', () => {
  const refused = (paths: string[]) => {
    try {
      return findPage(paths);
    } catch (error) {
      return (error as Error).message.replaceAll('"', '');
    }
  };
  assert.match(refused(['b.html', 'a.html']), /a\.html, b\.html/);
  assert.match(refused(['d.html', 'c.html', 'b.html', 'a.html']), /a\.html, b\.html, c\.html(?!, d)/);
  assert.match(refused(['INDEX.HTML', 'Index.html', 'a.html']), /INDEX\.HTML, Index\.html(?!, a)/);
  assert.match(refused(['a/index.html', 'b/index.html']), /a\/index\.html, b\/index\.html/);
  assert.throws(() => findPage([]), { message: 'The archive contains no HTML page.' });
});
