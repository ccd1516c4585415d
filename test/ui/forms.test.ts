// Browser test of the sign-up form screen: its URL and HTML, settings, and texts in another language.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answered, axe, noErrors, noSidewaysScroll, screenshots, settled, uiTest } from '../support/browser/ui.ts';

const ui = uiTest();

test('an owner changes the form and a text, and visitors see it', async () => {
  const { page } = ui;
  const list = await ui.installation.call<string>('listCreate', { title: 'Letters' });
  await ui.open(`/lists/${list}/form`);
  await axe(page, 'form');
  await noSidewaysScroll(page);
  await page.getByRole('textbox', { name: 'Title' }).fill('Letters from the lake');
  await page.getByRole('textbox', { name: 'Redirect after sign-up' }).fill('http://example.com');
  await page.getByRole('button', { name: 'Save' }).first().click();
  await page
    .getByText(/https:\/\//)
    .filter({ hasText: 'redirect' })
    .or(page.locator('[aria-invalid="true"]'))
    .first()
    .waitFor();
  await page.getByRole('textbox', { name: 'Redirect after sign-up' }).fill('');
  await answered(page, 'listFormUpdate', () => page.getByRole('button', { name: 'Save' }).first().click());
  await page.getByText('Saved').first().waitFor();
  const url = (await page.getByRole('link', { name: /\/subscribe\// }).getAttribute('href'))!;
  assert.match(await (await page.request.get(url)).text(), /<h1>Letters from the lake<\/h1>/);

  await page.getByRole('button', { name: 'Welcome email: subject' }).click();
  await page.getByRole('textbox', { name: 'Welcome email: subject' }).fill('Hello *|FNAME:friend|*');
  await settled(page);
  await axe(page, 'form, a text open');
  await screenshots(page, 'list-form');
  await answered(page, 'listTextUpdate', () => page.getByRole('button', { name: 'Save' }).last().click());
  await page.getByText('changed').first().waitFor();
  noErrors(page);
});
