// Who is signed in, in which account, with which permissions; signing in, out and over to another account.
// The session itself is a cookie that no script can read.
import { queryOptions, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { ApiFault, request } from '../api/call.ts';

export type Scope = 'read' | 'write' | 'send' | 'admin';

export type Session = {
  user: { id: string; email: string; name: string; language: string; totp: boolean };
  account: { id: string; name: string; time_zone: string; language: string };
  role: 'owner' | 'editor' | 'viewer';
  scopes: Scope[];
  accounts: { id: string; name: string; role: string }[];
};

export const sessionQuery = queryOptions<Session, ApiFault>({
  queryKey: ['session', 'sessionInfo'],
  queryFn: () => request('POST', '/api/sessionInfo', {}) as Promise<Session>,
  staleTime: 60_000,
});

/** The session; only for what stands inside the shell, which is not shown without one. */
export function useSession(): Session & { may(scope: Scope): boolean } {
  const { data } = useSuspenseQuery(sessionQuery);
  return { ...data, may: (scope) => data.scopes.includes(scope) };
}

export type SignIn = 'done' | 'wrong' | 'second-factor' | 'wrong-second-factor' | 'too-many';

/** @throws ApiFault when the program is out of reach or fails */
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

export async function signOut(): Promise<void> {
  await request('DELETE', '/session');
  leave();
}

/** Everything that was read belongs to the account that is left: the page begins anew. */
export function useSwitchAccount(): (accountId: string) => Promise<void> {
  const client = useQueryClient();
  return async (accountId) => {
    await request('POST', '/api/sessionSwitch', { account_id: accountId });
    client.clear();
    leave();
  };
}

const leave = () => window.location.assign('/app/');
