// Messages about segments and their conditions.
import { defineMessages } from './define.ts';

export const segments = defineMessages({
  'segment.unknown': {
    en: '{member}: the segment "{id}" does not exist',
    de: '{member}: Das Segment „{id}“ gibt es nicht',
  },
  'segment.not_of_list': {
    en: '{member}: this list has no segment "{id}"',
    de: '{member}: Diese Liste hat kein Segment „{id}“',
  },
  'segment.used_by_campaign': {
    en: '{member}: campaign {campaign} goes to this segment or leaves it out; change or delete it first',
    de: '{member}: Die Kampagne {campaign} geht an dieses Segment oder lässt es aus; ändern oder löschen Sie sie zuerst',
  },
  'segment.reference_unknown': {
    en: '{member}: the campaign or list "{id}" does not exist',
    de: '{member}: Die Kampagne oder Liste „{id}“ gibt es nicht',
  },
  'segment.too_deep': {
    en: '{member} is nested deeper than {count} levels',
    de: '{member} ist tiefer als {count} Ebenen verschachtelt',
  },
  'segment.no_condition': { en: '{member} has no condition', de: '{member} hat keine Bedingung' },
  'segment.too_many_conditions': {
    en: '{member} has more than {count} conditions',
    de: '{member} hat mehr als {count} Bedingungen',
  },
  'segment.field_unknown': {
    en: '{member}: "{value}" is neither a field of the list ({tags}) nor one of {choices}',
    de: '{member}: „{value}“ ist weder ein Feld der Liste ({tags}) noch eines von {choices}',
  },
  'segment.condition': { en: '{member}: {field} takes {choices}', de: '{member}: {field} nimmt {choices}' },
  'segment.no_event': {
    en: '{member} is empty; event takes the name of an event, such as order.placed',
    de: '{member} ist leer; event nimmt den Namen eines Ereignisses, zum Beispiel order.placed',
  },
  'segment.no_detail': {
    en: '{member}: "{value}" is neither value nor data. and the path of a member, such as data.total',
    de: '{member}: „{value}“ ist weder value noch data. mit dem Pfad eines Teils, zum Beispiel data.total',
  },
  'segment.no_entries': {
    en: '{member} is empty; {condition} takes values separated by ;',
    de: '{member} ist leer; {condition} nimmt mit ; getrennte Werte',
  },
  'segment.empty_entry': {
    en: '{member}: "{value}" has an empty entry; values are separated by one ;',
    de: '{member}: „{value}“ hat einen leeren Eintrag; Werte sind durch ein ; getrennt',
  },
  'segment.zero_days': {
    en: '{member}: "{value}" is not a time; the minimum is 1 day',
    de: '{member}: „{value}“ ist keine Zeit; mindestens ist es 1 Tag',
  },
  'segment.days_compared': {
    en: '{member}: "{value}" works with greater (within) or less (longer ago)',
    de: '{member}: „{value}“ geht mit greater (innerhalb) oder less (länger her)',
  },
  'segment.not_a_time': {
    en: '{member}: "{value}" is neither YYYY-MM-DD (with HH:MM or HH:MM:SS) nor a number of days such as "30 days"',
    de: '{member}: „{value}“ ist weder JJJJ-MM-TT (mit HH:MM oder HH:MM:SS) noch eine Zahl von Tagen wie „30 days“',
  },
  'segment.nothing_chosen': {
    en: '{member} is empty; {condition} takes names of choices with commas between them',
    de: '{member} ist leer; {condition} nimmt Namen von Einträgen mit Kommas dazwischen',
  },
  'segment.not_of_choices': {
    en: '{member}: {condition} takes fields of the type multiple choice, not {field}',
    de: '{member}: {condition} nimmt Felder vom Typ Mehrfachauswahl, nicht {field}',
  },
  'segment.not_of_dates': {
    en: '{member}: {condition} takes fields of the type date and times, not {field}',
    de: '{member}: {condition} nimmt Felder vom Typ Datum und Zeiten, nicht {field}',
  },
  'segment.days_ahead': {
    en: '{member}: "{value}" is not a number of days such as "0 days" (today) or "10 days"; anniversary takes up to 365',
    de: '{member}: „{value}“ ist keine Zahl von Tagen wie „0 days“ (heute) oder „10 days“; anniversary nimmt höchstens 365',
  },
  'segment.no_link': { en: '{member} names no link', de: '{member} nennt keinen Link' },
  'segment.last_zero': {
    en: '{member}: "{value}" names no campaign; the minimum is last 1',
    de: '{member}: „{value}“ nennt keine Kampagne; mindestens ist es last 1',
  },
  'segment.not_an_id': { en: '{member}: "{value}" is not an id', de: '{member}: „{value}“ ist keine Kennung' },
  'segment.not_a_campaign': {
    en: '{member}: "{value}" is neither an id nor of the form "last 5"',
    de: '{member}: „{value}“ ist weder eine Kennung noch von der Form „last 5“',
  },
  'segment.not_a_campaign_or_days': {
    en: '{member}: "{value}" is neither an id nor of the form "last 5" or "30 days"',
    de: '{member}: „{value}“ ist weder eine Kennung noch von der Form „last 5“ oder „30 days“',
  },
  'segment.not_a_number': {
    en: '{member}: "{value}" is not a number, but {tag} is',
    de: '{member}: „{value}“ ist keine Zahl, {tag} aber ist eine',
  },
  'segment.not_a_day': {
    en: '{member}: "{value}" is not a day (YYYY-MM-DD), but {tag} is',
    de: '{member}: „{value}“ ist kein Tag (JJJJ-MM-TT), {tag} aber ist einer',
  },
  'segment.not_a_date': {
    en: '{member}: "{value}" is neither YYYY-MM-DD nor a number of days such as "30 days"',
    de: '{member}: „{value}“ ist weder JJJJ-MM-TT noch eine Zahl von Tagen wie „30 days“',
  },
});
