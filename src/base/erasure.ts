// What a slice does when a contact is erased (audience/erase). Each slice has one part for its own tables; THE list of all
// parts is src/erasure.ts. An address is matched as a whole: erasing a@b.example leaves aa@b.example alone.
import { type Database, type Sql, sql, type Tx } from '../db/connect.ts';

/** The domain of the placeholder addresses under which rows of erased contacts stay. */
export const erasedDomain = 'erased.invalid';

/** Who is erased, in the forms the tables hold. */
export type Erased = {
  account: number;
  /** Its number, and those of contacts with its address that were deleted before it was added again. */
  numbers: number[];
  /** Its address and earlier ones, in lower case. */
  addresses: string[];
  /** Replaces the address where a row must stay. */
  placeholder: string;
};

/** A search through rows that have no index by person. */
export type Search = Erased & { db: Database; signal: AbortSignal };

export type ErasurePart = {
  /** The addresses under which the slice knows these contacts. */
  addresses?: (tx: Tx, account: number, numbers: readonly number[]) => Promise<string[]>;
  /**
   * Erases what is found by a key, in the transaction of the erasure. Short, since workers wait for the contact's deliveries.
   * Called once more for what was written meanwhile (`late`), with the time of the erasure if that is known.
   */
  rows?: (tx: Tx, erased: Erased, late?: { erasedAt: string | undefined }) => Promise<void>;
  /** Erases what logs hold, afterwards, a portion in each transaction. Runs again after an interruption. */
  copies?: (search: Search) => Promise<void>;
  /** SQL: a query of the names of what may have read the contact before it was erased and has not ended. */
  openWork?: (erased: Erased) => Sql;
};

/** SQL: whether a text in lower case contains one of the addresses as a whole. */
export const names = ({ addresses }: Pick<Erased, 'addresses'>, text: Sql): Sql =>
  sql`${text} ~ ${wholeAddress(addresses)}`;

/** SQL: a text with the placeholder instead of the addresses. */
export const withoutAddresses = ({ addresses, placeholder }: Erased, text: Sql): Sql =>
  sql`regexp_replace(${text}, ${wholeAddress(addresses)}, ${`\\1${placeholder}`}, 'gi')`;

/** Rows a statement searches; the largest are messages and bodies of some hundred kilobytes. */
const portion = 200;

/** Runs a statement over some rows of a table, in the order of their ids, a portion in each transaction. */
export async function searchInPortions(
  { db, signal }: Search,
  table: Sql,
  rows: Sql,
  statement: (within: Sql) => Sql,
): Promise<void> {
  for (let after = 0; ; ) {
    if (signal.aborted) throw new Error('interrupted; starts again with the next worker');
    const next = await db.row<{ last: number | null }>(sql`
      select max(id) as last
      from (select id from ${table} where ${rows} and id > ${after} order by id limit ${portion}) as portion`);
    if (typeof next?.last !== 'number') return;
    await db.run(statement(sql`${rows} and id > ${after} and id <= ${next.last}`));
    after = next.last;
  }
}

/**
 * A regular expression of PostgreSQL for one of the addresses that is no part of a longer one. Before it may be an escaped character
 * of JSON, quoted-printable or a URL; what is no letter or digit may be encoded so within it.
 */
function wholeAddress(addresses: readonly string[]): string {
  const exact = addresses.map((address) => [...address].map(formsOf).join('')).join('|');
  return `(^|\\\\[bfnrt]|[=%][0-9a-f]{2}|[^a-z0-9._+-])(?:${exact})(?![a-z0-9-]|\\.[a-z0-9])`;
}

/** A character as it is, in a URL or quoted-printable, in JSON, and in the escaped form of bytes: a backslash and digits. */
function formsOf(character: string): string {
  if (/[a-z0-9]/.test(character)) return character;
  const bytes = [...Buffer.from(character)];
  const hex = (lead: string) => bytes.map((byte) => `${lead}${byte.toString(16).padStart(2, '0')}`).join('');
  const forms = [character.replace(/[^\p{L}\p{N}@]/gu, '\\$&'), hex('%'), hex('=')];
  if (bytes.length > 1) {
    forms.push(bytes.map((byte) => `\\\\${byte.toString(8)}`).join(''));
    const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
    forms.push(units.map((unit) => `\\\\u${unit.toString(16).padStart(4, '0')}`).join(''));
  }
  return `(?:${forms.join('|')})`;
}
