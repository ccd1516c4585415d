// The screens of campaigns: the table. The composer, the live delivery and the report add theirs here.
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { tableSearch } from '../../parts/table-search.ts';
import { shellRoute } from '../../shell/routes.ts';

export const campaignRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/',
    beforeLoad: () => {
      throw redirect({ to: '/campaigns', replace: true });
    },
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/campaigns',
    validateSearch: tableSearch,
    component: lazyRouteComponent(() => import('./campaigns-screen.tsx'), 'CampaignsScreen'),
  }),
] as const;
