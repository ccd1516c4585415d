// The screens of the settings: one for each section, and one for each sender domain.
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { tableSearch } from '../../parts/table-search.ts';
import { shellRoute } from '../../shell/routes.ts';

const getParentRoute = () => shellRoute;

export const settingsRoutes = [
  createRoute({
    getParentRoute,
    path: '/settings',
    beforeLoad: () => {
      throw redirect({ to: '/settings/account' as string, replace: true });
    },
  }),
  createRoute({
    getParentRoute,
    path: '/settings/account',
    component: lazyRouteComponent(() => import('./account-screen.tsx'), 'AccountScreen'),
  }),
  createRoute({
    getParentRoute,
    path: '/settings/security',
    component: lazyRouteComponent(() => import('./security-screen.tsx'), 'SecurityScreen'),
  }),
  createRoute({
    getParentRoute,
    path: '/settings/people',
    component: lazyRouteComponent(() => import('./people-screen.tsx'), 'PeopleScreen'),
  }),
  createRoute({
    getParentRoute,
    path: '/settings/keys',
    component: lazyRouteComponent(() => import('./keys-screen.tsx'), 'KeysScreen'),
  }),
  createRoute({
    getParentRoute,
    path: '/settings/domains',
    component: lazyRouteComponent(() => import('./domains-screen.tsx'), 'DomainsScreen'),
  }),
  createRoute({
    getParentRoute,
    path: '/settings/domains/$domain',
    component: lazyRouteComponent(() => import('./domain-screen.tsx'), 'DomainScreen'),
  }),
  createRoute({
    getParentRoute,
    path: '/settings/relays',
    component: lazyRouteComponent(() => import('./relays-screen.tsx'), 'RelaysScreen'),
  }),
  createRoute({
    getParentRoute,
    path: '/settings/suppression',
    validateSearch: tableSearch,
    component: lazyRouteComponent(() => import('./suppression-screen.tsx'), 'SuppressionScreen'),
  }),
  createRoute({
    getParentRoute,
    path: '/settings/audit',
    validateSearch: tableSearch,
    component: lazyRouteComponent(() => import('./audit-screen.tsx'), 'AuditScreen'),
  }),
  createRoute({
    getParentRoute,
    path: '/settings/data',
    component: lazyRouteComponent(() => import('./data-screen.tsx'), 'DataScreen'),
  }),
] as const;
