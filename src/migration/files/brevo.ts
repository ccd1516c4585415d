// Exports of contacts of Brevo as CSV. A column says who is blocklisted, or the name of the file does: a file whose name begins
// with "blocklisted" or "unsubscribed" has only those. Without either it is not known who left, and the file is refused.

import { ImportRefusal } from '../../audience/import/file/refusal.ts';
import { isMark } from '../../audience/import/file/status-words.ts';
import { message } from '../../base/messages.ts';
import type { Item, SourceField } from './item.ts';
import { type Csv, openCsv, plainName, type SourceFile } from './source-file.ts';

const leaving = ['EMAIL_BLOCKLISTED', 'EMAIL_BLACKLISTED', 'BLOCKLISTED', 'BLACKLISTED', 'UNSUBSCRIBED'];
const facts = new Set([
  ...['contact id', 'contact_id', 'id', 'email', 'ext_id', 'added_time', 'modified_time', 'created_at', 'modified_at'],
  ...[
    'lists',
    'list_ids',
    'list',
    'double_opt-in',
    'opt_in',
    'sms_blacklisted',
    'sms_blocklisted',
    'whatsapp_blocklisted',
  ],
  ...leaving.map((name) => name.toLowerCase()),
]);

export async function* readBrevo(files: AsyncIterable<SourceFile>): AsyncGenerator<Item> {
  for await (const file of files) {
    if (!/\.(csv|txt)$/i.test(file.path)) continue;
    const csv = await openCsv(file);
    if (!csv.has('email')) continue;
    const name = plainName(file.path);
    const allLeft = /^(un-?subscribed|block-?listed|black-?listed)/i.test(name);
    const isMarked = csv.has(...leaving);
    if (!allLeft && !isMarked && !/^subscribed/i.test(name))
      throw new ImportRefusal(message('migration.no_status', { file: file.path.slice(0, 100) }));
    yield* readContacts(csv, name, allLeft);
  }
}

async function* readContacts(csv: Csv, name: string, allLeft: boolean): AsyncGenerator<Item> {
  const fields = csv.headings.flatMap((heading, no) =>
    facts.has(heading.toLowerCase()) || heading === '' ? [] : [fieldOf(heading, String(no))],
  );
  const known = new Set<string>();
  for await (const row of csv.rows()) {
    const email = row.cell('email');
    const left = allLeft || isMark(row.cell(...leaving));
    if (left) yield { kind: 'suppression', value: email, reason: 'unsubscribe' };
    const lists = row
      .cell('lists', 'list_ids', 'list')
      .split(/[,|;]/)
      .map((list) => list.trim())
      .filter((list) => list !== '');
    for (const list of lists.length > 0 ? lists : [name]) {
      if (!known.has(list)) yield { kind: 'list', key: list, name: list, fields };
      known.add(list);
      yield {
        kind: 'contact',
        list,
        email,
        state: left ? 'unsubscribed' : 'subscribed',
        values: Object.fromEntries(fields.map(({ key }) => [key, row.cells[Number(key)] ?? ''])),
        optinAt: row.cell('added_time', 'created_at'),
      };
    }
  }
}

/** A field of their name; the names that differ are those of a person. */
export function fieldOf(name: string, key: string, type: SourceField['type'] = 'text'): SourceField {
  const tag = {
    FIRSTNAME: 'FNAME',
    VORNAME: 'FNAME',
    PRENOM: 'FNAME',
    LASTNAME: 'LNAME',
    NACHNAME: 'LNAME',
    NOM: 'LNAME',
  }[name.toUpperCase()];
  return { key, name, type, tag: tag ?? name };
}
