// An account with one of every object that a method's example can name, created through the methods where possible.
// Guarantees that two fixtures of the same kind differ only in ids, keys and times.
import { randomBytes } from 'node:crypto';
import { startSession } from '../../src/accounts/access/session.ts';
import { createAccount, setAccount } from '../../src/accounts/account/account.ts';
import { unseal } from '../../src/accounts/installation/seal.ts';
import { createKey } from '../../src/accounts/keys/key.ts';
import { addMember, createUser } from '../../src/accounts/people/user.ts';
import { codeOf, stepAt } from '../../src/accounts/sign-in/totp.ts';
import { keepText } from '../../src/audience/import/file/upload.ts';
import { takeSignals } from '../../src/automations/run/enter.ts';
import type { App } from '../../src/base/context.ts';
import { type FaultName, faults } from '../../src/base/faults.ts';
import type { Role } from '../../src/base/permissions.ts';
import { sql } from '../../src/db/connect.ts';
import { formatId, parseId } from '../../src/db/ids.ts';
import { launch } from '../../src/delivery/launch/launch.ts';
import { call } from '../../src/doors/call.ts';
import { saveGrant } from '../../src/relays/oauth/grant.ts';
import { Authenticator } from '../support/builders/authenticator.ts';

export type Call = <T = unknown>(method: string, params?: Record<string, unknown>) => Promise<T>;

export type Fixture = { accountId: number; key: string; list: string; call: Call };

/** A subscribed member of the fixture's list. */
export const memberEmail = 'grace@example.com';

/** An account with a key and a list that has one member. */
export async function makeAccount(app: App, plan: 'free' | 'pro' = 'free', addons: string[] = []): Promise<Fixture> {
  const { id: accountId } = await createAccount(app.db, { name: 'Conformance', email: 'main@example.com' });
  await setAccount(app.db, accountId, { plan, addons });
  const { key } = await createKey(app.db, accountId, { label: 'first', scope: 'full' });
  const callAs: Call = async <T>(method: string, params: Record<string, unknown> = {}) =>
    (await call(app, method, params, { kind: 'system', accountId }, 'json')) as T;
  const list = await callAs<string>('listCreate', { title: 'Readers' });
  await callAs('listSubscribe', {
    id: list,
    email_address: memberEmail,
    merge_vars: { FNAME: 'Grace' },
    double_optin: false,
  });
  return { accountId, key, list, call: callAs };
}

/** Makes it the account of the operator, on an installation that never had a relay in the application. */
export async function makeOperator(app: App, accountId: number): Promise<void> {
  await app.db.run(sql`
    update account
    set created_at = (select min(created_at) from account) - interval '1 second'
    where id = ${accountId}`);
  await app.db.run(sql`delete from relay`);
  await app.db.run(sql`delete from installation where key = 'relays_set_up'`);
}

/** What campaignCreate needs at least; `changes` replace or add members of the three structs. */
export function draftOf(
  list: string,
  changes: { type?: unknown; options?: Record<string, unknown>; content?: unknown; type_opts?: unknown } = {},
): Record<string, unknown> {
  const { options, ...others } = changes;
  return {
    type: 'HTML',
    content: { html: '<p>Dear *|FNAME:friend|*</p>', plain: 'Dear *|FNAME:friend|*' },
    ...others,
    options: {
      list_id: list,
      subject: 'News',
      from_email: 'editors@example.com',
      from_name: 'The editors',
      ...options,
    },
  };
}

/** The password of every user that signIn creates. */
export const personPassword = 'correct horse';

/** The session of a new person in an account. */
export async function signIn(
  app: App,
  accountId: number,
  role: Role = 'owner',
): Promise<{ token: string; userId: number }> {
  people += 1;
  const user = await createUser(app.db, { email: `person${people}@example.com`, password: personPassword });
  await addMember(app.db, accountId, user.id, role);
  const session = await startSession(app.db, user.id, { ip: '127.0.0.1', userAgent: 'test' });
  return { token: session!.token, userId: user.id };
}

let people = 0;
/** Labels: no two have the same name. */
let made = 0;

/** Fills in what belongs to the person of an example: a code, an invitation. */
export async function fillPersonal(app: App, params: Record<string, unknown>, token: string, userId: number) {
  if (params.id === '{{invitation}}') params.id = await inviteElsewhere(app, userId);
  if (params.account === '{{other_account}}') {
    const other = await makeAccount(app);
    await addMember(app.db, other.accountId, userId, 'owner');
    params.account = formatId(other.accountId);
    if (params.list === '{{list_there}}') params.list = other.list;
  }
  if (params.issuer === '{{identity}}') {
    params.issuer = 'https://login.example.com';
    await app.db.run(
      sql`insert into identity (issuer, subject, user_id) values (${params.issuer}, ${String(userId)}, ${userId})`,
    );
  }
  if (params.response === '{{passkey_response}}') {
    const options = await call(app, 'passkeyBegin', {}, { kind: 'session', token, ip: '127.0.0.1' }, 'web');
    params.response = new Authenticator(app.baseUrl).register(options as string);
  }
  if (params.id === '{{passkey}}') params.id = await storePasskey(app, userId);
  if (typeof params.state === 'string' && params.state.startsWith(stateOf)) {
    const mailbox = params.state.slice(stateOf.length);
    const begun = await call(app, 'oauthBegin', { mailbox }, { kind: 'session', token, ip: '127.0.0.1' }, 'web');
    params.state = new URL((begun as { url: string }).url).searchParams.get('state')!;
    answerTokenRequests(app);
    return;
  }
  if (params.code === undefined) return;
  const own = (method: string, given: Record<string, unknown>) =>
    call(app, method, given, { kind: 'session', token, ip: '127.0.0.1' }, 'web');
  await own('totpBegin', { password: personPassword });
  const row = await app.db.row<{ sealed: Buffer }>(sql`
    select totp_secret as sealed
    from app_user
    where id = ${userId}`);
  const now = codeOf(Buffer.from(unseal(app, `totp ${userId}`, row!.sealed)!, 'base64'), stepAt(Date.now()));
  params.code = params.code === '{{totp}}' ? now : ((await own('totpConfirm', { code: now })) as string[])[0];
}

const stateOf = 'state of ';
const provider = { authorizeUrl: 'https://login.example.com/authorize', tokenUrl: 'https://login.example.com/token' };

/** A bounce mailbox to which a person still gives access. */
async function makeOauthMailbox(app: App, accountId: number): Promise<string> {
  return app.db.transaction(async (tx) => {
    const row = await tx.row<{ id: number }>(sql`
      insert into bounce_mailbox (account_id, protocol, host, port, security, user_name, auth, password)
      values (${accountId}, 'pop3', '127.0.0.1', 9, 'none', 'user', 'oauth', '')
      returning id`);
    const key = { accountId, id: row!.id };
    const settings = { provider: 'other', flow: 'authorization_code', clientId: 'client', scope: 'mail' } as const;
    const secrets = { clientSecret: '', refreshToken: '' };
    await saveGrant(app, tx, key, { settings: { ...settings, ...provider }, secrets });
    return formatId(key.id);
  });
}

/** Instead of the provider. */
function answerTokenRequests({ outbound }: App): void {
  const { fetch } = outbound;
  const body = Buffer.from('{"access_token":"access","refresh_token":"refresh","expires_in":3600}');
  outbound.fetch = async (url, request) =>
    url === provider.tokenUrl
      ? { ok: true, status: 200, headers: {}, body, cut: false, finalUrl: url, ms: 1 }
      : fetch(url, request);
}

/** A passkey of a user that nothing is ever signed with. */
async function storePasskey(app: App, userId: number): Promise<string> {
  const row = await app.db.row<{ id: number }>(sql`
    insert into passkey (user_id, credential_id, public_key, counter, name)
    values (${userId}, ${randomBytes(16)}, ${randomBytes(16)}, 0, 'Laptop')
    returning id`);
  return formatId(row!.id);
}

/** Invites a user to another account. */
async function inviteElsewhere(app: App, userId: number): Promise<string> {
  const user = await app.db.row<{ email: string }>(sql`select email from app_user where id = ${userId}`);
  const other = await makeAccount(app);
  return (await other.call<{ id: string }>('userInvite', { email: user!.email, role: 'viewer' })).id;
}

/** The parameters of an example with its placeholders filled in. */
export async function fillExample(app: App, own: Fixture, example: Record<string, unknown>) {
  const made = new Map<string, string>();
  const named = [...JSON.stringify(example).matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1]!);
  for (const name of new Set(named)) made.set(name, (await makePlaceholder(app, own, name))!);
  const filled = JSON.stringify(example).replace(/\{\{(\w+)\}\}/g, (_all, name) => made.get(name)!);
  return JSON.parse(filled) as Record<string, unknown>;
}

/** Makes what a placeholder of an example stands for. */
export async function makePlaceholder(app: App, { accountId, list, call: callAs }: Fixture, name: string) {
  const draft = () => callAs<string>('campaignCreate', draftOf(list));
  const running = async () => {
    const cid = await draft();
    await callAs('campaignSendNow', { cid });
    await launch(app, { account: accountId, campaign: parseId(cid) });
    return cid;
  };
  switch (name) {
    case 'list':
      return list;
    case 'email':
      return memberEmail;
    case 'campaign':
      return draft();
    case 'running':
      return running();
    case 'corrected': {
      const cid = await callAs<string>('campaignCreate', {
        ...draftOf(list),
        type: 'auto',
        type_opts: { 'offset-units': 'day', 'offset-time': 1, event: 'signup' },
      });
      await callAs('campaignSendNow', { cid });
      await launch(app, { account: accountId, campaign: parseId(cid) });
      await callAs('campaignUpdate', { cid, name: 'subject', value: 'Corrected' });
      return cid;
    }
    case 'linked': {
      const cid = await draft();
      await callAs('campaignUpdate', { cid, name: 'html', value: '<p><a href="https://example.com/">Offer</a></p>' });
      await callAs('campaignSendNow', { cid });
      await launch(app, { account: accountId, campaign: parseId(cid) });
      return cid;
    }
    case 'paused': {
      const cid = await running();
      await callAs('campaignPause', { cid });
      return cid;
    }
    case 'sent': {
      const cid = await running();
      await callAs('campaignPause', { cid });
      await callAs('campaignStop', { cid });
      return cid;
    }
    case 'testing': {
      const two = await callAs<string>('listCreate', { title: 'Two readers' });
      for (const email_address of ['one@example.com', 'two@example.com'])
        await callAs('listSubscribe', { id: two, email_address, double_optin: false });
      const cid = await callAs<string>('campaignCreate', draftOf(two));
      await callAs('campaignTestUpdate', { cid, share: 100, variants: [{ subject: 'Another' }] });
      await callAs('campaignSendNow', { cid });
      await launch(app, { account: accountId, campaign: parseId(cid) });
      return cid;
    }
    case 'scheduled': {
      const cid = await draft();
      await callAs('campaignSchedule', { cid, schedule_time: '2099-01-01 00:00:00' });
      return cid;
    }
    case 'asked': {
      const cid = await draft();
      await callAs('campaignApprovalAsk', { cid, note: 'For Monday' });
      return cid;
    }
    // Of the campaign that was asked about last.
    case 'asked_version': {
      const { data } = await callAs<{ data: { cid: string }[] }>('campaignApprovals', { state: 'asked', limit: 200 });
      return (await callAs<{ version: string }>('campaignApprovalGet', { cid: data.at(-1)!.cid })).version;
    }
    case 'commented': {
      const cid = await draft();
      await callAs('campaignCommentCreate', { cid, text: 'Is this right?' });
      return cid;
    }
    case 'attached': {
      const cid = await draft();
      await callAs('campaignAttachmentCreate', { cid, name: 'hours.txt', content: 'T3BlbiBmcm9tIDkgdG8gNQo=' });
      return cid;
    }
    case 'translated': {
      const cid = await draft();
      await callAs('campaignLanguageUpdate', { cid, language: 'de', subject: 'Hallo', html: '<p>Hallo</p>' });
      return cid;
    }
    // A draft whose body has been changed once.
    case 'edited': {
      const cid = await draft();
      await callAs('campaignUpdate', { cid, name: 'html', value: '<p>Another</p>' });
      return cid;
    }
    case 'changed_template': {
      const template_id = await callAs<string>('templateCreate', { name: 'Letter', source: '<p>Letter</p>' });
      await callAs('templateUpdate', { template_id, name: 'source', value: '<p>Dear reader</p>' });
      return template_id;
    }
    case 'label':
      made += 1;
      return callAs<string>('labelCreate', { name: `Label ${made}` });
    case 'template':
      return callAs<string>('templateCreate', { name: 'Letter', source: '<p>Letter</p>', layout: 'postcard' });
    case 'waiting_message': {
      const send_at = new Date(Date.now() + 86_400_000).toISOString();
      return (
        await callAs<{ id: string }>('messageSend', { to: memberEmail, subject: 'Hello', plain: 'Hello', send_at })
      ).id;
    }
    case 'message':
      return (await callAs<{ id: string }>('messageSend', { to: memberEmail, subject: 'Hello', plain: 'Hello' })).id;
    case 'incoming':
      return (await callAs<{ id: string }>('incomingWebhookCreate', { title: 'Shop', service: 'shopify' })).id;
    case 'automation':
      return callAs<string>('automationCreate', { title: 'Welcome', list });
    case 'automation_ready':
      return makeAutomation(callAs, list);
    case 'automation_running':
    case 'automation_inside': {
      const id = await makeAutomation(callAs, list);
      await callAs('automationStart', { id });
      if (name === 'automation_inside') await callAs('eventSend', { name: 'example', email_address: memberEmail });
      while ((await takeSignals(app)) > 0);
      return id;
    }
    case 'asset': {
      const content = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';
      return (await callAs<{ name: string }>('assetCreate', { content })).name;
    }
    case 'block':
      await callAs('savedBlockCreate', { name: 'Greeting', html: '<tr><td>Hello</td></tr>' });
      return 'Greeting';
    case 'account':
      return formatId(accountId);
    // Known once there is the person.
    case 'other_account':
    case 'list_there':
      return `{{${name}}}`;
    // A person's codes and invitations are known once there is the person.
    case 'invitation':
    case 'identity':
    case 'passkey':
    case 'passkey_response':
    case 'totp':
    case 'recovery':
      return `{{${name}}}`;
    case 'client':
      return formatId((await createAccount(app.db, { name: 'Client', email: 'client@example.com' })).id);
    case 'deleted_client': {
      const { id } = await createAccount(app.db, { name: 'Client', email: 'client@example.com' });
      await app.db.run(sql`update account set active = false, delete_at = now() + interval '1 day' where id = ${id}`);
      return formatId(id);
    }
    case 'newcomer':
      people += 1;
      return `newcomer${people}@example.com`;
    case 'user':
      return formatId((await signIn(app, accountId, 'editor')).userId);
    case 'username':
      await signIn(app, accountId);
      return `person${people}@example.com`;
    case 'password':
      return personPassword;
    case 'domain': {
      const domain = 'letters.example.com';
      const known = await callAs<{ domain: string }[]>('senderDomains');
      if (!known.some((item) => item.domain === domain)) await callAs('senderDomainCreate', { domain });
      return domain;
    }
    case 'key':
      return callAs<string>('apikeyAdd', { label: 'second' });
    case 'report_link':
      return (await callAs<{ id: string }>('reportLinkCreate')).id;
    case 'segment':
      return makeSegment(app, accountId, list);
    case 'suppressed':
      await callAs('suppressedListBatchSubscribe', { emails: ['never@example.com'] });
      return 'never@example.com';
    // In the table: only the account of the operator has the method.
    case 'relay': {
      await app.db.run(sql`delete from relay`);
      const row = await app.db.row<{ id: number }>(sql`
        insert into relay (position, name, host, port, tls, connections, weight, paused_at)
        values (1, 'Relay', 'relay.example', 587, 'require', 1, 1, now())
        returning id`);
      return formatId(row!.id);
    }
    case 'webhook': {
      const row = await app.db.row<{ id: number }>(sql`
        insert into webhook (account_id, title, url, events)
        values (${accountId}, 'Hook', 'http://127.0.0.1:9/', '{contact.subscribe}')
        returning id`);
      return formatId(row!.id);
    }
    case 'sender':
      people += 1;
      return (await callAs<{ id: string }>('senderCreate', { name: `Desk ${people}`, email: 'main@example.com' })).id;
    case 'notice_source':
      return (await callAs<{ id: string }>('noticeSourceCreate', { service: 'postmark' })).id;
    case 'bounce_mailbox': {
      const row = await app.db.row<{ id: number }>(sql`
        insert into bounce_mailbox (account_id, protocol, host, port, security, user_name, password)
        values (${accountId}, 'pop3', '127.0.0.1', 9, 'none', 'user', '')
        returning id`);
      return formatId(row!.id);
    }
    case 'oauth_mailbox':
      return makeOauthMailbox(app, accountId);
    case 'oauth_state':
      return `${stateOf}${await makeOauthMailbox(app, accountId)}`;
    // Tags, each once in an account: one that no list has, one of a list, one of the account.
    case 'free_tag':
      people += 1;
      return `TAG${people}`;
    case 'field_tag':
    case 'shared_tag': {
      people += 1;
      const tag = `TAG${people}`;
      if (name === 'field_tag') await callAs('listMergeVarAdd', { id: list, tag, name: tag });
      else await callAs('accountFieldCreate', { tag, name: tag, lists: [list] });
      return tag;
    }
    case 'clean_up_rule':
      return callAs<string>('cleanUpRuleCreate', { kind: 'unconfirmed', days: 30, action: 'remove' });
    case 'import':
      return makeImport(callAs, list);
    case 'import_started':
    case 'import_stopped': {
      const id = await makeImport(callAs, list);
      await callAs('importStart', { import: id });
      if (name === 'import_stopped') await callAs('importStop', { import: id });
      return id;
    }
    case 'upload':
      return makeUpload(app, accountId);
    case 'recurring':
    case 'recurring_active':
    case 'recurring_issue':
      return makeRecurring(app, { accountId, list, call: callAs }, name);
    case 'migration':
    case 'migration_checked': {
      const uploads = [await makeUpload(app, accountId)];
      const id = await callAs<string>('migrationCreate', { source: 'keila', uploads });
      if (name === 'migration_checked')
        await app.db.run(sql`
          update source_migration
          set state = 'checked', checked_at = now()
          where account_id = ${accountId}
            and id = ${parseId(id)}`);
      return id;
    }
    default:
      throw new Error(`No fixture is known for the placeholder {{${name}}}`);
  }
}

/** A file of contacts. */
const makeUpload = (app: App, accountId: number) =>
  app.db.transaction(async (tx) =>
    formatId(await keepText(tx, accountId, 'contacts.csv', 'Email,Status\nann@example.com,active\n')),
  );

/** An import whose columns are mapped. */
export function makeImport(callAs: Call, list: string): Promise<string> {
  return callAs<string>('importCreate', { id: list, content: 'Email,First Name\nann@example.com,Ann\n' });
}

/** An automation that an event starts and that then waits. */
async function makeAutomation(callAs: Call, list: string): Promise<string> {
  const id = await callAs<string>('automationCreate', { title: 'Welcome', list });
  await callAs('automationUpdate', {
    id,
    trigger: { type: 'event', name: 'example' },
    steps: [{ type: 'wait', amount: 1, unit: 'days' }],
  });
  return id;
}

/** A segment of the members whose address ends in example.com. */
export async function makeSegment(app: App, accountId: number, list: string): Promise<string> {
  const filter = JSON.stringify([{ field: 'EMAIL', condition: 'ends', value: 'example.com' }]);
  const row = await app.db.row<{ id: number }>(sql`
    insert into segment (account_id, list_id, title, match, filter)
    values (${accountId}, ${parseId(list)}, 'Some', 'all', ${filter})
    returning id`);
  return formatId(row!.id);
}

/** For assert.rejects: the fault of this name, whose text holds the words. */
export function fault(name: FaultName, words = ''): (error: unknown) => true {
  return (error) => {
    const given = error as { code?: number; fault?: string; message?: string };
    if (given.fault !== name || given.code !== faults[name][0] || !given.message?.includes(words))
      throw new Error(`expected ${name} with "${words}", got ${given.fault}: ${given.message}`);
    return true;
  };
}

/** Rows of every table that a call of the account could leave something in. */
export async function countRows(app: App): Promise<Record<string, number>> {
  countStatement ??= await makeCountStatement(app);
  // By a name, as planning it takes longer than counting.
  const { rows } = await app.db.pool.query<{ name: string; count: number }>({ name: 'rows', text: countStatement });
  return Object.fromEntries(rows.map((row) => [row.name, row.count]));
}

let countStatement: string | undefined;

async function makeCountStatement(app: App): Promise<string> {
  const tables = await app.db.rows<{ name: string }>(sql`
    select table_name as name
    from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'
    order by table_name`);
  const parts = tables.map(({ name }) => `select '${name}' as name, count(*)::int as count from "${name}"`);
  parts.push(`select 'jobs' as name, count(*)::int as count from graphile_worker.jobs`);
  return parts.join(' union all ');
}

/** A recurring campaign, paused or active, or the campaign of an issue of it that waits for approval. */
async function makeRecurring(app: App, { accountId, list, call: callAs }: Omit<Fixture, 'key'>, name: string) {
  const id = await callAs<string>('recurringCreate', {
    title: 'News of the week',
    list,
    schedule: { type: 'weekly', time: '09:00', weekdays: [1] },
    source_url: 'http://127.0.0.1/feed.xml',
    approve: true,
  });
  if (name === 'recurring_active') await callAs('recurringResume', { id });
  if (name !== 'recurring_issue') return id;
  const cid = await callAs<string>('campaignCreate', draftOf(list));
  await app.db.run(sql`
    insert into recurring_issue (account_id, recurring_id, occurrence_at, state, campaign_id, has_campaign, items)
    values (${accountId}, ${parseId(id)}, now(), 'waiting', ${parseId(cid)}, true, 1)`);
  return cid;
}
