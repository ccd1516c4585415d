// The shape of a message catalogue: a key, the English text that programs get and the German one that the web
// application shows; further languages are in JSON files beside it. `{name}` is filled with the value of that name.

export type Template = { en: string; de: string };

/** Checks a catalogue and keeps its texts as literal types, so that a missing value does not compile. */
export const defineMessages = <const C extends Record<string, Template>>(catalogue: C): C => catalogue;
