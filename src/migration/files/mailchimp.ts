// Exports of Mailchimp: the archive of an audience (subscribed_…, unsubscribed_…, cleaned_… .csv), or that of the account with
// several of them in folders and the templates as HTML. The name of the file says the state; its columns say when and why.
import { ImportRefusal } from '../../audience/import/file/refusal.ts';
import { message } from '../../base/messages.ts';
import type { ContactState, Item, SourceField } from './item.ts';
import { type Csv, openCsv, plainName, type SourceFile, wholeText } from './source-file.ts';

/** Columns that are no merge fields. */
const facts = new Set([
  ...[
    'email address',
    'member_rating',
    'optin_time',
    'optin_ip',
    'confirm_time',
    'confirm_ip',
    'latitude',
    'longitude',
  ],
  ...[
    'gmtoff',
    'dstoff',
    'timezone',
    'cc',
    'region',
    'last_changed',
    'leid',
    'euid',
    'notes',
    'tags',
    'preferred_format',
  ],
  ...['unsub_time', 'unsub_campaign_title', 'unsub_campaign_id', 'unsub_reason', 'unsub_reason_other'],
  ...['clean_time', 'clean_campaign_title', 'clean_campaign_id', 'email_type', 'language', 'priority'],
]);
/** Folders that are not named after an audience. */
const plainFolders = new Set(['lists', 'audiences', 'members', 'contacts', 'export']);
const maxTemplateBytes = 8 * 1024 * 1024;

export async function* readMailchimp(files: AsyncIterable<SourceFile>): AsyncGenerator<Item> {
  for await (const file of files) {
    if (/\.csv$/i.test(file.path)) yield* readAudience(file);
    else if (/(^|\/)templates\/[^/]+\.html?$/i.test(file.path))
      yield {
        kind: 'template',
        key: file.path,
        name: plainName(file.path),
        html: await wholeText(file, maxTemplateBytes),
      };
  }
}

async function* readAudience(file: SourceFile): AsyncGenerator<Item> {
  const csv = await openCsv(file);
  if (!csv.has('Email Address')) return;
  const inName = /^(subscribed|unsubscribed|cleaned|non-?_?subscribed|pending|transactional)[_ -]/i.exec(
    file.path.replace(/^.*\//, ''),
  );
  // A file of another name says by its columns who left; without them it is not known.
  const word = inName?.[1]?.toLowerCase() ?? stateByColumns(csv);
  if (word === undefined) throw new ImportRefusal(message('migration.no_status', { file: file.path.slice(0, 100) }));
  const name = audienceOf(file);
  const fields = fieldsOf(csv);
  yield { kind: 'list', key: name, name, fields };
  for await (const row of csv.rows()) {
    const email = row.cell('Email Address');
    const state = stateOf(word, row.cell('UNSUB_TIME'), row.cell('CLEAN_TIME'), row.cell('UNSUB_REASON'));
    if (state === undefined) {
      yield { kind: 'not taken', list: name, value: email, reason: 'not_subscribed' };
      continue;
    }
    yield {
      kind: 'contact',
      list: name,
      email,
      state,
      values: Object.fromEntries(fields.map(({ key }) => [key, row.cells[Number(key)] ?? ''])),
      tags: row
        .cell('TAGS')
        .split(/[,;]/)
        .map((tag) => tag.trim().replace(/^"+|"+$/g, '')),
      optinAt: row.cell('CONFIRM_TIME') || row.cell('OPTIN_TIME'),
      optinIp: row.cell('CONFIRM_IP') || row.cell('OPTIN_IP'),
      language: row.cell('LANGUAGE'),
    };
  }
}

const stateByColumns = (csv: Csv) => (csv.has('UNSUB_TIME') || csv.has('CLEAN_TIME') ? 'subscribed' : undefined);

/** Undefined for contacts that never subscribed. */
function stateOf(word: string, left: string, cleaned: string, reason: string): ContactState | undefined {
  if (/abuse|complain|marked .*spam/i.test(reason)) return 'complained';
  if (word === 'unsubscribed' || left !== '') return 'unsubscribed';
  if (word === 'cleaned' || cleaned !== '') return 'bounced';
  if (word === 'pending') return 'pending';
  return word === 'subscribed' ? 'subscribed' : undefined;
}

/** The folder of the file, or the archive without what Mailchimp adds to each name. */
function audienceOf(file: SourceFile): string {
  const folder = file.path.split('/').at(-2) ?? '';
  if (folder !== '' && !plainFolders.has(folder.toLowerCase())) return folder;
  return plainName(file.upload).replace(/^(subscribed|unsubscribed|cleaned|nonsubscribed)_/i, '') || 'Mailchimp';
}

/** A column that is no fact is a merge field. Its key is the number of the column. */
function fieldsOf(csv: Csv): SourceField[] {
  return csv.headings.flatMap((heading, no) =>
    facts.has(heading.toLowerCase()) || heading === ''
      ? []
      : [{ key: String(no), name: heading, type: 'text' as const, tag: tagOf(heading) }],
  );
}

const tagOf = (heading: string) =>
  ({ 'first name': 'FNAME', 'last name': 'LNAME', 'phone number': 'PHONE', address: 'ADDRESS', birthday: 'BIRTHDAY' })[
    heading.toLowerCase()
  ];
