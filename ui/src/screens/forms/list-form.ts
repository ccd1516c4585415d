// The sign-up form of a list, with its texts.
import type { ParamsOf, ResultOf } from '../../api/types.ts';
import type { MethodFormState } from '../../parts/form/form.tsx';

export type ListForm = ResultOf<'listForm'>;
export type ListText = ResultOf<'listTexts'>[number];
export type TextName = ListText['name'];
export type PreviewPage = ParamsOf<'listFormPreview'>['page'];
export type FormOptions = NonNullable<ParamsOf<'listFormUpdate'>['options']>;

/** The settings that are no texts, and the texts that were changed, by `keyOf`. */
export type FormValues = Omit<ListForm['settings'], 'title' | 'intro' | 'consent' | 'button' | 'thanks' | 'about'> & {
  edits: Record<string, Edit>;
};
export type Edit = { name: TextName; language: string; value: string; default: string };
export type SettingsForm = MethodFormState<FormValues>;

/**
 * In which language a text is stored. Texts of the form in the list's language are those of every language without its own: visitors
 * of other languages read them rather than a usual sentence.
 */
export function languageOf(text: ListText, own: string): string {
  const isForAll = text.name.startsWith('form.') && text.language === own && !text.languages.includes(own);
  return isForAll ? '' : text.language;
}

export const keyOf = (name: TextName, language: string) => `${name.replace('.', '_')}@${language}`;

export const valuesOf = (settings: ListForm['settings']): FormValues => {
  const { title: _, intro: _1, consent: _2, button: _3, thanks: _4, about: _5, ...rest } = settings;
  return { ...rest, edits: {} };
};

/** What is to be saved: the settings that differ, and the texts. One that is the usual text again is removed. */
export function changesOf({ edits, ...settings }: FormValues, before: ListForm['settings']): FormOptions {
  const changed = Object.entries({ ...settings, origins: settings.origins.map((line) => line.trim()).filter(Boolean) });
  const texts = Object.values(edits).map(({ name, language, value, default: usual }) => ({
    name,
    language,
    value: value === usual && (language === '' || !name.startsWith('form.')) ? '' : value,
  }));
  return {
    ...Object.fromEntries(
      changed.filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof typeof before])),
    ),
    ...(texts.length > 0 ? { texts } : {}),
  };
}
