// Tests how a fault is matched to a form field.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiFault } from '../../api/call.ts';
import { besideField, fieldOf } from './fault-field.ts';

test('a fault names its parameter', () => {
  const cases: [string, string | undefined][] = [
    ['options.subject is required', 'options.subject'],
    ['cid: there is no campaign "x"', 'cid'],
    ['filters.sendtime_start lies in the past', 'filters.sendtime_start'],
    ['test_emails.0 is not an address', 'test_emails.0'],
    ['There is no method "x"', undefined],
    ['The parameters must be one struct', undefined],
  ];
  for (const [message, member] of cases) assert.equal(new ApiFault(1, message, 400).member, member, message);
});

test('a field is found by its whole path, the end of it, or the mapping', () => {
  const values = { subject: '', from: { name: '' }, replyTo: '', rows: [{ url: '' }] };
  const fields = { 'options.from_email': 'replyTo' };
  const cases: [string | undefined, string | undefined][] = [
    ['subject', 'subject'],
    ['options.subject', 'subject'],
    ['options.from.name', 'from.name'],
    ['options.from_email', 'replyTo'],
    ['rows.0.url', 'rows.0.url'],
    ['rows.1.url', 'rows'],
    ['options.language', undefined],
    [undefined, undefined],
  ];
  for (const [path, field] of cases) assert.equal(fieldOf(path, values, fields), field, String(path));
});

test('next to its field, a fault is shown without the parameter name', () => {
  assert.equal(besideField('options.subject is required', 'options.subject'), 'Is required');
  assert.equal(besideField('cid: there is no campaign "x"', 'cid'), 'There is no campaign "x"');
  assert.equal(besideField('Something failed inside', undefined), 'Something failed inside');
});
