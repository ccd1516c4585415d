// A dump of the database of Mailtrain, version 1 or 2 (mysqldump): lists, custom fields, the table of subscriptions of each list,
// the blacklist and the templates.

import { type DumpRow, mysqlRows } from './dumps.ts';
import type { ContactState, Item, SourceField } from './item.ts';
import { nameFields } from './listmonk.ts';
import type { SourceFile } from './source-file.ts';

/** Their SubscriptionStatus. */
const states: Record<string, ContactState> = { 1: 'subscribed', 2: 'unsubscribed', 3: 'bounced', 4: 'complained' };
const subscriptionsOf = /^subscription__(\d+)$/;

type List = { name: string; fields: (SourceField & { column: string })[] };

export async function* readMailtrain(files: AsyncIterable<SourceFile>): AsyncGenerator<Item> {
  for await (const file of files) yield* readDump(file);
}

async function* readDump(file: SourceFile): AsyncGenerator<Item> {
  const lists = new Map<string, List>();
  const listOf = (id: string) => {
    const known = lists.get(id) ?? { name: `Mailtrain ${id}`, fields: [] };
    lists.set(id, known);
    return known;
  };
  const isSmall = (table: string) => ['lists', 'custom_fields', 'blacklist', 'templates'].includes(table);
  for await (const { table, values } of mysqlRows(file, isSmall)) {
    if (table === 'lists') listOf(values['id']!).name = values['name'] || `Mailtrain ${values['id']}`;
    else if (table === 'custom_fields') {
      const field = fieldOf(values);
      if (field) listOf(values['list']!).fields.push(field);
    } else if (table === 'blacklist') yield { kind: 'suppression', value: values['email'] ?? '', reason: 'manual' };
    else yield templateOf(values);
  }
  for (const [key, { name, fields }] of lists) {
    const own = fields.map(({ column: _, ...field }) => field);
    yield { kind: 'list', key, name, fields: [...nameFields, ...own.filter(({ tag }) => !isName(tag))] };
  }
  for await (const { table, values } of mysqlRows(file, (name) => subscriptionsOf.test(name))) {
    const list = subscriptionsOf.exec(table)![1]!;
    if (!lists.has(list)) continue;
    // An address that was removed is only there as a hash.
    if (!values['email']) {
      yield { kind: 'not taken', list, value: values['cid'] ?? '', reason: 'not_an_address' };
      continue;
    }
    yield {
      kind: 'contact',
      list,
      email: values['email'],
      state: states[values['status'] ?? ''] ?? 'unsubscribed',
      values: valuesOf(lists.get(list)!, values),
      optinAt: values['created'] ?? '',
      optinIp: values['opt_in_ip'] ?? '',
    };
  }
}

const isName = (tag: string | undefined) => tag === 'FNAME' || tag === 'LNAME';

function valuesOf({ fields }: List, row: DumpRow['values']): Record<string, string> {
  const values: Record<string, string> = { FNAME: row['first_name'] ?? '', LNAME: row['last_name'] ?? '' };
  for (const { key, tag, type, column } of fields) {
    const value = row[column] ?? '';
    values[isName(tag) ? tag! : key] = type === 'date' ? value.slice(0, 10) : value;
  }
  return values;
}

function fieldOf(row: DumpRow['values']): (SourceField & { column: string }) | undefined {
  const { column, key, name, type } = row;
  // A group of options has no column of its own.
  if (!column) return undefined;
  const tag = (key ?? '').replace(/^MERGE_/, '');
  return {
    column,
    key: column,
    name: name || tag,
    type: type === 'number' ? 'number' : type?.startsWith('date') ? 'date' : type === 'website' ? 'website' : 'text',
    tag: tag === 'FIRST_NAME' ? 'FNAME' : tag === 'LAST_NAME' ? 'LNAME' : tag,
  };
}

/** Version 2 has the content in a column of JSON. */
function templateOf(row: DumpRow['values']): Item {
  let html = row['html'] ?? '';
  try {
    const data = JSON.parse(row['data'] ?? '') as { html?: string };
    if (typeof data.html === 'string') html = data.html;
  } catch {
    // Version 1.
  }
  return { kind: 'template', key: row['id'] ?? '', name: row['name'] ?? '', html };
}
