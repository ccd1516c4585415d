// The screens that write a campaign: beginning one, and the composer.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../shell/routes.ts';

export const composerRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/campaigns/new',
    component: lazyRouteComponent(() => import('./new-screen.tsx'), 'NewScreen'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/campaigns/$id/edit',
    component: lazyRouteComponent(() => import('./composer-screen.tsx'), 'ComposerScreen'),
  }),
] as const;
