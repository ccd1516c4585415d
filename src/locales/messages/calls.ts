// Messages of the call itself: doors, credentials, permissions, limits, the database.
import { defineMessages } from './define.ts';

export const calls = defineMessages({
  'call.unknown_method': {
    en: 'Method "{method}" does not exist; the API reference at /api lists all methods',
    de: 'Die Methode „{method}“ gibt es nicht; die API-Referenz unter /api nennt alle Methoden',
  },
  'call.no_sms': {
    en: '{method} is about text messages (SMS), which Postrider does not send; it sends email only',
    de: '{method} betrifft SMS, die Postrider nicht versendet; es versendet nur E-Mail',
  },
  'call.missing_permission': {
    en: '{method} needs the permission "{scope}", which this {caller} does not have',
    de: '{method} braucht die Berechtigung „{scope}“, die hier fehlt',
  },
  'call.all_lists_only': {
    en: '{method} is about the whole account, and this caller is limited to some of its lists',
    de: '{method} betrifft das ganze Konto, und dieser Zugang ist auf einige seiner Listen beschränkt',
  },
  'call.person_only': {
    en: '{method} needs a signed-in user, not an API key',
    de: '{method} braucht eine angemeldete Person, keinen API-Schlüssel',
  },
  'call.operator_only': {
    en: '{method} changes the whole installation: only the account of its operator may call it',
    de: '{method} ändert die ganze Installation: Nur das Konto des Betreibers darf das',
  },
  'call.foreign_session': {
    en: 'Sessions work only on the pages of Postrider; programs must send an API key',
    de: 'Sitzungen gelten nur auf den Seiten von Postrider; Programme müssen einen API-Schlüssel senden',
  },
  'call.acting': {
    en: '{method} is not for an operator who is signed in to the account of another',
    de: '{method} ist nicht für Betreiber, die im Konto eines anderen angemeldet sind',
  },
  'call.test_key': {
    en: '{method} changes something, and this is a test key: it reads, and sends single messages into the inbox',
    de: '{method} ändert etwas, und dies ist ein Testschlüssel: Er liest und sendet einzelne Nachrichten in den Posteingang',
  },
  'call.too_many_at_once': { en: 'More than {count} calls at once', de: 'Mehr als {count} Aufrufe gleichzeitig' },
  'call.too_many_a_minute': {
    en: 'More than {count} calls a minute; try again in {seconds} s',
    de: 'Mehr als {count} Aufrufe in der Minute; versuchen Sie es in {seconds} s wieder',
  },
  'call.not_json': { en: 'The body is not JSON in UTF-8', de: 'Der Inhalt ist kein JSON in UTF-8' },
  'call.not_an_object': { en: 'The body must be a JSON object', de: 'Der Inhalt muss ein JSON-Objekt sein' },
  'call.too_deep': {
    en: 'The body is nested more than {count} levels deep',
    de: 'Der Inhalt ist tiefer als {count} Ebenen verschachtelt',
  },
  'call.too_many_values': {
    en: 'The body has more than {count} values',
    de: 'Der Inhalt hat mehr als {count} Werte',
  },
  'call.busy': {
    en: 'Too many large requests at once; try again in a few seconds',
    de: 'Zu viele große Anfragen gleichzeitig; versuchen Sie es in einigen Sekunden wieder',
  },
  'call.internal': {
    en: 'Internal error (request {id})',
    de: 'Interner Fehler (Anfrage {id})',
  },
  'call.database_unreachable': {
    en: 'The database cannot be used now; try again',
    de: 'Die Datenbank ist gerade nicht nutzbar; versuchen Sie es wieder',
  },
  'call.nothing_changed': {
    en: 'The database cannot be used now; nothing was changed; try again (request {id})',
    de: 'Die Datenbank ist gerade nicht nutzbar; nichts wurde geändert; versuchen Sie es wieder (Anfrage {id})',
  },
  'call.contended': {
    en: 'Other calls are changing the same things; nothing was changed; try again (request {id})',
    de: 'Andere Aufrufe ändern gerade dasselbe; nichts wurde geändert; versuchen Sie es wieder (Anfrage {id})',
  },
  'call.outcome_unknown': {
    en: 'The database cannot be used now; it is unknown whether the call took effect',
    de: 'Die Datenbank ist gerade nicht nutzbar; ob der Aufruf wirksam wurde, ist nicht bekannt',
  },
  'call.account_off': {
    en: 'This account is suspended; ask the operator of the installation',
    de: 'Dieses Konto ist gesperrt; fragen Sie den Betreiber der Installation',
  },
  'call.moved': {
    en: 'This account has moved to {address}; call that address, with the same key',
    de: 'Dieses Konto ist nach {address} umgezogen; rufen Sie diese Adresse auf, mit demselben Schlüssel',
  },
  'call.moving': {
    en: 'This account is moving to another server; try again in a few seconds',
    de: 'Dieses Konto zieht gerade auf einen anderen Server um; versuchen Sie es in einigen Sekunden noch einmal',
  },
  'call.no_account': { en: 'The account does not exist', de: 'Dieses Konto gibt es nicht' },
  'call.key_missing': { en: 'apikey is missing', de: 'apikey fehlt' },
  'call.key_invalid': {
    en: 'apikey is not a valid key, or has been revoked',
    de: 'apikey ist kein gültiger Schlüssel oder wurde widerrufen',
  },
  'call.key_over': { en: 'The API key has expired', de: 'Der API-Schlüssel ist abgelaufen' },
  'call.key_elsewhere': {
    en: 'The API key may not be used from {ip}; it is limited to certain networks',
    de: 'Der API-Schlüssel gilt nicht von {ip} aus; er ist auf bestimmte Netze beschränkt',
  },
  'call.not_signed_in': {
    en: 'Not signed in, or the session has ended',
    de: 'Nicht angemeldet, oder die Sitzung ist beendet',
  },
});
