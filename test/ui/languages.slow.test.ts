// Browser test of language versions: added, written, previewed and removed in the composer, and shown in the report.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axe, noErrors, screenshots, settled, uiTest } from '../support/browser/ui.ts';

const ui = uiTest();

type Version = { language: string; subject: string; html: string };

test('a language version is added and written in the composer, previewed, and shown in the report', async () => {
  const { page, installation } = ui;
  const list = await installation.call<string>('listCreate', { title: 'Readers' });
  await installation.call('listSubscribe', { id: list, email_address: 'ann@readers.example', double_optin: false });
  const cid = await installation.call<string>('campaignCreate', {
    type: 'html',
    options: { list_id: list, subject: 'News', from_email: 'ann@example.com', from_name: 'Ann', generate_text: true },
    content: { html: '<p>News</p><p><a href="*|UNSUB|*">Leave</a></p>' },
  });
  const versions = () => installation.call<Version[]>('campaignLanguages', { cid });
  const saved = (about: string, check: (all: Version[]) => boolean) =>
    installation.until(about, async () => {
      await page.waitForTimeout(250);
      return check(await versions());
    });
  await ui.open(`/campaigns/${cid}/edit`);
  const section = page.locator('#section-languages');
  await section.getByRole('button', { name: /Languages/ }).click();
  const add = async (name: string) => {
    await section.getByRole('combobox', { name: 'Language' }).fill(name);
    await page.getByRole('option', { name, exact: true }).click();
    await section.getByRole('button', { name: 'Add' }).click();
  };
  await add('German');
  await add('Brazilian Portuguese');
  const german = section.getByRole('group', { name: 'German' });
  await german.getByRole('textbox', { name: 'Subject' }).fill('Neues');
  await saved('both versions are saved', (all) => all.length === 3 && all[1]!.subject === 'Neues');
  await german.getByRole('button', { name: 'Edit content' }).click();
  const content = page.getByRole('dialog', { name: 'Content of variant German' });
  await content.getByRole('tab', { name: 'HTML source' }).click();
  const editor = content.getByRole('textbox', { name: 'HTML source' });
  await editor.waitFor();
  await editor.press('ControlOrMeta+a');
  await page.keyboard.insertText('<p>Neues aus dem Garten</p>');
  await content.getByRole('button', { name: 'Done' }).click();
  await saved('the content is saved', (all) => all[1]!.html.includes('Garten'));
  await settled(page);
  await axe(page, 'composer with language versions');
  await screenshots(page, 'composer-languages');
  const done = () => section.getByRole('button', { name: 'Done' }).click();
  await done();
  await page.getByRole('button', { name: 'Preview', exact: true }).click();
  await page.getByRole('combobox', { name: 'Languages' }).click();
  await page.getByRole('option', { name: 'German' }).click();
  await page.getByRole('dialog').frameLocator('iframe').first().getByText('Neues aus dem Garten').waitFor();
  await page.keyboard.press('Escape');
  await section.getByRole('button', { name: /Languages/ }).click();
  await section.getByRole('button', { name: 'Remove Brazilian Portuguese' }).click();
  await saved('one version is left', (all) => all.length === 2);
  await page.reload();
  await section.getByText('German').waitFor();
  assert.deepEqual(
    (await versions()).map(({ language }) => language),
    ['', 'de'],
  );
  await installation.call('campaignSendNow', { cid });
  await installation.until('the campaign is sent', async () => {
    await page.waitForTimeout(250);
    const { delivery_status } = await installation.call<{ delivery_status: string }>('campaignProgress', { cid });
    return delivery_status === 'sent';
  });
  await ui.open(`/campaigns/${cid}`);
  const results = page.getByRole('region', { name: 'Languages' });
  await results.getByRole('row', { name: /German/ }).waitFor();
  await results.getByRole('row', { name: /Everyone else.*1/ }).waitFor();
  await axe(page, 'report with language versions');
  await screenshots(page, 'report-languages');
  noErrors(page);
});

test('the email of an automation gets a version in the composer, and a finding names its language', async () => {
  const { page, installation } = ui;
  const list = await installation.call<string>('listCreate', { title: 'New readers' });
  const cid = await installation.call<string>('automationEmailCreate', { list, subject: 'Welcome', text: 'Hello' });
  await ui.open(`/campaigns/${cid}/edit`);
  const section = page.locator('#section-languages');
  await section.getByRole('button', { name: /Languages/ }).click();
  await section.getByRole('combobox', { name: 'Language' }).fill('German');
  await page.getByRole('option', { name: 'German', exact: true }).click();
  await section.getByRole('button', { name: 'Add' }).click();
  const german = section.getByRole('group', { name: 'German' });
  await german.getByRole('textbox', { name: 'Subject' }).fill('Willkommen *|NOTHING|*');
  await installation.until('the version is saved', async () => {
    const versions = await installation.call<Version[]>('campaignLanguages', { cid });
    return versions[1]?.subject === 'Willkommen *|NOTHING|*';
  });
  await section.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Review', exact: true }).click();
  await page
    .getByText(/^German: .*\*\|NOTHING\|\*|^German: /)
    .first()
    .waitFor();
  noErrors(page);
});

test('languages of an email that is running are added and removed in the composer, and published', async () => {
  const { page, installation } = ui;
  const list = await installation.call<string>('listCreate', { title: 'Running' });
  const cid = await installation.call<string>('automationEmailCreate', { list, subject: 'Welcome', text: 'Hello' });
  const german = { cid, language: 'de', subject: 'Willkommen', html: '<p>Hallo</p>' };
  await installation.call('campaignLanguageUpdate', german);
  const id = await installation.call<string>('automationCreate', { title: 'Running', list });
  const steps = [{ key: 'mail', type: 'send', campaign: cid }];
  await installation.call('automationUpdate', { id, trigger: { type: 'subscribed' }, steps });
  await installation.call('automationStart', { id });
  const sending = () =>
    installation.until('it is being sent', async () => {
      const { delivery_status } = await installation.call<{ delivery_status: string }>('campaignGet', { cid });
      return delivery_status === 'sending';
    });
  await sending();
  await installation.call('listSubscribe', { id: list, email_address: 'bo@running.example', double_optin: false });
  await installation.until('someone has it', async () => {
    const { emails_sent } = await installation.call<{ emails_sent: number }>('campaignStats', { cid });
    return emails_sent === 1;
  });
  await ui.open(`/campaigns/${cid}/edit`);
  const section = page.locator('#section-languages');
  await section.getByRole('button', { name: /Languages/ }).click();
  await section.getByText(/Recipients already queued keep their language/).waitFor();
  await section.getByRole('button', { name: 'Remove German' }).click();
  await section.getByRole('combobox', { name: 'Language' }).fill('French');
  await page.getByRole('option', { name: 'French', exact: true }).click();
  await section.getByRole('button', { name: 'Add' }).click();
  await section.getByRole('group', { name: 'French' }).getByRole('textbox', { name: 'Subject' }).fill('Bienvenue');
  await installation.until('it is saved', async () => {
    const versions = await installation.call<(Version & { removed: boolean })[]>('campaignLanguages', { cid });
    return versions.map(({ language, removed }) => `${language} ${removed}`).join() === ' false,fr false,de true';
  });
  await section.getByRole('button', { name: 'Done' }).click();
  await settled(page);
  await axe(page, 'languages of a running email');
  await screenshots(page, 'composer-languages-running');
  await page.reload();
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByText('Published: those who come from now on').waitFor();
  await sending();
  const results = page.getByRole('region', { name: 'Languages' });
  await results.getByRole('row', { name: /French/ }).waitFor();
  await results.getByRole('row', { name: /German \(removed\)/ }).waitFor();
  noErrors(page);
});
