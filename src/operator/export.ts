// The main objects of an account that its owner made, as one file: a JSON object a line, with the name of the table. For the operator, before an
// account is deleted. Read page by page along the keys, so that memory stays flat and no transaction is held open by a slow reader.
import { type Database, join, raw, type Sql, sql } from '../db/connect.ts';

/** The tables in their order, what orders their rows, and columns that are left out: secrets, and what only this installation understands. */
const tables: readonly { name: string; key: readonly string[]; without?: readonly string[] }[] = [
  { name: 'list', key: ['id'], without: ['form_key'] },
  { name: 'field', key: ['list_id', 'tag'] },
  { name: 'segment', key: ['id'] },
  { name: 'template', key: ['id'], without: ['preview', 'preview_type'] },
  { name: 'campaign', key: ['id'], without: ['archive_key'] },
  { name: 'automation', key: ['id'] },
  { name: 'suppression', key: ['kind', 'value'] },
  { name: 'contact', key: ['id'] },
  { name: 'subscription', key: ['list_id', 'contact_id'] },
];
const pageRows = 1_000;

export async function* exportedAccount(db: Database, accountId: number): AsyncGenerator<string> {
  const account = await db.row<{ row: object }>(sql`
    select to_jsonb(a) - 'erasure_salt' as row from account a where id = ${accountId}`);
  if (!account) return;
  yield lineOf('account', account.row);
  for (const table of tables) yield* rowsOf(db, accountId, table);
}

async function* rowsOf(
  db: Database,
  accountId: number,
  { name, key, without = [] }: (typeof tables)[number],
): AsyncGenerator<string> {
  const keys = raw(key.map((column) => `t.${column}`).join(', '));
  let after: Sql = sql`true`;
  for (;;) {
    const rows = await db.rows<{ row: Record<string, unknown> }>(sql`
      select to_jsonb(t) - ${[...without, 'account_id']}::text[] as row
      from ${raw(name)} t
      where t.account_id = ${accountId}
        and ${after}
        ${name === 'campaign' ? sql`and t.type <> 'message'` : sql``}
      order by ${keys}
      limit ${pageRows}`);
    if (rows.length > 0) yield rows.map(({ row }) => lineOf(name, row)).join('');
    const last = rows.at(-1)?.row;
    if (rows.length < pageRows || !last) return;
    after = sql`(${keys}) > (${join(key.map((column) => typed(last[column])))})`;
  }
}

const typed = (value: unknown): Sql => (typeof value === 'number' ? sql`${value}::int` : sql`${String(value)}::text`);

const lineOf = (table: string, row: object): string => `${JSON.stringify({ table, ...row })}\n`;
