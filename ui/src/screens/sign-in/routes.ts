// The screens without a session: signing in, and the first run of an installation.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../shell/routes.ts';

const text = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : undefined);

export const signInRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/sign-in',
    /** `to`: the place to go back to, within the application. */
    validateSearch: (raw: Record<string, unknown>): { to?: string } => {
      const to = text(raw.to);
      // Only ever a place of our own: "//elsewhere" and the like are not.
      return to && /^\/(?![/\\])/.test(to) ? { to } : {};
    },
    component: lazyRouteComponent(() => import('./sign-in-screen.tsx'), 'SignInScreen'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/first-run',
    validateSearch: (raw: Record<string, unknown>): { token?: string } => {
      const token = text(raw.token);
      return token ? { token } : {};
    },
    component: lazyRouteComponent(() => import('./first-run-screen.tsx'), 'FirstRunScreen'),
  }),
] as const;
