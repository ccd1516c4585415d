// Messages in further languages, one file for each beside this one, such as `fr.json`. A message that one lacks is shown in English.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Forms } from '../plural/forms.ts';

/** By language, then by key. */
export const translated: Readonly<Record<string, Readonly<Record<string, Forms>>>> = Object.fromEntries(
  readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith('.json'))
    .map((file) => [file.slice(0, -5), JSON.parse(readFileSync(join(import.meta.dirname, file), 'utf8'))]),
);
