// Tests how a fault is matched to a form field.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiFault } from '../../api/call.ts';
import { besideField, fieldOf } from './fault-field.ts';

test('a fault names the member of its message', () => {
  const required = { key: 'parameter.required', values: { member: 'options.subject' } };
  assert.equal(new ApiFault(1, 'options.subject is required', 400, required).member, 'options.subject');
  const oneStruct = { key: 'parameter.one_struct', values: {} };
  assert.equal(new ApiFault(1, 'The parameters must be one struct', 400, oneStruct).member, undefined);
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
  assert.equal(besideField('cid: the campaign "x" does not exist', 'cid'), 'The campaign "x" does not exist');
  assert.equal(besideField('mjml, line 3: <p> is not closed', 'mjml'), 'Line 3: <p> is not closed');
  assert.equal(besideField('Something failed inside', undefined), 'Something failed inside');
});
