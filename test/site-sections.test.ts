// The order of the documentation site: no page is lost, and each guide has its place.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sectionsOf } from '../site/sections.ts';
import { readSources } from '../site/sources.ts';

const sections = sectionsOf(readSources());
const guides = sections.find(({ title }) => title === 'Guides')!.entries;
const groupOf = (file: string) => guides.find(({ page }) => page.file === file)?.group;

test('the guides are below the headings of their overview', () => {
  const [overview, ...others] = guides;
  assert.equal(overview!.page.file, 'docs/guide/README.md');
  assert.equal(groupOf('docs/guide/importing.md'), 'Contacts');
  assert.equal(groupOf('docs/guide/archive.md'), 'Campaigns');
  assert.deepEqual(
    others.filter(({ group }) => !group).map(({ page }) => page.file),
    [],
    'link the new guide in docs/guide/README.md, below a heading',
  );
});

test('pages of one heading are next to each other, and every page is in one section', () => {
  const headings = guides.map(({ group }) => group).filter((group, i, all) => group !== all[i - 1]);
  assert.deepEqual(headings, [...new Set(headings)]);
  const pages = sections.flatMap(({ entries }) => entries.map(({ page }) => page.file));
  assert.deepEqual(
    pages.toSorted(),
    readSources()
      .map(({ file }) => file)
      .toSorted(),
  );
  assert.equal(
    sections.some(({ title }) => title === 'More'),
    false,
  );
});
