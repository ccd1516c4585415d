// The screens of webhooks: the table, a new one, and one with its log, settings and code samples.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../shell/routes.ts';
import { isTab, type Tab } from './tabs.ts';

type Search = { tab?: Tab; outcome?: string; page?: number };

export const webhookRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/webhooks',
    component: lazyRouteComponent(() => import('./webhooks-screen.tsx'), 'WebhooksScreen'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/webhooks/new',
    component: lazyRouteComponent(() => import('./new-webhook-screen.tsx'), 'NewWebhookScreen'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/webhooks/$id',
    validateSearch: (raw: Record<string, unknown>): Search => {
      const page = Number(raw.page);
      return {
        ...(isTab(raw.tab) ? { tab: raw.tab } : {}),
        ...(typeof raw.outcome === 'string' ? { outcome: raw.outcome } : {}),
        ...(Number.isInteger(page) && page > 1 ? { page } : {}),
      };
    },
    component: lazyRouteComponent(() => import('./webhook-screen.tsx'), 'WebhookScreen'),
  }),
] as const;
