// Browser test of a relay that cannot be reached and is the only one: the settings and the start page say how many emails wait, none of
// them is marked as delivered or goes to the built-in inbox, and all leave when the relay works.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { axe, noErrors, screenshots, uiTest } from '../support/browser/ui.ts';
import { startSink } from '../support/smtp-sink/sink.ts';

const ui = uiTest({ OUTBOUND_ALLOW: '127.0.0.0/8' });
const sink = await startSink();
after(() => sink.close());

test('emails of the only relay wait while it fails, and are sent when it works', async () => {
  const { page, installation } = ui;
  const list = await installation.listOf(12, (n) => `reader${n}@good.example`);
  const id = await installation.call<string>('relayCreate', {
    name: 'Postfix',
    host: '127.0.0.1',
    port: 9,
    tls: 'none',
  });
  const cid = await installation.draft(list, 'News that wait');
  await installation.call('campaignSendNow', { cid });
  await ui.open('/settings/relays');
  const card = page.getByRole('region', { name: 'Postfix' });
  await card.getByText('Failing', { exact: true }).waitFor();
  await card.getByText(/^12 emails are waiting; the first was due /).waitFor();
  await card.getByText(/Its emails are kept here and sent as soon as it works again/).waitFor();
  await axe(page, 'relay, waiting');
  await screenshots(page, 'relay-waiting');
  await ui.open('/home');
  await page.getByText('No email can be sent; 12 emails are waiting').waitFor();
  await screenshots(page, 'home-waiting');
  const { accepted, queued } = await installation.call<Record<string, number>>('campaignProgress', { cid });
  assert.deepEqual([accepted, queued], [0, 12]);
  assert.equal((await installation.call<unknown[]>('inboxMessages')).length, 0);

  await installation.call('relayPause', { id });
  await ui.open('/settings/relays');
  await card.getByText(/^12 emails are waiting/).waitFor();
  await card.getByText('Its emails are kept here until you resume it or set up another relay.').waitFor();
  await screenshots(page, 'relay-off-waiting');
  await installation.call('relayUpdate', { id, port: sink.port });
  await installation.call('relayResume', { id });
  await card.getByText(/emails are waiting/).waitFor({ state: 'detached' });
  await installation.until('all are sent', async () => sink.counts.accepted === 12);
  noErrors(page);
});
