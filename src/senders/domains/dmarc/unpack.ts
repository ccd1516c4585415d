// The XML documents in the attachment of a DMARC report: gzip, zip or plain, recognised by the first bytes. Guarantees to
// unpack no more than the limit and to hold only a piece at a time; a damaged or larger attachment throws UnreadableReport.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { fromBufferPromise } from 'yauzl';

/** Of all documents of an attachment together; some 10,000 records. */
const maxDocumentBytes = 8 * 1024 * 1024;
/** A report is one file; some programs add directories, notes, or files of their own. */
const maxEntries = 10;
const pieceBytes = 64 * 1024;

export class UnreadableReport extends Error {}

/** Whether bytes can be a report at all. */
export function isReportFile(bytes: Buffer): boolean {
  return kindOf(bytes) !== undefined;
}

/**
 * The documents of an attachment, to be read in order. Usually one; a zip file may contain several, and other files, which
 * are left out.
 * @throws UnreadableReport
 */
export async function* documentsOf(bytes: Buffer): AsyncGenerator<AsyncIterable<Buffer>> {
  const budget = { bytes: maxDocumentBytes };
  if (kindOf(bytes) !== 'zip') {
    yield limited(unpacked(bytes), budget);
    return;
  }
  let found = false;
  for await (const file of filesOf(bytes, budget)) {
    if (kindOf(file) === undefined || kindOf(file) === 'zip') continue;
    found = true;
    yield limited(unpacked(file), budget);
  }
  if (!found) throw new UnreadableReport('the archive has no report');
}

/** Marks at the begin of a text that a program wrote as Unicode. */
const byteOrderMarks = ['\xef\xbb\xbf', '\xff\xfe', '\xfe\xff'];

function kindOf(bytes: Buffer): 'gzip' | 'zip' | 'xml' | undefined {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return 'gzip';
  if (bytes.subarray(0, 4).equals(Buffer.from('PK\x03\x04', 'latin1'))) return 'zip';
  const begin = bytes.toString('latin1', 0, 200);
  const mark = byteOrderMarks.find((candidate) => begin.startsWith(candidate)) ?? '';
  return /^[\s\0]*</.test(begin.slice(mark.length)) ? 'xml' : undefined;
}

function unpacked(bytes: Buffer): AsyncIterable<Buffer> {
  if (kindOf(bytes) !== 'gzip') return pieces(bytes);
  const gunzip = createGunzip();
  gunzip.end(bytes);
  return gunzip;
}

/** The files of an archive, each whole: what a report is can be seen in it only then. */
async function* filesOf(bytes: Buffer, budget: { bytes: number }): AsyncGenerator<Buffer> {
  try {
    const zip = await fromBufferPromise(bytes, { validateEntrySizes: true, autoClose: false });
    if (zip.entryCount > maxEntries) throw new UnreadableReport('the archive has too many files');
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName.endsWith('/') || entry.fileName.startsWith('__MACOSX/')) continue;
      if (entry.isEncrypted()) throw new UnreadableReport('the archive is encrypted');
      const read: Buffer[] = [];
      const mayUnpack = { bytes: budget.bytes };
      for await (const piece of limited(await zip.openReadStreamPromise(entry), mayUnpack)) read.push(piece);
      yield Buffer.concat(read);
    }
  } catch (error) {
    throw unreadable(error);
  }
}

async function* limited(source: AsyncIterable<Buffer>, budget: { bytes: number }): AsyncGenerator<Buffer> {
  try {
    for await (const piece of source) {
      budget.bytes -= piece.length;
      if (budget.bytes < 0) throw new UnreadableReport(`it unpacks to more than ${maxDocumentBytes} bytes`);
      yield piece;
    }
  } catch (error) {
    throw unreadable(error);
  }
}

function unreadable(error: unknown): UnreadableReport {
  if (error instanceof UnreadableReport) return error;
  return new UnreadableReport(`the attachment is damaged: ${(error as Error).message.slice(0, 100)}`);
}

/** Other work of the process gets its turn between two pieces. */
async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    if (at > 0) await nextTurn();
    yield bytes.subarray(at, at + pieceBytes);
  }
}
