// The sign-up form of a list and the texts of its own mails and pages.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../shell/routes.ts';

export const formRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/lists/$id/form',
    component: lazyRouteComponent(() => import('./form-screen.tsx'), 'FormScreen'),
  }),
] as const;
