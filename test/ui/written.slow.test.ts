// Browser test of Markdown and MJML in the composer: written, previewed, mistakes by line, kept, and turned into HTML.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axe, noErrors, screenshots, settled, uiTest } from '../support/browser/ui.ts';

const ui = uiTest();

type Content = { html: string; source: string; source_format: string };

test('an email is written in Markdown and in MJML, and nothing that was there is lost', async () => {
  const { page, installation } = ui;
  const list = await installation.call<string>('listCreate', { title: 'Readers' });
  await installation.call('listSubscribe', { id: list, email_address: 'ann@readers.example', double_optin: false });
  const cid = await installation.call<string>('campaignCreate', {
    type: 'html',
    options: { list_id: list, subject: 'News', from_email: 'ann@example.com', from_name: 'Ann', generate_text: true },
    content: { html: '<p>First in HTML</p><p><a href="*|UNSUB|*">Leave</a></p>' },
  });
  const content = () => installation.call<Content>('campaignContent', { cid });
  const saved = (about: string, check: (now: Content) => boolean) =>
    installation.until(about, async () => {
      await page.waitForTimeout(250);
      return check(await content());
    });
  const tab = (name: string) => page.getByRole('tab', { name, exact: true });
  const preview = page.frameLocator('iframe[title="Live preview"]');
  await ui.open(`/campaigns/${cid}/edit`);

  await tab('Markdown').click();
  await page.getByText('This replaces the email as it is now').waitFor();
  await axe(page, 'composer before Markdown');
  await page.getByRole('button', { name: 'Replace with Markdown' }).click();
  const editor = page.getByRole('textbox', { name: 'Markdown' });
  await editor.waitFor();
  await editor.press('ControlOrMeta+a');
  await page.keyboard.insertText('## Spring for *|FNAME:you|*\n\nOur [news](https://example.com/).');
  await saved('the Markdown is saved', ({ source }) => source.endsWith('(https://example.com/).'));
  await preview.getByRole('heading', { name: 'Spring for First Name' }).waitFor();
  await settled(page);
  await axe(page, 'composer with Markdown');
  await screenshots(page, 'composer-markdown');

  const pixel = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  const insert = async () => {
    await page.getByRole('button', { name: 'Insert image' }).click();
    const dialog = page.getByRole('dialog', { name: 'Choose an image' });
    await dialog.locator('input[type="file"]').setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: pixel });
    await dialog.getByRole('textbox', { name: 'Alt text' }).fill('A dot [small]');
    await dialog.getByRole('button', { name: 'Use this image' }).click();
  };
  await insert();
  await saved('the image is in the Markdown', ({ source }) => /!\[A dot \\\[small\\\]\]\(http/.test(source));
  await preview.getByRole('img', { name: 'A dot [small]' }).waitFor();

  // The HTML is shown, not edited, until it is asked for.
  await tab('HTML source').click();
  await page.getByText('This email is written in Markdown').waitFor();
  await page.getByRole('button', { name: 'Edit Markdown' }).click();
  assert.match((await editor.textContent()) ?? '', /Spring for/);

  await tab('MJML').click();
  await page.getByRole('button', { name: 'Replace with MJML' }).click();
  const mjml = page.getByRole('textbox', { name: 'MJML' });
  await mjml.waitFor();
  await saved('the MJML is saved', ({ source_format }) => source_format === 'mjml');
  await preview.getByText('Read more').waitFor();
  await mjml.press('ControlOrMeta+a');
  await page.keyboard.insertText('<mjml>\n<mj-body>\n<mj-strange>');
  await page.getByText('Line 3: MJML has no element <mj-strange>').waitFor();
  await page.getByText('Preview of the last valid version').waitFor();
  await screenshots(page, 'composer-mjml-mistake');
  assert.match((await content()).source, /mj-button/, 'what is stored is the last version without a mistake');
  await mjml.press('ControlOrMeta+a');
  await page.keyboard.insertText('<mjml><mj-body><mj-raw><p>Short</p></mj-raw></mj-body></mjml>');
  await saved('the corrected MJML is saved', ({ html }) => html.includes('Short'));

  await mjml.press('ControlOrMeta+a');
  await page.keyboard.insertText('<mjml><mj-body><mj-section><mj-column></mj-column></mj-section></mj-body></mjml>');
  for (let letter = 0; letter < '</mj-column></mj-section></mj-body></mjml>'.length; letter++)
    await page.keyboard.press('ArrowLeft');
  await insert();
  await saved('the image is in the MJML', ({ html }) => /<img[^>]+alt="A dot \[small\]"/.test(html));
  await mjml.press('ControlOrMeta+a');
  await page.keyboard.insertText('<mjml><mj-body><mj-raw><p>Short</p></mj-raw></mj-body></mjml>');
  await saved('the MJML without it is saved', ({ html }) => !html.includes('A dot'));

  await page.reload();
  await mjml.waitFor();
  assert.match((await mjml.textContent()) ?? '', /Short/, 'it is opened as it was written');
  await tab('Visual').click();
  await page.getByRole('button', { name: 'Turn into HTML' }).click();
  await saved('it is HTML', ({ source_format, html }) => source_format === 'html' && html.includes('Short'));

  const versions = await installation.call<{ version: number; source_format: string }[]>('campaignVersions', { cid });
  assert.deepEqual(
    versions.map(({ source_format }) => source_format).filter((format, i, all) => format !== all[i - 1]),
    ['mjml', 'markdown', 'html'],
  );
  const [first] = await installation.call<Content[]>('campaignVersions', { cid, version: versions.at(-1)!.version });
  assert.match(first!.html, /First in HTML/);
  await tab('History').click();
  const markdown = versions.find(({ source_format }) => source_format === 'markdown')!.version;
  await page.getByRole('button', { name: `Preview version ${markdown}`, exact: true }).click();
  await page.getByRole('button', { name: 'Restore', exact: true }).click();
  await saved('the Markdown is back', ({ source_format }) => source_format === 'markdown');
  await tab('Markdown').click();
  assert.match((await editor.textContent()) ?? '', /Spring for/);
  noErrors(page);
});
