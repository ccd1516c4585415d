// Removes the uploaded files of an account that may hold an erased contact. A file that no import needs any more is deleted
// unread. One whose import waits for a person is read, and deleted if it names the contact: that import fails with the
// reason. A file that is being uploaded or imported is left alone for now; the caller comes back to it.
import { type Message, message, packMessage } from '../../base/messages.ts';
import { type Database, sql } from '../../db/connect.ts';
import { filesIn, plainText, readSample } from '../import/file/source.ts';
import { deleteUpload } from '../import/file/upload.ts';
import type { ImportState } from '../import/record.ts';

type File = { id: number; size: number; fresh: boolean; importId: number | null; state: ImportState | null };

/** @param addresses in lower case @returns whether files are left that are in use */
export async function eraseFiles(
  db: Database,
  accountId: number,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  const files = await db.rows<File>(sql`
    select u.id, u.size, u.changed_at > now() - interval '1 hour' as fresh, i.id as "importId", i.state
    from upload u
    left join import i on i.account_id = u.account_id and i.upload_id = u.id
    where u.account_id = ${accountId}
    order by u.id`);
  let inUse = false;
  for (const file of files) {
    signal.throwIfAborted();
    if (!isNeeded(file)) await deleteUpload(db, accountId, file.id);
    else if (!waits(file)) inUse = true;
    else if (await namesOne(db, accountId, file, addresses, signal))
      inUse = !(await failImport(db, accountId, file)) || inUse;
  }
  return inUse;
}

const isNeeded = ({ state, fresh }: File) =>
  state === null ? fresh : !['done', 'undoing', 'undone', 'failed'].includes(state);

/** For a person who maps its columns, starts or resumes it. */
const waits = ({ state }: File) => state !== null && ['uploaded', 'mapped', 'checked', 'stopped'].includes(state);

/** Deletes the file of an import. @returns false if the import has started since */
async function failImport(db: Database, accountId: number, { id, importId, state }: File): Promise<boolean> {
  const reason: Message = message('import.file_erased');
  return db.transaction(async (tx) => {
    const failed = await tx.run(sql`
      update import
      set state = 'failed', reason = ${packMessage(reason)}, ended_at = now()
      where account_id = ${accountId}
        and id = ${importId}
        and state = ${state}`);
    if (failed > 0) await deleteUpload(tx, accountId, id);
    return failed > 0;
  });
}

/** Longer than any address. */
const overlap = 400;

/** Whether a file names one of the addresses; true too for a file that cannot be read. */
async function namesOne(
  db: Database,
  accountId: number,
  { id, size }: File,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  const exact = addresses.map((address) => address.replace(/[^\p{L}\p{N}@]/gu, '\\$&')).join('|');
  const whole = new RegExp(`(?<![a-z0-9._+-])(?:${exact})(?![a-z0-9-]|\\.[a-z0-9])`);
  const upload = { accountId, id, size };
  try {
    const { packing, encoding } = await readSample(db, upload);
    const format = { packing, encoding, delimiter: ',', quote: '"', header: true, separatorLine: false };
    if (await isIn(plainText(db, upload, format), whole, signal)) return true;
    // What the import does not read of a workbook or an address book may name it too.
    if (packing === 'vcard') return await isIn(plainText(db, upload, { ...format, packing: 'none' }), whole, signal);
    if (packing !== 'xlsx') return false;
    for await (const part of filesIn(db, upload, '')) if (await isIn(part.bytes(), whole, signal)) return true;
    return false;
  } catch (error) {
    if (signal.aborted) throw error;
    return true;
  }
}

async function isIn(text: AsyncIterable<Buffer>, whole: RegExp, signal: AbortSignal): Promise<boolean> {
  const decoder = new TextDecoder();
  let part = '';
  for await (const piece of text) {
    signal.throwIfAborted();
    part = part.slice(-overlap) + decoder.decode(piece, { stream: true }).toLowerCase();
    if (whole.test(part)) return true;
  }
  return false;
}
