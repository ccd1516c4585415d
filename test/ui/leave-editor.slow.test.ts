// Browser test of leaving the composer at any moment: nothing of the editor runs on afterwards.
import { test } from 'node:test';
import { noErrors, settled, uiTest } from '../support/browser/ui.ts';

let cid = '';
const ui = uiTest({}, async ({ installation }) => {
  const list = await installation.listOf(1, () => 'reader@example.com');
  cid = await installation.draft(list, 'Autumn news');
});

test('going back out of the editor, while it loads or after it was used, fails nowhere', async () => {
  const { page } = ui;
  for (const until of ['the page', 'the frame', 'the text'] as const) {
    await ui.open('/campaigns');
    await page.getByRole('link', { name: 'Autumn news' }).click();
    await page.waitForURL('**/edit');
    if (until !== 'the page') await page.locator('.gjs-frame').waitFor();
    if (until === 'the text') {
      const text = page.frameLocator('iframe[title="Email editor"]').locator('p').first();
      await text.dblclick();
      await page.keyboard.type('More');
    }
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Campaigns' }).waitFor();
    await settled(page);
    noErrors(page);
  }
  await ui.open(`/campaigns/${cid}/edit`);
  await page.locator('.gjs-frame').waitFor();
  noErrors(page);
});
