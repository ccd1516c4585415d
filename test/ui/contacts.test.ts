// Browser test of the contacts of all lists: filters that become a segment, chosen columns, the closer look, actions for
// several, the page of one contact, and the import of another program's export in few clicks. More of them is in
// contact-actions.slow.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import {
  axe,
  eventually,
  noErrors,
  noSidewaysScroll,
  screenshots,
  settled,
  shows,
  uiTest,
} from '../support/browser/ui.ts';

const ui = uiTest();
let letter: string;
let news: string;

/** Accessible in light and dark, fits on a phone, with screenshots. */
async function sound(page: Page, name: string): Promise<void> {
  await settled(page);
  await axe(page, name);
  await noSidewaysScroll(page);
  await screenshots(page, name);
}

const people: [email: string, FNAME: string, CITY: string][] = [
  ['ada@example.com', 'Ada', 'London'],
  ['grace@example.com', 'Grace', 'New York'],
  ['edith@example.com', 'Edith', 'Hamburg'],
  ['mary@example.com', 'Mary', 'London'],
];

test('an export of Mailchimp is imported in at most six clicks, and who left there stays unsubscribed', async () => {
  const { page, installation } = ui;
  let clicks = 0;
  const click = async (locator: ReturnType<Page['getByRole']>) => {
    clicks++;
    await locator.click();
  };
  await ui.open('/home');
  await click(page.getByRole('navigation').getByRole('link', { name: 'Contacts', exact: true }));
  await page.getByText('No contacts yet').waitFor();
  await sound(page, 'contacts-empty');
  await click(page.getByRole('link', { name: 'Import contacts' }).first());
  await page.getByRole('heading', { level: 1, name: 'Import contacts' }).waitFor();
  await sound(page, 'contacts-import');
  await page.getByRole('textbox', { name: 'Name of the new list' }).fill('Former readers');
  const chooser = page.waitForEvent('filechooser');
  await click(page.getByRole('button', { name: 'Choose file' }));
  await (await chooser).setFiles({
    name: 'audience.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(
      [
        '"Email Address","First Name",MEMBER_RATING,OPTIN_TIME,UNSUB_TIME,LEID,EUID',
        'ann@mc.example,Ann,4,"2021-03-04 05:06:07",,101,a',
        'lou@mc.example,Lou,2,"2021-03-04 05:06:07","2022-05-06 07:08:09",102,b',
        'not an address,Noah,2,"2021-03-04 05:06:07",,103,c',
      ].join('\r\n'),
    ),
  });
  await page.getByText('Recognised as an export of Mailchimp.').waitFor();
  await page.getByText('1 of 3 values is not valid and will be skipped:').waitFor();
  await sound(page, 'contacts-import-columns');
  await click(page.getByRole('button', { name: 'Preview import' }));
  const start = page.getByRole('button', { name: 'Import 2 contacts' });
  await start.waitFor();
  await page.getByText('1 as unsubscribed or bounced').waitFor();
  await page.getByRole('table', { name: 'Problems' }).getByRole('cell', { name: 'Email Address' }).waitFor();
  await sound(page, 'contacts-import-check');
  await click(start);
  await page.getByRole('heading', { name: 'Result' }).waitFor();
  assert.ok(clicks <= 6, `${clicks} clicks`);
  const [list] = await installation.call<{ id: string }[]>('lists');
  const statusOf = async (email_address: string) =>
    (await installation.call<{ status: string }>('listMemberInfo', { id: list!.id, email_address })).status;
  assert.deepEqual(
    [await statusOf('ann@mc.example'), await statusOf('lou@mc.example')],
    ['subscribed', 'unsubscribed'],
  );
  await installation.call('listDelete', { id: list!.id });
  noErrors(page);
});

test('a file dropped on the contacts begins an import', async () => {
  const { page } = ui;
  await ui.open('/contacts');
  await settled(page);
  await page.evaluate(() => {
    const dropped = new DataTransfer();
    dropped.items.add(new File(['Email\nann@example.com\n'], 'dropped.csv', { type: 'text/csv' }));
    for (const type of ['dragover', 'drop'])
      window.dispatchEvent(new DragEvent(type, { dataTransfer: dropped, bubbles: true, cancelable: true }));
  });
  await page.waitForURL('**/contacts/import');
  // Without a list the file waits, and its name is proposed for the new one.
  await page.getByText('“dropped.csv” is ready.').waitFor();
  const title = page.getByLabel('Name of the new list');
  assert.equal(await title.inputValue(), 'dropped');
  await title.fill('Dropped readers');
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await page.waitForURL('**/lists/*/import/*');
  await page.getByText('dropped.csv').first().waitFor();
  const lists = await ui.installation.call<{ id: string; name: string }[]>('lists');
  const list = lists.find(({ name }) => name === 'Dropped readers');
  await ui.installation.call('listDelete', { id: list!.id });
  noErrors(page);
});

test('contacts of all lists are filtered by conditions, which are saved as a segment', async () => {
  const { page, installation } = ui;
  letter = await installation.call('listCreate', { title: 'Letter' });
  news = await installation.call('listCreate', { title: 'News' });
  await installation.call('listMergeVarAdd', { id: letter, tag: 'CITY', name: 'City' });
  for (const [EMAIL, FNAME, CITY] of people)
    await installation.call('listSubscribe', {
      id: letter,
      email_address: EMAIL,
      merge_vars: { FNAME, CITY },
      double_optin: false,
    });
  await installation.call('listSubscribe', { id: news, email_address: 'ada@example.com', double_optin: false });
  await ui.open('/contacts');
  await page.getByText('4 contacts').waitFor();
  await shows(page.locator('tbody tr'), 4);
  await page.getByText('Letter, News').waitFor();
  await sound(page, 'contacts');
  // One bar: the search field, the states and the filter are in one row.
  const heights = await Promise.all(
    [page.getByRole('searchbox'), page.getByRole('button', { name: 'Filter', exact: true })].map((part) =>
      part.boundingBox().then((box) => box!.y + box!.height / 2),
    ),
  );
  assert.ok(
    Math.abs(heights[0]! - heights[1]!) < 4,
    `the filter is at ${heights[1]}, the search field at ${heights[0]}`,
  );
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('combobox', { name: 'Field', exact: true }).click();
  await page.getByRole('option', { name: 'City', exact: true }).click();
  await page.getByRole('textbox', { name: 'Value' }).fill('london');
  await sound(page, 'contacts-filter');
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('2 contacts').waitFor();
  await page.getByRole('button', { name: 'City contains london' }).waitFor();
  await page.getByRole('button', { name: 'Save as segment' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Londoners');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Segment saved.').waitFor();
  const segments = await installation.call<{ name: string; member_count: number }[]>('listSegments', { id: letter });
  assert.deepEqual(
    segments.map(({ name, member_count }) => [name, member_count]),
    [['Londoners', 2]],
  );
  // The filter is in the address: it survives a reload, and can be shared.
  await page.reload();
  await page.getByText('2 contacts').waitFor();
  await page.getByRole('button', { name: 'Remove filter' }).click();
  await page.getByText('4 contacts').waitFor();
  noErrors(page);
});

test('columns are chosen and kept, Space shows a closer look, and several contacts are added to a list', async () => {
  const { page, installation } = ui;
  await page.getByRole('button', { name: 'View' }).click();
  await page.getByRole('checkbox', { name: 'City' }).check();
  await page.keyboard.press('Escape');
  await page.getByRole('columnheader', { name: 'City' }).waitFor();
  await page.reload();
  await page.getByRole('columnheader', { name: 'City' }).waitFor();
  await page.getByRole('link', { name: 'edith@example.com' }).focus();
  await page.keyboard.press('Space');
  const panel = page.getByRole('dialog', { name: 'edith@example.com' });
  await panel.getByText('Hamburg').waitFor();
  await panel.getByText('Letter').waitFor();
  await axe(page, 'contact-peek');
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
  for (const email of ['edith@example.com', 'mary@example.com'])
    await page.getByRole('checkbox', { name: `Select ${email}` }).check();
  await page.getByRole('button', { name: 'Add to list' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: 'List' }).click();
  await page.getByRole('option', { name: 'News' }).click();
  await dialog.getByText('Already gave consent').click();
  await dialog.getByRole('button', { name: 'Add to list' }).click();
  await page.getByText('2 contacts added.').waitFor();
  await eventually(async () => {
    const members = await installation.call<unknown[]>('listMembers', { id: news });
    assert.equal(members.length, 3);
  });
  noErrors(page);
});

test('the page of a contact shows its days beside its details, and adds it to a list', async () => {
  const { page } = ui;
  await ui.open('/contacts/grace@example.com');
  await page.getByRole('heading', { level: 1, name: 'Grace' }).waitFor();
  await page.getByRole('heading', { level: 3, name: 'Today' }).waitFor();
  await page.getByText('Subscribed', { exact: true }).first().waitFor();
  await sound(page, 'contact-page');
  await page.getByRole('button', { name: 'Add to list' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: 'List' }).click();
  await page.getByRole('option', { name: 'News' }).click();
  await dialog.getByText('Already gave consent').click();
  await dialog.getByRole('button', { name: 'Add to list' }).click();
  await page.getByRole('heading', { name: 'News' }).waitFor();
  noErrors(page);
});
