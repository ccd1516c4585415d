// The root route, and the layout route that requires a session: without one it redirects to sign-in and back.
import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { ApiFault } from '../api/call.ts';
import { sessionQuery } from '../session/session.ts';
import { NotFound } from './not-found.tsx';

export const rootRoute = createRootRouteWithContext<{ client: QueryClient }>()();

export const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  async beforeLoad({ context, location }) {
    try {
      await context.client.ensureQueryData(sessionQuery);
    } catch (error) {
      if (error instanceof ApiFault && error.status === 401)
        throw redirect({ to: '/sign-in', search: location.pathname === '/' ? {} : { to: location.href } });
      throw error;
    }
  },
  component: lazyRouteComponent(() => import('./shell.tsx'), 'Shell'),
  errorComponent: lazyRouteComponent(() => import('./shell-fault.tsx'), 'ShellFault'),
});

/** Every unknown address. */
export const nowhereRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '$',
  component: NotFound,
});
