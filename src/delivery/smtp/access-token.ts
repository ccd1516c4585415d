// Opens a connection to a relay that is signed in to with an access token: with the present one, and if the relay refuses it, once more
// with a new one at once. A relay without tokens is opened as it is.
import type { Relay } from '../../base/relay/relay.ts';
import type { Opened } from './open-connection.ts';
import type { Outcome } from './outcome.ts';

/** A token, or why there is none; `mayPass`: perhaps the next request gets one without a change of settings. */
export type AccessToken = { value: string } | { problem: string; mayPass: boolean };

type Key = NonNullable<NonNullable<Relay['auth']>['grant']>;

export type TokenSource = {
  current(key: Key): Promise<AccessToken>;
  /** @param refused the token that the relay has refused */
  renewed(key: Key, refused: string): Promise<AccessToken>;
};

export async function openSignedIn(
  relay: Relay,
  tokens: TokenSource | undefined,
  open: (relay: Relay) => Promise<Opened>,
): Promise<Opened> {
  const { auth } = relay;
  if (!auth?.grant) return open(relay);
  if (!tokens) throw new Error('this relay needs access tokens');
  let token = await tokens.current(auth.grant);
  for (let isNew = false; ; isNew = true) {
    if ('problem' in token) return withoutToken(token);
    const opened = await open({ ...relay, auth: { ...auth, password: token.value } });
    if (opened.ok || isNew || !isRefusedToken(opened.outcome)) return opened;
    token = await tokens.renewed(auth.grant, token.value);
  }
}

const isRefusedToken = (outcome: Outcome): boolean =>
  outcome.kind === 'reply' && outcome.stage === 'auth' && outcome.code >= 500 && outcome.local !== true;

/** What may pass counts as a relay that is not reached: it is tried again sooner. */
function withoutToken({ problem: text, mayPass }: Extract<AccessToken, { problem: string }>): Opened {
  return {
    ok: false,
    outcome: mayPass
      ? { kind: 'lost', stage: 'auth', dotted: false, why: 'closed', text }
      : { kind: 'reply', stage: 'auth', code: 535, enhanced: '5.7.8', text, dotted: false, local: true },
  };
}

/** A session whose token has ended: the relay refuses a message because it is no longer signed in. */
export const isSignedOut = (outcome: Outcome): boolean =>
  outcome.kind === 'reply' &&
  !outcome.dotted &&
  ['mail', 'rcpt'].includes(outcome.stage) &&
  ([530, 535].includes(outcome.code) || outcome.enhanced === '5.7.57');
