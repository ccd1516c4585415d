// Messages of campaignCheck: findings about a message, its sender and its audience.
import { defineMessages } from './define.ts';

export const checks = defineMessages({
  'check.text': { en: '{text}', de: '{text}' },
  'check.examples_more': { en: '{examples} and {count} more', de: '{examples} und {count} weitere' },

  'check.link_broken.one': {
    en: '1 link has a malformed URL: {examples}',
    de: 'Ein Link hat eine fehlerhafte Adresse: {examples}',
  },
  'check.link_broken.other': {
    en: '{count} links have a malformed URL: {examples}',
    de: '{count} Links haben eine fehlerhafte Adresse: {examples}',
  },
  'check.link_empty.one': { en: '1 link has no URL', de: 'Ein Link hat keine Adresse' },
  'check.link_empty.other': { en: '{count} links have no URL', de: '{count} Links haben keine Adresse' },
  'check.link_relative.one': {
    en: '1 link has a URL without http:// or https://, which does not work in an email: {examples}',
    de: 'Einem Link fehlt https://; in einer E-Mail funktioniert er nicht: {examples}',
  },
  'check.link_relative.other': {
    en: '{count} links have a URL without http:// or https://, which does not work in an email: {examples}',
    de: '{count} Links fehlt https://; in einer E-Mail funktionieren sie nicht: {examples}',
  },
  'check.link_scheme.one': {
    en: '1 link has a URL that email clients do not open: {examples}',
    de: 'Ein Link hat eine Adresse, die E-Mail-Programme nicht öffnen: {examples}',
  },
  'check.link_scheme.other': {
    en: '{count} links have URLs that email clients do not open: {examples}',
    de: '{count} Links haben Adressen, die E-Mail-Programme nicht öffnen: {examples}',
  },
  'check.picture_not_embedded.one': {
    en: '1 image cannot be embedded and stays on the web (unreachable, not PNG, JPEG, GIF or WebP, or too large): {examples}',
    de: 'Ein Bild lässt sich nicht einbetten und bleibt im Web (nicht erreichbar, kein PNG, JPEG, GIF oder WebP, oder zu groß): {examples}',
  },
  'check.picture_not_embedded.other': {
    en: '{count} images cannot be embedded and stay on the web (unreachable, not PNG, JPEG, GIF or WebP, or too large): {examples}',
    de: '{count} Bilder lassen sich nicht einbetten und bleiben im Web (nicht erreichbar, kein PNG, JPEG, GIF oder WebP, oder zu groß): {examples}',
  },
  'check.alt_missing': {
    en: '{count} of {total} images have no alternative text (alt), so readers who do not load images see nothing',
    de: '{count} von {total} Bildern haben keinen Alternativtext (alt); wer keine Bilder lädt, sieht dort nichts',
  },
  'check.html_clipped': {
    en: 'The HTML has {size} kB; Gmail cuts off what is beyond {limit} kB',
    de: 'Das HTML hat {size} kB; Gmail schneidet ab, was über {limit} kB hinausgeht',
  },
  'check.tag_unknown.one': {
    en: 'A merge tag is unknown for the lists of the campaign: {examples}',
    de: 'Ein Platzhalter ist für die Listen der Kampagne unbekannt: {examples}',
  },
  'check.tag_unknown.other': {
    en: 'Merge tags are unknown for the lists of the campaign: {examples}',
    de: 'Platzhalter sind für die Listen der Kampagne unbekannt: {examples}',
  },
  'check.tag_without_value': {
    en: '*|{tag}|* is empty for {count} of {recipients}; give it a default, such as *|{tag}:friend|*',
    de: '*|{tag}|* ist bei {count} von {recipients} leer; geben Sie einen Ersatz an, etwa *|{tag}:Leser|*',
  },
  'check.tag_default_format': {
    en: 'A default looks like a date format, but it is shown as it is when the field has no value: {examples}',
    de: 'Ein Ersatz sieht wie ein Datumsformat aus, wird aber unverändert gezeigt, wenn das Feld leer ist: {examples}',
  },
  'check.unsubscribe_missing.html': {
    en: 'The HTML has no link to unsubscribe, so it gets the footer; add *|UNSUB|* to place the link yourself',
    de: 'Im HTML fehlt der Abmeldelink, deshalb bekommt es die Fußzeile; mit *|UNSUB|* setzen Sie den Link selbst',
  },
  'check.unsubscribe_missing.plain': {
    en: 'The plain text has no link to unsubscribe, so it gets the footer; add *|UNSUB|* to place the link yourself',
    de: 'Im Nur-Text fehlt der Abmeldelink, deshalb bekommt er die Fußzeile; mit *|UNSUB|* setzen Sie den Link selbst',
  },
  'check.unsubscribe_missing.both': {
    en: 'The HTML and the plain text have no link to unsubscribe, so they get the footer; add *|UNSUB|* to place the link yourself',
    de: 'Im HTML und im Nur-Text fehlt der Abmeldelink, deshalb bekommen sie die Fußzeile; mit *|UNSUB|* setzen Sie den Link selbst',
  },
  'check.address_missing': {
    en: 'The sender has no postal address; most countries require one in every message. Set it for the list or the account',
    de: 'Die Postanschrift des Absenders fehlt; die meisten Länder verlangen sie in jeder E-Mail. Hinterlegen Sie sie bei der Liste oder beim Konto',
  },
  'check.address_not_shown': {
    en: 'The message does not seem to show the postal address of the sender: it has neither a footer nor *|LIST:ADDRESS|*',
    de: 'Die E-Mail scheint die Postanschrift des Absenders nicht zu zeigen: Sie hat weder eine Fußzeile noch *|LIST:ADDRESS|*',
  },
  'check.from_bad': {
    en: 'The From address {address} cannot be used by every server; set sender, or the main address of the account, to one in ASCII',
    de: 'Nicht jeder Server nimmt die Absenderadresse {address}; wählen Sie eine, die nur ASCII-Zeichen hat',
  },
  'check.authenticate_off': {
    en: '{domain} signs this campaign; with authenticate on, sending would pause instead of going out unsigned if the domain fails',
    de: '{domain} signiert diese Kampagne; mit eingeschalteter Pflicht zur Signatur würde der Versand pausieren, statt unsigniert weiterzulaufen, wenn die Domain ausfällt',
  },
  'check.from_not_authenticated': {
    en: 'The From domain {domain} does not sign the campaign; large providers reject such messages or treat them as spam',
    de: 'Die Absenderdomain {domain} signiert die Kampagne nicht; große Anbieter lehnen solche E-Mails ab oder behandeln sie als Spam',
  },
  'check.links_not_https': {
    en: 'The links of the message begin with http://, so that mailbox providers offer no one-click unsubscribe; the operator sets BASE_URL to an address with https://',
    de: 'Die Links der E-Mail fangen mit http:// an, deshalb bieten Postfachanbieter kein Abmelden mit einem Klick an; der Betreiber setzt BASE_URL auf eine Adresse mit https://',
  },
  'check.bounces_not_seen': {
    en: 'Bounces that come after the relay has accepted a message go to {address} and are not counted; connect the sending service in Settings, Returned mail, or the operator sets BOUNCE_DOMAIN',
    de: 'Bounces, die erst kommen, wenn das Relay eine E-Mail angenommen hat, gehen an {address} und werden nicht gezählt; verbinden Sie den Versanddienst unter Einstellungen, Rückläufer, oder der Betreiber setzt BOUNCE_DOMAIN',
  },
  'check.segment_gone': {
    en: 'The segment "{title}" has a condition on a deleted campaign or list; change the segment',
    de: 'Das Segment „{title}“ hat eine Bedingung zu einer gelöschten Kampagne oder Liste; ändern Sie das Segment',
  },

  'check.no_recipients': { en: 'No one would get this campaign', de: 'Niemand würde diese Kampagne bekommen' },
  'check.audience': {
    en: '{recipients} would get this campaign now',
    de: 'Jetzt würde die Kampagne an {recipients} gehen',
  },
  'check.recipients.one': { en: '1 recipient', de: '1 Kontakt' },
  'check.recipients.other': { en: '{count} recipients', de: '{count} Kontakte' },
  'check.left_out': { en: 'Left out: {count} {reason}', de: 'Ausgelassen: {count} {reason}' },
  'check.left_out.segment': { en: 'in none of the chosen segments', de: 'in keinem der gewählten Segmente' },
  'check.left_out.duplicate': {
    en: 'on another list of the campaign too; they get it once',
    de: 'auch auf einer anderen Liste der Kampagne; sie bekommen sie einmal',
  },
  'check.left_out.excluded_list': { en: 'on an excluded list', de: 'auf einer ausgeschlossenen Liste' },
  'check.left_out.excluded_segment': { en: 'in an excluded segment', de: 'in einem ausgeschlossenen Segment' },
  'check.left_out.suppressed': { en: 'on the suppression list', de: 'auf der Sperrliste' },
  'check.left_out.paused': { en: 'paused by the contact', de: 'von den Kontakten pausiert' },
  'check.left_out.unsubscribed': { en: 'unsubscribed', de: 'abgemeldet' },
  'check.left_out.pending': { en: 'pending', de: 'noch nicht bestätigt' },
  'check.left_out.bounced': { en: 'bounced', de: 'unzustellbar' },
  'check.left_out.inactive': { en: 'inactive', de: 'inaktiv' },
});
