// The start page, at an address of its own; the bare address leads to it.
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { shellRoute } from '../../shell/routes.ts';

export const homeRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/',
    beforeLoad: () => {
      throw redirect({ to: '/home', replace: true });
    },
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/home',
    component: lazyRouteComponent(() => import('./home-screen.tsx'), 'HomeScreen'),
  }),
] as const;
