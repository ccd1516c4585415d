// The texts of the chosen language: loaded once, given to every screen. `const t = useText('campaigns')`, then
// `t('title')`, or `t('selected', { count })`; a key that the area does not have does not compile.
import { createContext, type ReactNode, use, useCallback, useContext, useEffect, useState } from 'react';
import type { Areas } from './areas.ts';
import { say, type Values, type Words } from './say.ts';

export const languages = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof languages;

type Texts = Record<string, Record<string, Words>>;
/** `rest` are the texts of the areas that the first screen does not need. */
type Loaded = {
  language: Language;
  texts: Texts;
  rest: Promise<Texts>;
};
type Chosen = Loaded & { choose(language: Language): void };

const TextContext = createContext<Chosen | undefined>(undefined);

/** Shows nothing until the texts are there: a screen without words is none. */
export function TextProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState<Language>(firstLanguage);
  const [loaded, setLoaded] = useState<Loaded>();
  useEffect(() => {
    let current = true;
    load(language).then((next) => current && setLoaded(next));
    document.documentElement.lang = language;
    return () => {
      current = false;
    };
  }, [language]);
  const choose = useCallback((chosen: Language) => {
    remember(chosen);
    // Requests from now on ask for messages in this language.
    document.documentElement.lang = chosen;
    setLanguage(chosen);
  }, []);
  return loaded && <TextContext value={{ ...loaded, choose }}>{children}</TextContext>;
}

export type Say<A extends keyof Areas> = (key: keyof Areas[A] & string, values?: Values) => string;

export function useText<A extends keyof Areas>(area: A): Say<A> {
  const { language, texts, rest } = useTexts();
  // A screen of another area waits for its words, as it waits for its script.
  const own = texts[area] ?? use(rest)[area];
  return useCallback(
    (key, values = {}) => {
      const words = own?.[key];
      return words === undefined ? key : say(words, values, language);
    },
    [language, own],
  );
}

export function useLanguage(): { language: Language; choose(language: Language): void } {
  const { language, choose } = useTexts();
  return { language, choose };
}

function useTexts(): Chosen {
  const texts = useContext(TextContext);
  if (!texts) throw new Error('useText needs a TextProvider above it');
  return texts;
}

const storageKey = 'postrider-language';

/** What was chosen here before, else the first language of the browser that we speak. */
function firstLanguage(): Language {
  const wanted = [stored(), ...navigator.languages].map((tag) => tag?.slice(0, 2));
  return (wanted.find((tag) => tag !== undefined && Object.hasOwn(languages, tag)) ?? 'en') as Language;
}

function stored(): string | undefined {
  try {
    return localStorage.getItem(storageKey) ?? undefined;
  } catch {
    return undefined;
  }
}

function remember(language: Language) {
  try {
    localStorage.setItem(storageKey, language);
  } catch {
    // Storage is switched off in this browser: the choice holds until the page is left.
  }
}

async function load(language: Language): Promise<Loaded> {
  const german = language === 'de';
  const rest = (german ? import('../locales/de.ts') : import('../locales/en.ts')).then(byArea);
  // Whoever waits for it sees the failure; nobody else does.
  rest.catch(() => {});
  const first = await (german ? import('../locales/de-first.ts') : import('../locales/en-first.ts'));
  return { language, texts: byArea(first), rest };
}

const byArea = ({ default: files }: { default: Record<string, { default: Record<string, unknown> }> }): Texts =>
  Object.fromEntries(
    Object.entries(files).map(([path, file]) => [
      path.slice(path.lastIndexOf('/') + 1, -'.json'.length),
      file.default as Record<string, Words>,
    ]),
  );
