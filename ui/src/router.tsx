// The router: screens inside the shell need a session; sign-in and first run do not. screens/routes.ts lists the screens.
import type { QueryClient } from '@tanstack/react-query';
import { createRouter } from '@tanstack/react-router';
import { applicationPath } from './api/base-path.ts';
import { FaultScreen } from './parts/fault.tsx';
import { openScreens, screens } from './screens/routes.ts';
import { NotFound } from './shell/not-found.tsx';
import { nowhereRoute, rootRoute, shellRoute } from './shell/routes.ts';

const routeTree = rootRoute.addChildren([...openScreens, shellRoute.addChildren([...screens, nowhereRoute])]);

export const createAppRouter = (client: QueryClient) =>
  createRouter({
    routeTree,
    basepath: applicationPath,
    context: { client },
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    defaultErrorComponent: ({ error, reset }) => <FaultScreen error={error} onRetry={reset} />,
    defaultNotFoundComponent: NotFound,
    scrollRestoration: true,
  });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
