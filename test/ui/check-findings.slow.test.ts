// What the check finds in an email that comes from elsewhere, as the review shows it: merge tags of other programs, pictures that
// no reader sees, links that lead nowhere, files that an archive lacks. Each is quoted, and Show selects it.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { connect, sql } from '../../src/db/connect.ts';
import { axe, noSidewaysScroll, pageErrors, screenshots, settled, shows, uiTest } from '../support/browser/ui.ts';
import { zipOf } from '../support/builders/archives.ts';

const pages = 'https://pages.test-links.net';

let list: string;
const ui = uiTest({ FOLLOW_LINKS: 'yes' }, async ({ installation }) => {
  list = await installation.listOf(2, (n) => `reader${n}@example.com`);
});

const check = (page: Page) => page.locator('#section-check');
const finding = (page: Page, text: string | RegExp) => check(page).getByRole('listitem').filter({ hasText: text });

async function review(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Review', exact: true }).click();
  await check(page).waitFor();
  await settled(page);
}

/** A draft with this page in it, in its review. */
async function reviewOf(subject: string, html: string): Promise<string> {
  const cid = await ui.installation.draft(list, subject);
  await ui.installation.call('campaignUpdate', { cid, name: 'html', value: html });
  await ui.open(`/campaigns/${cid}/edit`);
  await review(ui.page);
  return cid;
}

/** The finding quotes these, and its button selects the first of them, in the visual editor if it can be selected there. */
async function leadsTo(page: Page, text: string | RegExp, ...quoted: string[]): Promise<void> {
  for (const part of quoted) await finding(page, text).getByText(part).waitFor();
  await finding(page, text).getByRole('button', { name: /^Show/ }).click();
  const [expected] = quoted;
  const inEditor = page
    .frameLocator('iframe[title="Email editor"]')
    .locator(
      `.gjs-selected:has-text("${expected}"), .gjs-selected[href="${expected}"], .gjs-selected[src="${expected}"]`,
    );
  const inSource = page.waitForFunction((text) => window.getSelection()?.toString() === text, expected);
  await Promise.any([inEditor.waitFor(), inSource]);
  await review(page);
}

/** The live preview shows the email as a browser does, with its relative and local addresses. */
function ownErrors(page: Page): void {
  const errors = (pageErrors.get(page) ?? []).filter((error) => !/Pictures|style\.css/.test(error));
  assert.deepEqual(errors, []);
}

const leave = '<p><a href="*|UNSUB|*">Unsubscribe</a></p>';

test('merge tags of other programs and broken ones are quoted and lead to their place', async () => {
  const { page } = ui;
  await reviewOf('Tags', `<p>Hello {{ contact.FIRSTNAME }} and %LASTNAME%, *|FNAME</p>${leave}`);
  await finding(page, '2 merge tags of other programs, which readers would see as text.').waitFor();
  await finding(page, 'This merge tag is incomplete. Readers would see it as text.').waitFor();
  await axe(page, 'findings about tags');
  await noSidewaysScroll(page);
  await screenshots(page, 'check-tags');
  await leadsTo(page, /merge tags of other programs/, '{{ contact.FIRSTNAME }}', '%LASTNAME%');
  await leadsTo(page, 'This merge tag is incomplete', '*|FNAME');
  await shows(check(page).getByText('Merge tags have values'), 0, 'it is not ticked');
  ownErrors(page);
});

test('pictures that no reader sees are named by what is wrong with them', async () => {
  const { page } = ui;
  const pictures = {
    'An image has no address, so readers see nothing.': '<img src="" alt="Empty">',
    'An image has an address without http:// or https://': 'images/boat.png',
    'An image is not on the web': 'C:\\Pictures\\boat.png',
    'An image is at an address that only your network knows.': 'http://192.168.0.7/boat.png',
    'An image has a malformed address.': 'https://pictures..example/boat.png',
    'An image is an SVG, which most email clients do not show.': 'https://pictures.example/boat.svg',
  };
  const images = Object.values(pictures).map((found) =>
    found.startsWith('<') ? found : `<img src="${found}" alt="Boat">`,
  );
  await reviewOf('Pictures', `${images.join('\n')}${leave}`);
  for (const [text, quoted] of Object.entries(pictures)) await leadsTo(page, text, quoted);
  await axe(page, 'findings about pictures');
  await noSidewaysScroll(page);
  await screenshots(page, 'check-pictures');
  ownErrors(page);
});

/** As if links of pages.test-links.net had just been followed, so that none is followed in the test. */
async function followed(outcomes: Record<string, [outcome: string, reason: string]>): Promise<void> {
  const db = connect(ui.installation.settings['DATABASE_URL']!, { name: 'test', maxConnections: 1 });
  try {
    for (const [path, [outcome, reason]] of Object.entries(outcomes))
      await db.run(sql`
        insert into followed_link (account_id, hash, outcome, reason)
        select id, ${createHash('sha256').update(`${pages}/${path}`).digest()}, ${outcome}, ${reason} from account
        on conflict (account_id, hash) do update set outcome = excluded.outcome, reason = excluded.reason`);
  } finally {
    await db.close();
  }
}

test('links that lead nowhere appear while the review is open', async () => {
  const { page } = ui;
  const linked = ['here', 'gone', 'broken'].map((path) => `<a href="${pages}/${path}">The ${path} page</a>`);
  const inside = '<a href="http://192.168.0.7/inside">Inside</a>';
  await followed({ here: ['answered', '200'], gone: ['answered', '200'], broken: ['answered', '200'] });
  await reviewOf('Links', `<p>${linked.join(' ')} ${inside}</p>${leave}`);
  await leadsTo(page, 'A link leads to an address that only your network knows.', 'http://192.168.0.7/inside');
  await shows(finding(page, 'A link leads to a page or server that was not found.'), 0);
  await followed({ gone: ['gone', '404'], broken: ['failing', 'timeout'] });
  await leadsTo(page, 'A link leads to a page or server that was not found.', `${pages}/gone`);
  await leadsTo(page, 'A link could not be opened.', `${pages}/broken`);
  await shows(check(page).getByText(`${pages}/here`), 0);
  await axe(page, 'findings about links');
  await noSidewaysScroll(page);
  await screenshots(page, 'check-links');
  ownErrors(page);
});

test('files that an archive lacks are named after its import', async () => {
  const { page } = ui;
  const cid = await ui.installation.draft(list, 'Archive');
  await ui.open(`/campaigns/${cid}/edit`);
  await page.getByRole('tab', { name: 'Replace content' }).click();
  const html = `<link rel="stylesheet" href="style.css"><p>The boats</p><img src="images/boat.png" alt="Boat">${leave}`;
  await page.locator('input[type=file]').setInputFiles({
    name: 'letter.zip',
    mimeType: 'application/zip',
    buffer: zipOf([{ name: 'index.html', body: html }]),
  });
  await page.getByRole('button', { name: 'Import file' }).click();
  await page.getByText('Content imported.').first().waitFor();
  await review(page);
  await finding(page, 'Not in the archive: "images/boat.png"').waitFor();
  await finding(page, 'Not in the archive: "style.css"').waitFor();
  await axe(page, 'findings about an archive');
  await noSidewaysScroll(page);
  await screenshots(page, 'check-archive');
  await finding(page, 'Not in the archive: "images/boat.png"').getByRole('button', { name: /^Show/ }).click();
  await page.getByRole('textbox', { name: 'HTML source' }).waitFor();
  ownErrors(page);
});

test('in German, all of it is in German', async () => {
  const page = await ui.member();
  await page.addInitScript(() => localStorage.setItem('postrider-language', 'de'));
  const cid = await ui.installation.draft(list, 'Auf Deutsch');
  const html = `<p>Hallo {{ contact.FIRSTNAME }} *|FNAME</p><img src="images/boot.png" alt="Boot"><a href="http://192.168.0.7/">Innen</a>${leave}`;
  await ui.installation.call('campaignUpdate', { cid, name: 'html', value: html });
  await ui.open(`/campaigns/${cid}/edit`, page);
  await page.getByRole('button', { name: 'Prüfen', exact: true }).click();
  await check(page).getByText('{{ contact.FIRSTNAME }}').waitFor();
  await settled(page);
  assert.doesNotMatch(
    (await check(page).textContent())!.replace(/https?:\S+/g, ''),
    /\b(readers|image|link leads|merge tag|your|no)\b/i,
  );
  ownErrors(page);
});
