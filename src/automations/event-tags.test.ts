// Emails of automations that show the event which let the contact in: from eventSend to the inbox, the click and the web version, and
// what becomes of it when something else happens. The table is in docs/flows.md, "Merge tags with members".
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import PostalMime from 'postal-mime';
import { type MailingApp, mailingApp } from '../../test/support/installation/mailing-app.ts';
import { until } from '../../test/support/run/until.ts';
import { sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import { states } from '../db/states.ts';
import { chunkChannel } from '../jobs/channels.ts';
import { purgeRunEvents } from './retention.ts';
import { runAutomations } from './run/engine.ts';

let app: MailingApp;
let list: string;
let people = 0;

before(async () => {
  app = await mailingApp();
  list = await app.call<string>('listCreate', { title: 'Shop', options: { address: '1 Road, Town' } });
});
after(() => app.close());

const html =
  '<p>Dear *|EVENT:customer.name:friend|*, your cart of *|EVENT:total|* waits: <a href="*|EVENT:cart_url|*">to the cart</a></p>' +
  '<table>*|EACH:EVENT:items|*<tr><td><a href="https://shop.example/p/*|ITEM:id|*">*|ITEM:name|*</a></td></tr>*|END:EACH|*</table>' +
  '*|IF:EVENT:total>50 AND EMAIL|*<p>No postage</p>*|END:IF|*<p><a href="*|ARCHIVE|*">view</a></p>';

const person = async () => {
  const email = `cart${++people}@example.com`;
  await app.call('listSubscribe', { id: list, email_address: email, double_optin: false });
  return email;
};

/** An automation that an event of this name begins, with one email. */
async function automation(name: string, content = html, more: unknown[] = []): Promise<{ id: string; cid: string }> {
  const cid = await app.call<string>('campaignCreate', {
    type: 'html',
    options: {
      list_id: list,
      from_name: 'Shop',
      from_email: 'shop@example.com',
      subject: 'Your *|EVENT:items.0.name:things|* wait',
      generate_text: true,
    },
    content: { html: content },
  });
  const id = await app.call<string>('automationCreate', { title: name, list });
  await app.call('automationUpdate', {
    id,
    trigger: { type: 'event', name },
    steps: [...more, { type: 'send', campaign: cid }],
  });
  await app.call('automationStart', { id });
  return { id, cid };
}

const enter = async (email: string, name: string, data?: unknown) => {
  await app.call('eventSend', { name, email_address: email, ...(data === undefined ? {} : { data }) });
  while ((await runAutomations(app.app)) > 0);
  // Emails of automations wait until those of ten seconds are together.
  await app.app.db.run(sql`update chunk set due_at = now() where state = 'waiting'`);
  await app.app.db.run(sql`select pg_notify(${chunkChannel}, '')`);
};

async function messages(email: string) {
  const rows = await app.app.db.rows<{ source: Buffer }>(sql`
    select source from inbox_message where ${email} = any (rcpt_to) order by id`);
  return Promise.all(rows.map(({ source }) => PostalMime.parse(source)));
}

async function received(email: string) {
  for (let i = 0; i < 400; i++) {
    const row = await app.app.db.row<{ source: Buffer }>(sql`
      select source from inbox_message where ${email} = any (rcpt_to) order by id desc`);
    if (row) return PostalMime.parse(row.source);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return assert.fail(`${email} got nothing`);
}

const cart = {
  cart_url: 'https://shop.example/cart/1?a=1&b=2',
  total: 120,
  customer: { name: '<Ada>' },
  items: [
    { id: 'a', name: 'Boots' },
    { id: 'b&c', name: 'Hat & co' },
  ],
};
const hrefs = (page: string) => [...page.matchAll(/href="([^"]*)"/g)].map(([, url]) => url!.replaceAll('&amp;', '&'));
const get = (url: string) => fetch(app.base + new URL(url).pathname, { redirect: 'manual' });
const leadsTo = async (url: string) => (await get(url)).headers.get('location');

test('the email shows the event, its links lead to the items, and the web version is the same', async () => {
  const { cid } = await automation('cart.left');
  const email = await person();
  await enter(email, 'cart.left', cart);
  const mail = await received(email);
  assert.equal(mail.subject, 'Your Boots wait');
  assert.match(mail.html!, /Dear &lt;Ada&gt;, your cart of 120 waits/);
  assert.match(mail.html!, />Boots<.*>Hat &amp; co<.*No postage/s);
  assert.match(mail.text!, /Hat & co/);
  const [cartLink, first, second, view] = hrefs(mail.html!);
  assert.deepEqual(await Promise.all([cartLink!, first!, second!].map(leadsTo)), [
    cart.cart_url,
    'https://shop.example/p/a',
    'https://shop.example/p/b%26c',
  ]);
  const page = await (await get(view!)).text();
  assert.match(page, /Dear &lt;Ada&gt;, your cart of 120 waits/);
  assert.deepEqual(hrefs(page).slice(0, 3), [
    cart.cart_url,
    'https://shop.example/p/a',
    'https://shop.example/p/b%26c',
  ]);
  const stats = await app.call<{ url: string; clicks: number }[]>('campaignClickStats', { cid });
  assert.deepEqual(
    stats.map(({ url }) => url),
    ['*|EVENT:cart_url:|*', 'https://shop.example/p/*|EVENT:items[].id|*'],
  );
});

test('each contact has its own event, also one without data', async () => {
  await automation('plain.left');
  const [one, two] = [await person(), await person()];
  await enter(one, 'plain.left', { total: 7, items: [{ id: 1, name: 'Only' }] });
  await enter(two, 'plain.left');
  const [first, second] = [await received(one), await received(two)];
  assert.match(first.html!, /your cart of 7 waits.*>Only</s);
  assert.doesNotMatch(first.html!, /No postage/);
  assert.equal(second.subject, 'Your things wait');
  assert.match(second.html!, /Dear friend, your cart of {2}waits.*<table><\/table>/s);
  assert.equal(hrefs(second.html!)[0], '');
});

test('a contact that enters again has its new event, and the first email keeps the old one', async () => {
  const { id } = await automation('again.left');
  await app.call('automationUpdate', { id, reentry: { again: true, days: 0 } });
  await app.call('automationStart', { id }).catch(() => undefined);
  const email = await person();
  await enter(email, 'again.left', { ...cart, total: 1 });
  const first = await received(email);
  const view = hrefs(first.html!).at(-1);
  assert.match(first.html!, /cart of 1 waits/);
  const links = hrefs(first.html!);
  await enter(email, 'again.left', { ...cart, total: 2, cart_url: 'https://shop.example/other' });
  assert.equal(await leadsTo(links[0]!), cart.cart_url);
  assert.ok(view);
});

test('when the contact is erased, nothing of the event is left', async () => {
  await automation('erased.left');
  const email = await person();
  await enter(email, 'erased.left', cart);
  const [cartLink, first] = hrefs((await received(email)).html!);
  await app.call('contactErase', { email });
  assert.equal(await leadsTo(first!), 'https://shop.example/p/');
  assert.equal((await get(cartLink!)).status, 410);
});

test('a corrected text finds the data of the run, a copy has them too, and they go with the automation', async () => {
  const { id, cid } = await automation('corrected.left', '<p>Old *|EVENT:total|*</p>', [
    { key: 'wait', type: 'wait', amount: 1, unit: 'hours' },
  ]);
  const email = await person();
  await enter(email, 'corrected.left', cart);
  await until('the email is launched', async () => {
    const row = await app.app.db.row<{ status: string }>(sql`select status from campaign where id = ${parseId(cid)}`);
    return row!.status === 'sending';
  });
  await app.call('campaignPause', { cid });
  while ((await runAutomations(app.app, new Date(Date.now() + 2 * 3_600_000))) > 0);
  await app.call('campaignUpdate', { cid, name: 'html', value: html });
  await app.call('campaignResume', { cid });
  const hurry = () =>
    app.app.db.run(sql`update chunk set due_at = now() where campaign_id = ${parseId(cid)} and state = 'waiting'`);
  await until('it arrives', async () => {
    await hurry();
    return (await messages(email)).length === 1;
  });
  const [first] = await messages(email);
  assert.match(first!.html!, /your cart of 120 waits.*>Boots<.*>Hat &amp; co</s);

  // As after a crash. The worker's own outcome must be there before, or it comes afterwards.
  await until('its outcome is counted', async () => {
    const row = await app.app.db.row<{ accepted: number }>(sql`
      select sum(accepted)::int as accepted from tally where campaign_id = ${parseId(cid)}`);
    return row!.accepted === 1;
  });
  await app.app.db.run(sql`update delivery set state = ${states.unclear} where campaign_id = ${parseId(cid)}`);
  await app.app.db.run(sql`
    update tally set accepted = accepted - 1, unclear = unclear + 1 where campaign_id = ${parseId(cid)} and accepted = 1`);
  await app.call('campaignResolve', { cid, action: 'resend' });
  await until('the copy arrives', async () => {
    await hurry();
    return (await messages(email)).length === 2;
  });
  const copy = (await messages(email))[1]!;
  assert.equal(copy.html, first!.html);

  const [cartLink, item, , view] = hrefs(copy.html!);
  assert.equal(await leadsTo(item!), 'https://shop.example/p/a');
  await app.call('automationPause', { id });
  await app.call('campaignDelete', { cid }).catch(() => undefined);
  await app.call('automationDelete', { id });
  assert.equal((await get(cartLink!)).status, 410);
  assert.equal(await leadsTo(item!), 'https://shop.example/p/');
  assert.doesNotMatch(await (await get(view!)).text(), /Boots|120/);
});

test('an email that was sent shows defaults once the retention of events has ended', async () => {
  const { id } = await automation('kept.left');
  const email = await person();
  await enter(email, 'kept.left', cart);
  const [cartLink, item, , view] = hrefs((await received(email)).html!);
  assert.match(await (await get(view!)).text(), /Boots/);
  await app.app.db.run(
    sql`update automation_run set ended_at = now() - interval '400 days' where automation_id = ${parseId(id)}`,
  );
  const context = { app: app.app, log: app.app.log, signal: new AbortController().signal } as never;
  await purgeRunEvents(context);
  assert.equal((await get(cartLink!)).status, 410);
  assert.equal(await leadsTo(item!), 'https://shop.example/p/');
  assert.doesNotMatch(await (await get(view!)).text(), /Boots/);
});

test('values of an event are escaped and never read as tags', async () => {
  await automation('hostile.left', '<p>*|EVENT:a|**|EACH:EVENT:b|*<a href="*|ITEM|*">*|ITEM|*</a>*|END:EACH|*</p>');
  const email = await person();
  await enter(email, 'hostile.left', { a: '<script>*|EMAIL|*', b: ['javascript:alert(1)', '*|UNSUB|*', '"><img>'] });
  const { html } = await received(email);
  assert.match(
    html!,
    /<p>&lt;script&gt;\*\|EMAIL\|\*<a href="">javascript:alert\(1\)<\/a><a href="">\*\|UNSUB\|\*<\/a><a href="">&quot;&gt;&lt;img&gt;<\/a><\/p>/,
  );
});

test('a preview shows examples of what the event would bring', async () => {
  const cid = await app.call<string>('campaignCreate', {
    type: 'html',
    options: {
      list_id: list,
      from_name: 'Shop',
      from_email: 'shop@example.com',
      subject: 'Your *|EVENT:items.0.name|*',
      generate_text: true,
    },
    content: { html },
  });
  const shown = await app.call<{ subject: string; html: string }>('campaignPreview', { cid });
  assert.equal(shown.subject, 'Your name 1');
  assert.match(shown.html, /Dear name, your cart of 51 waits.*>name 1<.*>name 2</s);
  assert.equal(parseId(cid) > 0, true);
});

test('the template of an abandoned cart shows its items and the way back to it, for the events of the shops', async () => {
  const id = await app.call<string>('automationCreate', { title: 'Cart', list, template: 'abandoned_cart' });
  const made = await app.call<{ steps: unknown[]; goal: { event: string } }>('automationGet', { id });
  assert.equal(made.goal.event, 'order.created');
  // Without its waits.
  await app.call('automationUpdate', { id, steps: [made.steps[1]] });
  await app.call('automationStart', { id });
  const email = await person();
  await enter(email, 'checkout.started', {
    cart_url: 'https://shop.example/cart/1?key=a&b=c',
    items: [
      { name: 'Tea <green>', quantity: 2 },
      { name: 'Cup', quantity: 1 },
    ],
  });
  const mail = await received(email);
  assert.equal(mail.subject, 'You left something behind');
  assert.match(mail.html!, /<li>Tea &lt;green&gt; \(2\)<\/li><li>Cup<\/li>/);
  assert.match(mail.html!, /href="[^"]+"[^>]*>Back to your cart<\/a>/);
});
