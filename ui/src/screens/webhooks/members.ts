// The members of a request, for a mapping: which there are, and what a path leads to. Pure. A path is read as the server does
// (src/automations/received/mapping.ts).

export type Member = { path: string; value: unknown };

/** Beyond that no one looks through a list. */
const maxMembers = 400;
const maxDepth = 8;

/** A body as JSON or as a form; undefined if it is neither, or has been cut off. */
export function readRequest(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return /^[^\s={}[\]]+=\S*$/.test(text.trim()) ? Object.fromEntries(new URLSearchParams(text.trim())) : undefined;
  }
}

/** All members, those of an object after it; of a list itself and those of its first item. */
export function membersOf(body: unknown): Member[] {
  const found: Member[] = [];
  const add = (value: unknown, prefix: string, depth: number) => {
    if (!isObject(value) || depth > maxDepth) return;
    for (const [name, member] of Object.entries(value)) {
      // A name with a dot is found at the top only.
      if ((prefix !== '' && name.includes('.')) || name.includes(',') || found.length >= maxMembers) continue;
      if (Array.isArray(value) && name !== '0') break;
      found.push({ path: prefix + name, value: member });
      add(member, `${prefix}${name}.`, depth + 1);
    }
  };
  add(body, '', 1);
  return found;
}

/** The members of the items of a list: those that any of the first items has, with its value. */
export function membersOfItems(list: unknown): Member[] {
  if (!Array.isArray(list)) return [];
  const found = new Map<string, Member>();
  for (const item of list.slice(0, 10))
    for (const member of membersOf(item)) if (!found.has(member.path)) found.set(member.path, member);
  return [...found.values()];
}

/** The value of the first of the paths, separated by commas, that has one. */
export function valueAt(body: unknown, paths: string): unknown {
  for (const path of paths.split(',')) {
    const value = path.trim() === '' ? undefined : memberOf(body, path.trim());
    if (value !== undefined && value !== null && value !== '') return value;
  }
  return undefined;
}

function memberOf(body: unknown, path: string): unknown {
  if (isObject(body) && Object.hasOwn(body, path)) return body[path];
  let value = body;
  for (const name of path.split('.')) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
