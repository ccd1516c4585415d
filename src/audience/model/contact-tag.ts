// The text of a tag of contacts: how it is kept, and what it may be. Pure.

/** Tags of one contact. */
export const maxTags = 50;
export const maxTagLength = 50;

/** A tag as it is kept. */
export const tagKey = (text: string): string => text.normalize('NFC').trim().replace(/\s+/g, ' ').toLowerCase();

/** Whether a text in that form is a tag: conditions separate several values by a semicolon, files by a comma. */
export const isTag = (tag: string): boolean => tag !== '' && tag.length <= maxTagLength && !/[;,\p{Cc}]/u.test(tag);
