// The visual editor with newsletters that it did not make: without an edit the HTML stays as it is, and an edit changes
// the edited element only. HTML that the editor cannot keep is reported before anything is changed. The editor runs alone,
// in an empty page.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { build } from 'vite';
import { closeBrowser, testBrowser } from '../support/browser/chromium.ts';
import { root } from '../support/browser/ui.ts';
import type { Edit, Outcome } from '../support/browser/visual-alone.ts';
import { sample } from '../support/run/runs.ts';
import { layouts } from '../support/samples/layouts.ts';
import { startersIn } from '../support/samples/starters.ts';

let browser: Awaited<ReturnType<typeof testBrowser>>;
let page: Page;
before(async () => {
  const built = await build({
    configFile: false,
    root,
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      write: false,
      minify: false,
      lib: {
        entry: join(root, 'test/support/browser/visual-alone.ts'),
        formats: ['iife'],
        name: 'visual',
        fileName: 'visual',
      },
    },
  });
  const [bundle] = built as { output: { code?: string }[] }[];
  browser = await testBrowser();
  page = await browser.newPage();
  await page.setContent(
    '<!doctype html><html lang="en"><body><div id="place" style="height:600px"></div></body></html>',
  );
  await page.addScriptTag({ content: bundle!.output.find(({ code }) => code)!.code! });
});
after(() => closeBrowser(browser));

const edit = (html: string, how: Edit): Promise<Outcome> =>
  page.evaluate(([html, how]) => window.visual.editAlone(html, how), [html, how] as const);

/** The piece of `before` that differs from `after`. */
function changed(before: string, after: string) {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < Math.min(before.length, after.length) - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return { was: before.slice(start, before.length - end), is: after.slice(start, after.length - end) };
}

/** HTML that the editor cannot keep, because it drops or moves something: it warns, and offers the source. */
const notKept = ['VML background image', 'links that are not tracked', 'style never closed'];

/** Opening a page of thousands of elements takes seconds; of those, one text is edited. */
const small = 20_000;

const all = [...layouts, ...startersIn('en').map(({ name, source }) => ({ name: `template ${name}`, html: source }))];
const pages = sample(all, 4);

test('without an edit the HTML stays byte for byte, also when a text is opened and left', async () => {
  for (const { name, html } of pages)
    for (const how of html.length > small ? [] : (['none', 'click'] as const))
      assert.equal((await edit(html, how)).html, html, `${name}, ${how}`);
});

test('an edit changes the edited element only; HTML that cannot be kept is reported', async () => {
  const reported: string[] = [];
  const edits = { link: 0, text: 0, row: 0 };
  for (const { name, html } of pages) {
    for (const how of html.length > small ? (['text'] as const) : (['link', 'text', 'row'] as const)) {
      const outcome = await edit(html, how);
      if (!outcome.faithful) {
        reported.push(name);
        break;
      }
      if (!outcome.edited) continue;
      edits[how] += 1;
      const { was, is } = changed(html, outcome.html);
      if (how === 'link') assert.doesNotMatch(was, /[<>]/, name);
      // A row is added, and nothing is taken away.
      if (how === 'row') assert.equal(was, '', name);
      if (how === 'text') {
        assert.match(is, /Edited words/, name);
        assert.doesNotMatch(was, /<\/?(table|tr|td|p|h1|h2)\b/i, name);
      }
    }
  }
  const named = new Set(pages.map(({ name }) => name));
  assert.deepEqual(
    reported,
    notKept.filter((name) => named.has(name)),
  );
  const few = Math.min(edits.link, edits.text, edits.row * 4) / pages.length;
  assert.ok(few > 1 / 3, JSON.stringify(edits));
});

test('starter templates consist of what the editor has fields for', async () => {
  for (const { name, source } of startersIn('en')) {
    const found = await page.evaluate((html) => window.visual.recogniseAlone(html), source);
    const count = (pattern: RegExp) => source.match(pattern)?.length ?? 0;
    assert.ok(found.faithful, name);
    // A paragraph that is a link has the fields of the link.
    const closed = found.closed.filter((words) => !words.startsWith('<a '));
    assert.deepEqual([closed, found.astray], [[], []], name);
    assert.equal(found.columns, count(/font-size:0"/g), `${name}: columns`);
    assert.equal(found.buttons, count(/mso-padding-alt/g), `${name}: buttons`);
    assert.equal(found.pictures, count(/<img /g), `${name}: pictures`);
    // The fewest: three texts and a link. Head and foot of a starter are cells without a paragraph.
    assert.ok(found.blocks >= 4, `${name}: ${found.blocks} blocks`);
  }
});
