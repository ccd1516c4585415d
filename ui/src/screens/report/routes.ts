// The screen of one campaign: how its delivery goes on, and what became of it.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { tableSearch } from '../../parts/table-search.ts';
import { shellRoute } from '../../shell/routes.ts';
import { isTab } from './tabs.ts';

export const reportRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/campaigns/$id',
    validateSearch: (raw: Record<string, unknown>) => ({
      ...tableSearch(raw),
      tab: isTab(raw.tab) ? raw.tab : undefined,
      email: typeof raw.email === 'string' ? raw.email : undefined,
    }),
    component: lazyRouteComponent(() => import('./campaign-screen.tsx'), 'CampaignScreen'),
  }),
] as const;
