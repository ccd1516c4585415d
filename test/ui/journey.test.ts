// A new user's whole journey in a browser, in one installation: from the printed setup link to the first import, a
// campaign whose faults are found and fixed, its sending, and what one reader does with it.
// One test, because each step needs the one before; a failure names its step.
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import {
  allSaved,
  axe,
  eventually,
  noSidewaysScroll,
  owner,
  pageErrors,
  screenshots,
  settled,
  shows,
  uiTest,
} from '../support/browser/ui.ts';

const inHamburg = 24;
const people = [
  'E-mail;First Name;City',
  ...Array.from({ length: inHamburg }, (_, n) => `reader${n}@example.com;Reader ${n};Hamburg`),
  'grace@example.com;Grace;New York',
  'ada@example.com;Ada;London',
].join('\n');

const ui = uiTest({ SETUP_PASSWORD: '', OUTBOUND_ALLOW: '127.0.0.0/8', ACCOUNT_RATE: '3' });
let outside: Server;
let outsideUrl: string;
/** The HTML of the message that the webmail page shows. */
let webmail = '';
const hooks: { type: string; data: { id: string } }[] = [];

before(async () => {
  // Everything outside Postrider: a webhook receiver, a webmail page, and the page that the email links to.
  outside = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.method === 'POST')
      hooks.push(...(JSON.parse(Buffer.concat(chunks).toString()) as { events: typeof hooks }).events);
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(request.url === '/webmail' ? webmail : '<h1>The news of the harbour</h1>');
  });
  await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
  outsideUrl = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`;
  // Slow enough to watch the delivery on any machine.
});
after(async () => {
  outside?.close();
});

test('a new user gets from setup to the activity of one reader', async (t) => {
  const { page, installation } = ui;
  const startedAt = performance.now();
  const step = async (name: string, run: () => Promise<void>) => {
    const before = performance.now();
    await run().catch((error: unknown) => {
      throw new Error(`step “${name}” failed on ${page.url()}`, { cause: error });
    });
    t.diagnostic(`${name}: ${((performance.now() - before) / 1_000).toFixed(1)} s`);
  };
  const section = (name: string) => page.locator(`#section-${name}`);
  const review = async () => {
    await page.getByRole('button', { name: 'Review', exact: true }).click();
    await section('check').waitFor();
    await settled(page);
  };
  const saved = () => allSaved(page);
  const navigate = async (name: string, heading = name) => {
    await page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
    await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
    await settled(page);
  };
  const arrived = async (subject: string) =>
    (await installation.call<{ subject: string }[]>('inboxMessages', { limit: 100 })).filter(
      (message) => message.subject === subject,
    ).length;
  let listAddress = '';
  let cid = '';

  await step('setup', async () => {
    await ui.open('/');
    await page.waitForURL('**/app/first-run');
    const [, path] = /\/app(\/first-run#[\w-]+)/.exec(installation.output)!;
    // A navigation that changes only the part after the # would load nothing.
    await page.goto('about:blank');
    await ui.open(path!);
    await axe(page, 'first run');
    await noSidewaysScroll(page);
    await screenshots(page, 'first-run');
    const create = () => page.getByRole('button', { name: 'Create account' }).click();
    await create();
    await shows(page.getByText('This field is required.'), 1);
    await page.getByLabel('Your name').fill('Ada Lovelace');
    await page.getByLabel('Email address').fill(owner.email);
    await page.getByLabel('Password', { exact: true }).fill('aaaaaaaaaaaaaa');
    await create();
    // The server's message is shown at the field, and the other input is kept.
    await page.getByText('Is the same few characters repeated').waitFor();
    assert.equal(await page.getByLabel('Your name').inputValue(), 'Ada Lovelace');
    await page.getByLabel('Password', { exact: true }).fill(owner.password);
    await create();
    await page.waitForURL('**/app/setup/address');
    await page.getByRole('link', { name: 'Skip for now' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Harbour Books');
    await page.getByRole('textbox', { name: 'Postal address' }).fill('1 Quay Street\nHamburg');
    await page.getByRole('button', { name: 'Save and continue' }).click();
    await page.getByRole('heading', { level: 1, name: 'Relay' }).waitFor();
    await page.getByRole('link', { name: 'Exit setup' }).click();
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await page.getByText('2 of 9 done').waitFor();
  });

  await step('import', async () => {
    await page.getByRole('button', { name: 'Show all steps' }).click();
    await page.getByRole('link', { name: /Import your contacts/ }).click();
    await settled(page);
    await page.getByRole('textbox', { name: 'Name of the new list' }).fill('Readers');
    await page.locator('input[type=file]').setInputFiles({
      name: 'readers.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(people),
    });
    await page.getByRole('heading', { name: 'Columns' }).waitFor();
    await page.getByRole('combobox', { name: 'Import “City” as', exact: true }).click();
    await page.getByRole('option', { name: 'New text field CITY', exact: true }).click();
    await page.getByRole('button', { name: 'Preview import' }).click();
    await page.getByRole('button', { name: `Import ${inHamburg + 2} contacts` }).click();
    await page.getByRole('heading', { name: 'Result' }).waitFor();
    await page.getByRole('link', { name: 'Show contacts' }).click();
    await page.getByText(`${inHamburg + 2} subscribers`).waitFor();
    await page.getByRole('heading', { level: 1, name: 'Readers' }).waitFor();
    listAddress = page.url();
  });

  await step('segment', async () => {
    await page.getByRole('tab', { name: 'Segments' }).click();
    await page.getByRole('link', { name: 'New segment' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('In Hamburg');
    await page.getByRole('combobox', { name: 'Field', exact: true }).click();
    await page.getByRole('option', { name: 'City', exact: true }).click();
    await page.getByRole('textbox', { name: 'Value' }).fill('Hamburg');
    await page.getByText(`${inHamburg} contacts match`).waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(new RegExp(`of ${inHamburg}$`)).waitFor();
  });

  await step('webhook', async () => {
    await navigate('Webhooks');
    await page.getByRole('link', { name: 'New webhook' }).first().click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Customer database');
    await page.getByRole('textbox', { name: 'URL' }).fill(`${outsideUrl}/hook`);
    await page.getByRole('radio', { name: 'Choose' }).check();
    for (const type of ['campaign.sent', 'email.click', 'contact.unsubscribe'])
      await page.getByRole('checkbox', { name: type }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Customer database' }).waitFor();
  });

  await step('compose in the visual editor', async () => {
    await navigate('Campaigns');
    await page.getByRole('link', { name: 'New campaign' }).first().click();
    await page.getByRole('textbox', { name: 'Subject' }).fill('News of the harbour');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL('**/edit');
    await settled(page);
    cid = /campaigns\/(\w+)\/edit/.exec(page.url())![1]!;
    await page.getByRole('combobox', { name: 'Segments', exact: true }).click();
    await page.getByRole('option', { name: /^In Hamburg/ }).click();
    await page.keyboard.press('Escape');
    await section('to').getByText(`${inHamburg} recipients`).first().waitFor();
    const mail = page.frameLocator('iframe[title="Email editor"]');
    await mail.getByText('A heading that says').waitFor();
    await page.getByRole('button', { name: 'Button', exact: true }).click();
    await page.getByRole('textbox', { name: 'Link' }).fill(`${outsideUrl}/news`);
    await page.getByRole('textbox', { name: 'Label', exact: true }).fill('To the news');
    await mail.getByText('To the news').waitFor();
    await saved();
  });

  await step('compose as source, with three faults', async () => {
    await page.getByRole('tab', { name: 'HTML source' }).click();
    const editor = page.getByRole('textbox', { name: 'HTML source' });
    await editor.waitFor();
    const html = await eventually(async () => {
      const content = await installation.call<{ html: string }>('campaignContent', { cid });
      assert.match(content.html, /To the news/, 'the source is what the visual editor made');
      return content.html;
    });
    const faulty = html
      .replace('*|FNAME:friend|*', '*|NAME|*')
      .replace(`${outsideUrl}/news`, 'http://the harbour/')
      .replace('*|UNSUB|*', '/about-us')
      .replace('>Unsubscribe<', '>About us<');
    await editor.click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(faulty);
    await saved();
  });

  await step('the check finds them and leads to each', async () => {
    await review();
    const check = section('check');
    const goTo = (what: RegExp) => check.getByRole('button', { name: what }).click();
    const marked = (text: string) =>
      page.waitForFunction((expected) => window.getSelection()?.toString() === expected, text);
    await check.getByText('Unknown merge tag.').waitFor();
    await check.getByText(/A link is malformed/).waitFor();
    await check.getByText(/A link lacks https/).waitFor();
    await section('send')
      .getByText(/^The check found \d warnings/)
      .waitFor();
    await goTo(/Show: Unknown merge tag/);
    await marked('*|NAME|*');
    await page.keyboard.insertText('*|FNAME:friend|*');
    await review();
    await goTo(/Show: A link is malformed/);
    await marked('http://the harbour/');
    await page.keyboard.insertText(`${outsideUrl}/news`);
    await review();
    await goTo(/Show: A link lacks https/);
    await marked('/about-us');
    await page.keyboard.insertText(`${outsideUrl}/about-us`);
    await saved();
    await review();
    await check.getByText(/A link lacks https/).waitFor({ state: 'detached' });
    await check.getByText(/A link is malformed/).waitFor({ state: 'detached' });
    await check.getByText('Unknown merge tag.').waitFor({ state: 'detached' });
    await shows(check.getByRole('img', { name: 'Error' }), 0);
  });

  await step('test email in the inbox', async () => {
    await page.getByRole('button', { name: 'Send test', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send test', exact: true }).click();
    await page.getByText('Test email sent.').waitFor();
    await page.getByRole('link', { name: 'Campaigns', exact: true }).click();
    await navigate('Inbox', 'Built-in inbox');
    await page.getByRole('link', { name: /\[Test\] News of the harbour/ }).click();
    const mail = page.frameLocator('iframe[title="Preview of the email"]');
    await mail.getByText('To the news').waitFor();
    // The unsubscribe link was lost with the third fault, so the message gets the standard footer.
    await mail.getByText('1 Quay Street').last().waitFor();
    await mail.getByRole('link', { name: /unsubscribe/i }).waitFor();
  });

  await step('send and undo', async () => {
    await ui.open(`/campaigns/${cid}/edit`);
    await review();
    await section('send')
      .getByRole('button', { name: `Send to ${inHamburg} people` })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('Sending in a few seconds.').waitFor();
    await page.getByRole('button', { name: /^Undo \(\d+\)/ }).click();
    await page.getByText('Undone. Nothing was sent.').waitFor();
    await page.waitForTimeout(10_500);
    const { delivery_status } = await installation.call<{ delivery_status: string }>('campaignGet', { cid });
    assert.equal(delivery_status, 'draft');
    assert.equal(await arrived('News of the harbour'), 0);
  });

  await step('send and watch the progress', async () => {
    await section('send')
      .getByRole('button', { name: `Send to ${inHamburg} people` })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click();
    await page.waitForURL((url) => url.pathname.endsWith(`/campaigns/${cid}`), { timeout: 60_000 });
    const seen = new Set<number>();
    const watchedFrom = performance.now();
    const delivered = page.getByRole('link', { name: /^\d+ delivered/ });
    while (!seen.has(inHamburg)) {
      seen.add(Number.parseInt((await delivered.textContent()) ?? '', 10));
      await page.waitForTimeout(100);
      assert.ok(performance.now() - watchedFrom < 120_000, `the bar does not move: ${[...seen].join(', ')}`);
    }
    assert.ok(seen.size >= 3, `the bar moved: ${[...seen].join(', ')}`);
    assert.equal(await arrived('News of the harbour'), inHamburg);
  });

  const reader = await readerBrowser();
  let readersAddress = '';
  await step('a reader opens the email and follows its link', async () => {
    const messages = await installation.call<{ id: string; subject: string; rcpt_to: string[] }[]>('inboxMessages', {
      limit: 100,
    });
    const received = messages.findLast(({ subject }) => subject === 'News of the harbour')!;
    readersAddress = received.rcpt_to[0]!;
    const [message] = await installation.call<{ html: string }[]>('inboxMessages', { id: received.id });
    webmail = message!.html;
    const pixel = reader.waitForResponse((answer) => /\/o\//.test(answer.url()));
    await reader.goto(`${outsideUrl}/webmail`);
    assert.equal((await pixel).status(), 200);
    await reader.getByRole('link', { name: 'To the news' }).click();
    await reader.getByRole('heading', { name: 'The news of the harbour' }).waitFor();
    assert.equal(new URL(reader.url()).origin, outsideUrl);
  });

  await step('the report shows both', async () => {
    await installation.until('both are recorded', async () => {
      const stats = await installation.call<Record<string, number>>('campaignStats', { cid });
      return stats['unique_opens'] === 1 && stats['users_who_clicked'] === 1;
    });
    // It would refresh automatically within half a minute.
    await page.reload();
    await page.getByRole('link', { name: 'Opened: 4.2%' }).waitFor();
    await page.getByRole('link', { name: 'Clicked: 4.2%' }).click();
    await page.waitForURL('**tab=links');
    await page.getByRole('link', { name: `1 person clicked ${outsideUrl}/news` }).click();
    await page.waitForURL('**state=link-**');
    await settled(page);
    await shows(page.locator('tbody tr'), 1);
    await page.locator('tbody').getByText(readersAddress).waitFor();
  });

  await step('the webhook page shows the delivery, and sends it again', async () => {
    await installation.until('both events arrived', async () =>
      ['campaign.sent', 'email.click'].every((type) => hooks.some((event) => event.type === type)),
    );
    await navigate('Webhooks');
    await page.getByRole('link', { name: 'Customer database' }).click();
    await page.getByRole('tab', { name: 'Log' }).click();
    // Deliveries have no fixed order: which one comes first, and what shares a request, depends on the machine.
    await page.locator('tbody tr', { hasText: 'campaign.sent' }).first().click();
    await page.getByRole('dialog').getByText(cid).first().waitFor();
    const sent = () => hooks.filter(({ type }) => type === 'campaign.sent');
    const [original] = sent();
    await page.getByRole('button', { name: 'Resend', exact: true }).click();
    await page.getByText(/^\d+ events? (is|are) being resent\.$/).waitFor();
    await installation.until('it was sent again', async () => sent().length > 1);
    assert.equal(sent().at(-1)!.data.id, original!.data.id, 'the event keeps its id');
  });

  await step('the reader unsubscribes by the link in the email', async () => {
    await reader.goto(`${outsideUrl}/webmail`);
    await reader
      .getByRole('link', { name: /unsubscribe/i })
      .first()
      .click();
    await reader.getByRole('button', { name: /unsubscribe/i }).click();
    await reader
      .getByText(/no longer|unsubscribed/i)
      .first()
      .waitFor();
    await installation.until('the webhook receiver got the event', async () =>
      hooks.some(({ type }) => type === 'contact.unsubscribe'),
    );
  });

  await step('the contact page shows all of it', async () => {
    await page.goto(listAddress);
    await page.getByRole('searchbox', { name: 'Search contacts' }).fill(readersAddress);
    await page.getByRole('link', { name: readersAddress }).click();
    await page.getByRole('heading', { level: 1, name: /^Reader \d+$/ }).waitFor();
    await page.getByText(readersAddress).first().waitFor();
    await settled(page);
    const entries = await page.getByRole('main').locator('ol > li').allTextContents();
    const positions = ['Imported from a file', 'Email', 'Opened', 'Clicked', 'Unsubscribed'].map((what) =>
      entries.findLastIndex((entry) => entry.startsWith(what)),
    );
    assert.ok(!positions.includes(-1), entries.join('\n'));
    assert.deepEqual(
      positions,
      positions.toSorted((a, b) => b - a),
      `newest first: ${entries.join('\n')}`,
    );
    await page.getByText(outsideUrl).first().waitFor();
  });

  // The inbox blocks the tracking image, so that viewing a message does not count as an open; the browser logs that.
  const others = (pageErrors.get(page) ?? []).filter((error) => !/^Loading the image '\S+\/o\//.test(error));
  assert.deepEqual(others, []);
  t.diagnostic(`total: ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
});

/** A reader's webmail in a browser whose user agent is not a bot's. */
async function readerBrowser(): Promise<Page> {
  const context = await ui.browser.newContext({
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  return page;
}
