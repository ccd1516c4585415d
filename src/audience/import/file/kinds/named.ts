// Files that are no table of contacts, by their first bytes or the names in their archive, so that a refusal can name the kind. Pure.
import { message } from '../../../../base/messages.ts';
import { detectEncoding } from '../detect.ts';
import { ImportRefusal } from '../refusal.ts';

const starts: readonly [bytes: string, kind: string][] = [
  ['%PDF', 'PDF'],
  ['\x89PNG', 'PNG'],
  ['\xff\xd8\xff', 'JPEG'],
  ['GIF8', 'GIF'],
  ['{\\rtf', 'RTF'],
  ['SQLite format 3', 'SQLite'],
  ['Rar!', 'RAR'],
  ['7z\xbc\xaf', '7-Zip'],
  ['BZh', 'bzip2'],
];

/** @throws ImportRefusal for a file that is known to be no table */
export function refuseKind(head: Buffer): void {
  const bytes = head.subarray(0, 16).toString('latin1');
  const start = starts.find(([sign]) => bytes.startsWith(sign))?.[1];
  if (start) throw refusal(start);
  if (bytes.startsWith('\xd0\xcf\x11\xe0'))
    throw refusal(
      head.includes(Buffer.from('WordDocument', 'utf16le'))
        ? 'Word 97-2003 (.doc)'
        : 'Excel 97-2003 (.xls) or an encrypted workbook',
    );
  const { encoding } = detectEncoding(head);
  const text = new TextDecoder(encoding).decode(head.subarray(0, 4_096)).replace(/^\ufeff/, '');
  if (isBinary(text)) throw refusal('binary data');
  const kind = textKinds.find(([pattern]) => pattern.test(text))?.[1];
  if (kind) throw refusal(kind);
}

/** Whether more than one sign in a hundred is one that no text has. */
const isBinary = (text: string) =>
  (text.match(/[\u0000-\u0008\u000e-\u001a]/g)?.length ?? 0) * 100 > Math.max(text.length, 400);

const textKinds: readonly [pattern: RegExp, kind: string][] = [
  [/^\s*(\{\s*("|\})|\[\s*(\{|\]|"|\[))/, 'JSON'],
  [/^\s*<(!doctype\s+html|html|table|head|body)\b/i, 'HTML'],
  [/^\s*<\?xml/i, 'XML'],
  [/^\s*(--|\/\*|create table|insert into)[\s\S]*(create table|insert into)/i, 'SQL'],
  // One that is not packed is read.
  [/^\s*BEGIN:VCARD\s/i, 'vCard (.vcf) inside an archive'],
  [/^(version:\s*1\s+)?(#.*\n)*dn::?\s/i, 'LDIF'],
  [/^(From \S.*\n)?(Return-Path|Received|Delivered-To|Message-ID|MIME-Version):\s/i, 'email (.eml, .mbox)'],
  [/^From:.*\n(To|Cc|Subject|Date|Reply-To):/i, 'email (.eml, .mbox)'],
  [/^---\s*\n/, 'YAML'],
];

const archives: readonly [name: RegExp, kind: string][] = [
  [/^xl\/workbook\.bin$/, 'Excel binary (.xlsb)'],
  [/^word\/document\.xml$/, 'Word (.docx)'],
  [/^ppt\//, 'PowerPoint (.pptx)'],
  [/^Index\/.*\.iwa$|^Index\.zip$/, 'Numbers or Pages'],
  [/^META-INF\/manifest\.xml$/, 'OpenDocument (.ods, .odt)'],
];

/** @throws ImportRefusal for an archive that is the file of another program */
export function refuseArchive(names: readonly string[]): void {
  const kind = archives.find(([pattern]) => names.some((name) => pattern.test(name)))?.[1];
  if (kind) throw refusal(kind);
}

const refusal = (kind: string) => new ImportRefusal(message('import.kind', { kind }));
