// Two windows on one draft: the one that saves later is asked, both texts are in History, a window that is idle takes what is
// newer, and each shows who else has the draft open.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { contentOf, createDraft, openSection, saved, typeSource, ui, visual } from '../support/browser/composer.ts';
import { axe, eventually, noErrors, screenshots, settled, writing } from '../support/browser/ui.ts';

const mia = { email: 'mia@example.com', password: 'three quiet otters swim' };
let invited: Promise<void> | undefined;
/** Mia, an editor of the account who is known by her name. */
async function asMia(): Promise<Page> {
  invited ??= (async () => {
    const { link } = await ui.installation.call<{ link: string }>('userInvite', { email: mia.email, role: 'editor' });
    const token = decodeURIComponent(new URL(link).hash.slice(1));
    const visitor = await ui.visitor();
    const data = { token, name: '', password: mia.password };
    await visitor.request.post(`${ui.installation.base}/session/invitation/join`, { data });
  })();
  await invited;
  return ui.member(mia);
}

const leave = '<p><a href="*|UNSUB|*">Leave</a></p>';
const page = (text: string) => `<p>${text}</p>${leave}`;
const source = (view: Page) => view.getByRole('textbox', { name: 'HTML source' });

/** Opens the HTML source of a draft. */
async function openSource(cid: string, view: Page): Promise<void> {
  await ui.open(`/campaigns/${cid}/edit`, view);
  await view.getByRole('tab', { name: 'HTML source' }).click();
  await source(view).waitFor();
}

/** A draft whose source both have open, with the same text. */
async function bothOpen(subject: string): Promise<{ cid: string; hers: Page; mine: Page }> {
  const cid = await createDraft(subject);
  await ui.installation.call('campaignUpdate', { cid, name: 'html', value: page('Start') });
  const hers = await asMia();
  await openSource(cid, hers);
  await openSource(cid, ui.page);
  return { cid, hers, mine: ui.page };
}

/** The texts in History. */
async function historyOf(cid: string): Promise<string[]> {
  const rows = await ui.installation.call<{ version: number }[]>('campaignVersions', { cid });
  const whole = await Promise.all(
    rows.map(({ version }) => ui.installation.call<{ html: string }[]>('campaignVersions', { cid, version })),
  );
  return whole.map(([version]) => version!.html);
}

/** Types in both windows, hers being saved before mine. */
async function typeInBoth({ cid, hers, mine }: Awaited<ReturnType<typeof bothOpen>>): Promise<void> {
  // My window does not learn of her change before I have typed.
  await mine.route('**/api/campaignEditing', (route) => route.abort());
  await typeSource(page('Hers'), hers);
  await eventually(async () => assert.equal((await contentOf(cid)).html, page('Hers')));
  await typeSource(page('Mine'), mine);
}
const dialogIn = (view: Page) => view.getByRole('dialog').filter({ hasText: `${mia.email} changed this email` });

test('who saves later is asked, keeps the own text, and the other one is in History', async () => {
  const both = await bothOpen('Keep my version');
  const { cid, hers, mine } = both;
  await typeInBoth(both);
  const dialog = dialogIn(mine);
  await dialog.getByRole('heading', { name: 'just now' }).waitFor();
  assert.equal((await contentOf(cid)).html, page('Hers'), 'hers is not overwritten');
  await settled(mine);
  await axe(mine, 'two editors');
  await screenshots(mine, 'composer-two-editors');
  await mine.unroute('**/api/campaignEditing');
  await dialog.getByRole('button', { name: 'Keep my version' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await saved(mine);
  assert.equal((await contentOf(cid)).html, page('Mine'));
  assert.ok((await historyOf(cid)).includes(page('Hers')));
  // Her window has nothing unsaved.
  await eventually(async () => assert.match((await source(hers).textContent())!, /Mine/));
  await hers.getByRole('tab', { name: 'History' }).click();
  const version = hers
    .getByRole('row')
    .filter({ has: hers.getByRole('cell', { name: mia.email }) })
    .first();
  await version.getByText(/^Hers/).waitFor();
  noErrors(hers);
});

test('who saves later takes the other text, and the own one is in History', async () => {
  const both = await bothOpen('Load hers');
  const { cid, mine } = both;
  await typeInBoth(both);
  const dialog = dialogIn(mine);
  await dialog.waitFor();
  await mine.unroute('**/api/campaignEditing');
  await dialog.getByRole('button', { name: 'Use the other version' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await eventually(async () => assert.match((await source(mine).textContent())!, /Hers/));
  await saved(mine);
  assert.equal((await contentOf(cid)).html, page('Hers'));
  const history = await historyOf(cid);
  assert.ok(history.includes(page('Mine')));
  // The next letter is based on hers.
  await typeSource(page('Both'), mine);
  await saved(mine);
  await eventually(async () => assert.equal((await contentOf(cid)).html, page('Both')));
  assert.ok((await historyOf(cid)).includes(page('Hers')));
});

test('two windows of one person are two editors, and different options are no conflict', async () => {
  const cid = await createDraft('One person');
  const second = await ui.member();
  await ui.open(`/campaigns/${cid}/edit`, second);
  for (const view of [ui.page, second]) await view.route('**/api/campaignEditing', (route) => route.abort());
  const subject = (view: Page) => view.getByRole('textbox', { name: 'Subject' });
  const optionsOf = () => ui.installation.call<Record<string, unknown>>('campaignGet', { cid });
  await subject(second).fill('From the second');
  await saved(second);
  await ui.page.getByRole('textbox', { name: 'Preview text' }).fill('From the first');
  await saved(ui.page);
  await eventually(async () => assert.equal((await optionsOf())['preview_text'], 'From the first'));
  await subject(ui.page).fill('From the first');
  const dialog = ui.page.getByRole('dialog').filter({ hasText: 'You changed this email in another window' });
  await dialog.getByText('From the second').waitFor();
  assert.equal((await optionsOf())['subject'], 'From the second');
  await dialog.getByRole('button', { name: 'Keep my version' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await saved(ui.page);
  assert.equal((await optionsOf())['subject'], 'From the first');
  for (const view of [ui.page, second]) await view.unroute('**/api/campaignEditing');
  noErrors(ui.page);
});

test('each window shows who else has the draft open, and an idle one takes what is newer', async () => {
  const { cid, hers, mine } = await bothOpen('Presence');
  // Not the window that this one was before it was loaded again.
  await eventually(
    async () => assert.equal(await mine.getByText('Also open: ').textContent(), `Also open: ${mia.email}`),
    5_000,
  );
  await hers.getByText('Also open: owner@example.com').waitFor();
  await typeSource(page('From her'), hers);
  await eventually(async () => assert.match((await source(mine).textContent())!, /From her/));
  await ui.installation.call('campaignUpdate', { cid, name: 'subject', value: 'By a program' });
  await eventually(async () =>
    assert.equal(await mine.getByRole('textbox', { name: 'Subject' }).inputValue(), 'By a program'),
  );
  await typeSource(page('Mine on hers'), mine);
  await saved(mine);
  await eventually(async () => assert.equal((await contentOf(cid)).html, page('Mine on hers')));
  await openSection('to', mine);
  noErrors(mine);
  noErrors(hers);
});

test('in the visual editor, a letter that is typed when the question appears neither answers it nor is lost', async () => {
  const cid = await createDraft('Two visual editors');
  const hers = await asMia();
  await ui.open(`/campaigns/${cid}/edit`, hers);
  const mine = ui.page;
  await mine.route('**/api/campaignEditing', (route) => route.abort());
  const typeOver = async (old: string, words: string, view: Page) => {
    await visual(view).getByText(old).first().dblclick();
    await writing(view);
    await view.keyboard.press('Control+a');
    // At once: what is typed may be saved between two letters.
    await view.keyboard.insertText(words);
  };
  await typeOver('A heading that says', 'Heading of hers', hers);
  await eventually(async () => assert.match((await contentOf(cid)).html, /Heading of hers/));
  await typeOver('Write your news here', 'Paragraph of mine', mine);
  const dialog = dialogIn(mine);
  await dialog.waitFor();
  await mine.keyboard.press('Space');
  await mine.keyboard.press('Enter');
  await settled(mine);
  assert.ok(await dialog.isVisible());
  await mine.unroute('**/api/campaignEditing');
  await dialog.getByRole('button', { name: 'Use the other version' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await visual(mine).getByText('Heading of hers').waitFor();
  await saved(mine);
  assert.match((await contentOf(cid)).html, /Heading of hers/);
  assert.ok((await historyOf(cid)).some((html) => html.includes('Paragraph of mine')));
  noErrors(mine);
});

for (const choice of ['Use the other version', 'Keep my version'] as const)
  test(`of language versions and variants, the text that is not chosen is in History: ${choice}`, async () => {
    const { installation, page: mine } = ui;
    const other = choice === 'Keep my version';
    const texts = (words: string) => ({ subject: `${words} subject`, html: page(`${words} text`) });
    for (const part of ['languages', 'test'] as const) {
      const cid = await createDraft(`${part} of two`);
      const set = (words: string) =>
        part === 'languages'
          ? installation.call('campaignLanguageUpdate', { cid, language: 'de', ...texts(words) })
          : installation.call('campaignTestUpdate', { cid, variants: [texts(words)] });
      await set('First');
      await ui.open(`/campaigns/${cid}/edit`);
      await mine.route('**/api/campaignEditing', (route) => route.abort());
      await openSection(part);
      await set('Hers');
      const subject = mine.locator(`#section-${part}`).getByRole('textbox', { name: 'Subject' });
      await subject.fill('Mine subject');
      const dialog = mine.getByRole('dialog').filter({ hasText: 'This email was changed' });
      await dialog.or(mine.getByRole('dialog').filter({ hasText: 'changed this email' })).waitFor();
      await mine.unroute('**/api/campaignEditing');
      await mine.getByText('the other one stays in History').waitFor();
      await mine.getByRole('button', { name: choice }).click();
      await mine.getByText('the other one stays in History').waitFor({ state: 'hidden' });
      await saved(mine);
      const [stays, lost] = other ? ['Mine', 'Hers'] : ['Hers', 'Mine'];
      assert.equal(await subject.inputValue(), `${stays} subject`);
      await openSection('content');
      await mine.getByRole('tab', { name: 'History' }).click();
      const name = part === 'languages' ? 'German' : 'Variant B';
      const row = mine.getByRole('row').filter({ hasText: `${name}: ${lost} subject` });
      await row.getByText('not chosen between two versions').waitFor();
      await row.getByText(other ? 'Hers text' : 'First text').waitFor();
      if (part === 'test') {
        await axe(mine, 'history');
        await screenshots(mine, `composer-history-${other ? 'theirs' : 'mine'}`);
      }
      // It is one click to have it back.
      await row.getByRole('button', { name: /^Restore version/ }).click();
      await mine.getByText('Version restored.').first().waitFor();
      await openSection(part);
      await eventually(async () => assert.equal(await subject.inputValue(), `${lost} subject`));
      noErrors(mine);
    }
  });
