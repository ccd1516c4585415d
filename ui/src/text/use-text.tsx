// The texts of the selected language: those around every screen at once, those of an area with its screens. `const t = useText('campaigns')`, then `t('title')`
// or `t('selected', { count })`; a key that the area lacks does not compile. `t.of('state', status)` is the text of the
// key `state.sent` for the status "sent"; a state without a text is shown as it is.
import { createContext, type ReactNode, use, useCallback, useContext, useEffect, useMemo, useState } from 'react';
import type { Areas } from './areas.ts';
import { fillText, type TextForms, type Values } from './fill-text.ts';
import { completeLanguages, type Language, languages } from './languages.ts';

export { type Language, languages };

/** Texts of an area with the language each is in: one that is missing is English. */
type AreaTexts = Record<string, { text: TextForms; in: Language }>;
type Texts = Record<string, AreaTexts>;
/** `texts`: those of the first screen. */
type Loaded = { language: Language; texts: Texts };
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
  const { language, texts } = useTexts();
  // A screen of another area waits for its texts, as it waits for its script.
  const areaTexts = texts[area] ?? use(areaOf(language, area));
  return useMemo(() => {
    const translate = (key: KeyOf<A>, values: Values = {}) => {
      const text = areaTexts?.[key];
      return text === undefined ? key : fillText(text.text, values, text.in);
    };
    const of = (prefix: string, name: string) => {
      const text = areaTexts?.[`${prefix}.${name}`];
      return text === undefined ? name : fillText(text.text, {}, text.in);
    };
    const names = (prefix: string) =>
      Object.keys(areaTexts ?? {}).flatMap((key) => (key.startsWith(`${prefix}.`) ? key.slice(prefix.length + 1) : []));
    return Object.assign(translate, { of, names });
  }, [areaTexts]);
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

type File = { default: Record<string, unknown> };

/** The texts of the first screen, one module for each language. */
const firstFiles = import.meta.glob<{ default: Record<string, File> }>('../locales/*-first.ts');

/** The languages to look for a text in, the last one first. */
const sourcesOf = (language: Language): Language[] =>
  completeLanguages.includes(language) ? [language] : ['en', language];

const textsIn = (language: Language, file: File): AreaTexts =>
  Object.fromEntries(
    Object.entries(file.default).map(([key, text]) => [key, { text: text as TextForms, in: language }]),
  );

async function load(language: Language): Promise<Loaded> {
  const texts: Texts = {};
  const loads = sourcesOf(language).map(async (source) => {
    const { default: files } = await firstFiles[`../locales/${source}-first.ts`]!();
    return { source, files };
  });
  for (const { source, files } of await Promise.all(loads)) {
    for (const [path, file] of Object.entries(files)) {
      const area = path.slice(path.lastIndexOf('/') + 1, -'.json'.length);
      texts[area] = { ...texts[area], ...textsIn(source, file) };
    }
  }
  return { language, texts };
}

/** One file for each area that only its own screens need. */
const areaFiles = import.meta.glob<File>([
  '../locales/*/*.json',
  '!../locales/*/{shell,parts,sign-in,campaigns,labels}.json',
]);

/** Loads each area once: a screen that waits asks again with each rendering. */
function areaOf(language: Language, area: string): Promise<AreaTexts> {
  const name = `${language}/${area}`;
  const known = loading.get(name) ?? loadArea(language, area);
  loading.set(name, known);
  return known;
}
const loading = new Map<string, Promise<AreaTexts>>();

async function loadArea(language: Language, area: string): Promise<AreaTexts> {
  const parts = await Promise.all(
    sourcesOf(language).map(async (source) => {
      const file = await areaFiles[`../locales/${source}/${area}.json`]?.();
      return file ? textsIn(source, file) : {};
    }),
  );
  return Object.assign({}, ...parts) as AreaTexts;
}

/** Starts to load the texts of a screen together with its script. A failure is shown by the screen, which asks again. */
export function preloadTexts(areas: readonly (keyof Areas)[]): void {
  for (const area of areas) areaOf(firstLanguage(), area).catch(() => {});
}
