// Account notices come in the language of the account, each kind as a whole.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { aCampaign, listOf } from '../../../test/support/builders/campaigns.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { pauseUnfit } from '../../automations/run/pause-unfit.ts';
import { message } from '../../base/messages.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { pauseAutomatically } from '../../delivery/outcomes/pause-automatically.ts';
import { accountNotices } from '../../locales/messages/accounts/account-notices.ts';
import { noticeFailed, noticeWaiting } from '../../recurring/issue/notices.ts';
import type { Recurring } from '../../recurring/schedule/recurring.ts';
import { passOn } from '../../returned/record/operator-mail.ts';
import { onBehalf } from '../account/system-context.ts';

let t: TestApp;
before(async () => {
  t = await testApp({ BOUNCE_DOMAIN: 'back.example' });
  await t.call('accountUpdate', { name: 'language', value: 'de' });
});
after(() => t.close());

async function lastNotice(): Promise<string> {
  const row = await t.app.db.row<{ subject: string; text: string }>(sql`
    select j.payload ->> 'subject' as subject, j.payload ->> 'text' as text
    from graphile_worker._private_jobs j
    join graphile_worker._private_tasks k on k.id = j.task_id
    where k.identifier = 'sendAccountNotice'
    order by j.id desc
    limit 1`);
  return `${row!.subject}\n${row!.text}`;
}

/** Words of English that no German text has. */
const english = /\b(the|is|are|were|not|reason|your|it|this|and|of|to|postrider has|waits)\b/i;
const isGerman = (notice: string, begins: RegExp) => {
  assert.match(notice, begins);
  assert.doesNotMatch(notice, english);
};
const reason = message('pause.launch_failed');

test('a campaign or an automation is paused', async () => {
  const list = await listOf(t, ['ann@example.com']);
  const campaign = parseId(await aCampaign(t, { to: list, title: 'Neues' }));
  await t.app.db.run(sql`update campaign set status = 'sending' where id = ${campaign}`);
  const of = { account: t.account.id, campaign };
  assert.ok(await t.app.db.transaction((tx) => pauseAutomatically(tx, of, reason)));
  isGerman(await lastNotice(), /^Die Kampagne „Neues“ wurde angehalten\n/);
  const row = await t.app.db.row<{ id: number }>(sql`
    insert into automation (account_id, title, list_id, status, definition, version)
    values (${t.account.id}, 'Ablauf', ${parseId(list)}, 'active', '{}', 1)
    returning id`);
  await t.app.db.transaction((tx) => pauseUnfit(tx, { account: t.account.id, automation: row!.id }, reason));
  isGerman(await lastNotice(), /^Die Automation „Ablauf“ wurde angehalten\n/);
});

test('an issue waits or has failed', async () => {
  const recurring = { id: 1, title: 'Brief', sourceUrl: 'https://blog.example/feed' } as Recurring;
  await onBehalf(t.app, t.account.id, '', (context) => noticeWaiting(context, recurring, 'Neues', 2, reason));
  isGerman(await lastNotice(), /^„Brief“ wartet auf Ihre Freigabe\n/);
  const next = message('account_notice.issue_again');
  await onBehalf(t.app, t.account.id, '', (context) => noticeFailed(context, recurring, reason, next));
  isGerman(await lastNotice(), /^Eine Ausgabe von „Brief“ konnte nicht gesendet werden\n/);
});

test('an email to the installation is passed on', async () => {
  await passOn(t.app, 'postmaster', Buffer.from('From: Eva <eva@example.net>\r\nSubject: Frage\r\n\r\nGuten Tag\r\n'));
  isGerman(await lastNotice(), /^An postmaster@back\.example: Frage\n/);
});

test('all texts of notices are in German', () => {
  for (const [key, { de }] of Object.entries(accountNotices))
    assert.doesNotMatch(de.replace(/\{\w+\}/g, ''), english, key);
});
