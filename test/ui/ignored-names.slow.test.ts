// Browser test of the names that programs send and that are no field: on the page of the list, as fields or dismissed, and in
// the audit log.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { looks } from '../support/browser/settings.ts';
import { eventually, noErrors, settled, shows, uiTest } from '../support/browser/ui.ts';
import { testKey } from '../support/installation/service.ts';

const ui = uiTest();

/** What a sign-up widget does that passes on all posted fields. */
async function signUp(list: string, fields: Record<string, string>): Promise<void> {
  const body = new URLSearchParams({
    apikey: testKey,
    id: list,
    email_address: 'ada@example.org',
    update_existing: '1',
  });
  for (const [name, value] of Object.entries(fields)) body.set(`merge_vars[${name}]`, value);
  const query = '/1.8/?output=json&method=listSubscribe';
  const response = await fetch(`${ui.installation.base}${query}`, { method: 'POST', body });
  assert.equal(await response.json(), true);
}

test('names that are no field are shown with counts, become fields, and are dismissed', async () => {
  const { page, installation } = ui;
  const list = await installation.call<string>('listCreate', { title: 'Readers' });
  const fields = { SHOE: '42', 'widget-form': '2', GROUPINGS: 'a', status: 'x', Merge7: 'x' };
  await ui.open(`/lists/${list}`);
  await page.getByRole('heading', { level: 1, name: 'Readers' }).waitFor();
  assert.equal(await page.getByText('no field').count(), 0);
  await signUp(list, fields);
  await signUp(list, { SHOE: '43' });
  await ui.open(`/lists/${list}`);
  await page.getByRole('link', { name: '5 names that are no field' }).click();
  const names = page.getByRole('region', { name: 'Names that are no field' });
  await names.getByText('The values are dropped.').waitFor();
  const row = (name: string) => names.getByRole('row').filter({ has: page.getByText(name, { exact: true }) });
  assert.match((await row('SHOE').textContent())!, /^SHOEContacts2Last seen/);
  assert.match((await row('GROUPINGS').textContent())!, /^GROUPINGSContacts1Last seen/);
  assert.equal(await names.getByText('42').count(), 0, 'no values');
  // What cannot be a tag, for its form or because it means something already, is not offered as a field.
  for (const name of ['widget-form', 'status', 'Merge7'])
    await shows(page.getByRole('button', { name: `Create field “${name}”` }), 0);
  await shows(page.getByRole('button', { name: /^Create field/ }), 2);
  await looks(page, 'list-ignored-names');

  await page.getByRole('button', { name: 'Dismiss “GROUPINGS”' }).click();
  await shows(row('GROUPINGS'), 0);
  await page.getByRole('button', { name: 'Create field “SHOE”' }).click();
  const dialog = page.getByRole('dialog');
  assert.equal(await dialog.getByRole('textbox', { name: 'Merge tag' }).inputValue(), 'SHOE');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Shoe size');
  assert.equal(await dialog.getByRole('textbox', { name: 'Merge tag' }).inputValue(), 'SHOE');
  await looks(page, 'list-ignored-name-field');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await shows(row('SHOE'), 0);
  await page.getByRole('link', { name: '3 names that are no field' }).waitFor();
  await signUp(list, { SHOE: '44', GROUPINGS: 'a' });
  type Member = { merges: Record<string, string> };
  const member = { id: list, email_address: 'ada@example.org' };
  await eventually(async () =>
    assert.equal((await installation.call<Member>('listMemberInfo', member)).merges['SHOE'], '44'),
  );
  await ui.open(`/lists/${list}?tab=fields`);
  await shows(names.getByText('GROUPINGS'), 0);

  await ui.open('/settings/audit');
  await page.getByText(/ignored: SHOE, widget-form, GROUPINGS, status, Merge7/).waitFor();
  await looks(page, 'audit-ignored');
  noErrors(page);
});

test('the names are shown in German too', async () => {
  const { installation } = ui;
  const list = await installation.call<string>('listCreate', { title: 'Leser' });
  await signUp(list, { SCHUHE: '42' });
  const visitor = await ui.visitor({ locale: 'de-DE' });
  const answer = await visitor.request.post(`${installation.base}/session`, {
    data: { email: 'owner@example.com', password: 'a heron by the quiet lake' },
  });
  assert.equal(answer.status(), 200);
  await ui.open(`/lists/${list}?tab=fields`, visitor);
  await visitor.getByRole('link', { name: '1 Name ohne Feld' }).waitFor();
  await visitor.getByRole('button', { name: 'Feld „SCHUHE“ anlegen' }).waitFor();
  await settled(visitor);
  noErrors(visitor);
});
