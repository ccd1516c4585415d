// Faults: their permanent numbers, and how an error carries number, status and text.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fault, faultBody, faults } from './faults.ts';
import { message, renderMessage } from './messages.ts';

test('each fault has a number of its own, which is in the published table with its status and meaning', () => {
  const published = readFileSync(join(import.meta.dirname, '../../docs/api/README.md'), 'utf8');
  const rows = [...published.matchAll(/^\| (-?\d+) \| (\d{3}) \| (.+) \|$/gm)].map(([row]) => row);
  const list = Object.values(faults).map(([code, status, when]) => `| ${code} | ${status} | ${when} |`);
  assert.deepEqual(list.sort(), rows.sort());
  assert.equal(new Set(Object.values(faults).map(([code]) => code)).size, rows.length);
});

test('an error carries the number, the status and the text of its fault', () => {
  const error = fault('UPLOAD_UNKNOWN', 'upload.unknown', { member: 'upload' });
  const text = message('upload.unknown', { member: 'upload' });
  assert.deepEqual([error.name, error.code, error.status, error.message], ['Fault', 263, 404, renderMessage(text)]);
  assert.deepEqual(faultBody(error, 'de'), { error: renderMessage(text, 'de'), code: 263, text });
});
