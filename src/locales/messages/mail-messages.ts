// Messages about single (transactional) messages.
import { defineMessages } from './define.ts';

export const mailMessages = defineMessages({
  'message.unknown': {
    en: '{member}: the message "{id}" does not exist or has been deleted',
    de: '{member}: Die Nachricht „{id}“ gibt es nicht, oder sie ist gelöscht',
  },
  'message.content_type': {
    en: '{member} is not a media type such as application/pdf',
    de: '{member} ist kein Medientyp wie application/pdf',
  },
  'message.content_gone': {
    en: '{member}: the message "{id}" does not exist, or its content has been deleted',
    de: '{member}: Die Nachricht „{id}“ gibt es nicht, oder ihr Inhalt ist gelöscht',
  },
  'message.handed_over': {
    en: '{member}: {email} has the message or may have it (state {state})',
    de: '{member}: {email} hat die Nachricht oder hat sie vielleicht (Zustand {state})',
  },
  'message.ended': {
    en: '{member}: no recipient of the message waits for it any longer',
    de: '{member}: Kein Empfänger wartet noch auf die Nachricht',
  },
  'message.too_far_ahead': {
    en: '{member} is more than {count} days ahead',
    de: '{member} liegt mehr als {count} Tage in der Zukunft',
  },
  'message.template_unknown': {
    en: '{member}: no template has the alias "{alias}"',
    de: '{member}: Keine Vorlage hat den Alias „{alias}“',
  },
  'message.of_program': {
    en: '{member}: this email was written by Postrider, which does not keep the content of its own emails',
    de: '{member}: Diese E-Mail hat Postrider geschrieben, das den Inhalt seiner eigenen E-Mails nicht aufbewahrt',
  },
  'message.not_recipient': {
    en: '{member}: "{email}" is no recipient of the message',
    de: '{member}: „{email}“ ist kein Empfänger der Nachricht',
  },
  'message.address_not_ascii': {
    en: '{member}: "{email}" has letters before the @ that are not ASCII, which single messages do not support',
    de: '{member}: „{email}“ hat vor dem @ Buchstaben außerhalb von ASCII, was bei einzelnen Nachrichten nicht geht',
  },
  'message.no_recipient': {
    en: '{member}: the message has no recipient',
    de: '{member}: Die Nachricht hat keinen Empfänger',
  },
  'message.too_many_recipients': {
    en: '{member}: to, cc and bcc may have {count} addresses together',
    de: '{member}: to, cc und bcc dürfen zusammen {count} Adressen haben',
  },
  'message.no_content': {
    en: '{member}: give html, plain, template or template_id',
    de: '{member}: Geben Sie html, plain, template oder template_id an',
  },
  'message.two_contents': {
    en: '{member}: give only one of html, template and template_id',
    de: '{member}: Geben Sie nur eines von html, template und template_id an',
  },
  'message.no_subject': { en: '{member}: the subject is missing', de: '{member}: Der Betreff fehlt' },
  'message.value_not_text': {
    en: '{member} must be text or a number',
    de: '{member} muss ein Text oder eine Zahl sein',
  },
  'message.value_kind': {
    en: '{member} must be text, a number, true, false, null, a list or an object',
    de: '{member} muss ein Text, eine Zahl, true, false, null, eine Liste oder ein Objekt sein',
  },
  'message.value_deep': {
    en: '{member}: lists and objects may be within each other {count} times',
    de: '{member}: Listen und Objekte dürfen {count}-mal ineinander liegen',
  },
  'message.too_many_items': {
    en: '{member} has {count} items; a loop shows at most {max}',
    de: '{member} hat {count} Einträge; eine Wiederholung zeigt höchstens {max}',
  },
  'message.value_name': {
    en: '{member}: a name is a letter and up to 63 letters, digits and underscores',
    de: '{member}: Ein Name ist ein Buchstabe und bis zu 63 Buchstaben, Ziffern und Unterstriche',
  },
  'message.header_not_allowed': {
    en: '{member}: this header may not be set; allowed are {choices} and names that begin with X-',
    de: '{member}: Dieses Kopffeld lässt sich nicht setzen; erlaubt sind {choices} und Namen, die mit X- beginnen',
  },
  'message.header_of_service': {
    en: '{member}: this header instructs a sending service, which is for the operator only',
    de: '{member}: Dieses Kopffeld steuert einen Versanddienst, was nur der Betreiber darf',
  },
  'message.header_value': {
    en: '{member} must be one line of text',
    de: '{member} muss eine Zeile Text sein',
  },
  'message.attachments_too_large': {
    en: '{member}: the attachments have {size} bytes; {count} are allowed together',
    de: '{member}: Die Anhänge haben {size} Bytes; zusammen sind {count} erlaubt',
  },
  'message.raw_from': {
    en: '{member}: the message needs exactly one From field with one address',
    de: '{member}: Die Nachricht braucht genau ein Feld From mit einer Adresse',
  },
  'message.raw_head': {
    en: '{member}: "{line}" is not a header field',
    de: '{member}: „{line}“ ist kein Kopffeld',
  },
  'message.raw_head_ascii': {
    en: '{member}: a header field contains control characters, or an address that cannot be written in ASCII',
    de: '{member}: ein Kopffeld enthält Steuerzeichen oder eine Adresse, die sich nicht in ASCII schreiben lässt',
  },
  'message.raw_lines': {
    en: '{member}: a line is longer than {count} octets and cannot be encoded here, or there is a NUL; encode the body',
    de: '{member}: Eine Zeile ist länger als {count} Oktette und lässt sich hier nicht kodieren, oder es gibt ein NUL; kodieren Sie den Inhalt',
  },
  'attachment.too_many': {
    en: '{member}: a campaign has at most {count} attachments',
    de: '{member}: Eine Kampagne hat höchstens {count} Anhänge',
  },
  'attachment.too_large': {
    en: '{member}: the attachments would have {size} bytes together; {count} are allowed',
    de: '{member}: Die Anhänge hätten zusammen {size} Bytes; erlaubt sind {count}',
  },
  'attachment.storage_full': {
    en: '{member}: the attachments of this account take 1 GiB, which is the limit; delete campaigns with attachments',
    de: '{member}: Die Anhänge dieses Kontos belegen 1 GiB, mehr geht nicht; löschen Sie Kampagnen mit Anhängen',
  },
  'attachment.unknown': {
    en: '{member}: the campaign has no attachment {no}',
    de: '{member}: Die Kampagne hat keinen Anhang {no}',
  },
  'message.not_base64': { en: '{member} is not Base64', de: '{member} ist kein Base64' },
});
