// Writing and sending a campaign in the browser: by hand, looked over, tested, sent with a way back, scheduled, and as an
// autoresponder; on a phone, by keyboard, and with nothing that axe finds.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import {
  allSaved,
  axe,
  eventually,
  noErrors,
  noSidewaysScroll,
  screenshot,
  screenshots,
  settled,
  shows,
  startUi,
  type Ui,
  writing,
} from '../support/browser/ui.ts';
import { pictures } from '../support/builders/archives.ts';

let ui: Ui;
let list: string;
before(async () => {
  ui = await startUi();
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
after(() => ui?.close());

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

/** Puts a text in place of the source, as if typed. */
async function typeSource(text: string, page = ui.page) {
  const editor = page.getByRole('textbox', { name: 'HTML source' });
  await editor.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text);
}

async function begin(subject: string, kind = 'Newsletter', page = ui.page): Promise<string> {
  await ui.open('/campaigns/new', page);
  await page.getByRole('textbox', { name: 'Subject' }).fill(subject);
  await page.getByRole('radio', { name: kind }).check();
  await page.getByRole('button', { name: 'Begin' }).click();
  await page.waitForURL('**/edit');
  await settled(page);
  return cidOf(page);
}

test('a campaign begins with a subject and a list', async () => {
  const { page } = ui;
  await ui.open('/campaigns/new');
  await axe(page, 'a new campaign');
  await screenshots(page, 'composer-new');
  await noSidewaysScroll(page);
  await page.getByRole('button', { name: 'Begin' }).click();
  await page.getByText('A campaign needs a subject.').waitFor();
  const cid = await begin('News from the lake');
  assert.equal((await optionsOf(cid))['subject'], 'News from the lake');
  await page.getByRole('heading', { level: 1, name: 'News from the lake' }).waitFor();
});

test('whom it goes to is counted at once, and who is left out is told', async () => {
  const { page } = ui;
  await openSection('to');
  const to = section('to');
  await to.getByText('3 people would get this now').first().waitFor();
  await page.getByRole('button', { name: 'Exclude' }).click();
  await page.getByRole('combobox', { name: 'Exclude lists' }).click();
  await page.getByRole('option', { name: /^Partners/ }).click();
  await page.keyboard.press('Escape');
  await to.getByText('2 people would get this now').first().waitFor();
  await to.getByText(/Left out: 1 on a list left out/).waitFor();
  await page.getByRole('combobox', { name: 'Segments' }).click();
  await page.getByRole('option', { name: /^Names with A/ }).click();
  await page.keyboard.press('Escape');
  await to.getByText('1 person would get this now').first().waitFor();
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

test('sender and subject are saved as they are typed; what is refused stays, with the fault beside it', async () => {
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

const planted =
  '<p>Dear *|NAME|*, <a href="http://exa mple.com/">the news</a> and <a href="/more">more</a>.</p><p><a href="*|UNSUB|*">Leave</a></p>';

test('source is written with a live view beside it that runs no script', async () => {
  const { page } = ui;
  await openSection('content');
  await page.getByRole('tab', { name: 'HTML source' }).click();
  await typeSource(
    `${planted}<script>parent.document.title='taken'</script><img src="x:" onerror="top.taken=1" alt="">`,
  );
  const frame = page.frameLocator('iframe[title="Live preview"]');
  await frame.getByText('Dear *|NAME|*').waitFor();
  assert.equal(await page.evaluate(() => document.title.includes('taken') || 'taken' in window), false);
  await typeSource(planted);
  await saved();
  await eventually(async () => assert.equal((await contentOf(cidOf(page))).html, planted));
  await axe(page, 'HTML source');
  await screenshots(page, 'composer-source');
  await noSidewaysScroll(page);
});

test('the check finds what was planted and leads to each place', async () => {
  const { page } = ui;
  await openSection('check');
  const check = section('check');
  await check.getByText('Unknown merge tag.').waitFor();
  await check.getByText(/A link leads nowhere/).waitFor();
  await check.getByText(/without https/).waitFor();
  await axe(page, 'Check');
  await screenshots(page, 'composer-check');
  await check.getByRole('button', { name: /Go there: A merge tag/ }).click();
  await page.waitForFunction(() => window.getSelection()?.toString() === '*|NAME|*');
  await page.keyboard.insertText('*|FNAME:friend|*');
  await check.getByRole('button', { name: /Go there: A link leads nowhere/ }).click();
  await page.waitForFunction(() => window.getSelection()?.toString() === 'http://exa mple.com/');
  await page.keyboard.insertText('https://example.com/');
  await check.getByRole('button', { name: /Go there: A link has an address without/ }).click();
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

test('the plain text follows the HTML until it is written by hand', async () => {
  const { page } = ui;
  await page.getByRole('tab', { name: 'Plain text' }).click();
  await page.getByText(/Made from the HTML/).waitFor();
  await page.getByRole('button', { name: 'Write your own' }).click();
  await page.getByRole('textbox', { name: 'Plain text' }).fill('My own words. *|UNSUB|*');
  await saved();
  await axe(page, 'Plain text');
  await screenshots(page, 'composer-plain');
  await eventually(async () => assert.equal((await contentOf(cidOf(page))).plain, 'My own words. *|UNSUB|*'));
  await page.getByRole('button', { name: 'Generate from the HTML' }).click();
  await page.getByText(/Made from the HTML/).waitFor();
});

test('a template takes the place of the content, which can be gone back to', async () => {
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
    .getByRole('button', { name: /^Look at it: version/ })
    .first()
    .click();
  await page.frameLocator('iframe[title^="Version"]').getByText(/Dear/).waitFor();
  await axe(page, 'one version');
  await page.getByRole('button', { name: 'Restore' }).click();
  await page.getByText('Version restored.').waitFor();
  await page.getByRole('tab', { name: 'HTML source' }).click();
  await page.frameLocator('iframe[title="Live preview"]').getByText('Dear').waitFor();
});

test('what was written by hand is edited visually, and is written anew only after that has been said', async () => {
  const { page } = ui;
  await typeSource('<body><p>Hand <b>made</b></p><script>top.taken = 1</script></body>');
  await saved();
  await page.getByRole('tab', { name: 'Visual' }).click();
  const warning = page.getByRole('alert').filter({ hasText: 'writes this page anew' });
  await warning.getByText(/Lost are: scripts/).waitFor();
  await visual().getByText('Hand made').waitFor();
  await axe(page, 'warning of the visual editor');
  await screenshot(page, 'composer-visual-warning');
  assert.equal(await page.evaluate(() => 'taken' in window), false);
  await warning.getByRole('button', { name: 'Edit anyway' }).click();
  await warning.waitFor({ state: 'detached' });
  await page.getByRole('tab', { name: 'HTML source' }).click();
  await typeSource(
    planted
      .replace('*|NAME|*', '*|FNAME:friend|*')
      .replace('exa mple', 'example')
      .replace('"/more', '"https://example.com/more'),
  );
  await saved();
});

test('options are saved one by one', async () => {
  const { page } = ui;
  await closeSection('content');
  await closeSection('check');
  await openSection('options');
  await page.getByRole('switch', { name: 'Link clicks (plain text)' }).click();
  await page.getByRole('switch', { name: 'Add the standard footer' }).click();
  await page.getByRole('combobox', { name: 'Language of the footer' }).click();
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

test('the preview shows it as a contact gets it, wide and narrow, light and dark', async () => {
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

test('a test mail arrives in the inbox', async () => {
  const { page, installation } = ui;
  await openSection('send');
  await axe(page, 'Send');
  await screenshots(page, 'composer-send');
  await noSidewaysScroll(page);
  await section('send').getByRole('button', { name: 'Send test', exact: true }).click();
  await page.getByText('Test email sent.').waitFor();
  await installation.until('the test mail is in the inbox', async () => {
    const mails = await installation.call<{ subject: string }[]>('inboxMessages');
    return mails.some(({ subject }) => subject === '[Test] For Ada');
  });
});

test('sending can be taken back for ten seconds, and nothing leaves before', async () => {
  const { page, installation } = ui;
  const cid = cidOf(page);
  await section('send').getByRole('button', { name: 'Send to 1 person' }).click();
  const question = page.getByRole('dialog', { name: 'Send this campaign now?' });
  await question.getByText('person receives this').waitFor();
  await page.waitForTimeout(300);
  await axe(page, 'question before sending');
  await screenshot(page, 'composer-confirm');
  await question.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('Sending in 10 seconds.').waitFor();
  assert.equal((await optionsOf(cid))['delivery_status'], 'draft');
  await page.getByRole('button', { name: /^Undo/ }).click();
  await page.getByText('Undone. Nothing was sent.').waitFor();
  await page.waitForTimeout(10_500);
  assert.equal((await optionsOf(cid))['delivery_status'], 'draft');

  await section('send').getByRole('button', { name: 'Send to 1 person' }).click();
  const send = question.getByRole('button', { name: 'Send', exact: true });
  await send.waitFor();
  const leaving = page.waitForRequest('**/api/campaignSendNow', { timeout: 90_000 });
  const decidedAt = Date.now();
  await send.click();
  await page.getByText('Sending in 10 seconds.').waitFor();
  await question.waitFor({ state: 'hidden' });
  await axe(page, 'the way back');
  await screenshot(page, 'composer-undo');
  const left = await leaving;
  await left.response();
  const afterMs = left.timing().startTime - decidedAt;
  assert.ok(afterMs > 9_900, `it left after ${afterMs} ms`);
  await page.getByText('Sending started.').waitFor();
  await installation.until('the mail is in the inbox', async () => {
    const mails = await installation.call<{ subject: string }[]>('inboxMessages');
    return mails.some(({ subject }) => subject === 'For Ada');
  });
  await page.waitForURL((url) => !url.pathname.endsWith('/edit'));
  await ui.open(`/campaigns/${cid}/edit`);
  await page.getByText(/it can only be looked at here/).waitFor();
  await axe(page, 'a campaign that has left');
});

test('a campaign is made in the visual editor: blocks, words, a link, under the strict policy', async () => {
  const { installation } = ui;
  // A page of its own: it must meet no error at all, not even a refused script.
  const page = await ui.member();
  const cid = await begin('Made by eye', 'Newsletter', page);
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
  await installation.until('the text stands above the button', async () => {
    const now = await html();
    return now.indexOf('The heron is back.') < now.indexOf('To the spring');
  });
  const made = await html();
  assert.match(made, /<a href="https:\/\/example.com\/spring" style="[^"]*">To the spring<\/a>/);
  assert.ok(made.startsWith(untouched.slice(0, untouched.indexOf('<body'))));
  assert.doesNotMatch(made, /gjs|contenteditable|data-/);
  await page.getByRole('tab', { name: 'HTML source' }).click();
  await page.frameLocator('iframe[title="Live preview"]').getByText('The heron is back.').waitFor();
  await page.getByRole('tab', { name: 'Visual' }).click();
  await visual(page).getByText('The heron is back.').waitFor();
  await settled(page);
  await shows(page.getByRole('alert'), 0);
  await saved(page);
  assert.equal(await html(), made);
  noErrors(page);
});

test('pictures are put in by button, drop and paste; what they show is asked for; they are found again', async () => {
  const { installation } = ui;
  const page = await ui.member();
  const cid = await begin('With pictures', 'Newsletter', page);
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
  await dialog.getByText('Say what the picture shows').waitFor();
  await dialog.getByRole('textbox', { name: 'Alt text' }).fill('A "heron"');
  await page.waitForTimeout(300);
  await axe(page, 'choosing a picture');
  await screenshots(page, 'composer-picture');
  await noSidewaysScroll(page);
  await use.click();
  await dialog.waitFor({ state: 'hidden' });
  await installation.until('the picture is in the mail', async () =>
    (await html()).includes('alt="A &quot;heron&quot;"'),
  );
  const address = /<img[^>]* src="([^"]+\/asset\/[^"]+\.png)"/.exec(await html())![1]!;
  const answer = await fetch(address);
  assert.equal(answer.headers.get('content-type'), 'image/png');

  // Dropped on the picture, another one takes its place.
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
  await dialog.getByRole('checkbox', { name: /Only decoration/ }).check();
  await use.click();
  await dialog.waitFor({ state: 'hidden' });
  await installation.until('the dropped one is in the mail', async () =>
    /<img[^>]*asset\/[^>]*\.gif/.test(await html()),
  );
  assert.ok(!(await html()).includes(address));

  // Pasted into the source, and one of before.
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
  await installation.until('the pasted one is in the source', async () =>
    /\.webp" alt="Pasted" width="1"/.test(await html()),
  );
  await page.getByRole('button', { name: 'Insert image' }).click();
  await dialog.getByRole('button', { name: 'heron.png', exact: true }).click();
  await eventually(async () =>
    assert.equal(await dialog.getByRole('textbox', { name: 'Alt text' }).inputValue(), 'A "heron"'),
  );
  await screenshot(page, 'composer-picture-earlier');
  await axe(page, 'pictures of before');
  await use.click();
  await installation.until('the first one is in the source', async () => (await html()).includes(address));
  noErrors(page);
});

test("a campaign is scheduled in the account's zone and taken off again", async () => {
  const { page, installation } = ui;
  await installation.call('accountUpdate', { name: 'time_zone', value: 'Europe/Berlin' });
  await page.reload();
  const cid = await begin('At nine');
  await page.getByRole('tab', { name: 'HTML source' }).click();
  await typeSource('<p>Nine it is. <a href="*|UNSUB|*">Leave</a></p>');
  await saved();
  await openSection('send');
  await page.getByRole('radio', { name: 'Schedule' }).check();
  await section('send').getByRole('button', { name: 'Schedule' }).click();
  await page.getByText('Choose a date and time.').waitFor();
  await page.getByLabel('Date and time').fill('2098-07-01T09:00');
  await page.getByText('Time zone: Europe/Berlin').waitFor();
  await axe(page, 'at a time');
  await screenshots(page, 'composer-schedule');
  await section('send').getByRole('button', { name: 'Schedule' }).click();
  await page.getByText(/This campaign is scheduled for 1 Jul 2098, 09:00/).waitFor();
  assert.equal((await optionsOf(cid))['schedule_time'], '2098-07-01 07:00:00');
  await openSection('from');
  await eventually(async () => assert.ok(await page.getByRole('textbox', { name: 'Subject' }).isDisabled()));
  await axe(page, 'scheduled');
  await screenshot(page, 'composer-scheduled');
  await page.getByRole('button', { name: 'Unschedule' }).click();
  await page.getByText('Moved back to drafts.').waitFor();
  await settled(page);
  assert.equal((await optionsOf(cid))['delivery_status'], 'draft');
  await page.getByRole('textbox', { name: 'Subject' }).fill('At ten');
  // What was written before is what is written on.
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

test('an autoresponder gets its settings and is started', async () => {
  const { page, installation } = ui;
  await installation.call('listMergeVarAdd', {
    id: list,
    tag: 'BIRTHDAY',
    name: 'Birthday',
    options: { field_type: 'date' },
  });
  const cid = await begin('Many happy returns', 'Autoresponder');
  await openSection('auto');
  await section('auto').getByText('1 day after the sign-up').waitFor();
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

test('who may only look sees a draft whole, and has no way to change or send it', async () => {
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

test('what is typed while the program is out of reach is saved when it is back', async () => {
  const { page } = ui;
  const cid = await begin('Out of reach');
  await openSection('from');
  await page.route('**/api/campaignUpdate', (route) => route.abort());
  await page.getByRole('textbox', { name: 'Subject' }).fill('Typed in the tunnel');
  await page.getByText('Some changes are not saved').waitFor();
  await page.unroute('**/api/campaignUpdate');
  await saved();
  await eventually(async () => assert.equal((await optionsOf(cid))['subject'], 'Typed in the tunnel'));
});

test('it can be written and sent by keyboard alone', async () => {
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
  await page.keyboard.press('Spacer');
  const send = section('send').getByRole('button', { name: /^Send to/ });
  await eventually(async () => assert.ok(await send.isEnabled()));
  await send.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.waitForFunction(() => document.activeElement?.textContent === 'Send');
  await page.keyboard.press('Enter');
  await page.getByText('Sending started.').waitFor({ timeout: 60_000 });
  await installation.until('the mails are in the inbox', async () => {
    const mails = await installation.call<{ subject: string }[]>('inboxMessages');
    return mails.filter(({ subject }) => subject === 'By keyboard alone').length === 3;
  });
});

test('who reads German meets none of the English that programs get: check, faults, import, explanation', async () => {
  const { installation } = ui;
  const page = await ui.member();
  await page.addInitScript(() => localStorage.setItem('postrider-language', 'de'));
  const english =
    /\b(is not|is no|has no|is required|must be|there is|there are|the (address|contact|campaign|server)|was not|it was|out of|should|please|your)\b/i;
  const noEnglish = async (what: string) => {
    await settled(page);
    const text = (await page.locator('main').allInnerTexts()).join('\n').replaceAll(/https?:\S+/g, '');
    assert.doesNotMatch(text, english, what);
  };
  const cid = await installation.call<string>('campaignCreate', {
    type: 'HTML',
    options: { list_id: list, ln: 'de', subject: 'Neues', from_email: 'a@example.com', from_name: 'A' },
    content: {
      html: '<p>*|NOPE|* <a href="http://exa mple.com/">x</a><img src="https://example.com/a.png"></p>',
      plain: 'x',
    },
  });
  await ui.open(`/campaigns/${cid}/edit`, page);
  await openSection('from', page);
  await page.getByRole('textbox', { name: 'Antworten gehen an' }).fill('nobody');
  await page.getByText(/„nobody“ ist keine brauchbare E-Mail-Adresse/).waitFor();
  await noEnglish('a fault beside its field');
  await page.getByRole('textbox', { name: 'Antworten gehen an' }).fill('a@example.com');
  await closeSection('from', page);
  await openSection('check', page);
  await section('check', page)
    .getByText(/Ein Link führt nirgendwohin|ins Leere/)
    .waitFor();
  await noEnglish('the check');

  const rows = [
    'Email,Status',
    'no-address,subscribed',
    'x y@example.com,',
    'ok@example.com,perhaps',
    'ada@example.com,',
    'ada@example.com,',
  ];
  const made = await installation.call<string>('importCreate', { id: list, content: `${rows.join('\n')}\n` });
  await installation.call('importDryRun', { import: made });
  await installation.until('the dry run is over', async () => {
    const { state } = await installation.call<{ state: string }>('importStatus', { import: made });
    return state === 'checked';
  });
  await ui.open(`/lists/${list}/import/${made}`, page);
  await page.getByText('die Adresse hat kein @').waitFor();
  await page.getByText('die Adresse steht schon in einer früheren Zeile').waitFor();
  await noEnglish('what an import did not take');

  const sound = '<p>Guten Tag <a href="*|UNSUB|*">abmelden</a> *|LIST:ADDRESS|*</p>';
  await installation.call('campaignUpdate', { cid, name: 'html', value: sound });
  await installation.call('campaignSendNow', { cid });
  await installation.until('ada has it', async () => {
    const { outcome } = await installation.call<{ outcome: string }>('campaignExplain', {
      cid,
      email: 'ada@example.com',
    });
    return outcome === 'accepted';
  });
  await ui.open(`/campaigns/${cid}?tab=explain&email=ada@example.com`, page);
  await page.getByText(/Der Server des Empfängers hat sie um/).waitFor();
  await ui.open(`/campaigns/${cid}?tab=explain&email=nobody@example.org`, page);
  await page.getByText('Die Adresse steht auf keiner Liste der Kampagne.').waitFor();
  await noEnglish('why somebody did not get it');
});
