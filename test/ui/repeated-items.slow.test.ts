// The block of items in the visual editor: it writes a loop, shows its list in the settings, and comes back as it was. The menu of
// merge tags offers the event where one leads to the email.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentOf, createDraft, list, optionsOf, saved, ui, visual } from '../support/browser/composer.ts';
import { axe, eventually, noErrors, screenshots } from '../support/browser/ui.ts';

const html = async (cid: string) => (await contentOf(cid)).html.replaceAll(/([:;,]) /g, '$1');
const becomes = (cid: string, expected: RegExp) =>
  eventually(async () => assert.match(await html(cid), expected), 8_000);

test('a block of items is a loop around its row, for the list in its settings', async () => {
  const page = await ui.member();
  const cid = await createDraft('Your cart', 'Newsletter', page);
  await visual(page).getByText('A heading that says').click();
  await page.getByRole('button', { name: 'Repeat', exact: true }).click();
  const row =
    /<!--\*\|EACH:EVENT:items\|\*--><tr>(?:(?!<!--)[\s\S])*<a href="\*\|ITEM:url\|\*"[^>]*><img [^>]*src="\*\|ITEM:picture\|\*"[^>]*>(?:(?!<!--)[\s\S])*\*\|ITEM:price\|\*(?:(?!<!--)[\s\S])*<\/tr><!--\*\|END:EACH\|\*-->/;
  await becomes(cid, row);
  await visual(page).locator('td').filter({ hasText: 'Price of the item' }).last().click();
  const repeated = page.getByRole('textbox', { name: 'Repeated for each item of' });
  assert.equal(await repeated.inputValue(), 'EVENT:items');
  await axe(page, 'items of a list');
  await screenshots(page, 'composer-items');
  await repeated.fill('EVENT:');
  await page.getByText('Write the name of a list, such as EVENT:items.').waitFor();
  await repeated.fill('event:order.lines');
  await becomes(cid, /<!--\*\|EACH:EVENT:order\.lines\|\*--><tr/);
  assert.doesNotMatch(await html(cid), /data-each/);
  // It is the same block when the email is opened again.
  await saved(page);
  const before = await html(cid);
  await page.reload();
  await visual(page).locator('td').filter({ hasText: 'Price of the item' }).last().click();
  assert.equal(await repeated.inputValue(), 'EVENT:order.lines');
  assert.equal(await page.getByText('cannot edit this HTML').count(), 0);
  assert.equal(await html(cid), before);
  noErrors(page);
});

test('the menu of merge tags offers the event, where one leads to the email', async () => {
  const page = await ui.member();
  const cid = await createDraft('The event', 'Newsletter', page);
  const open = () => page.getByRole('button', { name: 'Insert merge tag: Subject' }).click();
  await visual(page).getByText('A heading that says').waitFor();
  await open();
  await page.getByRole('menuitem', { name: /LIST:NAME/ }).waitFor();
  assert.equal(await page.getByRole('menuitem', { name: /EVENT:name/ }).count(), 0);
  await page.keyboard.press('Escape');
  const id = await ui.installation.call<string>('automationCreate', { title: 'Cart', list });
  await ui.installation.call('automationUpdate', {
    id,
    trigger: { type: 'event', name: 'cart.left' },
    steps: [{ type: 'send', campaign: cid }],
  });
  await saved(page);
  await page.reload();
  await visual(page).getByText('A heading that says').waitFor();
  await open();
  await page.getByRole('menuitem', { name: /EACH:EVENT:items/ }).waitFor();
  await screenshots(page, 'composer-event-tags');
  await page.getByRole('menuitem', { name: /EVENT:name/ }).click();
  await eventually(async () => assert.match(String((await optionsOf(cid))['subject']), /\*\|EVENT:name\|\*/), 8_000);
  noErrors(page);
});
