// Access tokens as SMTP and IMAP sessions use them.
import type { Relay } from '../../base/relay/relay.ts';

/** A token, or why there is none; `mayPass`: perhaps the next request gets one without a change of settings. */
export type AccessToken = { value: string } | { problem: string; mayPass: boolean };

type Key = NonNullable<NonNullable<Relay['auth']>['grant']>;

export type TokenSource = {
  current(key: Key): Promise<AccessToken>;
  /** @param refused the token that the relay has refused */
  renewed(key: Key, refused: string): Promise<AccessToken>;
};
