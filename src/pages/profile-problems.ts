// What is wrong with the values that a person typed on the preference page, by field and in the person's language. The fault that
// kept them from being saved is for programs: it names tags.
import { readValue } from '../audience/model/field.ts';
import { type FormProblem, problemOf } from '../audience/signup/sign-up.ts';
import type { Given, Profile } from './profile.ts';
import { changesOf, labelOf, shownFields } from './profile-fields.ts';
import { boxesOf, isOn, joinsOf } from './reader-lists.ts';

export type FieldProblem = { /** Of the input. */ name: string; label: string; problem: FormProblem };

/** In the order of the page; none when what was wrong is not a value. */
export function problemsOf(profile: Profile, given: Given): FieldProblem[] {
  const shown = shownFields(profile.entries);
  const joined = new Set(joinsOf(boxesOf(profile.entries, profile), given, profile.mayRejoin));
  const written = profile.entries.filter((entry) => isOn(entry) || joined.has(entry));
  return shown.flatMap((one) => {
    const { field, name } = one;
    for (const entry of written.filter((entry) => one.entries.includes(entry))) {
      const typed = changesOf(shown, entry, given, joined.has(entry))[field.tag];
      const stored = entry.subscription.fields[field.tag] ?? '';
      const isMissing = field.required && !field.defaultValue && (typed ?? stored).trim() === '';
      if (isMissing && (joined.has(entry) || typed !== undefined))
        return [{ name, label: labelOf(one, profile.language), problem: 'form.field-required' as const }];
      if (typed === undefined) continue;
      try {
        readValue(field, typed);
      } catch {
        return [{ name, label: labelOf(one, profile.language), problem: problemOf(field) }];
      }
    }
    return [];
  });
}
