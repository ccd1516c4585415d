// The stored form of a multiple choice: names with commas between them, in which \, and \\ are a comma and a backslash of a name. The
// screens read and write it too. Pure; imports nothing.

/** A name as it is stored between others. */
export const escapedName = (name: string): string => name.replace(/[\\,]/g, '\\$&');

/** The names of a stored value. */
export function chosenIn(stored: string): string[] {
  const names: string[] = [];
  for (const [part] of stored.matchAll(/(?:[^\\,]|\\[\\,]|\\)+/g)) {
    const name = part.replace(/\\([\\,])/g, '$1').trim();
    if (name !== '') names.push(name);
  }
  return names;
}

/** These names in the stored form. */
export const joinedNames = (names: readonly string[]): string => names.map(escapedName).join(', ');
