// Starts the web application: theme, texts, queries, routes. What goes wrong in a screen is shown there (router.tsx).
import '@fontsource-variable/inter/wght.css';
import '@mantine/core/styles.layer.css';
import './base.css';
import { localStorageColorSchemeManager, MantineProvider, mergeThemeOverrides } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { createRoot } from 'react-dom/client';
import { basePath } from './api/base-path.ts';
import { createQueryClient } from './api/use-method.ts';
import { ConfirmHost } from './parts/confirm/confirm.tsx';
import { PasswordHost } from './parts/confirm/password.tsx';
import { ToastHost } from './parts/toast/toast.tsx';
import { createAppRouter } from './router.tsx';
import { sessionQuery } from './session/session.ts';
import { RenewalHost, renewEndedSessions } from './shell/renewal.tsx';
import { TextProvider, useText } from './text/use-text.tsx';
import { theme, variables } from './theme.ts';

// Opened without the base path, such as at the port of the program itself: there the program has the path as well.
const { pathname, search, hash } = window.location;
if (!pathname.startsWith(`${basePath}/`)) window.location.replace(basePath + pathname + search + hash);

const client = createQueryClient();
const router = createAppRouter(client);
const schemeManager = localStorageColorSchemeManager({ key: 'postrider-scheme' });

// A session that ends while one works: the user signs in again in place. A user who does not goes to sign-in, and from there back to
// the same place.
renewEndedSessions({
  session: () => (isOpen() ? undefined : client.getQueryData(sessionQuery.queryKey)),
  leave() {
    if (isOpen()) return;
    const { href } = router.state.location;
    client.removeQueries({ queryKey: sessionQuery.queryKey });
    router.navigate({ to: '/sign-in', search: { to: href } });
  },
});

/** Whether the page that is shown needs no session. */
function isOpen(): boolean {
  const { pathname } = router.state.location;
  return pathname === '/sign-in' || pathname === '/first-run';
}

createRoot(document.getElementById('root')!).render(
  <TextProvider>
    <Themed>
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
        <ToastHost />
        <ConfirmHost />
        <PasswordHost />
        <RenewalHost />
      </QueryClientProvider>
    </Themed>
  </TextProvider>,
);

/** The theme with the words that components bring with them in the language chosen. */
function Themed({ children }: { children: ReactNode }) {
  const t = useText('parts');
  const themed = useMemo(
    () => mergeThemeOverrides(theme, { components: { CloseButton: { defaultProps: { 'aria-label': t('close') } } } }),
    [t],
  );
  return (
    <MantineProvider
      theme={themed}
      cssVariablesResolver={variables}
      defaultColorScheme="auto"
      colorSchemeManager={schemeManager}
    >
      {children}
    </MantineProvider>
  );
}
