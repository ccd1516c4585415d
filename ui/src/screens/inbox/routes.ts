// The screens of the built-in inbox: what has arrived, and one message in its views.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { tableSearch } from '../../parts/table-search.ts';
import { shellRoute } from '../../shell/routes.ts';
import { isView, type View } from './views.ts';

export const inboxRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/inbox',
    validateSearch: tableSearch,
    component: lazyRouteComponent(() => import('./inbox-screen.tsx'), 'InboxScreen'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/inbox/$id',
    validateSearch: (raw: Record<string, unknown>): { view?: View } => (isView(raw.view) ? { view: raw.view } : {}),
    component: lazyRouteComponent(() => import('./message-screen.tsx'), 'MessageScreen'),
  }),
] as const;
