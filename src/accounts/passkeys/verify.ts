// Checks what a browser sends of a passkey. The library checks origin, host, signature, user verification and counter; loaded at
// the first use. Answers that come from a page in a frame are refused, and so are certificates of the device: they are not
// asked for, and checking them would fetch addresses that the sender chose.
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { App } from '../../base/context.ts';
import type { RelyingParty } from './relying-party.ts';

/** EdDSA, ES256, RS256. */
export const algorithms = [-8, -7, -257];

export type NewCredential = {
  credentialId: Buffer;
  publicKey: Buffer;
  counter: number;
  transports: string[];
  isSynced: boolean;
};

export type Stored = { credentialId: Buffer; publicKey: Buffer; counter: number };

type Response = { id: string; challenge: string; userHandle: string };
type Logger = Pick<App, 'log'>;

/** What an answer names, before anything is proven; undefined when it is none. */
export function readResponse(text: string): Response | undefined {
  try {
    const { id, response } = JSON.parse(text);
    const { type, challenge, crossOrigin } = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString());
    if (typeof id !== 'string' || typeof challenge !== 'string' || typeof type !== 'string') return undefined;
    if (crossOrigin === true) return undefined;
    const { userHandle = '' } = response;
    if (typeof userHandle !== 'string') return undefined;
    return { id, challenge, userHandle: Buffer.from(userHandle, 'base64url').toString() };
  } catch {
    return undefined;
  }
}

type Asked = { party: RelyingParty; challenge: string };

/** The credential that a browser made; undefined when the answer proves nothing. */
export async function verifyNew(
  { log }: Logger,
  text: string,
  { party, challenge }: Asked,
): Promise<NewCredential | undefined> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  try {
    const response = JSON.parse(text) as RegistrationResponseJSON;
    const attestation = decodeAttestationObject(Buffer.from(response.response.attestationObject, 'base64url'));
    const format = attestation.get('fmt');
    if (format !== 'none' && !(format === 'packed' && attestation.get('attStmt').get('x5c') === undefined))
      throw new Error(`attestation "${format}" was not asked for`);
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithms,
    });
    if (!verified) return undefined;
    const { credential, credentialBackedUp } = registrationInfo;
    return {
      credentialId: Buffer.from(credential.id, 'base64url'),
      publicKey: Buffer.from(credential.publicKey),
      counter: credential.counter,
      transports: (credential.transports ?? []).filter((name) => /^[a-z-]{1,20}$/.test(name)).slice(0, 10),
      isSynced: credentialBackedUp,
    };
  } catch (error) {
    log.info({ reason: String(error).slice(0, 200) }, 'a new passkey was refused');
    return undefined;
  }
}

/** The counter of a passkey that signed the challenge; undefined when it did not. */
export async function verifyUse(
  { log }: Logger,
  text: string,
  { party, challenge, stored }: Asked & { stored: Stored },
): Promise<{ counter: number; isSynced: boolean } | undefined> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: JSON.parse(text) as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      credential: {
        id: stored.credentialId.toString('base64url'),
        publicKey: new Uint8Array(stored.publicKey),
        counter: stored.counter,
      },
    });
    const { newCounter, credentialBackedUp } = authenticationInfo;
    return verified ? { counter: newCounter, isSynced: credentialBackedUp } : undefined;
  } catch (error) {
    log.info({ reason: String(error).slice(0, 200) }, 'a passkey was refused');
    return undefined;
  }
}
