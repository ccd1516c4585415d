// Reads the uploads of a migration with the reader of their source.
import type { Queries } from '../db/connect.ts';
import { readBrevo } from './files/brevo.ts';
import type { Item, Source } from './files/item.ts';
import { itemsFileName, readItems } from './files/items-file.ts';
import { readKeila } from './files/keila.ts';
import { readListmonk } from './files/listmonk.ts';
import { readMailchimp } from './files/mailchimp.ts';
import { readMailtrain } from './files/mailtrain.ts';
import { type SourceFile, sourceFiles } from './files/source-file.ts';

type Reader = (files: AsyncIterable<SourceFile>) => AsyncGenerator<Item>;

const readers: Record<Source, Reader> = {
  mailchimp: readMailchimp,
  listmonk: readListmonk,
  mailtrain: readMailtrain,
  keila: readKeila,
  brevo: readBrevo,
};

/** What the uploads contain; the same each time. @throws ImportRefusal */
export async function* readUploads(
  db: Queries,
  accountId: number,
  source: Source,
  uploads: readonly number[],
): AsyncGenerator<Item> {
  for await (const file of sourceFiles(db, accountId, uploads))
    yield* file.upload === itemsFileName ? readItems(file) : readers[source](only(file));
}

async function* only(file: SourceFile): AsyncGenerator<SourceFile> {
  yield file;
}
