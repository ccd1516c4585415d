/** A state, which sentences have in lower case, as the label of a chip or a status. */
export const capital = (text: string): string => text.charAt(0).toLocaleUpperCase() + text.slice(1);
