// Browser test of the public pages, with JavaScript switched off: accessibility, colour schemes, phone, languages; and
// filling in the form.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { parseId } from '../../src/db/ids.ts';
import { addressToken } from '../../src/tracking/address-token.ts';
import { confirmToken } from '../../src/tracking/confirm-token.ts';
import { tokensOf } from '../../src/tracking/token-secret.ts';
import { closeBrowser, testBrowser } from '../support/browser/chromium.ts';
import { lookAt } from '../support/browser/public-page.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';

let app: TestApp;
let base: string;
let browser: Browser;
let list: string;
before(async () => {
  app = await testApp();
  base = await app.listen();
  browser = await testBrowser();
  list = await app.call<string>('listCreate', { title: 'Letters from the lake', options: { public: true } });
  await app.call('listMergeVarAdd', {
    id: list,
    tag: 'KIND',
    name: 'What do you like most?',
    options: { field_type: 'dropdown', choices: ['Tea', 'Coffee'], req: true },
  });
  for (const [tag, name, options] of [
    ['VIP', 'Invite me to the lake', { field_type: 'yes_no' }],
    ['TOPICS', 'What may we write about?', { field_type: 'multiple_choice', choices: ['Fish, birds', 'Boats', 'Ice'] }],
  ])
    await app.call('listMergeVarAdd', { id: list, tag, name, options });
  await app.call('listMergeVarAdd', { id: list, tag: 'BORN', name: 'Birthday', options: { field_type: 'date' } });
  await app.call('listMergeVarAdd', { id: list, tag: 'HOME', name: 'Address', options: { field_type: 'address' } });
});
after(async () => {
  if (browser) await closeBrowser(browser);
  await app?.close();
});

const look = (page: Page, name: string) => lookAt(browser, page, `public-${name}`);

const newPage = async (locale = 'en-GB') =>
  (await browser.newContext({ viewport: { width: 1_000, height: 800 }, locale, javaScriptEnabled: false })).newPage();

test('a visitor subscribes with the form, after correcting mistakes', async () => {
  const page = await newPage();
  const { url } = await app.call<{ url: string }>('listForm', { id: list });
  await page.goto(url);
  await look(page, 'form');
  await page.getByLabel('Email address').fill('grace(at)example.com');
  await page.getByLabel('First name').fill('Grace');
  await page.getByRole('button', { name: 'Subscribe' }).click();
  await page.getByText('Please enter a valid email address.').waitFor();
  assert.equal(await page.getByLabel('First name').inputValue(), 'Grace');
  await look(page, 'form-wrong');
  await page.getByLabel('Email address').fill('grace@example.com');
  await page.getByLabel('What do you like most?').selectOption('Tea');
  const topics = page.getByRole('group', { name: 'What may we write about?' });
  for (const name of ['Fish, birds', 'Ice']) await topics.getByRole('checkbox', { name }).check();
  await page.getByRole('checkbox', { name: 'Invite me to the lake' }).check();
  await page.locator('[name=CONSENT]').check();
  await page.waitForTimeout(1_600);
  await page.getByRole('button', { name: 'Subscribe' }).click();
  await page.getByRole('heading', { name: 'Nearly done' }).waitFor();
  await look(page, 'form-thanks');
  const info = await app.call<{ status: string; merges: Record<string, string> }>('listMemberInfo', {
    id: list,
    email_address: 'grace@example.com',
  });
  assert.deepEqual([info.status, info.merges.FNAME, info.merges.KIND], ['pending', 'Grace', 'Tea']);
  assert.deepEqual([info.merges.TOPICS, info.merges.VIP], ['Fish\\, birds, Ice', 'yes']);
  await page.context().close();
});

test('the snippet embedded in another site leads through our page to the thank-you page', async () => {
  const page = await newPage();
  const { html } = await app.call<{ html: string }>('listForm', { id: list });
  await page.setContent(`<!doctype html><title>Elsewhere</title><main>${html}</main>`);
  await page.getByLabel('Email address').fill('embed@example.com');
  await page.getByLabel('What do you like most?').selectOption('Coffee');
  await page.locator('[name=CONSENT]').check();
  await page.getByRole('button', { name: 'Subscribe' }).click();
  await page.getByText('Please check your details').waitFor();
  await look(page, 'form-once-more');
  await page.waitForTimeout(1_600);
  await page.getByRole('button', { name: 'Subscribe' }).click();
  await page.getByRole('heading', { name: 'Nearly done' }).waitFor();
  await page.context().close();
});

test('a reader chooses among public lists in groups, without scripts, and leaves everything', async () => {
  const page = await newPage();
  const email = 'rita@example.com';
  const create = (title: string, options: Record<string, unknown>) =>
    app.call<string>('listCreate', { title, options: { company: 'Lake Press', ...options } });
  const internal = await create('cust_2024', {});
  const shop = { public: true, public_group: 'Shop' };
  const offers = await create('Offers', { ...shop, public_description: 'At most one email a week, with a code.' });
  await create('x'.repeat(60), { ...shop, public_title: `Sale ${'and more '.repeat(12)}` });
  await create('News', { public: true });
  await app.call('listSubscribe', { id: internal, email_address: email, double_optin: false });
  const { id } = await app.call<{ id: string }>('listMemberInfo', { id: internal, email_address: email });
  const ids = { account: app.account.id, campaign: 0, seq: 0, contact: parseId(id), lists: [parseId(internal)] };
  await page.goto(`${base}/p/${tokensOf(app.app).tokens(ids).profile}`);
  await look(page, 'choices');
  await page
    .getByRole('group', { name: 'Shop' })
    .getByRole('checkbox', { name: /^Offers/ })
    .check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Your changes have been saved.').waitFor();
  const status = async (of: string) =>
    (await app.call<{ status: string }>('listMemberInfo', { id: of, email_address: email })).status;
  assert.equal(await status(offers), 'subscribed');
  await page.getByRole('link', { name: 'Change your email address' }).click();
  await look(page, 'address');
  await page.getByLabel('New email address').fill('rita(at)example.com');
  await page.getByRole('button', { name: 'Send the link' }).click();
  await page.getByText('Please enter a valid email address.').waitFor();
  await look(page, 'address-wrong');
  await page.getByLabel('New email address').fill('rita@new.example');
  await page.getByRole('button', { name: 'Send the link' }).click();
  await page.getByText('If emails can be sent to rita@new.example').waitFor();
  await look(page, 'address-sent');
  const token = addressToken(app.app, { account: app.account.id, contact: parseId(id)!, email: 'rita@new.example' });
  const choices = page.url();
  await page.goto(`${base}/address/${token}`);
  await look(page, 'address-ask');
  await page.goto(choices);
  await page.getByRole('button', { name: 'Leave everything' }).click();
  await page.getByRole('heading', { name: 'You have been unsubscribed' }).waitFor();
  await look(page, 'left-everything');
  assert.deepEqual([await status(internal), await status(offers)], ['unsubscribed', 'unsubscribed']);
  await page.getByRole('link', { name: 'Back to your preferences' }).click();
  await page.getByRole('checkbox', { name: 'Other emails from Lake Press' }).waitFor();
  await page.context().close();
});

test('confirmation, preferences and unsubscribing work in two languages', async () => {
  const page = await newPage();
  const second = await app.call<string>('listCreate', { title: 'Offers' });
  for (const id of [list, second])
    await app.call('listSubscribe', {
      id,
      email_address: 'ada@example.com',
      merge_vars: { LANGUAGE: 'de', ...(id === list ? { KIND: 'Tea' } : {}) },
      double_optin: id === list,
    });
  const { id } = await app.call<{ id: string }>('listMemberInfo', { id: list, email_address: 'ada@example.com' });
  const tokens = tokensOf(app.app).tokens({
    account: app.account.id,
    campaign: 0,
    seq: 0,
    contact: parseId(id),
    lists: [parseId(list)],
  });
  const pending = { account: app.account.id, list: parseId(list)!, contact: parseId(id)!, email: 'ada@example.com' };
  await page.goto(`${base}/confirm/${confirmToken(app.app, pending)}`);
  await look(page, 'confirm');
  await page.getByRole('button', { name: 'Ja, anmelden' }).click();
  await page.getByRole('heading', { name: 'Sie sind angemeldet' }).waitFor();
  await look(page, 'confirm-done');
  await page.goto(`${base}/p/${tokens.profile}`);
  await look(page, 'profile');
  await page.getByLabel('Sprache').selectOption('fr');
  await page.getByLabel('Pause einlegen').selectOption('4');
  await page.getByRole('button', { name: 'Speichern' }).click();
  await page.getByText('Faire une pause').waitFor();
  await look(page, 'profile-saved');
  await page.goto(`${base}/u/${tokens.unsubscribe}`);
  await look(page, 'unsubscribe');
  await page.getByLabel('Je reçois trop d’e-mails').check();
  await page.getByRole('button', { name: 'Se désabonner' }).click();
  await page.getByRole('heading', { name: 'Vous êtes désabonné(e)' }).waitFor();
  await look(page, 'unsubscribe-done');
  await page.goto(`${base}/subscribe/00000000000000000000000000000000`);
  await look(page, 'bad-link');
  await page.context().close();
});

const words = {
  en: {
    subscribe: 'Subscribe',
    form: 'Subscribe to Letters from the lake',
    thanks: 'Nearly done',
    confirm: 'Yes, subscribe me',
    confirmed: 'You are subscribed',
    save: 'Save',
    saved: 'Your changes have been saved.',
    leave: 'Unsubscribe',
    left: 'You have been unsubscribed',
    archives: 'Campaigns of Lake Letters Ltd.',
    badLink: 'This link is not valid',
  },
  de: {
    subscribe: 'Abonnieren',
    form: 'Letters from the lake abonnieren',
    thanks: 'Fast fertig',
    confirm: 'Ja, anmelden',
    confirmed: 'Sie sind angemeldet',
    save: 'Speichern',
    saved: 'Ihre Änderungen wurden gespeichert.',
    leave: 'Abmelden',
    left: 'Sie sind abgemeldet',
    archives: 'Kampagnen von Lake Letters Ltd.',
    badLink: 'Dieser Link ist ungültig',
  },
} as const;

for (const language of ['en', 'de'] as const)
  test(`without JavaScript each page works and names the sender, in the language of the recipient: ${language}`, async () => {
    const page = await newPage(language === 'de' ? 'de-DE' : 'en-GB');
    const said = words[language];
    const email = `reader-${language}@example.com`;
    const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    /** Its language, and whose page it is. */
    const framed = async (name: string) => {
      assert.equal(await page.locator('html').getAttribute('lang'), language, name);
      assert.equal(await page.locator('script').count(), name === 'confirm' ? 1 : 0, name);
      assert.equal(await page.getByRole('banner').textContent(), 'Lake Letters Ltd.', name);
      assert.match((await page.getByRole('contentinfo').textContent())!, /1 Quay Street\s+Hamburg/, name);
      await look(page, `${name}-${language}`);
    };
    const facts = { company: 'Lake Letters Ltd.', postal_address: '1 Quay Street\nHamburg', language };
    for (const [name, value] of Object.entries(facts)) await app.call('accountUpdate', { name, value });

    const { url } = await app.call<{ url: string }>('listForm', { id: list });
    await page.goto(`${url}?ln=${language}`);
    await heading(said.form);
    await framed('sign-up');
    await page.locator('#f-EMAIL').fill(email);
    await page.locator('#f-KIND').selectOption('Tea');
    await page.locator('[name=CONSENT]').check();
    await page.waitForTimeout(1_600);
    await press(said.subscribe);
    await heading(said.thanks);
    await framed('sign-up-done');

    const { id } = await app.call<{ id: string }>('listMemberInfo', { id: list, email_address: email });
    const contact = parseId(id)!;
    const account = app.account.id;
    await page.goto(`${base}/confirm/${confirmToken(app.app, { account, list: parseId(list)!, contact, email })}`);
    await framed('confirm');
    await press(said.confirm);
    await heading(said.confirmed);
    await framed('confirmed');

    const tokens = tokensOf(app.app).tokens({ account, campaign: 0, seq: 0, contact, lists: [parseId(list)] });
    await page.goto(`${base}/p/${tokens.profile}`);
    await framed('preferences');
    await press(said.save);
    await page.getByRole('status').getByText(said.saved).waitFor();

    await page.goto(`${base}/u/${tokens.unsubscribe}`);
    await framed('leave');
    await page.setViewportSize({ width: 390, height: 740 });
    const button = await page.getByRole('button', { name: said.leave }).boundingBox();
    assert.ok(button!.y + button!.height < 740, 'on a phone the button is seen without scrolling');
    await press(said.leave);
    await heading(said.left);
    await framed('left');
    await press(said.form);
    await heading(said.confirmed);
    await framed('back');
    await page.goto(`${base}/u/${tokens.unsubscribe}`);
    await press(said.leave);
    await heading(said.left);

    await page.goto(`${base}/p/${tokens.profile}`);
    const subscriptions = page.locator('fieldset', { hasText: 'Letters from the lake' });
    await subscriptions.getByText(`${said.left}.`).waitFor();
    const box = subscriptions.getByRole('checkbox', { name: 'Letters from the lake' });
    assert.deepEqual([await box.isChecked(), await box.isEnabled()], [false, true], 'the list can be joined again');
    await framed('preferences-left');

    const { url: archives } = await app.call<{ url: string }>('archiveUpdate', { on: true });
    await page.goto(archives);
    await heading(said.archives);
    await framed('archives');

    await page.goto(`${base}/u/no-such-token`);
    await heading(said.badLink);
    assert.equal(await page.locator('html').getAttribute('lang'), language);
    await page.context().close();
  });
