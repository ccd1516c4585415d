// The texts of the selected language, loaded once for all screens. `const t = useText('campaigns')`, then `t('title')`
// or `t('selected', { count })`; a key that the area lacks does not compile. `t.of('state', status)` is the text of the
// key `state.sent` for the status "sent"; a state without a text is shown as it is.
import { createContext, type ReactNode, use, useCallback, useContext, useEffect, useMemo, useState } from 'react';
import type { Areas } from './areas.ts';
import { fillText, type TextForms, type Values } from './fill-text.ts';

export const languages = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof languages;

type Texts = Record<string, Record<string, TextForms>>;
/** `rest`: the texts of the areas that the first screen does not need; `own`: those of an area that has its own file. */
type Loaded = {
  language: Language;
  texts: Texts;
  rest: Promise<Texts>;
  own(area: string): Promise<Texts>;
};
type Selected = Loaded & { choose(language: Language): void };

const TextContext = createContext<Selected | undefined>(undefined);

/** Renders nothing until the texts are loaded. */
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
  const choose = useCallback((next: Language) => {
    remember(next);
    // From now on, requests ask for messages in this language.
    document.documentElement.lang = next;
    setLanguage(next);
  }, []);
  return loaded && <TextContext value={{ ...loaded, choose }}>{children}</TextContext>;
}

type KeyOf<A extends keyof Areas> = keyof Areas[A] & string;
/** What comes before the dot in the keys of an area. */
type PrefixOf<A extends keyof Areas> =
  KeyOf<A> extends infer K ? (K extends `${infer P}.${string}` ? P : never) : never;

export type Translate<A extends keyof Areas> = {
  (key: KeyOf<A>, values?: Values): string;
  of(prefix: PrefixOf<A>, name: string): string;
  /** The names that have a text with this prefix. */
  names(prefix: PrefixOf<A>): string[];
};

export function useText<A extends keyof Areas>(area: A): Translate<A> {
  const { language, texts, rest, own } = useTexts();
  // A screen of another area waits for its texts, as it waits for its script.
  const areaTexts = texts[area] ?? use(isOwn(area) ? own(area) : rest)[area];
  return useMemo(() => {
    const translate = (key: KeyOf<A>, values: Values = {}) => {
      const text = areaTexts?.[key];
      return text === undefined ? key : fillText(text, values, language);
    };
    const of = (prefix: string, name: string) => {
      const text = areaTexts?.[`${prefix}.${name}`];
      return text === undefined ? name : fillText(text, {}, language);
    };
    const names = (prefix: string) =>
      Object.keys(areaTexts ?? {}).flatMap((key) => (key.startsWith(`${prefix}.`) ? key.slice(prefix.length + 1) : []));
    return Object.assign(translate, { of, names });
  }, [language, areaTexts]);
}

export function useLanguage(): { language: Language; choose(language: Language): void } {
  const { language, choose } = useTexts();
  return { language, choose };
}

function useTexts(): Selected {
  const texts = useContext(TextContext);
  if (!texts) throw new Error('useText needs a TextProvider above it');
  return texts;
}

const storageKey = 'postrider-language';

/** The language selected here before, else the first language of the browser that we have. */
function firstLanguage(): Language {
  const preferred = [stored(), ...navigator.languages].map((tag) => tag?.slice(0, 2));
  return (preferred.find((tag) => tag !== undefined && Object.hasOwn(languages, tag)) ?? 'en') as Language;
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
    // Storage is off in this browser: the selection lasts until the page is left.
  }
}

async function load(language: Language): Promise<Loaded> {
  const german = language === 'de';
  const rest = (german ? import('../locales/de.ts') : import('../locales/en.ts')).then(byArea);
  // A screen that waits for these texts shows the failure; without one, it must not count as unhandled.
  rest.catch(() => {});
  const first = await (german ? import('../locales/de-first.ts') : import('../locales/en-first.ts'));
  return { language, texts: byArea(first), rest, own: ownTexts(language) };
}

/** Areas that only their own screens need. */
const ownFiles = import.meta.glob<{ default: Record<string, unknown> }>(
  '../locales/*/{approval,audit,automations,forms,operator,settings,setup,webhooks}.json',
);
const fileOf = (language: Language, area: string) => `../locales/${language}/${area}.json`;
const isOwn = (area: string) => Object.hasOwn(ownFiles, fileOf('en', area));

/** Loads each once: a screen that waits asks again with each rendering. */
function ownTexts(language: Language): (area: string) => Promise<Texts> {
  const loading = new Map<string, Promise<Texts>>();
  return (area) => {
    const path = fileOf(language, area);
    const known = loading.get(area) ?? ownFiles[path]!().then((file) => byArea({ default: { [path]: file } }));
    loading.set(area, known);
    return known;
  };
}

const byArea = ({ default: files }: { default: Record<string, { default: Record<string, unknown> }> }): Texts =>
  Object.fromEntries(
    Object.entries(files).map(([path, file]) => [
      path.slice(path.lastIndexOf('/') + 1, -'.json'.length),
      file.default as Record<string, TextForms>,
    ]),
  );
