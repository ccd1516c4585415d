// Tags of contacts: words by which an account groups them, whatever their lists. Kept in lower case, so that two spellings are one.
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { type Sql, sql } from '../../db/connect.ts';
import { jsonb } from '../../db/jsonb.ts';
import { allMatching, type NarrowingGiven, readNarrowing } from '../contacts/narrowing.ts';
import { sourceOf } from '../model/consent-log.ts';
import { needContact, needOwnContact } from '../model/contact.ts';
import { isTag, maxTagLength, maxTags, tagKey } from '../model/contact-tag.ts';

/** Contacts of one call that names them. */
export const maxTagged = 1_000;
/** Contacts that one call with conditions changes: about a second of work. */
export const maxTaggedMatching = 10_000;

type Words = { add: readonly string[]; remove: readonly string[] };
type Given = Words & { emails: readonly string[] };

/** Adds tags to contacts and removes others. @returns how many contacts changed. @throws Fault ADDRESS_UNKNOWN, INVALID_PARAMETER, TOO_LARGE */
export async function changeTags(context: Context, given: Given): Promise<number> {
  const words = readWords(given);
  const ids: number[] = [];
  for (const [i, named] of given.emails.entries()) {
    const { id } = await needContact(context, named, `emails.${i}`);
    await needOwnContact(context, id, `emails.${i}`);
    ids.push(id);
  }
  return writeTags(context, words, sql`select unnest(${ids}::int[])`, ids.length);
}

/**
 * The same for contacts that match, as those of contactPage do. Each call changes so many that still need it, so that calling
 * until none is left changes each contact once.
 * @throws Fault SEGMENT_INVALID, INVALID_PARAMETER, TOO_LARGE
 */
export async function changeTagsMatching(context: Context, given: NarrowingGiven & Words) {
  const words = readWords(given);
  const { id, from } = await allMatching(context, await readNarrowing(context, given));
  const changed = await writeTags(context, words, sql`select ${id} ${from}`, maxTaggedMatching);
  return { changed, more: changed === maxTaggedMatching };
}

const readWords = ({ add, remove }: Words): Words => ({
  add: add.map((text, i) => needTag(text, `add.${i}`)),
  remove: remove.map((text, i) => needTag(text, `remove.${i}`)),
});

/** @param ids a statement that selects ids of contacts */
export async function writeTags(
  context: Context,
  { add, remove }: Words,
  ids: Sql,
  limit: number,
  detail: Record<string, string> = {},
): Promise<number> {
  const { tx, account, caller, requestId } = context;
  // Locked in one order, so that two calls cannot wait for each other.
  const row = await tx.row<{ count: number; most: number }>(sql`
    with due as materialized (
      select id, tags
      from contact
      where account_id = ${account.id}
        and id in (${ids})
        and (not tags @> ${add.filter((tag) => !remove.includes(tag))}::text[] or tags && ${remove}::text[])
      order by id
      limit ${limit}
      for no key update
    ), changed as (
      update contact c
      set changed_at = now(), tags = array(
          select distinct tag
          from unnest(c.tags || ${add}::text[]) as tag
          where tag <> all (${remove}::text[])
          order by tag
        )
      from due
      where c.account_id = ${account.id}
        and c.id = due.id
      returning c.id, cardinality(c.tags) as count
    ), logged as (
      insert into consent (account_id, contact_id, list_id, kind, source, detail)
      select ${account.id}, id, null, 'update', ${sourceOf(caller)},
        ${jsonb(detail)} || jsonb_build_object('request', ${requestId}::text, 'fields', array['TAGS'])
      from changed
      order by id
    )
    select count(*)::int as count, coalesce(max(count), 0)::int as most
    from changed`);
  if (row!.most > maxTags) throw fault('TOO_LARGE', 'contact.too_many_tags', { member: 'add', count: maxTags });
  return row!.count;
}

/** The tags in use with the number of their contacts, in order. */
export function tagsOfAccount({ tx, account }: Context): Promise<{ tag: string; contacts: number }[]> {
  return tx.rows(sql`
    select tag, count(*)::int as contacts
    from contact c
    cross join unnest(c.tags) as tag
    where c.account_id = ${account.id}
      and c.tags <> '{}'
    group by tag
    order by tag`);
}

/** @throws Fault INVALID_PARAMETER */
function needTag(text: string, member: string): string {
  const tag = tagKey(text);
  if (!isTag(tag))
    throw fault('INVALID_PARAMETER', 'contact.tag_invalid', { member, value: text.slice(0, 80), count: maxTagLength });
  return tag;
}
