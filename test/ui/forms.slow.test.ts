// Browser test of the sign-up form screen: its URL and HTML, settings, and texts in another language; and of the form on the page
// of another site, with a content security policy that allows only what the script needs.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import {
  answered,
  axe,
  eventually,
  noErrors,
  noSidewaysScroll,
  screenshot,
  screenshots,
  settled,
  uiTest,
} from '../support/browser/ui.ts';
import { pictures } from '../support/builders/archives.ts';

const ui = uiTest();

/** The preview beside the settings. */
const frame = (page: Page) => page.frameLocator('iframe[title="Preview"]');

test('an owner changes the form and a text, and visitors see it', async () => {
  const { page } = ui;
  const list = await ui.installation.call<string>('listCreate', { title: 'Letters' });
  const source = { id: list, tag: 'SOURCE', name: 'Source', options: { public: false } };
  await ui.installation.call('listMergeVarAdd', source);
  await ui.open(`/lists/${list}/form`);
  await axe(page, 'form');
  await noSidewaysScroll(page);
  await page.getByRole('textbox', { name: 'Title' }).fill('Letters from the lake');
  // What was changed on one tab is still there after a look at another.
  await page.getByRole('tab', { name: 'After sign-up' }).click();
  await page.getByRole('textbox', { name: 'Redirect after sign-up' }).fill('http://example.com');
  await page.getByRole('button', { name: 'Save' }).click();
  await page
    .getByText(/https:\/\//)
    .filter({ hasText: 'redirect' })
    .or(page.locator('[aria-invalid="true"]'))
    .first()
    .waitFor();
  await page.getByRole('textbox', { name: 'Redirect after sign-up' }).fill('');
  await page.getByRole('textbox', { name: 'Question' }).fill('Do the letters come to *|EMAIL|*?');
  await frame(page).getByText('Do the letters come to reader@example.com?').waitFor();
  await settled(page);
  await axe(page, 'after sign-up');
  await screenshots(page, 'form-after');
  await answered(page, 'listFormUpdate', () => page.getByRole('button', { name: 'Save' }).click());
  await page.getByText('Saved').first().waitFor();
  await page.getByRole('tab', { name: 'Share' }).click();
  await page.getByRole('button', { name: 'Copy HTML with script' }).waitFor();
  assert.equal(await page.getByRole('region', { name: 'HTML with script' }).count(), 0, 'the code is folded');
  await page.getByRole('button', { name: 'Show code' }).first().click();
  await page.getByRole('region', { name: 'HTML with script' }).waitFor();
  await page.getByRole('combobox', { name: 'Private fields' }).click();
  await page.getByRole('option', { name: 'Source (SOURCE)' }).click();
  await page.keyboard.press('Escape');
  await answered(page, 'listFormUpdate', () => page.getByRole('button', { name: 'Save' }).click());
  await page.getByRole('region', { name: 'HTML with script' }).getByText('name="SOURCE"').waitFor();
  await axe(page, 'sharing a form');
  await screenshots(page, 'form-share');
  const url = (await page.getByRole('link', { name: /\/subscribe\// }).getAttribute('href'))!;
  assert.match(await (await page.request.get(url)).text(), /<h1>Letters from the lake<\/h1>/);

  await page.getByRole('tab', { name: 'Emails' }).click();
  // In the brand, and with what is being typed.
  await frame(page).getByRole('link', { name: 'Confirm your subscription' }).waitFor();
  await page.getByRole('switch', { name: 'Send a welcome email after confirmation' }).check();
  const welcome = page.getByRole('region', { name: 'Welcome email' });
  await welcome.getByRole('textbox', { name: 'Subject' }).fill('Hello *|FNAME:friend|*');
  await page.getByText('Hello friend').waitFor();
  await welcome.getByRole('textbox', { name: 'Text' }).fill('Good to have you.\n\n*|NOWHERE|*');
  await page.getByRole('alert').getByText('*|NOWHERE|*').waitFor();
  await welcome.getByRole('textbox', { name: 'Text' }).fill('Good to have you.\n\nAnn');
  await frame(page).getByText('Good to have you.').waitFor();
  await settled(page);
  await axe(page, 'emails of a form');
  await noSidewaysScroll(page);
  await screenshots(page, 'list-form');
  // Another language is chosen above, and saved with the rest.
  await page.getByRole('combobox', { name: 'Language' }).click();
  await page.getByRole('option', { name: 'Deutsch' }).click();
  await page.getByRole('tab', { name: 'Form', exact: true }).click();
  await page
    .getByRole('textbox', { name: 'Titel' })
    .or(page.getByRole('textbox', { name: 'Title' }))
    .fill('Briefe vom See');
  await frame(page).getByRole('heading', { name: 'Briefe vom See' }).waitFor();
  await axe(page, 'form in another language');
  await screenshots(page, 'form-languages');
  await answered(page, 'listFormUpdate', () => page.getByRole('button', { name: 'Save' }).click());
  await page.getByText('Saved').first().waitFor();
  assert.match(await (await page.request.get(`${url}?ln=de`)).text(), /Briefe vom See/);
  assert.match(await (await page.request.get(url)).text(), /Letters from the lake/);
  const texts = await ui.installation.call<{ name: string; value: string }[]>('listTexts', { id: list });
  assert.equal(texts.find(({ name }) => name === 'welcome.subject')!.value, 'Hello *|FNAME:friend|*');
  noErrors(page);
});

test('an email is designed in the visual editor, and goes back to its text', async () => {
  const { page } = ui;
  const list = await ui.installation.call<string>('listCreate', { title: 'Designed letters' });
  await ui.open(`/lists/${list}/form?tab=emails`);
  await page.getByRole('button', { name: 'Design this email' }).click();
  const dialog = page.getByRole('dialog', { name: 'Confirmation email' });
  await dialog.getByRole('tab', { name: 'HTML' }).click();
  await dialog.getByRole('textbox', { name: /HTML/ }).click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText('<h1>Ahoy</h1><p><a class="button" href="*|CONFIRM|*">Come aboard</a></p>');
  await settled(page);
  await axe(page, 'design of an email');
  await screenshots(page, 'form-design');
  await dialog.getByRole('button', { name: 'Use this design' }).click();
  await frame(page).getByText('Come aboard').waitFor();
  await answered(page, 'listFormUpdate', () => page.getByRole('button', { name: 'Save' }).click());
  const html = async () =>
    (await ui.installation.call<{ name: string; edited: boolean; value: string }[]>('listTexts', { id: list })).find(
      ({ name }) => name === 'confirm.html',
    )!;
  await eventually(async () => assert.match((await html()).value, /^<h1>Ahoy/));
  await page.getByRole('button', { name: 'Use the text instead' }).click();
  await answered(page, 'listFormUpdate', () => page.getByRole('button', { name: 'Save' }).click());
  await eventually(async () => assert.equal((await html()).edited, false));
  noErrors(page);
});

test('the settings are first, above the fold, and the form of a list that was made here is off until it is published', async () => {
  const { page } = ui;
  await ui.open('/lists/new');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Quiet letters');
  await page.getByRole('button', { name: 'Create list' }).click();
  await page.waitForURL(/\/lists\/[a-f0-9]{8}/);
  const list = /\/lists\/([a-f0-9]{8})/.exec(page.url())![1]!;
  await ui.open(`/lists/${list}/form`);
  // It can be looked at before.
  await frame(page).getByRole('button', { name: 'Subscribe' }).waitFor();
  const title = await page.getByRole('textbox', { name: 'Title' }).boundingBox();
  assert.ok(title!.y < 420, `the first setting is at ${title!.y}px`);
  await page.getByRole('button', { name: 'Publish form' }).click();
  await page.getByRole('link', { name: 'Open form' }).waitFor();
  await axe(page, 'form published');
  await noSidewaysScroll(page);
  await screenshots(page, 'form-settings');
  noErrors(page);
});

test('a form leads to several lists, and its page has a picture and a text', async () => {
  const { page, installation } = ui;
  const list = await installation.call<string>('listCreate', { title: 'Harbour letters' });
  const offers = await installation.call<string>('listCreate', { title: 'Harbour offers' });
  await ui.open(`/lists/${list}/form`);
  const save = () => answered(page, 'listFormUpdate', () => page.getByRole('button', { name: 'Save' }).click());
  await page.getByRole('combobox', { name: 'Further lists' }).fill('Harbour off');
  await page.getByRole('option', { name: 'Harbour offers' }).click();
  await page.keyboard.press('Escape');
  assert.equal(await page.getByRole('switch', { name: 'Visitors choose the lists' }).isChecked(), true);
  await page.getByRole('switch', { name: 'Check the domain of the address' }).check();
  await page
    .getByRole('textbox', { name: 'Text of the hosted page' })
    .fill('Ten letters a year.\n\nAll about [the harbour](https://example.com/).');
  await page.getByRole('button', { name: 'Choose image' }).click();
  const dialog = page.getByRole('dialog');
  await dialog
    .locator('input[type="file"]')
    .setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: pictures.png });
  await dialog.getByRole('textbox', { name: /Alternative text|Alt text/ }).fill('The harbour');
  await settled(page);
  await axe(page, 'image of a form');
  await dialog.getByRole('button', { name: /^(Use|Insert|Add)/ }).click();
  await page.getByRole('img', { name: 'The harbour' }).first().waitFor();
  await save();
  await page.getByText('Saved').first().waitFor();
  await settled(page);
  await axe(page, 'form of several lists');
  await noSidewaysScroll(page);
  await screenshots(page, 'form-several-lists');
  const { settings, url } = await installation.call<{ settings: Record<string, unknown>; url: string }>('listForm', {
    id: list,
  });
  assert.deepEqual(
    [settings['further_lists'], settings['list_choice'], settings['check_domain']],
    [[offers], 'choose', true],
  );
  assert.equal(settings['picture_alt'], 'The harbour');
  const preview = page.frameLocator('iframe[title="Preview"]');
  await preview.getByRole('img', { name: 'The harbour' }).waitFor();
  noErrors(page);

  const visitor = await ui.visitor({ javaScriptEnabled: false });
  for (const [width, height] of [
    [1280, 800],
    [390, 844],
  ] as const) {
    await visitor.setViewportSize({ width, height });
    await visitor.goto(url);
    await screenshot(visitor, `public-landing-${width}`);
  }
  await visitor.getByRole('checkbox', { name: 'Harbour offers', exact: true }).check();
  await visitor.getByRole('textbox', { name: /^Email/ }).fill('reader@example.com');
  await visitor.getByRole('checkbox', { name: /^I agree/ }).check();
  await visitor.waitForTimeout(1_600);
  await visitor.getByRole('button').click();
  // The name servers of this test refuse every question, so no address is refused.
  await visitor.getByRole('heading', { name: 'Nearly done' }).waitFor();
  const member = await installation.call<{ status: string }>('listMemberInfo', {
    id: offers,
    email_address: 'reader@example.com',
  });
  assert.equal(member.status, 'pending');

  await page.getByRole('switch', { name: 'Visitors choose the lists' }).uncheck();
  await page.getByRole('button', { name: 'Remove image' }).click();
  await save();
  const after = await installation.call<{ settings: Record<string, unknown> }>('listForm', { id: list });
  assert.deepEqual([after.settings['list_choice'], after.settings['picture_url']], ['all', '']);
});

/** A page of another site that may run the script, connect to it, and nothing else. */
async function otherSite(page: () => string, base: string) {
  const server = createServer((_request, response) =>
    response
      .setHeader('content-type', 'text/html; charset=utf-8')
      .setHeader(
        'content-security-policy',
        `default-src 'none'; script-src ${base}; connect-src ${base}; form-action ${base}; img-src 'self'`,
      )
      .end(`<!doctype html><html lang="en"><title>Shop</title><h1>Shop</h1>${page()}`),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, close: () => server.close() };
}

test('a page of another site with a strict policy signs a visitor up in place, and a wrong origin or a missing proof is refused', async () => {
  const { page, installation } = ui;
  const { base } = installation;
  const list = await installation.call<string>('listCreate', { title: 'Inline' });
  const form = () => installation.call<{ inline_html: string }>('listForm', { id: list });
  let html = (await form()).inline_html;
  const site = await otherSite(() => html, base);
  const strange = await otherSite(() => html, base);
  try {
    await ui.open(`/lists/${list}/form`);
    await page.getByRole('tab', { name: 'Share' }).click();
    await page.getByRole('textbox', { name: 'Allowed sites' }).fill(`${site.url}\n`);
    await answered(page, 'listFormUpdate', () => page.getByRole('button', { name: 'Save' }).click());
    html = (await form()).inline_html;
    const status = (email_address: string) =>
      installation.call<{ status: string }>('listMemberInfo', { id: list, email_address }).then(
        (member) => member.status,
        () => undefined,
      );

    const visitor = await page.context().newPage();
    const blocked: string[] = [];
    visitor.on('console', (message) => message.type() === 'error' && blocked.push(message.text()));
    await visitor.goto(site.url);
    assert.equal(await visitor.locator('[name=CONTACT_URL]').isVisible(), false);
    await visitor.getByRole('textbox', { name: /^Email/ }).fill('no address');
    await visitor.locator('form').evaluate((form: HTMLFormElement) => (form.noValidate = true));
    await visitor.getByRole('button').click();
    await visitor.getByRole('alert').waitFor();
    assert.equal(await visitor.getByRole('textbox', { name: /^Email/ }).getAttribute('aria-invalid'), 'true');
    await visitor.getByRole('textbox', { name: /^Email/ }).fill('visitor@example.com');
    await visitor.getByRole('checkbox').check();
    await visitor.getByRole('button').click();
    await visitor.getByRole('status').waitFor();
    assert.equal(new URL(visitor.url()).origin, site.url, 'the visitor stays on the page');
    assert.equal(await status('visitor@example.com'), 'pending');
    // The answer to the wrong value is a 400, which the console shows; nothing was blocked.
    assert.deepEqual(
      blocked.filter((text) => !/status of 400/.test(text)),
      [],
    );

    await visitor.goto(strange.url);
    await visitor.getByRole('textbox', { name: /^Email/ }).fill('stranger@example.com');
    await visitor.getByRole('checkbox').check();
    await visitor.getByRole('button').click();
    await visitor.waitForURL(`${base}/subscribe/**`);
    assert.equal(await status('stranger@example.com'), undefined, 'led to the hosted form, which asks once more');
    const inline = `${visitor.url().split('?')[0]}/inline`;
    const body = new URLSearchParams({ EMAIL: 'x@y.example', CONSENT: '1' });
    assert.equal((await fetch(inline, { method: 'POST', body, headers: { origin: strange.url } })).status, 403);
    await visitor.goto(site.url);
    const unproven = await visitor.evaluate(
      async ([url, form]) => (await fetch(url!, { method: 'POST', body: new URLSearchParams(form) })).json(),
      [inline, String(body)],
    );
    assert.equal(unproven.state, 'again');
    assert.equal(await status('x@y.example'), undefined);
    await visitor.close();

    await ui.open(`/lists/${list}/form?tab=blocked`);
    await page
      .getByRole('row', { name: /Site not allowed/ })
      .first()
      .waitFor();
    await settled(page);
    await axe(page, 'refused sign-ups');
    await noSidewaysScroll(page);
    await screenshots(page, 'form-refused');
  } finally {
    site.close();
    strange.close();
  }
});

test('on another site, a visitor who chose no list sees that in place, and chooses', async () => {
  const { installation } = ui;
  const { base } = installation;
  const list = await installation.call<string>('listCreate', { title: 'Tide tables' });
  const offers = await installation.call<string>('listCreate', { title: 'Boat offers' });
  let html = '';
  const site = await otherSite(() => html, base);
  try {
    const options = { further_lists: [offers], origins: [site.url], ask_consent: false };
    await installation.call('listFormUpdate', { id: list, options });
    html = (await installation.call<{ inline_html: string }>('listForm', { id: list })).inline_html;
    const visitor = await ui.visitor();
    await visitor.goto(site.url);
    await visitor.getByRole('textbox', { name: /^Email/ }).fill('skipper@example.com');
    await visitor.getByRole('button').click();
    await visitor.getByRole('alert').waitFor();
    const box = visitor.getByRole('checkbox', { name: /^Tide tables/ });
    assert.equal(await box.getAttribute('aria-invalid'), 'true');
    await visitor.getByText('Please choose at least one.').waitFor();
    await visitor.getByRole('checkbox', { name: 'Boat offers' }).check();
    await visitor.getByRole('button').click();
    await visitor.getByRole('status').waitFor();
    assert.equal(new URL(visitor.url()).origin, site.url);
    const member = { id: offers, email_address: 'skipper@example.com' };
    assert.equal((await installation.call<{ status: string }>('listMemberInfo', member)).status, 'pending');
  } finally {
    site.close();
  }
});

test('a visitor with a mistyped domain is asked on the page, and corrects the address with one click', async () => {
  const { page, installation } = ui;
  const list = await installation.call<string>('listCreate', { title: 'Lake letters' });
  await installation.call('listFormUpdate', { id: list, options: { ask_consent: false } });
  const { url } = await installation.call<{ url: string }>('listForm', { id: list });
  await page.goto(`${url}?FNAME=Ann`);
  assert.equal(await page.getByRole('textbox', { name: 'First name' }).inputValue(), 'Ann');
  await page.getByRole('textbox', { name: 'Email address' }).fill('ann@gmail.con');
  // A form that is sent at once is shown once more.
  await page.waitForTimeout(1_600);
  await page.getByRole('button', { name: 'Subscribe' }).click();
  const hint = page.getByRole('link', { name: 'Did you mean ann@gmail.com?' });
  await hint.waitFor();
  await screenshot(page, 'form-mistyped');
  await hint.click();
  assert.equal(await page.getByRole('textbox', { name: 'Email address' }).inputValue(), 'ann@gmail.com');
  noErrors(page);
});

test('a merge tag and a link go into a text of a form where the cursor is', async () => {
  const { page } = ui;
  const list = await ui.installation.call<string>('listCreate', { title: 'Clicked tags' });
  await ui.open(`/lists/${list}/form?tab=emails`);
  const email = page.getByRole('region', { name: 'Confirmation email' });
  const text = email.getByRole('textbox', { name: 'Text' });
  await text.fill('Hello , welcome');
  await text.evaluate((field: HTMLTextAreaElement) => field.setSelectionRange(6, 6));
  const tags = email.getByRole('button', { name: '*|LIST:NAME|*' });
  await tags.last().click();
  assert.equal(await text.inputValue(), 'Hello *|LIST:NAME|*, welcome');
  await axe(page, 'merge tags of an email');
  await screenshots(page, 'form-tags');
  noErrors(page);
});
