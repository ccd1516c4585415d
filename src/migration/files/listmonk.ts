// Exports of listmonk: a dump of its database (pg_dump as text), or CSV files of subscribers. A CSV file does not say who has
// unsubscribed from a list, so its name must: subscribed-NEWS.csv, unsubscribed-NEWS.csv or unconfirmed-NEWS.csv.
import { ImportRefusal } from '../../audience/import/file/refusal.ts';
import { message } from '../../base/messages.ts';
import { pgRows } from './dumps.ts';
import { attributesOf, type ContactState, type Item, namesOf, type SourceField } from './item.ts';
import { openCsv, plainName, type SourceFile } from './source-file.ts';

/** Fields that every list here has. */
export const nameFields: SourceField[] = [
  { key: 'FNAME', name: 'First Name', type: 'text', tag: 'FNAME' },
  { key: 'LNAME', name: 'Last Name', type: 'text', tag: 'LNAME' },
];

export async function* readListmonk(files: AsyncIterable<SourceFile>): AsyncGenerator<Item> {
  for await (const file of files) yield* /\.csv$/i.test(file.path) ? readCsv(file) : readDump(file);
}

/** The state on a list. Contacts of a list with single opt-in are unconfirmed and get email all the same. */
export function listmonkState(subscription: string, status: string, optin: string): ContactState {
  if (status !== 'enabled' || subscription === 'unsubscribed') return 'unsubscribed';
  return subscription === 'unconfirmed' && optin === 'double' ? 'pending' : 'subscribed';
}

async function* readCsv(file: SourceFile): AsyncGenerator<Item> {
  const csv = await openCsv(file);
  if (!csv.has('email')) return;
  const named = /^(subscribed|confirmed|unsubscribed|unconfirmed)(?:[_ -]+(.*))?$/i.exec(plainName(file.path));
  if (!named) throw new ImportRefusal(message('migration.listmonk_csv', { file: file.path.slice(0, 100) }));
  const list = named[2] || 'listmonk';
  const word = named[1]!.toLowerCase();
  const subscription = word === 'unsubscribed' || word === 'unconfirmed' ? word : 'confirmed';
  yield { kind: 'list', key: list, name: list, fields: nameFields };
  for await (const row of csv.rows()) {
    const email = row.cell('email');
    const status = row.cell('status') || 'enabled';
    const { values, tags } = attributesOf(parsed(row.cell('attributes', 'attribs')));
    if (status === 'blocklisted') yield { kind: 'suppression', value: email, reason: 'unsubscribe' };
    yield {
      kind: 'contact',
      list,
      email,
      state: listmonkState(subscription, status, 'double'),
      values: { ...namesOf(row.cell('name')), ...values },
      tags,
      optinAt: row.cell('created_at'),
    };
  }
}

type Subscription = { list: string; status: string; at: string; ip: string };

async function* readDump(file: SourceFile): AsyncGenerator<Item> {
  const lists = new Map<string, { name: string; optin: string }>();
  const subscriptions = new Map<string, Subscription[]>();
  const bounces = new Map<string, 'bounce' | 'complaint'>();
  const isSmall = (table: string) => ['lists', 'subscriber_lists', 'bounces', 'templates'].includes(table);
  for await (const { table, values } of pgRows(file, isSmall)) {
    if (table === 'lists') lists.set(values['id']!, { name: values['name'] ?? '', optin: values['optin'] ?? 'double' });
    else if (table === 'subscriber_lists') {
      const meta = parsed(values['meta'] ?? '') as Record<string, unknown> | undefined;
      const ip = meta?.['optin_ip'];
      const all = subscriptions.get(values['subscriber_id']!) ?? [];
      all.push({
        list: values['list_id']!,
        status: values['status'] ?? '',
        at: values['created_at'] ?? '',
        ip: typeof ip === 'string' ? ip : '',
      });
      subscriptions.set(values['subscriber_id']!, all);
    } else if (table === 'bounces') {
      if (values['type'] === 'complaint') bounces.set(values['subscriber_id']!, 'complaint');
      else if (values['type'] === 'hard' && !bounces.has(values['subscriber_id']!))
        bounces.set(values['subscriber_id']!, 'bounce');
    } else if (values['type'] !== 'tx')
      yield {
        kind: 'template',
        key: values['id'] ?? '',
        name: values['name'] ?? '',
        html: values['body'] ?? '',
      };
  }
  for (const [key, { name }] of lists) yield { kind: 'list', key, name, fields: nameFields };
  for await (const { values } of pgRows(file, (table) => table === 'subscribers')) {
    const email = values['email'] ?? '';
    const status = values['status'] ?? '';
    const bounced = bounces.get(values['id']!);
    if (bounced) yield { kind: 'suppression', value: email, reason: bounced };
    else if (status === 'blocklisted') yield { kind: 'suppression', value: email, reason: 'unsubscribe' };
    const on = (subscriptions.get(values['id']!) ?? []).filter(({ list }) => lists.has(list));
    if (on.length === 0) yield { kind: 'not taken', list: '', value: email, reason: 'not_on_a_list' };
    const { values: attributes, tags } = attributesOf(parsed(values['attribs'] ?? ''));
    for (const { list, status: subscription, at, ip } of on)
      yield {
        kind: 'contact',
        list,
        email,
        state: listmonkState(subscription, status, lists.get(list)!.optin),
        values: { ...namesOf(values['name'] ?? ''), ...attributes },
        tags,
        optinAt: at,
        optinIp: ip,
      };
  }
}

/** JSON as a value; undefined for a text that is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
