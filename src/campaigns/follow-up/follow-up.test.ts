// Follow-ups of a campaign that has been sent: who is in their audience, and whose content they have.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { aCampaign, listOf } from '../../../test/support/builders/campaigns.ts';
import { draftWithTest, hitsOf, holdSending, launched, testIsDue } from '../../../test/support/delivery/ab-test.ts';
import { Stage } from '../../../test/support/delivery/stage.ts';
import { until } from '../../../test/support/network/receiver.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { launch } from '../../delivery/launch/launch.ts';

let stage: Stage;
before(async () => {
  stage = await Stage.start();
});
after(() => stage.stop());

const app = () => stage.engine.app;
const call = <T = string>(method: string, params: Record<string, unknown>) => app().call<T>(method, params);

async function sent(emails: readonly string[]): Promise<{ cid: string; list: string; seqs: Map<string, number> }> {
  const list = await listOf(app(), emails);
  const id = await launched(app(), await aCampaign(app(), { to: list }));
  await stage.engine.untilStatus(id, 'sent');
  const rows = await stage.db.rows<{ email: string; seq: number }>(
    sql`select email, seq from delivery where campaign_id = ${id}`,
  );
  return { cid: formatId(id), list, seqs: new Map(rows.map(({ email, seq }) => [email, seq])) };
}

/** Who a copy would go to, by a launch that no worker sees. */
async function audienceOf(cid: string): Promise<string[]> {
  await holdSending(app(), true);
  await call('campaignSendNow', { cid });
  await launch(app().app, app().account.id, parseId(cid));
  await call('campaignPause', { cid });
  await holdSending(app(), false);
  const rows = await stage.db.rows<{ email: string }>(
    sql`select email from delivery where campaign_id = ${parseId(cid)} order by email`,
  );
  return rows.map(({ email }) => email.split('@')[0]!);
}

test('each follow-up goes to those recipients only, without those who have left since', async () => {
  const emails = ['opened', 'clicked', 'silent', 'left'].map((name) => `${name}@follow.example`);
  const { cid, list, seqs } = await sent([...emails, '552dot.full@follow.example']);
  const seq = (name: string) => seqs.get(`${name}@follow.example`)!;
  await hitsOf(app(), parseId(cid), 'open', [seq('opened')]);
  await hitsOf(app(), parseId(cid), 'click', [seq('clicked')]);
  // A machine's open is none.
  await hitsOf(app(), parseId(cid), 'open', [seq('silent')], 'privacy-proxy');
  const copies = {
    not_opened: await call('campaignFollowUp', { cid, to: 'not_opened' }),
    not_clicked: await call('campaignFollowUp', { cid, to: 'not_clicked' }),
    failed: await call('campaignFollowUp', { cid, to: 'failed' }),
  };
  await call('listUnsubscribe', { id: list, email_address: 'left@follow.example' });
  await call('listSubscribe', { id: list, email_address: 'new@follow.example', double_optin: false });
  assert.deepEqual(await audienceOf(copies.not_opened), ['silent']);
  assert.deepEqual(await audienceOf(copies.not_clicked), ['opened', 'silent']);
  assert.deepEqual(await audienceOf(copies.failed), ['552dot.full']);
  const [copy] = await call<{ title: string; delivery_status: string }[]>('campaigns', {
    filters: { campaign_id: copies.not_opened },
  });
  assert.equal(copy!.title, 'News (again, not opened)');
});

test('a second follow-up of the same kind uses the same segment', async () => {
  const { cid, list } = await sent(['one@again.example']);
  const segments = async () => (await call<unknown[]>('listSegments', { id: list })).length;
  await call('campaignFollowUp', { cid, to: 'not_opened' });
  const before = await segments();
  await call('campaignFollowUp', { cid, to: 'not_opened' });
  assert.equal(await segments(), before);
});

test('what is impossible is refused with the reason', async () => {
  const list = await listOf(app(), ['a@refused.example']);
  const draft = await aCampaign(app(), { to: list });
  await assert.rejects(call('campaignFollowUp', { cid: draft, to: 'failed' }), /is a draft; a follow-up/);
  const id = await launched(app(), await aCampaign(app(), { to: list, tracking: { opens: false } }));
  await stage.engine.untilStatus(id, 'sent');
  await assert.rejects(call('campaignFollowUp', { cid: formatId(id), to: 'not_opened' }), /opens were not counted/);
});

test('after an A/B test the copy is what the winner was, without a test', async () => {
  const emails = Array.from({ length: 8 }, (_, n) => `w${n}@winner.example`);
  const id = await launched(app(), await draftWithTest(app(), emails, { share: 100 }));
  await stage.engine.untilStatus(id, 'sent');
  await hitsOf(app(), id, 'click', [5, 6, 7]);
  await testIsDue(app(), id);
  const cid = formatId(id);
  const info = () => call<{ on: boolean; chosen: number }>('campaignTestInfo', { cid });
  await until('the winner is known', async () => (await info()).chosen === 1);
  const copy = await call('campaignFollowUp', { cid, to: 'not_clicked' });
  const options = await call<{ subject: string }>('campaignOptions', { cid: copy });
  const content = await call<{ html: string }>('campaignContent', { cid: copy });
  assert.equal(options.subject, 'Letter B');
  assert.match(content.html, /Letter B/);
  assert.equal((await call<{ on: boolean }>('campaignTestInfo', { cid: copy })).on, false);
});
