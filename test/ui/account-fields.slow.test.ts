// Browser test of fields of the account: joined from the fields of a list after a look at what differs, shown and edited once on the
// page of a contact, listed in the settings, and separated again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { field, looks } from '../support/browser/settings.ts';
import { axe, noErrors, settled, uiTest } from '../support/browser/ui.ts';

const ui = uiTest();

test('a field is joined over all lists, edited once, and separated again', async () => {
  const { page, installation } = ui;
  const lists: string[] = [];
  for (const [title, name] of [
    ['Members', 'Old'],
    ['Board', 'New'],
  ]) {
    const id = await installation.call<string>('listCreate', { title });
    lists.push(id);
    for (const email_address of ['ada@wed.example', 'bea@wed.example'])
      await installation.call('listSubscribe', {
        ...{ id, email_address, double_optin: false },
        merge_vars: { LNAME: email_address.startsWith('ada') ? name : 'Same' },
      });
  }
  const valuesOf = async (email_address: string) => {
    const infos = lists.map((id) =>
      installation.call<{ merges: { LNAME: string } }>('listMemberInfo', { id, email_address }),
    );
    return (await Promise.all(infos)).map(({ merges }) => merges.LNAME);
  };
  await ui.open(`/lists/${lists[0]}?tab=fields`);
  await page.getByRole('button', { name: 'More actions for “Last Name”' }).click();
  await page.getByRole('menuitem', { name: 'Share with all lists' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('1 contact has different values.').waitFor();
  await dialog.getByText('ada@wed.example').waitFor();
  await dialog.getByText('This cannot be undone.').waitFor();
  await settled(page);
  await axe(page, 'preview of joined fields');
  await dialog.getByRole('radio', { name: 'the value of a list' }).check();
  await dialog.getByRole('cell', { name: 'Old', exact: true }).waitFor();
  await dialog.getByRole('radio', { name: 'the value that was changed last' }).check();
  await dialog.getByRole('cell', { name: 'New', exact: true }).waitFor();
  assert.deepEqual(await valuesOf('ada@wed.example'), ['Old', 'New']);
  await dialog.getByRole('button', { name: 'Share', exact: true }).click();
  await page.getByText('Same on every list', { exact: true }).waitFor();
  assert.deepEqual(await valuesOf('ada@wed.example'), ['New', 'New']);

  await ui.open('/contacts/ada%40wed.example');
  await page.getByRole('heading', { name: 'On every list' }).waitFor();
  assert.equal(await page.getByText('Last Name', { exact: true }).count(), 1);
  await page.getByRole('button', { name: 'Edit what is the same on every list' }).click();
  await field(page, 'Last Name').fill('Married');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await page.getByText('Married').first().waitFor();
  assert.deepEqual(await valuesOf('ada@wed.example'), ['Married', 'Married']);
  await settled(page);
  await axe(page, 'contact with fields of the account');

  await ui.open('/settings/fields');
  await page.getByText('Members, Board').waitFor();
  await looks(page, 'account-fields');
  await page.getByRole('button', { name: 'More actions for “Last Name”' }).click();
  await page.getByRole('menuitem', { name: 'Separate again' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Separate again' }).click();
  await page.getByText('No shared fields yet').waitFor();
  assert.deepEqual(await valuesOf('ada@wed.example'), ['Married', 'Married']);
  noErrors(page);
});
