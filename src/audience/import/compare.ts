// Compares a batch of rows with the list: COPY into a temporary table, then one statement that determines the outcome of
// each row. The dry run and the run share it, so that one predicts the other. Changes nothing permanent.

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import { type Sql, sql, type Tx } from '../../db/connect.ts';
import { sharedTags, valuesElsewhere } from '../model/account-values.ts';
import { maxTags } from '../model/contact-tag.ts';
import { hashOf } from '../model/suppression.ts';
import type { Counts, Rules } from './plan.ts';
import type { Row } from './row.ts';

export type Target = {
  accountId: number;
  listId: number;
  rules: Rules;
  isOfSet: boolean;
  /** Tags of required fields without a default. */
  required: string[];
  /** Tags of the merge fields for which the file has a column. */
  tags: string[];
};

/** The outcomes of a readable row: members of Counts. */
type Outcome = Exclude<keyof Counts, 'rows' | 'duplicate' | 'added_left' | 'values_left_out'>;

/**
 * Fills import_compared, which lives until the transaction ends, with each row, its outcome and next values (`outcome`,
 * `next_status`, `next_fields` …) and the current ones (`was_…`). Returns the number of rows by outcome.
 */
export async function compareRows(
  tx: Tx,
  target: Target,
  lines: readonly Buffer[],
  dry: boolean,
): Promise<Partial<Counts>> {
  const { accountId, listId, rules } = target;
  await prepareTables(tx);
  await copyRows(tx, lines);
  const statusOfNew = rules.doubleOptin ? 'pending' : 'subscribed';
  const mayResubscribe = rules.resubscribe !== '';
  const suppressed = await suppressedKinds(tx, accountId);
  const counted = await tx.rows<{ outcome: Outcome; count: number; left: number; withoutTags: number }>(sql`
    with compared as (
      insert into import_compared
      select line,
        case when contact_id is null and outcome = 'added' and ${!dry} then public_id(nextval('contact_seq'))
          else contact_id end,
        contact_id is null, email, email_key, domain,
        coalesce(language, was_language, ''), coalesce(time_zone, was_zone, ''),
        coalesce(language <> was_language, false) or coalesce(time_zone <> was_zone, false)
          or not ${tagsStay},
        was_status, was_changed_at, next_status, next_fields, coalesce(email_type, was_type, 'html'),
        coalesce(optin_ip, ''), optin_at, case when too_many_tags then null else tags end, outcome, too_many_tags,
        confirm_ip, confirm_at, signup_at, unsubscribe_at, unsubscribe_reason
      from (
        select decided.*,
          case
            when suppressed then 'suppressed'
            when was_status is null and ${rules.update} = 'update' then 'unknown'
            when was_status is not null and ${rules.update} = 'add' then 'known'
            when opted_out then 'left'
            when ${target.required.length > 0} and exists (
              select from unnest(${target.required}::text[]) as tag where coalesce(next_fields ->> tag, '') = ''
            ) then 'invalid'
            when was_status is null then 'added'
            when next_status = was_status
              and next_fields = was_fields
              and coalesce(email_type, was_type) = was_type
              and coalesce(language, was_language) = was_language
              and coalesce(time_zone, was_zone) = was_zone
              and ${tagsStay} then 'unchanged'
            else 'updated'
          end as outcome
        from (
          select met.*,
            case
              when was_status is null then case wanted when 'unsubscribed' then wanted when 'bounced' then wanted
                when 'pending' then wanted else ${statusOfNew} end
              when wanted is null then was_status
              when wanted = 'subscribed' then case
                when was_status = 'subscribed' then was_status
                when (was_status = 'pending' and not had_left) or ${mayResubscribe} then ${statusOfNew}
                else was_status end
              when wanted = 'pending' then case
                when was_status in ('subscribed', 'pending') or not ${mayResubscribe} then was_status
                else wanted end
              when wanted = 'bounced' and was_status = 'unsubscribed' then was_status
              else wanted
            end as next_status,
            (was_status in ('unsubscribed', 'bounced', 'inactive') or had_left)
              and not ${mayResubscribe}
              and coalesce(wanted, case when ${rules.update} = 'update' then '' else 'subscribed' end)
                in ('subscribed', 'pending') as opted_out
          from (
            select s.*, c.id as contact_id, c.language as was_language, c.time_zone as was_zone, c.tags as was_tags,
              ${hadLeft(accountId, listId)} as had_left,
              b.status as was_status, b.fields as was_fields, b.email_type as was_type,
              b.changed_at as was_changed_at, coalesce(s.status, ${statusByRules(rules)}) as wanted,
              case
                when b.fields is null then ${await presentValues(tx, target)} || s.fields
                when s.cleared is null then b.fields || s.fields
                else b.fields - s.cleared || s.fields
              end as next_fields,
              ${tooManyTags} as too_many_tags, ${isSuppressed(accountId, suppressed)} as suppressed
            from import_stage s
            left join contact c on c.account_id = ${accountId} and c.email_key = s.email_key
            left join subscription b on b.account_id = ${accountId} and b.list_id + 0 = ${listId}
              and b.contact_id = c.id
            offset 0
          ) met
          offset 0
        ) decided
        offset 0
      ) ruled
      order by email_key
      returning outcome, next_status, too_many_tags
    )
    select outcome, count(*) as count, count(*) filter (where next_status in ('unsubscribed', 'bounced')) as left,
      count(*) filter (where too_many_tags) as "withoutTags"
    from compared
    group by outcome`);
  const counts: Partial<Counts> = Object.fromEntries(counted.map(({ outcome, count }) => [outcome, count]));
  const added = counted.find(({ outcome }) => outcome === 'added');
  if (added && added.left > 0) counts.added_left = added.left;
  const withoutTags = counted
    .filter(({ outcome }) => isImported(outcome))
    .reduce((sum, row) => sum + row.withoutTags, 0);
  return withoutTags > 0 ? { ...counts, values_left_out: withoutTags } : counts;
}

/** SQL: what a new member c has on other lists, in fields of the account. Of a pending one it may change until it confirms. */
async function presentValues(tx: Tx, { accountId, listId, rules, isOfSet }: Target): Promise<Sql> {
  const takes = !rules.doubleOptin && !isOfSet && (await sharedTags(tx, accountId, listId)).length > 0;
  return takes ? valuesElsewhere(accountId, listId, sql`c.id`) : sql`'{}'::jsonb`;
}

/** Whether the contact has all tags of the row, or the row has none that it could get. */
const tagsStay = sql`(too_many_tags or coalesce(tags <@ was_tags, true))`;
const tooManyTags = sql`
  (s.tags is not null and (select count(distinct tag) from unnest(c.tags || s.tags) as tag) > ${maxTags})`;

const isImported = (outcome: Outcome) => ['added', 'updated', 'unchanged'].includes(outcome);

type SuppressedKinds = { address: boolean; domain: boolean; hash: boolean };

function isSuppressed(accountId: number, kinds: SuppressedKinds): Sql {
  const entry = sql`select from suppression x where x.account_id = ${accountId}`;
  return sql`
    (${kinds.address} and exists (${entry} and x.kind = 'address' and x.value = s.email_key)
    or ${kinds.domain} and exists (${entry} and x.kind = 'domain' and x.value = s.domain)
    or ${kinds.hash} and exists (
      ${entry} and x.kind = 'hash' and x.value = ${hashOf(accountId, sql`s.email_key`)}
    ))`;
}

/** The status that the rules give to rows without one. */
function statusByRules({ status, resubscribe }: Rules): string | null {
  if (status !== '') return status;
  return resubscribe !== '' ? 'subscribed' : null;
}

/** Temporary tables of the connection, emptied with every transaction. */
async function prepareTables(tx: Tx): Promise<void> {
  // A few thousand rows are compared with tables of any size, so indexes are always right. The temporary tables have no
  // statistics from which the planner could see that. For the same reason the statements compare `list_id + 0`: in a table that has grown since
  // its statistics, the index that begins with the contact is the right one, and the one by status is not.
  await tx.client.query(
    'set local enable_hashjoin = off; set local enable_mergejoin = off; set local enable_seqscan = off; set local enable_material = off; set local jit = off; set local client_min_messages = warning',
  );
  await tx.client.query(`
    create temporary table if not exists import_stage (
      line int, email text, email_key text, domain text, email_type text, status text, language text, time_zone text,
      optin_ip text, optin_at timestamptz, fields jsonb, cleared text[], tags text[], confirm_ip text,
      confirm_at timestamptz, signup_at timestamptz, unsubscribe_at timestamptz, unsubscribe_reason text
    ) on commit delete rows`);
  await tx.client.query(`
    create temporary table if not exists import_compared (
      line int, contact_id int, is_new boolean, email text, email_key text, domain text, language text, time_zone text,
      person_changes boolean, was_status text, was_changed_at timestamptz, next_status text, next_fields jsonb,
      email_type text, optin_ip text, optin_at timestamptz, tags text[], outcome text,
      too_many_tags boolean, confirm_ip text, confirm_at timestamptz, signup_at timestamptz,
      unsubscribe_at timestamptz, unsubscribe_reason text
    ) on commit delete rows`);
}

/** SQL: whether a pending contact c has left the list before: it signed up again, and has left until it confirms. */
const hadLeft = (accountId: number, listId: number): Sql => sql`
  coalesce(b.status = 'pending' and exists (
    select
    from consent k
    where k.account_id = ${accountId} and k.contact_id = c.id and k.list_id = ${listId} and k.kind = 'unsubscribe'
  ), false)`;

/** Which kinds of suppression entries exist, so that rows are checked only against those. */
async function suppressedKinds(tx: Tx, accountId: number): Promise<SuppressedKinds> {
  const row = await tx.row<SuppressedKinds>(sql`
    select exists (select from suppression where account_id = ${accountId} and kind = 'address') as address,
      exists (select from suppression where account_id = ${accountId} and kind = 'domain') as domain,
      exists (select from suppression where account_id = ${accountId} and kind = 'hash') as hash`);
  return row!;
}

async function copyRows(tx: Tx, lines: readonly Buffer[]): Promise<void> {
  await pipeline(Readable.from(lines), tx.client.query(copyFrom('copy import_stage from stdin')));
}

/** A row as compareRows takes it: a line of the text format of PostgreSQL's COPY. */
export function stageLine(line: number, row: Row): string {
  const cleared = row.cleared.length === 0 ? '\\N' : `{${row.cleared.join(',')}}`;
  const tags = row.tags.length === 0 ? '\\N' : escaped(arrayText(row.tags));
  return `${line}\t${escaped(row.email)}\t${escaped(row.key)}\t${row.domain}\t${row.emailType || '\\N'}\t${row.status || '\\N'}\t${row.language || '\\N'}\t${row.zone || '\\N'}\t${row.optinIp || '\\N'}\t${row.optinAt || '\\N'}\t${escaped(JSON.stringify(row.values))}\t${cleared}\t${tags}\t${row.confirmIp || '\\N'}\t${row.confirmAt || '\\N'}\t${row.signupAt || '\\N'}\t${row.unsubscribeAt || '\\N'}\t${row.unsubscribeReason === '' ? '\\N' : escaped(row.unsubscribeReason)}\n`;
}

/** PostgreSQL: an array of texts as a literal. */
const arrayText = (texts: readonly string[]) =>
  `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;

/** PostgreSQL: COPY, text format. */
function escaped(text: string): string {
  return /[\\\t\n\r]/.test(text)
    ? text.replace(/[\\\t\n\r]/g, (sign) =>
        sign === '\\' ? '\\\\' : sign === '\t' ? '\\t' : sign === '\n' ? '\\n' : '\\r',
      )
    : text;
}
