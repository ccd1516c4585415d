// Starts the web application: theme, texts, queries, routes. What goes wrong in a screen is shown there (router.tsx).
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './base.css';
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { ModalsProvider } from '@mantine/modals';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { onSignedOut } from './api/call.ts';
import { createQueryClient } from './api/use-method.ts';
import { createAppRouter } from './router.tsx';
import { sessionQuery } from './session/session.ts';
import { TextProvider } from './text/use-text.tsx';
import { theme, variables } from './theme.ts';

const client = createQueryClient();
const router = createAppRouter(client);

// A session that ends while one works: to sign-in, and from there back to the same place.
onSignedOut(() => {
  const { pathname, href } = router.state.location;
  if (pathname === '/sign-in' || pathname === '/first-run') return;
  client.removeQueries({ queryKey: sessionQuery.queryKey });
  router.navigate({ to: '/sign-in', search: { to: href } });
});

createRoot(document.getElementById('root')!).render(
  <MantineProvider
    theme={theme}
    cssVariablesResolver={variables}
    defaultColorScheme="auto"
    colorSchemeManager={localStorageColorSchemeManager({ key: 'postrider-scheme' })}
  >
    <TextProvider>
      <QueryClientProvider client={client}>
        <ModalsProvider modalProps={{ withCloseButton: false }}>
          <Notifications position="bottom-right" />
          <RouterProvider router={router} />
        </ModalsProvider>
      </QueryClientProvider>
    </TextProvider>
  </MantineProvider>,
);
