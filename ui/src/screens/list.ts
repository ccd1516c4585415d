// THE list of areas: each brings its routes. Inside the shell, in `areas`; without a session, in `openAreas`.
// The navigation shows an entry as soon as its address has a route (shell/navigation.ts).
import { apiRoutes } from './api/routes.ts';
import { campaignRoutes } from './campaigns/routes.ts';
import { composerRoutes } from './composer/routes.ts';
import { contactRoutes } from './contacts/routes.ts';
import { formRoutes } from './forms/routes.ts';
import { homeRoutes } from './home/routes.ts';
import { inboxRoutes } from './inbox/routes.ts';
import { listRoutes } from './lists/routes.ts';
import { partsRoutes } from './parts/routes.ts';
import { reportRoutes } from './report/routes.ts';
import { settingsRoutes } from './settings/routes.ts';
import { signInRoutes } from './sign-in/routes.ts';
import { templateRoutes } from './templates/routes.ts';
import { webhookRoutes } from './webhooks/routes.ts';

export const areas = [
  ...homeRoutes,
  ...campaignRoutes,
  ...composerRoutes,
  ...reportRoutes,
  ...listRoutes,
  ...contactRoutes,
  ...templateRoutes,
  ...webhookRoutes,
  ...settingsRoutes,
  ...apiRoutes,
  ...formRoutes,
  ...inboxRoutes,
  ...partsRoutes,
] as const;

export const openAreas = [...signInRoutes] as const;
