// The section of a version in CHANGELOG.md: from its heading, such as `## 0.1.0 (2026-12-01)`, to the next one.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @property note what is in the brackets of the heading: the date, or that it is not released */
export type ChangelogSection = { note: string; text: string };

export function changelogSection(root: string, version: string): ChangelogSection | undefined {
  const sections = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split(/^(?=## )/m);
  for (const section of sections) {
    const [heading = '', ...lines] = section.split('\n');
    const [, name, note = ''] = /^## (\S+)(?: \((.*)\))?$/.exec(heading.trimEnd()) ?? [];
    if (name === version) return { note, text: lines.join('\n').trim() };
  }
  return undefined;
}
