// Passkeys of the browser: making one, signing in and confirming the session with one. The library is loaded at the first use.
import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser';
import { ApiFault, call, request } from '../api/call.ts';

export const supportsPasskeys = () => typeof window.PublicKeyCredential === 'function';

/** The person closed the browser's dialog, or the device did not answer: nothing to report. */
export const isCancelled = (error: unknown) =>
  error instanceof Error && (error.name === 'NotAllowedError' || error.name === 'AbortError');

/** @param email the address that was entered with a password before @throws ApiFault, Error of the browser */
export async function signInWithPasskey(email?: string): Promise<void> {
  const response = await signChallenge('sign-in');
  await request('POST', '/session/passkey', { response, ...(email !== undefined && { email }) });
}

/** A challenge is good for five minutes: the next one is asked for before that. */
const offerMs = 4 * 60_000;

/**
 * Offers the passkeys of this browser among the suggestions of a field with the word webauthn in its autocomplete, until one is
 * chosen, another request for a passkey takes over, or `signal` is aborted.
 * @returns whether the person is signed in @throws ApiFault when the chosen passkey is refused
 */
export async function offerPasskeys(signal: AbortSignal): Promise<boolean> {
  if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return false;
  const { startAuthentication, WebAuthnAbortService } = await import('@simplewebauthn/browser');
  while (!signal.aborted) {
    // No one has asked for anything yet, so a failure is not reported.
    const optionsJSON = await challenge('sign-in').catch(() => undefined);
    if (optionsJSON === undefined || signal.aborted) return false;
    const over = AbortSignal.any([signal, AbortSignal.timeout(offerMs)]);
    const end = () => WebAuthnAbortService.cancelCeremony();
    over.addEventListener('abort', end);
    try {
      const chosen = await startAuthentication({ optionsJSON, useBrowserAutofill: true });
      await request('POST', '/session/passkey', { response: JSON.stringify(chosen) });
      return true;
    } catch (error) {
      if (error instanceof ApiFault) throw error;
      if (!over.aborted) return false;
    } finally {
      over.removeEventListener('abort', end);
    }
  }
  return false;
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
  await call('passkeyCreate', { name, response: JSON.stringify(response) });
}

type Purpose = 'sign-in' | 'confirm';

const challenge = async (purpose: Purpose) =>
  (await request('POST', '/session/passkey/begin', { purpose })) as PublicKeyCredentialRequestOptionsJSON;

async function signChallenge(purpose: Purpose): Promise<string> {
  const optionsJSON = await challenge(purpose);
  const { startAuthentication } = await import('@simplewebauthn/browser');
  return JSON.stringify(await startAuthentication({ optionsJSON }));
}
