// What people type to find a person: words in any order, each of which is in the address or in a value. Case, accents and
// apostrophes do not matter.
import { isAscii } from 'node:buffer';
import { join, type Queries, type Sql, sql } from '../../db/connect.ts';

/** What separates words beside blanks; as in words_in of the database. */
const separators = ',;:/\\()[]{}<>"|-_.@+=&?!#%*~^$';

export type Word = {
  /** As it is searched for in addresses. */
  inAddress: string;
  /** As it is in values: folded. */
  inValue: string;
  /** For the words of values that begin with it, as a tsquery; null for punctuation alone. */
  startsWith: string | null;
};

export async function wordsOf(db: Queries, query: string): Promise<Word[]> {
  const part = query.trim().toLowerCase().normalize('NFC');
  if (part === '') return [];
  const typed = part.replace(/[’‘ʼʻ´`′]/g, "'").split(/\s+/);
  // The planner must know what is searched for, to begin with what few people have: so it is asked for first.
  const rows = await db.rows<{ folded: string; startsWith: string | null }>(sql`
    select folded(word) as folded, (
      select string_agg(quote_literal(lexeme) || ':*', ' & ')
      from unnest(to_tsvector('simple', translate(folded(word), ${separators}, ${' '.repeat(separators.length)})))
    ) as "startsWith"
    from unnest(${typed}::text[]) with ordinality as t (word, n)
    order by n`);
  const words = typed
    .map((inAddress, i) => ({ inAddress, inValue: rows[i]!.folded, startsWith: rows[i]!.startsWith }))
    .filter(({ inValue }) => inValue !== '');
  return words.length > 0 ? words : [{ inAddress: part, inValue: part, startsWith: null }];
}

/** SQL that is true for a contact (alias c) whose address has every word. */
export const allInAddress = (words: readonly Word[]): Sql =>
  sql`(${join(
    words.map(({ inAddress }) => inAddressSql(inAddress)),
    ' and ',
  )})`;

export const inAddressSql = (word: string): Sql => sql`strpos(c.email_key, ${word}) > 0`;

/** The words of values that begin with these, for the index of subscription; null, which matches nothing, for punctuation alone. */
const startingWith = (words: readonly Word[]): Sql => {
  const known = words.flatMap(({ startsWith }) => startsWith ?? []);
  return sql`${known.length > 0 ? known.join(' & ') : null}::tsquery`;
};

/**
 * SQL that is true for a member (alias s) that has the word in one of these fields. Folding takes ten times as long as reading, so it is
 * done only for values in which the word can be hidden: by an accent, an apostrophe or another script.
 */
export function inValuesSql(tags: readonly string[], { inValue }: Word): Sql {
  // A query of apostrophes alone is not folded, and is in no value.
  const isPlain = isAscii(Buffer.from(inValue)) && !/['`]/.test(inValue);
  const either = (tests: readonly Sql[]) => sql`(${join(tests, ' or ')})`;
  const values = tags.map((tag) => sql`(s.fields ->> ${tag})`);
  const hasOthers = (value: Sql) => sql`octet_length(${value}) <> length(${value})`;
  const hasSigns = (value: Sql) => sql`(strpos(${value}, '''') > 0 or strpos(${value}, chr(96)) > 0)`;
  const isHidden = (value: Sql) => {
    if (!isPlain) return hasOthers(value);
    // No other character becomes a digit.
    return /[a-z]/.test(inValue) ? sql`(${hasOthers(value)} or ${hasSigns(value)})` : hasSigns(value);
  };
  const plainly = isPlain ? values.map((value) => sql`strpos(lower(${value} collate "C"), ${inValue}) > 0`) : [];
  const folded = values.map((value) => sql`(${isHidden(value)} and strpos(folded(${value}), ${inValue}) > 0)`);
  return either([...plainly, ...folded]);
}

/**
 * The ids of the contacts of an account that have every word. One word may be any part of the address; several are the beginnings of
 * words of values or of the address before the @, or one of them there and the others in the values. A word with an @ is searched
 * for in addresses only.
 */
export const peopleWith = (accountId: number, words: readonly Word[]): Sql =>
  join([...scannedPeople(accountId, words), ...indexedPeople(accountId, words)], ' union ');

/** A word with an @ is searched for in addresses only. */
export const isPart = ({ inAddress }: Word) => inAddress.includes('@');

/** Of these, those that no index finds: all of them have the first word in their address. */
const scannedPeople = (accountId: number, words: readonly Word[]): Sql[] =>
  words.length === 1 || words.some(isPart)
    ? [sql`select c.id from contact c where c.account_id = ${accountId} and ${allInAddress(words)}`]
    : [];

/** The others. */
export function indexedPeople(accountId: number, words: readonly Word[]): Sql[] {
  if (words.every(isPart)) return [];
  const inValues = (some: readonly Word[]) =>
    sql`s.account_id = ${accountId} and words_of(s.fields) @@ ${startingWith(some)}`;
  const byValues = sql`select s.contact_id as id from subscription s where ${inValues(words)}`;
  if (words.length === 1) return [byValues];
  const mixed = mixesOf(words).map(
    ([word, others]) => sql`
      select c.id
      from contact c
      join subscription s on s.account_id = c.account_id and s.contact_id = c.id
      where c.account_id = ${accountId}
        and ${isPart(word) ? inAddressSql(word.inAddress) : addressStarts([word])}
        and ${inValues(others)}`,
  );
  if (words.some(isPart)) return mixed;
  return [
    sql`select c.id from contact c where c.account_id = ${accountId} and ${addressStarts(words)}`,
    byValues,
    ...mixed,
  ];
}

/** One word that is in the address, with the others, which are in values. */
const mixesOf = (words: readonly Word[]): [word: Word, others: Word[]][] =>
  words.flatMap((word, i): [Word, Word[]][] => {
    const others = words.filter((_, at) => at !== i);
    return others.some(isPart) ? [] : [[word, others]];
  });

const addressStarts = (some: readonly Word[]): Sql =>
  sql`words_in(split_part(c.email_key, '@', 1)) @@ ${startingWith(some)}`;

/** SQL that is true for the contacts (alias c) that peopleWith finds; for statements that read few contacts. */
export function isAmongPeople(accountId: number, words: readonly Word[]): Sql {
  const inValues = (some: readonly Word[]) => sql`exists (
    select from subscription o
    where o.account_id = ${accountId}
      and o.contact_id = c.id
      and words_of(o.fields) @@ ${startingWith(some)}
    offset 0
  )`;
  const hasPart = words.some(isPart);
  const ways = words.length === 1 || hasPart ? [allInAddress(words)] : [addressStarts(words)];
  if (!hasPart) ways.push(inValues(words));
  if (words.length > 1)
    for (const [word, others] of mixesOf(words))
      ways.push(sql`(${isPart(word) ? inAddressSql(word.inAddress) : addressStarts([word])} and ${inValues(others)})`);
  return sql`(${join(ways, ' or ')})`;
}

/** SQL that is true for a contact (alias c) that has every word; for statements that read few contacts. */
export const personHas = (accountId: number, words: readonly Word[]): Sql =>
  sql`(${join(
    words.map((word) =>
      isPart(word)
        ? inAddressSql(word.inAddress)
        : sql`(${inAddressSql(word.inAddress)} or exists (
            select from subscription o
            where o.account_id = ${accountId}
              and o.contact_id = c.id
              and words_of(o.fields) @@ ${startingWith([word])}
            offset 0
          ))`,
    ),
    ' and ',
  )})`;
