// Browser test of the screens of automations: from a template to an active automation with contacts on its steps. Flows that are
// built by hand are in automation-steps.slow.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseId } from '../../src/db/ids.ts';
import {
  axe,
  eventually,
  noErrors,
  noSidewaysScroll,
  owner,
  screenshots,
  settled,
  shows,
  uiTest,
} from '../support/browser/ui.ts';

const ui = uiTest();

type Info = { status: string; version: number; steps: { type: string }[]; problems: unknown[] };

test('an automation is made from a template, edited, started, and shows where its contacts are', async () => {
  const { page, installation } = ui;
  await ui.open('/automations');
  await axe(page, 'automations, empty');
  await page.getByRole('link', { name: 'New automation' }).first().click();
  await settled(page);
  await page.getByText('An automation needs a list').first().waitFor();
  const list = await installation.call<string>('listCreate', { title: 'Readers' });
  await ui.open('/automations/new');
  await axe(page, 'new automation');
  await noSidewaysScroll(page);
  await page.getByRole('radio', { name: 'Welcome' }).click();
  await page.getByRole('button', { name: 'Create automation' }).click();
  await page.getByRole('heading', { level: 1, name: 'Welcome' }).waitFor();
  await settled(page);
  const id = page.url().split('/').at(-1)!;
  const info = () => installation.call<Info>('automationGet', { id });

  // A wait is changed in the panel beside the flow, which takes the focus, moves no step and gives the focus back.
  const wait = page.getByRole('button', { name: 'Edit: 3 days' });
  const last = page.getByText('End', { exact: true });
  const before = await last.boundingBox();
  await wait.click();
  const form = page.getByRole('dialog', { name: 'Wait', exact: true });
  const card = page.getByRole('article', { name: 'Wait: 3 days' });
  await eventually(async () => assert.ok(await form.evaluate((panel) => panel.contains(document.activeElement))));
  assert.equal((await last.boundingBox())!.y, before!.y);
  assert.ok((await form.boundingBox())!.x >= (await card.boundingBox())!.x + (await card.boundingBox())!.width);
  await form.getByRole('textbox', { name: 'Wait for' }).fill('5');
  await form.getByRole('button', { name: 'Done' }).click();
  await form.waitFor({ state: 'hidden' });
  const changed = page.getByRole('button', { name: 'Edit: 5 days' });
  await changed.waitFor();
  await eventually(async () => assert.ok(await changed.evaluate((title) => title === document.activeElement)));

  // A condition is added after the first email, with a step in an arm.
  await page.getByRole('button', { name: 'Add step' }).nth(1).click();
  await page.getByRole('menuitem', { name: 'Condition' }).click();
  await page.getByRole('textbox', { name: 'Value' }).first().fill('example.com');
  await axe(page, 'a step in the panel');
  await noSidewaysScroll(page);
  await screenshots(page, 'automation-step');
  await page.getByRole('button', { name: 'Done' }).click();
  const yes = page.getByRole('group', { name: 'Yes', exact: true });
  await yes.getByRole('button', { name: 'Add step' }).click();
  await page.getByRole('menuitem', { name: 'Notify me' }).click();
  await page.getByRole('textbox', { name: 'Subject' }).fill('A reader from example.com');
  await page.getByRole('button', { name: 'Done' }).click();
  await yes.getByRole('button', { name: 'Edit: A reader from example.com' }).waitFor();
  await eventually(async () => assert.deepEqual((await info()).problems, []));
  await axe(page, 'automation, draft');
  await noSidewaysScroll(page);
  await screenshots(page, 'automation-draft');

  await page.getByRole('button', { name: 'Start', exact: true }).click();
  // What the check found in each of its emails is said once.
  const start = page.getByRole('dialog');
  await start.getByText('All emails', { exact: true }).waitFor();
  await shows(start.getByText(/DKIM/), 1);
  await page.getByRole('dialog').getByRole('button', { name: 'Start', exact: true }).click();
  await eventually(async () => assert.equal((await info()).status, 'active'));
  // Its emails can be looked at and corrected, not edited; the trigger is named as where it was chosen, a condition begins with a capital.
  await page
    .getByRole('button', { name: /^Email: / })
    .first()
    .click();
  const panel = page.getByRole('dialog', { name: 'Send an email' });
  await panel.getByRole('link', { name: 'View email' }).waitFor();
  await panel.getByRole('link', { name: 'Correct text' }).waitFor();
  await shows(panel.getByRole('link', { name: 'Edit email' }), 0);
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'hidden' });
  await page.getByRole('article', { name: 'Trigger: When a contact subscribes', exact: true }).waitFor();
  await page.getByRole('article', { name: /^Condition: The address contains/ }).waitFor();
  await installation.call('listSubscribe', { id: list, email_address: 'ada@example.com', double_optin: false });
  await eventually(async () => {
    const inside = await installation.call<{ data: { email: string; step: string }[] }>('automationContacts', { id });
    assert.deepEqual(
      inside.data.map(({ email, step }) => [email, step]),
      [['ada@example.com', 's2']],
    );
  });
  // Each arm says how many took it.
  await yes.getByText('1 contact · 100%').waitFor();
  await page.getByRole('group', { name: 'No', exact: true }).getByText('0 contacts · 0%').waitFor();
  // The contact is on the wait: the line below it leads there.
  await page.getByText('1 entered').first().waitFor();
  await page.getByRole('button', { name: '1 waiting' }).click();
  await page.getByRole('dialog').getByText('ada@example.com').waitFor();
  await axe(page, 'contacts of a step');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await screenshots(page, 'automation-active');

  // The contact's page says so, too.
  await ui.open('/contacts/ada%40example.com');
  const section = page.getByRole('region', { name: 'Automations' });
  await section.getByRole('link', { name: 'Welcome' }).waitFor();
  await section.getByText(/Waiting · continues/).waitFor();
  await page.getByText('Welcome: entered').waitFor();
  await axe(page, 'contact in an automation');
  await noSidewaysScroll(page);
  await screenshots(page, 'contact-automations');
  await section.getByRole('link', { name: 'Welcome' }).click();

  // A change is saved and says that it is not published.
  await page.getByRole('button', { name: 'Remove: Mon' }).click();
  await page.getByText('Changes are saved but not published').first().waitFor();
  await page.getByRole('button', { name: 'Publish changes' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Publish changes' }).click();
  await eventually(async () => assert.equal((await info()).version, 2));
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await eventually(async () => assert.equal((await info()).status, 'paused'));
  await page.getByRole('button', { name: 'Resume' }).waitFor();

  await ui.open('/automations');
  await page.getByRole('link', { name: 'Welcome' }).waitFor();
  await page.getByText('After sign-up', { exact: true }).waitFor();
  await axe(page, 'automations');
  await noSidewaysScroll(page);
  await screenshots(page, 'automations');
  assert.ok(parseId(id) > 0);
  noErrors(page);
});

test('an autoresponder is a part of the automations, and shows no relays while nothing is due', async () => {
  const { page, installation } = ui;
  const list = await installation.call<string>('listCreate', { title: 'New readers' });
  const options = { list_id: list, subject: 'Hello', from_name: 'Ada', from_email: owner.email, generate_text: true };
  const content = { html: '<p>Hello. <a href="*|UNSUB|*">Unsubscribe</a></p>' };
  const typeOptions = { event: 'signup', 'offset-time': 1, 'offset-units': 'day', 'offset-dir': 'after' };
  const cid = await installation.call<string>('campaignCreate', {
    type: 'auto',
    options,
    content,
    type_opts: typeOptions,
  });
  // On a phone a draft has no figures.
  await page.setViewportSize({ width: 390, height: 844 });
  await ui.open('/automations');
  const row = page.getByRole('row', { name: /Hello/ });
  await row.getByText('Draft').waitFor();
  await shows(row.getByText(/sent|opened/), 0);
  await page.setViewportSize({ width: 1280, height: 800 });
  await installation.call('campaignSendNow', { cid });
  await ui.open('/automations');
  await page.getByRole('link', { name: 'Hello' }).click();
  const entry = page.getByRole('navigation', { name: 'Navigation' }).locator('[aria-current="page"]');
  await page.getByRole('heading', { name: 'Delivery' }).waitFor();
  await eventually(async () => assert.equal(await entry.textContent(), 'Automations'));
  await settled(page);
  await shows(page.getByRole('heading', { name: 'Relays' }), 0);
  await screenshots(page, 'autoresponder-idle');
  await page.getByRole('main').getByRole('link', { name: 'Automations' }).click();
  await page.waitForURL('**/app/automations');
  noErrors(page);
});
