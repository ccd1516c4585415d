// Messages about imports: uploaded files, mappings, why a row was rejected and why an import failed.
import { defineMessages } from '../define.ts';

export const imports = defineMessages({
  'upload.unknown': { en: '{member}: the file does not exist', de: '{member}: Diese Datei gibt es nicht' },
  'upload.unknown_or_removed': {
    en: '{member}: the file does not exist; it may have expired',
    de: '{member}: Diese Datei gibt es nicht; vielleicht ist ihre Zeit abgelaufen',
  },
  'upload.too_much_waiting': {
    en: 'Files of {count} MiB are already waiting to be imported',
    de: 'Es warten schon Dateien von {count} MiB auf ihren Import',
  },
  'upload.not_at': {
    en: '{member}: the file has {count} bytes, not {value}',
    de: '{member}: Die Datei hat {count} Bytes, nicht {value}',
  },
  'upload.too_large': { en: 'The file is larger than {count} MiB', de: 'Die Datei ist größer als {count} MiB' },

  'import.unknown': {
    en: '{member}: the import "{id}" does not exist',
    de: '{member}: Den Import „{id}“ gibt es nicht',
  },
  'import.of_all_lists': {
    en: '{member}: {columns} belongs to contacts on all their lists; leave the column out, or ask someone with all lists',
    de: '{member}: {columns} gehört zu Kontakten auf allen ihren Listen; lassen Sie die Spalte weg, oder fragen Sie jemanden mit allen Listen',
  },
  'import.content_or_upload': {
    en: '{member}: give either content or upload',
    de: '{member}: Geben Sie entweder content oder upload an',
  },
  'import.tag': {
    en: '"{value}" is not a tag of 1 to {count} characters',
    de: '„{value}“ ist kein Tag aus 1 bis {count} Zeichen',
  },
  'import.too_many_tags': {
    en: 'the contact would have more than {count} tags',
    de: 'Der Kontakt hätte mehr als {count} Tags',
  },
  'import.empty': { en: 'The file is empty', de: 'Die Datei ist leer' },
  'import.no_rows': { en: 'The file has no rows', de: 'Die Datei hat keine Zeilen' },
  'import.first_record_too_long': {
    en: 'The first record is longer than 256 KiB',
    de: 'Der erste Datensatz ist länger als 256 KiB',
  },
  'import.too_many_columns': {
    en: 'The file has more than {count} columns',
    de: 'Die Datei hat mehr als {count} Spalten',
  },
  'import.too_many_fields': { en: 'A list has at most {count} fields', de: 'Eine Liste hat höchstens {count} Felder' },
  'import.unreadable': { en: 'The file cannot be read: {detail}', de: 'Die Datei lässt sich nicht lesen: {detail}' },
  'import.quote_open': {
    en: 'The file cannot be read: a quotation mark in row {row} is not closed',
    de: 'Die Datei lässt sich nicht lesen: Ein Anführungszeichen in Zeile {row} wird nicht geschlossen',
  },
  'import.encoding': {
    en: '{member}: "{value}" is not a known encoding',
    de: '{member}: „{value}“ ist keine bekannte Kodierung',
  },
  'import.delimiter': {
    en: '{member}: "{value}" is neither one character nor the word tab',
    de: '{member}: „{value}“ ist weder ein Zeichen noch das Wort tab',
  },
  'import.quote_too_long': { en: '{member} is longer than one character', de: '{member} ist länger als ein Zeichen' },
  'import.quote_is_delimiter': { en: '{member} is the delimiter', de: '{member} ist das Trennzeichen' },
  'import.no_email_column': {
    en: '{member}: no column is EMAIL; choose it with importUpdate',
    de: '{member}: Keine Spalte ist die E-Mail-Adresse; wählen Sie sie aus',
  },
  'import.undecided': {
    en: '{member}: the column {columns} looks as if it says who agreed to receive email or has left, and it is not decided. Import it as STATUS (words such as subscribed, or yes and no), UNSUBSCRIBED or BOUNCED (a mark of who left), as a field, or as "" if it says nothing about it.',
    de: '{member}: Die Spalte {columns} scheint zu sagen, wer E-Mails zugestimmt oder sich abgemeldet hat, und ist nicht entschieden. Importieren Sie sie als STATUS (Wörter wie subscribed oder ja und nein), als UNSUBSCRIBED oder BOUNCED (ein Vermerk, wer gegangen ist), als Feld oder als "", wenn sie nichts darüber sagt.',
  },
  'import.undecided_preview': {
    en: 'The column {columns} looks as if it says who agreed to receive email, or who has left. Choose what it is imported as, or leave it out if it says nothing about that. Until then the import cannot start.',
    de: 'Die Spalte {columns} scheint zu sagen, wer E-Mails zugestimmt oder sich abgemeldet hat. Wählen Sie, als was sie importiert wird, oder lassen Sie sie weg, wenn sie nichts darüber sagt. Vorher kann der Import nicht beginnen.',
  },
  'import.too_many_cells': {
    en: 'is in a cell beside the {count} columns; a value that contains the delimiter needs quotation marks',
    de: 'steht in einer Zelle neben den {count} Spalten; ein Wert mit dem Trennzeichen braucht Anführungszeichen',
  },
  'import.says_left': {
    en: '{member}: the heading, a line or a tag of the column {columns}, or the name of the file or of a sheet, says that contacts have left. Name the target of the column (EMAIL or TAGS) if they want email all the same, or set options.status.',
    de: '{member}: Die Überschrift, eine Zeile oder ein Schlagwort der Spalte {columns} oder der Name der Datei oder eines Blatts sagt, dass Kontakte sich abgemeldet haben. Nennen Sie das Ziel der Spalte (EMAIL oder TAGS), wenn sie trotzdem E-Mails wollen, oder setzen Sie options.status.',
  },
  'import.says_left_preview': {
    en: 'The heading, a line or a tag of the column {columns}, or the name of the file or of a sheet, says that contacts have left. If they want email all the same, choose what the column is imported as; otherwise choose the status of contacts. Until then the import cannot start.',
    de: 'Die Überschrift, eine Zeile oder ein Schlagwort der Spalte {columns} oder der Name der Datei oder eines Blatts sagt, dass Kontakte sich abgemeldet haben. Wenn sie trotzdem E-Mails wollen, wählen Sie, als was die Spalte importiert wird; sonst wählen Sie den Zustand der Kontakte. Vorher kann der Import nicht beginnen.',
  },
  'import.order_unclear': {
    en: '{member}: in the dates of the column {columns}, day and month cannot be distinguished. Add :day_first or :month_first to the target, such as BIRTHDAY:day_first',
    de: '{member}: In den Daten der Spalte {columns} lassen sich Tag und Monat nicht unterscheiden. Hängen Sie :day_first oder :month_first an das Ziel, etwa BIRTHDAY:day_first',
  },
  'import.order_preview': {
    en: 'In the dates of the column {columns}, day and month cannot be distinguished. Choose which comes first. Until then the import cannot start.',
    de: 'In den Daten der Spalte {columns} lassen sich Tag und Monat nicht unterscheiden. Wählen Sie, was zuerst kommt. Vorher kann der Import nicht beginnen.',
  },
  'import.date_unclear': {
    en: 'can be read with the day first or with the month first',
    de: 'lässt sich mit dem Tag zuerst oder mit dem Monat zuerst lesen',
  },
  'mapping.order_of_no_date': {
    en: 'day_first and month_first are for dates',
    de: 'day_first und month_first gibt es nur für Daten',
  },
  'import.left_out': { en: 'left out: {problem}', de: 'weggelassen: {problem}' },
  'import.address_too_long': {
    en: 'The file has more than 256 KiB without an address.',
    de: 'Die Datei hat mehr als 256 KiB ohne eine Adresse.',
  },
  'import.more_addresses': {
    en: 'The column {columns} holds email addresses that are not imported: a row is one contact.',
    de: 'Die Spalte {columns} enthält E-Mail-Adressen, die nicht importiert werden: Eine Zeile ist ein Kontakt.',
  },
  'import.kind': {
    en: 'The file is of the kind {kind}. Save the table as an Excel workbook (.xlsx) or as CSV and import that.',
    de: 'Die Datei ist von der Art {kind}. Speichern Sie die Tabelle als Excel-Arbeitsmappe (.xlsx) oder als CSV und importieren Sie diese.',
  },
  'import.packed_twice': {
    en: 'The archive contains another archive or workbook. Take it out, and import that file.',
    de: 'Das Archiv enthält ein weiteres Archiv oder eine Arbeitsmappe. Nehmen Sie sie heraus und importieren Sie diese Datei.',
  },
  'import.xlsx_damaged': {
    en: 'The workbook cannot be read: {detail}.',
    de: 'Die Arbeitsmappe lässt sich nicht lesen: {detail}.',
  },
  'import.other_sheets': {
    en: 'Only the first visible sheet of the workbook is imported, and not {sheets}.',
    de: 'Nur das erste sichtbare Blatt der Arbeitsmappe wird importiert, nicht {sheets}.',
  },
  'import.blank_is_no': {
    en: 'The column {columns} says who agreed: contacts with an empty cell come as unsubscribed, unless you choose a status for them.',
    de: 'Die Spalte {columns} sagt, wer zugestimmt hat: Kontakte mit leerer Zelle kommen als abgemeldet, wenn Sie keinen Zustand für sie wählen.',
  },
  'import.cannot_check': {
    en: 'The import is {state}; only a mapped or checked import can be checked',
    de: 'Der Import ist {state}; prüfen lässt sich nur ein zugeordneter oder geprüfter',
  },
  'import.cannot_start': {
    en: 'The import is {state}; only a mapped, checked, stopped or failed import can be started',
    de: 'Der Import ist {state}; starten lässt sich nur ein zugeordneter, geprüfter, angehaltener oder gescheiterter',
  },
  'import.cannot_stop': {
    en: 'The import is {state}; only a checking or running import can be stopped',
    de: 'Der Import ist {state}; anhalten lässt sich nur einer, der geprüft wird oder läuft',
  },
  'import.cannot_undo': {
    en: 'The import is {state}; only a done, stopped or failed import can be undone',
    de: 'Der Import ist {state}; zurücknehmen lässt sich nur ein fertiger, angehaltener oder gescheiterter',
  },
  'import.cannot_change': {
    en: 'The import is {state}; only an uploaded, mapped or checked import can be changed',
    de: 'Der Import ist {state}; ändern lässt sich nur ein hochgeladener, zugeordneter oder geprüfter',
  },
  'import.state.uploaded': { en: 'uploaded', de: 'hochgeladen' },
  'import.state.mapped': { en: 'mapped', de: 'zugeordnet' },
  'import.state.checking': { en: 'checking', de: 'in Prüfung' },
  'import.state.checked': { en: 'checked', de: 'geprüft' },
  'import.state.running': { en: 'running', de: 'in Arbeit' },
  'import.state.stopped': { en: 'stopped', de: 'angehalten' },
  'import.state.failed': { en: 'failed', de: 'gescheitert' },
  'import.state.done': { en: 'done', de: 'fertig' },
  'import.state.undoing': { en: 'undoing', de: 'in Rücknahme' },
  'import.state.undone': { en: 'undone', de: 'zurückgenommen' },

  'mapping.no_column': {
    en: '{member}: the column "{name}" does not exist',
    de: '{member}: Die Spalte „{name}“ gibt es nicht',
  },
  'mapping.column': { en: '{member}: column "{name}": {problem}', de: '{member}: Spalte „{name}“: {problem}' },
  'mapping.twice': {
    en: '{member}: several columns map to {target}',
    de: '{member}: Mehrere Spalten gehen nach {target}',
  },
  'mapping.field_type': {
    en: 'a new field cannot be of type "{type}"',
    de: 'ein neues Feld kann nicht von der Art „{type}“ sein',
  },
  'mapping.field_of_other_type': {
    en: 'the list already has a field {tag} of type {type}, not {wanted}',
    de: 'die Liste hat schon ein Feld {tag} der Art {type}, nicht {wanted}',
  },
  'mapping.field_reserved': { en: '{tag} cannot be a new field', de: '{tag} kann kein neues Feld sein' },
  'mapping.target_unknown': {
    en: '"{target}" is not a field of this list ({tags}), not one of {choices}, and not new:TAG',
    de: '„{target}“ ist kein Feld dieser Liste ({tags}), keines von {choices} und nicht new:TAG',
  },

  'import.address': { en: 'the address {problem}', de: 'die Adresse {problem}' },
  'import.email_type': { en: 'is neither html nor text', de: 'ist weder html noch text' },
  'import.status': {
    en: 'is not a status such as subscribed, unsubscribed, pending or bounced',
    de: 'ist kein Zustand wie subscribed, unsubscribed, pending oder bounced',
  },
  'import.language': { en: 'is not a language code such as en or pt-BR', de: 'ist kein Sprachcode wie en oder pt-BR' },
  'import.time_zone': { en: 'is not a time zone such as Europe/Berlin', de: 'ist keine Zeitzone wie Europe/Berlin' },
  'import.ip': { en: 'is not an IP address', de: 'ist keine IP-Adresse' },
  'import.time': {
    en: 'is not a date and time such as 2026-05-31 12:00:00',
    de: 'ist kein Zeitpunkt wie 2026-05-31 12:00:00',
  },
  'import.in_future': { en: 'is in the future', de: 'liegt in der Zukunft' },
  'import.wrong_encoding': {
    en: 'contains bytes that are invalid in the encoding of the file',
    de: 'enthält Bytes, die in der Kodierung der Datei ungültig sind',
  },
  'import.encoding_unsure': {
    en: 'The encoding of the file was guessed as {encoding}. If letters look wrong below, choose another one.',
    de: 'Die Kodierung der Datei wurde als {encoding} geraten. Wenn Buchstaben unten falsch aussehen, eine andere wählen.',
  },
  'import.unreadable_time': {
    en: 'The column {heading} has values that are not times such as 2026-05-31 12:00:00, for example “{value}”. Such values are left out.',
    de: 'Die Spalte {heading} hat Werte, die kein Zeitpunkt wie 2026-05-31 12:00:00 sind, etwa „{value}“. Solche Werte werden weggelassen.',
  },
  'import.unreadable_date': {
    en: 'The column {heading} has values that are not dates such as 2026-05-31, for example “{value}”. Such values are left out.',
    de: 'Die Spalte {heading} hat Werte, die kein Datum wie 2026-05-31 sind, etwa „{value}“. Solche Werte werden weggelassen.',
  },
  'import.duplicate': { en: 'duplicate of an earlier row', de: 'Wiederholung einer früheren Zeile' },
  'import.opted_out': {
    en: 'another row lists this address as unsubscribed or bounced',
    de: 'eine andere Zeile nennt diese Adresse abgemeldet oder unzustellbar',
  },
  'import.suppressed': {
    en: 'the address or its domain is suppressed',
    de: 'die Adresse oder ihre Domain ist gesperrt',
  },
  'import.left': {
    en: 'the contact has unsubscribed or bounced',
    de: 'der Kontakt hat sich abgemeldet oder ist unzustellbar',
  },
  'import.required': { en: 'a required field has no value: {tags}', de: 'ein Pflichtfeld ist leer: {tags}' },

  'import.file_erased': {
    en: 'The file was deleted because it names a contact that was erased. Upload it again without that contact.',
    de: 'Die Datei wurde gelöscht, weil darin ein Kontakt steht, dessen Daten gelöscht wurden. Laden Sie sie ohne diesen Kontakt wieder hoch.',
  },
  'import.internal': {
    en: 'Internal error; see the log of the worker.',
    de: 'Interner Fehler; näheres steht im Protokoll des Workers.',
  },
  'import.too_many_rows': { en: 'The file has more than {count} rows.', de: 'Die Datei hat mehr als {count} Zeilen.' },
  'import.fields_removed': {
    en: 'The list no longer has the field {tags}.',
    de: 'Die Liste hat kein Feld {tags} mehr.',
  },
  'import.unpacked_too_large': {
    en: 'Unpacked, the file is larger than {count} MiB.',
    de: 'Ausgepackt ist die Datei größer als {count} MiB.',
  },
  'import.unpacks_too_far': {
    en: 'The file unpacks to too many times its size.',
    de: 'Die Datei wird beim Auspacken unmäßig groß.',
  },
  'import.damaged': {
    en: 'The {packing} file is damaged: {detail}.',
    de: 'Die {packing}-Datei ist beschädigt: {detail}.',
  },
  'import.zip_damaged': { en: 'The zip archive is damaged: {detail}.', de: 'Das ZIP-Archiv ist beschädigt: {detail}.' },
  'import.zip_too_many_entries': {
    en: 'The zip archive has more than {count} entries; it must contain one file.',
    de: 'Das ZIP-Archiv hat mehr als {count} Einträge; es muss genau eine Datei enthalten.',
  },
  'import.zip_not_one_file': {
    en: 'The zip archive contains {count} files; it must contain exactly one.',
    de: 'Das ZIP-Archiv enthält {count} Dateien; es muss genau eine sein.',
  },
  'import.zip_encrypted': {
    en: 'The file in the zip archive is encrypted.',
    de: 'Die Datei im ZIP-Archiv ist verschlüsselt.',
  },
  'import.record_too_long': {
    en: 'The record on line {line} is longer than 256 KiB, too long for one contact.',
    de: 'Der Datensatz in Zeile {line} ist länger als 256 KiB, zu lang für einen Kontakt.',
  },
  'import.quoted_record_too_long': {
    en: 'The record on line {line} is longer than 256 KiB, too long for one contact; a closing quotation mark may be missing.',
    de: 'Der Datensatz in Zeile {line} ist länger als 256 KiB, zu lang für einen Kontakt; vielleicht fehlt das Ende eines Anführungszeichens.',
  },
  'import.quote_not_closed': {
    en: 'A quotation mark on line {line} is not closed.',
    de: 'Ein Anführungszeichen in Zeile {line} wird nicht geschlossen.',
  },
  'import.record_invalid': { en: '{detail}.', de: '{detail}.' },
});
