// A volunteer of one list in the browser: invited by the owner for this list only, finds it and what is of it, sends a campaign to it, and
// meets nothing of the other list and nothing that is refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { createDraft, list, openSection, ui } from '../support/browser/composer.ts';
import { axe, noErrors, noSidewaysScroll, screenshots, settled, shows } from '../support/browser/ui.ts';

const volunteer = { email: 'volunteer@example.com', password: 'three quiet otters swim' };

async function looks(page: Page, name: string): Promise<void> {
  await settled(page);
  await axe(page, name);
  await noSidewaysScroll(page);
  await screenshots(page, `list-sets-${name}`);
}

/** Answers that a page got and that were refused. */
function refusalsOf(page: Page): string[] {
  const refused: string[] = [];
  page.on('response', (response) => {
    if (response.status() === 403) refused.push(response.url());
  });
  return refused;
}

const personOf = async (email: string) => {
  const users = await ui.installation.call<{ email: string; all_lists: boolean; lists: string[] }[]>('users');
  return users.find((user) => user.email === email)!;
};

test('an owner invites a volunteer for one list, and changes the lists later', async () => {
  const { page, installation } = ui;
  await ui.open('/settings/people');
  await page.getByRole('button', { name: 'Invite' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Email').fill(volunteer.email);
  await dialog.getByRole('radio', { name: 'Only these lists' }).check();
  await dialog
    .getByRole('combobox', { name: 'Only these lists' })
    .or(dialog.getByPlaceholder('No list'))
    .first()
    .click();
  await page.getByRole('option', { name: 'Friends of the lake' }).click();
  await page.keyboard.press('Escape');
  await looks(page, 'invite');
  await dialog.getByRole('button', { name: /invit/i }).click();
  await page.getByRole('button', { name: `Lists of ${volunteer.email}: 1 list` }).waitFor();
  assert.deepEqual((await personOf(volunteer.email)).lists, [list]);
  await looks(page, 'people');

  await page.getByRole('button', { name: `Lists of ${volunteer.email}: 1 list` }).click();
  await page.getByRole('dialog').getByRole('radio', { name: 'All lists' }).check();
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: `Lists of ${volunteer.email}: All lists` }).waitFor();
  assert.equal((await personOf(volunteer.email)).all_lists, true);
  const { link } = await installation.call<{ link: string }>('userInvite', {
    email: volunteer.email,
    role: 'editor',
    lists: [list],
  });
  const visitor = await ui.visitor();
  const token = decodeURIComponent(new URL(link).hash.slice(1));
  const data = { token, name: '', password: volunteer.password };
  const answer = await visitor.request.post(`${installation.base}/session/invitation/join`, { data });
  assert.ok(answer.ok(), await answer.text());
  noErrors(page);
});

test('the dialog of API keys has the same choice', async () => {
  const { page } = ui;
  await ui.open('/settings/keys');
  await page
    .getByRole('button', { name: /Create/ })
    .first()
    .click();
  await page.getByRole('dialog').getByRole('radio', { name: 'Only these lists' }).check();
  await looks(page, 'key');
  noErrors(page);
});

test('the volunteer finds the list and what is of it, and nothing that is refused', async () => {
  const { installation } = ui;
  const others = (await installation.call<{ id: string; name: string }[]>('lists')).find(({ id }) => id !== list)!;
  const foreign = await installation.draft(others.id, 'For partners only');
  const page = await ui.member(volunteer);
  const refused = refusalsOf(page);
  await ui.open('/home', page);
  for (const name of ['Webhooks', 'Single messages', 'Inbox', 'API keys'])
    await shows(page.getByRole('navigation').getByRole('link', { name }), 0);
  await looks(page, 'home');
  for (const [path, name] of [
    ['/lists', 'lists'],
    [`/lists/${list}`, 'list'],
    [`/lists/${list}?tab=segments`, 'list-segments'],
    [`/lists/${list}?tab=fields`, 'list-fields'],
    [`/lists/${list}?tab=settings`, 'list-settings'],
    ['/contacts', 'contacts'],
    ['/contacts/cy%40example.com', 'contact'],
    ['/segments', 'segments'],
    ['/forms', 'forms'],
    ['/campaigns', 'campaigns'],
    ['/recurring', 'recurring'],
    ['/automations', 'automations'],
    ['/templates', 'templates'],
    ['/settings/account', 'account'],
    ['/settings/sending', 'sending'],
    ['/settings/security', 'security'],
    ['/settings/senders', 'senders'],
    ['/settings/archive', 'archive'],
    ['/settings/data', 'data'],
  ] as const) {
    await ui.open(path, page);
    await shows(page.getByText('Partners'), 0);
    await shows(page.getByText('For partners only'), 0);
    if (['lists', 'contact', 'list-settings'].includes(name)) await looks(page, name);
    else await axe(page, name);
  }
  await ui.open('/lists', page);
  await shows(page.getByRole('link', { name: 'New list' }), 0);
  assert.deepEqual(refused, []);
  await ui.open(`/campaigns/${foreign}/edit`, page);
  await page
    .getByText(/does not exist/)
    .first()
    .waitFor();
  await shows(page.getByText('For partners only'), 0);
});

test('the volunteer writes a campaign and sends it to the list', async () => {
  const page = await ui.member(volunteer);
  const refused = refusalsOf(page);
  const cid = await createDraft('News from the lake', 'Newsletter', page);
  await ui.installation.call('campaignUpdate', {
    ...{ cid, name: 'html' },
    value: '<p>Dear *|FNAME:friend|*</p><p><a href="*|UNSUB|*">Leave</a></p>',
  });
  await ui.open(`/campaigns/${cid}/edit`, page);
  await openSection('send', page);
  await looks(page, 'send');
  await page.locator('#section-send').getByRole('button', { name: 'Send to 3 people' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click();
  await ui.installation.until('the campaign was sent', async () => {
    const { delivery_status } = await ui.installation.call<{ delivery_status: string }>('campaignProgress', { cid });
    return delivery_status === 'sent';
  });
  await ui.open(`/campaigns/${cid}`, page);
  await looks(page, 'report');
  assert.deepEqual(refused, []);
  const { recipients } = await ui.installation.call<{ recipients: number }>('campaignProgress', { cid });
  assert.equal(recipients, 3);
});
