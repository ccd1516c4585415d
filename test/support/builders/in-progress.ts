// What can be in progress in an account when something happens to the whole installation: a restore of a backup, days without a process,
// kills. Each kind begins something through methods, pages and webhooks, and returns what has to be true afterwards: it continues
// where it was, once. docs/flows.md has the cells. A kind that is added to the program belongs in `kinds`.
import assert from 'node:assert/strict';
import PostalMime from 'postal-mime';
import { runAutomations } from '../../../src/automations/run/engine.ts';
import type { Account, App } from '../../../src/base/context.ts';
import { sql } from '../../../src/db/connect.ts';
import { formatId, parseId } from '../../../src/db/ids.ts';
import { states } from '../../../src/db/states.ts';
import { planOccasions } from '../../../src/delivery/launch/autoresponder-planner.ts';
import { launch } from '../../../src/delivery/launch/launch.ts';
import { call as doorCall } from '../../../src/doors/call.ts';
import { addressToken } from '../../../src/tracking/address-token.ts';
import { writeHits } from '../../../src/tracking/ingest.ts';
import { tokensOf } from '../../../src/tracking/token-secret.ts';
import { until } from '../run/until.ts';
import { shopify, shopifyCheckout, shopifyOrder } from '../samples/shop-requests.ts';
import type { Sink } from '../smtp-sink/sink.ts';
import { aCampaign, launchedTo, listOf, untilSent } from './campaigns.ts';

/** `in doubt`: restored, and what waited may have been sent since. */
export type Situation = 'restored' | 'in doubt' | 'three days down' | 'killed';
export type Stand = {
  app: App;
  account: Account;
  call<T = unknown>(method: string, params?: Record<string, unknown>): Promise<T>;
  /** Where the HTTP server answers. */
  base: string;
  sink: Sink;
};
/** What has to be true afterwards. Workers run by then. */
export type After = (stand: Stand, situation: Situation) => Promise<void>;

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

/** Launches what waits for it, and runs the automations until nothing is due. */
export async function settle({ app, account }: Stand, clock?: Date): Promise<void> {
  const launching = await app.db.rows<{ id: number }>(sql`
    select id from campaign where account_id = ${account.id} and status = 'launching' and type = 'auto' and send_at is null`);
  for (const { id } of launching) await launch(app, { account: account.id, campaign: id });
  while ((await runAutomations(app, clock)) > 0);
}

/** What a person does after a restore: starts an automation or campaign that was paused for it. */
async function resumed(stand: Stand, kind: 'automation' | 'campaign', id: string): Promise<void> {
  const table = kind === 'automation' ? sql`automation` : sql`campaign`;
  const row = await stand.app.db.row<{ reason: string }>(
    sql`select status_reason as reason from ${table} where id = ${parseId(id)} and status = 'paused'`,
  );
  if (!row) return;
  assert.match(row.reason, /pause\.restored/);
  if (kind === 'automation') await stand.call('automationStart', { id });
  else await stand.call('campaignResume', { cid: id });
}

async function automation(stand: Stand, list: string, definition: Record<string, unknown>): Promise<string> {
  const id = await stand.call<string>('automationCreate', { title: 'Test', list });
  await stand.call('automationUpdate', { id, ...definition });
  await stand.call('automationStart', { id });
  return id;
}
type Run = { step: string; outcome: string; trail: { step: string }[] };
const run = async (stand: Stand, id: string, email_address: string) =>
  (await stand.call<Run[]>('automationExplain', { id, email_address }))[0];
const way = async (stand: Stand, id: string, email: string) => {
  const found = await run(stand, id, email);
  return found ? [...found.trail.map(({ step }) => step), found.step].join(' ') : 'outside';
};

const event = (stand: Stand, email_address: string, name: string, more: Record<string, unknown> = {}) =>
  stand.call<{ triggers: number; goals: number; duplicate: boolean }>('eventSend', { name, email_address, ...more });

type Mail = { subject: string; html: string; text: string; date: string };
/** What the relay accepted for an address. */
async function received({ sink }: Stand, to: string): Promise<Mail[]> {
  const found = sink.log.filter((entry) => entry.event === 'accepted' && entry.to === to);
  return Promise.all(
    found.map(async ({ raw }) => {
      const { subject = '', html = '', text = '', date = '' } = await PostalMime.parse(raw!);
      return { subject, html, text, date };
    }),
  );
}
async function receives(stand: Stand, to: string, subject: RegExp): Promise<Mail> {
  const matching = async () => (await received(stand, to)).filter((mail) => subject.test(mail.subject));
  await until(`${to} gets ${subject}`, async () => (await matching()).length > 0, 30_000);
  const [mail, ...more] = await matching();
  assert.deepEqual(more, [], `${to}: one ${subject}`);
  return mail!;
}
const stateOf = async ({ app }: Stand, campaign: number, email: string) => {
  const row = await app.db.row<{ state: number; reason: string | null }>(
    sql`select state, reason from delivery where campaign_id = ${campaign} and email = ${email}`,
  );
  return `${Object.entries(states).find(([, state]) => state === row?.state)?.[0]} ${row?.reason ?? ''}`.trim();
};
/** As if the relay had accepted the message to these. */
const accepted = ({ app }: Stand, campaign: number, count: number) =>
  app.db.run(sql`
    with changed as (
      update delivery
      set state = ${states.accepted}, attempts = 1, first_at = now(), done_at = now()
      where campaign_id = ${campaign} and seq <= ${count}
    )
    update tally set queued = queued - ${count}, accepted = accepted + ${count} where campaign_id = ${campaign}`);

async function pageOf({ app, account, base, call }: Stand, list: string, email_address: string): Promise<string> {
  const { id } = await call<{ id: string }>('listMemberInfo', { id: list, email_address });
  const ids = { account: account.id, campaign: 0, seq: 0, contact: parseId(id), lists: [parseId(list)] };
  return `${base}/p/${tokensOf(app).tokens(ids).profile}`;
}
const post = (url: string, given: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', body: new URLSearchParams(given) });

type Message = { recipients: { state: string; reason: string }[] };
const message = async (stand: Stand, id: string) => {
  const [one] = (await stand.call<Message>('messageGet', { id })).recipients;
  return `${one!.state} ${one!.reason}`.trim();
};

const cart = { cart_url: 'https://shop.example/cart/7', items: [{ name: 'Tea & pot' }, { name: '<Cup>' }] };
const cartHtml =
  '<p><a href="*|EVENT:cart_url|*">cart</a></p>*|EACH:EVENT:items|*<p>*|ITEM:name|*</p>*|END:EACH|*<p><a href="*|UNSUB|*">Leave</a></p>';

export const kinds: Record<string, (stand: Stand) => Promise<After>> = {
  async 'an event with an id'(stand) {
    const email = 'ada@ids.example';
    const list = await listOf(stand, [email]);
    const first = { id: 'A-1', value: 59.9, data: { no: 1, items: [{ sku: 'T' }] }, time: inDays(-40) };
    await event(stand, email, 'order', first);
    return async (after) => {
      assert.equal((await event(after, email, 'order', first)).duplicate, true, 'an id counts once for good');
      assert.equal((await event(after, email, 'order', { id: 'A-2', data: { no: 2 } })).duplicate, false);
      const events = await after.call<{ data: { no: number }; value: string }[]>('contactEvents', { email });
      assert.deepEqual(
        events.map(({ data, value }) => [data.no, value]),
        [
          [2, ''],
          [1, '59.9'],
        ],
      );
      const twice = [{ field: 'event', condition: 'is', value: 'order', times: 2, days: 90 }];
      assert.deepEqual(await after.call('segmentPreview', { list, match: 'all', filter: twice }).then(countOf), 1);
    };
  },

  async 'a run whose email shows its event'(stand) {
    const email = 'ada@run.example';
    const list = await listOf(stand, [email]);
    const cid = await stand.call<string>('automationEmailCreate', { list, subject: 'Your cart', text: 'x' });
    await stand.call('campaignUpdate', { cid, name: 'html', value: cartHtml });
    const id = await automation(stand, list, {
      trigger: { type: 'event', name: 'cart' },
      steps: [
        { key: 'wait', type: 'wait', amount: 1, unit: 'days' },
        { key: 'mail', type: 'send', campaign: cid },
      ],
    });
    await event(stand, email, 'cart', { id: 'cart-7', data: cart });
    await settle(stand);
    return async (after, situation) => {
      await resumed(after, 'automation', id);
      assert.equal((await event(after, email, 'cart', { id: 'cart-7', data: cart })).duplicate, true);
      await resumed(after, 'campaign', cid);
      await settle(after, situation === 'three days down' ? undefined : new Date(inDays(1.1)));
      await after.app.db.run(
        sql`update chunk set due_at = now() where campaign_id = ${parseId(cid)} and state = 'waiting'`,
      );
      const { html } = await receives(after, email, /^Your cart$/);
      assert.match(html, /<p>Tea &amp; pot<\/p><p>&lt;Cup&gt;<\/p>/);
      const link = new URL(/href="([^"]+)">cart</.exec(html)![1]!);
      const click = await fetch(after.base + link.pathname, { redirect: 'manual' });
      assert.equal(click.headers.get('location'), cart.cart_url);
      assert.equal((await run(after, id, email))!.outcome, 'completed');
    };
  },

  async 'a step that waits for an event, which was reported and not taken'(stand) {
    const [came, never] = ['came@waits.example', 'never@waits.example'];
    const list = await listOf(stand, []);
    await stand.call('listMergeVarAdd', { id: list, tag: 'PLAN', name: 'Plan' });
    const set = (key: string) => [{ key, type: 'set_field', field: 'PLAN', value: key }];
    const id = await automation(stand, list, {
      trigger: { type: 'subscribed' },
      steps: [
        { key: 'wait', type: 'wait_for', name: 'invited', amount: 2, unit: 'days', yes: set('yes'), no: set('no') },
      ],
    });
    for (const email_address of [came, never])
      await stand.call('listSubscribe', { id: list, email_address, double_optin: false });
    await settle(stand);
    await event(stand, came, 'invited');
    return async (after, situation) => {
      await resumed(after, 'automation', id);
      await settle(after);
      assert.equal(await way(after, id, came), 'wait yes');
      const isOver = situation === 'three days down';
      assert.equal(await way(after, id, never), isOver ? 'wait no' : 'wait');
      if (!isOver) {
        await event(after, never, 'invited');
        await settle(after);
        assert.equal(await way(after, id, never), 'wait yes');
      }
    };
  },

  async 'a goal that was reported and not taken'(stand) {
    const email = 'ada@goal.example';
    const list = await listOf(stand, [email]);
    const id = await automation(stand, list, {
      trigger: { type: 'event', name: 'checkout' },
      goal: { event: 'paid', data: [{ path: 'value', condition: 'greater', value: '10' }] },
      steps: [
        { key: 'wait', type: 'wait', amount: 1, unit: 'hours' },
        { key: 'late', type: 'wait', amount: 9, unit: 'days' },
      ],
    });
    await event(stand, email, 'checkout');
    await settle(stand);
    await event(stand, email, 'paid', { value: 11 });
    return async (after) => {
      await resumed(after, 'automation', id);
      await settle(after);
      const { step, outcome } = (await run(after, id, email))!;
      assert.deepEqual([step, outcome], ['wait', 'goal'], 'signals are taken before anyone is moved');
    };
  },

  async 'an incoming webhook with a secret'(stand) {
    const email = 'ada@hook.example';
    const list = await listOf(stand, [email]);
    const secret = 'hush-hush-1234';
    const id = await automation(stand, list, {
      trigger: { type: 'event', name: 'checkout.started' },
      goal: { event: 'order.created' },
      steps: [{ key: 'wait', type: 'wait', amount: 9, unit: 'days' }],
    });
    const made = { title: 'Shop', service: 'shopify', secret, list };
    const { url } = await stand.call<{ url: string }>('incomingWebhookCreate', made);
    const deliver = async ({ base }: Stand, request: ReturnType<typeof shopify>) => {
      const answer = await fetch(base + new URL(url).pathname, { method: 'POST', ...request });
      return ((await answer.json()) as { status: string }).status;
    };
    const checkout = shopify('checkouts/create', shopifyCheckout(email), secret, 'first');
    assert.equal(await deliver(stand, checkout), 'accepted');
    return async (after) => {
      assert.equal(await deliver(after, checkout), 'duplicate');
      assert.equal(await deliver(after, shopify('orders/create', shopifyOrder(email), 'other', 'x')), 'bad_signature');
      await resumed(after, 'automation', id);
      await settle(after);
      assert.equal(await way(after, id, email), 'wait');
      assert.equal(await deliver(after, shopify('orders/create', shopifyOrder(email), secret, 'second')), 'accepted');
      await settle(after);
      assert.equal((await run(after, id, email))!.outcome, 'goal');
    };
  },

  async 'a conversion'(stand) {
    const email = 'ada@buys.example';
    const list = await listOf(stand, [email]);
    const campaign = await launchedTo(stand, list, '<a href="https://a.example/">a</a> <a href="*|UNSUB|*">Leave</a>');
    await accepted(stand, campaign, 1);
    const hit = {
      kind: 'click',
      link: 0,
      url: '',
      at: new Date(),
      ip: '127.0.0.1',
      userAgent: 'x',
      machine: null,
    } as const;
    await stand.app.db.transaction((tx) => writeHits(tx, [{ ...hit, account: stand.account.id, campaign, seq: 1 }]));
    await event(stand, email, 'bought', { id: 'B-1', value: 10 });
    const shown = (after: Stand) => after.call('campaignConversions', { cids: [formatId(campaign)] });
    const before = await shown(stand);
    assert.match(JSON.stringify(before), /"people":1,.*"value":"10"/);
    return async (after) => {
      assert.deepEqual(await shown(after), before);
      await event(after, email, 'bought', { id: 'B-1', value: 10 });
      assert.deepEqual(await shown(after), before);
      await event(after, email, 'bought', { id: 'B-2', value: 20 });
      assert.match(JSON.stringify(await shown(after)), /"people":1,.*"value":"30"/);
    };
  },

  async 'an autoresponder with a correction that is not published'(stand) {
    const [early, late] = ['early@auto.example', 'late@auto.example'];
    const { list, id, cid } = await autoresponder(stand);
    await joins(stand, list, id, early);
    await stand.call('campaignUpdate', { cid, name: 'subject', value: 'Corrected' });
    return async (after) => {
      assert.deepEqual(await correction(after, cid), { unpublished: true, revision: 1 });
      await resumed(after, 'campaign', cid);
      const { delivery_status } = await campaign(after, cid);
      if (delivery_status === 'sending') await after.call('campaignRevisionCreate', { cid });
      await until('it is published', async () => (await campaign(after, cid)).delivery_status === 'sending');
      assert.deepEqual(await correction(after, cid), { unpublished: false, revision: 2 });
      await joins(after, list, id, late);
      await receives(after, late, /^Corrected$/);
    };
  },

  async 'a revision that is being published'(stand) {
    const { list, id, cid } = await autoresponder(stand);
    await joins(stand, list, id, 'early@publishing.example');
    await stand.call('campaignUpdate', { cid, name: 'subject', value: 'Corrected' });
    await stand.call('campaignRevisionCreate', { cid });
    return async (after) => {
      await resumed(after, 'campaign', cid);
      await until('it is published', async () => (await campaign(after, cid)).delivery_status === 'sending');
      assert.deepEqual(await correction(after, cid), { unpublished: false, revision: 2 });
      await joins(after, list, id, 'late@publishing.example');
      await receives(after, 'late@publishing.example', /^Corrected$/);
    };
  },

  async 'a paused campaign whose rest gets a corrected text'(stand) {
    const people = [1, 2, 3].map((n) => `r${n}@rest.example`);
    const id = await launchedTo(stand, await listOf(stand, people));
    const cid = formatId(id);
    await accepted(stand, id, 1);
    await stand.call('campaignPause', { cid });
    await stand.call('campaignUpdate', { cid, name: 'subject', value: 'Corrected' });
    return async (after) => {
      assert.deepEqual(await correction(after, cid), { unpublished: true, revision: 1 });
      await after.call('campaignResume', { cid });
      await until('it is sent', async () => (await campaign(after, cid)).delivery_status === 'sent');
      const rows = await after.app.db.rows<{ email: string; seq: number; resent: number }>(
        sql`select email, seq, resent from delivery where campaign_id = ${id} order by seq`,
      );
      const subjects = await Promise.all(
        rows.map(async ({ email }) => (await received(after, email)).map((m) => m.subject)),
      );
      assert.deepEqual(subjects[0], [], 'who had it has it');
      // What waited in a backup may have been sent: its copy, which is marked, has the text of then.
      for (const [n, { resent }] of rows.entries())
        if (n > 0) assert.deepEqual(subjects[n], [resent > 0 ? 'News' : 'Corrected'], rows[n]!.email);
    };
  },

  async 'a corrected link in a delivered message'(stand) {
    const list = await listOf(stand, ['ada@link.example']);
    const id = await launchedTo(stand, list, '<a href="https://a.example/wrong">a</a> <a href="*|UNSUB|*">Leave</a>');
    await accepted(stand, id, 1);
    await stand.call('campaignLinkUpdate', { cid: formatId(id), link_id: '1', url: 'https://a.example/right' });
    const row = await stand.app.db.row<{ contact: number }>(
      sql`select contact_id as contact from delivery where campaign_id = ${id}`,
    );
    const ids = { account: stand.account.id, campaign: id, seq: 1, contact: row!.contact, lists: [parseId(list)] };
    return async (after) => {
      const path = `/c/${tokensOf(after.app).tokens(ids).click}0`;
      const leadsTo = async () => (await fetch(after.base + path, { redirect: 'manual' })).headers.get('location');
      assert.equal(await leadsTo(), 'https://a.example/right');
      await after.call('campaignLinkUpdate', { cid: formatId(id), link_id: '1', url: 'https://a.example/better' });
      // A web process keeps targets for some seconds.
      await until('clicks lead there', async () => (await leadsTo()) === 'https://a.example/better');
      const view = await fetch(`${after.base}/v/${tokensOf(after.app).tokens(ids).view}`);
      assert.match(await view.text(), /a\.example\/better/);
    };
  },

  async 'an email of an automation in the language of its contact'(stand) {
    const email = 'eva@speaks.example';
    const list = await listOf(stand, []);
    const cid = await stand.call<string>('automationEmailCreate', { list, subject: 'Welcome', text: 'Welcome' });
    const html = '<p>Hallo</p><p><a href="*|UNSUB|*">Ab</a></p>';
    await stand.call('campaignLanguageUpdate', { cid, language: 'de', subject: 'Hallo', html });
    const id = await automation(stand, list, {
      trigger: { type: 'subscribed' },
      steps: [{ key: 'mail', type: 'send', campaign: cid }],
    });
    await settle(stand);
    await stand.call('listSubscribe', { id: list, email_address: email, double_optin: false });
    await stand.app.db.run(sql`update contact set language = 'de' where email = ${email}`);
    await settle(stand);
    await stand.app.db.run(sql`update contact set language = 'en' where email = ${email}`);
    return async (after) => {
      await resumed(after, 'automation', id);
      await resumed(after, 'campaign', cid);
      await receives(after, email, /^Hallo$/);
      assert.equal((await received(after, email)).length, 1);
    };
  },

  async 'a rehearsal whose messages wait'(stand) {
    const list = await listOf(stand, ['ada@rehearsed.example']);
    const cid = await stand.call<string>('automationEmailCreate', { list, subject: 'First rehearsed', text: 'Hi' });
    const id = await stand.call<string>('automationCreate', { title: 'Rehearsed', list });
    await stand.call('automationUpdate', {
      id,
      trigger: { type: 'subscribed' },
      steps: [{ type: 'send', campaign: cid }],
    });
    await stand.call('automationRehearse', { id, email_address: 'ada@rehearsed.example' });
    return async (after) => {
      await receives(after, after.account.email, /^\[Test run\] First rehearsed/);
      assert.equal((await campaign(after, cid)).delivery_status, 'draft');
      assert.deepEqual(await received(after, 'ada@rehearsed.example'), []);
    };
  },

  async 'a change of address that is asked for'(stand) {
    const [email, address] = ['ada@before.example', 'ada@after.example'];
    const list = await listOf(stand, [email]);
    assert.equal((await post(await pageOf(stand, list, email), { form: 'address', address })).status, 200);
    const { id } = await stand.call<{ id: string }>('listMemberInfo', { id: list, email_address: email });
    return async (after) => {
      const { text } = await receives(after, address, /confirm your new address/);
      const link = new URL(/http\S+\/address\/[\w-]+/.exec(text)![0]);
      assert.equal((await post(after.base + link.pathname)).status, 200);
      const member = await after.call<{ id: string }>('listMemberInfo', { id: list, email_address: address });
      assert.equal(member.id, id);
      await receives(after, email, /address has been changed/);
      const again = addressToken(after.app, { account: after.account.id, contact: parseId(id), email: address });
      assert.match(await (await post(`${after.base}/address/${again}`)).text(), /has been changed/);
    };
  },

  async 'a reader who left everything, and one who pauses'(stand) {
    const [left, pauses] = ['left@reader.example', 'pauses@reader.example'];
    const list = await listOf(stand, [left, pauses]);
    const id = await launchedTo(stand, list);
    await post(await pageOf(stand, list, left), { form: 'leave-everything' });
    await stand.call('contactPause', { email: pauses, until: inDays(2).slice(0, 19).replace('T', ' ') });
    return async (after, situation) => {
      const status = await after.call<{ status: string }>('listMemberInfo', { id: list, email_address: left });
      assert.equal(status.status, 'unsubscribed');
      await untilSent(after, id);
      const isOver = situation === 'three days down';
      const isUnclear = situation === 'in doubt';
      const expected = [isOver ? 'accepted' : isUnclear ? 'failed unclear' : 'skipped paused'];
      expected.push(isUnclear ? 'failed unclear' : 'skipped unsubscribed');
      assert.deepEqual([await stateOf(after, id, pauses), await stateOf(after, id, left)], expected);
      assert.equal((await received(after, pauses)).length, isOver ? 1 : 0);
      assert.equal((await received(after, left)).length, 0);
      const { id: receipt } = await after.call<{ id: string }>('messageSend', {
        to: left,
        subject: 'Receipt',
        plain: 'x',
      });
      await until('single messages arrive', async () => (await message(after, receipt)) === 'accepted');
    };
  },

  async 'messages for later, one of them cancelled'(stand) {
    const send = async (to: string, send_at: string) =>
      (await stand.call<{ id: string }>('messageSend', { to, subject: 'Later', plain: 'x', send_at })).id;
    const at = inDays(2);
    const due = await send('due@later.example', at);
    const far = await send('far@later.example', inDays(9));
    const cancelled = await send('cancelled@later.example', at);
    await stand.call('messageCancel', { id: cancelled });
    return async (after, situation) => {
      if (situation === 'three days down') {
        const { date } = await receives(after, 'due@later.example', /^Later$/);
        assert.equal(new Date(date).getTime(), Math.floor(Date.parse(at) / 1_000) * 1_000);
        await assert.rejects(after.call('messageCancel', { id: due }), { fault: 'MESSAGE_STATE_CONFLICT' });
      } else {
        assert.equal(await message(after, due), 'queued');
        await after.call('messageCancel', { id: due });
      }
      assert.deepEqual([await message(after, far), await message(after, cancelled)], ['queued', 'skipped cancelled']);
      await after.call('messageCancel', { id: far });
      await after.call('messageCancel', { id: cancelled });
      assert.deepEqual(await received(after, 'cancelled@later.example'), []);
    };
  },

  async 'a template with an alias and an earlier version'(stand) {
    const template_id = await stand.call<string>('templateCreate', {
      name: 'Receipt',
      alias: 'receipt',
      subject: 'Paid *|NO|*',
      source: '<p>First *|NO|*</p>',
    });
    await stand.call('templateUpdate', { template_id, name: 'source', value: '<p>Second *|NO|*</p>' });
    return async (after) => {
      const send = (to: string) => after.call('messageSend', { to, template: 'receipt', values: { NO: '<7>' } });
      await send('second@alias.example');
      assert.match((await receives(after, 'second@alias.example', /^Paid <7>$/)).html, /Second &lt;7&gt;/);
      const versions = await after.call<{ version: number }[]>('templateVersions', { template_id });
      assert.equal(versions.length, 1);
      await after.call('templateVersionRestore', { template_id, version: versions[0]!.version });
      await send('first@alias.example');
      assert.match((await receives(after, 'first@alias.example', /^Paid <7>$/)).html, /First &lt;7&gt;/);
      await assert.rejects(after.call('templateCreate', { name: 'x', alias: 'receipt', source: '<p>x</p>' }), /alias/);
    };
  },

  async 'a key for tests with limits of its own'(stand) {
    const key = await stand.call<string>('apikeyAdd', {
      label: 'staging',
      test: true,
      calls_per_minute: 50,
      calls_at_once: 3,
    });
    const send = async ({ app }: Stand, to: string) => {
      const caller = { kind: 'key', key, ip: '' } as const;
      return (
        (await doorCall(app, 'messageSend', { to, subject: 'Try', plain: 'x' }, caller, 'json')) as { id: string }
      ).id;
    };
    const waiting = await send(stand, 'waiting@test.example');
    return async (after) => {
      const now = await send(after, 'now@test.example');
      for (const id of [waiting, now])
        await until('it has arrived', async () => (await message(after, id)) === 'accepted');
      const kept = await after.app.db.rows<{ to: string }>(
        sql`select rcpt_to[1] as to from inbox_message where rcpt_to[1] like '%@test.example' order by 1`,
      );
      assert.deepEqual(
        kept.map(({ to }) => to),
        ['now@test.example', 'waiting@test.example'],
      );
      assert.deepEqual(
        [...(await received(after, 'now@test.example')), ...(await received(after, 'waiting@test.example'))],
        [],
      );
      const keys =
        await after.call<{ label: string; calls_per_minute: number; calls_at_once: number; test: boolean }[]>(
          'apikeys',
        );
      const { calls_per_minute, calls_at_once, test } = keys.find(({ label }) => label === 'staging')!;
      assert.deepEqual([calls_per_minute, calls_at_once, test], [50, 3, true]);
    };
  },

  async 'a campaign of a test account that is queued'(stand) {
    const email = 'ada@tests.example';
    const { account, key } = await stand.call<{ account: string; key: string }>('testKeyCreate', { label: 'program' });
    const inTest = async <T>({ app }: Stand, method: string, params: Record<string, unknown>) =>
      (await doorCall(app, method, params, { kind: 'key', key, ip: '' }, 'json')) as T;
    const list = await inTest<string>(stand, 'listCreate', { title: 'Readers' });
    await inTest(stand, 'listSubscribe', { id: list, email_address: email, double_optin: false });
    const cid = await inTest<string>(stand, 'campaignCreate', {
      type: 'HTML',
      options: {
        list_id: list,
        subject: 'Tried',
        from_email: stand.account.email,
        from_name: 'Us',
        generate_text: true,
      },
      content: { html: '<p>Tried <a href="*|UNSUB|*">Leave</a></p>' },
    });
    await inTest(stand, 'campaignSendNow', { cid });
    await launch(stand.app, { account: parseId(account), campaign: parseId(cid) });
    return async (after) => {
      const { delivery_status } = await inTest<Shown>(after, 'campaignGet', { cid });
      if (delivery_status === 'paused') await inTest(after, 'campaignResume', { cid });
      await until(
        'it is sent',
        async () => (await inTest<Shown>(after, 'campaignGet', { cid })).delivery_status === 'sent',
      );
      const kept = await after.app.db.rows<{ account: number }>(
        sql`select account_id as account from inbox_message where rcpt_to[1] = ${email}`,
      );
      assert.deepEqual(kept, [{ account: parseId(account) }], 'in the inbox, once');
      assert.deepEqual(await received(after, email), [], 'the relay got nothing');
      assert.equal((await inTest<{ account: { test: boolean } }>(after, 'sessionGet', {})).account.test, true);
    };
  },

  async 'a field of the account whose values are being joined'(stand) {
    const email = 'ada@joins.example';
    const lists: string[] = [];
    for (const value of ['Older', 'Newer']) {
      const list = await listOf(stand, []);
      await stand.call('listMergeVarAdd', { id: list, tag: 'PLAN', name: 'Plan' });
      const merge_vars = { PLAN: value };
      await stand.call('listSubscribe', {
        id: list,
        email_address: email,
        merge_vars,
        double_optin: false,
        update_existing: true,
      });
      lists.push(list);
    }
    await stand.call('accountFieldJoin', { tag: 'PLAN', conflicts: 1 });
    const values = async (after: Stand) =>
      Promise.all(
        lists.map(async (id) => {
          const { merges } = await after.call<{ merges: Record<string, string> }>('listMemberInfo', {
            id,
            email_address: email,
          });
          return merges['PLAN'];
        }),
      );
    return async (after) => {
      const state = async () => {
        const fields = await after.call<{ tag: string; state: string }[]>('accountFields');
        return fields.find(({ tag }) => tag === 'PLAN')!.state;
      };
      await until('the values are joined', async () => (await state()) === 'joined', 30_000);
      assert.deepEqual(await values(after), ['Newer', 'Newer']);
      await after.call('listUpdateMember', { id: lists[0], email_address: email, merge_vars: { PLAN: 'Now' } });
      assert.deepEqual(await values(after), ['Now', 'Now']);
    };
  },

  async 'a choice that a contact has made and a step will ask for'(stand) {
    const email = 'ada@chooses.example';
    const list = await listOf(stand, []);
    const choices = ['Tea', 'Wine, red'];
    await stand.call('listMergeVarAdd', {
      id: list,
      tag: 'TASTE',
      name: 'Taste',
      options: { field_type: 'multiple_choice', choices },
    });
    const set = (key: string) => [{ key, type: 'webhook', name: key }];
    const filter = [{ field: 'TASTE', condition: 'hasany', value: 'Wine\\, red' }];
    const id = await automation(stand, list, {
      trigger: { type: 'subscribed' },
      steps: [
        { key: 'wait', type: 'wait', amount: 1, unit: 'days' },
        { key: 'fork', type: 'condition', filter, yes: set('wine'), no: set('none') },
      ],
    });
    const merge_vars = { TASTE: ['Wine, red'] };
    await stand.call('listSubscribe', { id: list, email_address: email, merge_vars, double_optin: false });
    await settle(stand);
    return async (after, situation) => {
      await resumed(after, 'automation', id);
      await assert.rejects(
        after.call('listMergeVarUpdate', {
          id: list,
          tag: 'TASTE',
          options: { rename_choices: [{ from: 'Tea', to: 'T' }] },
        }),
        { fault: 'CAMPAIGN_STATE_CONFLICT' },
      );
      await settle(after, situation === 'three days down' ? undefined : new Date(inDays(1.1)));
      assert.equal(await way(after, id, email), 'wait fork wine');
    };
  },

  async 'a language that was added to a running email and is not published'(stand) {
    const list = await listOf(stand, []);
    const cid = await stand.call<string>('automationEmailCreate', { list, subject: 'Come', text: 'Come' });
    const id = await automation(stand, list, {
      trigger: { type: 'subscribed' },
      steps: [{ key: 'mail', type: 'send', campaign: cid }],
    });
    await settle(stand);
    const html = '<p>Viens</p><p><a href="*|UNSUB|*">x</a></p>';
    await stand.call('campaignLanguageUpdate', { cid, language: 'fr', subject: 'Viens', html });
    const come = async (on: Stand, email: string) => {
      await on.call('listSubscribe', { id: list, email_address: email, double_optin: false });
      await on.app.db.run(sql`update contact set language = 'fr' where email = ${email}`);
      await settle(on);
    };
    await come(stand, 'early@french.example');
    return async (after) => {
      await resumed(after, 'automation', id);
      await resumed(after, 'campaign', cid);
      const isSending = async () => (await campaign(after, cid)).delivery_status === 'sending';
      await until('it is sent', isSending);
      // Resuming has published it.
      if ((await campaign(after, cid)).unpublished) await after.call('campaignRevisionCreate', { cid });
      await until('it is published', isSending);
      await come(after, 'late@french.example');
      await receives(after, 'late@french.example', /^Viens$/);
      await receives(after, 'early@french.example', /^Come$/);
    };
  },
};

const countOf = (answer: unknown) => (answer as { count: number }).count;
type Shown = { delivery_status: string; unpublished: boolean; revision: number };
const campaign = (stand: Stand, cid: string) => stand.call<Shown>('campaignGet', { cid });
const correction = async (stand: Stand, cid: string) => {
  const { unpublished, revision } = await campaign(stand, cid);
  return { unpublished, revision };
};

async function autoresponder(stand: Stand): Promise<{ list: string; id: number; cid: string }> {
  const list = await listOf(stand, []);
  const type_opts = { 'offset-units': 'day', 'offset-time': 1, event: 'signup' };
  const cid = await aCampaign(stand, { to: list, type: 'auto', type_opts });
  await stand.call('campaignSendNow', { cid });
  await launch(stand.app, { account: stand.account.id, campaign: parseId(cid) });
  return { list, id: parseId(cid), cid };
}

/** Adds a contact whose occasion is due, and plans it. */
async function joins(stand: Stand, list: string, id: number, email: string): Promise<void> {
  const { db } = stand.app;
  await stand.call('listSubscribe', { id: list, email_address: email, double_optin: false });
  await db.run(sql`
    update subscription
    set signup_at = now() - interval '25 hours', optin_at = now() - interval '25 hours', confirm_at = null, changed_at = now()
    where contact_id in (select id from contact where email = ${email})`);
  await db.run(sql`update campaign set send_at = send_at - interval '2 days' where id = ${id}`);
  await until(`${email} is planned`, async () => {
    await db.run(sql`
      update occasion_plan set look_at = now(), changed_from = now() - interval '1 day' where campaign_id = ${id}`);
    await planOccasions(db, 4 * 3_600_000);
    return (await db.row(sql`select from delivery where campaign_id = ${id} and email = ${email}`)) !== undefined;
  });
}

/** No sum of a campaign differs from its rows, and no signal is left. */
export async function checkSums({ app }: Stand, shownState: ReturnType<typeof sql>): Promise<void> {
  const wrong = await app.db.rows(sql`
    select c.id, c.status, s.*, r.*
    from campaign c
    cross join lateral (
      select array[coalesce(sum(queued), 0), coalesce(sum(trying), 0), coalesce(sum(accepted), 0), coalesce(sum(later), 0),
        coalesce(sum(failed), 0), coalesce(sum(skipped), 0), coalesce(sum(unclear), 0)]::int[] as sums
      from tally t where t.account_id = c.account_id and t.campaign_id = c.id
    ) s
    cross join lateral (
      select array_agg(count order by n) as rows
      from (
        select n, count(d.*)::int as count
        from generate_series(0, 6) n
        left join (
          select ${shownState} as state from delivery where account_id = c.account_id and campaign_id = c.id
        ) d on d.state = n
        group by n
      ) as counted
    ) r
    where s.sums <> r.rows`);
  assert.deepEqual(wrong, []);
  assert.deepEqual(await app.db.rows(sql`select from automation_signal`), []);
}
