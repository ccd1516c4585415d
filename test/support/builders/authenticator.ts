// A device with passkeys: makes real keys and signatures (ES256), for the page it is on. Tests change what it claims.
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';

type Claims = { origin?: string; crossOrigin?: boolean; flags?: number };

export class Authenticator {
  readonly origin: string;
  readonly id = randomBytes(16).toString('base64url');
  userHandle = '';
  counter = 1;
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });

  constructor(baseUrl: string) {
    this.origin = new URL(baseUrl).origin;
  }

  /** The answer to passkeyBegin(), as JSON. @param claims `flags`: 0x45 with user presence and verification */
  register(optionsJson: string, claims: Claims & { attestation?: Map<string, unknown>; format?: string } = {}): string {
    const { challenge, rp, user } = JSON.parse(optionsJson);
    this.userHandle = user.id;
    const id = Buffer.from(this.id, 'base64url');
    const { x, y } = this.#keys.publicKey.export({ format: 'jwk' });
    const key = new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, new Uint8Array(Buffer.from(x!, 'base64url'))],
      [-3, new Uint8Array(Buffer.from(y!, 'base64url'))],
    ]);
    const authData = Buffer.concat([
      this.#head(rp.id, claims.flags ?? 0x45),
      Buffer.alloc(16),
      Buffer.from([0, id.length]),
      id,
      isoCBOR.encode(key),
    ]);
    const attestation = new Map<string, unknown>([
      ['fmt', claims.format ?? 'none'],
      ['attStmt', claims.attestation ?? new Map()],
      ['authData', new Uint8Array(authData)],
    ]);
    return this.#answer({
      clientDataJSON: this.#clientData('webauthn.create', challenge, claims),
      attestationObject: Buffer.from(isoCBOR.encode(attestation as never)).toString('base64url'),
      transports: ['internal'],
    });
  }

  /** The answer to a challenge, as JSON. */
  sign(
    options: { challenge: string; rpId: string },
    claims: Claims & { userHandle?: string; id?: string } = {},
  ): string {
    this.counter += 1;
    const clientDataJSON = this.#clientData('webauthn.get', options.challenge, claims);
    const authData = this.#head(options.rpId, claims.flags ?? 0x05);
    const hash = createHash('sha256').update(Buffer.from(clientDataJSON, 'base64url')).digest();
    return this.#answer(
      {
        clientDataJSON,
        authenticatorData: authData.toString('base64url'),
        signature: sign('sha256', Buffer.concat([authData, hash]), this.#keys.privateKey).toString('base64url'),
        userHandle: claims.userHandle ?? this.userHandle,
      },
      claims.id,
    );
  }

  #head(rpId: string, flags: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([flags]), counter]);
  }

  #clientData(type: string, challenge: string, { origin = this.origin, crossOrigin = false }: Claims): string {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin })).toString('base64url');
  }

  #answer(response: object, id = this.id): string {
    return JSON.stringify({ id, rawId: id, type: 'public-key', clientExtensionResults: {}, response });
  }
}
