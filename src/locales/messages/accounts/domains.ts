// The notes on the DNS records of a sender domain.
import { defineMessages } from '../define.ts';

export const domains = defineMessages({
  'domain.note_next_key': {
    en: 'Replaces the current key once it is found. Keep the current record until then.',
    de: 'Ersetzt den aktuellen Schlüssel, sobald der Eintrag gefunden wird. Lassen Sie den aktuellen Eintrag bis dahin bestehen.',
  },
  'domain.note_spf': {
    en: 'A domain can only have one SPF record. If you already have one, add the missing parts before “all”.',
    de: 'Eine Domain darf nur einen SPF-Eintrag haben. Wenn es schon einen gibt, ergänzen Sie die fehlenden Teile vor „all“.',
  },
  'domain.note_return_spf': {
    en: 'For the domain that receives bounces. The server administrator publishes this record.',
    de: 'Für die Domain, die Bounces empfängt. Der Betreiber veröffentlicht diesen Eintrag.',
  },
  'domain.note_dmarc': {
    en: 'Gmail, Yahoo and others expect a DMARC record. A stricter policy than “none” works too.',
    de: 'Gmail, Yahoo und andere erwarten einen DMARC-Eintrag. Eine strengere Richtlinie als „none“ ist auch möglich.',
  },
  'domain.note_dmarc_reports': {
    en: 'Allows DMARC reports to this server. The server administrator publishes it, for all domains at once as {name}.',
    de: 'Erlaubt DMARC-Berichte an diesen Server. Der Betreiber veröffentlicht ihn, für alle Domains zusammen als {name}.',
  },
  'domain.note_mx': {
    en: 'The server that receives bounces. The server administrator publishes this record.',
    de: 'Der Server, der Bounces empfängt. Der Betreiber veröffentlicht diesen Eintrag.',
  },
  'domain.note_mx_address': {
    en: 'An MX record needs a name, not an address: set BASE_URL to the name of the server that receives bounces.',
    de: 'Ein MX-Eintrag braucht einen Namen, keine Adresse: Setzen Sie BASE_URL auf den Namen des Servers, der Bounces empfängt.',
  },
  'domain.note_tracking': {
    en: 'Links use this domain once the record is found.',
    de: 'Links verwenden diese Domain, sobald der Eintrag gefunden wird.',
  },
  'domain.note_tracking_https': {
    en: 'Links use this domain once the record is found. The proxy in front of Postrider needs a certificate for it.',
    de: 'Links verwenden diese Domain, sobald der Eintrag gefunden wird. Der Proxy vor Postrider braucht ein Zertifikat dafür.',
  },
});
