// Messages about a parameter, named by its path (`options.subject`) in {member}.
import { defineMessages } from './define.ts';

export const parameters = defineMessages({
  'parameter.required': { en: '{member} is required', de: '{member} wird gebraucht' },
  'parameter.unknown': { en: '{member} is not a known parameter', de: '{member} ist kein bekannter Parameter' },
  'parameter.unknown_of': {
    en: '{member} is not a known parameter; the known ones are: {choices}',
    de: '{member} ist kein bekannter Parameter; bekannt sind {choices}',
  },
  'parameter.one_struct': {
    en: 'The parameters must be one struct',
    de: 'Die Parameter müssen ein einziges Struct sein',
  },
  'parameter.invalid': { en: '{member} is not a valid value', de: '{member} ist kein gültiger Wert' },
  'parameter.reserved_name': {
    en: '{member} is a reserved name, which no member can have',
    de: '{member} ist ein reservierter Name, den kein Wert haben kann',
  },
  'parameter.nul': { en: '{member} contains a NUL character', de: '{member} enthält ein NUL-Zeichen' },
  'parameter.unreadable': {
    en: '{member} contains bytes that are no text in the encoding of the call (UTF-8, unless it declares another), or a character that XML forbids',
    de: '{member} enthält Bytes, die in der Kodierung des Aufrufs (UTF-8, wenn er keine andere nennt) kein Text sind, oder ein Zeichen, das XML verbietet',
  },
  'parameter.empty': { en: '{member} is empty', de: '{member} ist leer' },
  'parameter.too_long': {
    en: '{member} is longer than {count} characters',
    de: '{member} ist länger als {count} Zeichen',
  },
  'parameter.json_too_large': {
    en: '{member} is larger than {count} bytes of JSON',
    de: '{member} ist größer als {count} Byte JSON',
  },
  'parameter.too_many': { en: '{member} has more than {count} items', de: '{member} hat mehr als {count} Einträge' },
  'parameter.not_a_string': { en: '{member} is not a string', de: '{member} ist kein Text' },
  'parameter.not_utf8': {
    en: '{member} is base64 of bytes that are not UTF-8 text',
    de: '{member} ist base64 von Bytes, die kein UTF-8-Text sind',
  },
  'parameter.not_a_number': { en: '{member} is not a number', de: '{member} ist keine Zahl' },
  'parameter.not_whole': { en: '{member} is not a whole number', de: '{member} ist keine ganze Zahl' },
  'parameter.too_small': { en: '{member} must be at least {count}', de: '{member} muss mindestens {count} sein' },
  'parameter.too_large': { en: '{member} must be at most {count}', de: '{member} darf höchstens {count} sein' },
  'parameter.not_a_boolean': { en: '{member} is not a boolean', de: '{member} ist kein Wahrheitswert' },
  'parameter.not_one_of': {
    en: '{member} must be one of {choices}',
    de: '{member} muss eines davon sein: {choices}',
  },
  'parameter.not_an_array': { en: '{member} is not an array', de: '{member} ist kein Array' },
  'parameter.not_a_struct': { en: '{member} is not a struct', de: '{member} ist kein Struct' },
  'parameter.unknown_choice': {
    en: '{member}: "{value}" is not one of {choices}',
    de: '{member}: „{value}“ ist keines von: {choices}',
  },
  'parameter.key_used': {
    en: '{member} was used for another call; each call needs a key of its own',
    de: '{member} wurde für einen anderen Aufruf benutzt; jeder Aufruf braucht einen eigenen Schlüssel',
  },
  'parameter.control_characters': {
    en: '{member} contains control characters',
    de: '{member} enthält Steuerzeichen',
  },
  'parameter.not_a_time_zone': { en: '{member} is not a time zone', de: '{member} ist keine Zeitzone' },
  'parameter.not_bytes': {
    en: '{member} is neither a string nor base64',
    de: '{member} ist weder Text noch base64',
  },
  'parameter.not_a_time': {
    en: '{member}: "{value}" is not a time such as 2027-03-01 12:00:00',
    de: '{member}: „{value}“ ist kein Zeitpunkt wie 2027-03-01 12:00:00',
  },
});
