// DKIM keys: their sizes, their records, and that the published half belongs to the private one.
import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { test } from 'node:test';
import { dkimPublicKey, dkimRecordName, dkimRecordText, generateDkimKey, zoneFileText } from './dkim-key.ts';

test('an RSA key has 2048 bits and its record holds the public half as SubjectPublicKeyInfo', async () => {
  const pair = await generateDkimKey('rsa-sha256');
  const key = createPrivateKey(pair.privateKey);
  assert.equal(key.asymmetricKeyDetails?.modulusLength, 2048);
  assert.equal(pair.publicKey, dkimPublicKey(pair.privateKey));
  const published = createPublicKey({ key: Buffer.from(pair.publicKey, 'base64'), format: 'der', type: 'spki' });
  const text = Buffer.from('text');
  assert.ok(verify('sha256', text, published, sign('sha256', text, key)));
  assert.equal(dkimRecordText('rsa-sha256', pair.publicKey), `v=DKIM1; k=rsa; p=${pair.publicKey}`);
});

test('an Ed25519 key is published as its 32 bytes only', async () => {
  const pair = await generateDkimKey('ed25519-sha256');
  const bytes = Buffer.from(pair.publicKey, 'base64');
  assert.equal(bytes.length, 32);
  // RFC 8410 4: these twelve bytes make a SubjectPublicKeyInfo of it again.
  const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), bytes]);
  const published = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  const text = Buffer.from('text');
  assert.ok(verify(null, text, published, sign(null, text, createPrivateKey(pair.privateKey))));
  assert.equal(dkimRecordText('ed25519-sha256', pair.publicKey), `v=DKIM1; k=ed25519; p=${pair.publicKey}`);
});

test('no two keys are the same', async () => {
  const pairs = await Promise.all(Array.from({ length: 20 }, () => generateDkimKey('ed25519-sha256')));
  assert.equal(new Set(pairs.map((pair) => pair.publicKey)).size, 20);
});

test('the record is published under the selector of the domain, in strings of at most 255 bytes', async () => {
  assert.equal(dkimRecordName('pr1', 'example.com'), 'pr1._domainkey.example.com');
  const text = dkimRecordText('rsa-sha256', (await generateDkimKey('rsa-sha256')).publicKey);
  const strings = [...zoneFileText(text).matchAll(/"([^"]*)"/g)].map((match) => match[1]!);
  assert.equal(strings.length, 2);
  assert.equal(zoneFileText(text), `"${strings[0]}" "${strings[1]}"`);
  assert.ok(strings.every((string) => string.length <= 255));
  assert.equal(strings.join(''), text);
  assert.equal(zoneFileText('a "quoted" \\ text'), '"a \\"quoted\\" \\\\ text"');
});
