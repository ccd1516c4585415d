// Which slice owns each table, and THE list of the references that run against the order of the slices. A slice reads and writes
// its own tables and those of the slices to its left, as it may import them; anything else is listed here with its reason.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseSync } from '@swc/core';

const root = join(import.meta.dirname, '..');

/** The slices from left to right (.dependency-cruiser.cjs), with their tables. */
const owners = {
  base: ['account_move', 'account_write', 'heartbeat', 'idempotency_record', 'installation', 'webhook_event', 'worker'],
  accounts: [
    ...['account', 'app_user', 'membership', 'invitation', 'session', 'identity', 'provider_attempt', 'passkey'],
    ...['passkey_challenge', 'recovery_code', 'sign_in_link', 'sign_in_try', 'api_key', 'audit_entry'],
    'sent_count',
    'label',
    ...['moved_address', 'moved_hit'],
  ],
  senders: ['sender', 'sender_domain', 'sender_domain_key', 'dmarc_report', 'dmarc_source'],
  relays: [
    ...[
      'relay',
      'relay_hour',
      'relay_limit',
      'relay_refusal',
      'relay_test',
      'oauth_grant',
      'day_quota',
      'worker_status',
    ],
  ],
  webhooks: ['webhook', 'webhook_delivery', 'webhook_attempt'],
  audience: [
    ...['list', 'list_text', 'field', 'contact', 'former_contact', 'subscription', 'member_tally', 'suppression'],
    ...['consent', 'consent_link', 'consent_chain', 'clean_up_rule', 'segment', 'segment_watch', 'segment_member'],
    ...['upload', 'upload_piece', 'import', 'import_change', 'import_problem', 'confirmation_asked'],
    ...['address_change'],
    ...['confirmation_count', 'signup_count', 'signup_proof', 'signup_refusal', 'ignored_name', 'list_notice'],
    ...['contact_event', 'event_id', 'event_name'],
    'account_field',
    'list_label',
  ],
  campaigns: [
    ...[
      'template',
      'template_version',
      'saved_block',
      'campaign',
      'campaign_list',
      'campaign_segment',
      'campaign_exclusion',
    ],
    ...['campaign_test', 'campaign_variant', 'campaign_version', 'campaign_edit', 'campaign_presence', 'link'],
    'campaign_revision',
    ...['campaign_label', 'template_label'],
    ...['campaign_approval', 'campaign_approval_step', 'campaign_comment'],
    ...['asset', 'campaign_asset', 'sent_asset', 'picture', 'inline_image', 'attachment_content'],
    ...['campaign_attachment', 'test_mail', 'archive', 'followed_link'],
  ],
  migration: [...['source_migration', 'source_migration_list', 'source_migration_problem', 'source_migration_target']],
  recurring: ['recurring', 'recurring_issue', 'recurring_item'],
  tracking: [
    ...[
      'hit',
      'engagement',
      'link_engagement',
      'recipient_summary',
      'recipient_block',
      'new_reaction',
      'kept_report',
      'folded_report',
      'conversion',
      'report_link',
    ],
  ],
  delivery: [
    ...['frozen_content', 'delivery', 'former_recipient', 'lost_attempt', 'chunk', 'tally', 'exclusion'],
    ...['occasion_plan', 'past_occasion', 'freezing', 'held_recipient', 'refusals', 'refused', 'refused_reply'],
    ...['sending_day', 'campaign_watch', 'reputation_warning'],
  ],
  returned: ['notice', 'notice_source', 'bounce_mailbox', 'incoming_notice'],
  messages: ['message', 'message_recipient'],
  automations: [
    ...['automation', 'automation_version', 'automation_run', 'automation_tally', 'automation_signal'],
    ...['automation_webhook', 'incoming_webhook', 'automation_member'],
    'automation_label',
  ],
  mail: [],
  inbox: ['inbox_message'],
  home: [],
  operator: [],
} as const;

type Slice = keyof typeof owners;
const slices = Object.keys(owners) as Slice[];
/** Folders of `base`; those that no slice imports (doors, pages, doctor, demo, backup, move) may read everything. */
const baseFolders = ['base', 'db', 'jobs', 'events', 'method', 'locales', 'telemetry'];

type Permitted = { from: Slice; tables: readonly string[]; in: RegExp; why: string };

/** Rows of a slice to the right that are written. */
const writes: Permitted[] = [
  {
    from: 'senders',
    tables: ['list'],
    in: /^senders\/senders\//,
    why: 'a list shows its sender; both change in one transaction',
  },
  {
    from: 'audience',
    tables: ['campaign'],
    in: /^audience\/(fields\/rename|lists\/delete|segments\/change)/,
    why: 'an autoresponder names its date field by tag and follows a new one, or the renaming is refused; a deleted list is noted',
  },
  {
    from: 'audience',
    tables: ['campaign_list', 'campaign_segment', 'campaign_exclusion'],
    in: /^audience\/(lists\/delete|segments\/change)/,
    why: 'a list or segment that is deleted leaves the drafts that name it, and no campaign may begin in between',
  },
  {
    from: 'campaigns',
    tables: ['chunk', 'delivery', 'tally', 'exclusion', 'occasion_plan', 'freezing', 'frozen_content'],
    in: /^campaigns\/draft\/unsent/,
    why: 'a paused campaign that no one received forgets its launch in the transaction that changes it',
  },
  {
    from: 'campaigns',
    tables: ['frozen_content'],
    in: /^campaigns\/release\/correct-link/,
    why: 'the corrected target of a link counts for messages that are still to be sent, and for pages',
  },
  {
    from: 'delivery',
    tables: ['inbox_message'],
    in: /^delivery\/sending\/keep-test/,
    why: 'a message of a test key is kept where others are passed to a relay',
  },
  {
    from: 'delivery',
    tables: ['notice'],
    in: /^delivery\/control\/fold-recipients/,
    why: 'what came back about an old recipient is summed and deleted with it in one transaction',
  },
  {
    from: 'delivery',
    tables: ['message'],
    in: /^delivery\/ledger\/end-messages/,
    why: 'a single message ends in the transaction that writes its last outcome',
  },
];

/** Rows of a slice to the right that are read. */
const reads: Permitted[] = [
  {
    from: 'audience',
    tables: ['tally'],
    in: /^audience\/lists\/delete/,
    why: 'whether an email of a paused automation has recipients that wait',
  },
  {
    from: 'campaigns',
    tables: ['recurring'],
    in: /^campaigns\/draft\/unsent/,
    why: 'a draft whose copies are sent is changed only by those who may send',
  },
  { from: 'base', tables: ['relay'], in: /^base\/relay\//, why: 'whether there is a relay at all' },
  { from: 'base', tables: ['webhook'], in: /^events\/emit/, why: 'an event is stored only if a webhook wants it' },
  {
    from: 'accounts',
    tables: [
      ...[
        'list',
        'segment',
        'campaign',
        'template',
        'webhook',
        'incoming_webhook',
        'automation',
        'recurring',
        'sender',
      ],
      ...['bounce_mailbox', 'notice_source', 'import'],
    ],
    in: /^accounts\/audit\//,
    why: 'the names that the audit log shows',
  },
  {
    from: 'accounts',
    tables: ['sender', 'segment', 'campaign_list', 'campaign_segment'],
    in: /^accounts\/audit\/changes/,
    why: 'the values before and after a call, for its entry in the audit log',
  },
  {
    from: 'relays',
    tables: ['campaign', 'chunk', 'tally'],
    in: /^relays\/settings\/waiting-emails/,
    why: 'what waits for a relay',
  },
  {
    from: 'accounts',
    tables: ['list'],
    in: /^accounts\/keys\/lists/,
    why: 'the lists that a person or key is limited to exist',
  },
  {
    from: 'accounts',
    tables: ['sender_domain'],
    in: /^accounts\/account\/foreign-domain/,
    why: 'the address of an account is of no domain that another has proven',
  },
  { from: 'senders', tables: ['list', 'campaign'], in: /^senders\/senders\//, why: 'what uses a sender' },
  { from: 'webhooks', tables: ['list'], in: /^webhooks\/webhook/, why: 'a webhook may be of one list' },
  {
    from: 'audience',
    tables: [
      ...['campaign', 'campaign_list', 'campaign_segment', 'campaign_exclusion', 'link', 'frozen_content'],
      ...['automation', 'automation_run', 'automation_version', 'occasion_plan'],
    ],
    in: /^audience\/(fields|lists|segments)\//,
    why: 'what uses a field, list or segment that is to be changed or deleted',
  },
  {
    from: 'audience',
    tables: [
      ...['campaign', 'campaign_list', 'campaign_segment', 'campaign_exclusion', 'link', 'delivery', 'tally'],
      ...['engagement', 'link_engagement', 'new_reaction', 'recipient_block', 'recipient_summary'],
    ],
    in: /^audience\/(segments|clean-up|contacts\/browse)/,
    why: 'conditions on what contacts were sent and did, in one statement with the contacts',
  },
  {
    from: 'audience',
    tables: [
      ...[
        'automation',
        'automation_run',
        'campaign',
        'chunk',
        'delivery',
        'engagement',
        'hit',
        'link',
        'message',
        'notice',
      ],
    ],
    in: /^audience\/contacts\/timeline/,
    why: 'the timeline of a contact is one sorted union of what all slices know',
  },
  {
    from: 'audience',
    tables: ['campaign'],
    in: /^audience\/members\/suppression-methods/,
    why: 'the suppression list names the campaign that an entry followed from',
  },
  {
    from: 'audience',
    tables: ['campaign'],
    in: /^audience\/model\/consent-log/,
    why: 'evidence names a campaign only to callers who see it',
  },
  {
    from: 'audience',
    tables: ['source_migration', 'source_migration_list'],
    in: /^audience\/import\/tasks/,
    why: 'a file that a migration still reads is not deleted',
  },
  { from: 'audience', tables: ['asset'], in: /^audience\/signup\//, why: 'the logo of a form' },
  {
    from: 'campaigns',
    tables: ['automation', 'recurring'],
    in: /^campaigns\/list\/automated/,
    why: 'the list of campaigns shows what sends an email',
  },
  {
    from: 'campaigns',
    tables: ['automation'],
    in: /^campaigns\/check\//,
    why: 'the check says when no event leads to an email that shows one',
  },
  {
    from: 'campaigns',
    tables: ['bounce_mailbox', 'notice_source'],
    in: /^campaigns\/check\//,
    why: 'the check says when returned mail is not read',
  },
  {
    from: 'campaigns',
    tables: ['chunk', 'delivery', 'tally', 'frozen_content'],
    in: /^campaigns\/(draft\/unsent|list|model\/variant|public-archive)/,
    why: 'whether a recipient may have received the campaign, how many, and what was sent',
  },
  { from: 'recurring', tables: ['tally'], in: /^recurring\/read/, why: 'the recipients of past issues' },
  {
    from: 'tracking',
    tables: ['chunk', 'delivery', 'frozen_content', 'notice', 'tally'],
    in: /^tracking\//,
    why: 'reports join what was sent with what was done',
  },
  {
    from: 'delivery',
    tables: ['message', 'message_recipient'],
    in: /^delivery\/(launch\/clock-set-back|ledger|message)\b/,
    why: 'single messages wait, are marked and are rendered as those of campaigns are',
  },
  {
    from: 'delivery',
    tables: ['automation_run'],
    in: /^delivery\/ledger\/run-event/,
    why: 'the email of an automation shows the event that the run began with',
  },
  {
    from: 'delivery',
    tables: ['bounce_mailbox', 'notice', 'notice_source'],
    in: /^delivery\/(message|outcomes|progress)\//,
    why: 'the return path of a message; bounces counted and shown with other outcomes',
  },
  {
    from: 'returned',
    tables: ['message', 'message_recipient'],
    in: /^returned\/record\//,
    why: 'the single message that a notice is about',
  },
];

const ownerOf = new Map<string, Slice>(slices.flatMap((slice) => owners[slice].map((table) => [table, slice])));

test('every table has one owner', () => {
  const schema = readFileSync(join(root, 'src/db/schema.sql'), 'utf8');
  const tables = [...schema.matchAll(/^create (?:unlogged )?table (\w+)(?! partition of)/gim)].map(([, name]) => name!);
  const owned = slices.flatMap((slice) => [...owners[slice]]).sort();
  assert.ok(tables.length > 100);
  assert.deepEqual(owned, [...new Set(tables)].filter((name) => !/_(default|auto)$/.test(name)).sort());
});

type Reference = { file: string; from: Slice; table: string; writes: boolean };

test('references to tables of slices to the right are permitted ones', () => {
  const against = references().filter(({ from, table }) => slices.indexOf(ownerOf.get(table)!) > slices.indexOf(from));
  const isPermitted = ({ file, from, table, writes: isWrite }: Reference) =>
    (isWrite ? writes : [...reads, ...writes]).some(
      (one) => one.from === from && one.tables.includes(table) && one.in.test(file),
    );
  const foreign = against.filter((one) => !isPermitted(one));
  assert.deepEqual(
    foreign.map(({ file, table, writes: isWrite }) => `${file} ${isWrite ? 'writes' : 'reads'} ${table}`),
    [],
  );
});

test('no permission is without use', () => {
  const all = references();
  const unused = (permitted: Permitted[], isWrite: boolean) =>
    permitted.flatMap((one) =>
      one.tables
        .filter(
          (table) =>
            !all.some(
              (used) =>
                used.table === table && used.from === one.from && used.writes === isWrite && one.in.test(used.file),
            ),
        )
        .map((table) => `${one.in.source} ${table}`),
    );
  assert.deepEqual([...unused(writes, true), ...unused(reads, false)], []);
});

test('references are found in statements and in the fragments that name a table', () => {
  const found = referencesIn(
    `await tx.run(sql\`update link set url = '' from campaign c where c.id = \${id}\`);
    const t = sql\`chunk\`;
    sql\`delete from \${t} using tally\`;`,
    'audience/x.ts',
  );
  assert.deepEqual(
    found.map(({ table, writes: isWrite }) => `${table} ${isWrite}`),
    ['link true', 'campaign false', 'chunk true', 'tally false'],
  );
});

function references(): Reference[] {
  return globSync('**/*.ts', { cwd: join(root, 'src') })
    .filter((file) => !/\.test(-d)?\.ts$/.test(file))
    .flatMap((file) => referencesIn(readFileSync(join(root, 'src', file), 'utf8'), file));
}

const keyword = /\b(insert into|update(?: only)?|delete from|merge into|from|join|using|table)\s+(\w+)\b/g;
const isWriting = (word: string) => /insert|update|delete|merge/.test(word);

function referencesIn(source: string, file: string): Reference[] {
  const folder = file.split('/')[0]!;
  const from = baseFolders.includes(folder) ? 'base' : (folder as Slice);
  if (!slices.includes(from)) return [];
  const templates = templatesIn(parseSync(source, { syntax: 'typescript', target: 'es2024' }));
  const writesSomeTable = templates.some((text) => /(insert into|update|delete from) \?/.test(text));
  const found = templates.flatMap((text) => {
    const statement = text.replace(/^\s*--.*$/gm, '');
    const fragment = statement.trim();
    if (ownerOf.has(fragment)) return [{ file, from, table: fragment, writes: writesSomeTable }];
    return [...statement.matchAll(keyword)]
      .filter(([, , name]) => ownerOf.has(name!) && !new RegExp(`\\b${name} as \\(`).test(statement))
      .map(([, word, name]) => ({ file, from, table: name!, writes: isWriting(word!) }));
  });
  return [...new Map(found.map((one) => [`${one.table} ${one.writes}`, one])).values()];
}

type Node = { type?: string; tag?: { value?: string }; template?: { quasis: { raw: string }[] } };

/** The texts of all sql`…` below a node of the syntax tree, with ? for each value. */
function templatesIn(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(templatesIn);
  if (typeof node !== 'object' || node === null) return [];
  const { type, tag, template } = node as Node;
  const own =
    type === 'TaggedTemplateExpression' && tag?.value === 'sql'
      ? [template!.quasis.map(({ raw }) => raw).join('?')]
      : [];
  return [...own, ...Object.values(node).flatMap(templatesIn)];
}
