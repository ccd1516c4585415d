// The media type of a file by its name, for files that come without one: programs that open attachments go by it. Pure.
import { isAscii, isUtf8 } from 'node:buffer';

const office = 'application/vnd.openxmlformats-officedocument.';
const openDocument = 'application/vnd.oasis.opendocument.';

const types: Record<string, string> = {
  ...{ pdf: 'application/pdf', rtf: 'application/rtf', ps: 'application/postscript', epub: 'application/epub+zip' },
  ...{
    txt: 'text/plain',
    text: 'text/plain',
    log: 'text/plain',
    md: 'text/markdown',
    csv: 'text/csv',
    tsv: 'text/tab-separated-values',
  },
  ...{ ics: 'text/calendar', ical: 'text/calendar', vcf: 'text/vcard', vcard: 'text/vcard' },
  ...{ html: 'text/html', htm: 'text/html', css: 'text/css', xml: 'application/xml', json: 'application/json' },
  ...{ doc: 'application/msword', xls: 'application/vnd.ms-excel', ppt: 'application/vnd.ms-powerpoint' },
  docx: `${office}wordprocessingml.document`,
  xlsx: `${office}spreadsheetml.sheet`,
  pptx: `${office}presentationml.presentation`,
  ...{ odt: `${openDocument}text`, ods: `${openDocument}spreadsheet`, odp: `${openDocument}presentation` },
  ...{
    png: 'image/png',
    jpg: 'image/jpeg',
    jpeg: 'image/jpeg',
    gif: 'image/gif',
    webp: 'image/webp',
    svg: 'image/svg+xml',
  },
  ...{
    tif: 'image/tiff',
    tiff: 'image/tiff',
    bmp: 'image/bmp',
    ico: 'image/vnd.microsoft.icon',
    heic: 'image/heic',
    avif: 'image/avif',
  },
  ...{ mp3: 'audio/mpeg', m4a: 'audio/mp4', wav: 'audio/wav', ogg: 'audio/ogg', flac: 'audio/flac' },
  ...{ mp4: 'video/mp4', mov: 'video/quicktime', webm: 'video/webm', mpg: 'video/mpeg', mpeg: 'video/mpeg' },
  ...{
    zip: 'application/zip',
    gz: 'application/gzip',
    tgz: 'application/gzip',
    tar: 'application/x-tar',
    '7z': 'application/x-7z-compressed',
  },
  ...{ pkpass: 'application/vnd.apple.pkpass', p7s: 'application/pkcs7-signature', asc: 'application/pgp-signature' },
};

/** application/octet-stream for a name that says nothing. Text in UTF-8 says so: without it, mail programs guess. */
export function mediaTypeOf(name: string, bytes: Uint8Array): string {
  const extension = /\.([a-z0-9]{1,8})\s*$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  const type = Object.hasOwn(types, extension) ? types[extension]! : 'application/octet-stream';
  return type.startsWith('text/') && !isAscii(bytes) && isUtf8(bytes) ? `${type}; charset=utf-8` : type;
}
