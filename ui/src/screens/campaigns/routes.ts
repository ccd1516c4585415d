// The table of campaigns. What writes one is in composer/, what shows its delivery and results in report/.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { tableSearch } from '../../parts/table-search.ts';
import { shellRoute } from '../../shell/routes.ts';

export const campaignRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/campaigns',
    validateSearch: tableSearch,
    component: lazyRouteComponent(() => import('./campaigns-screen.tsx'), 'CampaignsScreen'),
  }),
] as const;
