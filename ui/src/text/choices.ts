// The languages of emails and public pages, and time zones, for selects.
import { languages } from '../../../src/locales/languages.ts';

/** Languages named in that of the reader, sorted. @param present offered too; '' for none */
export function languageChoices(reader: string, present = ''): { value: string; label: string }[] {
  const names = new Intl.DisplayNames([reader], { type: 'language' });
  const nameOf = (value: string) => (languages.includes(value) ? names.of(value) : undefined) ?? value;
  return [...new Set([...languages, ...(present ? [present] : [])])]
    .map((value) => ({ value, label: nameOf(value) }))
    .sort((a, b) => a.label.localeCompare(b.label, reader));
}

/** The time zones the browser knows, plus the current one and UTC. */
export function zoneChoices(present: string): string[] {
  return [...new Set([...(present ? [present] : []), ...Intl.supportedValuesOf('timeZone'), 'UTC'])].sort();
}
