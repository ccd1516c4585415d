// Finds the form field a fault is about, from the parameter path in the fault.

/** The field of a fault: by the mapping, by its whole path, or by the end of its path. */
export function fieldOf(path: string | undefined, values: object, fields: Record<string, string>): string | undefined {
  if (path === undefined) return undefined;
  const steps = path.split('.');
  for (let from = 0; from < steps.length; from++) {
    for (let to = steps.length; to > from; to--) {
      const part = steps.slice(from, to).join('.');
      if (fields[part] !== undefined) return fields[part];
      if (holds(values, steps.slice(from, to))) return part;
    }
  }
  return undefined;
}

/** The text of a fault next to its field: without the name of the parameter. */
export function besideField(words: string, member: string | undefined): string {
  const rest =
    member !== undefined && words.startsWith(member) ? words.slice(member.length).replace(/^[:,]?\s+/, '') : words;
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

function holds(values: unknown, steps: string[]): boolean {
  const [step, ...rest] = steps;
  if (step === undefined) return true;
  if (typeof values !== 'object' || values === null || !Object.hasOwn(values, step)) return false;
  return holds((values as Record<string, unknown>)[step], rest);
}
