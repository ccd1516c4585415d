// What `npm run locales` shows: no language lacks a text of public pages and emails, and no text anywhere is left over or has other names
// than English.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsOf, pageReports, screenLanguages, screenReports } from './locales.ts';

test('public pages and emails have every text in every language', () => {
  const reports = pageReports();
  assert.ok(reports.length >= 24);
  for (const { language, missing } of reports) assert.deepEqual(missing, [], language);
  assert.deepEqual(reports.flatMap(faultsOf), []);
});

test('no text of the web application is left over, empty, or has other names or plural forms than it needs', () => {
  assert.ok(screenLanguages.includes('de'));
  assert.deepEqual(screenReports().flatMap(faultsOf), []);
});

test('German lacks no text of the web application', () => {
  for (const { language, part, missing } of screenReports()) if (language === 'de') assert.deepEqual(missing, [], part);
});
