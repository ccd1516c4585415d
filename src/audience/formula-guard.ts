// Keeps spreadsheets from reading an exported value as a formula. What the export adds, the import takes away again, so that
// every value comes back as it was.

// Where a formula would start: at the beginning of a cell, and where a program that divides at semicolons, tabs or line
// breaks begins one. Apostrophes that are already there count as part of the value.
const unguarded = /^(?='*[=+\-@＝＋－＠\t\r\n])|(?<=[;\t\r\n])(?='*[=+\-@＝＋－＠])/g;
const guarded = /^'(?='*[=+\-@＝＋－＠\t\r\n])|(?<=[;\t\r\n])'(?='*[=+\-@＝＋－＠])/g;

/** The text with an apostrophe before everything that a spreadsheet could run. */
export const guardFormulas = (text: string): string => text.replace(unguarded, "'");

/** The text as it was before `guardFormulas`. */
export const withoutGuards = (text: string): string => (text.includes("'") ? text.replace(guarded, '') : text);
