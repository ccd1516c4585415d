// What people type to find a person: words in any order, each of which is in the address or in a value. Case, accents and
// apostrophes do not matter.
import { join, type Queries, type Sql, sql } from '../../db/connect.ts';

/** A word as it is searched for in addresses, and as it is in values. */
export type Word = { inAddress: string; inValue: string };

export async function wordsOf(db: Queries, query: string): Promise<Word[]> {
  const part = query.trim().toLowerCase().normalize('NFC');
  if (part === '') return [];
  const typed = part.replace(/[’‘ʼʻ´`′]/g, "'").split(/\s+/);
  const row = await db.row<{ folded: string[] }>(sql`
    select array(select folded(word) from unnest(${typed}::text[]) with ordinality as t (word, n) order by n) as folded`);
  const words = typed
    .map((inAddress, i) => ({ inAddress, inValue: row!.folded[i]! }))
    .filter(({ inValue }) => inValue !== '');
  return words.length > 0 ? words : [{ inAddress: part, inValue: part }];
}

/** SQL that is true for a contact (alias c) whose address has every word. */
export const allInAddress = (words: readonly Word[]): Sql =>
  sql`(${join(
    words.map(({ inAddress }) => inAddressSql(inAddress)),
    ' and ',
  )})`;

export const inAddressSql = (word: string): Sql => sql`strpos(c.email_key, ${word}) > 0`;

/** What separates words beside blanks; as in words_in of the database. */
const separators = ',;:/\\()[]{}<>"|-_.@+=&?!#%*~^$';

/** The words of values that begin with these, for the index of subscription; null, which matches nothing, for punctuation alone. */
const startingWith = (words: readonly Word[]): Sql => sql`(
  select string_agg(quote_literal(lexeme) || ':*', ' & ')::tsquery
  from unnest(to_tsvector('simple', translate(${words.map(({ inValue }) => inValue).join(' ')}, ${separators}, ${' '.repeat(separators.length)})))
)`;

/**
 * The ids of the contacts of an account that have every word. One word may be any part of the address; several are the beginnings of
 * words of values or of the address before the @, or one of them there and the others in the values. A word with an @ is searched
 * for in addresses only.
 */
export function peopleWith(accountId: number, words: readonly Word[]): Sql {
  const inValues = (some: readonly Word[]) =>
    sql`s.account_id = ${accountId} and words_of(s.fields) @@ ${startingWith(some)}`;
  const scanned = (some: readonly Word[]) => sql`
    select c.id from contact c where c.account_id = ${accountId} and ${allInAddress(some)}`;
  const ofAddress = (some: readonly Word[]) => sql`words_in(split_part(c.email_key, '@', 1)) @@ ${startingWith(some)}`;
  const isPart = (word: Word) => word.inAddress.includes('@');
  const [first] = words;
  if (words.length === 1)
    return isPart(first!)
      ? scanned(words)
      : sql`${scanned(words)} union select s.contact_id from subscription s where ${inValues(words)}`;
  if (words.every(isPart)) return scanned(words);
  const mixed = words.map((word, i) => {
    const others = words.filter((_, at) => at !== i);
    if (others.some(isPart)) return sql`select c.id from contact c where false`;
    return sql`
      select c.id
      from contact c
      join subscription s on s.account_id = c.account_id and s.contact_id = c.id
      where c.account_id = ${accountId}
        and ${isPart(word) ? inAddressSql(word.inAddress) : ofAddress([word])}
        and ${inValues(others)}`;
  });
  const each = words.some(isPart)
    ? [scanned(words), ...mixed]
    : [
        sql`select c.id from contact c where c.account_id = ${accountId} and ${ofAddress(words)}`,
        sql`select s.contact_id from subscription s where ${inValues(words)}`,
        ...mixed,
      ];
  return join(each, ' union ');
}

/** SQL that is true for a contact (alias c) that has every word; for statements that read few contacts. */
export const personHas = (accountId: number, words: readonly Word[]): Sql =>
  sql`(${join(
    words.map(({ inAddress, inValue }) =>
      inAddress.includes('@')
        ? inAddressSql(inAddress)
        : sql`(${inAddressSql(inAddress)} or exists (
            select from subscription o
            where o.account_id = ${accountId}
              and o.contact_id = c.id
              and words_of(o.fields) @@ ${startingWith([{ inAddress, inValue }])}
            offset 0
          ))`,
    ),
    ' and ',
  )})`;
