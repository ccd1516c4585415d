// Values of fields as people read them in a message. Pure.
import { chosenInWords } from '../../audience/model/chosen.ts';
import type { FieldWords } from '../markup/compiled.ts';

/** A stored value in words; what is neither yes nor no stays as it is. */
export function inWords(value: string, as: FieldWords): string {
  if (as === 'choices') return chosenInWords(value);
  return value === 'yes' ? as.yes : value === 'no' ? as.no : value;
}
