// Messages of campaignCheck (findings about a message, its sender and its audience), and of the checks of optional DNS records of
// a sender domain: its logo (BIMI) and the transport security of returned mail (MTA-STS, TLS-RPT). The latter are sentences,
// since several may follow one another.
import { defineMessages } from './define.ts';

export const checks = defineMessages({
  'check.text': { en: '{text}', de: '{text}' },
  'check.of_variant': { en: 'Variant {name}: {text}', de: 'Variante {name}: {text}' },
  'check.of_language': { en: 'Version {language}: {text}', de: 'Fassung {language}: {text}' },
  'check.test_too_small': {
    en: 'The A/B test has {variants} variants, and the campaign {recipients}: it is paused instead of sent',
    de: 'Der A/B-Test hat {variants} Varianten, die Kampagne {recipients}: Sie wird angehalten, statt gesendet zu werden',
  },
  'check.examples_more': { en: '{examples} and {count} more', de: '{examples} und {count} weitere' },

  'check.content_empty': { en: 'The email is empty', de: 'Die E-Mail ist leer' },
  'check.sample_email': {
    en: 'This is still the sample email. Write your own text.',
    de: 'Das ist noch die Muster-E-Mail. Schreiben Sie Ihren eigenen Text.',
  },
  'check.sample_left': {
    en: 'The email still has sample text: {examples}',
    de: 'Die E-Mail enthält noch Mustertext: {examples}',
  },
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
  'check.link_gone.one': {
    en: '1 link leads to a page that does not exist ({why}): {examples}',
    de: 'Ein Link führt zu einer Seite, die es nicht gibt ({why}): {examples}',
  },
  'check.link_gone.other': {
    en: '{count} links lead to pages that do not exist ({why}): {examples}',
    de: '{count} Links führen zu Seiten, die es nicht gibt ({why}): {examples}',
  },
  'check.link_failing.one': {
    en: '1 link could not be opened ({why}): {examples}',
    de: 'Ein Link ließ sich nicht öffnen ({why}): {examples}',
  },
  'check.link_failing.other': {
    en: '{count} links could not be opened ({why}): {examples}',
    de: '{count} Links ließen sich nicht öffnen ({why}): {examples}',
  },
  'check.link_why.status': { en: 'answer {status}', de: 'Antwort {status}' },
  'check.link_why.timeout': { en: 'no answer in time', de: 'keine Antwort' },
  'check.link_why.name': { en: 'unknown host', de: 'unbekannter Server' },
  'check.link_why.unreachable': { en: 'no connection', de: 'keine Verbindung' },
  'check.link_why.redirects': { en: 'too many redirects', de: 'zu viele Weiterleitungen' },
  'check.link_why.protocol': {
    en: 'the answer is invalid, or its certificate',
    de: 'die Antwort oder ihr Zertifikat ist ungültig',
  },
  'check.link_private.one': {
    en: '1 link leads to an address that only your network knows: {examples}',
    de: 'Ein Link führt zu einer Adresse, die nur Ihr Netz kennt: {examples}',
  },
  'check.link_private.other': {
    en: '{count} links lead to addresses that only your network knows: {examples}',
    de: '{count} Links führen zu Adressen, die nur Ihr Netz kennt: {examples}',
  },
  'check.picture_empty.one': {
    en: '1 image has no address, so readers see nothing: {examples}',
    de: 'Ein Bild hat keine Adresse; Leser sehen nichts: {examples}',
  },
  'check.picture_empty.other': {
    en: '{count} images have no address, so readers see nothing: {examples}',
    de: '{count} Bilder haben keine Adresse; Leser sehen nichts: {examples}',
  },
  'check.picture_relative.one': {
    en: '1 image has an address without http:// or https://, so readers do not see it: {examples}',
    de: 'Einem Bild fehlt https://; Leser sehen es nicht: {examples}',
  },
  'check.picture_relative.other': {
    en: '{count} images have addresses without http:// or https://, so readers do not see them: {examples}',
    de: '{count} Bildern fehlt https://; Leser sehen sie nicht: {examples}',
  },
  'check.picture_scheme.one': {
    en: '1 image is not on the web, so readers do not see it; upload it: {examples}',
    de: 'Ein Bild ist nicht im Web; Leser sehen es nicht. Laden Sie es hoch: {examples}',
  },
  'check.picture_scheme.other': {
    en: '{count} images are not on the web, so readers do not see them; upload them: {examples}',
    de: '{count} Bilder sind nicht im Web; Leser sehen sie nicht. Laden Sie sie hoch: {examples}',
  },
  'check.picture_private.one': {
    en: '1 image is at an address that only your network knows: {examples}',
    de: 'Ein Bild liegt unter einer Adresse, die nur Ihr Netz kennt: {examples}',
  },
  'check.picture_private.other': {
    en: '{count} images are at addresses that only your network knows: {examples}',
    de: '{count} Bilder liegen unter Adressen, die nur Ihr Netz kennt: {examples}',
  },
  'check.picture_broken.one': {
    en: '1 image has a malformed address: {examples}',
    de: 'Ein Bild hat eine fehlerhafte Adresse: {examples}',
  },
  'check.picture_broken.other': {
    en: '{count} images have malformed addresses: {examples}',
    de: '{count} Bilder haben fehlerhafte Adressen: {examples}',
  },
  'check.picture_svg.one': {
    en: '1 image is an SVG, which most email clients do not show: {examples}',
    de: 'Ein Bild ist ein SVG, das die meisten E-Mail-Programme nicht zeigen: {examples}',
  },
  'check.picture_svg.other': {
    en: '{count} images are SVGs, which most email clients do not show: {examples}',
    de: '{count} Bilder sind SVGs, die die meisten E-Mail-Programme nicht zeigen: {examples}',
  },
  'check.picture_not_chosen.one': { en: 'An image has not been chosen', de: 'Ein Bild ist nicht ausgewählt' },
  'check.picture_not_chosen.other': {
    en: '{count} images have not been chosen',
    de: '{count} Bilder sind nicht ausgewählt',
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
  'check.condition_bad.one': {
    en: 'A condition is incomplete or cannot be read: {examples}',
    de: 'Eine Bedingung ist unvollständig oder nicht lesbar: {examples}',
  },
  'check.condition_bad.other': {
    en: 'Some conditions are incomplete or cannot be read: {examples}',
    de: 'Einige Bedingungen sind unvollständig oder nicht lesbar: {examples}',
  },
  'check.loop_bad.open': {
    en: 'A loop has no end, so its content is shown once, without items. Write *|END:EACH|* where it ends: {examples}',
    de: 'Eine Wiederholung hat kein Ende, deshalb steht ihr Inhalt einmal da, ohne Einträge. Schreiben Sie *|END:EACH|* an ihr Ende: {examples}',
  },
  'check.loop_bad.end': {
    en: 'The end of a loop that has no beginning: {examples}',
    de: 'Das Ende einer Wiederholung, die keinen Anfang hat: {examples}',
  },
  'check.loop_bad.nested': {
    en: 'A loop cannot contain another one; the inner one has no effect: {examples}',
    de: 'Eine Wiederholung kann keine andere enthalten; die innere hat keine Wirkung: {examples}',
  },
  'check.loop_bad.crossed': {
    en: 'A condition and a loop overlap. A condition that begins within a loop must end before *|END:EACH|*, and one around a loop after it: {examples}',
    de: 'Eine Bedingung und eine Wiederholung überschneiden sich. Eine Bedingung, die in einer Wiederholung beginnt, muss vor *|END:EACH|* enden, eine um sie herum danach: {examples}',
  },
  'check.loop_bad.outside': {
    en: 'The item of a loop is shown outside of a loop, where it is empty: {examples}',
    de: 'Ein Eintrag einer Wiederholung steht außerhalb der Wiederholung, wo er leer ist: {examples}',
  },
  'check.tag_unknown.one': {
    en: 'A merge tag is unknown for the lists of the campaign: {examples}',
    de: 'Ein Platzhalter ist für die Listen der Kampagne unbekannt: {examples}',
  },
  'check.tag_unknown.other': {
    en: 'Merge tags are unknown for the lists of the campaign: {examples}',
    de: 'Platzhalter sind für die Listen der Kampagne unbekannt: {examples}',
  },
  'check.tag_broken.one': {
    en: 'This merge tag is incomplete. Readers would see it as text: {examples}',
    de: 'Dieser Platzhalter ist unvollständig. Leser sähen ihn als Text: {examples}',
  },
  'check.tag_broken.other': {
    en: 'These merge tags are incomplete. Readers would see them as text: {examples}',
    de: 'Diese Platzhalter sind unvollständig. Leser sähen sie als Text: {examples}',
  },
  'check.tag_foreign.one': {
    en: 'A merge tag is that of another program, so readers would get it as text: {examples}',
    de: 'Ein Platzhalter gehört zu einem anderen Programm; Leser bekämen ihn als Text: {examples}',
  },
  'check.tag_foreign.other': {
    en: 'Merge tags are those of another program, so readers would get them as text: {examples}',
    de: 'Platzhalter gehören zu einem anderen Programm; Leser bekämen sie als Text: {examples}',
  },
  'check.tag_of_feed': {
    en: 'Tags of a feed are filled in the issues of a recurring campaign. If this campaign itself is sent, they are empty',
    de: 'Platzhalter eines Feeds werden in den Ausgaben einer wiederkehrenden Kampagne gefüllt. Wird diese Kampagne selbst gesendet, sind sie leer',
  },
  'check.tag_of_event': {
    en: 'Tags of an event are filled in emails of automations that an event begins. Here they are empty: {examples}',
    de: 'Platzhalter eines Ereignisses werden in E-Mails von Automationen gefüllt, die ein Ereignis beginnt. Hier sind sie leer: {examples}',
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
  'check.attachment_blocked': {
    en: 'Many mail servers reject messages with an attachment such as "{name}". Put the file on a web page and link to it',
    de: 'Viele Mailserver lehnen Nachrichten mit einem Anhang wie „{name}“ ab. Legen Sie die Datei auf eine Webseite und verlinken Sie sie',
  },
  'check.attachments_large': {
    en: 'The attachments have {size} MiB, which each recipient gets. Mail servers may delay or reject such messages; a link is safer',
    de: 'Die Anhänge haben {size} MiB, die jeder Empfänger bekommt. Mailserver können solche Nachrichten verzögern oder ablehnen; ein Link ist sicherer',
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
  'check.left_out.untracked': {
    en: 'whose opens and clicks are not recorded',
    de: 'deren Öffnungen und Klicks nicht aufgezeichnet werden',
  },
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

  'domain.advice': { en: '{first} {second}', de: '{first} {second}' },

  'bimi.missing': {
    en: 'Optional: with this TXT record, some mailbox providers show your logo beside emails from {domain}. Put the address of your logo (SVG Tiny PS) in l=, and that of its mark certificate in a=.',
    de: 'Freiwillig: Mit diesem TXT-Eintrag zeigen manche Postfachanbieter Ihr Logo neben E-Mails von {domain}. In l= steht die Adresse Ihres Logos (SVG Tiny PS), in a= die seines Markenzertifikats.',
  },
  'bimi.inherited': { en: 'The record is that of {domain}.', de: 'Der Eintrag ist der von {domain}.' },
  'bimi.declined': {
    en: 'The record declines a logo: l= is empty.',
    de: 'Der Eintrag verzichtet auf ein Logo: l= ist leer.',
  },
  'bimi.several': {
    en: 'There is more than one BIMI record, so receivers ignore them all.',
    de: 'Es gibt mehr als einen BIMI-Eintrag, deshalb übergehen Empfänger alle.',
  },
  'bimi.version': { en: 'The record must begin with v=BIMI1.', de: 'Der Eintrag muss mit v=BIMI1 beginnen.' },
  'bimi.no_logo': { en: 'The record has no logo (l=).', de: 'Der Eintrag hat kein Logo (l=).' },
  'bimi.logo_url': {
    en: 'The address of the logo (l=) must begin with https://.',
    de: 'Die Adresse des Logos (l=) muss mit https:// beginnen.',
  },
  'bimi.certificate_url': {
    en: 'The address of the certificate (a=) must begin with https://.',
    de: 'Die Adresse des Zertifikats (a=) muss mit https:// beginnen.',
  },
  'bimi.no_certificate': {
    en: 'Without a mark certificate (a=), Gmail and Apple Mail show no logo.',
    de: 'Ohne Markenzertifikat (a=) zeigen Gmail und Apple Mail kein Logo.',
  },
  'bimi.dmarc_missing': {
    en: 'A logo needs a DMARC record with p=quarantine or p=reject first.',
    de: 'Ein Logo setzt einen DMARC-Eintrag mit p=quarantine oder p=reject voraus.',
  },
  'bimi.dmarc_policy': {
    en: 'A logo needs the DMARC policy p=quarantine or p=reject; it is "{policy}".',
    de: 'Ein Logo setzt die DMARC-Richtlinie p=quarantine oder p=reject voraus; sie ist „{policy}“.',
  },
  'bimi.dmarc_percent': {
    en: 'A logo needs a DMARC policy for all emails: remove pct={percent}.',
    de: 'Ein Logo setzt eine DMARC-Richtlinie für alle E-Mails voraus: Entfernen Sie pct={percent}.',
  },
  'bimi.dmarc_subdomains': {
    en: 'A logo needs a DMARC policy for subdomains too: remove sp=none.',
    de: 'Ein Logo setzt die DMARC-Richtlinie auch für Subdomains voraus: Entfernen Sie sp=none.',
  },
  'bimi.dmarc_parent': {
    en: 'A logo needs p=quarantine or p=reject in the DMARC record of {domain} too.',
    de: 'Ein Logo setzt p=quarantine oder p=reject auch im DMARC-Eintrag von {domain} voraus.',
  },
  'bimi.logo_unreachable': {
    en: 'The logo could not be loaded from here; open its address in a browser to see that it is there.',
    de: 'Das Logo ließ sich von hier nicht laden; öffnen Sie seine Adresse in einem Browser.',
  },
  'bimi.logo_certificate': {
    en: 'The server of the logo has no valid certificate.',
    de: 'Der Server des Logos hat kein gültiges Zertifikat.',
  },
  'bimi.logo_status': {
    en: 'The server of the logo answers with status {status}.',
    de: 'Der Server des Logos antwortet mit Status {status}.',
  },
  'bimi.logo_too_large': { en: 'The logo is larger than 32 KiB.', de: 'Das Logo ist größer als 32 KiB.' },
  'bimi.logo_type': {
    en: 'The server should send the logo as image/svg+xml.',
    de: 'Der Server sollte das Logo als image/svg+xml senden.',
  },
  'bimi.svg_not_xml': {
    en: 'The logo is not well-formed XML ({reason}).',
    de: 'Das Logo ist kein wohlgeformtes XML ({reason}).',
  },
  'bimi.svg_not_svg': { en: 'The logo is not an SVG document.', de: 'Das Logo ist kein SVG-Dokument.' },
  'bimi.svg_profile': {
    en: 'The svg element of the logo needs baseProfile="tiny-ps".',
    de: 'Das svg-Element des Logos braucht baseProfile="tiny-ps".',
  },
  'bimi.svg_version': {
    en: 'The svg element of the logo needs version="1.2".',
    de: 'Das svg-Element des Logos braucht version="1.2".',
  },
  'bimi.svg_position': {
    en: 'The svg element of the logo must have no x and y.',
    de: 'Das svg-Element des Logos darf kein x und y haben.',
  },
  'bimi.svg_title': {
    en: 'The logo needs a title element with the name of the organisation.',
    de: 'Das Logo braucht ein title-Element mit dem Namen der Organisation.',
  },
  'bimi.svg_entities': {
    en: 'The logo must not define entities.',
    de: 'Das Logo darf keine Entitäten definieren.',
  },
  'bimi.svg_elements': {
    en: 'The logo has parts that SVG Tiny PS does not allow: {names}.',
    de: 'Das Logo hat Teile, die SVG Tiny PS nicht erlaubt: {names}.',
  },
  'bimi.svg_links': {
    en: 'The logo must not refer to other files or to data: {names}.',
    de: 'Das Logo darf nicht auf andere Dateien oder Daten verweisen: {names}.',
  },
  'bimi.svg_not_square': {
    en: 'The logo should be as wide as it is high.',
    de: 'Das Logo sollte so breit wie hoch sein.',
  },

  'mta_sts.missing': {
    en: 'Optional: with MTA-STS, servers return mail over verified TLS only. Publish the policy file first, and this record only if the host of the MX record offers STARTTLS with a valid certificate, which the bounce listener does not.',
    de: 'Freiwillig: Mit MTA-STS liefern Server zurückkommende E-Mails nur über geprüftes TLS ab. Veröffentlichen Sie zuerst die Richtliniendatei, und diesen Eintrag nur, wenn der Host des MX-Eintrags STARTTLS mit gültigem Zertifikat anbietet; der Bounce-Server tut das nicht.',
  },
  'mta_sts.several': {
    en: 'There is more than one MTA-STS record, so servers ignore them all.',
    de: 'Es gibt mehr als einen MTA-STS-Eintrag, deshalb übergehen Server alle.',
  },
  'mta_sts.id': {
    en: 'The record needs an id of letters and digits, 32 at most. Change it with every change of the policy file.',
    de: 'Der Eintrag braucht eine id aus Buchstaben und Ziffern, höchstens 32. Ändern Sie sie mit jeder Änderung der Richtliniendatei.',
  },
  'mta_sts.record_unknown': {
    en: 'The record could not be looked up, so the policy file was not fetched.',
    de: 'Der Eintrag ließ sich nicht abfragen, deshalb wurde die Richtliniendatei nicht geladen.',
  },
  'mta_sts.policy_first': {
    en: 'Not fetched, since there is no MTA-STS record. Begin with mode: testing.',
    de: 'Nicht geladen, da es keinen MTA-STS-Eintrag gibt. Beginnen Sie mit mode: testing.',
  },
  'mta_sts.policy_unreachable': {
    en: 'The policy file could not be fetched from here.',
    de: 'Die Richtliniendatei ließ sich von hier nicht laden.',
  },
  'mta_sts.policy_certificate': {
    en: 'The host of the policy file has no valid certificate, so servers ignore the policy.',
    de: 'Der Host der Richtliniendatei hat kein gültiges Zertifikat, deshalb übergehen Server die Richtlinie.',
  },
  'mta_sts.policy_status': {
    en: 'The host of the policy file answers with status {status}; servers accept 200 only and follow no redirect.',
    de: 'Der Host der Richtliniendatei antwortet mit Status {status}; Server nehmen nur 200 an und folgen keiner Weiterleitung.',
  },
  'mta_sts.policy_type': {
    en: 'The policy file must be sent as text/plain.',
    de: 'Die Richtliniendatei muss als text/plain gesendet werden.',
  },
  'mta_sts.policy_version': {
    en: 'The policy file needs the line "version: STSv1".',
    de: 'Die Richtliniendatei braucht die Zeile „version: STSv1“.',
  },
  'mta_sts.policy_mode': {
    en: 'The mode of the policy must be testing, enforce or none.',
    de: 'Der Modus (mode) der Richtlinie muss testing, enforce oder none sein.',
  },
  'mta_sts.policy_max_age': {
    en: 'The policy needs a max_age in seconds, {max} at most.',
    de: 'Die Richtlinie braucht ein max_age in Sekunden, höchstens {max}.',
  },
  'mta_sts.policy_mx': {
    en: 'The policy does not allow hosts of the MX record: {hosts}. With mode: enforce, mail to them is not delivered.',
    de: 'Die Richtlinie erlaubt Hosts des MX-Eintrags nicht: {hosts}. Mit mode: enforce werden E-Mails an sie nicht zugestellt.',
  },
  'mta_sts.testing': {
    en: 'The policy only reports failures (mode: testing).',
    de: 'Die Richtlinie meldet Fehler nur (mode: testing).',
  },
  'mta_sts.none': {
    en: 'The policy is switched off (mode: none).',
    de: 'Die Richtlinie ist ausgeschaltet (mode: none).',
  },
  'mta_sts.own_listener': {
    en: 'The policy is enforced: the host of this installation must take returned mail by a mail server with STARTTLS and a valid certificate. The bounce listener alone offers no TLS, and bounces would be lost.',
    de: 'Die Richtlinie wird durchgesetzt: Auf dem Host dieser Installation muss ein Mailserver mit STARTTLS und gültigem Zertifikat die zurückkommenden E-Mails annehmen. Der Bounce-Server allein bietet kein TLS; Bounces gingen verloren.',
  },

  'tls_rpt.missing': {
    en: 'Optional: with this TXT record, servers report each day whether they could deliver over TLS. Use an address that is read; reports are not read here.',
    de: 'Freiwillig: Mit diesem TXT-Eintrag melden Server täglich, ob sie über TLS zustellen konnten. Nehmen Sie eine Adresse, die gelesen wird; hier werden die Berichte nicht gelesen.',
  },
  'tls_rpt.several': {
    en: 'There is more than one TLS-RPT record, so servers ignore them all.',
    de: 'Es gibt mehr als einen TLS-RPT-Eintrag, deshalb übergehen Server alle.',
  },
  'tls_rpt.addresses': {
    en: 'The addresses of reports (rua=) must begin with mailto: or https://.',
    de: 'Die Adressen für Berichte (rua=) müssen mit mailto: oder https:// beginnen.',
  },
});
