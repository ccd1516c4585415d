// The migrations of this program: the files NNNN_name.sql of migrations/, ordered by number. Guarantees unique numbers,
// and that a migration without a transaction can be repeated. How to write one: migrations/README.md.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { splitStatements } from './statements.ts';

export type Migration = {
  /** The file's name without its ending, such as 0001_base. */
  name: string;
  text: string;
};

/** First line of a migration whose statements cannot run in a transaction. */
export const noTransactionMarker = '-- postrider: no transaction';

const ownFolder = join(import.meta.dirname, 'migrations');

/**
 * Reads the migrations of a folder.
 * @throws Error when a file is misnamed, two have the same number, or one cannot be repeated although it must be
 */
export function readMigrations(folder = ownFolder): Migration[] {
  const migrations = readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => ({
      name: file.slice(0, -'.sql'.length),
      text: plainText(readFileSync(join(folder, file), 'utf8')),
    }));
  for (const migration of migrations) checkMigration(migration);
  migrations.forEach(({ name }, i) => {
    const before = migrations[i - 1]?.name;
    if (before !== undefined && numberOf(before) === numberOf(name)) {
      throw new Error(
        `Migrations ${before} and ${name} have the same number. Give the newer one the next free number.`,
      );
    }
  });
  return migrations;
}

/** Of the contents, recorded when a migration is applied. The end of lines and of the file does not count: git may change both. */
export const hashOf = ({ text }: Pick<Migration, 'text'>): string =>
  createHash('sha256').update(plainText(text).trimEnd()).digest('hex');

/** Without what an editor or git may add: a byte order mark, and carriage returns. */
const plainText = (text: string): string => text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');

export const runsInTransaction = ({ text }: Migration): boolean =>
  text.split('\n', 1)[0]!.trim() !== noTransactionMarker;

/** "create index" or "drop index" without "if". */
const changesIndexOnce = /^(create (unique )?|drop )index (concurrently (?!if )|(?!concurrently |if ))/i;

/** Names are compared as text, so every number has four digits. */
const numberOf = (name: string): string => name.slice(0, 4);

function checkMigration(migration: Migration): void {
  const { name, text } = migration;
  if (!/^\d{4}_[a-z0-9_]+$/.test(name)) {
    throw new Error(
      `Migration ${name}.sql is misnamed: use four digits, an underscore and a name, as in 0008_tags.sql.`,
    );
  }
  if (runsInTransaction(migration)) return;
  for (const statement of splitStatements(text)) {
    if (changesIndexOnce.test(statement.replace(/\s+/g, ' '))) {
      throw new Error(
        `Migration ${name} runs without a transaction and may be run again after a crash, so "${statement.slice(0, 60)}…" ` +
          'needs "if not exists" or "if exists".',
      );
    }
  }
}
