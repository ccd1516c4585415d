// Browser test of public pages and emails in languages written from right to left: direction, where text starts, addresses of the other
// direction, room on a phone.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { parseId } from '../../src/db/ids.ts';
import { text } from '../../src/locales/text.ts';
import { confirmToken } from '../../src/tracking/confirm-token.ts';
import { tokensOf } from '../../src/tracking/token-secret.ts';
import { closeBrowser, testBrowser } from '../support/browser/chromium.ts';
import { lookAt } from '../support/browser/public-page.ts';
import { screenshot } from '../support/browser/ui.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';

const names = { ar: 'رسائل البحيرة', he: 'מכתבים מהאגם' } as const;
const languages = ['ar', 'he'] as const;
const phones = [390, 320];

let app: TestApp;
let base: string;
let browser: Browser;
let page: Page;
before(async () => {
  app = await testApp();
  base = await app.listen();
  browser = await testBrowser();
  page = await (
    await browser.newContext({ viewport: { width: 1_000, height: 800 }, javaScriptEnabled: false })
  ).newPage();
  for (const [name, value] of Object.entries({ company: 'Lake Letters Ltd.', postal_address: '1 Quay St., Hamburg' }))
    await app.call('accountUpdate', { name, value });
});
after(async () => {
  if (browser) await closeBrowser(browser);
  await app?.close();
});

/** The longest way from the right edge of a block to its first line, and blocks whose first line starts further left. */
const startsAtRight = `(selector) => [...document.querySelectorAll(selector)].flatMap((block) => {
  const range = document.createRange();
  range.selectNodeContents(block);
  const rects = [...range.getClientRects()].filter((rect) => rect.width > 0);
  if (rects.length === 0) return [];
  const top = Math.min(...rects.map((rect) => rect.top));
  const first = Math.max(...rects.filter((rect) => rect.top < top + 8).map((rect) => rect.right));
  const edge = block.getBoundingClientRect().right - parseFloat(getComputedStyle(block).paddingRight) - parseFloat(getComputedStyle(block).borderRightWidth);
  return Math.abs(edge - first) <= 2 ? [] : [block.textContent.slice(0, 40) + ': ' + (edge - first)];
})`;

/** Direction, edge and room of what the page shows now. */
async function check(language: string, name: string, blocks: string): Promise<void> {
  assert.deepEqual(
    [await page.locator('html').getAttribute('dir'), await page.locator('html').getAttribute('lang')],
    ['rtl', language],
    name,
  );
  for (const width of [1_000, ...phones]) {
    await page.setViewportSize({ width, height: 800 });
    assert.ok((await page.locator(blocks).count()) > 0, name);
    assert.deepEqual(
      await page.evaluate(`(${startsAtRight})(${JSON.stringify(blocks)})`),
      [],
      `${name} at ${width} px`,
    );
    const over = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    assert.equal(over, 0, `${name} reaches over the side at ${width} px`);
    if (width !== 390) await screenshot(page, `rtl-${language}-${name}-${width}`);
  }
  await page.setViewportSize({ width: 1_000, height: 800 });
}

const pageBlocks = 'h1, main p, legend, .sender, footer p, .field > label';

for (const language of languages)
  test(`public pages in ${language} start at the right, isolate addresses and fit a phone`, async () => {
    const email = `reader.${language}@long-name-of-a-host.example.com`;
    const list = await app.call<string>('listCreate', { title: names[language], options: { public: true } });
    await app.call('accountUpdate', { name: 'language', value: language });
    await app.call('listMergeVarAdd', { id: list, tag: 'MAIL', name: 'Mail', options: { field_type: 'email' } });
    await app.call('listSubscribe', {
      id: list,
      email_address: email,
      merge_vars: { LANGUAGE: language, MAIL: email },
      double_optin: true,
    });
    const { url } = await app.call<{ url: string }>('listForm', { id: list });
    await page.goto(`${url}?ln=${language}`);
    await check(language, 'form', pageBlocks);
    const { id } = await app.call<{ id: string }>('listMemberInfo', { id: list, email_address: email });
    const ids = { account: app.account.id, contact: parseId(id)! };
    await page.goto(`${base}/confirm/${confirmToken(app.app, { ...ids, list: parseId(list)!, email })}`);
    assert.equal(await page.locator('main bdi').last().textContent(), email);
    assert.doesNotMatch(await page.content(), /<title>[^<]*&lt;bdi/);
    await check(language, 'confirm', pageBlocks);
    await lookAt(browser, page, `rtl-${language}-confirm`);
    await page.getByRole('button', { name: text(language, 'confirm.button') }).click();
    await check(language, 'confirmed', pageBlocks);
    const tokens = tokensOf(app.app).tokens({ ...ids, campaign: 0, seq: 0, lists: [parseId(list)!] });
    for (const [name, path] of [
      ['preferences', `/p/${tokens.profile}`],
      ['address', `/p/${tokens.profile}?change=address`],
      ['unsubscribe', `/u/${tokens.unsubscribe}`],
      ['bad-link', '/u/none'],
    ] as const) {
      await page.setExtraHTTPHeaders({ 'accept-language': `${language}-XX,en;q=0.5` });
      await page.goto(`${base}${path}`);
      await check(language, name, pageBlocks);
    }
    await page.goto(`${base}/p/${tokens.profile}`);
    await lookAt(browser, page, `rtl-${language}-preferences`);
    const { url: archives } = await app.call<{ url: string }>('archiveUpdate', { on: true, language });
    await page.goto(archives);
    await check(language, 'archives', 'h1, main p, .sender, footer p');
  });

for (const language of languages)
  test(`emails of a list in ${language} start at the right and fit a phone`, async () => {
    const list = await app.call<string>('listCreate', {
      title: names[language],
      options: { default_language: language },
    });
    for (const kind of ['confirm', 'welcome', 'goodbye']) {
      const { html } = await app.call<{ html: string }>('listFormPreview', {
        id: list,
        page: `${kind}_email`,
        language,
      });
      await page.setContent(html);
      for (const outer of ['body', 'body > table'])
        assert.equal(await page.locator(outer).getAttribute('dir'), 'rtl', outer);
      await check(language, `${kind}-email`, '.name, .sheet p:not(:has(.button))');
      assert.equal(await page.locator('.sheet bdi').first().textContent(), names[language]);
    }
  });

const sources = {
  markdown: '# {name}\n\n{words}\n\n- {words}\n- {words}\n\n> {words}\n',
  html: '<!doctype html><html><head><title>x</title></head><body><table width="100%"><tr><td><p>{words}</p></td></tr></table></body></html>',
  fragment: '<h1>{name}</h1><p>{words}</p>',
};
for (const language of languages)
  test(`campaigns in ${language} are compiled with their direction`, async () => {
    const list = await app.call<string>('listCreate', { title: names[language] });
    const words = text(language, 'form.consent', { list: names[language] }).replaceAll(/[\u2068\u2069]/g, '');
    for (const [name, source] of Object.entries(sources)) {
      const filled = source.replaceAll('{name}', names[language]).replaceAll('{words}', words);
      const { cid } = {
        cid: await campaign(list, language, name === 'markdown' ? { markdown: filled } : { html: filled }),
      };
      const { html } = await app.call<{ html: string }>('campaignPreview', { cid });
      await page.setContent(name === 'fragment' ? html.replace(/^/, `<html lang="${language}" dir="rtl">`) : html);
      await check(language, `campaign-${name}`, name === 'markdown' ? 'h1, .sheet p, li' : 'td > p, h1, div[dir] > p');
      if (name === 'fragment') assert.match(html, new RegExp(`<div lang="${language}" dir="rtl">`));
      else assert.equal(await page.locator('body > table').first().getAttribute('dir'), 'rtl');
      assert.equal(await page.locator(`div[dir=rtl] a`, { hasText: text(language, 'mail.unsubscribe') }).count(), 1);
    }
    const own = '<html dir="ltr"><body><table><tr><td>x</td></tr></table></body></html>';
    const { html } = await app.call<{ html: string }>('campaignPreview', {
      cid: await campaign(list, language, { html: own }),
    });
    assert.match(html, /<html dir="ltr"><body>/, 'a direction of the author stays');
  });

const campaign = (list: string, ln: string, content: Record<string, string>) =>
  app.call<string>('campaignCreate', {
    type: 'regular',
    options: {
      list_id: list,
      subject: 'x',
      from_email: 'a@example.com',
      from_name: 'A',
      title: 'x',
      ln,
      auto_footer: true,
      generate_text: content.html !== undefined,
    },
    content,
  });
