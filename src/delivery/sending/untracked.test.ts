// A contact that does not want to be tracked, from the message it gets to what is recorded of it.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { aCampaign, listOf } from '../../../test/support/builders/campaigns.ts';
import { launched } from '../../../test/support/delivery/ab-test.ts';
import { Stage } from '../../../test/support/delivery/stage.ts';
import { until } from '../../../test/support/run/until.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';

let stage: Stage;
let base: string;
before(async () => {
  stage = await Stage.start({ sink: { raw: true } });
  base = await stage.engine.app.listen();
});
after(() => stage.stop());

const call = <T = string>(method: string, params: Record<string, unknown>) => stage.engine.app.call<T>(method, params);
const untrack = (email: string) => call('contactTrackingUpdate', { email, tracked: false });
const html =
  '<p>*|FNAME|* <a href="https://example.com/offer?for=*|FNAME|*&amp;x=1">Offer</a> <a href="*|UNSUB|*">Leave</a></p>';

/** The newest message to an address, decoded as far as links need it. */
function letterTo(email: string): string {
  const entry = stage.sink.accepted().findLast(({ to }) => to === email)!;
  return entry.raw!.replace(/=\r\n/g, '').replaceAll('=3D', '=').replaceAll('&amp;', '&');
}
const person = {
  headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' },
  redirect: 'manual',
} as const;
const visit = async (email: string, kind: 'c' | 'o') => {
  const url = new RegExp(`${base}/${kind}/[\\w-]+`).exec(letterTo(email))![0];
  const response = await fetch(url, person);
  await response.arrayBuffer();
  return response;
};
const hitsOf = async (campaign: number) =>
  (await stage.db.rows<{ kind: string }>(sql`select kind from hit where campaign_id = ${campaign}`)).map(
    ({ kind }) => kind,
  );

async function sentTo(emails: readonly string[]): Promise<number> {
  const list = await listOf(
    stage.engine.app,
    emails.map((EMAIL) => ({ EMAIL, FNAME: 'Jo Ann' })),
  );
  const cid = await aCampaign(stage.engine.app, {
    to: list,
    html,
    tracking: { opens: true, html_clicks: true, text_clicks: true },
  });
  const id = await launched(stage.engine.app, cid);
  await stage.engine.untilStatus(id, 'sent');
  return id;
}

test('its messages have the original addresses and no pixel, those of others are tracked as before', async () => {
  const list = await listOf(stage.engine.app, ['quiet@untracked.example', 'other@untracked.example']);
  assert.ok(list);
  await untrack('quiet@untracked.example');
  await sentTo(['quiet@untracked.example', 'other@untracked.example']);
  const quiet = letterTo('quiet@untracked.example');
  assert.match(quiet, /href="https:\/\/example\.com\/offer\?for=Jo%20Ann&x=1"/);
  assert.match(quiet, /https:\/\/example\.com\/offer\?for=Jo%20Ann&x=1/, 'in the text too');
  assert.ok(!quiet.includes(`${base}/c/`) && !quiet.includes(`${base}/o/`));
  assert.ok(quiet.includes(`${base}/u/`), 'it can unsubscribe');
  const other = letterTo('other@untracked.example');
  assert.ok(other.includes(`${base}/c/`) && other.includes(`${base}/o/`));
  assert.doesNotMatch(other, /example\.com\/offer/);
});

test('hits on messages it got before lead where they led, and are not recorded; those of others are', async () => {
  const id = await sentTo(['before@untracked.example', 'someone@untracked.example']);
  await visit('before@untracked.example', 'o');
  await until('an open is recorded', async () => (await hitsOf(id)).length === 1);
  await untrack('before@untracked.example');
  const { status, headers } = await visit('before@untracked.example', 'c');
  assert.deepEqual([status, headers.get('location')], [302, 'https://example.com/offer?for=Jo%20Ann&x=1']);
  await visit('before@untracked.example', 'o');
  await visit('someone@untracked.example', 'c');
  await until('a click is recorded', async () => (await hitsOf(id)).length > 1);
  assert.deepEqual(await hitsOf(id), ['open', 'click']);
  const stats = await call<{ unique_opens: number; clicks: number }>('campaignStats', { cid: formatId(id) });
  assert.deepEqual([stats.unique_opens, stats.clicks], [2, 1]);
  await call('contactTrackingUpdate', { email: 'before@untracked.example', tracked: true });
  await visit('before@untracked.example', 'c');
  await until('it is recorded again', async () => (await hitsOf(id)).length === 3);
});

test('a single message to it is not tracked, nor one to it and others; sent again, its hits are not recorded', async () => {
  await listOf(stage.engine.app, ['single@untracked.example']);
  const send = async (to: string[]) => {
    const { id } = await call<{ id: string }>('messageSend', {
      to,
      subject: 'Hello',
      html,
      values: { FNAME: 'Jo Ann' },
      track_opens: true,
      track_clicks: true,
    });
    await until('it is sent', async () =>
      (await call<{ recipients: { state: string }[] }>('messageGet', { id })).recipients.every(
        ({ state }) => state === 'accepted',
      ),
    );
    return id;
  };
  const tracked = (email: string) => letterTo(email).includes(`${base}/c/`);
  const first = await send(['single@untracked.example']);
  assert.equal(tracked('single@untracked.example'), true);
  await untrack('single@untracked.example');
  await send(['single@untracked.example', 'third@untracked.example']);
  assert.deepEqual([tracked('single@untracked.example'), tracked('third@untracked.example')], [false, false]);
  assert.match(letterTo('third@untracked.example'), /offer\?for=Jo%20Ann&x=1/);
  await send(['third@untracked.example']);
  assert.equal(tracked('third@untracked.example'), true);

  const count = async () => (await stage.db.rows(sql`select from hit`)).length;
  const sent = stage.sink.accepted().length;
  await call('messageSendAgain', { id: first });
  await until('the copy is sent', async () => stage.sink.accepted().length > sent);
  const before = await count();
  await visit('single@untracked.example', 'c');
  await visit('third@untracked.example', 'c');
  await until('the click of the other is recorded', async () => (await count()) > before);
  assert.equal(await count(), before + 1);
});
