// Browser test of lists and contacts: create a list, import a file after a preview, members, segments, fields, a
// contact from edit to erasure; and what a viewer sees.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import {
  answered,
  axe,
  eventually,
  noErrors,
  noSidewaysScroll,
  savedText,
  screenshots,
  settled,
  shows,
  type Ui,
  uiTest,
} from '../support/browser/ui.ts';

const ui = uiTest();
let list: string;

const file = [
  'E-mail;First Name;City;Age',
  'ada@example.com;Ada;London;36',
  'grace@example.com;Grace;New York;85',
  'edith@example.com;Edith;Hamburg;54',
  'ada@example.com;Ada again;London;36',
  'not an address;Noah;Nowhere;1',
].join('\n');

/** Accessible in light and dark, fits on a phone, with screenshots. */
async function sound(page: Page, name: string): Promise<void> {
  await settled(page);
  await axe(page, name);
  await noSidewaysScroll(page);
  await screenshots(page, name);
}

async function choose(page: Page, label: string, option: string, nth = 0): Promise<void> {
  await page.getByRole('combobox', { name: label, exact: true }).nth(nth).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

test('a list is created by keyboard, and an invalid address is reported at its field', async () => {
  const { page } = ui;
  await ui.open('/lists');
  await sound(page, 'lists-empty');
  await page.keyboard.press('c');
  await page.getByRole('textbox', { name: 'Name', exact: true }).waitFor();
  await settled(page);
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Readers');
  await page.getByRole('textbox', { name: 'Sender address' }).fill('nobody');
  await page.keyboard.press('Enter');
  await page.getByText(/is not an e-?mail address/).waitFor();
  const field = page.getByRole('textbox', { name: 'Sender address' });
  await eventually(async () => assert.equal(await field.getAttribute('aria-invalid'), 'true'));
  assert.equal(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue(), 'Readers');
  await sound(page, 'list-new');
  await field.fill('editors@example.com');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Readers' }).waitFor();
  list = new URL(page.url()).pathname.split('/').at(-1)!;
  await page.getByText('No subscribers yet').waitFor();
  await sound(page, 'list-empty');
});

test('a file is imported after a preview that changes nothing, and invalid rows are reported', async () => {
  const { page } = ui;
  await page.getByRole('tab', { name: 'Import' }).click();
  await settled(page);
  await sound(page, 'import-file');
  await page.locator('input[type=file]').setInputFiles({
    name: 'friends.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(file),
  });
  await page.getByRole('heading', { level: 1, name: 'friends.csv' }).waitFor();
  await page.getByRole('heading', { name: 'Columns' }).waitFor();
  await page.getByText("2 columns won't be imported: City, Age").waitFor();
  await page.getByRole('button', { name: 'Create fields for them' }).click();
  await page.getByText("won't be imported").waitFor({ state: 'detached' });
  await choose(page, 'Import “Age” as', 'New number field AGE');
  await sound(page, 'import-columns');
  await page.getByRole('button', { name: 'Preview import' }).click();
  await page.getByRole('heading', { name: 'Preview' }).waitFor();
  await page.getByText(/rows? skipped/).waitFor();
  await sound(page, 'import-check');
  assert.deepEqual(await ui.installation.call('listMembers', { id: list }), [], 'the preview has changed a contact');
  await page.getByRole('button', { name: 'Import 3 contacts' }).click();
  await page.getByRole('heading', { name: 'Result' }).waitFor();
  await sound(page, 'import-done');
  const report = await page.request.get(
    new URL((await page.getByRole('link', { name: 'Error report' }).getAttribute('href'))!, page.url()).href,
  );
  assert.match(await report.text(), /not an address/);
  const german = await ui.member();
  await german.addInitScript(() => localStorage.setItem('postrider-language', 'de'));
  await ui.open(new URL(page.url()).pathname.replace('/app', ''), german);
  const [saved] = await Promise.all([
    german.waitForEvent('download'),
    german.getByRole('button', { name: 'Fehlerbericht' }).click(),
  ]);
  assert.match(await savedText(saved), /^\uFEFFZeile,Spalte,Wert,Grund\r\n.*not an address,.*(Leerzeichen|space)/s);
  await german.close();
  await page.getByRole('link', { name: 'Show contacts' }).click();
  await page.getByRole('link', { name: 'edith@example.com' }).waitFor();
  await page.getByText('1–3 of 3').waitFor();
  await page.getByText('3 subscribers').waitFor();
});

test('members are searched, selected and unsubscribed, and a contact is added by hand', async () => {
  const { page } = ui;
  await sound(page, 'list-members');
  await page.getByRole('searchbox', { name: 'Search contacts' }).fill('york');
  await page.getByText('1–1 of 1').waitFor();
  await page.getByRole('checkbox', { name: 'Select grace@example.com' }).check();
  await page.getByRole('button', { name: 'Unsubscribe' }).click();
  await axe(page, 'unsubscribing');
  await page.getByRole('dialog').getByRole('button', { name: 'Unsubscribe' }).click();
  await page.getByText('1 contact unsubscribed.').waitFor();
  await page.getByRole('searchbox', { name: 'Search contacts' }).fill('');
  await page.getByText('1–3 of 3').waitFor();
  await page.getByRole('button', { name: /^Unsubscribed/ }).click();
  await page.getByText('1–1 of 1').waitFor();
  await page.getByRole('button', { name: /^All/ }).click();
  await page.getByText('1–3 of 3').waitFor();

  await page.getByRole('button', { name: 'Add contact' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Email address' }).fill('ada@example.com');
  await dialog.getByText('Already gave consent').click();
  await dialog.getByRole('button', { name: 'Add' }).click();
  await dialog
    .getByText(/already/i)
    .nth(1)
    .waitFor();
  await sound(page, 'list-add-member');
  await dialog.getByRole('textbox', { name: 'Email address' }).fill('mary@example.com');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await page.getByText('mary@example.com subscribed.').waitFor();
  await page.getByRole('link', { name: 'mary@example.com' }).waitFor();
});

test('fields are added and reordered, and invalid ones are rejected', async () => {
  const { page } = ui;
  await page.getByRole('tab', { name: 'Fields' }).click();
  await page.getByRole('button', { name: 'Add field' }).click();
  const dialog = page.getByRole('dialog');
  const [name, tag] = [dialog.getByRole('textbox', { name: 'Name' }), dialog.getByRole('textbox', { name: 'Tag' })];
  await name.fill('City');
  await eventually(async () => assert.equal(await tag.inputValue(), 'CITY'));
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText(/has a field CITY|field CITY already|CITY is already/).waitFor();
  await tag.and(page.locator('[aria-invalid="true"]:focus')).waitFor();
  // The focus does not move to the fault if the user is typing in another field.
  const held = Promise.withResolvers<void>();
  await page.route('**/api/listMergeVarAdd', (route) => held.promise.then(() => route.continue()), { times: 1 });
  await tag.fill('FNAME');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await name.fill('Pl');
  held.resolve();
  await dialog.getByText(/has a field FNAME|field FNAME already|FNAME is already/).waitFor();
  await settled(page);
  await page.keyboard.type('an');
  assert.deepEqual([await name.inputValue(), await tag.inputValue()], ['Plan', 'FNAME']);
  await dialog.getByRole('textbox', { name: 'Tag' }).fill('plan');
  await dialog.getByRole('combobox', { name: 'Type' }).click();
  await page.getByRole('option', { name: 'Dropdown' }).click();
  await dialog.getByRole('combobox', { name: 'Choices' }).fill('Small');
  await page.keyboard.press('Enter');
  await dialog.getByRole('combobox', { name: 'Choices' }).fill('Large');
  await page.keyboard.press('Enter');
  await sound(page, 'list-field');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('*|PLAN|*').waitFor();
  await page.getByRole('button', { name: 'Move “Plan” up' }).click();
  await ui.installation.until('the order is changed', async () => {
    const fields = await ui.installation.call<{ tag: string }[]>('listMergeVars', { id: list });
    return fields.findIndex(({ tag }) => tag === 'PLAN') === fields.length - 2;
  });
  await sound(page, 'list-fields');
});

test('a segment is built with its count and description shown', async () => {
  const { page } = ui;
  await page.getByRole('tab', { name: 'Segments' }).click();
  await page.getByRole('link', { name: 'New segment' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Elsewhere');
  // What is typed replaces the name of the chosen field, which comes back with Escape and when the field is left.
  const field = page.getByRole('combobox', { name: 'Field', exact: true });
  const before = await field.inputValue();
  assert.notEqual(before, '');
  await field.click();
  await page.getByRole('option', { name: 'City', exact: true }).waitFor();
  await page.keyboard.type('zz');
  await page.getByText('No field matches').waitFor();
  assert.equal(await field.inputValue(), 'zz');
  await page.keyboard.press('Escape');
  await eventually(async () => assert.equal(await field.inputValue(), before));
  await field.click();
  await page.keyboard.type('Cit');
  await eventually(async () => assert.equal(await page.getByRole('option').count(), 1));
  await page.getByRole('textbox', { name: 'Name', exact: true }).click();
  await eventually(async () => assert.equal(await field.inputValue(), before));
  await choose(page, 'Field', 'City');
  await choose(page, 'Comparison', 'is');
  await page.getByRole('textbox', { name: 'Value' }).fill('Hamburg');
  await page.getByText('1 contact matches').waitFor();
  await page.getByRole('button', { name: 'Add group' }).first().click();
  await choose(page, 'Field', 'Age', 1);
  await choose(page, 'Comparison', 'is more than', 1);
  await page.getByRole('textbox', { name: 'Value' }).nth(1).fill('many');
  await page.getByText(/["“]many["”] is not a number/).waitFor();
  await page.getByRole('textbox', { name: 'Value' }).nth(1).fill('30');
  await page.getByRole('radiogroup', { name: 'Match' }).first().getByText('Any', { exact: true }).click();
  await page.getByText('2 contacts match').waitFor();
  await page.getByRole('button', { name: 'Add condition' }).last().click();
  await choose(page, 'Field', 'Opened a campaign', 2);
  await choose(page, 'Comparison', 'in the last', 2);
  await page.getByRole('textbox', { name: 'Value' }).nth(2).fill('30');
  await page.getByText('or the contact opened a message within the last 30 days').waitFor();
  await page.getByText('2 contacts match').waitFor();
  const match = page.getByRole('radiogroup', { name: 'Match' }).first();
  await match.getByText('None', { exact: true }).click();
  await page.getByText(/^None of these conditions is met: City is “Hamburg” or /).waitFor();
  await match.getByText('Any', { exact: true }).click();
  await page.getByText('2 contacts match').waitFor();
  await sound(page, 'segment-form');
  for (const size of ['Alone: 1 contact', 'Alone: 0 contacts']) await page.getByText(size).first().waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: /Elsewhere/ }).waitFor();
  await page.getByText('1–2 of 2').waitFor();
  // The browser's Back does not lead to an empty form.
  await page.goBack();
  await page.getByRole('link', { name: 'Elsewhere' }).waitFor();
  assert.equal(await page.getByRole('heading', { name: 'New segment' }).count(), 0);
  const [saved] = await ui.installation.call<{ match: string; member_count: number; filter: unknown[] }[]>(
    'listSegments',
    { id: list },
  );
  assert.equal(saved!.match, 'any');
  assert.equal(saved!.member_count, 2);
  assert.deepEqual(saved!.filter.at(-1), { field: 'opened', condition: 'is', value: '30 days' });
  await sound(page, 'list-segments');
  await page.getByRole('button', { name: 'More actions for “Elsewhere”' }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  await page.getByText('2 contacts match').waitFor();
  await page.getByRole('link', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'More actions for “Elsewhere”' }).click();
  await page.getByRole('menuitem', { name: 'Show contacts' }).click();
  await page.getByText('1–2 of 2').waitFor();
});

test('growth, settings and the member export work', async () => {
  const { page } = ui;
  await page.getByRole('tab', { name: 'Growth' }).click();
  await page.locator('.recharts-surface').first().waitFor();
  await sound(page, 'list-growth');
  await page.getByRole('tab', { name: 'Settings' }).click();
  await page.getByRole('textbox', { name: 'Organisation' }).fill('Harbour Books');
  await choose(page, 'Language', 'German');
  await answered(page, 'listUpdate', () => page.getByRole('button', { name: 'Save' }).click());
  await eventually(async () => {
    const info = await ui.installation.call<{ company: string; default_language: string }>('listGet', { id: list });
    assert.deepEqual([info.company, info.default_language], ['Harbour Books', 'de']);
  });
  await page.getByText('Saved.').last().waitFor();
  await sound(page, 'list-settings');
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByText('4 rows').waitFor();
  await sound(page, 'list-export');
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download CSV' }).click();
  assert.equal((await download).suggestedFilename(), `list-${list}.csv`);
  noErrors(page);
});

test('how campaigns did is a skeleton until it is loaded, never a dash', async () => {
  const page = await ui.member();
  const { promise: asked, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/api/listResults', async (route) => {
    await asked;
    await route.continue();
  });
  await page.goto(`${ui.installation.base}/app/lists`);
  const row = page.getByRole('row', { name: 'Readers' });
  const [opened, last] = [row.getByRole('cell').nth(4), row.getByRole('cell').nth(5)];
  await row.waitFor();
  assert.deepEqual([await opened.textContent(), await last.textContent()], ['Opened', 'Last campaign']);
  release();
  // It was in no campaign.
  await opened.getByText('–').waitFor();
  await last.getByText('–').waitFor();
  noErrors(page);
});

test('the search finds lists and contacts', async () => {
  const { page } = ui;
  await ui.open('/lists');
  await page
    .getByText(/^In 30 days: \d+ joined, \d+ left$/)
    .first()
    .waitFor({ state: 'attached' });
  await sound(page, 'lists');
  await page.keyboard.press('/');
  await page.getByRole('textbox', { name: 'Search' }).last().fill('edith');
  await page.getByText('edith@example.com').click();
  await page.getByRole('heading', { level: 1, name: 'Edith' }).waitFor();
});

test('the contact screen shows the activity; values are edited, and the contact is erased', async () => {
  const { page } = ui;
  await settled(page);
  await page.getByText('Imported from a file').waitFor();
  await page.getByText('Proof of consent').waitFor();
  await page.getByText('None recorded in the imported file').waitFor();
  await sound(page, 'contact');
  await page.getByRole('button', { name: 'Edit on “Readers”' }).click();
  const dialog = page.getByRole('dialog');
  // The dialog focuses its first button when it opens.
  await dialog.locator(':focus').waitFor();
  await dialog.getByRole('textbox', { name: 'Email address' }).fill('nobody');
  await dialog.getByRole('textbox', { name: 'City' }).fill('Bremen');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText(/is not an e-?mail address/).waitFor();
  await dialog.getByRole('textbox', { name: 'Email address' }).and(page.locator('[aria-invalid="true"]')).waitFor();
  assert.equal(await dialog.getByRole('textbox', { name: 'City' }).inputValue(), 'Bremen');
  await sound(page, 'contact-edit');
  await dialog.getByRole('textbox', { name: 'Email address' }).fill('edith@example.com');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Bremen').waitFor();
  await page.getByText('Data changed').waitFor();
  await page.getByText('CITY', { exact: true }).waitFor();

  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Pause' }).click();
  await choose(page, 'Duration', '4 weeks');
  await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('alert', { name: 'Paused' }).waitFor();
  await sound(page, 'contact-paused');
  const { paused_until } = await ui.installation.call<{ paused_until: string }>('contactGet', {
    email: 'edith@example.com',
  });
  const ahead = (Date.parse(`${paused_until.replace(' ', 'T')}Z`) - Date.now()) / 86_400_000;
  assert.ok(ahead > 27.9 && ahead <= 28, paused_until);
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('alert', { name: 'Paused' }).waitFor({ state: 'detached' });
  await page.getByText('Resumed', { exact: true }).waitFor();

  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Suppress' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Suppress' }).click();
  await page.getByRole('alert', { name: 'Suppressed' }).waitFor();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Remove suppression' }).click();
  await page.getByRole('alert', { name: 'Suppressed' }).waitFor({ state: 'detached' });

  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Export' }).click();
  assert.match((await download).suggestedFilename(), /^contact-.*\.json$/);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Erase' }).click();
  await page.getByText('subscription will be erased').waitFor();
  await sound(page, 'contact-erase');
  await page.getByRole('dialog').getByRole('button', { name: 'Erase' }).click();
  await page.getByText('edith@example.com erased.').waitFor();
  await assert.rejects(ui.installation.call('contactGet', { email: 'edith@example.com' }));
  noErrors(page);
});

test('the contact screen shows the consent text that was accepted', async () => {
  const { page, installation } = ui;
  const id = await installation.call<string>('listCreate', { title: 'Form readers' });
  await installation.call('listFormUpdate', { id, options: { consent: 'I want the letter of the harbour.' } });
  const { url } = await installation.call<{ url: string }>('listForm', { id });
  const form = new URL(new URL(url).pathname, page.url()).href;
  const [, LOOK] = /name="LOOK" value="([^"]+)"/.exec(await (await page.request.get(form)).text())!;
  // The form rejects submissions faster than a person types.
  await page.waitForTimeout(1_600);
  await page.request.post(form, { form: { EMAIL: 'rosa@example.com', CONSENT: '1', LOOK: LOOK! } });
  await ui.open('/contacts/rosa@example.com');
  const consent = page.locator('dd').getByText('I want the letter of the harbour.');
  await consent.waitFor({ state: 'attached' });
  assert.equal(await consent.isVisible(), false, 'folded');
  await page.getByText('Proof of consent').click();
  await consent.waitFor();
  await page.locator('dd').getByText('Form readers').waitFor();
  assert.equal(await page.getByText('I want the letter of the harbour.').count(), 1, 'shown once');
  await sound(page, 'contact-agreed');

  // As after the button of the page that says they left (src/pages/return.test.ts).
  await page.route('**/api/contactTimeline', async (route) => {
    const response = await route.fetch();
    const [first, ...rest] = (await response.json()) as { evidence: object }[];
    await route.fulfill({ response, json: [{ ...first, evidence: { how: 'undo', minutes: '30' } }, ...rest] });
  });
  await page.reload();
  await page.getByText('Subscribed again on the unsubscribe page', { exact: true }).waitFor();
  await page.unroute('**/api/contactTimeline');
  await installation.call('listDelete', { id });
  noErrors(page);
});

test('an import is undone', async () => {
  const { page } = ui;
  await ui.open(`/lists/${list}?tab=import`);
  await page.getByRole('link', { name: 'friends.csv' }).click();
  await page.getByRole('button', { name: 'Undo import' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Undo import' }).click();
  await page.getByRole('heading', { name: 'Undone' }).waitFor();
  await sound(page, 'import-undone');
  const members = await ui.installation.call<{ email: string }[]>('listMembers', { id: list });
  assert.deepEqual(
    members.map(({ email }) => email),
    ['mary@example.com'],
  );
  noErrors(page);
});

test('a viewer sees no button that changes anything', async () => {
  const { page, installation } = ui;
  const viewer = { email: 'viewer@example.com', password: 'three quiet otters swim' };
  await invite(ui, viewer);
  const looker = await ui.member(viewer);
  for (const path of [
    '/lists',
    `/lists/${list}`,
    `/lists/${list}?tab=segments`,
    `/lists/${list}?tab=fields`,
    `/lists/${list}?tab=settings`,
    '/contacts/mary@example.com',
  ]) {
    await ui.open(path, looker);
    const names = await looker.locator('main button:not(th button)').allTextContents();
    assert.deepEqual(
      names.filter((name) => /create|add|edit|delete|save|erase|unsubscribe$|import/i.test(name)),
      [],
      path,
    );
    await shows(looker.getByRole('checkbox'), 0, path);
    await axe(looker, `viewer, ${path}`);
  }
  noErrors(looker);
  assert.ok(installation.base);
  noErrors(page);
});

/** Adds a viewer with a password. */
async function invite({ installation, visitor }: Ui, who: { email: string; password: string }): Promise<void> {
  const { link } = await installation.call<{ link: string }>('userInvite', { email: who.email, role: 'viewer' });
  const token = decodeURIComponent(new URL(link).hash.slice(1));
  const page = await visitor();
  const answer = await page.request.post(`${installation.base}/session/invitation/join`, {
    data: { token, name: '', password: who.password },
  });
  assert.ok(answer.ok(), await answer.text());
}
