// Messages about delivery: pausing and stopping, why an address did or did not get a campaign, why nothing is sent.
import { defineMessages } from './define.ts';

export const delivery = defineMessages({
  'operator_mail.subject': { en: 'To {address}: {subject}', de: 'An {address}: {subject}' },
  'operator_mail.text': {
    en: 'An email came to {address}. It is passed on to you because you run this installation; anyone can write there, so trust it as little as any email.\n\nFrom: {from}\nSubject: {subject}',
    de: 'An {address} kam eine E-Mail. Sie wird an Sie weitergegeben, weil Sie diese Installation betreiben; dorthin kann jeder schreiben, vertrauen Sie ihr so wenig wie jeder anderen.\n\nVon: {from}\nBetreff: {subject}',
  },
  /** For several reasons in one text. */
  'delivery.both': { en: '{first}; {second}', de: '{first}; {second}' },

  'campaign.rule.pause': {
    en: 'only a campaign that is being sent can be paused',
    de: 'nur eine Kampagne im Versand lässt sich pausieren',
  },
  'campaign.rule.resume': {
    en: 'only a paused campaign can be resumed',
    de: 'nur eine pausierte Kampagne lässt sich fortsetzen',
  },
  'campaign.rule.stop': {
    en: 'only a paused campaign can be stopped',
    de: 'nur eine pausierte Kampagne lässt sich beenden',
  },
  'campaign.rule.resolve': {
    en: 'copies are sent only while it is sending or paused',
    de: 'Kopien werden nur gesendet, solange sie im Versand oder pausiert ist',
  },
  'campaign.in_flight': {
    en: 'Some messages are being sent right now; try again in a few seconds',
    de: 'Einige E-Mails werden gerade gesendet; versuchen Sie es in ein paar Sekunden wieder',
  },
  'campaign.recipient_unknown': {
    en: '{member}: "{email}" is not a recipient of this campaign',
    de: '{member}: „{email}“ ist kein Empfänger dieser Kampagne',
  },
  'delivery.address_invalid': {
    en: '{member}: "{email}" is not an email address',
    de: '{member}: „{email}“ ist keine E-Mail-Adresse',
  },

  'notice_source.unknown': {
    en: '{member}: the source of returned mail "{id}" does not exist',
    de: '{member}: Die Quelle für Rückmeldungen „{id}“ gibt es nicht',
  },
  'notice_source.no_key': {
    en: '{member}: {service} does not sign its requests; leave key out',
    de: '{member}: {service} signiert seine Anfragen nicht; lassen Sie key weg',
  },
  'notice_source.key_sendgrid': {
    en: '{member} is not the verification key of the signed event webhook: Base64 that begins with MFkw',
    de: '{member} ist nicht der Verification Key des Signed Event Webhook: Base64 mit MFkw am Anfang',
  },
  'notice_source.key_resend': {
    en: '{member} is not the signing secret of the webhook, which begins with whsec_',
    de: '{member} ist nicht das Signing Secret des Webhooks, das mit whsec_ beginnt',
  },
  'notice_source.key_mailgun': {
    en: '{member} is not the HTTP webhook signing key: at least 16 characters without spaces',
    de: '{member} ist nicht der HTTP Webhook Signing Key: mindestens 16 Zeichen ohne Leerzeichen',
  },
  'notice_source.too_many': {
    en: '{member}: an account has at most {count} sources of returned mail',
    de: '{member}: Ein Konto hat höchstens {count} Quellen für Rückmeldungen',
  },
  'notice_source.option': {
    en: '{member}: the option "{name}" does not exist; the options are {choices}',
    de: '{member}: Die Option „{name}“ gibt es nicht; es gibt {choices}',
  },

  'bounce_mailbox.unknown': {
    en: '{member}: the bounce mailbox "{id}" does not exist',
    de: '{member}: Das Bounce-Postfach „{id}“ gibt es nicht',
  },
  'bounce_mailbox.host': {
    en: '{member} is not the name or address of a mail server',
    de: '{member} ist kein Name und keine Adresse eines Mailservers',
  },
  'bounce_mailbox.not_opened': {
    en: '{member}: the mailbox cannot be opened: {reason}',
    de: '{member}: Das Postfach lässt sich nicht öffnen: {reason}',
  },
  'bounce_mailbox.password_missing': {
    en: '{member} is missing; only with auth oauth there is none',
    de: '{member} fehlt; nur mit auth oauth gibt es keines',
  },
  'bounce_mailbox.password_again': {
    en: '{member}: enter the password again for another server, an unusual port or a connection without encryption',
    de: '{member}: Geben Sie das Passwort für einen anderen Server, einen unüblichen Port oder eine unverschlüsselte Verbindung erneut ein',
  },
  'bounce_mailbox.changed': {
    en: '{member}: another call has just changed this bounce mailbox; nothing was saved',
    de: '{member}: Ein anderer Aufruf hat dieses Bounce-Postfach gerade geändert; es wurde nichts gespeichert',
  },
  'bounce_mailbox.too_many': {
    en: '{member}: an account has at most {count} bounce mailboxes',
    de: '{member}: Ein Konto hat höchstens {count} Bounce-Postfächer',
  },

  // Keys of pauses that someone asked for begin with `pause.by_`: Home does not list those.
  'pause.by_user': { en: 'paused by {name}', de: 'pausiert von {name}' },
  'pause.by_key': { en: 'paused with the API key {name}', de: 'pausiert mit dem API-Schlüssel {name}' },
  'pause.by_request': { en: 'paused by request', de: 'auf Wunsch pausiert' },
  'pause.restored': {
    en: 'it may have been sent since the backup of {date}, from which the database was restored',
    de: 'sie wurde möglicherweise seit der Sicherung vom {date} versandt, aus der die Datenbank wiederhergestellt wurde',
  },
  'pause.late': {
    en: 'overdue by more than MAX_LATENESS; resume it to send it now',
    de: 'um mehr als MAX_LATENESS verspätet; setzen Sie sie fort, um sie jetzt zu senden',
  },
  'pause.late_for_some': {
    en: 'overdue for some recipients by more than MAX_LATENESS; resume it to send to them now',
    de: 'für einige Empfänger um mehr als MAX_LATENESS verspätet; setzen Sie sie fort, um jetzt an sie zu senden',
  },
  'pause.not_sendable': {
    en: 'could not be sent: {reason}',
    de: 'ließ sich nicht senden: {reason}',
  },
  'pause.launch_failed': {
    en: 'preparing it for sending failed several times; the cause is in the log of the server',
    de: 'die Vorbereitung des Versands ist mehrmals fehlgeschlagen; die Ursache steht im Protokoll des Servers',
  },
  'pause.too_few_for_test': {
    en: 'the A/B test has {variants} variants, but there are only {recipients} recipients; remove the test or add recipients, then resume',
    de: 'der A/B-Test hat {variants} Varianten, es gibt aber nur {recipients} Empfänger; entfernen Sie den Test oder fügen Sie Empfänger hinzu, dann setzen Sie fort',
  },
  'pause.segment_gone': {
    en: 'The segment "{title}" has a condition on a deleted campaign or list; change the segment',
    de: 'Das Segment „{title}“ hat eine Bedingung auf eine gelöschte Kampagne oder Liste; ändern Sie das Segment',
  },
  'pause.unsigned': {
    en: 'authenticate is on and messages cannot be signed: {reason}',
    de: 'authenticate ist eingeschaltet, und die E-Mails lassen sich nicht signieren: {reason}',
  },
  'pause.refusals_in_row': {
    en: 'the last {count} replies were refusals by policy or for an unknown reason, last: {reply}. Check your account with the relay, the sender and the content, then resume. If the addresses are really gone, count the refusals as bounces instead',
    de: 'die letzten {count} Antworten waren Ablehnungen wegen einer Richtlinie oder aus unbekanntem Grund, zuletzt: {reply}. Prüfen Sie Ihr Konto beim Relay, den Absender und den Inhalt und setzen Sie dann fort. Wenn es die Adressen wirklich nicht mehr gibt, zählen Sie die Ablehnungen stattdessen als Bounces',
  },
  'pause.same_reply': {
    en: 'the relay gave {count} recipients in a row the same refusal: {reply}. This is most likely about your account with the relay or the sender. They wait and lose nothing. Fix it, then resume. If the addresses are really gone, count the refusals as bounces instead',
    de: 'das Relay hat {count} Empfänger nacheinander gleich abgelehnt: {reply}. Das betrifft sehr wahrscheinlich Ihr Konto beim Relay oder den Absender. Die Empfänger warten und verlieren nichts. Beheben Sie die Ursache und setzen Sie dann fort. Wenn es die Adressen wirklich nicht mehr gibt, zählen Sie die Ablehnungen stattdessen als Bounces',
  },
  'pause.refusals': {
    en: '{count} of the last {total} replies were refusals by policy or for an unknown reason, last: {reply}. Check your account with the relay, the sender and the content, then resume. If the addresses are really gone, count the refusals as bounces instead',
    de: '{count} der letzten {total} Antworten waren Ablehnungen wegen einer Richtlinie oder aus unbekanntem Grund, zuletzt: {reply}. Prüfen Sie Ihr Konto beim Relay, den Absender und den Inhalt und setzen Sie dann fort. Wenn es die Adressen wirklich nicht mehr gibt, zählen Sie die Ablehnungen stattdessen als Bounces',
  },
  'reputation.account': {
    en: 'Account: {count} of {total} delivered emails were reported as spam',
    de: 'Konto: {count} von {total} zugestellten E-Mails wurden als Spam gemeldet',
  },
  'reputation.list': {
    en: 'List "{name}": {count} of {total} delivered emails were reported as spam',
    de: 'Liste „{name}“: {count} von {total} zugestellten E-Mails wurden als Spam gemeldet',
  },
  'reputation.provider': {
    en: 'Provider {name}: {count} of {total} delivered emails were reported as spam',
    de: 'Provider {name}: {count} von {total} zugestellten E-Mails wurden als Spam gemeldet',
  },
  'report_link.one_of': {
    en: '{member} must not be given together with cid',
    de: '{member} darf nicht zusammen mit cid angegeben werden',
  },
  'report_link.too_many': {
    en: 'The account has {count} links to reports that are valid; withdraw some, or wait until they expire',
    de: 'Das Konto hat {count} gültige Links zu Berichten; widerrufen Sie einige, oder warten Sie, bis sie ablaufen',
  },
  'report_link.unknown': {
    en: '{member}: there is no link to a report with the id {id}',
    de: '{member}: Einen Link zu einem Bericht mit der ID {id} gibt es nicht',
  },
  'usage.operator': {
    en: '{member}: only the account of the operator reads the usage of all accounts',
    de: '{member}: Die Nutzung aller Konten liest nur das Konto des Betreibers',
  },
  'usage.month': { en: '{member} must be a month such as 2026-01', de: '{member} muss ein Monat sein, etwa 2026-01' },

  'pause.hard_bounces': {
    en: '{count} of its {total} messages so far are hard bounces: 5 % or more. Such an audience harms the delivery of all your emails. Look at where these addresses come from, then resume or stop. After you resume it is not paused for this again',
    de: '{count} ihrer bisher {total} E-Mails sind Hard Bounces: 5 % oder mehr. Solche Empfänger schaden der Zustellung aller Ihrer E-Mails. Prüfen Sie, woher diese Adressen kommen, und setzen Sie dann fort oder brechen Sie ab. Nach dem Fortsetzen wird sie deshalb nicht noch einmal angehalten',
  },
  'pause.complaints': {
    en: '{count} recipients of its {total} delivered messages reported it as spam: 0.3 % or more. Look at whether these people expected it, then resume or stop. After you resume it is not paused for this again',
    de: '{count} Empfänger ihrer {total} zugestellten E-Mails haben sie als Spam gemeldet: 0,3 % oder mehr. Prüfen Sie, ob diese Personen sie erwartet haben, und setzen Sie dann fort oder brechen Sie ab. Nach dem Fortsetzen wird sie deshalb nicht noch einmal angehalten',
  },

  'signing.no_domain': {
    en: '{domain} is not a sender domain of the account',
    de: '{domain} ist keine Absenderdomain des Kontos',
  },
  'signing.record_wrong': {
    en: 'the DNS record of the key of {domain} is no longer correct',
    de: 'der DNS-Eintrag des Schlüssels von {domain} stimmt nicht mehr',
  },
  'signing.not_active': { en: '{domain} is not active yet', de: '{domain} ist noch nicht eingeschaltet' },
  'signing.not_decrypted': {
    en: 'the key {selector} of {domain} cannot be decrypted (was SEAL_KEY changed?)',
    de: 'der Schlüssel {selector} von {domain} lässt sich nicht entschlüsseln (wurde SEAL_KEY geändert?)',
  },
  'signing.no_key': { en: '{domain} has no published key', de: '{domain} hat keinen veröffentlichten Schlüssel' },
  'signing.key_unusable': {
    en: 'a key of {domain} cannot be used ({error})',
    de: 'ein Schlüssel von {domain} ist nicht brauchbar ({error})',
  },

  'hold.copy': {
    en: 'the database is a copy: its heartbeat was written in another database than the one it is read from',
    de: 'die Datenbank ist eine Kopie: ihr Lebenszeichen wurde in einer anderen Datenbank geschrieben, als es gelesen wird',
  },
  'hold.older': {
    en: 'the database is older than what this host has seen of it: it was restored from a backup',
    de: 'die Datenbank ist älter als das, was dieser Rechner von ihr gesehen hat: sie stammt aus einer Sicherung',
  },
  'hold.unknown': {
    en: 'no worker has used this database for more than an hour and this host does not know it: it was restored from a backup or copied',
    de: 'seit über einer Stunde hat kein Worker diese Datenbank benutzt, und dieser Rechner kennt sie nicht: sie stammt aus einer Sicherung oder ist eine Kopie',
  },
  'hold.restored': {
    en: 'the database was restored from the backup of {date}',
    de: 'die Datenbank wurde aus der Sicherung vom {date} wiederhergestellt',
  },
  'delivery.held': {
    en: 'sending is held: {reason}. "postrider confirm-sending" releases it.',
    de: 'das Senden ist angehalten: {reason}. „postrider confirm-sending“ gibt es frei.',
  },
  'delivery.no_relay': { en: 'no relay can be used: {reasons}', de: 'kein Relay ist verwendbar: {reasons}' },
  'delivery.no_relay_hidden': {
    en: 'no relay can be used; the operator of this installation sees the reason',
    de: 'kein Relay ist verwendbar; den Grund sieht der Betreiber dieser Installation',
  },
  'delivery.no_relay_in_use': {
    en: 'no relay takes messages: all are paused, or none is set up',
    de: 'kein Relay nimmt E-Mails an: alle sind pausiert, oder keines ist eingerichtet',
  },
  'delivery.no_relay_for_sender': {
    en: 'the relays that are reserved for this sender are paused',
    de: 'die Relays, die für diesen Absender reserviert sind, sind pausiert',
  },
  'disk.database': {
    en: 'the disk of the database is full; nothing is sent until it has room again',
    de: 'die Festplatte der Datenbank ist voll; bis wieder Platz ist, wird nichts gesendet',
  },
  'disk.journal': {
    en: 'the disk of the delivery journals (DATA_DIR) is full; nothing is sent until it has room again',
    de: 'die Festplatte mit den Versandjournalen (DATA_DIR) ist voll; bis wieder Platz ist, wird nichts gesendet',
  },
  'disk.log': {
    en: 'the disk that the log is written to is full; lines of the log are lost',
    de: 'die Festplatte, auf die das Protokoll geschrieben wird, ist voll; Zeilen des Protokolls gehen verloren',
  },
  'disk.backup': {
    en: 'the disk of the backups (BACKUP_DIR) is full; the last backup could not be written',
    de: 'die Festplatte der Backups (BACKUP_DIR) ist voll; das letzte Backup konnte nicht geschrieben werden',
  },
  'disk.read_only': {
    en: 'the database is read-only; nothing is sent until it takes changes again',
    de: 'die Datenbank ist schreibgeschützt; bis sie wieder Änderungen annimmt, wird nichts gesendet',
  },
  'delivery.no_worker': {
    en: 'no worker is running; "postrider serve" restarts its own within seconds, "postrider work" starts another',
    de: 'kein Worker läuft; „postrider serve“ startet seine innerhalb von Sekunden neu, „postrider work“ startet einen weiteren',
  },
  'relay.quota_used': {
    en: "today's quota of the warm-up is used up",
    de: 'das heutige Kontingent des Aufwärmens ist verbraucht',
  },
  'relay.rests_quota': {
    en: 'its quota is used up: {reply}',
    de: 'sein Kontingent ist verbraucht: {reply}',
  },
  'relay.rests_same_reply': {
    en: 'it gives all recipients the same refusal: {reply}',
    de: 'es lehnt alle Empfänger mit derselben Antwort ab: {reply}',
  },
  'relay.not_answering': {
    en: 'it accepts connections but does not answer',
    de: 'es nimmt Verbindungen an, antwortet aber nicht',
  },
  'relay.failed.refused': {
    en: 'The server {host} refused the connection on port {port}. Is the port right?',
    de: 'Der Server {host} hat die Verbindung auf Port {port} abgelehnt. Stimmt der Port?',
  },
  'relay.failed.name': {
    en: 'There is no server with the name {host}. Is the name right?',
    de: 'Es gibt keinen Server mit dem Namen {host}. Stimmt der Name?',
  },
  'relay.failed.name_servers': {
    en: 'The name {host} cannot be looked up now: no name server answers. Try again in a moment.',
    de: 'Der Name {host} lässt sich gerade nicht auflösen: Kein Nameserver antwortet. Versuchen Sie es gleich noch einmal.',
  },
  'relay.failed.no_route': {
    en: 'The server {host} cannot be reached from here. Is the address right, and does a firewall allow port {port}?',
    de: 'Der Server {host} ist von hier aus nicht erreichbar. Stimmt die Adresse, und lässt eine Firewall Port {port} zu?',
  },
  'relay.failed.timeout': {
    en: 'The server {host} did not answer on port {port} in time. Are the name and port right, and does a firewall allow the connection?',
    de: 'Der Server {host} hat auf Port {port} nicht rechtzeitig geantwortet. Stimmen Name und Port, und lässt eine Firewall die Verbindung zu?',
  },
  'relay.failed.silent': {
    en: 'The server {host} took the connection on port {port} but did not greet. Port 465 needs TLS from the first byte; is the encryption right?',
    de: 'Der Server {host} hat die Verbindung auf Port {port} angenommen, sich aber nicht gemeldet. Port 465 braucht TLS ab dem ersten Byte; stimmt die Verschlüsselung?',
  },
  'relay.failed.no_smtp': {
    en: 'What answers at {host} on port {port} is not an email server. Is the port right?',
    de: 'Was bei {host} auf Port {port} antwortet, ist kein E-Mail-Server. Stimmt der Port?',
  },
  'relay.failed.ended': {
    en: 'The server {host} closed the connection on port {port} at once. Are port and encryption right, and does it accept connections from this server?',
    de: 'Der Server {host} hat die Verbindung auf Port {port} sofort beendet. Stimmen Port und Verschlüsselung, und nimmt er Verbindungen von diesem Server an?',
  },
  'relay.failed.no_tls': {
    en: 'The server {host} does not use TLS from the first byte on port {port}. Choose another encryption, or port 465.',
    de: 'Der Server {host} verwendet auf Port {port} kein TLS ab dem ersten Byte. Wählen Sie eine andere Verschlüsselung oder Port 465.',
  },
  'relay.failed.no_starttls': {
    en: 'The server {host} offers no encryption (STARTTLS) on port {port}, but it is required. Is the port right?',
    de: 'Der Server {host} bietet auf Port {port} keine Verschlüsselung (STARTTLS) an, sie wird aber verlangt. Stimmt der Port?',
  },
  'relay.failed.tls': {
    en: 'No encrypted connection to {host} on port {port} was possible. The error: {text}',
    de: 'Mit {host} auf Port {port} kam keine verschlüsselte Verbindung zustande. Der Fehler: {text}',
  },
  'relay.failed.certificate_expired': {
    en: 'The certificate of {host} has expired. Ask the operator of the server to renew it.',
    de: 'Das Zertifikat von {host} ist abgelaufen. Bitten Sie den Betreiber des Servers, es zu erneuern.',
  },
  'relay.failed.certificate_name': {
    en: 'The certificate of the server is not for {host}. Enter the name that is in the certificate.',
    de: 'Das Zertifikat des Servers gilt nicht für {host}. Geben Sie den Namen ein, der im Zertifikat steht.',
  },
  'relay.failed.certificate_authority': {
    en: 'The certificate of {host} is not from a known authority.',
    de: 'Das Zertifikat von {host} stammt von keiner bekannten Zertifizierungsstelle.',
  },
  'relay.failed.certificate': {
    en: 'The certificate of {host} is not valid. The error: {text}',
    de: 'Das Zertifikat von {host} ist nicht gültig. Der Fehler: {text}',
  },
  'relay.failed.sign_in': {
    en: 'The server {host} refused the sign-in. Are the user name and password right? Its reply: {text}',
    de: 'Der Server {host} hat die Anmeldung abgelehnt. Stimmen Benutzername und Passwort? Seine Antwort: {text}',
  },
  'relay.failed.plain_text': {
    en: 'The server {host} offers no encryption on port {port}, and a password is not sent without. Choose another port or encryption.',
    de: 'Der Server {host} bietet auf Port {port} keine Verschlüsselung an, und ohne sie wird kein Passwort gesendet. Wählen Sie einen anderen Port oder eine andere Verschlüsselung.',
  },
  'relay.failed.sign_in_way': {
    en: 'The server {host} does not offer the sign-in method on port {port}. Is the port right, or is no password needed?',
    de: 'Der Server {host} bietet das Anmeldeverfahren auf Port {port} nicht an. Stimmt der Port, oder ist gar kein Passwort nötig?',
  },
  'relay.hidden': {
    en: 'The relay cannot be used at the moment. The operator of this installation sees the reason.',
    de: 'Das Relay ist zurzeit nicht verwendbar. Den Grund sieht der Betreiber dieser Installation.',
  },
  'relay.tls_plain': {
    en: 'Emails go to this relay in plain text over a public network: anyone on the way can read and change them. Require TLS.',
    de: 'E-Mails gehen im Klartext über ein öffentliches Netz an dieses Relay: Wer auf dem Weg dazwischen ist, kann sie lesen und ändern. Verlangen Sie TLS.',
  },
  'relay.tls_unverified': {
    en: 'The TLS of this relay is not verified: anyone on the way can imitate the relay or remove the encryption. Require TLS.',
    de: 'Das TLS dieses Relays wird nicht geprüft: Wer auf dem Weg dazwischen ist, kann das Relay nachahmen oder die Verschlüsselung entfernen. Verlangen Sie TLS.',
  },
  'relay.tls_not_required': {
    en: 'The certificate of this relay was valid at the last connection, but TLS is not required: anyone on the way can remove it. Require TLS.',
    de: 'Das Zertifikat dieses Relays war bei der letzten Verbindung gültig, aber TLS wird nicht verlangt: Wer auf dem Weg dazwischen ist, kann es entfernen. Verlangen Sie TLS.',
  },
  'relay.set_by_operator': {
    en: '{member}: this relay is set in SMTP_URL and can only be changed there',
    de: '{member}: Dieses Relay steht in SMTP_URL und lässt sich nur dort ändern',
  },
  'relay.inbox_with_relays': {
    en: 'the built-in inbox can receive email only while no relay is set up',
    de: 'der integrierte Posteingang nimmt die E-Mails nur an, solange es kein Relay gibt',
  },
  'relay.too_many': { en: '{member}: there are already {count} relays', de: '{member}: Es gibt schon {count} Relays' },
  'relay.order_incomplete': {
    en: '{member} must have the id of each relay of the application, once',
    de: '{member} muss die Kennung jedes Relays der Anwendung enthalten, je einmal',
  },
  'relay.host_missing': { en: '{member}: a relay needs a host', de: '{member}: Ein Relay braucht einen Host' },
  'relay.host_placeholder': {
    en: '{member}: replace the part of {host} in braces with your own',
    de: '{member}: Ersetzen Sie den Teil von {host} in Klammern durch Ihren',
  },
  'relay.host_invalid': {
    en: '{member}: "{host}" is neither a name nor an IP address',
    de: '{member}: „{host}“ ist weder ein Name noch eine IP-Adresse',
  },
  'relay.host_private': {
    en: '{member}: Postrider does not connect to private addresses such as {address} ({why}). To allow it, the operator adds it to OUTBOUND_ALLOW and restarts',
    de: '{member}: Postrider verbindet sich nicht mit privaten Adressen wie {address} ({why}). Der Betreiber kann sie in OUTBOUND_ALLOW erlauben und neu starten',
  },
  'relay.not_a_domain': { en: '{member}: "{text}" is not a domain', de: '{member}: „{text}“ ist keine Domain' },
  'relay.account_unknown': {
    en: '{member}: the account "{id}" does not exist',
    de: '{member}: Das Konto „{id}“ gibt es nicht',
  },
  'relay.half_credentials': {
    en: '{member} is missing: a user name and a password belong together',
    de: '{member} fehlt: Benutzername und Passwort gehören zusammen',
  },
  'oauth.missing': {
    en: '{member} is missing: how access tokens are requested',
    de: '{member} fehlt: wie Zugriffstoken angefordert werden',
  },
  'oauth.not_used': {
    en: '{member} needs auth oauth',
    de: '{member} braucht auth oauth',
  },
  'oauth.no_password': {
    en: '{member}: with auth oauth there is no password; secrets belong into oauth',
    de: '{member}: Mit auth oauth gibt es kein Passwort; Geheimnisse gehören in oauth',
  },
  'oauth.security': {
    en: '{member} must be tls or starttls: access tokens are not sent without encryption',
    de: '{member} muss tls oder starttls sein: Zugriffstoken gehen nicht unverschlüsselt hinaus',
  },
  'oauth.tls': {
    en: '{member} must be require or implicit: access tokens are not sent without verified TLS',
    de: '{member} muss require oder implicit sein: Zugriffstoken gehen nicht ohne geprüftes TLS hinaus',
  },
  'oauth.client_missing': {
    en: '{member} is missing: the id of the application at the provider',
    de: '{member} fehlt: die Kennung der Anwendung beim Anbieter',
  },
  'oauth.token_url_missing': {
    en: '{member} is missing: without it the address for access tokens is not known',
    de: '{member} fehlt: Ohne diese Angabe ist die Adresse für Zugriffstoken nicht bekannt',
  },
  'oauth.tenant': {
    en: '{member} must be a directory id or a domain',
    de: '{member} muss eine Verzeichnis-ID oder eine Domain sein',
  },
  'oauth.url': {
    en: '{member} must be an https URL without user and fragment',
    de: '{member} muss eine https-URL ohne Benutzer und Fragment sein',
  },
  'oauth.google_flow': {
    en: '{member}: Google has no client_credentials for mail; use authorization_code',
    de: '{member}: Google bietet für E-Mail kein client_credentials; nehmen Sie authorization_code',
  },
  'oauth.secret_missing': {
    en: '{member} is missing: client_credentials needs it',
    de: '{member} fehlt: client_credentials braucht es',
  },
  'oauth.secret_again': {
    en: '{member}: the server has changed; enter the secret again',
    de: '{member}: Der Server hat sich geändert; geben Sie das Geheimnis erneut ein',
  },
  'oauth.one_of': {
    en: '{member}: name either a relay or a mailbox',
    de: '{member}: Nennen Sie entweder ein Relay oder ein Postfach',
  },
  'oauth.unknown': {
    en: '{member}: this one has no access by OAuth',
    de: '{member}: Hier gibt es keinen Zugang über OAuth',
  },
  'oauth.needs_no_person': {
    en: '{member}: with client_credentials no one signs in',
    de: '{member}: Mit client_credentials meldet sich niemand an',
  },
  'oauth.authorize_missing': {
    en: '{member} is missing: the page on which a person signs in',
    de: '{member} fehlt: die Seite, auf der sich ein Mensch anmeldet',
  },
  'oauth.over': {
    en: '{member}: this took too long, has already been used or was begun by another user. Begin again',
    de: '{member}: Das hat zu lange gedauert, wurde schon benutzt oder von jemand anderem begonnen. Beginnen Sie noch einmal',
  },
  'oauth.denied': {
    en: '{member}: the provider gave no access: {reason}',
    de: '{member}: Der Anbieter gab keinen Zugang: {reason}',
  },
  'oauth.no_refresh_token': {
    en: '{member}: the provider gave no refresh token; the scope may lack offline_access',
    de: '{member}: Der Anbieter gab kein Refresh-Token; vielleicht fehlt offline_access im Scope',
  },
  'oauth.secrets_lost': {
    en: '{member}: enter the secret again; the stored one cannot be decrypted (was SEAL_KEY changed?)',
    de: '{member}: Geben Sie das Geheimnis erneut ein; das gespeicherte lässt sich nicht entschlüsseln (wurde SEAL_KEY geändert?)',
  },
  'relay.username_placeholder': {
    en: '{member}: replace the part in braces with your own',
    de: '{member}: Ersetzen Sie den Teil in Klammern durch Ihren',
  },
  'relay.control_character': {
    en: '{member} contains a control character',
    de: '{member} enthält ein Steuerzeichen',
  },
  'relay.password_required': {
    en: '{member} is required: {service} does not accept mail without signing in',
    de: '{member} wird gebraucht: {service} nimmt ohne Anmeldung keine E-Mails an',
  },
  'relay.password_again': {
    en: '{member}: the host has changed; enter the password again',
    de: '{member}: Der Host hat sich geändert; geben Sie das Passwort erneut ein',
  },
  'relay.credentials_lost': {
    en: '{member}: enter user name and password again; the stored ones cannot be decrypted (was SEAL_KEY changed?)',
    de: '{member}: Geben Sie Benutzername und Passwort erneut ein; die gespeicherten lassen sich nicht entschlüsseln (wurde SEAL_KEY geändert?)',
  },
  'relay.sealed': {
    en: 'its user name and password cannot be decrypted (was SEAL_KEY changed?): enter them again',
    de: 'Benutzername und Passwort lassen sich nicht entschlüsseln (wurde SEAL_KEY geändert?): Geben Sie beide erneut ein',
  },
  'relay.hint_ses': {
    en: 'Create SMTP credentials in the SES console; they differ from access keys. Use the region of your SES account as the host. A new account is in the sandbox (1 message a second) until Amazon lifts it.',
    de: 'Erzeugen Sie in der SES-Konsole SMTP-Zugangsdaten; sie sind nicht die Zugriffsschlüssel. Der Host nennt die Region Ihres SES-Kontos. Ein neues Konto ist in der Sandbox (1 E-Mail pro Sekunde), bis Amazon es freigibt.',
  },
  'relay.hint_postmark': {
    en: 'The access key and secret key of an SMTP token, in the settings of a broadcast message stream.',
    de: 'Access Key und Secret Key eines SMTP-Tokens, in den Einstellungen eines Broadcast-Streams.',
  },
  'relay.hint_mailgun': {
    en: 'SMTP credentials of the sending domain. For domains in the EU the host is smtp.eu.mailgun.org.',
    de: 'SMTP-Zugangsdaten der Absenderdomain. Für Domains in der EU ist der Host smtp.eu.mailgun.org.',
  },
  'relay.hint_sendgrid': {
    en: 'The user name is the word apikey; the password is an API key with the permission Mail Send.',
    de: 'Der Benutzername ist das Wort apikey, das Passwort ein API-Schlüssel mit dem Recht Mail Send.',
  },
  'relay.hint_brevo': {
    en: 'The SMTP login and an SMTP key, under SMTP & API in the settings.',
    de: 'SMTP-Login und ein SMTP-Schlüssel, in den Einstellungen unter SMTP & API.',
  },
  'relay.hint_mailjet': {
    en: 'The user name is the API key, the password its secret key.',
    de: 'Der Benutzername ist der API-Schlüssel, das Passwort der geheime Schlüssel dazu.',
  },
  'relay.hint_resend': {
    en: 'The user name is the word resend; the password is an API key. A new team may send 2 messages a second.',
    de: 'Der Benutzername ist das Wort resend, das Passwort ein API-Schlüssel. Ein neues Team darf 2 E-Mails pro Sekunde senden.',
  },
  'relay.hint_sparkpost': {
    en: 'The user name is SMTP_Injection; the password is an API key with the permission Send via SMTP. In the EU the host is smtp.eu.sparkpostmail.com.',
    de: 'Der Benutzername ist SMTP_Injection, das Passwort ein API-Schlüssel mit dem Recht Send via SMTP. In der EU ist der Host smtp.eu.sparkpostmail.com.',
  },
  'relay.hint_postfix': {
    en: 'A mail server of your own. In a private network it must be allowed in OUTBOUND_ALLOW, or be set in SMTP_URL.',
    de: 'Ein eigener Mailserver. In einem privaten Netz muss er in OUTBOUND_ALLOW erlaubt oder in SMTP_URL gesetzt sein.',
  },
  'relay.test_tokens': {
    en: '{member}: this relay can be tested once it is saved and a person has signed in at the provider',
    de: '{member}: Dieses Relay lässt sich testen, sobald es gespeichert ist und sich jemand beim Anbieter angemeldet hat',
  },
  'relay.unknown': { en: '{member}: the relay does not exist', de: '{member}: Dieses Relay gibt es nicht' },
  'inbox.not_an_id': {
    en: '{member} is not the id of a message',
    de: '{member} ist nicht die Kennung einer Nachricht',
  },
  'inbox.unknown': { en: '{member}: the message does not exist', de: '{member}: Diese Nachricht gibt es nicht' },

  'explain.queued': { en: 'It is waiting for its turn.', de: 'Sie wartet, bis sie an der Reihe ist.' },
  'explain.queued_local_time': {
    en: 'It is waiting for its local time ({zone}), which is {time} GMT.',
    de: 'Sie wartet auf ihre Ortszeit ({zone}); das ist {time} GMT.',
  },
  'explain.queued_best_hour': {
    en: 'It is waiting for the hour in which its contact usually opens ({zone}): {time} GMT.',
    de: 'Sie wartet auf die Stunde, in der der Kontakt meistens öffnet ({zone}): {time} GMT.',
  },
  'explain.queued_window': {
    en: 'It is waiting until the send window opens in {zone}: {time} GMT.',
    de: 'Sie wartet, bis sich das Sendefenster in {zone} öffnet: {time} GMT.',
  },
  'explain.queued_due_time': {
    en: 'It is waiting until it is due at {time} GMT.',
    de: 'Sie wartet, bis sie um {time} GMT fällig ist.',
  },
  'explain.queued_quota': {
    en: "It is waiting for the next day of the warm-up, because today's quota is used up. It is sent at {time} GMT at the earliest.",
    de: 'Sie wartet auf den nächsten Tag des Aufwärmens, weil das heutige Kontingent verbraucht ist. Sie wird frühestens um {time} GMT gesendet.',
  },
  'delivery.quota_near': {
    en: '{used} of {quota} emails are sent. At {quota}, campaigns wait until {day} (UTC)',
    de: '{used} von {quota} E-Mails sind gesendet. Bei {quota} warten Kampagnen bis zum {day} (UTC)',
  },
  'delivery.quota_used': {
    en: '{used} of {quota} emails are sent. Campaigns wait until {day} (UTC), or until the operator raises the quota; single messages are refused',
    de: '{used} von {quota} E-Mails sind gesendet. Kampagnen warten bis zum {day} (UTC) oder bis der Betreiber das Kontingent erhöht; einzelne Nachrichten werden abgelehnt',
  },
  'explain.queued_monthly_quota': {
    en: 'It is waiting because the account has sent all emails of its monthly quota. It is sent after {time} GMT, or as soon as the operator raises the quota.',
    de: 'Sie wartet, weil das Konto alle E-Mails seines Monatskontingents gesendet hat. Sie wird nach {time} GMT gesendet, oder sobald der Betreiber das Kontingent erhöht.',
  },
  'explain.queued_test': {
    en: 'It is waiting for the result of the A/B test.',
    de: 'Sie wartet auf das Ergebnis des A/B-Tests.',
  },
  'explain.queued_test_due': {
    en: 'It is waiting for the result of the A/B test, which ends at {time} GMT.',
    de: 'Sie wartet auf das Ergebnis des A/B-Tests, der um {time} GMT endet.',
  },
  'explain.queued_test_by_hand': {
    en: 'It is waiting until a person chooses the winner of the A/B test.',
    de: 'Sie wartet, bis jemand den Gewinner des A/B-Tests wählt.',
  },
  'explain.trying': { en: 'It is being sent right now.', de: 'Sie wird gerade gesendet.' },
  'explain.accepted': {
    en: 'The receiving server accepted it at {time} GMT.',
    de: 'Der empfangende Server hat sie um {time} GMT angenommen.',
  },
  'explain.returned': { en: 'It bounced later ({reply}).', de: 'Später kam sie zurück ({reply}).' },
  'explain.later': {
    en: 'The receiving server asked for a later attempt. The next attempt is at {time} GMT.',
    de: 'Der empfangende Server bat um einen späteren Versuch. Der nächste Versuch ist um {time} GMT.',
  },
  'explain.later_rate': {
    en: 'The rate limit of its domain has deferred it. No attempt was made yet; the next is at {time} GMT.',
    de: 'Die Höchstrate ihrer Domain hat sie aufgeschoben. Es gab noch keinen Versuch; der nächste ist um {time} GMT.',
  },
  'explain.later_spared': {
    en: 'Its domain is slow or has asked for fewer messages, so it was deferred without using an attempt. The next attempt is at {time} GMT.',
    de: 'Ihre Domain ist langsam oder hat um weniger E-Mails gebeten, deshalb wurde sie aufgeschoben, ohne einen Versuch zu verbrauchen. Der nächste Versuch ist um {time} GMT.',
  },
  'explain.failed': {
    en: 'It was permanently refused ({reason}).',
    de: 'Sie wurde endgültig abgelehnt ({reason}).',
  },
  'explain.failed_unclear': {
    en: 'It may have been sent: the outcome was unclear, and no further copy is sent.',
    de: 'Sie wurde vielleicht gesendet: Der Ausgang war unklar, und es wird keine weitere Kopie gesendet.',
  },
  'explain.skipped_stopped': {
    en: 'It was not sent: the campaign was stopped first.',
    de: 'Sie wurde nicht gesendet: Die Kampagne wurde vorher beendet.',
  },
  'explain.skipped_capped': {
    en: 'It was not sent: the contact had already got as many emails of campaigns as the limit of the account allows.',
    de: 'Sie wurde nicht gesendet: Der Kontakt hatte schon so viele E-Mails von Kampagnen bekommen, wie das Konto erlaubt.',
  },
  'delivery.asked_again': {
    en: 'Recipients were refused for a reason that may be your account with the relay or the sender, last: {reply}. They are tried again, for a day at most',
    de: 'Empfänger wurden aus einem Grund abgelehnt, der Ihr Konto beim Relay oder den Absender betreffen kann, zuletzt: {reply}. Sie werden erneut versucht, höchstens einen Tag lang',
  },
  'delivery.held_recipients': {
    en: 'recipients whose delivery could not be confirmed: {count}. Send them a copy, or count them as not delivered',
    de: 'Empfänger, deren Zustellung nicht bestätigt werden konnte: {count}. Senden Sie ihnen eine Kopie, oder zählen Sie sie als nicht zugestellt',
  },
  'explain.held_until': {
    en: 'A person decides whether it gets a copy; without a decision it counts as not delivered at {time} UTC.',
    de: 'Ein Mensch entscheidet, ob er eine Kopie bekommt; ohne Entscheidung gilt sie um {time} UTC als nicht zugestellt.',
  },
  'explain.skipped_left_segment': {
    en: 'It was not sent: when its turn came, the contact no longer matched the segment of the campaign, for example because it had opened or clicked in the meantime.',
    de: 'Sie wurde nicht gesendet: Als sie an der Reihe war, passte der Kontakt nicht mehr zum Segment der Kampagne, zum Beispiel weil er inzwischen geöffnet oder geklickt hatte.',
  },
  'explain.skipped_address_changed': {
    en: 'It was not sent: when its turn came, the contact had changed its address.',
    de: 'Sie wurde nicht gesendet: Als sie an der Reihe war, hatte der Kontakt seine Adresse geändert.',
  },
  'explain.skipped_late': {
    en: 'It was not sent: it was overdue by more than the allowed lateness.',
    de: 'Sie wurde nicht gesendet: Sie war länger überfällig, als erlaubt ist.',
  },
  'explain.skipped': {
    en: 'It was not sent: after the campaign had started, the contact became {state}.',
    de: 'Sie wurde nicht gesendet: Nach dem Start der Kampagne wurde der Kontakt {state}.',
  },
  'explain.unclear': {
    en: 'It may have been sent: the connection or the program ended between the last byte and the reply.',
    de: 'Sie wurde vielleicht gesendet: Verbindung oder Programm endeten zwischen dem letzten Byte und der Antwort.',
  },
  'explain.copy_planned': {
    en: 'A copy is sent at {time} GMT.',
    de: 'Eine Kopie wird um {time} GMT gesendet.',
  },
  'explain.resent': {
    en: 'It was sent again {count} time(s) after an unclear outcome, with the same Message-ID.',
    de: 'Nach unklarem Ausgang wurde sie noch {count}-mal gesendet, mit derselben Message-ID.',
  },
  'explain.may_be_sent': {
    en: 'It may have been sent before: the outcome of an earlier attempt was unclear.',
    de: 'Vielleicht wurde sie schon gesendet: Der Ausgang eines früheren Versuchs war unklar.',
  },
  'explain.reply': { en: 'The server replied: {reply}', de: 'Der Server antwortete: {reply}' },

  'explain.not_sent': {
    en: 'The campaign has not been sent yet.',
    de: 'Die Kampagne ist noch nicht gesendet.',
  },
  'explain.forgotten': {
    en: 'The recipients of this campaign are no longer kept.',
    de: 'Die Empfänger dieser Kampagne werden nicht mehr aufbewahrt.',
  },
  'explain.erased': {
    en: 'The address was erased and has received nothing since.',
    de: 'Die Adresse wurde gelöscht und bekommt seither nichts.',
  },
  'explain.erased_since': {
    en: 'The contact has been erased since.',
    de: 'Der Kontakt wurde seither gelöscht.',
  },
  'explain.suppressed_address': {
    en: 'The address is on the suppression list ({reason}).',
    de: 'Die Adresse steht auf der Sperrliste ({reason}).',
  },
  'explain.suppressed_domain': {
    en: 'The domain is on the suppression list ({reason}).',
    de: 'Die Domain steht auf der Sperrliste ({reason}).',
  },
  'explain.on_no_list': {
    en: 'The address is on none of the lists of the campaign.',
    de: 'Die Adresse steht auf keiner Liste der Kampagne.',
  },
  'explain.not_subscribed': {
    en: 'The contact has been {state} on "{list}" since {time} GMT.',
    de: 'Der Kontakt ist auf „{list}“ seit {time} GMT {state}.',
  },
  'explain.on_break': {
    en: 'The contact has paused all email until {time} GMT.',
    de: 'Der Kontakt hat alle E-Mails bis {time} GMT pausiert.',
  },
  'explain.excluded_list': {
    en: 'The contact is on a list that the campaign excludes.',
    de: 'Der Kontakt steht auf einer Liste, die die Kampagne ausschließt.',
  },
  'explain.excluded_segment': {
    en: 'The contact is in a segment that the campaign excludes.',
    de: 'Der Kontakt ist in einem Segment, das die Kampagne ausschließt.',
  },
  'explain.not_in_audience': {
    en: 'The contact is subscribed to "{list}", but was not among the recipients when the campaign started: it joined later, or is in none of the chosen segments.',
    de: 'Der Kontakt ist auf „{list}“ angemeldet, war beim Start der Kampagne aber nicht unter den Empfängern: Er kam später dazu oder ist in keinem der gewählten Segmente.',
  },
  'explain.audience_incomplete': {
    en: 'The recipients of this campaign are still being recorded. Look again in a few seconds.',
    de: 'Die Empfänger dieser Kampagne werden noch erfasst. Schauen Sie in einigen Sekunden noch einmal nach.',
  },
  'explain.no_segment': {
    en: 'The contact is in none of the chosen segments.',
    de: 'Der Kontakt ist in keinem der gewählten Segmente.',
  },
  'explain.no_date': {
    en: 'The contact has no date in the field {tag}.',
    de: 'Der Kontakt hat im Feld {tag} kein Datum.',
  },
  'explain.due_at': { en: 'It is due at {time} GMT.', de: 'Sie ist um {time} GMT fällig.' },
  'explain.email_of_automation': {
    en: 'It is the email of an automation: a contact gets it on reaching its step. automationExplain shows where the contact is.',
    de: 'Sie ist die E-Mail einer Automation: Ein Kontakt bekommt sie, wenn er ihren Schritt erreicht. automationExplain zeigt, wo der Kontakt ist.',
  },
  'explain.due_now': {
    en: 'It is due now and is about to be queued.',
    de: 'Sie ist jetzt fällig und wird gleich eingereiht.',
  },
  'explain.occasion_before_start': {
    en: 'Its occasion was before the autoresponder was started at {time} GMT; what was due before is not sent.',
    de: 'Ihr Anlass lag vor dem Start des Autoresponders um {time} GMT; was vorher fällig war, wird nicht gesendet.',
  },
  'explain.autoresponder_paused': { en: 'The autoresponder is paused.', de: 'Der Autoresponder ist pausiert.' },

  'contact.state.pending': { en: 'pending', de: 'unbestätigt' },
  'contact.state.unsubscribed': { en: 'unsubscribed', de: 'abgemeldet' },
  'contact.state.inactive': { en: 'inactive', de: 'inaktiv' },
  'contact.state.bounced': { en: 'bounced', de: 'unzustellbar' },
  'contact.state.deleted': { en: 'deleted', de: 'gelöscht' },
  'contact.state.suppressed': { en: 'suppressed', de: 'gesperrt' },
  'contact.state.paused': { en: 'paused', de: 'pausiert' },

  'explain.suppression.manual': { en: 'manual', de: 'von Hand' },
  'explain.suppression.bounce': { en: 'bounce', de: 'unzustellbar' },
  'explain.suppression.complaint': { en: 'complaint', de: 'Beschwerde' },
  'explain.suppression.unsubscribe': { en: 'unsubscribe', de: 'Abmeldung' },
  'explain.suppression.erased': { en: 'erased', de: 'gelöscht' },
  'explain.suppression.api': { en: 'api', de: 'API' },
});
