// Browser test of the clean-up rules: a rule is created, its preview shows whom it chooses, and it is turned on by that.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, sql } from '../../src/db/connect.ts';
import { field, looks } from '../support/browser/settings.ts';
import { axe, noErrors, settled, uiTest } from '../support/browser/ui.ts';

const ui = uiTest();

test('a rule is created, previewed, turned on, turned off and deleted', async () => {
  const { page, installation } = ui;
  const list = await installation.call<string>('listCreate', { title: 'Readers' });
  for (const name of ['ann', 'ben'])
    await installation.call('listSubscribe', { id: list, email_address: `${name}@old.example`, double_optin: true });
  const db = connect(installation.settings['DATABASE_URL']!, { name: 'test', maxConnections: 1 });
  await db.run(sql`update subscription set signup_at = now() - interval '60 days' where status = 'pending'`);
  await db.close();
  await ui.open('/settings/clean-up');
  await page.getByRole('heading', { level: 1, name: 'Clean-up rules' }).waitFor();
  await page.getByText('No clean-up rules').waitFor();
  await looks(page, 'clean-up-empty');
  await page.getByRole('button', { name: 'Create rule' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('radio', { name: 'Contacts who no longer open or click' }).check();
  await field(page, 'Campaigns without a reaction').fill('5');
  await settled(page);
  await axe(page, 'new clean-up rule');
  await dialog.getByRole('radio', { name: 'Contacts who have not confirmed' }).check();
  await field(page, 'Days since the sign-up').fill('70');
  await dialog.getByText('No one would be affected now.').waitFor();
  await field(page, 'Days since the sign-up').fill('45');
  await dialog.getByText('Would remove 2 contacts today.').waitFor();
  await dialog.getByRole('button', { name: 'Create rule' }).click();
  await page.getByText('2 subscriptions would be affected now.').waitFor();
  await page.getByText('ann@old.example').waitFor();
  await settled(page);
  await axe(page, 'preview of a clean-up rule');
  type Listed = { enabled: boolean };
  assert.deepEqual(
    (await installation.call<Listed[]>('cleanUpRules')).map(({ enabled }) => enabled),
    [false],
  );
  await page.getByRole('dialog').getByRole('button', { name: 'Turn on', exact: true }).click();
  await page.getByText('The rule is on.').waitFor();
  await looks(page, 'clean-up');
  await page.getByRole('button', { name: /^Turn off: Not confirmed after 45 days/ }).click();
  await page.getByText('The rule is off.').waitFor();
  await page.getByRole('button', { name: /^Delete: / }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No clean-up rules').waitFor();
  assert.deepEqual(await installation.call('cleanUpRules'), []);
  noErrors(page);
});
