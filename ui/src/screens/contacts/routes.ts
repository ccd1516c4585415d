// The screen of one contact, known by address or id.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../shell/routes.ts';

export const contactRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/contacts/$email',
    component: lazyRouteComponent(() => import('./contact-screen.tsx'), 'ContactScreen'),
  }),
] as const;
