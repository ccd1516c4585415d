// What stops a campaign from outside, in a browser: a relay that refuses every recipient alike, which a person may decide are
// bounces, and a full disk, which Home and the campaign name.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { connect, sql } from '../../src/db/connect.ts';
import { answered, axe, noErrors, noSidewaysScroll, screenshots, shows, uiTest } from '../support/browser/ui.ts';
import { LimitedRelay } from '../support/smtp-sink/limited-relay.ts';

const recipients = 24;
const refusal = '554 5.0.0 zq rejected you';

const relay = await LimitedRelay.start({
  judge: (step, { to }) => (step === 'rcpt' && to.includes('@gone') ? { reply: refusal } : undefined),
});
after(() => relay.close());
const ui = uiTest({ SMTP_URL: relay.url() });

type Progress = { delivery_status: string; status_reason: string; accepted: number; failed: number };

const progressOf = (cid: string) => ui.installation.call<Progress>('campaignProgress', { cid });

test('"Count as bounces" ends a campaign whose recipients were all refused alike', async () => {
  const { page, installation } = ui;
  const list = await installation.listOf(recipients, (n) => `reader${n}@gone${n}.example`);
  const cid = await installation.draft(list, 'News to the gone');
  await installation.call('campaignSendNow', { cid });
  await installation.until('it is paused', async () => (await progressOf(cid)).delivery_status === 'paused');
  assert.equal((await progressOf(cid)).failed, 0, 'no recipient bounces before a person has decided');

  await ui.open('/');
  await page.getByText('“News to the gone”').first().waitFor();
  await screenshots(page, 'refused-home');
  await ui.open(`/campaigns/${cid}`);
  await page.getByText(refusal).first().waitFor();
  // No one has received it: it can be edited.
  await shows(page.getByText('The content cannot be changed'), 0);
  await shows(page.getByRole('link', { name: 'Edit' }), 1);
  await axe(page, 'refused alike');
  await noSidewaysScroll(page);
  await screenshots(page, 'refused-report');
  await page.getByRole('button', { name: 'Count as bounces' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Count the refusals as bounces?').waitFor();
  await axe(page, 'the question about bounces');
  await screenshots(page, 'refused-question');
  await answered(page, 'campaignResume', () => dialog.getByRole('button', { name: 'Count as bounces' }).click());
  await installation.until('it is sent', async () => (await progressOf(cid)).delivery_status === 'sent');
  const { accepted, failed } = await progressOf(cid);
  assert.deepEqual({ accepted, failed }, { accepted: 0, failed: recipients });
  noErrors(page);
});

test('a full disk of the database is shown on Home and as the reason of the campaign, while it lasts', async (t) => {
  const { page, installation } = ui;
  const db = connect(installation.settings['DATABASE_URL']!, { name: 'test', maxConnections: 1 });
  t.after(() => db.close());
  const list = await installation.listOf(1, () => 'reader@here.example');
  const cid = await installation.draft(list, 'News on a full disk');
  // As PostgreSQL refuses a row for which a file would have to grow.
  await db.run(sql`
    create function no_room() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`);
  await db.run(sql`create trigger no_room before update on chunk for each row execute function no_room()`);
  await installation.call('campaignSendNow', { cid });
  await installation.until('the campaign names it', async () => /disk/.test((await progressOf(cid)).status_reason));

  await ui.open('/');
  await page.getByText('A disk is full').waitFor();
  await axe(page, 'a full disk');
  await noSidewaysScroll(page);
  await screenshots(page, 'disk-home');
  await ui.open(`/campaigns/${cid}`);
  await page.getByText('The disk of the database is full; nothing is sent until it has room again.').first().waitFor();
  await axe(page, 'a campaign on a full disk');
  await screenshots(page, 'disk-report');

  await db.run(sql`drop trigger no_room on chunk`);
  await installation.until('it is sent', async () => (await progressOf(cid)).delivery_status === 'sent');
  await installation.until('no process reports it', async () => {
    const { attention } = await installation.call<{ attention: { kind: string }[] }>('homeSummary');
    return attention.every(({ kind }) => kind !== 'disk');
  });
  await ui.open('/');
  await page.getByText('No campaigns are being sent').waitFor();
  await shows(page.getByText('A disk is full'), 0);
  noErrors(page);
});
