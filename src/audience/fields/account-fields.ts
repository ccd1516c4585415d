// Fields of the account: listing, creating, joining fields of lists with a preview, and making them fields of lists again.
import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { enqueue } from '../../jobs/queue.ts';
import { formatDate } from '../../method/date.ts';
import { distinctChoices } from '../model/chosen.ts';
import { type Field, type FieldType, fieldsOf } from '../model/field.ts';
import { needList } from '../model/list.ts';
import { needNewTag } from '../model/tag.ts';
import { addField, type FieldOptions } from './change.ts';
import { findShared } from './shared.ts';
import { between, type JoinRule, judged, takingPart } from './winners.ts';

/** Contacts that a preview looks through in one statement. */
const lookedThrough = 20_000;
export const maxExamples = 20;

type ListField = { listId: number; listName: string; name: string; type: FieldType; choices: string[] };

export async function accountFields({ tx, account }: Context) {
  const rows = await tx.rows<{
    tag: string;
    state: 'joining' | 'joined';
    contacts: number;
    createdAt: Date;
    joinedAt: Date | null;
    lists: ListField[];
  }>(sql`
    select a.tag, a.state, a.joined_contacts as contacts, a.created_at as "createdAt", a.joined_at as "joinedAt",
      jsonb_agg(jsonb_build_object('listId', l.id, 'listName', l.name, 'name', f.name, 'type', f.field_type, 'choices', f.choices)
        order by l.created_at, l.id) as lists
    from account_field a
    join field f on f.account_id = a.account_id and f.tag = a.tag
    join list l on l.account_id = f.account_id and l.id = f.list_id
    where a.account_id = ${account.id}
    group by a.account_id, a.tag
    order by a.tag`);
  return rows.map(({ tag, state, contacts, createdAt, joinedAt, lists }) => ({
    tag,
    name: lists[0]!.name,
    field_type: lists[0]!.type,
    predefined_values: lists[0]!.choices,
    state,
    lists: lists.map(shownList),
    joined_contacts: contacts,
    created_at: formatDate(createdAt),
    joined_at: formatDate(joinedAt),
  }));
}

const shownList = ({ listId, listName }: Pick<ListField, 'listId' | 'listName'>) => ({
  id: formatId(listId),
  name: listName,
});

type Asked = { tag: string; rule: 'newest' | 'list'; list: string };

/** @throws Fault FIELD_INVALID, EMAIL_FIELD_FIXED, LIST_UNKNOWN */
export async function accountFieldPreview(context: Context, asked: Asked) {
  const { fields, ...rule } = await needJoinable(context, asked);
  const found = await differences(context, rule);
  return {
    tag: rule.tag,
    field_type: fields[0]!.type,
    predefined_values: unionOf(fields),
    lists: fields.map(shownList),
    conflicts: found.conflicts,
    filled: found.filled,
    examples: await examplesOf(context, rule, found.examples),
  };
}

/** @throws Fault FIELD_INVALID, EMAIL_FIELD_FIXED, LIST_UNKNOWN, ACCOUNT_FIELD_PREVIEW_OLD */
export async function accountFieldJoin(context: Context, asked: Asked & { conflicts: number }): Promise<true> {
  const { tx, account } = context;
  await lockAllFields(context);
  const { fields, ...rule } = await needJoinable(context, asked);
  const { conflicts } = await differences(context, rule);
  if (conflicts > asked.conflicts)
    throw fault('ACCOUNT_FIELD_PREVIEW_OLD', 'field.preview_old', {
      member: 'conflicts',
      count: conflicts,
      before: asked.conflicts,
    });
  const [oldest] = fields;
  await tx.run(sql`
    update field
    set name = ${oldest!.name}, choices = ${unionOf(fields)}::text[]
    where account_id = ${account.id}
      and tag = ${rule.tag}`);
  await tx.run(sql`
    insert into account_field (account_id, tag, state, rule, list_id)
    values (${account.id}, ${rule.tag}, 'joining', ${rule.rule}, ${rule.listId})`);
  await enqueue(tx, 'joinAccountField', { account_id: account.id, tag: rule.tag });
  return true;
}

/** @throws Fault FIELD_INVALID, LIST_UNKNOWN */
export async function accountFieldCreate(
  context: Context,
  given: { tag: string; name: string; lists: string[]; options: FieldOptions },
): Promise<true> {
  const { tx, account } = context;
  const tag = needNewTag(given.tag);
  await lockAllFields(context);
  const lists = given.lists.length > 0 ? given.lists : await everyList(context);
  if (lists.length === 0) throw fault('FIELD_INVALID', 'field.no_lists', { member: 'lists' });
  for (const id of lists) await needList(context, id);
  if (await findShared(context, tag)) throw fault('FIELD_INVALID', 'field.of_account_already', { member: 'tag', tag });
  const named = await listFieldsWith(context, tag);
  if (named.length > 0) throw fault('FIELD_INVALID', 'field.on_lists', { member: 'tag', tag, lists: namesOf(named) });
  for (const id of new Set(lists)) await addField(context, { id, tag, name: given.name, options: given.options });
  await tx.run(sql`
    insert into account_field (account_id, tag, state, joined_at)
    values (${account.id}, ${tag}, 'joined', now())`);
  return true;
}

/** The fields stay on their lists, with their values. @throws Fault FIELD_INVALID */
export async function accountFieldDelete({ tx, account }: Context, { tag }: { tag: string }): Promise<true> {
  const name = tag.trim().toUpperCase();
  const count = await tx.run(sql`delete from account_field where account_id = ${account.id} and tag = ${name}`);
  if (count === 0) throw fault('FIELD_INVALID', 'field.not_of_account', { member: 'tag', tag: name.slice(0, 40) });
  return true;
}

/** No list gets or loses a field meanwhile, and a second call waits. */
async function lockAllFields({ tx, account }: Context): Promise<void> {
  await tx.run(sql`select from list where account_id = ${account.id} order by id for no key update`);
}

async function everyList({ tx, account }: Context): Promise<string[]> {
  const rows = await tx.rows<{ id: number }>(sql`
    select id from list where account_id = ${account.id} order by created_at, id`);
  return rows.map(({ id }) => formatId(id));
}

/** The fields with this tag, oldest list first. */
async function listFieldsWith({ tx, account }: Context, tag: string): Promise<ListField[]> {
  return tx.rows<ListField>(sql`
    select l.id as "listId", l.name as "listName", f.name, f.field_type as type, f.choices
    from field f
    join list l on l.account_id = f.account_id and l.id = f.list_id
    where f.account_id = ${account.id}
      and f.tag = ${tag}
    order by l.created_at, l.id`);
}

const namesOf = (fields: readonly ListField[]) => fields.map(({ listName }) => `"${listName}"`).join(', ');

const unionOf = (fields: readonly Pick<Field, 'choices'>[]) =>
  distinctChoices(fields.flatMap(({ choices }) => choices));

/** The fields that would be joined, and how. @throws Fault FIELD_INVALID, EMAIL_FIELD_FIXED, LIST_UNKNOWN */
async function needJoinable(context: Context, asked: Asked): Promise<JoinRule & { fields: ListField[] }> {
  const tag = asked.tag.trim().toUpperCase();
  if (tag === 'EMAIL') throw fault('EMAIL_FIELD_FIXED', 'field.email_joined', { member: 'tag' });
  const fields = await listFieldsWith(context, tag);
  if (fields.length === 0) throw fault('FIELD_INVALID', 'field.on_no_list', { member: 'tag', tag: tag.slice(0, 40) });
  if (await findShared(context, tag)) throw fault('FIELD_INVALID', 'field.of_account_already', { member: 'tag', tag });
  const type = fields[0]!.type;
  const others = fields.filter((field) => field.type !== type);
  if (others.length > 0)
    throw fault('FIELD_INVALID', 'field.types_differ', {
      member: 'tag',
      tag,
      type,
      lists: others.map((field) => `"${field.listName}" (${field.type})`).join(', '),
    });
  // Their values are stored in the order of the choices.
  if (type === 'multiple_choice' && fields.some(({ choices }) => !isDeepStrictEqual(choices, fields[0]!.choices)))
    throw fault('FIELD_INVALID', 'field.choices_differ', { member: 'tag', tag, lists: namesOf(fields) });
  if (asked.rule === 'newest') return { accountId: context.account.id, tag, rule: 'newest', listId: null, fields };
  const list = await needList(context, asked.list);
  if (!(await fieldsOf(context, list.id)).some((field) => field.tag === tag))
    throw fault('FIELD_INVALID', 'field.list_without', { member: 'list', tag, lists: namesOf(fields) });
  return { accountId: context.account.id, tag, rule: 'list', listId: list.id, fields };
}

type Differences = { conflicts: number; filled: number; examples: number[] };

/** Looks through all contacts, some thousand in each statement. */
async function differences({ tx }: Context, rule: JoinRule): Promise<Differences> {
  const found: Differences = { conflicts: 0, filled: 0, examples: [] };
  for (let after = -1; ; ) {
    const end = await tx.row<{ last: number | null }>(sql`
      select max(id) as last
      from (
        select id from contact where account_id = ${rule.accountId} and id > ${after} order by id limit ${lookedThrough}
      ) p`);
    if (!end || end.last === null) return found;
    const row = await tx.row<Differences>(sql`
      with mixed as (
        select contact_id, min(nullif(value, '')) <> max(nullif(value, '')) as differ
        from (
          select s.contact_id, coalesce(s.fields ->> ${rule.tag}, '') collate "C" as value
          ${takingPart(rule, between(after, end.last))}
        ) v
        group by contact_id
        having min(value) <> max(value)
      )
      select count(*) filter (where differ)::int as conflicts, count(*) filter (where not differ)::int as filled,
        coalesce((array_agg(contact_id order by contact_id) filter (where differ))[1:${maxExamples}], '{}') as examples
      from mixed`);
    found.conflicts += row!.conflicts;
    found.filled += row!.filled;
    found.examples.push(...row!.examples.slice(0, maxExamples - found.examples.length));
    after = end.last;
  }
}

async function examplesOf({ tx }: Context, rule: JoinRule, ids: readonly number[]) {
  if (ids.length === 0) return [];
  return tx.rows<{ email: string; kept: string; values: { list: string; value: string }[] }>(sql`
    select c.email, j.kept, jsonb_agg(jsonb_build_object('list', l.name, 'value', j.value) order by l.created_at, l.id) as values
    from (${judged(rule, sql`s.contact_id = any (${[...ids]}::int[])`)}) j
    join contact c on c.account_id = ${rule.accountId} and c.id = j.contact_id
    join list l on l.account_id = ${rule.accountId} and l.id = j.list_id
    group by c.id, c.email, j.kept
    order by c.id`);
}
