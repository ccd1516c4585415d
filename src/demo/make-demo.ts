// `postrider demo`: an account in which everything is filled, so that a newcomer sees what this is within a minute. What
// can be made by methods is; the past, which no method can make, is written as if it had happened.
import { accountById, addons, createAccount, findAccounts, setAccount } from '../accounts/account/account.ts';
import { addMember, createUser, findUser } from '../accounts/people/user.ts';
import type { App } from '../base/context.ts';
import { randomHex } from '../base/random.ts';
import { sql } from '../db/connect.ts';
import { formatId, parseId } from '../db/ids.ts';
import { freezeContent } from '../delivery/launch/freeze-content.ts';
import { call } from '../doors/call.ts';
import { formatDate } from '../method/date.ts';
import { sentLongAgo } from './history.ts';
import { type Letter, pageOf, pastLetters, runningLetter, scheduledLetter, welcomeLetter } from './letters.ts';
import { person, plans } from './people.ts';
import { alone, eraseUnfinished, markFinished, markUnfinished } from './unfinished.ts';
import { addDemoWebhook } from './webhook.ts';

const demoEmail = 'demo@example.com';
/** Messages per second of the whole account: the campaign in progress takes about 20 minutes. */
const demoRate = 2.5;

export type Demo = { account: string; email: string; password: string; running: string };

/** Starts over where an earlier attempt was broken off. @throws Error when there is a demo already, or another process is making one */
export function makeDemo(app: App, report: (text: string) => void): Promise<Demo> {
  return alone(app, async () => {
    if (await eraseUnfinished(app, demoEmail)) report('An earlier attempt was broken off. It was erased …');
    return fill(app, report);
  });
}

async function fill(app: App, report: (text: string) => void): Promise<Demo> {
  const { db } = app;
  if ((await findAccounts(db, demoEmail)).length > 0 || (await findUser(db, demoEmail)))
    throw new Error(`The demo account already exists (${demoEmail}); nothing was changed.`);
  const password = randomHex(8);
  const accountId = await db.transaction(async (tx) => {
    const account = await createAccount(tx, { name: 'Demo', email: demoEmail });
    await setAccount(tx, account.id, { plan: 'pro', addons: [...addons] });
    const user = await createUser(tx, { email: demoEmail, password });
    await addMember(tx, account.id, user.id, 'owner');
    await tx.run(sql`
      update account
      set company = 'The Harbour Letters', postal_address = '1 Quay Street, 00000 Exampletown', website = 'https://example.com',
        settings = settings || jsonb_build_object('rate', ${demoRate}::float8)
      where id = ${account.id}`);
    await markUnfinished(tx, account.id);
    return account.id;
  });
  const ask = async <T>(method: string, params: Record<string, unknown>) =>
    (await call(app, method, params, { kind: 'system', accountId }, 'cli')) as T;

  report('Lists and contacts …');
  const readers = await listOf(ask, 'Readers', 0, 3_000);
  const patrons = await listOf(ask, 'Patrons', 2_600, 900);
  const press = await listOf(ask, 'Press and libraries', 4_000, 450);
  await spreadOverTime(app, accountId);
  await segments(ask, readers);

  report('Eight months of campaigns …');
  for (const [i, letter] of pastLetters.entries()) {
    const list = i % 4 === 3 ? patrons : readers;
    const cid = await draftOf(ask, letter, list);
    await db.transaction(async (tx) => {
      await tx.run(sql`set local statement_timeout = '60s'`);
      await freezeContent({ app, tx, account: (await accountById(tx, accountId))! }, parseId(cid), []);
      await sentLongAgo(tx, accountId, cid, list, letter);
    });
  }

  report('Campaigns in progress …');
  const scheduled = await draftOf(ask, scheduledLetter, press);
  const inThreeDays = formatDate(new Date(Date.now() + 3 * 86_400_000));
  await ask('campaignSchedule', { cid: scheduled, schedule_time: inThreeDays });
  await forgottenCarts(ask, readers);
  const welcome = await draftOf(ask, welcomeLetter, readers, {
    type: 'auto',
    type_opts: { 'offset-units': 'day', 'offset-time': 1, 'offset-dir': 'after', event: 'signup' },
  });
  await ask('campaignSendNow', { cid: welcome });
  await ask('templateCreate', { name: 'Harbour letter', layout: 'basic', source: pageOf(welcomeLetter) });
  await db.transaction((tx) => addDemoWebhook(app, tx, accountId));
  const running = await draftOf(ask, runningLetter, readers);
  await ask('campaignSendNow', { cid: running });
  await markFinished(db, accountId);
  return { account: formatId(accountId), email: demoEmail, password, running };
}

type Ask = <T>(method: string, params: Record<string, unknown>) => Promise<T>;

async function listOf(ask: Ask, title: string, from: number, count: number): Promise<string> {
  const id = await ask<string>('listCreate', { title });
  await ask('listMergeVarAdd', { id, tag: 'CITY', name: 'City', options: { field_type: 'text' } });
  await ask('listMergeVarAdd', {
    id,
    tag: 'PLAN',
    name: 'Plan',
    options: { field_type: 'dropdown', choices: plans },
  });
  const all = Array.from({ length: count }, (_, i) => person(from + i));
  for (let start = 0; start < count; start += 1_000)
    await ask('listBatchSubscribe', { id, batch: all.slice(start, start + 1_000), double_optin: false });
  return id;
}

/** An automation with contacts in it: those who put a subscription into the cart and did not order. */
async function forgottenCarts(ask: Ask, list: string): Promise<void> {
  const id = await ask<string>('automationCreate', { title: 'Forgotten cart', list, template: 'abandoned_cart' });
  await ask('automationStart', { id });
  for (let i = 0; i < 40; i++) await ask('eventSend', { name: 'cart.abandoned', email_address: person(i * 70).EMAIL });
}

/** The contacts came over fourteen months, more of them lately; a hash of the address decides when. */
async function spreadOverTime({ db }: App, accountId: number): Promise<void> {
  await db.run(sql`
    update subscription s
    set confirm_at = at, optin_at = at, signup_at = at, status_at = at, changed_at = at
    from (
      select c.id, now() - make_interval(mins =>
        (power((abs(hashtext(c.email)::bigint) % 10000) / 10000.0, 0.8) * 425 * 1440)::int + 60) as at
      from contact c
      where c.account_id = ${accountId}
    ) as came
    where s.account_id = ${accountId}
      and s.contact_id = came.id`);
  await db.run(sql`
    update contact c
    set created_at = came.at
    from (
      select contact_id, min(signup_at) as at from subscription where account_id = ${accountId} group by contact_id
    ) as came
    where c.account_id = ${accountId}
      and c.id = came.contact_id`);
  await db.run(sql`
    update consent k
    set at = s.confirm_at
    from subscription s
    where k.account_id = ${accountId}
      and s.account_id = k.account_id
      and s.list_id = k.list_id
      and s.contact_id = k.contact_id`);
}

async function segments(ask: Ask, list: string): Promise<void> {
  const of = (title: string, field: string, condition: string, value: string) =>
    ask('listSegmentCreate', { list, title, match: 'all', filter: [{ field, condition, value }] });
  await of('In Lisbon', 'CITY', 'is', 'Lisbon');
  await of('Patrons', 'PLAN', 'is', 'Patron');
}

function draftOf(ask: Ask, letter: Letter, list: string, more: Record<string, unknown> = { type: 'HTML' }) {
  return ask<string>('campaignCreate', {
    ...more,
    options: {
      list_id: list,
      title: letter.title,
      subject: letter.subject,
      from_email: demoEmail,
      from_name: 'The Harbour Letters',
      generate_text: true,
    },
    content: { html: pageOf(letter) },
  });
}
