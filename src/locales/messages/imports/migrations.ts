// Messages about moving in from another program: why something is not taken, and why a migration failed.
import { defineMessages } from '../define.ts';

export const migrations = defineMessages({
  'migration.unknown': {
    en: '{member}: the migration "{id}" does not exist',
    de: '{member}: Den Umzug „{id}“ gibt es nicht',
  },
  'migration.no_status': {
    en: 'The file {file} does not say who has unsubscribed, so it cannot be taken',
    de: 'Die Datei {file} sagt nicht, wer sich abgemeldet hat; deshalb wird sie nicht übernommen',
  },
  'migration.listmonk_csv': {
    en: 'A CSV file of listmonk does not say who has unsubscribed. Use the API or a dump of the database, or name the file after the status and the list that were exported, such as subscribed-NEWS.csv and unsubscribed-NEWS.csv, instead of {file}',
    de: 'Eine CSV-Datei von listmonk sagt nicht, wer sich abgemeldet hat. Verwenden Sie die API oder einen Auszug der Datenbank, oder nennen Sie die Datei nach Status und Liste, etwa subscribed-NEWS.csv und unsubscribed-NEWS.csv statt {file}',
  },
  'migration.not_on_a_list': { en: 'the contact is on no list', de: 'Der Kontakt ist auf keiner Liste' },
  'migration.not_subscribed': {
    en: 'the contact never subscribed there',
    de: 'Der Kontakt hat sich dort nie angemeldet',
  },
  'migration.not_archived': { en: 'the contact is archived there', de: 'Der Kontakt ist dort archiviert' },
  'migration.not_an_address': {
    en: 'the address was removed there',
    de: 'Die Adresse wurde dort entfernt',
  },
  'migration.not_a_template': {
    en: 'the template has no HTML',
    de: 'Die Vorlage hat kein HTML',
  },
  'migration.too_many_fields': {
    en: 'the list would have too many fields; this one is left out',
    de: 'Die Liste hätte zu viele Felder; dieses bleibt weg',
  },
  'migration.cannot_start': {
    en: 'The migration is {state}; only one whose dry run has ended, or that was stopped, can be started',
    de: 'Der Umzug ist {state}; starten lässt sich nur einer, dessen Probelauf fertig ist oder der angehalten wurde',
  },
  'migration.cannot_stop': {
    en: 'The migration is {state}; only one in progress can be stopped',
    de: 'Der Umzug ist {state}; anhalten lässt sich nur einer, der läuft',
  },
  'migration.state.reading': { en: 'being read', de: 'beim Einlesen' },
  'migration.state.checked': { en: 'checked', de: 'geprüft' },
  'migration.state.running': { en: 'running', de: 'in Arbeit' },
  'migration.state.stopped': { en: 'stopped', de: 'angehalten' },
  'migration.state.failed': { en: 'failed', de: 'gescheitert' },
  'migration.state.done': { en: 'done', de: 'fertig' },
});
