// The special merge variables: which texts are accepted and what is stored, and dates and times as files write them.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isIp, isoDate, languageOf, readSpecialVar, specialVars, timeOf } from './special-vars.ts';

const now = new Date('2026-05-31T12:00:00Z');

describe('special merge variables', () => {
  const values: [member: (typeof specialVars)[number], text: string, stored: string][] = [
    ...specialVars.map((member): [typeof member, string, string] => [member, '', '']),
    ['TIMEZONE', 'Europe/Berlin', 'Europe/Berlin'],
    ['OPTINIP', '192.0.2.1', '192.0.2.1'],
    ['LANGUAGE', 'pt_BR', 'pt-BR'],
    ['OPTINTIME', '2026-05-31 14:00 +02:00', '2026-05-31T12:00:00.000Z'],
    ['OPTINTIME', '2026-05-31 12:05', '2026-05-31T12:05:00.000Z'],
  ];
  for (const [member, text, value] of values)
    test(`${member} accepts "${text}"`, () => assert.deepEqual(readSpecialVar(member, text, now), { ok: true, value }));

  const refused: [member: (typeof specialVars)[number], text: string, key: string][] = [
    ['TIMEZONE', 'Europe/Atlantis', 'value.not_a_time_zone'],
    ['OPTINIP', '192.0.2.256', 'value.not_an_ip'],
    ['LANGUAGE', 'English', 'value.not_a_language'],
    ['OPTINTIME', 'soon', 'value.not_a_time'],
    ['OPTINTIME', '2026-05-31 12:05:01', 'value.in_future'],
  ];
  for (const [member, text, key] of refused)
    test(`${member} refuses "${text}"`, () => {
      const result = readSpecialVar(member, text, now);
      assert.deepEqual(result.ok ? result.value : [result.problem.key, result.problem.values], [key, { value: text }]);
    });

  test('a refusal quotes at most 40 characters', () => {
    const result = readSpecialVar('TIMEZONE', 'x'.repeat(41), now);
    assert.deepEqual(result.ok ? result.value : result.problem.values, { value: 'x'.repeat(40) });
  });
});

test('IP addresses are IPv6, or IPv4 with four numbers', () => {
  for (const text of ['2001:db8::1', '::ffff:192.0.2.1', '192.0.2.1']) assert.equal(isIp(text), true, text);
  for (const text of ['192.0.2', '3221225985', 'localhost', '']) assert.equal(isIp(text), false, text);
});

test('languages are stored as canonical codes', () => {
  const codes: Record<string, string | undefined> = {
    ...{ de: 'de', DE: 'de', 'de-at': 'de-AT', zh_hant_tw: 'zh-Hant-TW', iw: 'he', fil: 'fil' },
    ...{ cn: 'zh', dk: 'da', ee: 'et', jp: 'ja', no: 'nb', SE: 'sv' },
    ...{ d: undefined, german: undefined, 'de-': undefined, 'de-a': undefined, 'de-DE-de': undefined, '': undefined },
  };
  for (const [text, code] of Object.entries(codes)) assert.equal(languageOf(text), code, text);
});

test('times are read in the formats of common files', () => {
  const times: Record<string, string | undefined> = {
    '2024-05-31 1:02': '2024-05-31T01:02:00.000Z',
    '2024-05-31T01:02:03.456Z': '2024-05-31T01:02:03.000Z',
    '2024-05-31T12:00:00+02:00': '2024-05-31T10:00:00.000Z',
    '2024-05-31 12:00 -0930': '2024-05-31T21:30:00.000Z',
    '2024-05-31 12:00:00 UTC': '2024-05-31T12:00:00.000Z',
    '2024-05-31 12:00 GMT': '2024-05-31T12:00:00.000Z',
    '31.05.2024': '2024-05-31T00:00:00.000Z',
    '05/31/2024 23:59': '2024-05-31T23:59:00.000Z',
    '1970-01-01': '1970-01-01T00:00:00.000Z',
    '1969-12-31': undefined,
    '2200-01-01': '2200-01-01T00:00:00.000Z',
    '2200-01-01 00:01': undefined,
    '2024-05-31 24:01': undefined,
    '2024-02-30': undefined,
    soon: undefined,
    '': undefined,
  };
  for (const [text, time] of Object.entries(times)) assert.equal(timeOf(text), time, text);
  assert.equal(timeOf(`2024-05-31${' '.repeat(85)}12:00`), '2024-05-31T12:00:00.000Z');
  assert.equal(timeOf(`2024-05-31${' '.repeat(86)}12:00`), undefined);
});

test('dates are read in three orders, and only days that exist', () => {
  const dates: Record<string, string | undefined> = {
    '2026-05-31': '2026-05-31',
    '2026-5-3': '2026-05-03',
    '2026-05-03 and more': '2026-05-03',
    '5/3/2026': '2026-05-03',
    '3.5.2026': '2026-05-03',
    '0999-12-31': '0999-12-31',
    '1900-01-01': '1900-01-01',
    '2199-12-28': '2199-12-28',
    '2024-02-29': '2024-02-29',
    '2026-02-29': undefined,
    '2026-00-10': undefined,
    '2026-13-10': undefined,
    '2026-10-00': undefined,
    '2026-10-32': undefined,
    '2026/10-01': undefined,
    '2026-10/01': undefined,
    '2x26-10-01': undefined,
    '2026-10-0x': undefined,
    '2026-1/-01': undefined,
    '20260-1-01': undefined,
    '05/31': undefined,
    '': undefined,
  };
  for (const [text, date] of Object.entries(dates)) assert.equal(isoDate(text), date, text);
});
