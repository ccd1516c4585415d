// Messages about recurring campaigns.
import { defineMessages } from './define.ts';

export const recurring = defineMessages({
  'recurring.unknown': {
    en: '{member}: the recurring campaign "{id}" does not exist',
    de: '{member}: Die wiederkehrende Kampagne „{id}“ gibt es nicht',
  },
  'recurring.issue_unknown': {
    en: '{member}: "{id}" is not an issue of a recurring campaign',
    de: '{member}: „{id}“ ist keine Ausgabe einer wiederkehrenden Kampagne',
  },
  'recurring.issue_not_waiting': {
    en: 'The issue is not waiting for approval any more.',
    de: 'Die Ausgabe wartet nicht mehr auf eine Freigabe.',
  },
  'recurring.already_active': {
    en: 'The recurring campaign is already active.',
    de: 'Die wiederkehrende Kampagne ist bereits aktiv.',
  },
  'recurring.already_paused': {
    en: 'The recurring campaign is already paused.',
    de: 'Die wiederkehrende Kampagne ist bereits pausiert.',
  },
  'recurring.schedule_missing': {
    en: '{member}: a schedule of type {type} needs {names}',
    de: '{member}: Ein Zeitplan der Art {type} braucht {names}',
  },
  'recurring.time_invalid': {
    en: '{member}: "{value}" is not a time such as 09:00',
    de: '{member}: „{value}“ ist keine Uhrzeit wie 09:00',
  },
  'recurring.cron_invalid': {
    en: '{member}: "{value}" is not a cron expression of five fields with a single minute, such as "0 9 * * 1-5"',
    de: '{member}: „{value}“ ist kein Cron-Ausdruck aus fünf Feldern mit einer einzigen Minute, wie „0 9 * * 1-5“',
  },
  'recurring.never_due': {
    en: '{member}: the schedule has no date that exists',
    de: '{member}: Der Zeitplan enthält kein Datum, das es gibt',
  },
  'recurring.zone_unknown': {
    en: '{member}: "{value}" is not a time zone such as Europe/Berlin',
    de: '{member}: „{value}“ ist keine Zeitzone wie Europe/Berlin',
  },
  'recurring.not_an_address': {
    en: '{member} is not an address that begins with http:// or https://',
    de: '{member} ist keine Adresse, die mit http:// oder https:// beginnt',
  },
  'recurring.not_a_feed': {
    en: 'this is not an RSS, Atom or JSON feed that can be read',
    de: 'das ist kein lesbarer RSS-, Atom- oder JSON-Feed',
  },
  'recurring.page_without_feed': {
    en: 'this is a web page that names no feed',
    de: 'das ist eine Webseite, die keinen Feed nennt',
  },
  'recurring.content_invalid': {
    en: '{member}: the campaign cannot be the original of a recurring campaign: it is an autoresponder or the original of another one',
    de: '{member}: Die Kampagne kann nicht Vorlage einer wiederkehrenden Kampagne sein: Sie ist ein Autoresponder oder Vorlage einer anderen',
  },
  'recurring.original_gone': {
    en: 'the campaign that is copied for each issue was deleted',
    de: 'die Kampagne, die für jede Ausgabe kopiert wird, wurde gelöscht',
  },
  'recurring.no_list': {
    en: '{member}: a list is needed, or a campaign that has one',
    de: '{member}: Nötig ist eine Liste oder eine Kampagne mit einer Liste',
  },
  'recurring.nothing_new': { en: 'nothing new', de: 'nichts Neues' },
  'recurring.may_be_known': {
    en: 'it may have been sent before: the site seems to have moved, and of {total} items that seem new, {count} look like earlier ones, such as “{title}”',
    de: 'sie wurde vielleicht schon gesendet: Die Website scheint umgezogen zu sein, und von {total} Einträgen, die neu scheinen, sehen {count} wie frühere aus, etwa „{title}“',
  },
  'recurring.skipped_by_user': { en: 'skipped by hand', de: 'von Hand übersprungen' },
  'recurring.campaign_deleted': { en: 'its campaign was deleted', de: 'ihre Kampagne wurde gelöscht' },
  'recurring.not_approved': {
    en: 'it was not approved before the next issue was due; it is still a draft',
    de: 'sie wurde nicht freigegeben, bevor die nächste Ausgabe fällig war; sie ist noch ein Entwurf',
  },
  'recurring.missed': {
    en: 'Postrider was not running at this time',
    de: 'Postrider lief zu dieser Zeit nicht',
  },
  'recurring.late': {
    en: '{hours} hours late, which is more than MAX_LATENESS',
    de: '{hours} Stunden verspätet, mehr als MAX_LATENESS erlaubt',
  },
  'recurring.not_sendable': {
    en: 'it cannot be sent: {reason}',
    de: 'sie kann nicht gesendet werden: {reason}',
  },
});
