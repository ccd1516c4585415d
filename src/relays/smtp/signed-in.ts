// Opens a connection to a relay that is signed in to with an access token: with the present one, and if the relay refuses it, once more
// with a new one at once. A relay without tokens is opened as it is.
import type { Relay } from '../../base/relay/relay.ts';
import type { AccessToken, TokenSource } from '../oauth/access-token.ts';
import type { Outcome } from '../verdict/outcome.ts';
import type { Opened } from './open-connection.ts';

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
