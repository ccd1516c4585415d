// Files that are no table of contacts, by their first bytes or the names in their archive, so that a refusal can name the kind. Pure.
import { message } from '../../../../base/messages.ts';
import { ImportRefusal } from '../refusal.ts';

const starts: readonly [bytes: string, kind: string][] = [
  ['\xd0\xcf\x11\xe0', 'Excel 97-2003 (.xls) or an encrypted workbook'],
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
  const text = head
    .subarray(0, 4_096)
    .toString('utf8')
    .replace(/^\ufeff/, '');
  if (/^\s*(\{\s*("|\})|\[\s*(\{|\]|"|\[))/.test(text)) throw refusal('JSON');
  if (/^\s*<(!doctype\s+html|html|table|head|body)\b/i.test(text)) throw refusal('HTML');
  if (/^\s*<\?xml/i.test(text)) throw refusal('XML');
  if (/^\s*(--|\/\*|create table|insert into)[\s\S]*(create table|insert into)/i.test(text)) throw refusal('SQL');
}

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
