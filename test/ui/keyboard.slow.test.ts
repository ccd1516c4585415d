// A campaign by keyboard alone: signing in, a list, a contact, an email written as HTML source, its report. The test
// clicks, fills and focuses nothing: it uses Tab and the usual keys, and checks at each stop that the focus is visible
// and where a user expects it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { allSaved, noErrors, owner, settled, shows, uiTest } from '../support/browser/ui.ts';

const ui = uiTest();

type Role = Parameters<Page['getByRole']>[0];

/** Keyboard actions on a page. */
function typist(page: Page) {
  const press = (...keys: string[]) =>
    keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
  const named = (role: Role, name: string | RegExp): Locator => page.getByRole(role, { name, exact: true });
  const isOn = async (role: Role, name: string | RegExp) =>
    (await named(role, name).and(page.locator(':focus')).count()) > 0;

  /** Waits for the focus there, and checks that it is visible: in the window, with a ring or a border in the accent colour. */
  const on = async (role: Role, name: string | RegExp) => {
    for (let attempts = 0; !(await isOn(role, name)); attempts++) {
      assert.ok(attempts < 400, `the focus is on ${await describeFocus(page)}, not on ${role} “${name}”`);
      await page.waitForTimeout(50);
    }
    await page.waitForTimeout(200);
    assert.deepEqual(await page.evaluate(focusVisibility), { within: true, marked: true }, `${role} “${name}”`);
  };

  /** Presses Tab until that element has the focus. */
  const to = async (role: Role, name: string | RegExp) => {
    const passed: string[] = [];
    while (!(await isOn(role, name))) {
      assert.ok(passed.length < 45, `no ${role} “${name}” was reached; passed: ${passed.join(' · ')}`);
      await page.keyboard.press('Tab');
      passed.push(await describeFocus(page));
    }
    await on(role, name);
  };
  const type = (text: string) => page.keyboard.type(text);
  return { press, on, to, type };
}

/** A short description of the focused element. */
const describeFocus = (page: Page) =>
  page.evaluate(() => {
    const focused = document.activeElement;
    return `${focused?.tagName.toLowerCase()} ${focused?.getAttribute('aria-label') ?? focused?.textContent?.trim().slice(0, 30)}`;
  });

/** Runs in the page. */
function focusVisibility() {
  const focused = document.activeElement as HTMLElement;
  // A switch or checkbox draws its ring next to the input, an editor around its text area.
  const drawn = [
    focused,
    focused.nextElementSibling,
    focused.parentElement,
    focused.closest('.cm-editor')?.parentElement,
  ];
  const box = focused.getBoundingClientRect();
  const accents = ['rgb(42, 91, 204)', 'rgb(35, 78, 178)'];
  return {
    within: box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth && box.width > 0,
    marked: drawn.some((part) => {
      if (!part) return false;
      const style = getComputedStyle(part);
      const ring = style.outlineStyle !== 'none' && Number.parseFloat(style.outlineWidth) >= 1;
      return ring || accents.includes(style.borderTopColor);
    }),
  };
}

test('a list, a contact, a campaign and its report need no mouse', async () => {
  const { installation } = ui;
  const page = await ui.visitor();
  const { press, on, to, type } = typist(page);
  const atMain = () => page.waitForFunction(() => document.activeElement?.id === 'main');

  await ui.open('/', page);
  await on('textbox', 'Email address');
  await type(owner.email);
  await to('textbox', 'Password');
  await type(owner.password);
  await to('button', 'Sign in');
  await press('Enter');
  await page.waitForURL('**/app/home');
  await settled(page);

  // The skip link, then the navigation.
  await to('link', 'Skip to content');
  await to('link', 'Lists');
  await press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Lists' }).waitFor();
  await atMain();
  await settled(page);
  await to('link', 'New list');
  await press('Enter');
  await page.getByRole('heading', { level: 1, name: 'New list' }).waitFor();
  await settled(page);
  await to('textbox', 'Name');
  await type('Friends');
  await to('textbox', 'Sender address');
  await press('Control+a');
  await type('editors@example.com');
  await to('button', 'Create list');
  await press('Space');
  await page.getByRole('heading', { level: 1, name: 'Friends' }).waitFor();
  await atMain();
  await settled(page);

  await to('button', 'Add contact');
  await press('Enter');
  await page.getByRole('dialog').waitFor();
  await to('textbox', 'Email address');
  await type('reader@example.com');
  await to('radio', /^Send a confirmation email/);
  await press('ArrowDown');
  await on('radio', /^Already gave consent/);
  await to('button', 'Add');
  await press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await on('button', 'Add contact');
  await page.getByText('1 subscriber').waitFor();
  // Arrow keys move between tabs.
  await to('tab', 'Contacts');
  await press('ArrowRight');
  await on('tab', 'Growth');
  await press('ArrowLeft');
  await on('tab', 'Contacts');

  // Dialogs return the focus.
  for (const [key, name] of [
    ['?', 'Keyboard shortcuts'],
    ['/', 'Search'],
  ] as const) {
    await press(key);
    await page.getByRole('dialog', { name }).waitFor();
    await press('Escape');
    await page.getByRole('dialog', { name }).waitFor({ state: 'detached' });
    await on('tab', 'Contacts');
  }

  await press('g', 'c');
  await page.getByRole('heading', { level: 1, name: 'Campaigns' }).waitFor();
  await atMain();
  await settled(page);
  await to('link', 'New campaign');
  await press('Enter');
  await on('textbox', 'Subject');
  await type('Without a mouse');
  await to('radio', /^Newsletter/);
  await to('button', 'Continue');
  await press('Enter');
  await page.waitForURL('**/edit');
  await settled(page);
  const cid = /campaigns\/(\w+)\/edit/.exec(page.url())![1]!;

  await to('tab', 'Visual');
  await press('ArrowRight');
  await on('tab', 'HTML source');
  await to('textbox', 'HTML source');
  await press('Control+a');
  await type('<p>Dear *|FNAME:friend|*, <a href="https://example.com/">look</a>.</p><a href="*|UNSUB|*">Leave</a>');
  await allSaved(page);
  // Tab leaves the editor, as it leaves every field.
  await press('Tab');
  assert.doesNotMatch(await describeFocus(page), /HTML source/);
  await to('button', 'Review');
  await press('Enter');
  await page.locator('#section-check').getByRole('list', { name: 'Check' }).waitFor();
  await shows(page.locator('#section-check').getByRole('img', { name: 'Error' }), 0);
  await to('radio', 'Now');
  await press('ArrowDown');
  await on('radio', 'At each recipient’s best hour');
  await press('ArrowDown');
  await on('radio', 'Schedule');
  await press('ArrowUp');
  await press('ArrowUp');
  await on('radio', 'Now');
  await to('button', 'Send to 1 person');
  await press('Enter');
  const confirmation = page.getByRole('dialog', { name: 'Send this campaign now?' });
  await confirmation.waitFor();
  // Escape closes the dialog and sends nothing.
  await press('Escape');
  await confirmation.waitFor({ state: 'detached' });
  await on('button', 'Send to 1 person');
  await press('Enter');
  await on('button', 'Send');
  await press('Enter');
  await page.getByText('Sending in a few seconds.').waitFor();
  await on('button', /^Undo \(\d+\)/);
  await press('Enter');
  await page.getByText('Undone. Nothing was sent.').waitFor();
  await on('button', 'Send to 1 person');
  await press('Enter');
  await on('button', 'Send');
  await press('Enter');
  await page.waitForURL((url) => url.pathname.endsWith(`/campaigns/${cid}`), { timeout: 60_000 });
  await atMain();
  await page.getByRole('link', { name: '1 delivered' }).waitFor();
  const [message] = await installation.call<{ subject: string }[]>('inboxMessages', { limit: 1 });
  assert.equal(message!.subject, 'Without a mouse');

  await to('tab', 'Overview');
  await press('ArrowRight', 'ArrowRight');
  await on('tab', 'Recipients');
  await page.getByText('1–1 of 1').waitFor();
  await to('link', 'reader@example.com');
  await press('Enter');
  await page.getByText('reader@example.com: delivered').waitFor();
  noErrors(page);
});
