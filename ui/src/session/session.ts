// The signed-in user, account and permissions; signing in, signing out and switching accounts. The session itself is a
// cookie that scripts cannot read.
import { queryOptions, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { applicationPath } from '../api/base-path.ts';
import { ApiFault, call, onSessionEnded, request } from '../api/call.ts';
import type { ResultOf } from '../api/types.ts';
import { queryKey } from '../api/use-method.ts';

export type Session = ResultOf<'sessionGet'>;
export type Permission = Session['permissions'][number];

export const sessionQuery = queryOptions<Session, ApiFault>({
  queryKey: queryKey('sessionGet'),
  queryFn: () => call('sessionGet'),
  staleTime: 60_000,
});

export type Rights = {
  may(permission: Permission): boolean;
  /** For what is of the whole account: someone with a set of lists may not. */
  mayAll(permission: Permission): boolean;
};

/** The session; only inside the shell, which requires one. */
export function useSession(): Session & Rights {
  const { data } = useSuspenseQuery(sessionQuery);
  const may = (permission: Permission) => data.permissions.includes(permission);
  return { ...data, may, mayAll: (permission) => data.all_lists && may(permission) };
}

type Place = { needs?: Permission /** It is about the whole account. */; whole?: true };

/** Whether a person may open a place. */
export const opens = ({ may, mayAll }: Rights, { needs = 'account:read', whole }: Place): boolean =>
  whole ? mayAll(needs) : may(needs);

export type SignIn = 'done' | 'wrong' | 'second-factor' | 'wrong-second-factor' | 'too-many';

/** The token at the end of a printed or emailed link: after the #, so that no server logs it. */
export const linkToken = () => decodeURIComponent(window.location.hash.slice(1));

/** @throws ApiFault when the server cannot be reached or fails */
export async function signIn(email: string, password: string, totp?: string): Promise<SignIn> {
  try {
    await request('POST', '/session', { email, password, ...(totp === undefined ? {} : { totp }) });
    return 'done';
  } catch (error) {
    if (!(error instanceof ApiFault)) throw error;
    if (error.status === 429) return 'too-many';
    if (error.status !== 401) throw error;
    if (error.rest.totp !== true) return 'wrong';
    return totp === undefined ? 'second-factor' : 'wrong-second-factor';
  }
}

/** Ends the session, and that at the identity provider which started it. */
export async function signOut(): Promise<void> {
  const { url } = (await request('DELETE', '/session')) as { url?: string };
  // What is still being asked for must not offer to sign in again.
  onSessionEnded(async () => false);
  if (url === undefined) leave();
  else window.location.assign(url);
}

/** Cached answers belong to the previous account, so the page is reloaded. */
export function useSwitchAccount(): (accountId: string) => Promise<void> {
  const client = useQueryClient();
  return async (accountId) => {
    await call('sessionSwitch', { account_id: accountId });
    client.clear();
    leave();
  };
}

/** As useSwitchAccount, for the operator and the account of another. */
export function useEnterAccount(): (account: string) => Promise<void> {
  const client = useQueryClient();
  return async (account) => {
    await call('accountSignIn', { account });
    client.clear();
    leave();
  };
}

const leave = () => window.location.assign(`${applicationPath}/`);
