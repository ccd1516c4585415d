// An account with two lists, each with one of everything, for tests of callers with a set of lists: whatever is of the second list has a
// name with the word "foreign" in it, and its rows have a digest.
import { createKey } from '../../src/accounts/keys/key.ts';
import type { App } from '../../src/base/context.ts';
import { join, raw, type Sql, sql } from '../../src/db/connect.ts';
import { formatId, parseId } from '../../src/db/ids.ts';
import { launch } from '../../src/delivery/launch/launch.ts';
import { call } from '../../src/doors/call.ts';
import { methods } from '../../src/doors/registry.ts';
import { draftOf, type Fixture, makeAccount, makePlaceholder } from './fixture.ts';

export const people = { own: 'own@example.com', both: 'both@example.com', foreign: 'foreign@example.net' };

const kinds = [
  ...['across', 'excluding', 'usingForeign', 'segmentAcross', 'automationAcross'],
  ...['toSegment', 'sentToSegment', 'withoutSegment', 'aboutCampaign', 'automationOfSegment'],
] as const;

export type Two = {
  app: App;
  accountId: number;
  /** Fixtures of the lists: what is made for `own` is made on the first list, and so on. */
  own: Fixture;
  foreign: Fixture;
  /** Public ids of what the caller must not see. */
  hidden: Set<string>;
  /** Things of the second list by kind, besides those of placeholders. */
  things: Record<(typeof kinds)[number] | 'contact', string>;
};

/** Makes the account. */
export async function twoLists(app: App): Promise<Two> {
  const own = await makeAccount(app, 'pro', ['inline_img']);
  const { accountId, call: callAs } = own;
  await callAs('listUpdate', { id: own.list, name: 'title', value: 'Choir' });
  const list = await callAs<string>('listCreate', { title: 'Foreign list', options: { company: 'Foreign company' } });
  const foreign = { ...own, list };
  for (const [id, tag] of [
    [own.list, 'VOICE'],
    [list, 'SECRET'],
  ])
    await callAs('listMergeVarAdd', { id, tag, name: tag === 'SECRET' ? 'Foreign field' : 'Voice' });
  await callAs('accountFieldCreate', { tag: 'FOREIGNTAG', name: 'Foreign account field', lists: [list] });
  const join = (id: string, email_address: string, merge_vars: Record<string, string>) =>
    callAs('listSubscribe', { id, email_address, merge_vars, double_optin: false });
  await join(own.list, people.own, { FNAME: 'Ada', VOICE: 'alto' });
  await join(own.list, people.both, { FNAME: 'Bea', VOICE: 'bass' });
  const secret = { SECRET: 'foreign value', FOREIGNTAG: 'foreign account value' };
  await join(list, people.both, { FNAME: 'Foreignbea', ...secret });
  await join(list, people.foreign, { FNAME: 'Foreignfay', ...secret });
  await callAs('listFormUpdate', { id: list, options: { title: 'Foreign form', consent: 'Foreign consent' } });
  await callAs('listFormUpdate', { id: own.list, options: { further_lists: [list] } });
  for (const email_address of [people.both, people.foreign])
    await callAs('eventSend', { name: 'purchase', email_address });
  const things = await across(app, own, foreign);
  const two = { app, accountId, own, foreign, hidden: new Set<string>(), things };
  await noteHidden(two);
  return two;
}

/** What is of both lists, which a caller with one of them does not see either. */
async function across(app: App, own: Fixture, foreign: Fixture): Promise<Two['things']> {
  const { accountId, call: callAs } = own;
  const draft = async (title: string, options: Record<string, unknown>) =>
    callAs<string>('campaignCreate', draftOf(own.list, { options: { subject: title, title, ...options } }));
  const segmentOf = (title: string, filter: Record<string, unknown>[]) =>
    callAs<string>('listSegmentCreate', { list: own.list, title, match: 'all', filter });
  const foreignSegment = await callAs<string>('listSegmentCreate', {
    list: foreign.list,
    title: 'Foreign segment',
    match: 'all',
    filter: [{ field: 'FNAME', condition: 'starts', value: 'F' }],
  });
  const sent = await callAs<string>('campaignCreate', draftOf(foreign.list, { options: { subject: 'Foreign news' } }));
  const both = await draft('Foreign news to both', { list_id: [own.list, foreign.list] });
  for (const cid of [sent, both]) {
    await callAs('campaignSendNow', { cid });
    await launch(app, { account: accountId, campaign: parseId(cid) });
  }
  const usingForeign = await draft('Foreign segment left out', { exclude_segment_id: [foreignSegment] });
  const automationAcross = await callAs<string>('automationCreate', { title: 'Foreign move', list: own.list });
  await callAs('automationUpdate', {
    id: automationAcross,
    trigger: { type: 'subscribed' },
    steps: [{ type: 'add_to_list', list: foreign.list }],
  });
  const segmentAcross = await segmentOf('Foreign too', [{ field: 'list', condition: 'is', value: foreign.list }]);
  const sentToSegment = await draft('Foreign segment', { segment_id: [segmentAcross] });
  await callAs('campaignSendNow', { cid: sentToSegment });
  await launch(app, { account: accountId, campaign: parseId(sentToSegment) });
  const automationOfSegment = await callAs<string>('automationCreate', { title: 'Foreign joiners', list: own.list });
  await callAs('automationUpdate', {
    id: automationOfSegment,
    trigger: { type: 'segment', segment: segmentAcross, change: 'joined' },
    steps: [],
  });
  const contact = await app.db.row<{ id: number }>(sql`
    select id from contact where account_id = ${accountId} and email = ${people.foreign}`);
  return {
    across: both,
    excluding: await draft('Foreign list left out', { exclude_list_id: [foreign.list] }),
    usingForeign,
    segmentAcross,
    toSegment: await draft('Foreign segment, not sent', { segment_id: [segmentAcross] }),
    sentToSegment,
    withoutSegment: await draft('Foreign segment without', { exclude_segment_id: [segmentAcross] }),
    aboutCampaign: await segmentOf('Foreign readers', [{ field: 'was_sent', condition: 'is', value: sentToSegment }]),
    automationAcross,
    automationOfSegment,
    contact: formatId(contact!.id),
  };
}

/** Notes the ids of all that is of the second list now. */
export async function noteHidden({ app, accountId, foreign, hidden, things }: Two): Promise<void> {
  const list = parseId(foreign.list);
  const rows = await app.db.rows<{ id: number }>(sql`
    select id from (
      select ${list}::int as id
      union all select id from segment where account_id = ${accountId} and list_id = ${list}
      union all select id from automation where account_id = ${accountId} and list_id = ${list}
      union all select id from import where account_id = ${accountId} and list_id = ${list}
      union all select campaign_id from campaign_list where account_id = ${accountId} and list_id = ${list}
      union all
      select r.id
      from recurring r
      join campaign_list l on l.account_id = r.account_id and l.campaign_id = r.original_id and l.list_id = ${list}
      where r.account_id = ${accountId}
    ) all_of`);
  for (const { id } of rows) hidden.add(formatId(id));
  for (const id of Object.values(things)) hidden.add(id);
}

/** A key with a set of lists, and a call with it. */
export async function keyWith(app: App, accountId: number, lists: readonly string[] | null) {
  const { key } = await createKey(app.db, accountId, {
    label: lists === null ? 'all' : `${lists.length} lists`,
    scope: 'full',
    lists: lists === null ? null : lists.map(parseId),
  });
  return (method: string, params: Record<string, unknown>) =>
    call(app, method, params, { kind: 'key', key, ip: '' }, 'json');
}

/** Placeholders that stand for something of a list. */
export const ofList: ReadonlySet<string> = new Set([
  ...['list', 'email', 'campaign', 'running', 'corrected', 'linked', 'paused', 'sent', 'scheduled', 'attached'],
  ...['translated', 'edited', 'automation', 'automation_ready', 'automation_running', 'automation_inside', 'segment'],
  ...['import', 'import_started', 'import_stopped', 'recurring', 'recurring_active', 'recurring_issue'],
]);

/** The names of the placeholders in the example of a method. */
export const placeholdersOf = (params: Record<string, unknown>): string[] => [
  ...new Set([...JSON.stringify(params).matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1]!)),
];

/** Parameters with a value for each placeholder. */
export const withPlaceholders = (params: Record<string, unknown>, values: ReadonlyMap<string, string>) =>
  JSON.parse(JSON.stringify(params).replace(/\{\{(\w+)\}\}/g, (all, name) => values.get(name) ?? all)) as Record<
    string,
    unknown
  >;

/** The example of a method, with the things of one list in it. @returns also what was made for each placeholder */
export async function exampleOf(
  app: App,
  of: Fixture,
  params: Record<string, unknown>,
  address: string,
): Promise<{ params: Record<string, unknown>; made: string[] }> {
  let text = JSON.stringify(params);
  const made: string[] = [];
  for (const name of placeholdersOf(params)) {
    const value = name === 'email' ? address : (await makePlaceholder(app, of, name))!;
    if (ofList.has(name)) made.push(value);
    text = text.replaceAll(`{{${name}}}`, value);
  }
  return { params: JSON.parse(text), made };
}

/** A digest of all rows of the account that a caller with the first list must not change. */
export async function digestOf(two: Two): Promise<Record<string, string>> {
  const { app, accountId } = two;
  const ids = sql`${[...two.hidden].map(parseId)}::int[]`;
  const columns = await app.db.rows<{ table: string; columns: string[] }>(sql`
    select c.relname as table, array_agg(a.attname::text) as columns
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace
      and c.relkind in ('r', 'p')
      and not c.relispartition
    group by c.relname
    having bool_or(a.attname = 'account_id')
    order by c.relname`);
  const result: Record<string, string> = {};
  const parts: Sql[] = [];
  for (const { table, columns: named } of columns) {
    const where = foreignRows(table, named, ids);
    if (where)
      parts.push(sql`select ${table} as name, md5(coalesce(string_agg(t::text, ' ' order by t::text), '')) as digest
      from ${raw(table)} t where t.account_id = ${accountId} and (${where})`);
  }
  const rows = await app.db.rows<{ name: string; digest: string }>(join(parts, ' union all '));
  for (const { name, digest } of rows) result[name] = digest;
  return result;
}

/** What belongs to the account as a whole; anyone may have added to the others. */
const wholeTables = [
  ...['membership', 'invitation', 'sender', 'sender_domain', 'template', 'saved_block', 'webhook'],
  ...['account_field', 'clean_up_rule', 'bounce_mailbox', 'notice_source', 'archive'],
];

function foreignRows(table: string, columns: readonly string[], ids: Sql): Sql | undefined {
  if (wholeTables.includes(table)) return sql`true`;
  // Erasing an own contact adds the hash of its address.
  if (table === 'suppression') return sql`t.reason <> 'erased'`;
  const named = [
    'id',
    'list_id',
    'campaign_id',
    'segment_id',
    'automation_id',
    'import_id',
    'recurring_id',
    'target_id',
  ];
  const conditions = named
    .filter((name) => columns.includes(name))
    .map((name) => sql`t.${raw(`"${name}"`)} = any (${ids})`);
  if (table === 'contact' || columns.includes('contact_id'))
    conditions.push(sql`t.${raw(table === 'contact' ? 'id' : 'contact_id')} in (
      select id from contact where account_id = t.account_id and email = ${people.foreign}
    )`);
  if (table === 'contact') conditions.push(sql`t.email = ${people.both}`);
  return conditions.length === 0 ? undefined : join(conditions, ' or ');
}

/** What of an answer shows something of the second list, apart from what was asked for. */
export function leaksIn(two: Two, answer: unknown, asked: Record<string, unknown>): string[] {
  const given = JSON.stringify(asked);
  const text = JSON.stringify(answer) ?? '';
  const ids = [...two.hidden].filter((id) => text.includes(id) && !given.includes(id));
  const words = /foreign/i.test(given) ? [] : (text.match(/[^"]*foreign[^"]*/gi) ?? []);
  return [...ids, ...words];
}

/** Methods that callers with a set may call. */
export const narrowedMethods = methods.filter(({ narrowed }) => narrowed);
