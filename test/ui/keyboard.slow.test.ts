// The way of a campaign by keyboard alone: from signing in over a list, a contact and a mail written as source to its
// report. Nothing is clicked, filled or focused by the test; what it needs it reaches by Tab and the keys that people
// know, and at each stop the focus must be seen and be where a person would look for it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { allSaved, noErrors, owner, settled, shows, startUi, type Ui } from '../support/browser/ui.ts';

let ui: Ui;
before(async () => {
  ui = await startUi();
});
after(() => ui?.close());

type Role = Parameters<Page['getByRole']>[0];

/** A person at the keyboard of a page. */
function typist(page: Page) {
  const press = (...keys: string[]) =>
    keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
  const named = (role: Role, name: string | RegExp): Locator => page.getByRole(role, { name, exact: true });
  const isOn = async (role: Role, name: string | RegExp) =>
    (await named(role, name).and(page.locator(':focus')).count()) > 0;

  /** The focus is where it should be, and is seen: within the window, with a ring or a border in the accent's colour. */
  const on = async (role: Role, name: string | RegExp) => {
    for (let tries = 0; !(await isOn(role, name)); tries++) {
      assert.ok(tries < 400, `the focus is on ${await described(page)}, not on ${role} “${name}”`);
      await page.waitForTimeout(50);
    }
    await page.waitForTimeout(200);
    assert.deepEqual(await page.evaluate(shownFocus), { within: true, marked: true }, `${role} “${name}”`);
  };

  /** Presses Tab until that has the focus. */
  const to = async (role: Role, name: string | RegExp) => {
    const passed: string[] = [];
    while (!(await isOn(role, name))) {
      assert.ok(passed.length < 45, `no ${role} “${name}” was reached; passed: ${passed.join(' · ')}`);
      await page.keyboard.press('Tab');
      passed.push(await described(page));
    }
    await on(role, name);
  };
  const type = (text: string) => page.keyboard.type(text);
  return { press, on, to, type };
}

/** The element that has the focus, in a few words. */
const described = (page: Page) =>
  page.evaluate(() => {
    const one = document.activeElement;
    return `${one?.tagName.toLowerCase()} ${one?.getAttribute('aria-label') ?? one?.textContent?.trim().slice(0, 30)}`;
  });

/** Run in the page. */
function shownFocus() {
  const one = document.activeElement as HTMLElement;
  // A switch or a tick draws its mark beside the input, an editor around the place that is written in.
  const drawn = [one, one.nextElementSibling, one.parentElement, one.closest('.cm-editor')?.parentElement];
  const box = one.getBoundingClientRect();
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

test('a list, a contact, a campaign, its sending and its report need no mouse', async () => {
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

  // The way past the navigation, and the navigation itself.
  await to('link', 'Skip to content');
  await to('link', 'Lists');
  await press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Lists' }).waitFor();
  await atMain();
  await settled(page);
  await to('link', 'Create list');
  await press('Enter');
  await page.getByRole('heading', { level: 1, name: 'New list' }).waitFor();
  await settled(page);
  await to('textbox', 'Name');
  await type('Friends');
  await to('textbox', 'Sender address');
  await press('Control+a');
  await type('editors@example.com');
  await to('button', 'Create list');
  await press('Spacer');
  await page.getByRole('heading', { level: 1, name: 'Friends' }).waitFor();
  await atMain();
  await settled(page);

  await to('button', 'Add contact');
  await press('Enter');
  await page.getByRole('dialog').waitFor();
  await to('textbox', 'Address');
  await type('reader@example.com');
  await to('radio', /^Ask by mail first/);
  await press('ArrowDown');
  await on('radio', /^Has agreed already/);
  await to('button', 'Add');
  await press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await on('button', 'Add contact');
  await page.getByText('1 subscribed member').waitFor();
  // Between tabs by the arrows.
  await to('tab', 'Members');
  await press('ArrowRight');
  await on('tab', 'Growth');
  await press('ArrowLeft');
  await on('tab', 'Members');

  // What opens over the page gives the focus back.
  for (const [key, name] of [
    ['?', 'Keyboard shortcuts'],
    ['/', 'Search'],
  ] as const) {
    await press(key);
    await page.getByRole('dialog', { name }).waitFor();
    await press('Escape');
    await page.getByRole('dialog', { name }).waitFor({ state: 'detached' });
    await on('tab', 'Members');
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
  await to('button', 'Begin');
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
  assert.doesNotMatch(await described(page), /HTML source/);
  await to('button', /^Check/);
  await press('Enter');
  await page.locator('#section-check').getByRole('list', { name: 'Check' }).waitFor();
  await shows(page.locator('#section-check').getByRole('img', { name: 'Error' }), 0);
  await to('button', /^Send(?! …)/);
  await press('Spacer');
  await to('radio', 'Now');
  await press('ArrowDown');
  await on('radio', 'Schedule');
  await press('ArrowUp');
  await to('button', 'Send to 1 person');
  await press('Enter');
  const question = page.getByRole('dialog', { name: 'Send this campaign now?' });
  await question.waitFor();
  // No way out of the question but its own.
  await press('Escape');
  await question.waitFor({ state: 'detached' });
  await on('button', 'Send to 1 person');
  await press('Enter');
  await on('button', 'Send');
  await press('Enter');
  await page.getByText('Sending in 10 seconds.').waitFor();
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
  const [mail] = await installation.call<{ subject: string }[]>('inboxMessages', { limit: 1 });
  assert.equal(mail!.subject, 'Without a mouse');

  await to('tab', 'Overview');
  await press('ArrowRight', 'ArrowRight');
  await on('tab', 'Recipients');
  await page.getByText('1–1 of 1').waitFor();
  await to('link', 'reader@example.com');
  await press('Enter');
  await page.getByText('reader@example.com: delivered').waitFor();
  noErrors(page);
});
