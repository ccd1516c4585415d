// Browser test of the webhook screens with a real receiver: create, test, log, resend, rotate the secret.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { connect, sql } from '../../src/db/connect.ts';
import {
  axe,
  eventually,
  noErrors,
  noSidewaysScroll,
  screenshots,
  settled,
  shows,
  uiTest,
} from '../support/browser/ui.ts';

type Request = { body: string; signature: string };

const ui = uiTest({ OUTBOUND_ALLOW: '127.0.0.0/8' });
let receiver: Server;
let address: string;
let status = 200;
const requests: Request[] = [];

before(async () => {
  receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.method === 'POST')
      requests.push({
        body: Buffer.concat(chunks).toString(),
        signature: String(request.headers['x-service-signature'] ?? ''),
      });
    response.writeHead(request.method === 'HEAD' ? 200 : status).end('thank you');
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
});
after(async () => {
  receiver?.close();
});

/** Lets the next attempt of the webhook that fails be made in an hour. */
async function inAnHour(): Promise<void> {
  const db = connect(ui.installation.settings['DATABASE_URL']!, { name: 'test', maxConnections: 1 });
  try {
    await db.run(sql`update webhook_delivery set next_at = now() + interval '1 hour', failures = 4`);
  } finally {
    await db.close();
  }
}

test('a webhook is created, tested, edited and deleted, its events are resent, and it gets a secret', async () => {
  const { page } = ui;
  await ui.open('/webhooks');
  await axe(page, 'webhooks, empty');
  await page.getByRole('link', { name: 'New webhook' }).first().click();
  await settled(page);
  await page.getByRole('textbox', { name: 'Name' }).fill('Customer database');
  // The example is the complete body of the selected event, format and source.
  const example = async () => JSON.parse((await page.getByLabel('Example', { exact: true }).textContent())!);
  const choose = async (label: string, option: string) => {
    await page.getByRole('combobox', { name: label }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };
  const types = await ui.installation.call<{ type: string; example: Record<string, unknown> }[]>('eventTypes');
  // Two fields and a purpose; the rest is folded away, and the secret comes with the webhook.
  assert.equal(await page.getByRole('textbox').count(), 2);
  assert.equal(await page.getByRole('radio', { name: 'Contact changes' }).isChecked(), true);
  await axe(page, 'new webhook');
  await screenshots(page, 'webhook-new');
  const box = (name: string | RegExp) => page.getByRole('checkbox', { name });
  const chosen = async () => {
    const boxes = await Promise.all(
      types.map(async ({ type }) => ((await box(new RegExp(`^${type}`)).isChecked()) ? type : '')),
    );
    return boxes.filter(Boolean).sort();
  };
  await page.getByRole('radio', { name: 'Delivery problems' }).check();
  await page.getByRole('radio', { name: 'Choose' }).check();
  assert.deepEqual(await chosen(), ['address.suppressed', 'email.bounce', 'email.complaint', 'message.failed']);
  await page.getByRole('radio', { name: 'Contact changes' }).check();
  await page.getByRole('radio', { name: 'Choose' }).check();
  await box(/^contact\.update/).uncheck();
  assert.deepEqual(await chosen(), ['contact.delete', 'contact.subscribe', 'contact.unsubscribe', 'email.change']);
  const isMixed = (name: string) => box(name).evaluate((input: HTMLInputElement) => input.indeterminate);
  assert.equal(await isMixed('All contact events'), true);
  await box('All contact events').check();
  for (const { type } of types.filter(({ type }) => type.startsWith('contact.')))
    assert.equal(await box(new RegExp(`^${type}`)).isChecked(), true, type);
  await box('All contact events').uncheck();
  assert.equal(await box(/^contact\.subscribe/).isChecked(), false);
  await box('All events').check();
  const change = types.find(({ type }) => type === 'email.change')!;
  await choose('Sample request for', 'email.change');
  await choose('Triggered by', 'API');
  await eventually(async () => {
    const { timestamp, events } = await example();
    assert.equal(typeof timestamp, 'number');
    assert.deepEqual(events, [{ type: 'email.change', data: { ...change.example, source: 'api' } }]);
  });
  await page.getByRole('button', { name: 'Advanced' }).click();
  await choose('Format', 'Classic: one event type per request');
  await eventually(async () => assert.deepEqual(Object.keys(await example()), ['hook', 'timestamp', 'data']));
  await page.getByRole('textbox', { name: 'Signature header (optional)' }).fill('X-Vendor-Signature');
  await choose('Format', 'Standard: several events per request');
  await page.getByRole('checkbox', { name: /email\.change/ }).uncheck();
  await eventually(async () =>
    assert.notEqual((await example()).events[0].type, 'email.change', 'only chosen events are shown'),
  );
  await page.getByRole('checkbox', { name: /email\.change/ }).check();
  await page.getByRole('textbox', { name: 'URL' }).fill('not an address');
  await page.getByRole('button', { name: 'Save' }).click();
  await page
    .getByText(/http or https URL/)
    .first()
    .waitFor();
  await page.getByRole('textbox', { name: 'URL' }).and(page.locator('[aria-invalid="true"]')).waitFor();
  assert.equal(await page.getByRole('textbox', { name: 'Name' }).inputValue(), 'Customer database');
  await axe(page, 'new webhook, refused');
  await noSidewaysScroll(page);
  await screenshots(page, 'webhook-new-all');
  await page.getByRole('textbox', { name: 'URL' }).fill(address);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { level: 1, name: 'Customer database' }).waitFor();
  // What comes next is the secret, shown once, and the code that checks the signature with it.
  await page.getByText('Copy the secret now').waitFor();
  const made = (await page.getByRole('status').locator('code').textContent())!;
  assert.match(made, /^whsec_[\w+/]{43}=$/);
  await page.getByLabel('Node', { exact: true }).filter({ hasText: made }).waitFor();
  await axe(page, 'webhook created');
  await screenshots(page, 'webhook-created');
  await page.getByRole('tab', { name: 'Overview' }).click();
  const tops = await Promise.all(
    ['Success rate', 'Queued', 'Events created'].map(async (label) => {
      const value = page.getByText(label, { exact: true }).locator('xpath=following-sibling::*[1]');
      const box = await value.boundingBox();
      return [box!.y, box!.height];
    }),
  );
  assert.deepEqual(tops, [tops[0], tops[0], tops[0]], 'the numbers are on one line and equally large');
  await page.getByText('Active', { exact: true }).waitFor();
  const [{ id: wid, signature_header }] = (await ui.installation.call<Record<string, string>[]>('webhooks')) as [
    { id: string; signature_header: string },
  ];
  assert.equal(signature_header, 'X-Vendor-Signature');

  // It is signed from the start; its secret is shown here once more, as long as the page is open.
  await page.getByRole('tab', { name: 'Secret' }).click();
  await page.getByText('Copy the secret now').waitFor();
  const secret = await page.locator('code', { hasText: made }).textContent();
  await axe(page, 'secret');
  await screenshots(page, 'webhook-secret');

  await page.getByRole('button', { name: 'Send test event' }).click();
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('Delivered').waitFor();
  await axe(page, 'test event');
  await screenshots(page, 'webhook-test');
  assert.equal(requests.length, 1);
  assert.equal(
    requests[0]!.signature,
    `sha256=${createHmac('sha256', secret!).update(requests[0]!.body).digest('hex')}`,
  );
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();

  // A real event that fails first, and is then resent by hand.
  status = 500;
  const list = await ui.installation.call<string>('listCreate', { title: 'Readers' });
  await ui.installation.call('listSubscribe', {
    id: list,
    email_address: 'ada@example.com',
    merge_vars: {},
    double_optin: false,
  });
  await ui.installation.until('the event was tried', async () => requests.length > 1);
  status = 200;
  await page.getByRole('tab', { name: 'Log' }).click();
  await page.getByText('Failed', { exact: true }).last().waitFor();
  const latest = page.locator('tbody tr').first();
  await latest.getByText('contact.subscribe').click();
  const panel = page.getByRole('dialog');
  await panel.getByLabel('Request body', { exact: true }).getByText('ada@example.com').waitFor();
  assert.match(
    (await panel.getByLabel('curl', { exact: true }).textContent())!,
    /^curl -X POST 'http.*X-Service-Signature: sha256=/s,
  );
  await axe(page, 'log');
  await noSidewaysScroll(page);
  await screenshots(page, 'webhook-log');
  // One delivered event is the test event; this is the other.
  await ui.installation.until('the event was taken at the next try', async () => {
    const log = await ui.installation.call<{ outcome: string }[]>('webhookAttempts', { wid });
    return log.filter(({ outcome }) => outcome === 'delivered').length === 2;
  });
  await page.keyboard.press('Escape');
  await shows(panel, 0);
  await page.locator('tbody').getByText('Delivered').nth(1).waitFor();
  await latest.click();
  const before = requests.length;
  await page.getByRole('button', { name: 'Resend', exact: true }).click();
  await page.getByText(/event is being resent/).waitFor();
  await ui.installation.until('it was sent again', async () => requests.length > before);
  const ids = requests.slice(1).map(({ body }) => JSON.parse(body).events[0].data.id);
  assert.equal(new Set(ids).size, 1, 'the event keeps its id');

  // New requests push the attempt off this page, and a refreshed log may even be empty: the panel stays with what was opened.
  await page.getByText(/event is being resent/).waitFor({ state: 'hidden' });
  const opened = await panel.getByRole('heading').first().textContent();
  let refreshes = 0;
  await page.route('**/api/webhookAttempts*', (route) => {
    if (`${route.request().url()}${route.request().postData() ?? ''}`.includes('attempt')) return route.continue();
    refreshes++;
    return route.fulfill({ json: [] });
  });
  await page.getByRole('button', { name: 'Resend', exact: true }).click();
  await page.getByText(/event is being resent/).waitFor();
  // The second refresh begins after the answer to the first was shown.
  await eventually(async () => assert.ok(refreshes >= 2, `${refreshes} refreshes`));
  await page.getByText('Nothing sent yet').waitFor();
  assert.equal(await panel.getByRole('heading').first().textContent(), opened);
  await panel.getByLabel('Request body', { exact: true }).getByText('ada@example.com').waitFor();
  await page.unroute('**/api/webhookAttempts*');
  await page.keyboard.press('Escape');
  await shows(panel, 0);

  await page.getByRole('tab', { name: 'Overview' }).click();
  await page.getByRole('link', { name: /^Success rate: / }).waitFor();
  await page.getByText(/\d+ requests in 24 hours/).waitFor();
  await axe(page, 'webhook overview');
  await noSidewaysScroll(page);
  await screenshots(page, 'webhook-overview');
  await page.getByRole('tab', { name: 'Verification' }).click();
  for (const language of ['PHP', 'Python', 'Ruby', 'Go']) {
    await page.getByText(language, { exact: true }).click();
    await page.locator('pre', { hasText: secret!.slice(0, 20) }).waitFor();
  }
  await axe(page, 'samples');
  await noSidewaysScroll(page);
  await screenshots(page, 'webhook-verify');

  await page.getByRole('tab', { name: 'Settings' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('CRM');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { level: 1, name: 'CRM' }).waitFor();
  await axe(page, 'settings');

  // A failing receiver is shown in the table.
  status = 500;
  const asked = requests.length;
  await ui.installation.call('listSubscribe', { id: list, email_address: 'bob@example.com', double_optin: false });
  await ui.installation.until('the event was tried', async () => requests.length > asked);
  await ui.installation.until('its failure is written', async () => {
    const [hook] = await ui.installation.call<{ failing_since: string }[]>('webhooks');
    return hook!.failing_since !== '';
  });
  await ui.open('/webhooks');
  const row = page.getByRole('row', { name: /CRM/ });
  await row.getByText('Failing', { exact: true }).waitFor();
  await row.getByText(/first failure/).waitFor();
  await row.getByText(/^p95 [\d,]+ ms$/).waitFor();
  await shows(row.getByText('Active', { exact: true }), 0);
  await axe(page, 'webhooks, failing');
  await page.getByRole('link', { name: 'CRM' }).click();
  await page.getByText('Requests fail and are retried').waitFor();
  await page.getByText(/^Failing since \d+:\d\d(\s[AP]M)? · next try \d+:\d\d(\s[AP]M)?$/).waitFor();
  await page.getByText('Events created').waitFor();
  await axe(page, 'a failing webhook');
  await screenshots(page, 'webhook-failing');
  const tried = requests.length;
  await page.getByRole('button', { name: 'Retry now' }).click();
  await ui.installation.until('the event was tried at once', async () => requests.length > tried);
  await page.getByText('Requests fail and are retried').waitFor();

  // A test event is not retried, and the events since the first failure are offered to be resent.
  await page.getByRole('button', { name: 'Send test event' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('dialog').getByText(/500/).first().waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('tab', { name: 'Log' }).click();
  await page.getByText('Test failed').first().waitFor();
  // Only the latest attempt waits for the next one.
  const waiting = page.locator('tbody tr').filter({ hasText: /Failed · next try \d+:\d\d(\s[AP]M)?/ });
  await shows(waiting, 1);
  await page.getByRole('button', { name: 'Resend events…' }).click();
  await page.getByRole('combobox', { name: 'Since' }).waitFor();
  assert.match(await page.getByRole('combobox', { name: 'Since' }).inputValue(), /^First failure/);
  await axe(page, 'resending events');
  await screenshots(page, 'webhook-resend');
  // What waits for its next try is sent now, also while that is an hour away: from this layer, and from its request.
  await ui.installation.until('the event waits', async () => {
    const log = await ui.installation.call<{ next_try: string }[]>('webhookAttempts', { wid });
    return log.some(({ next_try }) => next_try !== '');
  });
  await inAnHour();
  await page.getByText(/^1 event will be resent\. 1 of them is waiting for its next try/).waitFor();
  let sent = requests.length;
  await page.getByRole('button', { name: 'Resend failed events' }).click();
  await ui.installation.until('the waiting event was sent at once', async () => requests.length > sent);
  await shows(waiting, 1);
  await inAnHour();
  status = 200;
  sent = requests.length;
  await waiting.getByText('contact.subscribe').click();
  await panel.getByRole('button', { name: 'Resend', exact: true }).click();
  await ui.installation.until('the request was made again at once', async () => requests.length > sent);
  await page.keyboard.press('Escape');
  await shows(waiting, 0);
  await shows(page.getByText('Requests fail and are retried'), 0);
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText('Paused', { exact: true }).waitFor();
  await ui.open('/webhooks');
  await axe(page, 'webhooks');
  await noSidewaysScroll(page);
  await screenshots(page, 'webhooks');
  await page.getByRole('link', { name: 'CRM' }).click();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('No webhooks yet').waitFor();
  assert.deepEqual(await ui.installation.call('webhooks'), []);
  noErrors(page);
});
