// Browser test of an automation that is built by hand: trigger, email, rules, conditions on events, the URL of a webhook; and its
// rehearsal.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { axe, eventually, noErrors, noSidewaysScroll, screenshots, settled, uiTest } from '../support/browser/ui.ts';

const ui = uiTest({}, async ({ installation }) => {
  await installation.call('listCreate', { title: 'Readers' });
});

type Info = { status: string; version: number; steps: { type: string }[]; problems: unknown[] };

test('what is open is saved when something else is opened; a condition needs a value, and may name an email of the flow', async () => {
  const { page, installation } = ui;
  const [{ id: list }] = await installation.call<[{ id: string }]>('lists');
  const id = await installation.call<string>('automationCreate', { list, title: 'In one go' });
  const stored = () =>
    installation.call<{ trigger: { type?: string }; steps: { type: string; amount?: number }[] }>('automationGet', {
      id,
    });
  await ui.open(`/automations/${id}`);
  await page.getByRole('button', { name: 'Choose trigger' }).click();
  await page.getByRole('combobox', { name: 'Starts when a contact' }).waitFor();
  const add = async (kind: string) => {
    await page.getByRole('button', { name: 'Add step' }).last().click();
    await page.getByRole('menuitem', { name: kind, exact: true }).click();
  };
  await add('Send an email');
  const panel = page.getByRole('dialog', { name: 'Send an email' });
  await panel.getByRole('textbox', { name: 'New email' }).fill('Welcome aboard');
  await panel.getByRole('button', { name: 'Create and write' }).click();
  await page.waitForURL('**/edit?**');
  assert.equal((await stored()).trigger.type, 'subscribed');
  await page.getByRole('link', { name: 'Back to In one go' }).click();
  await panel.getByText('Still the sample text').waitFor();
  await page.keyboard.press('Escape');
  await add('Condition');
  const value = page.getByRole('textbox', { name: 'Value' });
  assert.ok((await value.boundingBox())!.width >= 200, 'the value has room');
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText('Enter a value.').waitFor();
  await axe(page, 'a condition without a value');
  await page.getByRole('combobox', { name: 'Field' }).click();
  await page.getByRole('option', { name: 'Opened a campaign', exact: true }).click();
  await page.getByRole('combobox', { name: 'Value' }).click();
  await page.getByRole('option', { name: 'Welcome aboard' }).click();
  await screenshots(page, 'automation-condition');
  // The condition is saved with what is added after it.
  await page.getByRole('button', { name: 'Add step' }).last().click();
  await page.getByRole('menuitem', { name: 'Wait', exact: true }).click();
  await page.getByRole('button', { name: /^Edit: The contact opened “Welcome aboard”/ }).waitFor();
  assert.deepEqual(
    (await stored()).steps.map(({ type }) => type),
    ['send', 'condition', 'wait'],
  );
  // Leaving the screen saves too, and so does what looks at the whole automation.
  const amount = page.getByRole('textbox', { name: 'Wait for' });
  await amount.fill('5');
  await page.getByRole('navigation').getByRole('link', { name: 'Automations', exact: true }).click();
  await page.waitForURL('**/automations');
  assert.equal((await stored()).steps.at(-1)!.amount, 5);
  await page.goBack();
  await page.getByRole('button', { name: /^Edit: .*5 days/ }).click();
  await amount.fill('6');
  await page.getByRole('button', { name: 'Test run' }).click();
  await page.getByRole('dialog').waitFor();
  assert.equal((await stored()).steps.at(-1)!.amount, 6);
  noErrors(page);
});

test('an empty automation names what it lacks; trigger, email and rules are set on the screen', async () => {
  const { page, installation } = ui;
  await ui.open('/automations/new');
  await page.getByRole('radio', { name: 'Blank automation' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('By hand');
  await page.getByRole('button', { name: 'Create automation' }).click();
  await page.getByRole('heading', { level: 1, name: 'By hand' }).waitFor();
  await settled(page);
  const id = page.url().split('/').at(-1)!;
  // What is missing is said where it is started.
  const start = page.getByRole('button', { name: 'Start', exact: true });
  const dialog = page.getByRole('dialog');
  await start.click();
  await dialog.getByText('Choose what starts it').waitFor();
  await dialog.getByText('Add a step').waitFor();
  assert.equal(await dialog.getByRole('button', { name: 'Start', exact: true }).isDisabled(), true);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Choose trigger' }).click();
  await page.getByRole('combobox', { name: 'Starts when a contact' }).click();
  await page.getByRole('option', { name: 'Causes an event in your app' }).click();
  await page.getByRole('textbox', { name: 'Name of the event' }).fill('cart.abandoned');
  await axe(page, 'trigger form');
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Edit: When the event “cart.abandoned” is reported' }).waitFor();
  await page.getByRole('button', { name: 'Add step' }).click();
  await page.getByRole('menuitem', { name: 'Send an email' }).click();
  const panel = page.getByRole('dialog', { name: 'Send an email' });
  await axe(page, 'a step without an email');
  await panel.getByRole('textbox', { name: 'New email' }).fill('You left something');
  await panel.getByRole('button', { name: 'Create and write' }).click();
  // It is written in the editor, which leads back to the step.
  await page.waitForURL('**/edit?**');
  await page.getByRole('link', { name: 'Back to By hand' }).click();
  await page.getByRole('heading', { level: 1, name: 'By hand' }).waitFor();
  await panel.getByText('Still the sample text').waitFor();
  await panel.getByRole('link', { name: 'Write email' }).waitFor();
  await axe(page, 'an email that is not written');
  await screenshots(page, 'automation-email-empty');
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'hidden' });
  assert.equal(new URL(page.url()).search, '');
  await page.getByRole('button', { name: 'Edit rules' }).click();
  await page.getByRole('checkbox', { name: 'Contacts can enter again' }).check();
  await page.getByRole('textbox', { name: 'Minimum days between entries' }).fill('7');
  await page.getByRole('textbox', { name: 'Goal: an event' }).fill('order.placed');
  await page.getByRole('checkbox', { name: 'Goal: conditions' }).check();
  await page.getByRole('textbox', { name: 'Value' }).fill('customers.example');
  await axe(page, 'rules form');
  await noSidewaysScroll(page);
  await screenshots(page, 'automation-rules');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText(/Contacts leave before their next step if .*customers\.example/).waitFor();
  await page.getByText('A contact may enter again 7 days after it entered.').first().waitFor();
  await page.getByText('Goal: contacts leave when it happens: Event “order.placed”.').first().waitFor();
  // An email that no one has written is not sent: its card says so, and the automation cannot start.
  await page
    .getByRole('article', { name: /You left something/ })
    .getByText('Still the sample text')
    .waitFor();
  await start.click();
  await dialog.getByText('Still the sample text').waitFor();
  assert.equal(await dialog.getByRole('button', { name: 'Start', exact: true }).isDisabled(), true);
  await axe(page, 'an automation that cannot start');
  await screenshots(page, 'automation-unwritten');
  await dialog.getByRole('button', { name: 'Show: You left something' }).click();
  await panel.waitFor();
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'hidden' });
  await assert.rejects(installation.call('automationStart', { id }), /You left something.*is still the sample/);
  const { steps } = await installation.call<{ steps: { campaign?: string }[] }>('automationGet', { id });
  await installation.call('campaignUpdate', {
    cid: steps[0]!.campaign,
    name: 'html',
    value: '<p>Your cart is waiting. <a href="/cart">Back to it</a></p>',
  });
  await eventually(async () => {
    const { problems } = await installation.call<Info>('automationGet', { id });
    assert.deepEqual(problems, []);
  });
  // Conditions are kept when something else is changed, and taken away again.
  const goal = async () => (await installation.call<{ goal: { filter: unknown[] } }>('automationGet', { id })).goal;
  await page.getByRole('button', { name: 'Edit rules' }).click();
  await page.getByRole('checkbox', { name: 'Contacts can enter again' }).uncheck();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Each contact enters once').waitFor();
  assert.equal((await goal()).filter.length, 1);
  await page.getByRole('button', { name: 'Edit rules' }).click();
  await page.getByRole('checkbox', { name: 'Goal: conditions' }).uncheck();
  await page.getByRole('button', { name: 'Save' }).click();
  await eventually(async () => assert.deepEqual((await goal()).filter, []));
  // Written, by a program: the picture is shown, and what the check found.
  await page.reload();
  await page.getByRole('button', { name: 'Email: You left something' }).click();
  await panel.frameLocator('iframe[title="Email"]').getByText('Your cart is waiting.').waitFor();
  await panel.getByRole('list', { name: 'Check' }).getByText(/link/i).first().waitFor();
  await panel.getByRole('link', { name: 'Edit email' }).waitFor();
  await noSidewaysScroll(page);
  await screenshots(page, 'automation-email');
  await page.keyboard.press('Escape');
  await start.click();
  await dialog.getByRole('list', { name: 'Check' }).getByText(/link/i).first().waitFor();
  await screenshots(page, 'automation-start');
  await dialog.getByRole('button', { name: 'Start', exact: true }).click();
  await eventually(async () => assert.equal((await installation.call<Info>('automationGet', { id })).status, 'active'));
  noErrors(page);
});

test('a step that waits for an event with data, and a trigger that looks at its data, are built on the screen', async () => {
  const { page, installation } = ui;
  const list = await installation.call<string>('listCreate', { title: 'Users' });
  const id = await installation.call<string>('automationCreate', { title: 'Lifecycle', list });
  await installation.call('automationUpdate', { id, trigger: { type: 'event', name: 'plan' } });
  await ui.open(`/automations/${id}`);
  const condition = async (path: string, comparison: string, value: string) => {
    await page.getByRole('button', { name: 'Add a condition' }).click();
    await page.getByRole('textbox', { name: 'Member' }).fill(path);
    await page.getByRole('combobox', { name: 'Comparison' }).click();
    await page.getByRole('option', { name: comparison, exact: true }).click();
    await page.getByRole('textbox', { name: 'Value' }).fill(value);
  };
  await page.getByRole('button', { name: 'Edit: When the event “plan” is reported' }).click();
  await condition('plan', 'is not', 'free');
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Edit: When the event “plan” is reported with plan is not free' }).waitFor();
  await page.getByRole('button', { name: 'Add step' }).click();
  await page.getByRole('menuitem', { name: 'Wait for an event' }).click();
  await page.getByRole('textbox', { name: 'Name of the event' }).fill('invited');
  await condition('people', 'is greater than', '2');
  await axe(page, 'wait for an event');
  await noSidewaysScroll(page);
  await page.getByRole('button', { name: 'Done' }).click();
  await page
    .getByRole('button', { name: 'Edit: Event “invited” with people is greater than 2, at most 3 days' })
    .waitFor();
  await page.getByRole('group', { name: 'No', exact: true }).getByRole('button', { name: 'Add step' }).waitFor();
  const info = await installation.call<Info & { trigger: unknown }>('automationGet', { id });
  assert.deepEqual(info.trigger, {
    type: 'event',
    name: 'plan',
    data: [{ path: 'plan', condition: 'is_not', value: 'free' }],
  });
  const { key: _key, ...step } = info.steps[0] as { key?: string; type: string };
  assert.deepEqual(step, {
    type: 'wait_for',
    name: 'invited',
    data: [{ path: 'people', condition: 'greater', value: '2' }],
    match: 'all',
    filter: [],
    amount: 3,
    unit: 'days',
    yes: [],
    no: [],
  });
  noErrors(page);
});

test('the URL of an incoming webhook is made on the screen, used by another service, and replaced', async () => {
  const { page, installation } = ui;
  const list = await installation.call<string>('listCreate', { title: 'Buyers' });
  await installation.call('listSubscribe', { id: list, email_address: 'ada@example.com', double_optin: false });
  const id = await installation.call<string>('automationCreate', { title: 'Orders', list });
  await installation.call('automationUpdate', { id, steps: [{ type: 'wait', amount: 1, unit: 'days' }] });
  await ui.open(`/automations/${id}`);
  await page.getByRole('button', { name: 'Choose trigger' }).click();
  await page.getByRole('combobox', { name: 'Starts when a contact' }).click();
  await page.getByRole('option', { name: 'Is reported by a webhook from another service' }).click();
  await page.getByRole('textbox', { name: 'Member with the email address' }).fill('customer.email');
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText('create the URL of the webhook').waitFor();
  await page.getByRole('button', { name: 'Create URL' }).click();
  await page.getByText('Copy the URL now').waitFor();
  const url = (await page.locator('code').textContent())!;
  assert.match(url, /\/in\/automation\/[\w-]{43}$/);
  await settled(page);
  await axe(page, 'automation with a new URL');
  await noSidewaysScroll(page);
  await screenshots(page, 'automation-webhook');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Start', exact: true }).click();
  await eventually(async () => assert.equal((await installation.call<Info>('automationGet', { id })).status, 'active'));
  const post = (address: string) =>
    fetch(url, { method: 'POST', body: JSON.stringify({ customer: { email: address } }) }).then(({ status }) => status);
  assert.equal(await post('ada@example.com'), 202);
  await page.getByRole('button', { name: '1 waiting' }).waitFor();
  assert.equal(await post('eve@example.com'), 200);
  await page.getByText(/^Last request .*ignored, the address is not subscribed/).waitFor();
  await page.getByRole('button', { name: 'Replace URL' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Replace URL' }).click();
  await eventually(async () => assert.equal(await post('ada@example.com'), 404));
  noErrors(page);
});

test('an automation is rehearsed: its emails come to the person, and the way of the contact is shown', async () => {
  const { page, installation } = ui;
  const list = await installation.call<string>('listCreate', { title: 'Rehearsal' });
  await installation.call('listSubscribe', { id: list, email_address: 'eve@example.com', double_optin: false });
  const campaign = await installation.call<string>('automationEmailCreate', { list, subject: 'Hello', text: 'Hello' });
  const id = await installation.call<string>('automationCreate', { title: 'Rehearsed', list });
  const filter = [{ field: 'FNAME', condition: 'is', value: 'Eve' }];
  await installation.call('automationUpdate', {
    id,
    steps: [
      { type: 'send', campaign },
      { type: 'wait', amount: 2, unit: 'days' },
      { type: 'condition', filter, yes: [{ type: 'webhook', name: 'eve' }], no: [] },
      { type: 'wait_for', name: 'paid', amount: 3, unit: 'days', yes: [{ type: 'webhook', name: 'thanks' }], no: [] },
    ],
  });
  const german = { language: 'de', subject: 'Hallo', html: '<p>Hallo</p>' };
  await installation.call('campaignLanguageUpdate', { cid: campaign, ...german });
  await ui.open(`/automations/${id}`);
  await page.getByRole('article', { name: /Hello/ }).getByText('Also in: German').waitFor();
  await page.getByRole('button', { name: 'Test run' }).click();
  const panel = page.getByRole('dialog', { name: 'Test run' });
  const contact = panel.getByRole('combobox', { name: 'Contact' });
  await panel.getByText('As eve@example.com').waitFor();
  const items = panel.getByRole('list').first().getByRole('listitem');
  for (const [at, words] of [/Hello.*Gets the email/s, /2 days.*Wait skipped/s, /Branch No/].entries())
    await items.nth(at).filter({ hasText: words }).waitFor();
  await panel.getByText('The contact has completed the automation.').waitFor();
  await contact.fill('stranger@example.com');
  await page.getByText(/is not on this list/).waitFor();
  // A contact is found by a part of the address.
  await contact.fill('eve');
  await page.getByRole('option', { name: 'eve@example.com' }).click();
  await panel.getByText('As eve@example.com').waitFor();
  await panel.getByRole('button', { name: 'Read the email: Hello' }).click();
  await panel.frameLocator('iframe[title="Hello"]').getByText('Hello').waitFor();
  // No event came; the person looks at the other branch.
  await items.nth(3).filter({ hasText: 'Branch No' }).waitFor();
  await items.nth(3).getByText('Yes', { exact: true }).click();
  await items.nth(3).filter({ hasText: 'Branch Yes · as you chose' }).waitFor();
  await items.nth(4).filter({ hasText: 'thanks' }).waitFor();
  const inbox = () => installation.call<{ subject: string }[]>('inboxMessages', { limit: 10 });
  assert.ok(!(await inbox()).some(({ subject }) => subject === '[Test run] Hello'), 'nothing is sent unasked');
  await panel.getByRole('button', { name: 'Send the email to me' }).click();
  await panel.getByText(/^1 email is on its way to/).waitFor();
  await axe(page, 'rehearsal of an automation');
  await noSidewaysScroll(page);
  await screenshots(page, 'automation-rehearsal');
  await eventually(async () => {
    assert.ok((await inbox()).some(({ subject }) => subject === '[Test run] Hello'));
  });
  noErrors(page);
});
