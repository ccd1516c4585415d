// Tags of contacts: words by which an account groups them, whatever their lists. Kept in lower case, so that two spellings are one.
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { logChange, sourceOf } from './consent-log.ts';
import { needContact } from './contact.ts';

export const maxTags = 50;
export const maxTagLength = 50;
/** Contacts of one call. */
export const maxTagged = 1_000;

type Given = { emails: readonly string[]; add: readonly string[]; remove: readonly string[] };

/** Adds tags to contacts and removes others. @returns how many contacts changed. @throws Fault ADDRESS_UNKNOWN, INVALID_PARAMETER, TOO_LARGE */
export async function changeTags(context: Context, given: Given): Promise<number> {
  const { tx, account, caller } = context;
  const add = given.add.map((text, i) => needTag(text, `add.${i}`));
  const remove = given.remove.map((text, i) => needTag(text, `remove.${i}`));
  const ids: number[] = [];
  for (const [i, named] of given.emails.entries()) ids.push((await needContact(context, named, `emails.${i}`)).id);
  const changed = await tx.rows<{ id: number; count: number }>(sql`
    update contact c
    set tags = n.tags, changed_at = now()
    from (
      select id, array(
          select distinct tag
          from unnest(tags || ${add}::text[]) as tag
          where tag <> all (${remove}::text[])
          order by tag
        ) as tags
      from contact
      where account_id = ${account.id}
        and id = any (${ids}::int[])
    ) n
    where c.account_id = ${account.id}
      and c.id = n.id
      and c.tags <> n.tags
    returning c.id, cardinality(c.tags) as count`);
  if (changed.some(({ count }) => count > maxTags))
    throw fault('TOO_LARGE', 'contact.too_many_tags', { member: 'add', count: maxTags });
  for (const { id } of changed)
    await logChange(context, ['TAGS'], { contactId: id, listId: null, source: sourceOf(caller) });
  return changed.length;
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

/** A tag as it is kept. */
export const tagKey = (text: string): string => text.normalize('NFC').trim().replace(/\s+/g, ' ').toLowerCase();

/** @throws Fault INVALID_PARAMETER */
function needTag(text: string, member: string): string {
  const tag = tagKey(text);
  // Conditions separate several values by a semicolon, files by a comma.
  if (tag === '' || tag.length > maxTagLength || /[;,\p{Cc}]/u.test(tag))
    throw fault('INVALID_PARAMETER', 'contact.tag_invalid', { member, value: text.slice(0, 80), count: maxTagLength });
  return tag;
}
