// A campaign that waits for a decision about recipients whose delivery could not be confirmed, in a browser: Home names it, the
// report lists the recipients, and either button ends it.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { answered, axe, noErrors, noSidewaysScroll, screenshots, shows, uiTest } from '../support/browser/ui.ts';
import { startSink } from '../support/smtp-sink/sink.ts';

const sink = await startSink();
after(() => sink.close());
const ui = uiTest({ SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none` });

type Progress = { delivery_status: string; held: number; accepted: number; failed: number; unclear: number };

const progressOf = (cid: string) => ui.installation.call<Progress>('campaignProgress', { cid });

/** Sends a campaign to three recipients, and waits until the server has closed before it replied to the message of two. */
async function heldCampaign(name: string, behaviour: string) {
  const { installation } = ui;
  // Each in a domain of its own: one that loses a connection is paused.
  const addresses = [
    `${behaviour}.1@d1.${name}.example`,
    `${behaviour}.2@d2.${name}.example`,
    `ok.1@d3.${name}.example`,
  ];
  const list = await installation.listOf(addresses.length, (n) => addresses[n]!);
  const cid = await installation.draft(list, `Letter ${name}`);
  await installation.call('accountUpdate', { name: 'unclear', value: 'hold' });
  await installation.call('campaignSendNow', { cid });
  await installation.until('two are held', async () => {
    const { held, accepted } = await progressOf(cid);
    return held === 2 && accepted === 1;
  });
  return { cid, held: addresses.slice(0, 2), taken: addresses };
}

/** What the sink took for an address. */
const takenFor = (email: string) => sink.accepted().filter(({ to }) => to === email);

/** From Home to the report, which lists those who are held; `action` is the button that is pressed and confirmed there. */
async function decide(campaign: { cid: string; held: string[] }, name: string, action: string) {
  const { page } = ui;
  await ui.open('/');
  await page.getByText(`“Letter ${name}” needs a decision: 2 deliveries could not be confirmed`).waitFor();
  await screenshots(page, `held-home-${name}`);
  await page.getByRole('link', { name: 'Decide' }).click();
  const question = page.getByRole('alert').filter({ hasText: 'A decision is needed' });
  for (const email of campaign.held) await question.getByText(email).waitFor();
  assert.doesNotMatch((await question.textContent())!, /ok\.1@/);
  await axe(page, 'held recipients');
  await noSidewaysScroll(page);
  await screenshots(page, `held-report-${name}`);
  await question.getByRole('button', { name: action }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('2', { exact: true }).waitFor();
  await axe(page, 'the question');
  await screenshots(page, `held-question-${name}`);
  await answered(page, 'campaignResolve', () => dialog.getByRole('button', { name: action }).click());
  await ui.installation.until('it is sent', async () => (await progressOf(campaign.cid)).delivery_status === 'sent');
  // The report follows without being loaded again.
  await question.waitFor({ state: 'detached' });
  await screenshots(page, `held-decided-${name}`);
}

test('"Count as not delivered" ends a campaign without a copy', async () => {
  const campaign = await heldCampaign('drop', 'keep-dot');
  await decide(campaign, 'drop', 'Count as not delivered');
  const { accepted, failed, held, unclear } = await progressOf(campaign.cid);
  assert.deepEqual({ accepted, failed, held, unclear }, { accepted: 1, failed: 2, held: 0, unclear: 0 });
  for (const email of campaign.taken) assert.equal(takenFor(email).length, 1, email);
  noErrors(ui.page);
});

test('"Send a copy" sends one marked copy to each, and the campaign ends', async () => {
  const campaign = await heldCampaign('resend', 'keepx1-dot');
  await decide(campaign, 'resend', 'Send a copy');
  const { accepted, failed, held, unclear } = await progressOf(campaign.cid);
  assert.deepEqual({ accepted, failed, held, unclear }, { accepted: 3, failed: 0, held: 0, unclear: 0 });
  for (const email of campaign.taken) {
    const messages = takenFor(email);
    assert.equal(messages.length, campaign.held.includes(email) ? 2 : 1, email);
    assert.equal(new Set(messages.map(({ messageId }) => messageId)).size, 1, email);
  }
  const { page } = ui;
  await page.getByRole('tab', { name: 'Recipients' }).click();
  // The copies are marked: the recipients of one have a filter of their own.
  await page.getByRole('button', { name: /^Resent/ }).click();
  const table = page.getByRole('table', { name: 'Recipients' });
  await shows(table.getByRole('row').filter({ hasText: '@' }), 2);
  for (const email of campaign.held) await table.getByText(email).waitFor();
  await axe(page, 'marked copies');
  await noSidewaysScroll(page);
  await screenshots(page, 'held-copies');
  noErrors(page);
});
