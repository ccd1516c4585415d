// Browser test of merge tags where campaigns are named and shown: in words, never as they are written.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axe, eventually, noErrors, screenshots, shows, uiTest } from '../support/browser/ui.ts';

const subject = 'Autumn news for *|FNAME:friend|*';
const raw = /\*\||\|\*/;
let cid = '';

const ui = uiTest({}, async ({ installation }) => {
  const list = await installation.listOf(2, (n) => `reader${n}@example.com`);
  cid = await installation.call<string>('campaignCreate', {
    type: 'HTML',
    options: {
      list_id: list,
      title: subject,
      subject,
      from_email: 'editors@example.com',
      from_name: 'The editors',
      generate_text: true,
    },
    content: { html: '<p>Dear *|FNAME:reader|*, <a href="https://example.com/x">read on</a>.</p>' },
  });
  await installation.call('campaignSendNow', { cid });
  await installation.until('the campaign has been sent', async () => {
    const { counts } = await installation.call<{ counts: { sent: number } }>('campaignSearch');
    return counts.sent === 1;
  });
});

test('the list, the preview at its side, the report and Home name a campaign without raw tags', async () => {
  const { page } = ui;
  await ui.open('/campaigns');
  const row = page.locator('tbody tr').first();
  assert.match((await row.textContent()) ?? '', /Autumn news for First name/);
  await axe(page, 'campaigns with tags');
  await screenshots(page, 'campaigns-tags');
  await page.keyboard.press('j');
  await page.keyboard.press('Space');
  await page.getByRole('dialog', { name: 'Autumn news for friend' }).waitFor();
  await page.frameLocator('iframe').getByText('Dear First name,').waitFor();
  await ui.open(`/campaigns/${cid}`);
  await page.getByRole('heading', { level: 1, name: 'Autumn news for First name' }).waitFor();
  assert.match(await page.title(), /^Autumn news for friend/);
  await axe(page, 'report with tags');
  await screenshots(page, 'report-tags');
  await ui.open('/home');
  await page.getByRole('link', { name: 'Autumn news for First name' }).waitFor();
  assert.doesNotMatch((await page.textContent('body')) ?? '', raw);
  await ui.open('/contacts/reader1%40example.com');
  await page.getByRole('link', { name: 'Autumn news for First name' }).first().waitFor();
  noErrors(page);
});

test('the click map shows the tags of the email in words, in texts only', async () => {
  const { page } = ui;
  await ui.open(`/campaigns/${cid}?tab=links`);
  const map = page.frameLocator('iframe');
  await map.getByText('Dear First name, read on').waitFor();
  assert.doesNotMatch((await map.locator('body').textContent()) ?? '', raw);
});

test('a new campaign is named without the tags of its subject, and previews while writing show them in words', async () => {
  const { page, installation } = ui;
  const [{ id: list }] = (await installation.call<{ id: string }[]>('lists')) as [{ id: string }];
  const draft = await installation.call<string>('campaignCreate', {
    type: 'HTML',
    options: {
      list_id: list,
      subject: 'Hello *|FNAME|*, our winter',
      from_email: 'editors@example.com',
      from_name: 'The editors',
    },
    content: { markdown: 'Dear *|FNAME|*, this is written.' },
  });
  const [{ title }] = (await installation.call<{ title: string }[]>('campaigns', {
    filters: { campaign_id: draft },
  })) as [{ title: string }];
  assert.equal(title, 'Hello, our winter');
  await ui.open(`/campaigns/${draft}/edit`);
  await page.getByRole('heading', { level: 1, name: 'Hello, our winter' }).waitFor();
  await page.frameLocator('iframe[title="Live preview"]').getByText('Dear First name, this is written.').waitFor();
  await screenshots(page, 'composer-tags');
  await eventually(async () => assert.match(await page.title(), /^Hello, our winter/));
  await shows(page.getByRole('heading', { level: 1 }), 1);
});
