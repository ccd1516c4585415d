// An uploaded file as a stream of plain UTF-8: decompressed within limits and transcoded, a workbook or an address book as CSV. Uses constant memory, whatever
// the file claims about itself. A problem with the file is an ImportRefusal, whose reason is for the user.
import { PassThrough, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type Entry, fromRandomAccessReader, RandomAccessReader, type ZipFile } from 'yauzl';
import { message } from '../../../base/messages.ts';
import type { Queries } from '../../../db/connect.ts';
import type { Format } from '../plan.ts';
import { detectEncoding, detectPacking, sampleBytes } from './detect.ts';
import { refuseArchive, refuseKind } from './kinds/named.ts';
import { isVcard, vcardText } from './kinds/vcard.ts';
import { type Archive, chosenSheet, isWorkbook, sheetsOf, workbookText } from './kinds/xlsx.ts';
import { ImportRefusal } from './refusal.ts';
import { maxUploadBytes, readUpload, type Upload } from './upload.ts';

/** Limits of decompression; a file of contacts compresses to a tenth, never to a two-hundredth. */
type UnpackLimits = { bytes: number; ratio: number };
const unpackLimits: UnpackLimits = { bytes: 4 * maxUploadBytes, ratio: 200 };
const ratioFrom = 4 * 1024 * 1024;

/** The decompressed bytes of the file. */
async function* unpacked(db: Queries, upload: Upload, packing: Format['packing']): AsyncGenerator<Buffer> {
  if (packing === 'none') {
    yield* readUpload(db, upload);
    return;
  }
  if (packing === 'xlsx') {
    yield* withinSize(workbookText(await archiveOf(db, upload)));
    return;
  }
  if (packing === 'vcard') {
    yield* vcardText(narrowed(readUpload(db, upload)));
    return;
  }
  const stream = packing === 'gzip' ? gunzip(readUpload(db, upload)) : await unzip(db, upload);
  yield* limited(stream, upload, packing);
}

/** Text in UTF-16 as UTF-8. Of another address book each value says its encoding. */
async function* narrowed(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let decoder: InstanceType<typeof TextDecoder> | null | undefined;
  for await (const piece of source) {
    if (decoder === undefined) {
      const encoding = wideEncoding(piece);
      decoder = encoding === undefined ? null : new TextDecoder(encoding);
    }
    yield decoder ? Buffer.from(decoder.decode(piece, { stream: true })) : piece;
  }
}

function wideEncoding(head: Buffer): string | undefined {
  const { encoding } = detectEncoding(head.subarray(0, 4_096));
  return encoding.startsWith('utf-16') ? encoding : undefined;
}

/** A workbook can repeat one long text in all cells. */
async function* withinSize(text: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const piece of text) {
    bytes += piece.length;
    if (bytes > unpackLimits.bytes)
      throw new ImportRefusal(
        message('import.unpacked_too_large', { count: Math.floor(unpackLimits.bytes / 1048576) }),
      );
    yield piece;
  }
}

/** The parts of a workbook. */
async function archiveOf(db: Queries, upload: Upload): Promise<Archive> {
  const zip = await openZip(db, upload);
  const entries = new Map((await entriesOf(zip)).map((entry) => [entry.fileName, entry]));
  const read = async function* (name: string) {
    yield* limited(await openEntry(zip, entries.get(name)!), upload, 'xlsx');
  };
  return { names: [...entries.keys()], read };
}

/** What comes from a compressed file, within limits. */
async function* limited(
  stream: Readable,
  upload: Upload,
  packing: Format['packing'],
  limits: UnpackLimits = unpackLimits,
): AsyncGenerator<Buffer> {
  let bytes = 0;
  try {
    for await (const piece of stream as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > limits.bytes)
        throw new ImportRefusal(message('import.unpacked_too_large', { count: Math.floor(limits.bytes / 1048576) }));
      if (bytes > ratioFrom && bytes > upload.size * limits.ratio)
        throw new ImportRefusal(message('import.unpacks_too_far'));
      yield piece;
    }
  } catch (error) {
    if (error instanceof ImportRefusal) throw error;
    const { code, message: detail } = error as { code?: string; message: string };
    if (
      code?.startsWith('Z_') ||
      /invalid|unexpected|truncated|size mismatch|too many bytes|not enough bytes/i.test(detail)
    )
      throw new ImportRefusal(message('import.damaged', { packing, detail }));
    throw error;
  } finally {
    stream.destroy();
  }
}

/** The files that an upload contains: those of a zip archive, or itself, decompressed. Each can be read several times. */
export async function* filesIn(
  db: Queries,
  upload: Upload,
  name: string,
): AsyncGenerator<{ path: string; bytes(): AsyncIterable<Buffer> }> {
  let head = Buffer.alloc(0);
  for await (const piece of readUpload(db, upload, 0, Math.min(4, upload.size))) head = Buffer.concat([head, piece]);
  const packing = detectPacking(head);
  if (packing !== 'zip') {
    yield { path: name, bytes: () => unpacked(db, upload, packing) };
    return;
  }
  const zip = await openZip(db, upload);
  for (const entry of await entriesOf(zip)) {
    const bytes = async function* () {
      yield* limited(await openEntry(zip, entry), upload, 'zip');
    };
    yield { path: entry.fileName, bytes };
  }
}

/** Plain UTF-8 without a byte order mark. */
export async function* plainText(db: Queries, upload: Upload, format: Format): AsyncGenerator<Buffer> {
  const source = unpacked(db, upload, format.packing);
  if (format.encoding === 'utf-8' || isConverted(format.packing)) {
    let first = true;
    for await (const piece of source) {
      const marked = first && piece[0] === 0xef && piece[1] === 0xbb && piece[2] === 0xbf;
      first = false;
      yield marked ? piece.subarray(3) : piece;
    }
    return;
  }
  const decoder = new TextDecoder(format.encoding);
  for await (const piece of source) yield Buffer.from(decoder.decode(piece, { stream: true }));
  yield Buffer.from(decoder.decode());
}

/** Whether the file comes as CSV in UTF-8, whatever it is. */
export const isConverted = (packing: Format['packing']) => packing === 'xlsx' || packing === 'vcard';

export type FileSample = {
  packing: Format['packing'];
  encoding: string;
  sure: boolean;
  text: string;
  whole: boolean;
  /** The names of the sheets that are read, and of those that are not. */
  sheet: string;
  otherSheets: string[];
};

/**
 * The start of a file, with its compression and encoding.
 * @param given `refuses`: a file of another program, which is no table, is an ImportRefusal
 */
export async function readSample(
  db: Queries,
  upload: Upload,
  given: { encoding?: string | undefined; refuses?: boolean } = {},
): Promise<FileSample> {
  let head = Buffer.alloc(0);
  for await (const piece of readUpload(db, upload, 0, Math.min(4_096, upload.size)))
    head = Buffer.concat([head, piece]);
  const { packing, sheet, otherSheets } = await packingOf(db, upload, head, given.refuses === true);
  const parts: Buffer[] = [];
  let bytes = 0;
  let whole = true;
  for await (const piece of unpacked(db, upload, packing)) {
    parts.push(piece);
    bytes += piece.length;
    if (bytes >= sampleBytes) {
      whole = false;
      break;
    }
  }
  const sample = Buffer.concat(parts).subarray(0, sampleBytes);
  if (isConverted(packing))
    return {
      packing,
      encoding: 'utf-8',
      sure: true,
      text: new TextDecoder().decode(sample, { stream: true }),
      whole,
      sheet,
      otherSheets,
    };
  if (given.refuses && detectPacking(sample) !== 'none') throw new ImportRefusal(message('import.packed_twice'));
  if (given.refuses) refuseKind(sample);
  const { encoding, sure } = given.encoding ? { encoding: given.encoding, sure: true } : detectEncoding(sample);
  return {
    packing,
    encoding,
    sure,
    text: new TextDecoder(encoding).decode(sample, { stream: true }),
    whole,
    sheet,
    otherSheets,
  };
}

/** The kind of a file, by its first bytes and the names in its archive. @throws ImportRefusal for the file of another program */
async function packingOf(
  db: Queries,
  upload: Upload,
  head: Buffer,
  refuses: boolean,
): Promise<Pick<FileSample, 'packing' | 'sheet' | 'otherSheets'>> {
  const packing = detectPacking(head);
  if (packing === 'none' && isVcard(new TextDecoder(wideEncoding(head)).decode(head)))
    return { packing: 'vcard', sheet: '', otherSheets: [] };
  if (packing !== 'zip') return { packing, sheet: '', otherSheets: [] };
  const archive = await archiveOf(db, upload);
  if (refuses) refuseArchive(archive.names);
  if (!isWorkbook(archive.names)) return { packing, sheet: '', otherSheets: [] };
  const sheets = await sheetsOf(archive);
  const chosen = chosenSheet(sheets);
  return {
    packing: 'xlsx',
    sheet: chosen?.name ?? '',
    otherSheets: sheets.filter((sheet) => sheet !== chosen).map(({ name }) => name),
  };
}

function gunzip(source: Readable): Readable {
  const unpacking = createGunzip({ chunkSize: 64 * 1024 });
  source.on('error', (error) => unpacking.destroy(error));
  unpacking.on('close', () => source.destroy());
  return source.pipe(unpacking);
}

/** The only file in a zip archive. */
async function unzip(db: Queries, upload: Upload): Promise<Readable> {
  const zip = await openZip(db, upload);
  const found = await entriesOf(zip);
  if (found.length !== 1) throw new ImportRefusal(message('import.zip_not_one_file', { count: found.length }));
  return openEntry(zip, found[0]!);
}

/** The files of an archive; folders and what macOS adds do not count. */
async function entriesOf(zip: ZipFile): Promise<Entry[]> {
  if (zip.entryCount > 1_000) throw new ImportRefusal(message('import.zip_too_many_entries', { count: '1,000' }));
  const found: Entry[] = [];
  try {
    for await (const entry of zip.eachEntry())
      if (!/\/$/.test(entry.fileName) && !/(^|\/)(__MACOSX\/|\.)/.test(entry.fileName)) found.push(entry);
  } catch (error) {
    throw new ImportRefusal(message('import.zip_damaged', { detail: (error as Error).message }));
  }
  return found;
}

async function openEntry(zip: ZipFile, entry: Entry): Promise<Readable> {
  if (entry.isEncrypted()) throw new ImportRefusal(message('import.zip_encrypted'));
  try {
    return await zip.openReadStreamPromise(entry);
  } catch (error) {
    throw new ImportRefusal(message('import.zip_damaged', { detail: (error as Error).message }));
  }
}

function openZip(db: Queries, upload: Upload): Promise<ZipFile> {
  class PieceReader extends RandomAccessReader {
    override _readStreamForRange(start: number, end: number): Readable {
      const pieces = readUpload(db, upload, start, end);
      const out = new PassThrough();
      pieces.on('error', (error) => out.destroy(error));
      return pieces.pipe(out);
    }
  }
  return new Promise((resolve, reject) => {
    fromRandomAccessReader(new PieceReader(), upload.size, { autoClose: false, lazyEntries: true }, (error, zip) => {
      if (zip) resolve(zip);
      else reject(new ImportRefusal(message('import.zip_damaged', { detail: error?.message ?? 'unreadable' })));
    });
  });
}
