import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zoneFileOf } from './zone-file.ts';

test('each record is a line with an absolute name', () => {
  const text = zoneFileOf('example.com', [
    { type: 'TXT', name: '_dmarc.example.com', zone: '"v=DMARC1; p=none"' },
    { type: 'MX', name: 'bounces.example.com', zone: '10 mail.example.com.' },
  ]);
  assert.equal(
    text,
    '; example.com\n_dmarc.example.com.\t3600\tIN\tTXT\t"v=DMARC1; p=none"\nbounces.example.com.\t3600\tIN\tMX\t10 mail.example.com.\n',
  );
});
