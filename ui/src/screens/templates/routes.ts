// The screens of templates: the gallery, and one with its source.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { tableSearch } from '../../parts/table-search.ts';
import { shellRoute } from '../../shell/routes.ts';

export const templateRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/templates',
    validateSearch: tableSearch,
    component: lazyRouteComponent(() => import('./templates-screen.tsx'), 'TemplatesScreen'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/templates/$id',
    component: lazyRouteComponent(() => import('./template-screen.tsx'), 'TemplateScreen'),
  }),
] as const;
