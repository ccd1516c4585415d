// The screens of lists: the table, a new one, one with its tabs, and the wizard of an import into it.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { type TableSearch, tableSearch } from '../../parts/table-search.ts';
import { shellRoute } from '../../shell/routes.ts';
import { isTab, type Tab } from './tabs.ts';

export type ListSearch = TableSearch & { tab?: Tab | undefined; segment?: string | undefined };

export const listRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/lists',
    validateSearch: tableSearch,
    component: lazyRouteComponent(() => import('./lists-screen.tsx'), 'ListsScreen'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/lists/new',
    component: lazyRouteComponent(() => import('./new-list-screen.tsx'), 'NewListScreen'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/lists/$id',
    validateSearch: (raw: Record<string, unknown>): ListSearch => ({
      ...tableSearch(raw),
      tab: isTab(raw.tab) ? raw.tab : undefined,
      segment: raw.segment === undefined || raw.segment === '' ? undefined : String(raw.segment),
    }),
    component: lazyRouteComponent(() => import('./list-screen.tsx'), 'ListScreen'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/lists/$id/import/$import',
    component: lazyRouteComponent(() => import('./import-screen.tsx'), 'ImportScreen'),
  }),
] as const;
