// The language versions of a draft as the composer edits them, and the calls that store what has changed.
import { call } from '../../../api/call.ts';
import type { ResultOf } from '../../../api/types.ts';

export type LanguageDraft = {
  language: string;
  subject: string;
  preview_text: string;
  from_name: string;
  html: string;
  plain: string;
};

/** Languages offered; the program knows no fixed set. */
export const offeredLanguages = [
  'ar',
  'bg',
  'cs',
  'da',
  'de',
  'el',
  'en',
  'es',
  'et',
  'fi',
  'fr',
  'he',
  'hr',
  'hu',
  'it',
  'ja',
  'ko',
  'lt',
  'lv',
  'nb',
  'nl',
  'pl',
  'pt',
  'pt-br',
  'ro',
  'ru',
  'sk',
  'sl',
  'sv',
  'tr',
  'uk',
  'zh',
];

/** Without the campaign itself, and without those that were removed while it was running, which only the report shows. */
const written = (versions: ResultOf<'campaignLanguages'>) => versions.slice(1).filter(({ removed }) => !removed);

export function languagesOf(versions: ResultOf<'campaignLanguages'>): LanguageDraft[] {
  return written(versions).map(({ language, subject, preview_text, from_name, html, plain }) => ({
    language,
    subject,
    preview_text,
    from_name,
    html,
    plain,
  }));
}

/** How a language version is saved: the version it is based on, and this window. */
type Known = { base_version: number; editor: string };

export type LanguageSaver = {
  /** Stores what differs from the last versions it stored. */
  save(versions: readonly LanguageDraft[], known: Known): Promise<void>;
  /** Those of these versions that differ from what is stored. */
  unsaved(versions: readonly LanguageDraft[]): LanguageDraft[];
  /** The server has these versions now. */
  adopt(versions: readonly LanguageDraft[]): void;
};

/** @param plainOnly the campaign has no HTML */
export function languageSaver(cid: string, initial: readonly LanguageDraft[], plainOnly: boolean): LanguageSaver {
  const textsOf = (versions: readonly LanguageDraft[]) =>
    new Map(versions.map((version) => [version.language, JSON.stringify(version)]));
  let stored = textsOf(initial);
  const save = async (versions: readonly LanguageDraft[], known: Known): Promise<void> => {
    for (const language of [...stored.keys()]) {
      if (versions.some((version) => version.language === language)) continue;
      await call('campaignLanguageDelete', { cid, language, ...known });
      stored.delete(language);
    }
    for (const version of versions) {
      const text = JSON.stringify(version);
      if (stored.get(version.language) === text) continue;
      const { language, subject, preview_text, from_name, html, plain } = version;
      // The plain text of HTML is made from it.
      await call('campaignLanguageUpdate', {
        cid,
        language,
        subject,
        from_name,
        ...(plainOnly ? { plain } : { preview_text, html }),
        ...known,
      });
      stored.set(language, text);
    }
  };
  return {
    save,
    unsaved: (versions) => versions.filter((version) => stored.get(version.language) !== JSON.stringify(version)),
    adopt: (versions) => {
      stored = textsOf(versions);
    },
  };
}
