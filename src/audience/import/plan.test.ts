// The counts of an import.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addCounts, builtInTargets, countMeaning, importStatusWords, leavingTargets, noCounts } from './plan.ts';

test('counts are added, missing ones count as zero', () => {
  const counts = addCounts({ rows: 3, added: 1 }, { rows: 4, left: 2 });
  assert.deepEqual(counts, { ...noCounts(), rows: 7, added: 1, left: 2 });
});

test('every count begins at zero and has a meaning', () => {
  assert.equal(Object.values(noCounts()).join(''), '0'.repeat(12));
  for (const meaning of Object.values(countMeaning)) assert.match(meaning, /^[A-Z].*\.$/);
});

test('the targets of columns and the statuses are those of the API', () => {
  assert.equal(
    builtInTargets.join(),
    'EMAIL,EMAIL_TYPE,STATUS,UNSUBSCRIBED,BOUNCED,OPTINTIME,OPTINIP,CONFIRM_TIME,CONFIRM_IP,SIGNUP_TIME,UNSUBSCRIBE_TIME,UNSUBSCRIBE_REASON,LANGUAGE,TIMEZONE,TAGS',
  );
  assert.equal(leavingTargets.join(), 'UNSUBSCRIBED,BOUNCED');
  assert.equal(importStatusWords.join(), 'subscribed,unsubscribed,pending,bounced');
});
