// Identity providers: which can be used to sign in, and the way to one. The provider sends the browser back to /app/signed-in/ID.
import { queryOptions } from '@tanstack/react-query';
import { applicationPath } from '../api/base-path.ts';
import { request } from '../api/call.ts';

/** How people can sign in here. */
export type SignInWays = { password: boolean; passkeys: boolean; providers: { id: string; label: string }[] };

export const waysQuery = queryOptions<SignInWays>({
  queryKey: ['sign-in ways'],
  queryFn: async () => (await request('GET', '/session/providers')) as SignInWays,
  staleTime: Number.POSITIVE_INFINITY,
  // Without an answer, signing in with a password is offered; its fault names the reason.
  retry: false,
});

/**
 * Redirects to the provider; the promise never resolves, so that the button keeps showing progress.
 * @param to the page to return to, within the application
 * @throws ApiFault
 */
export async function goToProvider(
  provider: string,
  purpose: 'sign-in' | 'connect' | 'confirm',
  to: string,
): Promise<never> {
  const { url } = (await request('POST', '/session/provider', { provider, purpose, to })) as { url: string };
  window.location.assign(url);
  return new Promise<never>(() => {});
}

/** The page that is open, without the path of the application. */
export const currentPage = () =>
  `${window.location.pathname.slice(applicationPath.length)}${window.location.search}` || '/';
