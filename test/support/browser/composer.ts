// The composer of an installation with two lists: what its tests do in it again and again.
import type { Page } from 'playwright-core';
import { allSaved, settled, shows, uiTest } from './ui.ts';

/** The list that a new campaign starts with: Ada, Bob and Cy. */
export let list: string;
export const ui = uiTest({}, async (ui) => {
  list = await ui.installation.call<string>('listCreate', { title: 'Friends of the lake' });
  const others = await ui.installation.call<string>('listCreate', { title: 'Partners' });
  const add = (id: string, email: string, FNAME: string) =>
    ui.installation.call('listSubscribe', {
      id,
      email_address: email,
      merge_vars: { FNAME },
      double_optin: false,
      send_welcome: false,
    });
  await add(list, 'ada@example.com', 'Ada');
  await add(list, 'bob@example.com', 'Bob');
  await add(list, 'cy@example.com', 'Cy');
  await add(others, 'cy@example.com', 'Cy');
  await ui.installation.call('listSegmentCreate', {
    list,
    title: 'Names with A',
    match: 'all',
    filter: [{ field: 'FNAME', condition: 'starts', value: 'A' }],
  });
});

export const section = (name: string, page = ui.page) => page.locator(`#section-${name}`);
/** Shows a part of the composer: a section of the settings, the email, or a part of the review. */
export async function openSection(name: string, page = ui.page) {
  // One that is a sheet covers the others.
  const sheet = page.locator('[aria-haspopup="dialog"][aria-expanded="true"]');
  if (await sheet.isVisible()) await page.keyboard.press('Escape');
  await shows(sheet, 0);
  const isReview = name === 'send' || name === 'check';
  const back = page.getByRole('button', { name: 'Back to email' });
  if (isReview !== (await back.isVisible()))
    await (isReview ? page.getByRole('button', { name: 'Review', exact: true }) : back).click();
  await section(name, page).waitFor();
  const folded = section(name, page).locator('h2 button[aria-expanded="false"]');
  if (await folded.isVisible()) await folded.click();
  await settled(page);
}
export async function closeSection(name: string, page = ui.page) {
  const unfolded = section(name, page).locator('h2 button[aria-expanded="true"]');
  if (await unfolded.isVisible()) await unfolded.click();
}
export const visual = (page = ui.page) => page.frameLocator('iframe[title="Email editor"]');
export const saved = (page = ui.page) => allSaved(page);
export const cidOf = (page: Page) => /campaigns\/(\w+)\/edit/.exec(page.url())![1]!;
export const optionsOf = (cid: string) => ui.installation.call<Record<string, unknown>>('campaignGet', { cid });
export const contentOf = (cid: string) =>
  ui.installation.call<{ html: string; plain: string }>('campaignContent', { cid });

/** Replaces the source, as if typed. */
export async function typeSource(text: string, page = ui.page) {
  const editor = page.getByRole('textbox', { name: 'HTML source' });
  await editor.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text);
}

export async function createDraft(subject: string, kind = 'Newsletter', page = ui.page): Promise<string> {
  await ui.open('/campaigns/new', page);
  await page.getByRole('textbox', { name: 'Subject' }).fill(subject);
  await page.getByRole('radio', { name: kind }).check();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.waitForURL('**/edit');
  await settled(page);
  return cidOf(page);
}
