// Writing while the server cannot be reached: the composer says so, sends nothing, and saves what was typed when it is back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDraft, openSection, optionsOf, saved, section, typeSource, ui } from '../support/browser/composer.ts';
import { axe, eventually, noErrors, noSidewaysScroll, screenshots } from '../support/browser/ui.ts';

test('while the server is away the composer says so and does not send; then it saves what was typed', async () => {
  const page = await ui.member();
  const cid = await createDraft('In the tunnel', 'Newsletter', page);
  await page.getByRole('tab', { name: 'HTML source' }).click();
  await typeSource('<p>Written. <a href="*|UNSUB|*">Leave</a></p>', page);
  await saved(page);
  await openSection('send', page);
  const send = section('send', page).getByRole('button', { name: /^Send to/ });
  await eventually(async () => assert.ok(await send.isEnabled()));
  await page.getByRole('button', { name: 'Back to email' }).click();
  await page.route('**/api/**', (route) => route.abort());
  await page.getByRole('textbox', { name: 'Subject' }).fill('Typed in the tunnel');
  const bar = page.getByRole('alert').filter({ hasText: 'No connection' });
  await bar.getByText('Your text is kept in this window.').waitFor();
  assert.equal(await page.getByText('Some changes are not saved').count(), 0, 'said once');
  await page.getByRole('button', { name: 'Review', exact: true }).click();
  await eventually(async () => assert.equal(await send.isDisabled(), true));
  await axe(page, 'no connection');
  await screenshots(page, 'composer-no-connection');
  await noSidewaysScroll(page);
  await page.unroute('**/api/**');
  await bar.waitFor({ state: 'hidden' });
  await saved(page);
  await eventually(async () => assert.equal((await optionsOf(cid))['subject'], 'Typed in the tunnel'));
  await eventually(async () => assert.ok(await send.isEnabled()));
  noErrors(page);
});
