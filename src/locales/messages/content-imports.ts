// Messages about content that is imported: archives, pages from a URL, and what could not be imported unchanged.
import { defineMessages } from './define.ts';

export const contentImports = defineMessages({
  'import_url.undecodable': {
    en: 'Some bytes are invalid in {charset} and were replaced.',
    de: 'Einige Bytes sind in {charset} ungültig und wurden ersetzt.',
  },
  'import_url.linked_style': {
    en: 'Most email clients ignore linked style sheets: {url}',
    de: 'Die meisten E-Mail-Programme übergehen verlinkte Stylesheets: {url}',
  },
  'import_url.bad_address': { en: 'Not a valid URL: {url}', de: 'Keine gültige Adresse: {url}' },

  'archive.empty': { en: 'The archive is empty.', de: 'Das Archiv ist leer.' },
  'archive.not_base64': {
    en: 'The archive is not encoded with Base64.',
    de: 'Das Archiv ist nicht mit Base64 kodiert.',
  },
  'archive.too_large': { en: 'The archive is larger than {count} MiB.', de: 'Das Archiv ist größer als {count} MiB.' },
  'archive.unpacked_too_large': {
    en: 'Unpacked, the archive is larger than {count} MiB.',
    de: 'Ausgepackt ist das Archiv größer als {count} MiB.',
  },
  'archive.unpacked_too_large_at': {
    en: 'Unpacked, the archive is larger than {count} MiB (at {name}).',
    de: 'Ausgepackt ist das Archiv größer als {count} MiB (bei {name}).',
  },
  'archive.ratio': {
    en: 'The archive unpacks to too many times its size.',
    de: 'Das Archiv wird ausgepackt um ein Vielfaches zu groß.',
  },
  'archive.ratio_at': {
    en: 'The archive unpacks to too many times its size (at {name}).',
    de: 'Das Archiv wird ausgepackt um ein Vielfaches zu groß (bei {name}).',
  },
  'archive.too_many_entries': {
    en: 'The archive has more than {count} entries.',
    de: 'Das Archiv hat mehr als {count} Einträge.',
  },
  'archive.too_slow': {
    en: 'The archive takes too long to unpack.',
    de: 'Das Auspacken des Archivs dauert zu lange.',
  },
  'archive.too_much_memory': {
    en: 'The archive takes too much memory to unpack.',
    de: 'Das Auspacken des Archivs braucht zu viel Speicher.',
  },
  'archive.type_differs': {
    en: 'This is a {type} archive, but archive_type is {expected}.',
    de: 'Das ist ein Archiv der Art {type}, archive_type ist aber {expected}.',
  },
  'archive.not_of_type': { en: 'This is not a {type} archive.', de: 'Das ist kein Archiv der Art {type}.' },
  'archive.damaged_gzip': {
    en: 'The gzip data is damaged: {detail}.',
    de: 'Die gzip-Daten sind beschädigt: {detail}.',
  },
  'archive.damaged_bzip2': {
    en: 'The bzip2 data is damaged: {detail}.',
    de: 'Die bzip2-Daten sind beschädigt: {detail}.',
  },
  'archive.damaged_zip': {
    en: 'The zip archive is damaged: {detail}.',
    de: 'Das ZIP-Archiv ist beschädigt: {detail}.',
  },
  'archive.damaged_header': {
    en: 'The archive is damaged: a header is wrong.',
    de: 'Das Archiv ist beschädigt: Ein Kopf ist falsch.',
  },
  'archive.header_too_large': {
    en: 'The archive has an oversized header.',
    de: 'Das Archiv hat einen übergroßen Kopf.',
  },
  'archive.truncated': { en: 'The archive ends too early.', de: 'Das Archiv endet zu früh.' },
  'archive.multi_part': {
    en: 'The archive is one part of several.',
    de: 'Das Archiv ist nur ein Teil von mehreren.',
  },
  'archive.encrypted': { en: 'The archive is encrypted.', de: 'Das Archiv ist verschlüsselt.' },
  'archive.overlap': {
    en: 'The entries {name} and {other} overlap.',
    de: 'Die Einträge {name} und {other} überlappen sich.',
  },
  'archive.duplicate': { en: 'The archive contains {name} twice.', de: 'Das Archiv enthält {name} zweimal.' },
  'archive.file_too_long': { en: '{name} is too long.', de: '{name} ist zu lang.' },
  'archive.no_page': { en: 'The archive contains no HTML page.', de: 'Das Archiv enthält keine HTML-Seite.' },
  'archive.several_pages': {
    en: 'The archive contains several pages ({names}); exactly one must be called index.html.',
    de: 'Das Archiv enthält mehrere Seiten ({names}); genau eine muss index.html heißen.',
  },
  'archive.too_many_style_sheets': {
    en: 'The page uses more than {count} style sheets.',
    de: 'Die Seite verwendet mehr als {count} Stylesheets.',
  },
  'archive.page_too_long': {
    en: 'The page and its style sheets are too long.',
    de: 'Die Seite und ihre Stylesheets sind zu lang.',
  },

  'archive.entry': { en: 'The entry {name} {problem}.', de: 'Der Eintrag {name} {problem}.' },
  'archive.entry_unnamed': { en: 'An entry has no name.', de: 'Ein Eintrag hat keinen Namen.' },
  'archive.entry.long_name': { en: 'has too long a name', de: 'hat einen zu langen Namen' },
  'archive.entry.control_characters': {
    en: 'has control characters in its name',
    de: 'hat Steuerzeichen im Namen',
  },
  'archive.entry.absolute': { en: 'has an absolute name', de: 'hat einen absoluten Namen' },
  'archive.entry.drive': { en: 'has a drive in its name', de: 'hat ein Laufwerk im Namen' },
  'archive.entry.outside': { en: 'leads out of the archive', de: 'führt aus dem Archiv heraus' },
  'archive.entry.encrypted': { en: 'is encrypted', de: 'ist verschlüsselt' },
  'archive.entry.method': {
    en: 'is packed by a method ({method}) other than deflate',
    de: 'ist mit einem anderen Verfahren ({method}) als Deflate gepackt',
  },
  'archive.entry.damaged': { en: 'is damaged: {detail}', de: 'ist beschädigt: {detail}' },
  'archive.entry.checksum': {
    en: 'is damaged: its checksum differs',
    de: 'ist beschädigt: Die Prüfsumme weicht ab',
  },
  'archive.entry.not_a_file': { en: 'is neither a file nor a directory', de: 'ist weder Datei noch Ordner' },
  'archive.entry.hard_link': { en: 'is a hard link', de: 'ist ein harter Link' },
  'archive.entry.symbolic_link': { en: 'is a symbolic link', de: 'ist ein symbolischer Link' },
  'archive.entry.device': { en: 'is a device', de: 'ist ein Gerät' },
  'archive.entry.pipe': { en: 'is a pipe', de: 'ist eine Pipe' },
  'archive.entry.sparse': { en: 'is a sparse file', de: 'ist eine Datei mit Lücken' },
  'archive.entry.other_archive': { en: 'is part of another archive', de: 'gehört zu einem anderen Archiv' },
  'archive.entry.size': { en: 'has no valid size', de: 'hat keine gültige Größe' },
  'archive.entry.unknown_type': { en: 'is of an unknown type', de: 'ist von unbekannter Art' },

  'archive_page.mismatched': {
    en: '{name} is not of the type that its name suggests and was left out.',
    de: '{name} ist nicht von der Art, die der Name nennt, und wurde weggelassen.',
  },
  'archive_page.unused': {
    en: 'Not used by the page ({count}): {names}.',
    de: 'Von der Seite nicht verwendet ({count}): {names}.',
  },
  'archive_page.undecodable': {
    en: 'Some bytes of {name} are invalid in {charset} and were replaced.',
    de: 'Einige Bytes von {name} sind in {charset} ungültig und wurden ersetzt.',
  },
  'archive_page.style_import': {
    en: 'The @import of {name} could not be inlined.',
    de: 'Das @import von {name} konnte nicht in die Seite geholt werden.',
  },
  'archive_page.local_address': {
    en: 'Leads to a file on a local computer: {url}',
    de: 'Führt zu einer Datei auf einem einzelnen Computer: {url}',
  },
  'archive_page.page_link': {
    en: 'Only the page itself is sent, not this one: {name}',
    de: 'Nur die Seite selbst wird gesendet, diese nicht: {name}',
  },
  'archive_page.svg': {
    en: 'SVG is left out, since email clients do not show it: {name}',
    de: 'SVG wird weggelassen, da E-Mail-Programme es nicht zeigen: {name}',
  },
  'archive_page.missing': { en: 'Not in the archive: {url}', de: 'Nicht im Archiv: {url}' },
});
