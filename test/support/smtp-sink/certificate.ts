// Makes X.509 certificates for tests: an authority, and servers that it certifies, also expired ones. Elliptic curve
// P-256, names as subjectAltName. Encoded as DER here, so that no tool has to be installed.
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';

export type Certificate = { cert: string; key: string };
export type Authority = Certificate & { name: string; privateKey: KeyObject };

const dayMs = 86_400_000;

export function createAuthority(name = 'Test Authority'): Authority {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const cert = certificate({ subject: name, issuer: name, publicKey, signer: privateKey, authority: true });
  return { name, privateKey, cert, key: pem(privateKey) };
}

/** @param names host names and IPv4 addresses that the certificate is for */
export function createCertificate(
  authority: Authority,
  names: readonly string[],
  { validFrom = new Date(Date.now() - dayMs), validTo = new Date(Date.now() + dayMs) } = {},
): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const cert = certificate({
    subject: names[0]!,
    issuer: authority.name,
    publicKey,
    signer: authority.privateKey,
    names,
    validFrom,
    validTo,
  });
  return { cert, key: pem(privateKey) };
}

type Wanted = {
  subject: string;
  issuer: string;
  publicKey: KeyObject;
  signer: KeyObject;
  authority?: boolean;
  names?: readonly string[];
  validFrom?: Date;
  validTo?: Date;
};

/** RFC 5280 4.1 */
function certificate(wanted: Wanted): string {
  const { validFrom = new Date(Date.now() - dayMs), validTo = new Date(Date.now() + dayMs) } = wanted;
  const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'));
  const extensions: Buffer[] = [];
  if (wanted.authority) {
    extensions.push(sequence(oid('551d13'), tag(0x01, Buffer.from([0xff])), octets(sequence(tag(0x01, [0xff])))));
  }
  if (wanted.names) {
    const names = wanted.names.map((name) =>
      isIPv4(name) ? tag(0x87, name.split('.').map(Number)) : tag(0x82, Buffer.from(name)),
    );
    extensions.push(sequence(oid('551d11'), octets(sequence(...names))));
  }
  const serial = randomBytes(8);
  serial[0] = 0x01;
  const body = sequence(
    tag(0xa0, tag(0x02, [2])),
    tag(0x02, serial),
    ecdsaWithSha256,
    commonName(wanted.issuer),
    sequence(utcTime(validFrom), utcTime(validTo)),
    commonName(wanted.subject),
    wanted.publicKey.export({ type: 'spki', format: 'der' }),
    tag(0xa3, sequence(...extensions)),
  );
  const signature = tag(0x03, Buffer.concat([Buffer.alloc(1), sign('sha256', body, wanted.signer)]));
  const base64 = sequence(body, ecdsaWithSha256, signature).toString('base64');
  return `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
}

function pem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function tag(number: number, content: Uint8Array | readonly number[]): Buffer {
  const bytes = Buffer.from(content);
  const length = bytes.length;
  const head =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, Math.floor(length / 256), length % 256];
  return Buffer.concat([Buffer.from([number, ...head]), bytes]);
}

const sequence = (...parts: Uint8Array[]) => tag(0x30, Buffer.concat(parts));
const octets = (content: Uint8Array) => tag(0x04, content);
const oid = (hex: string) => tag(0x06, Buffer.from(hex, 'hex'));
const commonName = (name: string) => sequence(tag(0x31, sequence(oid('550403'), tag(0x0c, Buffer.from(name)))));
const utcTime = (date: Date) => tag(0x17, Buffer.from(`${date.toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`));
