// Writing and sending a campaign in the browser: source and visual editor, check, preview, test email, sending with undo,
// scheduling, autoresponders; on a phone, by keyboard, and without axe findings.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import {
  allSaved,
  answered,
  axe,
  eventually,
  noErrors,
  noSidewaysScroll,
  screenshot,
  screenshots,
  settled,
  shows,
  uiTest,
  writing,
} from '../support/browser/ui.ts';
import { pictures } from '../support/builders/archives.ts';

let list: string;
const ui = uiTest({}, async (ui) => {
  list = await ui.installation.call<string>('listCreate', { title: 'Friends of the lake' });
  const others = await ui.installation.call<string>('listCreate', { title: 'Partners' });
  const add = (id: string, email: string, FNAME: string) =>
    ui.installation.call('listSubscribe', {
      id,
      email_address: email,
      merge_vars: { FNAME },
      double_optin: false,
      send_welcome: false,
    });
  await add(list, 'ada@example.com', 'Ada');
  await add(list, 'bob@example.com', 'Bob');
  await add(list, 'cy@example.com', 'Cy');
  await add(others, 'cy@example.com', 'Cy');
  await ui.installation.call('listSegmentCreate', {
    list,
    title: 'Names with A',
    match: 'all',
    filter: [{ field: 'FNAME', condition: 'starts', value: 'A' }],
  });
});

const section = (name: string, page = ui.page) => page.locator(`#section-${name}`);
async function openSection(name: string, page = ui.page) {
  const button = section(name, page).locator('h2 button');
  if ((await button.getAttribute('aria-expanded')) === 'false') await button.click();
  await settled(page);
}
async function closeSection(name: string, page = ui.page) {
  const button = section(name, page).locator('h2 button');
  if ((await button.getAttribute('aria-expanded')) === 'true') await button.click();
}
const visual = (page = ui.page) => page.frameLocator('iframe[title="Email editor"]');
const saved = (page = ui.page) => allSaved(page);
const cidOf = (page: Page) => /campaigns\/(\w+)\/edit/.exec(page.url())![1]!;
const optionsOf = (cid: string) => ui.installation.call<Record<string, unknown>>('campaignOptions', { cid });
const contentOf = (cid: string) => ui.installation.call<{ html: string; plain: string }>('campaignContent', { cid });

/** Replaces the source, as if typed. */
async function typeSource(text: string, page = ui.page) {
  const editor = page.getByRole('textbox', { name: 'HTML source' });
  await editor.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text);
}

async function createDraft(subject: string, kind = 'Newsletter', page = ui.page): Promise<string> {
  await ui.open('/campaigns/new', page);
  await page.getByRole('textbox', { name: 'Subject' }).fill(subject);
  await page.getByRole('radio', { name: kind }).check();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.waitForURL('**/edit');
  await settled(page);
  return cidOf(page);
}

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
  await page.getByRole('menuitem', { name: /FNAME/ }).click();
  await eventually(async () => assert.equal(await subject.inputValue(), 'For *|FNAME|*'));
  await section('from').getByText('For Ada').waitFor();
  await page.getByRole('textbox', { name: 'Reply-to address' }).fill('nobody');
  await page.getByText('Some changes are not saved').waitFor();
  await page.getByRole('textbox', { name: 'Reply-to address' }).and(page.locator('[aria-invalid="true"]')).waitFor();
  await axe(page, 'From with a fault');
  await screenshots(page, 'composer-from');
  assert.equal(await page.getByRole('textbox', { name: 'Reply-to address' }).inputValue(), 'nobody');
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
  await frame.getByText('Dear *|NAME|*').waitFor();
  assert.equal(await page.evaluate(() => document.title.includes('taken') || 'taken' in window), false);
  await typeSource(faultySource);
  await saved();
  await eventually(async () => assert.equal((await contentOf(cidOf(page))).html, faultySource));
  await axe(page, 'HTML source');
  await screenshots(page, 'composer-source');
  await noSidewaysScroll(page);
});

test('the check finds each fault and the Fix button selects it', async () => {
  const { page } = ui;
  await openSection('check');
  const check = section('check');
  await check.getByText('Unknown merge tag.').waitFor();
  await check.getByText(/A link is malformed/).waitFor();
  await check.getByText(/A link lacks https/).waitFor();
  await axe(page, 'Check');
  await screenshots(page, 'composer-check');
  await check.getByRole('button', { name: /Fix: Unknown merge tag/ }).click();
  await page.waitForFunction(() => window.getSelection()?.toString() === '*|NAME|*');
  await page.keyboard.insertText('*|FNAME:friend|*');
  await check.getByRole('button', { name: /Fix: A link is malformed/ }).click();
  await page.waitForFunction(() => window.getSelection()?.toString() === 'http://exa mple.com/');
  await page.keyboard.insertText('https://example.com/');
  await check.getByRole('button', { name: /Fix: A link lacks https/ }).click();
  await page.waitForFunction(() => window.getSelection()?.toString() === '/more');
  await page.keyboard.insertText('https://example.com/more');
  await saved();
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
  await page.getByRole('tab', { name: 'Import or template' }).click();
  await settled(page);
  await axe(page, 'Import or template');
  await screenshots(page, 'composer-take');
  await page.getByRole('textbox', { name: 'From a web page' }).fill('http://127.0.0.1:9/');
  await page.getByRole('button', { name: 'Import page' }).click();
  await page.getByRole('textbox', { name: 'From a web page' }).and(page.locator('[aria-invalid="true"]')).waitFor();
  await page.getByRole('button', { name: 'Own letter' }).click();
  await visual().getByText('Template body').waitFor();
  await page.getByRole('tab', { name: 'History' }).click();
  await settled(page);
  await axe(page, 'History');
  await screenshots(page, 'composer-versions');
  await page
    .getByRole('button', { name: /^Preview version/ })
    .first()
    .click();
  await page.frameLocator('iframe[title^="Version"]').getByText(/Dear/).waitFor();
  await axe(page, 'one version');
  await page.getByRole('button', { name: 'Restore' }).click();
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
  await closeSection('content');
  await closeSection('check');
  await openSection('options');
  await page.getByRole('switch', { name: 'Link clicks (plain text)' }).click();
  await page.getByRole('switch', { name: 'Add the standard header and footer' }).click();
  await page.getByRole('combobox', { name: 'Language of header and footer' }).click();
  await page.getByRole('option', { name: 'French' }).click();
  await page.getByRole('textbox', { name: 'Analytics campaign name' }).fill('lake');
  await saved();
  await axe(page, 'Options');
  await screenshots(page, 'composer-options');
  await noSidewaysScroll(page);
  await eventually(async () => {
    const options = await optionsOf(cidOf(page));
    assert.deepEqual(options['tracking'], { opens: true, html_clicks: true, text_clicks: true });
    assert.deepEqual([options['auto_footer'], options['ln']], [true, 'fr']);
    assert.deepEqual(options['analytics'], { google: 'lake' });
  });
  await closeSection('options');
});

test('the preview renders the email for one contact, on desktop and phone, light and dark', async () => {
  const { page } = ui;
  await page.getByRole('button', { name: 'Preview' }).click();
  const dialog = page.getByRole('dialog', { name: 'Preview' });
  await dialog.getByText('For Ada').waitFor();
  await dialog.getByRole('textbox', { name: 'As this contact' }).fill('bob@example.com');
  await dialog.getByText('For Bob').waitFor();
  await page.frameLocator('iframe[title="Email preview"]').getByText('Dear Bob').waitFor();
  await dialog.getByRole('textbox', { name: 'As this contact' }).fill('stranger@example.com');
  await dialog.getByText(/there is no contact/).waitFor();
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
  await section('send').getByRole('button', { name: 'Send test', exact: true }).click();
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
  await page.getByText('Sending in 10 seconds.').waitFor();
  assert.equal((await optionsOf(cid))['delivery_status'], 'launching');
  await page.getByRole('button', { name: /^Undo/ }).click();
  await page.getByText('Undone. Nothing was sent.').waitFor();
  await page.waitForTimeout(10_500);
  assert.equal((await optionsOf(cid))['delivery_status'], 'draft');

  await section('send').getByRole('button', { name: 'Send to 1 person' }).click();
  const send = confirmation.getByRole('button', { name: 'Send', exact: true });
  await send.waitFor();
  await answered(page, 'campaignSendNow', () => send.click());
  await page.getByText('Sending in 10 seconds.').waitFor();
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

test('the text that a page came with is edited by a double click, and keys outside of text change none', async () => {
  const { installation } = ui;
  const page = await ui.member();
  const cid = await createDraft('The sample letter', 'Newsletter', page);
  const html = async () => (await contentOf(cid)).html;
  for (const [old, words] of [
    ['A heading that says what this is about', 'Winter is coming'],
    ['Winter is coming', 'Spring is here'],
  ] as const) {
    await ui.open(`/campaigns/${cid}/edit`, page);
    await visual(page).getByText(old).dblclick();
    await writing(page);
    await page.keyboard.press('Control+a');
    await page.keyboard.type(words);
    await installation.until('what was typed is saved', async () => (await html()).includes(words));
    assert.ok(!(await html()).includes(old));
    await saved(page);
  }
  const edited = await html();
  await page.keyboard.press('Escape');
  await visual(page).locator('img, a').first().click();
  for (const key of ['w', 's', 'd', 'a', 'Backspace']) await page.keyboard.press(key);
  await visual(page).getByText('Spring is here').click();
  for (const key of ['w', 's', 'd', 'a', 'Backspace']) await page.keyboard.press(key);
  await saved(page);
  assert.equal(await html(), edited);
  noErrors(page);
});

test('the visual editor adds blocks, text and links under the strict content security policy', async () => {
  const { installation } = ui;
  // A separate page: noErrors() below must see no error at all, not even a script blocked by the policy.
  const page = await ui.member();
  const cid = await createDraft('Made by eye', 'Newsletter', page);
  const html = async () => (await contentOf(cid)).html;
  const untouched = await html();
  await visual(page).getByText('A heading that says').waitFor();
  await shows(page.getByRole('alert'), 0);
  await page.getByRole('button', { name: 'Button', exact: true }).click();
  await page.getByRole('textbox', { name: 'Link' }).fill('https://example.com/spring');
  await page.getByRole('textbox', { name: 'Label' }).fill('To the spring');
  await page.getByRole('button', { name: 'Text', exact: true }).click();
  await page.getByRole('button', { name: 'Edit text', exact: true }).click();
  await writing(page);
  await page.keyboard.press('Control+a');
  await page.keyboard.type('The heron is back.');
  await installation.until('what was typed is saved', async () => (await html()).includes('The heron is back.'));
  await axe(page, 'Visual');
  await screenshots(page, 'composer-visual');
  await noSidewaysScroll(page);
  await page.getByRole('button', { name: 'Move up' }).click();
  await installation.until('the text is above the button', async () => {
    const now = await html();
    return now.indexOf('The heron is back.') < now.indexOf('To the spring');
  });
  const edited = await html();
  assert.match(edited, /<a href="https:\/\/example.com\/spring" style="[^"]*">To the spring<\/a>/);
  assert.ok(edited.startsWith(untouched.slice(0, untouched.indexOf('<body'))));
  assert.doesNotMatch(edited, /gjs|contenteditable|data-/);
  await page.getByRole('tab', { name: 'HTML source' }).click();
  await page.frameLocator('iframe[title="Live preview"]').getByText('The heron is back.').waitFor();
  await page.getByRole('tab', { name: 'Visual' }).click();
  await visual(page).getByText('The heron is back.').waitFor();
  await settled(page);
  await shows(page.getByRole('alert'), 0);
  await saved(page);
  assert.equal(await html(), edited);
  noErrors(page);
});

test('images are inserted by button, drop and paste; alt text is required; earlier images are offered again', async () => {
  const { installation } = ui;
  const page = await ui.member();
  const cid = await createDraft('With pictures', 'Newsletter', page);
  const html = async () => (await contentOf(cid)).html;
  const dialog = page.getByRole('dialog', { name: 'Choose an image' });
  const use = dialog.getByRole('button', { name: 'Use this image' });
  await visual(page).getByText('A heading that says').waitFor();
  await page.getByRole('button', { name: 'Image', exact: true }).click();
  await dialog.getByText('No images yet.').waitFor();
  await dialog.locator('input[type="file"]').setInputFiles({
    name: 'drawing.svg',
    mimeType: 'image/svg+xml',
    buffer: pictures.svg,
  });
  await dialog.getByRole('textbox', { name: 'Alt text' }).fill('A drawing');
  await use.click();
  await dialog.getByText('Is an SVG, which email programs do not show').waitFor();
  await dialog.locator('input[type="file"]').setInputFiles({
    name: 'heron.png',
    mimeType: 'image/png',
    buffer: pictures.png,
  });
  await dialog.getByRole('textbox', { name: 'Alt text' }).fill('');
  await use.click();
  await dialog.getByText('Add alt text').waitFor();
  await dialog.getByRole('textbox', { name: 'Alt text' }).fill('A "heron"');
  await page.waitForTimeout(300);
  await axe(page, 'image dialog');
  await screenshots(page, 'composer-picture');
  await noSidewaysScroll(page);
  await use.click();
  await dialog.waitFor({ state: 'hidden' });
  await installation.until('the image is in the email', async () =>
    (await html()).includes('alt="A &quot;heron&quot;"'),
  );
  const address = /<img[^>]* src="([^"]+\/asset\/[^"]+\.png)"/.exec(await html())![1]!;
  const answer = await fetch(address);
  assert.equal(answer.headers.get('content-type'), 'image/png');

  // Another image dropped on it replaces it.
  await visual(page)
    .locator('img[alt=\'A "heron"\']')
    .evaluate(
      (image, gif) => {
        const data = new DataTransfer();
        data.items.add(new File([Uint8Array.from(gif)], 'dropped.gif', { type: 'image/gif' }));
        for (const type of ['dragenter', 'dragover', 'drop'])
          image.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
      },
      [...pictures.gif],
    );
  await eventually(async () =>
    assert.equal(await dialog.getByRole('textbox', { name: 'Alt text' }).inputValue(), 'A "heron"'),
  );
  await dialog.getByRole('button', { name: 'heron.png', exact: true }).waitFor();
  await dialog.getByRole('checkbox', { name: /^Decorative/ }).check();
  await use.click();
  await dialog.waitFor({ state: 'hidden' });
  await installation.until('the dropped image is in the email', async () =>
    /<img[^>]*asset\/[^>]*\.gif/.test(await html()),
  );
  assert.ok(!(await html()).includes(address));

  // Pasted into the source, then one of the earlier images.
  await page.getByRole('tab', { name: 'HTML source' }).click();
  const source = page.getByRole('textbox', { name: 'HTML source' });
  await source.click();
  await page.keyboard.press('Control+End');
  await source.evaluate(
    (editor, webp) => {
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(webp)], 'pasted.webp', { type: 'image/webp' }));
      editor.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    },
    [...pictures.webp],
  );
  await dialog.getByRole('textbox', { name: 'Alt text' }).fill('Pasted');
  await use.click();
  await dialog.waitFor({ state: 'hidden' });
  await installation.until('the pasted image is in the source', async () =>
    /\.webp" alt="Pasted" width="1"/.test(await html()),
  );
  await page.getByRole('button', { name: 'Insert image' }).click();
  await dialog.getByRole('button', { name: 'heron.png', exact: true }).click();
  await eventually(async () =>
    assert.equal(await dialog.getByRole('textbox', { name: 'Alt text' }).inputValue(), 'A "heron"'),
  );
  await screenshot(page, 'composer-picture-earlier');
  await axe(page, 'earlier images');
  await use.click();
  await installation.until('the first image is in the source', async () => (await html()).includes(address));
  noErrors(page);
});

test("a campaign is scheduled in the account's time zone, changed, rescheduled and unscheduled again", async () => {
  const { page, installation } = ui;
  await installation.call('accountUpdate', { name: 'time_zone', value: 'Europe/Berlin' });
  await page.reload();
  const cid = await createDraft('At nine');
  await page.getByRole('tab', { name: 'HTML source' }).click();
  await typeSource('<p>Nine it is. <a href="*|UNSUB|*">Leave</a></p>');
  await saved();
  await openSection('send');
  await page.getByRole('radio', { name: 'Schedule' }).check();
  await section('send').getByRole('button', { name: 'Schedule', exact: true }).click();
  await page.getByText('Choose a date and time.').waitFor();
  await page.getByLabel('Date and time').fill('2098-07-01T09:00');
  await page.getByText('Time zone: Europe/Berlin').waitFor();
  await axe(page, 'schedule');
  await screenshots(page, 'composer-schedule');
  // The domain is not authenticated: a warning, which the user confirms.
  const schedule = section('send').getByRole('button', { name: 'Schedule', exact: true });
  const confirmation = page.getByRole('dialog', { name: 'Schedule this campaign?' });
  await schedule.click();
  await confirmation.getByText(/isn't authenticated/).waitFor();
  await settled(page);
  await axe(page, 'confirmation of warnings');
  await confirmation.getByRole('button', { name: 'Cancel' }).click();
  await confirmation.waitFor({ state: 'hidden' });
  assert.equal((await optionsOf(cid))['delivery_status'], 'draft');
  await schedule.click();
  await confirmation.getByRole('button', { name: 'Schedule anyway' }).click();
  await page.getByText(/This campaign is scheduled for 1 Jul 2098, 09:00/).waitFor();
  assert.equal((await optionsOf(cid))['schedule_time'], '2098-07-01 07:00:00');
  await openSection('from');
  await page.getByRole('textbox', { name: 'Subject' }).fill('At nine sharp');
  await saved();
  await page.getByLabel('Date and time').fill('2098-07-02T09:00');
  await schedule.click();
  await confirmation.getByRole('button', { name: 'Schedule anyway' }).click();
  await page.getByText(/This campaign is scheduled for 2 Jul 2098, 09:00/).waitFor();
  const changed = await optionsOf(cid);
  assert.deepEqual(
    [changed['delivery_status'], changed['subject'], changed['schedule_time']],
    ['scheduled', 'At nine sharp', '2098-07-02 07:00:00'],
  );
  await axe(page, 'scheduled');
  await screenshot(page, 'composer-scheduled');
  await page.getByRole('button', { name: 'Unschedule' }).click();
  await page.getByText('Moved back to drafts.').waitFor();
  await settled(page);
  assert.equal((await optionsOf(cid))['delivery_status'], 'draft');
  await page.getByRole('textbox', { name: 'Subject' }).fill('At ten');
  // The editor still has the text from before.
  const source = page.getByRole('textbox', { name: 'HTML source' });
  await source.click();
  await page.keyboard.press('Control+End');
  await page.keyboard.insertText('<p>Or ten.</p>');
  await saved();
  await eventually(async () => {
    assert.equal((await optionsOf(cid))['subject'], 'At ten');
    assert.equal((await contentOf(cid)).html, '<p>Nine it is. <a href="*|UNSUB|*">Leave</a></p><p>Or ten.</p>');
  });
});

test('an autoresponder is set up and started', async () => {
  const { page, installation } = ui;
  await installation.call('listMergeVarAdd', {
    id: list,
    tag: 'BIRTHDAY',
    name: 'Birthday',
    options: { field_type: 'date' },
  });
  const cid = await createDraft('Many happy returns', 'Autoresponder');
  await openSection('auto');
  await section('auto').getByText('1 day after sign-up').waitFor();
  await page.getByText('Every year', { exact: true }).click();
  await page.getByRole('textbox', { name: 'Delay' }).fill('2');
  await page.getByRole('combobox', { name: 'Unit' }).click();
  await page.getByRole('option', { name: 'weeks' }).click();
  await page.getByRole('combobox', { name: 'Before or after' }).click();
  await page.getByRole('option', { name: 'before' }).click();
  await saved();
  await section('auto').getByText('Every year, 2 weeks before Birthday').waitFor();
  await axe(page, 'autoresponder');
  await screenshots(page, 'composer-auto');
  await eventually(async () =>
    assert.deepEqual((await optionsOf(cid))['type_opts'], {
      'offset-units': 'week',
      'offset-time': 2,
      'offset-dir': 'before',
      event: 'annual',
      'event-datemerge': 'BIRTHDAY',
    }),
  );
  await openSection('send');
  await section('send').getByRole('button', { name: 'Start autoresponder' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Start autoresponder' }).click();
  await page.getByText('The autoresponder is running.').waitFor({ timeout: 60_000 });
  assert.notEqual((await optionsOf(cid))['delivery_status'], 'draft');
});

test('a viewer sees the whole draft and can neither change nor send it', async () => {
  const { installation } = ui;
  const cid = await installation.draft(list, 'Only to be looked at');
  const viewer = { email: 'viewer@example.com', password: 'three quiet otters swim' };
  const { link } = await installation.call<{ link: string }>('userInvite', { email: viewer.email, role: 'viewer' });
  const token = decodeURIComponent(new URL(link).hash.slice(1));
  await (await ui.visitor()).request.post(`${installation.base}/session/reset`, {
    data: { token, password: viewer.password },
  });
  const page = await ui.member(viewer);
  await ui.open(`/campaigns/${cid}/edit`, page);
  await openSection('send', page);
  await section('send', page).getByText("You don't have permission to send.").waitFor();
  for (const name of ['Send …', 'Send test', 'Schedule', /^Send to \d/])
    assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, String(name));
  await openSection('from', page);
  await eventually(async () => assert.ok(await page.getByRole('textbox', { name: 'Subject' }).isDisabled()));
  await axe(page, 'a draft, viewer');
  for (const [method, params] of [
    ['campaignSendNow', { cid }],
    ['campaignSendTest', { cid, test_emails: [viewer.email] }],
    ['campaignSchedule', { cid, schedule_time: '2099-01-01 00:00:00' }],
    ['campaignUpdate', { cid, name: 'subject', value: 'Mine' }],
  ] as const) {
    const answer = await page.request.post(`${installation.base}/api/${method}`, {
      data: params,
      headers: { origin: installation.base },
    });
    assert.deepEqual([method, answer.status()], [method, 403]);
  }
  assert.equal((await optionsOf(cid))['delivery_status'], 'draft');
  noErrors(page);
});

test('text typed while the server is unreachable is saved once it is back', async () => {
  const { page } = ui;
  const cid = await createDraft('Out of reach');
  await openSection('from');
  await page.route('**/api/campaignUpdate', (route) => route.abort());
  await page.getByRole('textbox', { name: 'Subject' }).fill('Typed in the tunnel');
  await page.getByText('Some changes are not saved').waitFor();
  await page.unroute('**/api/campaignUpdate');
  await saved();
  await eventually(async () => assert.equal((await optionsOf(cid))['subject'], 'Typed in the tunnel'));
});

test('a campaign is written and sent by keyboard alone', async () => {
  const { page, installation } = ui;
  await ui.open('/campaigns');
  await page.keyboard.press('c');
  await page.waitForURL('**/campaigns/new');
  await page.getByRole('textbox', { name: 'Subject' }).waitFor();
  await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'subject');
  await page.keyboard.type('By keyboard');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/edit');
  await settled(page);
  const cid = cidOf(page);
  await page.locator('#section-from h2 button').focus();
  await page.keyboard.press('Enter');
  await page.locator('#section-from').getByRole('textbox', { name: 'Subject' }).waitFor();
  await settled(page);
  await page.keyboard.press('Tab');
  await page.keyboard.press('End');
  await page.keyboard.type(' alone');
  await saved();
  await eventually(async () => assert.equal((await optionsOf(cid))['subject'], 'By keyboard alone'));
  await page.locator('#section-send h2 button').focus();
  await page.keyboard.press('Space');
  const send = section('send').getByRole('button', { name: /^Send to/ });
  await eventually(async () => assert.ok(await send.isEnabled()));
  await send.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.waitForFunction(() => document.activeElement?.textContent === 'Send');
  await page.keyboard.press('Enter');
  await page.getByText('Sending started.').waitFor({ timeout: 60_000 });
  await installation.until('the emails are in the inbox', async () => {
    const messages = await installation.call<{ subject: string }[]>('inboxMessages');
    return messages.filter(({ subject }) => subject === 'By keyboard alone').length === 3;
  });
});

/** A page in German. */
async function germanPage() {
  const page = await ui.member();
  await page.addInitScript(() => localStorage.setItem('postrider-language', 'de'));
  return page;
}
const germanDraft = () =>
  ui.installation.call<string>('campaignCreate', {
    type: 'HTML',
    options: { list_id: list, ln: 'de', subject: 'Neues', from_email: 'a@example.com', from_name: 'A' },
    content: {
      html: '<p>*|NOPE|* <a href="http://exa mple.com/">x</a><img src="https://example.com/a.png"></p>',
      plain: 'x',
    },
  });
const english =
  /\b(is not|is no|has no|is required|must be|there is|there are|the (address|contact|campaign|server)|was not|it was|out of|should|please|your)\b/i;
async function noEnglish(page: Page, what: string) {
  await settled(page);
  const text = (await page.locator('main').allInnerTexts()).join('\n').replaceAll(/https?:\S+/g, '');
  assert.doesNotMatch(text, english, what);
}

test('in German, errors at fields and findings of the check are German', async () => {
  const page = await germanPage();
  const cid = await germanDraft();
  await ui.open(`/campaigns/${cid}/edit`, page);
  await openSection('from', page);
  await page.getByRole('textbox', { name: 'Antwortadresse' }).fill('no-address');
  await page.getByText(/„no-address“ ist keine brauchbare E-Mail-Adresse/).waitFor();
  await noEnglish(page, 'the error at a field');
  await page.getByRole('textbox', { name: 'Antwortadresse' }).fill('a@example.com');
  await closeSection('from', page);
  await openSection('check', page);
  await section('check', page)
    .getByText(/Ein Link ist fehlerhaft/)
    .waitFor();
  await noEnglish(page, 'the check');
});

test('in German, import errors and explanations are German', async () => {
  const { installation } = ui;
  const page = await germanPage();
  const cid = await germanDraft();
  const rows = [
    'Email,Status',
    'no-address,subscribed',
    'x y@example.com,',
    'ok@example.com,perhaps',
    'ada@example.com,',
    'ada@example.com,',
  ];
  const importId = await installation.call<string>('importCreate', { id: list, content: `${rows.join('\n')}\n` });
  await installation.call('importDryRun', { import: importId });
  await installation.until('the preview is done', async () => {
    const { state } = await installation.call<{ state: string }>('importStatus', { import: importId });
    return state === 'checked';
  });
  await ui.open(`/lists/${list}/import/${importId}`, page);
  await page.getByText(/kein @/).waitFor({ timeout: 10_000 });
  await page.getByText(/früheren Zeile/).waitFor();
  await noEnglish(page, 'import errors');

  const html = '<p>Guten Tag <a href="*|UNSUB|*">abmelden</a> *|LIST:ADDRESS|*</p>';
  await installation.call('campaignUpdate', { cid, name: 'html', value: html });
  await installation.call('campaignSendNow', { cid });
  await installation.until('ada has received it', async () => {
    const { outcome } = await installation.call<{ outcome: string }>('campaignExplain', {
      cid,
      email: 'ada@example.com',
    });
    return outcome === 'accepted';
  });
  await ui.open(`/campaigns/${cid}?tab=explain&email=ada@example.com`, page);
  await page.getByText(/Der empfangende Server hat sie um/).waitFor();
  await ui.open(`/campaigns/${cid}?tab=explain&email=nobody@example.org`, page);
  await page.getByText(/keiner Liste der Kampagne/).waitFor();
  await noEnglish(page, 'explanation');
});
