// Messages about webhooks.
import { defineMessages } from './define.ts';

export const webhooks = defineMessages({
  'webhook.unreached.name': {
    en: 'The name {host} does not exist, or has no address',
    de: 'Den Namen {host} gibt es nicht, oder er hat keine Adresse',
  },
  'webhook.unreached.name_servers': {
    en: 'The name servers gave no answer about {host}',
    de: 'Die Nameserver gaben keine Auskunft über {host}',
  },
  'webhook.unreached.connection_timeout': {
    en: '{host} accepted no connection at port {port} within {seconds} s',
    de: '{host} nahm an Port {port} innerhalb von {seconds} s keine Verbindung an',
  },
  'webhook.unreached.answer_timeout': {
    en: '{host} did not answer within {seconds} s',
    de: '{host} antwortete nicht innerhalb von {seconds} s',
  },
  'webhook.unreached.closed': {
    en: 'Connection refused: no server accepts connections at {host}, port {port}',
    de: 'Verbindung abgelehnt: Bei {host}, Port {port}, nimmt kein Server Verbindungen an',
  },
  'webhook.unreached.no_route': {
    en: 'The network has no route to {host} ({code})',
    de: 'Das Netz hat keinen Weg zu {host} ({code})',
  },
  'webhook.unreached.certificate_expired': {
    en: 'The certificate of {host} has expired',
    de: 'Das Zertifikat von {host} ist abgelaufen',
  },
  'webhook.unreached.certificate_early': {
    en: 'The certificate of {host} is not valid yet',
    de: 'Das Zertifikat von {host} gilt noch nicht',
  },
  'webhook.unreached.certificate_name': {
    en: 'The certificate of the server is for another name than {host}',
    de: 'Das Zertifikat des Servers gilt für einen anderen Namen als {host}',
  },
  'webhook.unreached.certificate_chain': {
    en: 'The certificate chain of {host} is incomplete (the server must send its intermediate certificate too), or its authority is not trusted here',
    de: 'Die Zertifikatskette von {host} ist unvollständig (der Server muss auch sein Zwischenzertifikat senden), oder ihrer Stelle wird hier nicht vertraut',
  },
  'webhook.unreached.certificate_authority': {
    en: 'The certificate of {host} is self-signed, or of an authority that is not trusted here',
    de: 'Das Zertifikat von {host} ist selbst signiert oder von einer Stelle, der hier nicht vertraut wird',
  },
  'webhook.unreached.certificate': {
    en: 'The certificate of {host} is not valid ({code})',
    de: 'Das Zertifikat von {host} ist ungültig ({code})',
  },
  'webhook.unreached.tls': {
    en: 'No TLS connection with {host}, port {port} ({code})',
    de: 'Keine TLS-Verbindung mit {host}, Port {port} ({code})',
  },
  'webhook.unreached.ended': {
    en: '{host} closed the connection before its answer was complete',
    de: '{host} schloss die Verbindung, bevor die Antwort vollständig war',
  },
  'webhook.unreached.not_http': {
    en: 'The answer of {host} is not valid HTTP ({code})',
    de: 'Die Antwort von {host} ist kein gültiges HTTP ({code})',
  },
  'webhook.unknown': {
    en: '{member}: the webhook "{id}" does not exist',
    de: '{member}: Den Webhook „{id}“ gibt es nicht',
  },
  'webhook.unknown_option': {
    en: '{member}: the option "{name}" does not exist; the options are {choices}',
    de: '{member}: Die Option „{name}“ gibt es nicht; es gibt {choices}',
  },
  'webhook.status': { en: '{member} must be active or paused', de: '{member} muss active oder paused sein' },
  'webhook.title': {
    en: '{member} is empty or longer than 200 characters',
    de: '{member} ist leer oder länger als 200 Zeichen',
  },
  'webhook.secret': { en: '{member} is longer than 200 characters', de: '{member} ist länger als 200 Zeichen' },
  'webhook.signature_header': {
    en: '{member} is not the name of a header that begins with X-, with at most 100 characters',
    de: '{member} ist kein Name eines Headers, der mit X- beginnt und höchstens 100 Zeichen hat',
  },
  'webhook.url': {
    en: '{member} is not an http or https URL of at most 2000 characters without user name and password',
    de: '{member} ist keine http- oder https-Adresse ohne Benutzername und Passwort mit höchstens 2000 Zeichen',
  },
  'webhook.list_unknown': {
    en: '{member}: the list "{id}" does not exist',
    de: '{member}: Die Liste „{id}“ gibt es nicht',
  },
  'webhook.unknown_choice': {
    en: '{member} contains "{value}"; the choices are {choices}',
    de: '{member} enthält „{value}“; möglich sind {choices}',
  },
  'webhook.attempt_or_since': {
    en: 'Give attempt or since, not both',
    de: 'Geben Sie attempt oder since an, nicht beides',
  },
  'webhook.attempt_unknown': {
    en: '{member} is not an attempt of this webhook',
    de: '{member} ist kein Versuch dieses Webhooks',
  },
  'webhook.date': {
    en: '{member}: "{value}" must have the form YYYY-MM-DD HH:MM:SS',
    de: '{member}: „{value}“ muss die Form JJJJ-MM-TT HH:MM:SS haben',
  },
  'webhook.answered': { en: 'The receiver answered {status}.', de: 'Der Empfänger antwortete {status}.' },
  'webhook.redirected': {
    en: 'The receiver answered {status}. Redirects are not followed.',
    de: 'Der Empfänger antwortete {status}. Weiterleitungen wird nicht gefolgt.',
  },
  'webhook.unauthorized': {
    en: 'The receiver answered {status}. Its secret key may differ.',
    de: 'Der Empfänger antwortete {status}. Vielleicht hat er einen anderen geheimen Schlüssel.',
  },
  'webhook.head_answered': {
    en: 'The address answered {status} to HEAD; 200 is expected.',
    de: 'Die Adresse antwortete auf HEAD mit {status}; erwartet wird 200.',
  },
  'webhook.process_ended': {
    en: 'The sending process ended before the receiver answered.',
    de: 'Der sendende Prozess endete, bevor eine Antwort kam.',
  },
  'webhook.dropped': {
    en: 'The oldest waiting events were deleted: at most {events} wait, for at most {days} days.',
    de: 'Die ältesten wartenden Ereignisse wurden gelöscht: Es warten höchstens {events}, und höchstens {days} Tage lang.',
  },
  'webhook.secret_lost': {
    en: 'The secret of this webhook cannot be decrypted ({setting} was changed). Restore the setting, or give the webhook a new secret.',
    de: 'Das Secret dieses Webhooks lässt sich nicht entschlüsseln ({setting} wurde geändert). Stellen Sie die Einstellung wieder her oder geben Sie dem Webhook ein neues Secret.',
  },
  'webhook.off.gone': {
    en: 'Switched off: the receiver answered 410 Gone.',
    de: 'Ausgeschaltet: Der Empfänger antwortete 410 Gone, er will also nichts mehr.',
  },
  'webhook.off.failing': {
    en: 'Switched off: every request failed for five days.',
    de: 'Ausgeschaltet: fünf Tage lang schlug jede Anfrage fehl.',
  },
  'webhook.notice.subject': {
    en: 'The webhook "{title}" was switched off',
    de: 'Der Webhook „{title}“ wurde ausgeschaltet',
  },
  'webhook.notice.off': {
    en: 'The webhook "{title}" to {url} was switched off.',
    de: 'Der Webhook „{title}“ zu {url} wurde ausgeschaltet.',
  },
  'webhook.notice.last_failure': { en: 'The last failure: {reason}', de: 'Der letzte Fehler: {reason}' },
  'webhook.notice.kept': {
    en: 'Undelivered events are kept for 30 days and will be sent when you switch the webhook on again. Events that happen in the meantime are not recorded.',
    de: 'Nicht zugestellte Ereignisse bleiben 30 Tage aufgehoben und werden gesendet, wenn Sie den Webhook wieder einschalten. Was in der Zwischenzeit geschieht, wird nicht aufgezeichnet.',
  },
});
