// The screens without a session: signing in, and the first run of an installation, passwords by a mailed link.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../shell/routes.ts';

export const signInRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/sign-in',
    /** `to`: the place to go back to, within the application. */
    validateSearch: (raw: Record<string, unknown>): { to?: string } => {
      const { to } = raw;
      // Named even without a value: what is not named here would be passed on as it came.
      // Only ever a place of our own: "//elsewhere" and the like are not.
      return typeof to === 'string' && /^\/(?![/\\])/.test(to) ? { to } : { to: undefined };
    },
    component: lazyRouteComponent(() => import('./sign-in-screen.tsx'), 'SignInScreen'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/first-run',
    component: lazyRouteComponent(() => import('./first-run-screen.tsx'), 'FirstRunScreen'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/forgotten',
    component: lazyRouteComponent(() => import('./forgotten-screen.tsx'), 'ForgottenScreen'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/reset',
    component: lazyRouteComponent(() => import('./password-screen.tsx'), 'PasswordScreen'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/invite',
    component: lazyRouteComponent(() => import('./password-screen.tsx'), 'PasswordScreen'),
  }),
] as const;
