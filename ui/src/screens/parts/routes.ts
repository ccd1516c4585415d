// A page that shows every part, for those who build screens; while developing only.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../shell/routes.ts';

export const partsRoutes = import.meta.env.DEV
  ? ([
      createRoute({
        getParentRoute: () => shellRoute,
        path: '/_parts',
        component: lazyRouteComponent(() => import('./parts-screen.tsx'), 'PartsScreen'),
      }),
    ] as const)
  : ([] as const);
