// How long the XML-RPC codec takes for an answer of 1,000 campaigns (1.3 MB) and for small calls, beside yardsticks that
// run in the same process: JSON.parse and JSON.stringify of the same values, and the bare parser without handlers.
// Run: node test/bench/xmlrpc-codec.ts. Prints CPU milliseconds; asserts nothing.

import { SaxesParser } from 'saxes';
import { decodeForm } from '../../src/doors/form/decode.ts';
import { phpSerialize } from '../../src/doors/form/php.ts';
import { decodeCall } from '../../src/doors/xmlrpc/decode.ts';
import { encodeResponse } from '../../src/doors/xmlrpc/encode.ts';
import { decodeResponse, encodeCall } from '../support/builders/xmlrpc-client.ts';

const campaigns = Array.from({ length: 1_000 }, (_, i) => ({
  id: `a${i.toString(16).padStart(7, '0')}`,
  web_id: i,
  title: `Campaign number ${i}`,
  type: 'HTML',
  create_time: '2026-01-31 09:30:00',
  send_time: '',
  emails_sent: i * 31,
  status: 'sent',
  from_name: 'Ann & Bob',
  from_email: 'ann@example.com',
  subject: `Zażółć gęślą jaźń ${i}`,
  to_email: true,
  archive_url: `https://example.com/archive/${i}`,
  analytics: false,
  analytcs_tag: '',
  track_clicks_text: false,
  track_clicks_html: true,
  track_opens: true,
}));
const answer = encodeResponse(campaigns);
const answerBytes = Buffer.from(answer);
const json = JSON.stringify(campaigns);

const html = `<html>${'<p>Zażółć &amp; gęślą</p>\r\n'.repeat(7_000)}</html>`;
const creation = Buffer.from(
  encodeCall('campaignCreate', [{ apikey: 'k', type: 'HTML', content: { html, plain: 'x' } }]),
);
const small = Buffer.from(encodeCall('campaignSendNow', [{ apikey: '0'.repeat(32), cid: 'a0000001' }]));
const form = Buffer.from(`apikey=${'0'.repeat(32)}&cid=a0000001&options%5Blist_id%5D%5B0%5D=b1c2d3f4`);

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(2)} MB`;

console.log('CPU ms                                       median     best');
row(`decode an answer of ${megabytes(answerBytes.length)}`, 40, () => decodeResponse(answerBytes));
row('  yardstick: the bare parser on it', 40, () => new SaxesParser().write(answer).close());
row(`  yardstick: JSON.parse of ${megabytes(json.length)}`, 40, () => JSON.parse(json));
row('encode that answer', 40, () => encodeResponse(campaigns));
row('  yardstick: JSON.stringify', 40, () => JSON.stringify(campaigns));
row('  PHP-serialise it', 40, () => phpSerialize(campaigns));
row(`decode campaignCreate of ${megabytes(creation.length)}`, 40, () => decodeCall(creation));
row('decode 1,000 small calls', 20, () => repeat(1_000, () => decodeCall(small)));
row('decode 1,000 small forms', 20, () => repeat(1_000, () => decodeForm(form)));

function row(what: string, times: number, work: () => unknown): void {
  const ms: number[] = [];
  // The first quarter warms the compiler up.
  for (let i = 0; i < times * 1.25; i++) {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    if (i >= times / 4) ms.push((user + system) / 1000);
  }
  ms.sort((a, b) => a - b);
  const cell = (value: number) => value.toFixed(1).padStart(9);
  console.log(what.padEnd(42) + cell(ms[times >> 1]!) + cell(ms[0]!));
}

function repeat(times: number, work: () => unknown): void {
  for (let i = 0; i < times; i++) work();
}
