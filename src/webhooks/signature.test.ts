import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { unseal } from '../accounts/installation/seal.ts';
import type { App } from '../base/context.ts';
import {
  algorithms,
  openSecret,
  sealSecret,
  serviceSignature,
  signatureHeaders,
  standardSignature,
} from './signature.ts';

const body = Buffer.from('{"timestamp":1700000000,"events":[{"type":"contact.subscribe","data":{"name":"Zoë"}}]}');
const secret = 'correct horse';

for (const algorithm of algorithms) {
  test(`a ${algorithm} signature is the one that openssl, Python and PHP compute over the same bytes`, (t) => {
    const ours = serviceSignature(body, secret, algorithm);
    const openssl = spawnSync('openssl', ['dgst', `-${algorithm}`, '-hmac', secret, '-hex'], { input: body });
    const python = spawnSync(
      'python3',
      [
        '-c',
        'import hmac,sys;print(hmac.new(sys.argv[1].encode(),sys.stdin.buffer.read(),sys.argv[2]).hexdigest())',
        secret,
        algorithm,
      ],
      { input: body },
    );
    const php = spawnSync(
      'php',
      ['-r', 'echo hash_hmac($argv[2], stream_get_contents(STDIN), $argv[1]);', '--', secret, algorithm],
      { input: body },
    );
    const made = [openssl, python, php].filter((run) => run.status === 0);
    if (made.length < 3) t.diagnostic(`of openssl, python3 and php only ${made.length} are installed`);
    for (const run of made) {
      const hex = /([0-9a-f]{40,})\s*$/.exec(run.stdout.toString())?.[1];
      assert.equal(ours, `${algorithm}=${hex}`);
    }
    assert.match(ours, /^sha\d+=[0-9a-f]+$/);
  });
}

test('the signature matches RFC 4231, test case 2', () => {
  assert.equal(
    serviceSignature(Buffer.from('what do ya want for nothing?'), 'Jefe', 'sha256'),
    'sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  );
});

test('the signature matches the example of the Standard Webhooks specification', () => {
  const signed = standardSignature(
    Buffer.from('{"test": 2432232314}'),
    'msg_p5jXN8AQM9LWM0D4loKWxJek',
    1614265330,
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  );
  assert.equal(signed, 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

test('after a rotation webhook-signature has both signatures, X-Service-Signature only the new one', () => {
  const headers = signatureHeaders(body, 'msg_1', 1_700_000_000, {
    secret: 'new',
    oldSecret: 'old',
    algorithm: 'sha1',
  });
  assert.equal(
    headers['webhook-signature'],
    [
      standardSignature(body, 'msg_1', 1_700_000_000, 'new'),
      standardSignature(body, 'msg_1', 1_700_000_000, 'old'),
    ].join(' '),
  );
  assert.equal(headers['X-Service-Signature'], serviceSignature(body, 'new', 'sha1'));
});

test('without a secret a request has an id and no signature', () => {
  const headers = signatureHeaders(body, 'msg_1', 1_700_000_000, { secret: '', oldSecret: '', algorithm: 'sha256' });
  assert.deepEqual(headers, { 'webhook-id': 'msg_1', 'webhook-timestamp': '1700000000' });
});

test('a secret that does not begin with whsec_ signs as it is written', () => {
  const signed = createHmac('sha256', secret).update('msg_1.7.').update(body).digest('base64');
  assert.equal(standardSignature(body, 'msg_1', 7, secret), `v1,${signed}`);
});

test('the service signature is repeated in the header that the webhook names', () => {
  const names = (signatureHeader?: string) =>
    Object.keys(
      signatureHeaders(body, 'msg_1', 7, {
        secret,
        oldSecret: '',
        algorithm: 'sha256',
        ...(signatureHeader !== undefined && { signatureHeader }),
      }),
    );
  const usual = ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'X-Service-Signature'];
  assert.deepEqual(names(), usual);
  assert.deepEqual(names('X-Vendor'), ['X-Vendor', ...usual]);
  const vendor = signatureHeaders(body, 'msg_1', 7, {
    ...{ secret, oldSecret: '', algorithm: 'sha256', signatureHeader: 'X-Vendor' },
  });
  assert.equal(vendor['X-Vendor'], serviceSignature(body, secret, 'sha256'));
});

test('a secret is stored sealed for its account, and no secret as null', () => {
  const app = { secret: Buffer.alloc(32, 1), config: { sealKey: '' } } as unknown as App;
  const sealed = sealSecret(app, 7, secret)!;
  assert.equal(sealed.includes(secret), false);
  assert.deepEqual([openSecret(app, 7, sealed), openSecret(app, 8, sealed)], [secret, null]);
  assert.deepEqual([sealSecret(app, 7, ''), openSecret(app, 7, null)], [null, '']);
  assert.equal(unseal(app, 'webhook of 7', sealed), secret);
});
