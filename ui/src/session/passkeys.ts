// Passkeys of the browser: making one, signing in and confirming the session with one. The library is loaded at the first use.
import { call, request } from '../api/call.ts';

export const supportsPasskeys = () => typeof window.PublicKeyCredential === 'function';

/** The person closed the browser's dialog, or the device did not answer: nothing to report. */
export const isCancelled = (error: unknown) =>
  error instanceof Error && (error.name === 'NotAllowedError' || error.name === 'AbortError');

/** @param email the address that was entered with a password before @throws ApiFault, Error of the browser */
export async function signInWithPasskey(email?: string): Promise<void> {
  const response = await signChallenge('sign-in');
  await request('POST', '/session/passkey', { response, ...(email !== undefined && { email }) });
}

/** Confirms the session, as the password does. @throws ApiFault, Error of the browser */
export async function confirmWithPasskey(): Promise<void> {
  await request('POST', '/session/passkey/confirm', { response: await signChallenge('confirm') });
}

/** @throws ApiFault, Error of the browser */
export async function addPasskey(name: string): Promise<void> {
  const optionsJSON = JSON.parse(await call('passkeyBegin'));
  const { startRegistration } = await import('@simplewebauthn/browser');
  const response = await startRegistration({ optionsJSON });
  await call('passkeyAdd', { name, response: JSON.stringify(response) });
}

async function signChallenge(purpose: 'sign-in' | 'confirm'): Promise<string> {
  const options = await request('POST', '/session/passkey/begin', { purpose });
  const { startAuthentication } = await import('@simplewebauthn/browser');
  return JSON.stringify(await startAuthentication({ optionsJSON: options as never }));
}
