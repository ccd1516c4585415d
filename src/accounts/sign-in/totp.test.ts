// One-time codes against the test vectors of the RFCs, and the time window in which a code is accepted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { base32, codeOf, matchingStep, otpauthAddress, stepAt } from './totp.ts';

const secret = Buffer.from('12345678901234567890');

test('the codes of RFC 6238 appendix B, SHA-1, eight digits', () => {
  for (const [seconds, code] of [
    [59, '94287082'],
    [1111111109, '07081804'],
    [1111111111, '14050471'],
    [1234567890, '89005924'],
    [2000000000, '69279037'],
    [20000000000, '65353130'],
  ] as const)
    assert.equal(codeOf(secret, stepAt(seconds * 1000), 8), code);
});

test('the codes of RFC 4226 appendix D, six digits', () => {
  const codes = ['755224', '287082', '359152', '969429', '338314', '254676', '287922', '162583', '399871', '520489'];
  assert.deepEqual(
    codes.map((_code, step) => codeOf(secret, step)),
    codes,
  );
});

test('base 32 as in RFC 4648 section 10, without padding', () => {
  for (const [plain, text] of [
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ] as const)
    assert.equal(base32(Buffer.from(plain)), text);
});

test('codes of this step, the one before and the one after are accepted, no others', () => {
  const at = 1_700_000_000_000;
  const now = stepAt(at);
  for (const [distance, taken] of [
    [-2, false],
    [-1, true],
    [0, true],
    [1, true],
    [2, false],
  ] as const)
    assert.equal(matchingStep(secret, codeOf(secret, now + distance), at, 0), taken ? now + distance : undefined);
});

test('a used code is refused, and so is an older one', () => {
  const at = 1_700_000_000_000;
  const now = stepAt(at);
  assert.equal(matchingStep(secret, codeOf(secret, now), at, now), undefined);
  assert.equal(matchingStep(secret, codeOf(secret, now - 1), at, now), undefined);
  assert.equal(matchingStep(secret, codeOf(secret, now + 1), at, now), now + 1);
});

test('spaces within a code do not matter; anything but six digits is refused', () => {
  const at = 59_000;
  const code = codeOf(secret, stepAt(at));
  assert.equal(matchingStep(secret, `${code.slice(0, 3)} ${code.slice(3)}`, at, 0), 1);
  fc.assert(
    fc.property(fc.string({ maxLength: 12 }), (text) => {
      fc.pre(!/^\d{6}$/.test(text.replace(/[\s-]/g, '')));
      assert.equal(matchingStep(secret, text, at, 0), undefined);
    }),
  );
});

test('the otpauth URL escapes the name of the user', () => {
  assert.equal(
    otpauthAddress(secret, 'Postrider', 'a&b@example.com'),
    'otpauth://totp/Postrider:a%26b%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Postrider&algorithm=SHA1&digits=6&period=30',
  );
});
