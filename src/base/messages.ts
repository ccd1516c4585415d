// Messages for people: a key of the catalogue (src/locales/messages) and the values that fill it. A message becomes text
// only where it leaves the program: English at the doors for programs, the user's language for our own pages.
// A message that is kept in the database is kept as key and values, so it can be read in any language later.

import { messages } from '../locales/messages/index.ts';
import { translated } from '../locales/messages/translated.ts';
import { type Forms, formOf } from '../locales/plural/forms.ts';

export const messageLanguages = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl'] as const;
export type MessageLanguage = (typeof messageLanguages)[number];

export type MessageKey = keyof typeof messages;
/** A value may be a message, such as the name of a state, or several messages, which are joined by semicolons. */
export type MessageValue = string | number | Message | Message[];
export type Message = { key: MessageKey; values: Record<string, MessageValue> };

type NamesIn<T extends string> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;
type ValuesOf<K extends MessageKey> = { [Name in NamesIn<(typeof messages)[K]['en']>]: MessageValue };

/** The values that the English text of a message needs; nothing when it needs none. */
export type MessageValues<K extends MessageKey> = keyof ValuesOf<K> extends never ? [] : [values: ValuesOf<K>];

/** A message of the catalogue; a value that its English text needs and is not given does not compile. */
export function message<K extends MessageKey>(key: K, ...[values]: MessageValues<K>): Message {
  return { key, values: (values ?? {}) as Record<string, MessageValue> };
}

/** Whether a key built from a stored value, such as a state, is in the catalogue. */
export const isMessageKey = (key: string): key is MessageKey => Object.hasOwn(messages, key);

/** The text of a message. */
export function renderMessage({ key, values }: Message, language: MessageLanguage = 'en'): string {
  const [forms, spoken] = textOf(key, language);
  return formOf(forms, spoken, values).replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    const value = values[name];
    if (value === undefined) return placeholder;
    if (Array.isArray(value)) return value.map((item) => renderMessage(item, language)).join('; ');
    return typeof value === 'object' ? renderMessage(value, language) : String(value);
  });
}

/** The text with the language it is in: English where the one asked for lacks it. */
function textOf(key: MessageKey, language: MessageLanguage): [Forms, MessageLanguage] {
  if (language === 'en' || language === 'de') return [messages[key][language], language];
  const own = translated[language]?.[key];
  return own === undefined ? [messages[key].en, 'en'] : [own, language];
}

/** A message as text for a database column or a schema's error; `readMessage` reads it. */
export const packMessage = (packed: Message): string => marker + JSON.stringify(packed);

/** How packed messages begin whose key begins so, for a condition in SQL. */
export const packedPrefix = (keyPrefix: string): string => `${marker}{"key":"${keyPrefix}`;

/** The message that `packMessage` wrote; undefined when the text is something else, such as a server's reply. */
export function readMessage(text: string): Message | undefined {
  return text.startsWith(marker) ? (JSON.parse(text.slice(marker.length)) as Message) : undefined;
}

/** Text from a column that may hold a packed message or plain text. */
export function renderPacked(text: string, language: MessageLanguage = 'en'): string {
  const packed = readMessage(text);
  return packed ? renderMessage(packed, language) : text;
}

/** The language of our messages that suits an Accept-Language header; English when none does. */
export function languageOf(header: string | undefined): MessageLanguage {
  const wanted = (header ?? '').split(',').map((item) => item.trim().slice(0, 2).toLowerCase());
  return messageLanguages.find((language) => language === wanted[0]) ?? 'en';
}

/** Nothing that people or servers write begins so. */
const marker = '\u0002message ';
