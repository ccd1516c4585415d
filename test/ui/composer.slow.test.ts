// The composer in detail: blocks and images of the visual editor, autoresponders, viewers, a lost server, the keyboard alone,
// German.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import {
  cidOf,
  contentOf,
  createDraft,
  list,
  openSection,
  optionsOf,
  saved,
  section,
  typeSource,
  ui,
  visual,
} from '../support/browser/composer.ts';
import {
  axe,
  eventually,
  noErrors,
  noSidewaysScroll,
  screenshot,
  screenshots,
  settled,
  shows,
  writing,
} from '../support/browser/ui.ts';
import { pictures } from '../support/builders/archives.ts';

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

test('a block is dragged from the palette to its place', async () => {
  const { installation } = ui;
  const page = await ui.member();
  const cid = await createDraft('Dragged', 'Newsletter', page);
  const html = async () => (await contentOf(cid)).html;
  const heading = visual(page).getByText('A heading that says');
  await heading.waitFor();
  await settled(page);
  await page.getByRole('button', { name: 'Divider', exact: true }).dragTo(heading, { targetPosition: { x: 20, y: 3 } });
  const line = 'border-top:1px solid';
  await installation.until('the line is saved', async () => (await html()).replaceAll(': ', ':').includes(line));
  const withLine = (await html()).replaceAll(': ', ':');
  assert.ok(withLine.indexOf(line) < withLine.indexOf('A heading that says'), 'above the heading');
  assert.doesNotMatch(withLine, /position:fixed|draggable/);
  const { height } = (await heading.boundingBox())!;
  const bottom = { x: 20, y: height - 3 };
  await page.getByRole('button', { name: 'Spacer', exact: true }).dragTo(heading, { targetPosition: bottom });
  const space = 'line-height:32px';
  await installation.until('the space is saved', async () => (await html()).replaceAll(': ', ':').includes(space));
  const withSpace = (await html()).replaceAll(': ', ':');
  assert.ok(withSpace.indexOf(space) > withSpace.indexOf('A heading that says'), 'below the heading');
  noErrors(page);
});

test('the brand is offered as colours and given to new blocks; merge tags look like chips and stay text', async () => {
  const { installation } = ui;
  await installation.call('brandUpdate', { color: '#ffd400', font: 'georgia' });
  const page = await ui.member();
  const cid = await createDraft('In our colours', 'Newsletter', page);
  await visual(page).getByText('A heading that says').waitFor();
  const chips = visual(page).locator('span[data-title]');
  await eventually(async () =>
    assert.deepEqual(await chips.allTextContents(), ['Ada', 'Organisation', 'Postal address']),
  );
  await page.getByRole('button', { name: 'Button', exact: true }).click();
  await installation.until('the button has the colours of the brand', async () => {
    const html = (await contentOf(cid)).html.replaceAll(/([:;]) /g, '$1');
    return /background-color:#ffd400/.test(html) && /color:#10131a[^"]*"[^>]*>Read more/.test(html);
  });
  await page.getByRole('textbox', { name: 'Button colour' }).click();
  await page.locator('.mantine-ColorInput-swatch').first().waitFor();
  await screenshots(page, 'composer-brand');
  assert.doesNotMatch((await contentOf(cid)).html, /highlight|<mark/);
  await installation.call('brandUpdate', { color: '#1f5fbf', font: 'arial' });
  noErrors(page);
});

test('a row is shown to contacts who fulfil a condition, moves with it, and is shown to everyone again', async () => {
  const { installation } = ui;
  const page = await ui.member();
  const cid = await createDraft('For some', 'Newsletter', page);
  const html = async () => (await contentOf(cid)).html;
  const heading = 'A heading that says what this is about';
  await visual(page).getByText(heading).click();
  await page.getByRole('combobox', { name: 'Show this row to' }).click();
  await page.getByRole('option', { name: 'Only if: First name' }).click();
  await page.getByRole('combobox', { name: 'Condition' }).click();
  await page.getByRole('option', { name: 'is', exact: true }).click();
  await page.getByRole('textbox', { name: 'Value' }).pressSequentially('Ada Lovelace');
  const condition = '<!--*|IF:FNAME=Ada Lovelace|*--><tr';
  await installation.until('the condition is saved', async () => (await html()).includes(condition));
  assert.doesNotMatch(await html(), /data-show-if/);
  await axe(page, 'condition');
  await screenshots(page, 'composer-condition');
  const shownTo = async (email: string) =>
    (await installation.call<{ html: string }>('campaignPreview', { cid, email })).html.includes(heading);
  assert.deepEqual([await shownTo('ada@example.com'), await shownTo('bob@example.com')], [false, false]);
  await page.getByRole('textbox', { name: 'Value' }).fill('Ada');
  await installation.until('Ada sees the row', () => shownTo('ada@example.com'));
  assert.equal(await shownTo('bob@example.com'), false);
  // A condition that comes with the email is shown, and goes with its row.
  await saved(page);
  await page.reload();
  await visual(page).getByText(heading).click();
  assert.equal(await page.getByRole('textbox', { name: 'Value' }).inputValue(), 'Ada');
  await page.getByRole('button', { name: 'Move down' }).click();
  await installation.until('the row has moved with its condition', async () => {
    const now = await html();
    return (
      now.indexOf('IF:FNAME=Ada') > 0 &&
      now.indexOf('IF:FNAME=Ada') < now.indexOf(heading) &&
      (now.match(/END:IF/g) ?? []).length === 1
    );
  });
  assert.equal(await shownTo('bob@example.com'), false);
  await page.getByRole('combobox', { name: 'Show this row to' }).click();
  await page.getByRole('option', { name: 'Everyone' }).click();
  await installation.until('everyone sees the row', () => shownTo('bob@example.com'));
  assert.doesNotMatch(await html(), /IF:FNAME|END:IF/);
  noErrors(page);
});

test('a block is saved under a name, added to another email, and deleted', async () => {
  const { installation } = ui;
  const page = await ui.member();
  await createDraft('With a block to keep', 'Newsletter', page);
  await visual(page).getByText('A heading that says').click();
  await page.getByRole('button', { name: 'Save block', exact: true }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Enter a name').waitFor();
  await page.getByRole('textbox', { name: 'Name of the block' }).fill('Our heading');
  await axe(page, 'saving a block');
  await page.keyboard.press('Enter');
  const blocks = page.getByRole('region', { name: 'Saved blocks' });
  await blocks.getByRole('button', { name: 'Our heading', exact: true }).waitFor();
  const [saved] = await installation.call<{ name: string; html: string }[]>('savedBlocks');
  assert.match(saved!.html, /^<tr>\s*<td[^>]*>A heading that says[^<]*<\/td>\s*<\/tr>$/);
  assert.doesNotMatch(saved!.html, /gjs|contenteditable|data-/);
  const cid = await createDraft('Another email', 'Newsletter', page);
  await visual(page).getByText('A heading that says').waitFor();
  await blocks.getByRole('button', { name: 'Our heading', exact: true }).click();
  await installation.until('the block is in the email', async () => {
    const { html } = await contentOf(cid);
    return html.split('A heading that says').length === 3;
  });
  await axe(page, 'saved blocks');
  await screenshots(page, 'composer-saved-blocks');
  await noSidewaysScroll(page);
  await blocks.getByRole('button', { name: 'Delete saved block Our heading' }).click();
  await blocks.waitFor({ state: 'detached' });
  assert.deepEqual(await installation.call('savedBlocks'), []);
  noErrors(page);
});

test('the settings of the page change background, width and font; more blocks are there to add', async () => {
  const { installation } = ui;
  const page = await ui.member();
  const cid = await createDraft('The whole page', 'Newsletter', page);
  const html = async () => (await contentOf(cid)).html.replaceAll(/([:;]) /g, '$1');
  await visual(page).getByText('A heading that says').waitFor();
  await page.getByRole('textbox', { name: 'Preview text' }).pressSequentially('Spring & more');
  const background = page.getByRole('textbox', { name: 'Background' });
  await background.fill('#ddeeff');
  await background.blur();
  const width = page.getByRole('textbox', { name: 'Email width' });
  await width.fill('640');
  await width.blur();
  await page.getByRole('combobox', { name: 'Font' }).selectOption({ label: 'Georgia' });
  await eventually(async () => {
    const now = await html();
    assert.match(now, /<body style="[^"]*background-color:#ddeeff/);
    assert.match(now, /<table[^>]*style="[^"]*background-color:#ddeeff/);
    assert.match(now, /max-width:640px/);
    assert.match(now, /font-family:Georgia/);
    assert.doesNotMatch(now, /font-family:Arial/);
    assert.equal((await optionsOf(cid))['preview_text'], 'Spring & more');
  });
  await axe(page, 'page settings');
  await screenshots(page, 'composer-page');
  for (const [name, part, count] of [
    ['Social links', 'href="https://www.linkedin.com/"', 1],
    ['Footer', '*|UNSUB|*', 2],
    ['HTML', '<p>Your HTML</p>', 1],
  ] as const) {
    await page.getByRole('button', { name, exact: true }).click();
    await eventually(async () => assert.equal((await html()).split(part).length - 1, count, name));
  }
  await page.getByRole('button', { name: 'Edit HTML' }).click();
  await page.getByRole('textbox', { name: 'HTML of the element' }).fill('<p><b>By hand</b></p>');
  await page.getByRole('button', { name: 'Apply' }).click();
  await installation.until('the HTML is saved', async () => (await html()).includes('<p><b>By hand</b></p>'));
  await saved(page);
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
  await dialog.getByText('Is an SVG, which email clients do not show').waitFor();
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

test('an autoresponder is set up and started', async () => {
  const { page, installation } = ui;
  await installation.call('listMergeVarAdd', {
    id: list,
    tag: 'BIRTHDAY',
    name: 'Birthday',
    options: { field_type: 'date' },
  });
  const cid = await createDraft('Many happy returns', 'Autoresponder');
  await page.getByRole('tab', { name: 'HTML source' }).click();
  await typeSource('<p>Many happy returns. <a href="*|UNSUB|*">Leave</a></p>');
  await saved();
  await openSection('auto');
  await section('auto').getByText('1 day after sign-up').waitFor();
  await section('auto')
    .getByText(
      /^Existing subscribers get it too, unless their date has passed\. Imported contacts .* from the day of the import/,
    )
    .waitFor();
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
  await ui.open(`/campaigns/${cid}`);
  await page.getByText('Active', { exact: true }).waitFor();
  assert.equal(await page.getByText('Sending', { exact: true }).count(), 0);
});

test('a viewer sees the whole draft and can neither change nor send it', async () => {
  const { installation } = ui;
  const cid = await installation.draft(list, 'Only to be looked at');
  const viewer = { email: 'viewer@example.com', password: 'three quiet otters swim' };
  const { link } = await installation.call<{ link: string }>('userInvite', { email: viewer.email, role: 'viewer' });
  const token = decodeURIComponent(new URL(link).hash.slice(1));
  await (await ui.visitor()).request.post(`${installation.base}/session/invitation/join`, {
    data: { token, name: '', password: viewer.password },
  });
  const page = await ui.member(viewer);
  await ui.open(`/campaigns/${cid}/edit`, page);
  await openSection('send', page);
  await section('send', page).getByText("You don't have permission to send.").waitFor();
  for (const name of ['Send test', 'Schedule', /^Send to \d/])
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
  await page.getByText('No connection – trying again.').waitFor();
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
  await page.getByRole('textbox', { name: 'Subject' }).focus();
  await page.keyboard.press('End');
  await page.keyboard.type(' alone');
  await saved();
  await eventually(async () => assert.equal((await optionsOf(cid))['subject'], 'By keyboard alone'));
  await page.getByRole('tab', { name: 'HTML source' }).focus();
  await page.keyboard.press('Space');
  await page.getByRole('textbox', { name: 'HTML source' }).focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText('<p>Typed without a mouse. <a href="*|UNSUB|*">Leave</a></p>');
  await saved();
  await page.getByRole('button', { name: 'Review', exact: true }).focus();
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
  await page.getByText(/„no-address“ ist keine E-Mail-Adresse/).waitFor();
  await noEnglish(page, 'the error at a field');
  await page.getByRole('textbox', { name: 'Antwortadresse' }).fill('a@example.com');
  await page.getByRole('button', { name: 'Prüfen', exact: true }).click();
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
    const { state } = await installation.call<{ state: string }>('importGet', { import: importId });
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
