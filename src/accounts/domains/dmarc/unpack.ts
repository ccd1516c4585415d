// The XML document in the attachment of a DMARC report: gzip, zip or plain, recognised by its first bytes. Guarantees to
// unpack no more than the limit and to hold only a piece at a time; a damaged or larger attachment throws UnreadableReport.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { fromBufferPromise } from 'yauzl';

/** Some 10,000 records. */
const maxDocumentBytes = 8 * 1024 * 1024;
/** A report is one file; some programs add a directory. */
const maxEntries = 10;
const pieceBytes = 64 * 1024;

export class UnreadableReport extends Error {}

/** Whether bytes can be a report at all. */
export function isReportFile(bytes: Buffer): boolean {
  return kindOf(bytes) !== undefined;
}

/** @throws UnreadableReport */
export async function* documentOf(bytes: Buffer): AsyncGenerator<Buffer> {
  let length = 0;
  try {
    for await (const piece of await open(bytes)) {
      length += piece.length;
      if (length > maxDocumentBytes) throw new UnreadableReport(`it unpacks to more than ${maxDocumentBytes} bytes`);
      yield piece;
    }
  } catch (error) {
    if (error instanceof UnreadableReport) throw error;
    throw new UnreadableReport(`the attachment is damaged: ${(error as Error).message.slice(0, 100)}`);
  }
}

function kindOf(bytes: Buffer): 'gzip' | 'zip' | 'xml' | undefined {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return 'gzip';
  if (bytes.subarray(0, 4).equals(Buffer.from('PK\x03\x04', 'latin1'))) return 'zip';
  return /^(?:\xef\xbb\xbf)?\s*</.test(bytes.toString('latin1', 0, 100)) ? 'xml' : undefined;
}

async function open(bytes: Buffer): Promise<AsyncIterable<Buffer>> {
  const kind = kindOf(bytes);
  if (kind === 'gzip') {
    const gunzip = createGunzip();
    gunzip.end(bytes);
    return gunzip;
  }
  return kind === 'zip' ? openZip(bytes) : pieces(bytes);
}

async function openZip(bytes: Buffer): Promise<AsyncIterable<Buffer>> {
  const zip = await fromBufferPromise(bytes, { validateEntrySizes: true, autoClose: false });
  if (zip.entryCount > maxEntries) throw new UnreadableReport('the archive has too many files');
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName.endsWith('/')) continue;
    if (entry.isEncrypted()) throw new UnreadableReport('the archive is encrypted');
    return zip.openReadStreamPromise(entry);
  }
  throw new UnreadableReport('the archive is empty');
}

/** Other work of the process gets its turn between two pieces. */
async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    if (at > 0) await nextTurn();
    yield bytes.subarray(at, at + pieceBytes);
  }
}
