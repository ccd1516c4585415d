// Why Markdown or MJML has no HTML.
import { defineMessages } from './define.ts';

export const contentSources = defineMessages({
  'source.only_one': {
    en: '{member}: give only one of html, markdown and mjml',
    de: '{member}: Geben Sie nur eines von html, markdown und mjml an',
  },
  'source.empty': { en: '{member} is empty', de: '{member} ist leer' },
  'source.html_too_large': {
    en: '{member} makes {length} characters of HTML, more than {count}',
    de: '{member} ergibt {length} Zeichen HTML, mehr als {count}',
  },
  'source.root': {
    en: '{member}, line {line}: MJML is one <mjml> element with nothing around it',
    de: '{member}, Zeile {line}: MJML ist ein einziges Element <mjml>, um das nichts steht',
  },
  'source.body': {
    en: '{member}: <mjml> has no <mj-body>',
    de: '{member}: <mjml> hat kein <mj-body>',
  },
  'source.element': {
    en: '{member}, line {line}: MJML has no element <{detail}>',
    de: '{member}, Zeile {line}: MJML hat kein Element <{detail}>',
  },
  'source.include': {
    en: '{member}, line {line}: <mj-include> is not possible, since there are no other files; insert their content',
    de: '{member}, Zeile {line}: <mj-include> ist nicht möglich, denn es gibt keine anderen Dateien; fügen Sie deren Inhalt ein',
  },
  'source.unclosed': {
    en: '{member}, line {line}: <{detail}> is not closed',
    de: '{member}, Zeile {line}: <{detail}> ist nicht geschlossen',
  },
  'source.unopened': {
    en: '{member}, line {line}: </{detail}> closes nothing',
    de: '{member}, Zeile {line}: </{detail}> schließt nichts',
  },
  'source.declaration': {
    en: '{member}, line {line}: declarations such as <{detail}> are not possible',
    de: '{member}, Zeile {line}: Deklarationen wie <{detail}> sind nicht möglich',
  },
  'source.nesting': {
    en: '{member}, line {line}: <{detail}> is nested more than 100 levels deep',
    de: '{member}, Zeile {line}: <{detail}> ist mehr als 100 Ebenen tief verschachtelt',
  },
  'source.complex': {
    en: '{member} has too many elements and default attributes',
    de: '{member} hat zu viele Elemente und Vorgaben für Attribute',
  },
  'source.invalid': {
    en: '{member}, line {line}: {detail}',
    de: '{member}, Zeile {line}: {detail}',
  },
  'source.tag': {
    en: '{member}, line {line}: {detail} is at a place that MJML leaves out; move it into <mj-text> or <mj-raw>',
    de: '{member}, Zeile {line}: {detail} steht an einer Stelle, die MJML auslässt; setzen Sie es in <mj-text> oder <mj-raw>',
  },
});
