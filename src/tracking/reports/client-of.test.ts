import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientOf } from './client-of.ts';

const cases: [client: string, device: string, userAgent: string][] = [
  ['Gmail', 'unknown', 'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)'],
  ['Yahoo Mail', 'unknown', 'YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html'],
  [
    'Apple Mail',
    'phone',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
  ],
  [
    'Apple Mail',
    'computer',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)',
  ],
  [
    'Safari',
    'tablet',
    'Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
  ],
  [
    'Chrome',
    'phone',
    'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36',
  ],
  [
    'Edge',
    'computer',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 Edg/130.0.0.0',
  ],
  [
    'Outlook',
    'computer',
    'Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 10.0; Win64; x64; Trident/7.0; Microsoft Outlook 16.0.5266; MSOffice 16)',
  ],
  ['Thunderbird', 'computer', 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Thunderbird/128.3.1'],
  ['Firefox', 'computer', 'Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0'],
  ['Other email client', 'computer', 'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 eM Client/9.2'],
  ['', 'unknown', 'something new'],
];

for (const [client, device, userAgent] of cases)
  test(`${client || 'an unknown client'} on ${device}: ${userAgent.slice(0, 60)}`, () => {
    assert.deepEqual(clientOf(userAgent), { client, device });
  });

test('browsers that name Chrome are recognised as themselves', () => {
  const chrome = 'Mozilla/5.0 (Linux; Android 14; SM-S918B) AppleWebKit/537.36 (KHTML, like Gecko)';
  assert.equal(
    clientOf(`${chrome} SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36`).client,
    'Samsung Internet',
  );
  assert.equal(clientOf(`${chrome} Chrome/120.0.0.0 Mobile Safari/537.36 OPR/79.0.0.0`).client, 'Opera');
});
