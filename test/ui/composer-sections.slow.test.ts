// Writing and sending a campaign in the browser: recipients, source and visual editor, check, preview, test email, sending
// with undo, scheduling; on a phone and without axe findings.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  cidOf,
  closeSection,
  contentOf,
  createDraft,
  openSection,
  optionsOf,
  saved,
  section,
  typeSource,
  ui,
  visual,
} from '../support/browser/composer.ts';
import {
  answered,
  axe,
  eventually,
  noErrors,
  noSidewaysScroll,
  screenshot,
  screenshots,
  settled,
  shows,
} from '../support/browser/ui.ts';

test('a new campaign needs a subject', async () => {
  const { page } = ui;
  await ui.open('/campaigns/new');
  await axe(page, 'a new campaign');
  await screenshots(page, 'composer-new');
  await noSidewaysScroll(page);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('A campaign needs a subject.').waitFor();
  const cid = await createDraft('News from the lake');
  assert.equal((await optionsOf(cid))['subject'], 'News from the lake');
  await page.getByRole('heading', { level: 1, name: 'News from the lake' }).waitFor();
});

test('the recipient count and the exclusions follow the chosen lists and segments', async () => {
  const { page } = ui;
  await openSection('to');
  const to = section('to');
  await to.getByText('3 recipients').first().waitFor();
  await page.getByRole('button', { name: 'Exclude' }).click();
  await page.getByRole('combobox', { name: 'Exclude lists' }).click();
  await page.getByRole('option', { name: /^Partners/ }).click();
  await page.keyboard.press('Escape');
  await to.getByText('2 recipients').first().waitFor();
  await to.getByText(/Excluded: 1 on an excluded list/).waitFor();
  await page.getByRole('combobox', { name: 'Segments', exact: true }).click();
  await page.getByRole('option', { name: /^Names with A/ }).click();
  await page.keyboard.press('Escape');
  await to.getByText('1 recipient').first().waitFor();
  await saved();
  await axe(page, 'To');
  await screenshots(page, 'composer-to');
  await eventually(async () => {
    const options = await optionsOf(cidOf(page));
    assert.equal((options['segment_id'] as string[]).length, 1);
    assert.equal((options['exclude_list_id'] as string[]).length, 1);
  });
  await closeSection('to');
});

test('sender and subject are saved while typing; a refused value stays in its field with an error', async () => {
  const { page } = ui;
  await openSection('from');
  const subject = page.getByRole('textbox', { name: 'Subject' });
  await subject.fill('For ');
  await page.getByRole('button', { name: 'Insert merge tag: Subject' }).click();
  // The field itself, before the condition on it.
  await page.getByRole('menuitem', { name: /FNAME/ }).first().click();
  await page.getByRole('button', { name: 'Insert', exact: true }).click();
  await eventually(async () => assert.equal(await subject.inputValue(), 'For *|FNAME|*'));
  await page.getByText('ada@example.com sees: For Ada').waitFor();
  await page.getByRole('textbox', { name: 'Reply-to address' }).fill('no address');
  await page.getByText('Some changes are not saved').waitFor();
  await page.getByRole('textbox', { name: 'Reply-to address' }).and(page.locator('[aria-invalid="true"]')).waitFor();
  await axe(page, 'From with a fault');
  await screenshots(page, 'composer-from');
  assert.equal(await page.getByRole('textbox', { name: 'Reply-to address' }).inputValue(), 'no address');
  await page.getByRole('textbox', { name: 'Reply-to address' }).fill('editor@example.com');
  await saved();
  await eventually(async () => {
    const options = await optionsOf(cidOf(page));
    assert.deepEqual([options['from_email'], options['subject']], ['editor@example.com', 'For *|FNAME|*']);
  });
  await closeSection('from');
});

/** Its merge tag and its first two links are faulty. */
const faultySource =
  '<p>Dear *|NAME|*, <a href="http://exa mple.com/">the news</a> and <a href="/more">more</a>.</p><p><a href="*|UNSUB|*">Leave</a></p>';

test('the live preview of the HTML source runs no script', async () => {
  const { page } = ui;
  await openSection('content');
  await page.getByRole('tab', { name: 'HTML source' }).click();
  await typeSource(
    `${faultySource}<script>parent.document.title='taken'</script><img src="x:" onerror="top.taken=1" alt="">`,
  );
  const frame = page.frameLocator('iframe[title="Live preview"]');
  await frame.getByText('Dear Name, the news').waitFor();
  assert.equal(await page.evaluate(() => document.title.includes('taken') || 'taken' in window), false);
  await typeSource(faultySource);
  await saved();
  await eventually(async () => assert.equal((await contentOf(cidOf(page))).html, faultySource));
  await axe(page, 'HTML source');
  await screenshots(page, 'composer-source');
  await noSidewaysScroll(page);
});

test('the check finds each fault and the Show button selects it', async () => {
  const { page } = ui;
  await openSection('check');
  const check = section('check');
  await check.getByText('Unknown merge tag.').waitFor();
  await check.getByText(/A link is malformed/).waitFor();
  await check.getByText(/A link lacks https/).waitFor();
  await axe(page, 'Check');
  await screenshots(page, 'composer-check');
  await check.getByRole('list', { name: 'Verified' }).getByText('There are recipients').waitFor();
  await check.getByRole('button', { name: /Show: Unknown merge tag/ }).click();
  await page.waitForFunction(() => window.getSelection()?.toString() === '*|NAME|*');
  await page.keyboard.insertText('*|FNAME:friend|*');
  await openSection('check');
  await check.getByRole('button', { name: /Show: A link is malformed/ }).click();
  await page.waitForFunction(() => window.getSelection()?.toString() === 'http://exa mple.com/');
  await page.keyboard.insertText('https://example.com/');
  await openSection('check');
  await check.getByRole('button', { name: /Show: A link lacks https/ }).click();
  await page.waitForFunction(() => window.getSelection()?.toString() === '/more');
  await page.keyboard.insertText('https://example.com/more');
  await saved();
  await openSection('check');
  await check.getByText('Unknown merge tag.').waitFor({ state: 'detached' });
  await eventually(async () => {
    const findings = await ui.installation.call<{ level: string; code: string }[]>('campaignCheck', {
      cid: cidOf(page),
    });
    assert.deepEqual(
      findings.filter(({ level, code }) => level === 'error' || code.startsWith('link')),
      [],
    );
  });
});

test('plain text is generated from the HTML until it is edited', async () => {
  const { page } = ui;
  await openSection('content');
  await page.getByRole('tab', { name: 'Plain text' }).click();
  await page.getByText(/Generated from the HTML/).waitFor();
  await page.getByRole('button', { name: 'Write your own' }).click();
  await page.getByRole('textbox', { name: 'Plain text' }).fill('My own words. *|UNSUB|*');
  await saved();
  await axe(page, 'Plain text');
  await screenshots(page, 'composer-plain');
  await eventually(async () => assert.equal((await contentOf(cidOf(page))).plain, 'My own words. *|UNSUB|*'));
  await page.getByRole('button', { name: 'Generate from the HTML' }).click();
  await page.getByText(/Generated from the HTML/).waitFor();
});

test('a template replaces the content, and the previous version can be restored', async () => {
  const { page } = ui;
  const template = '<table><tr><td>Template body <a href="*|UNSUB|*">leave</a></td></tr></table>';
  await ui.installation.call('templateCreate', { name: 'Own letter', source: template });
  await page.getByRole('tab', { name: 'Replace content' }).click();
  await settled(page);
  await axe(page, 'Replace content');
  await screenshots(page, 'composer-take');
  await page.getByRole('textbox', { name: 'From a web page' }).fill('http://127.0.0.1:9/');
  await page.getByRole('button', { name: 'Import page' }).click();
  await page.getByRole('textbox', { name: 'From a web page' }).and(page.locator('[aria-invalid="true"]')).waitFor();
  await page.getByRole('button', { name: 'Own letter' }).click();
  await visual().getByText('Template body').waitFor();
  await page.getByRole('tab', { name: 'History' }).click();
  await settled(page);
  await page.getByRole('row').last().getByText('Original version').waitFor();
  await axe(page, 'History');
  await screenshots(page, 'composer-versions');
  await page
    .getByRole('button', { name: /^Preview version/ })
    .first()
    .click();
  await page.frameLocator('iframe[title^="Version"]').getByText(/Dear/).waitFor();
  await axe(page, 'one version');
  await page.getByRole('button', { name: 'Restore', exact: true }).click();
  await page.getByText('Version restored.').waitFor();
  await page.getByRole('tab', { name: 'HTML source' }).click();
  await page.frameLocator('iframe[title="Live preview"]').getByText('Dear').waitFor();
});

test('the visual editor warns before it reformats hand-written HTML', async () => {
  const { page } = ui;
  await typeSource('<body><p>Hand <b>made</b></p><script>top.taken = 1</script></body>');
  await saved();
  await page.getByRole('tab', { name: 'Visual' }).click();
  const warning = page.getByRole('alert').filter({ hasText: 'reformats this HTML' });
  await warning.getByText(/This removes: scripts/).waitFor();
  await visual().getByText('Hand made').waitFor();
  await axe(page, 'warning of the visual editor');
  await screenshot(page, 'composer-visual-warning');
  assert.equal(await page.evaluate(() => 'taken' in window), false);
  await warning.getByRole('button', { name: 'Open HTML source' }).click();
  await page.getByRole('textbox', { name: 'HTML source' }).waitFor();
  await page.getByRole('tab', { name: 'Visual' }).click();
  await warning.getByRole('button', { name: 'Edit anyway' }).click();
  await warning.waitFor({ state: 'detached' });
  await page.getByRole('tab', { name: 'HTML source' }).click();
  await typeSource(
    faultySource
      .replace('*|NAME|*', '*|FNAME:friend|*')
      .replace('exa mple', 'example')
      .replace('"/more', '"https://example.com/more'),
  );
  await saved();
});

test('each option is saved', async () => {
  const { page } = ui;
  await openSection('options');
  await page.getByRole('switch', { name: 'Clicks (plain text)' }).click();
  await page.getByRole('switch', { name: 'Add the standard header and footer' }).click();
  await page.getByRole('combobox', { name: 'Header and footer language' }).click();
  await page.getByRole('option', { name: 'French' }).click();
  await page.getByRole('textbox', { name: 'Analytics campaign name' }).fill('lake');
  await page.getByRole('textbox', { name: 'Source', exact: true }).fill('club');
  await saved();
  await axe(page, 'Options');
  await screenshots(page, 'composer-options');
  await noSidewaysScroll(page);
  await eventually(async () => {
    const options = await optionsOf(cidOf(page));
    assert.deepEqual(options['tracking'], { opens: true, html_clicks: true, text_clicks: true });
    assert.deepEqual([options['auto_footer'], options['ln']], [true, 'fr']);
    assert.deepEqual(options['analytics'], { google: 'lake', source: 'club' });
  });
  await closeSection('options');
});

test('the preview renders the email for one contact, on desktop and phone, light and dark', async () => {
  const { page } = ui;
  await page.getByRole('button', { name: 'Preview', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Preview' });
  await dialog.getByText('For Ada').waitFor();
  await dialog.getByRole('textbox', { name: 'As this contact' }).fill('bob@example.com');
  await dialog.getByText('For Bob').waitFor();
  await page.frameLocator('iframe[title="Email preview"]').getByText('Dear Bob').waitFor();
  await dialog.getByRole('textbox', { name: 'As this contact' }).fill('stranger@example.com');
  await dialog.getByText(/the contact .* does not exist/i).waitFor();
  await dialog.getByRole('textbox', { name: 'As this contact' }).fill('bob@example.com');
  await dialog.getByText('Phone').click();
  await dialog.getByText('Dark', { exact: true }).click();
  await page.frameLocator('iframe[title="Email preview"]').getByText('Dear Bob').waitFor();
  await page.waitForTimeout(300);
  await axe(page, 'Preview');
  await screenshots(page, 'composer-preview');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
});

test('a test email arrives in the inbox', async () => {
  const { page, installation } = ui;
  await openSection('send');
  await axe(page, 'Send');
  await screenshots(page, 'composer-send');
  await noSidewaysScroll(page);
  await page.getByRole('button', { name: 'Send test', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Test email' });
  await dialog.getByRole('button', { name: 'Send test', exact: true }).waitFor();
  await settled(page);
  await axe(page, 'test email');
  await dialog.getByRole('button', { name: 'Send test', exact: true }).click();
  await page.getByText('Test email sent.').waitFor();
  await installation.until('the test email is in the inbox', async () => {
    const messages = await installation.call<{ subject: string }[]>('inboxMessages');
    return messages.some(({ subject }) => subject === '[Test] For Ada');
  });
});

test('sending can be undone for ten seconds, and starts after them even when the page is closed', async () => {
  const { page, installation } = ui;
  const cid = cidOf(page);
  await section('send').getByRole('button', { name: 'Send to 1 person' }).click();
  const confirmation = page.getByRole('dialog', { name: 'Send this campaign now?' });
  await confirmation.getByText('person receives this').waitFor();
  await page.waitForTimeout(300);
  await axe(page, 'confirmation');
  await screenshot(page, 'composer-confirm');
  await confirmation.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('Sending in a few seconds.').waitFor();
  // The bar counts down too.
  await page.getByText(/^Sending in \d+ s$/).waitFor();
  assert.equal((await optionsOf(cid))['delivery_status'], 'launching');
  // The countdown is in place of the fields, with the one button that undoes it; nothing can be changed meanwhile.
  const undo = page.getByRole('button', { name: /^Undo/ });
  await section('send')
    .getByRole('button', { name: /^Undo \(\d+\)/ })
    .waitFor();
  await shows(undo, 1);
  await shows(page.getByRole('button', { name: 'Change: Subject' }), 0);
  await shows(section('send').getByRole('radio'), 0);
  await screenshot(page, 'composer-countdown');
  await undo.click();
  await page.getByText('Undone. Nothing was sent.').waitFor();
  await shows(page.getByRole('button', { name: /^Undo/ }), 0);
  await page.waitForTimeout(10_500);
  assert.equal((await optionsOf(cid))['delivery_status'], 'draft');

  await section('send').getByRole('button', { name: 'Send to 1 person' }).click();
  const send = confirmation.getByRole('button', { name: 'Send', exact: true });
  await send.waitFor();
  await answered(page, 'campaignSendNow', () => send.click());
  await page.getByText('Sending in a few seconds.').waitFor();
  await confirmation.waitFor({ state: 'hidden' });
  await axe(page, 'undo');
  await screenshot(page, 'composer-undo');
  // The server waits, not the page.
  await ui.open('/campaigns', page);
  await installation.until('the email is in the inbox', async () => {
    const messages = await installation.call<{ subject: string }[]>('inboxMessages');
    return messages.some(({ subject }) => subject === 'For Ada');
  });
  await ui.open(`/campaigns/${cid}/edit`);
  await page.getByText(/has been sent and is read-only/).waitFor();
  await axe(page, 'a sent campaign');
});

test('the visual editor opens the templates that come along without a warning', async () => {
  const { installation, page } = ui;
  const templates = await installation.call<{ id: string; layout: string }[]>('campaignTemplates', {});
  const [list] = await installation.call<{ id: string }[]>('lists');
  for (const { id, layout } of templates) {
    const cid = await installation.draft(list!.id, `From a template: ${layout}`);
    await installation.call('campaignUpdate', { cid, name: 'template_id', value: id });
    await ui.open(`/campaigns/${cid}/edit`);
    await visual().locator('td').first().waitFor();
    await page.getByRole('heading', { level: 3, name: 'Blocks' }).waitFor();
    assert.equal(await page.getByRole('alert').filter({ hasText: 'reformats this HTML' }).count(), 0, layout);
  }
});

test('the email stays in sight while sections are opened, and the number of recipients is there once', async () => {
  const page = await ui.member();
  await createDraft('Two columns that scroll', 'Newsletter', page);
  await eventually(async () => {
    const widths = await section('to', page)
      .getByText('3 recipients')
      .evaluateAll((found) => found.map((element) => element.getBoundingClientRect().width));
    assert.equal(widths.filter((width) => width > 1).length, 1, String(widths));
  });
  assert.equal(await section('to', page).getByText('(3)').count(), 0);
  for (const name of ['from', 'options', 'comments']) await openSection(name, page);
  await section('comments', page).scrollIntoViewIfNeeded();
  await page.mouse.move(100, 400);
  await page.mouse.wheel(0, 4_000);
  await eventually(async () => {
    const box = (await page.locator('iframe[title="Email editor"]').boundingBox())!;
    assert.ok(box.y > 100 && box.y < 400, `the email is at ${box.y}`);
  });
  // What acts on the email is apart from the formats.
  const [plain, replace] = await Promise.all(
    ['Plain text', 'Replace content'].map((name) => page.getByRole('tab', { name }).boundingBox()),
  );
  assert.ok(replace!.x - plain!.x - plain!.width > 60, JSON.stringify([plain, replace]));
  await axe(page, 'composer, sections open');
  await screenshots(page, 'composer-columns');
  noErrors(page);
});
