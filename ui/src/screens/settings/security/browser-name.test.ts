// Tests the names of browsers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browserName } from './browser-name.ts';

test('browsers are recognised although each claims to be others', () => {
  const chrome = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36';
  const cases: [string, string][] = [
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome}`, 'Chrome · Windows'],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome} Edg/130.0.0.0`, 'Edge · Windows'],
    [`Mozilla/5.0 (Linux; Android 14; Pixel 8) ${chrome}`, 'Chrome · Android'],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0', 'Firefox · Linux'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 Version/17.0 Mobile/15E148 Safari/604.1',
      'Safari · iOS',
    ],
    ['curl/8.5.0', ''],
    ['', ''],
  ];
  for (const [userAgent, name] of cases) assert.equal(browserName(userAgent), name, userAgent);
});
