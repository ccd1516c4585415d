// The value of a field in words.
import { chosenIn } from '../../../../../src/audience/model/choice-names.ts';

/** A value as people read it. @param words for yes and no */
export function shownValue(type: string | undefined, stored: string, words: { yes: string; no: string }): string {
  if (type === 'multiple_choice') return chosenIn(stored).join(', ');
  if (type === 'yes_no' && (stored === 'yes' || stored === 'no')) return words[stored];
  return stored;
}
