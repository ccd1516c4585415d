// The order of the site: its sections and the pages in each. New files in docs/guide and docs/decisions are found automatically;
// a page that no section names is in "More".
import { posix } from 'node:path';
import type { Source } from './sources.ts';

/** @property group a heading within a long section */
export type Entry = { page: Source; group?: string };
/** @property long whether the list of pages shows it in part: its first page, and what is near the current one */
export type Section = { title: string; entries: Entry[]; long: boolean };

export function sectionsOf(sources: readonly Source[]): Section[] {
  const byFile = new Map(sources.map((source) => [source.file, source]));
  const placed = new Set<Source>();
  const take = (list: (Source | undefined)[]): Entry[] =>
    list.flatMap((page) => {
      if (!page || placed.has(page)) return [];
      placed.add(page);
      return [{ page }];
    });
  const named = (...files: string[]) => take(files.map((file) => byFile.get(file)));
  const below = (folder: string) =>
    take([...linked(byFile, `${folder}/README.md`), ...sources.filter(({ file }) => file.startsWith(`${folder}/`))]);

  const start = named(
    'docs/README.md',
    'docs/guide/install.md',
    'docs/guide/first-campaign.md',
    'docs/guide/connect-a-program.md',
    'docs/guide/calling.md',
    'docs/glossary.md',
  );
  const events = named('docs/guide/webhooks.md', 'docs/guide/webhook-events.md');
  const setup = below('docs/guide/setup');
  const sections: Section[] = [
    { title: 'Start', entries: start, long: false },
    { title: 'Guides', entries: grouped(byFile.get('docs/guide/README.md'), below('docs/guide')), long: false },
    { title: 'Set up', entries: setup, long: false },
    {
      title: 'Operations',
      entries: named(
        'docs/operations.md',
        'docs/reliability.md',
        'docs/platforms.md',
        'docs/versions.md',
        'SECURITY.md',
      ),
      long: false,
    },
    { title: 'Scale', entries: named('docs/scale.md', 'docs/figures.md'), long: false },
    { title: 'API reference', entries: reference(byFile, placed), long: true },
    { title: 'Events and webhooks', entries: events, long: false },
    {
      title: 'Clients and examples',
      entries: [...below('sdk'), ...below('integrations'), ...below('examples')],
      long: true,
    },
    { title: 'Architecture', entries: named('ARCHITECTURE.md', 'docs/flows.md'), long: false },
    { title: 'Decisions', entries: below('docs/decisions'), long: true },
    { title: 'Changelog', entries: named('CHANGELOG.md'), long: false },
    { title: 'Contributing', entries: named('CONTRIBUTING.md', 'STYLE.md'), long: false },
  ];
  const more = take([...sources]);
  if (more.length > 0) sections.push({ title: 'More', entries: more, long: false });
  return sections.filter(({ entries }) => entries.length > 0);
}

/** A page, and those that it links to, in their order: the tables of contents of folders. */
function linked(byFile: ReadonlyMap<string, Source>, file: string): (Source | undefined)[] {
  const first = byFile.get(file);
  const links = [...(first?.text ?? '').matchAll(/\]\(([^)#]+\.md)\)/g)].map(([, target]) =>
    posix.join(posix.dirname(file), target!),
  );
  const folder = `${posix.dirname(file)}/`;
  return [first, ...links.filter((target) => target.startsWith(folder)).map((target) => byFile.get(target))];
}

/** The pages below the headings of the overview that links to them. */
function grouped(overview: Source | undefined, entries: readonly Entry[]): Entry[] {
  const groups = new Map<string, string>();
  let group = '';
  for (const [, heading, target] of overview?.text.matchAll(/^## (.+)$|\]\(([^)#/]+\.md)\)/gm) ?? [])
    if (heading) group = heading;
    else if (target && group) groups.set(`${posix.dirname(overview!.file)}/${target}`, group);
  return entries.map(({ page }) => ({ page, group: groups.get(page.file) }));
}

/** The methods below the headings of their overview. */
function reference(byFile: ReadonlyMap<string, Source>, placed: Set<Source>): Entry[] {
  const overview = byFile.get('docs/api/README.md');
  if (!overview) return [];
  let group = '';
  const entries: Entry[] = [{ page: overview }];
  for (const [, heading, name] of overview.text.matchAll(/^## (.+)$|^\| \[\w+\]\((\w+\.md)\)/gm)) {
    if (heading) group = heading;
    const page = name && byFile.get(`docs/api/${name}`);
    if (page) entries.push({ page, group });
  }
  for (const { page } of entries) placed.add(page);
  return entries;
}
