// The reference of the API: all methods, and one with its parameters, a way to try it, and code to call it.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { tableSearch } from '../../parts/table-search.ts';
import { shellRoute } from '../../shell/routes.ts';

export const apiRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/api',
    validateSearch: tableSearch,
    component: lazyRouteComponent(() => import('./api-screen.tsx'), 'ApiScreen'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/api/$method',
    component: lazyRouteComponent(() => import('./method-screen.tsx'), 'MethodScreen'),
  }),
] as const;
