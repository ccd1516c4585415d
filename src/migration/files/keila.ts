// The contacts of a project of Keila as CSV: Email, First name, Last name, Data (JSON), Status. A project is one list.
import { ImportRefusal } from '../../audience/import/file/refusal.ts';
import { message } from '../../base/messages.ts';
import { attributesOf, type ContactState, type Item } from './item.ts';
import { nameFields, parsed } from './listmonk.ts';
import { openCsv, plainName, type SourceFile } from './source-file.ts';

/** A state that is not known counts as unsubscribed. */
export const keilaState = (status: string): ContactState =>
  (({ active: 'subscribed', unsubscribed: 'unsubscribed', unreachable: 'bounced' }) as const)[status.toLowerCase()] ??
  'unsubscribed';

export async function* readKeila(files: AsyncIterable<SourceFile>): AsyncGenerator<Item> {
  for await (const file of files) {
    if (!/\.csv$/i.test(file.path)) continue;
    const csv = await openCsv(file);
    if (!csv.has('email')) continue;
    if (!csv.has('status')) throw new ImportRefusal(message('migration.no_status', { file: file.path.slice(0, 100) }));
    const list = plainName(file.path) || 'Keila';
    yield { kind: 'list', key: list, name: list, fields: nameFields };
    for await (const row of csv.rows()) {
      const { values, tags } = attributesOf(parsed(row.cell('data')));
      yield {
        kind: 'contact',
        list,
        email: row.cell('email'),
        state: keilaState(row.cell('status')),
        values: { ...values, FNAME: row.cell('first name', 'first_name'), LNAME: row.cell('last name', 'last_name') },
        tags,
        optinAt: row.cell('double opt-in at', 'double_opt_in_at', 'inserted at', 'inserted_at'),
      };
    }
  }
}
