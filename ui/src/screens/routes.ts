// THE list of screens: the address of each, its search parameters, and the component that is loaded when it opens.
// Screens of `screens` need a session; those of `openScreens` do not. The navigation shows an entry as soon as its address
// is here (shell/navigation.ts).
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { type TableSearch, tableSearch } from '../parts/table/table-search.ts';
import { rootRoute, shellRoute } from '../shell/routes.ts';
import type { Areas } from '../text/areas.ts';
import { preloadTexts } from '../text/use-text.tsx';
import { type FlowSearch, flowSearch, stepSearch } from './automations/flow-search.ts';
import { campaignSearch } from './campaigns/campaign-search.ts';
import { isView, type View } from './inbox/views.ts';
import { afterListSearch } from './lists/after-list.ts';
import { type ConditionSearch, conditionSearch } from './lists/segments/condition-search.ts';
import { auditSearch } from './settings/audit-search.ts';
import { type Tab, tabOf } from './tabs.ts';

export type ListSearch = TableSearch &
  ConditionSearch & {
    tab?: Tab<'list'> | undefined;
    segment?: string | undefined;
  };

const inShell = () => shellRoute;

/** Loads the script of a screen, and at the same time the texts it needs besides those of all screens. */
function withTexts<T>(areas: readonly (keyof Areas)[], load: () => Promise<T>): () => Promise<T> {
  return () => {
    preloadTexts(areas);
    return load();
  };
}

export const screens = [
  // Home; the bare address leads there.
  createRoute({
    getParentRoute: inShell,
    path: '/',
    beforeLoad: () => {
      throw redirect({ to: '/home', replace: true });
    },
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/home',
    component: lazyRouteComponent(
      withTexts(['home'], () => import('./home/home-screen.tsx')),
      'HomeScreen',
    ),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/suspended',
    component: lazyRouteComponent(
      withTexts(['home'], () => import('./home/suspended-screen.tsx')),
      'SuspendedScreen',
    ),
  }),
  // The setup steps of a new installation or account; the bare address leads to the first one that is missing.
  createRoute({
    getParentRoute: inShell,
    path: '/setup/{-$step}',
    component: lazyRouteComponent(
      withTexts(['setup', 'settings'], () => import('./setup/setup-screen.tsx')),
      'SetupScreen',
    ),
  }),
  // Campaigns: the table.
  createRoute({
    getParentRoute: inShell,
    path: '/campaigns',
    validateSearch: campaignSearch,
    component: lazyRouteComponent(() => import('./campaigns/campaigns-screen.tsx'), 'CampaignsScreen'),
  }),
  // The composer: a new campaign, and writing one.
  createRoute({
    getParentRoute: inShell,
    path: '/campaigns/new',
    component: lazyRouteComponent(
      withTexts(['composer'], () => import('./composer/new-screen.tsx')),
      'NewScreen',
    ),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/campaigns/$id/edit',
    validateSearch: flowSearch,
    component: lazyRouteComponent(
      withTexts(['composer'], () => import('./composer/composer-screen.tsx')),
      'ComposerScreen',
    ),
  }),
  // The approval of one: what is asked, what has changed, and the answer.
  createRoute({
    getParentRoute: inShell,
    path: '/campaigns/$id/approval',
    component: lazyRouteComponent(
      withTexts(['composer', 'approval'], () => import('./composer/composer-screen.tsx')),
      'ApprovalScreen',
    ),
  }),
  // One campaign: delivery and report.
  createRoute({
    getParentRoute: inShell,
    path: '/campaigns/$id',
    validateSearch: (
      raw: Record<string, unknown>,
    ): TableSearch & FlowSearch & { tab?: Tab<'report'> | undefined; email?: string | undefined } => ({
      ...tableSearch(raw),
      ...flowSearch(raw),
      ...tabOf('report', raw),
      email: typeof raw.email === 'string' ? raw.email : undefined,
    }),
    component: lazyRouteComponent(
      withTexts(['report'], () => import('./report/campaign-screen.tsx')),
      'CampaignScreen',
    ),
  }),
  // Recurring campaigns: the table, a new one, and one with its issues.
  createRoute({
    getParentRoute: inShell,
    path: '/recurring',
    validateSearch: tableSearch,
    component: lazyRouteComponent(
      withTexts(['recurring'], () => import('./recurring/recurring-screen.tsx')),
      'RecurringScreen',
    ),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/recurring/new',
    component: lazyRouteComponent(
      withTexts(['recurring'], () => import('./recurring/new-recurring-screen.tsx')),
      'NewRecurringScreen',
    ),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/recurring/$id',
    validateSearch: (raw: Record<string, unknown>) => ({ ...tableSearch(raw), ...tabOf('recurring', raw) }),
    component: lazyRouteComponent(
      withTexts(['recurring'], () => import('./recurring/recurring-campaign-screen.tsx')),
      'RecurringCampaignScreen',
    ),
  }),
  // Automations: the table, a new one, and one with its steps.
  createRoute({
    getParentRoute: inShell,
    path: '/automations',
    validateSearch: tableSearch,
    component: lazyRouteComponent(
      withTexts(['automations'], () => import('./automations/automations-screen.tsx')),
      'AutomationsScreen',
    ),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/automations/new',
    component: lazyRouteComponent(
      withTexts(['automations'], () => import('./automations/new-automation-screen.tsx')),
      'NewAutomationScreen',
    ),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/automations/$id',
    validateSearch: stepSearch,
    component: lazyRouteComponent(
      withTexts(['automations', 'report'], () => import('./automations/automation-screen.tsx')),
      'AutomationScreen',
    ),
  }),
  // Lists: the table, a new one, one with its tabs, a segment, and an import.
  createRoute({
    getParentRoute: inShell,
    path: '/lists',
    validateSearch: tableSearch,
    component: lazyRouteComponent(
      withTexts(['lists'], () => import('./lists/lists-screen.tsx')),
      'ListsScreen',
    ),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/lists/new',
    validateSearch: afterListSearch,
    component: lazyRouteComponent(
      withTexts(['lists'], () => import('./lists/new-list-screen.tsx')),
      'NewListScreen',
    ),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/lists/$id',
    validateSearch: (raw: Record<string, unknown>): ListSearch => ({
      ...tableSearch(raw),
      ...conditionSearch(raw),
      ...tabOf('list', raw),
      segment: raw.segment === undefined || raw.segment === '' ? undefined : String(raw.segment),
    }),
    component: lazyRouteComponent(
      withTexts(['lists'], () => import('./lists/list-screen.tsx')),
      'ListScreen',
    ),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/lists/$id/segments/$segment',
    component: lazyRouteComponent(
      withTexts(['lists'], () => import('./lists/segments/segment-screen.tsx')),
      'SegmentScreen',
    ),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/lists/$id/import/$import',
    component: lazyRouteComponent(
      withTexts(['lists'], () => import('./lists/import/import-screen.tsx')),
      'ImportScreen',
    ),
  }),
  // The contacts of all lists, an import of some, their segments and the sign-up forms.
  createRoute({
    getParentRoute: inShell,
    path: '/contacts',
    validateSearch: (raw: Record<string, unknown>): TableSearch & ConditionSearch => ({
      ...tableSearch(raw),
      ...conditionSearch(raw),
    }),
    component: lazyRouteComponent(
      withTexts(['contacts', 'lists'], () => import('./contacts/contacts-screen.tsx')),
      'ContactsScreen',
    ),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/contacts/import',
    component: lazyRouteComponent(
      withTexts(['contacts', 'lists'], () => import('./contacts/import-screen.tsx')),
      'ImportContactsScreen',
    ),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/contacts/move',
    component: lazyRouteComponent(
      withTexts(['move'], () => import('./move/move-screen.tsx')),
      'MoveScreen',
    ),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/contacts/move/$migration',
    component: lazyRouteComponent(
      withTexts(['move'], () => import('./move/migration-screen.tsx')),
      'MigrationScreen',
    ),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/segments',
    validateSearch: tableSearch,
    component: lazyRouteComponent(
      withTexts(['lists'], () => import('./lists/segments/segments-screen.tsx')),
      'SegmentsScreen',
    ),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/forms',
    validateSearch: tableSearch,
    component: lazyRouteComponent(
      withTexts(['forms'], () => import('./forms/forms-screen.tsx')),
      'FormsScreen',
    ),
  }),
  // One contact, by address or id.
  createRoute({
    getParentRoute: inShell,
    path: '/contacts/$email',
    component: lazyRouteComponent(
      withTexts(['contacts', 'lists'], () => import('./contacts/contact-screen.tsx')),
      'ContactScreen',
    ),
  }),
  // Templates: the gallery and the editor.
  createRoute({
    getParentRoute: inShell,
    path: '/templates',
    validateSearch: tableSearch,
    component: lazyRouteComponent(
      withTexts(['templates'], () => import('./templates/templates-screen.tsx')),
      'TemplatesScreen',
    ),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/templates/$id',
    component: lazyRouteComponent(
      withTexts(['templates', 'composer'], () => import('./templates/template-screen.tsx')),
      'TemplateScreen',
    ),
  }),
  // Webhooks: the table, a new one, and one with its log.
  createRoute({
    getParentRoute: inShell,
    path: '/webhooks',
    component: lazyRouteComponent(
      withTexts(['webhooks'], () => import('./webhooks/webhooks-screen.tsx')),
      'WebhooksScreen',
    ),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/webhooks/new',
    component: lazyRouteComponent(
      withTexts(['webhooks'], () => import('./webhooks/new-webhook-screen.tsx')),
      'NewWebhookScreen',
    ),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/webhooks/incoming',
    component: lazyRouteComponent(
      withTexts(['webhooks'], () => import('./webhooks/incoming-screen.tsx')),
      'IncomingScreen',
    ),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/webhooks/incoming/$id',
    component: lazyRouteComponent(
      withTexts(['webhooks'], () => import('./webhooks/incoming-webhook-screen.tsx')),
      'IncomingWebhookScreen',
    ),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/webhooks/$id',
    validateSearch: (raw: Record<string, unknown>) => ({ ...tableSearch(raw), ...tabOf('webhook', raw) }),
    component: lazyRouteComponent(
      withTexts(['webhooks'], () => import('./webhooks/webhook-screen.tsx')),
      'WebhookScreen',
    ),
  }),
  // Settings, a screen a section.
  createRoute({
    getParentRoute: inShell,
    path: '/settings',
    beforeLoad: () => {
      throw redirect({ to: '/settings/account', replace: true });
    },
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/settings/account',
    component: lazyRouteComponent(
      withTexts(['settings'], () => import('./settings/account/account-screen.tsx')),
      'AccountScreen',
    ),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/settings/sending',
    component: lazyRouteComponent(
      withTexts(['settings'], () => import('./settings/account/sending-screen.tsx')),
      'SendingScreen',
    ),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/settings/brand',
    component: lazyRouteComponent(
      withTexts(['settings'], () => import('./settings/brand/brand-screen.tsx')),
      'BrandScreen',
    ),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/settings/security',
    component: lazyRouteComponent(
      withTexts(['settings'], () => import('./settings/security/security-screen.tsx')),
      'SecurityScreen',
    ),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/settings/people',
    component: lazyRouteComponent(
      withTexts(['settings'], () => import('./settings/people-screen.tsx')),
      'PeopleScreen',
    ),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/settings/keys',
    component: lazyRouteComponent(
      withTexts(['settings'], () => import('./settings/keys-screen.tsx')),
      'KeysScreen',
    ),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/settings/senders',
    component: lazyRouteComponent(
      withTexts(['settings'], () => import('./settings/domains/senders-screen.tsx')),
      'SendersScreen',
    ),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/settings/domains',
    component: lazyRouteComponent(
      withTexts(['settings'], () => import('./settings/domains/domains-screen.tsx')),
      'DomainsScreen',
    ),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/settings/domains/$domain',
    component: lazyRouteComponent(
      withTexts(['settings'], () => import('./settings/domains/domain-screen.tsx')),
      'DomainScreen',
    ),
  }),
  // The way back from a provider of mail.
  createRoute({
    getParentRoute: inShell,
    path: '/mail-access',
    component: lazyRouteComponent(
      withTexts(['settings'], () => import('./settings/oauth/mail-access-screen.tsx')),
      'MailAccessScreen',
    ),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/settings/relays',
    component: lazyRouteComponent(
      withTexts(['settings', 'relays'], () => import('./settings/relays-screen.tsx')),
      'RelaysScreen',
    ),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/settings/returned',
    component: lazyRouteComponent(
      withTexts(['settings'], () => import('./settings/returned/returned-screen.tsx')),
      'ReturnedScreen',
    ),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/settings/suppression',
    validateSearch: tableSearch,
    component: lazyRouteComponent(
      withTexts(['settings'], () => import('./settings/suppression-screen.tsx')),
      'SuppressionScreen',
    ),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/settings/fields',
    component: lazyRouteComponent(
      withTexts(['settings', 'lists'], () => import('./settings/fields-screen.tsx')),
      'FieldsScreen',
    ),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/settings/clean-up',
    component: lazyRouteComponent(
      withTexts(['settings', 'clean-up'], () => import('./settings/clean-up/clean-up-screen.tsx')),
      'CleanUpScreen',
    ),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/settings/archive',
    validateSearch: tableSearch,
    component: lazyRouteComponent(
      withTexts(['settings'], () => import('./settings/archive/archive-screen.tsx')),
      'ArchiveScreen',
    ),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/settings/audit',
    validateSearch: auditSearch,
    component: lazyRouteComponent(
      withTexts(['settings', 'audit'], () => import('./settings/audit-screen.tsx')),
      'AuditScreen',
    ),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/settings/accounts',
    validateSearch: tableSearch,
    component: lazyRouteComponent(
      withTexts(['settings', 'operator'], () => import('./settings/accounts/accounts-screen.tsx')),
      'AccountsScreen',
    ),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/settings/data',
    component: lazyRouteComponent(
      withTexts(['settings', 'lists'], () => import('./settings/data-screen.tsx')),
      'DataScreen',
    ),
  }),
  // The API reference.
  createRoute({
    getParentRoute: inShell,
    path: '/api',
    validateSearch: tableSearch,
    component: lazyRouteComponent(
      withTexts(['api'], () => import('./api/api-screen.tsx')),
      'ApiScreen',
    ),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/api/$method',
    component: lazyRouteComponent(
      withTexts(['api'], () => import('./api/method-screen.tsx')),
      'MethodScreen',
    ),
  }),
  // The sign-up form of a list.
  createRoute({
    getParentRoute: inShell,
    path: '/lists/$id/form',
    validateSearch: (raw: Record<string, unknown>) => tabOf('form', raw),
    component: lazyRouteComponent(
      withTexts(['forms', 'composer'], () => import('./forms/form-screen.tsx')),
      'FormScreen',
    ),
  }),
  // Single messages: the log, and one of them.
  createRoute({
    getParentRoute: inShell,
    path: '/messages',
    validateSearch: tableSearch,
    component: lazyRouteComponent(
      withTexts(['messages'], () => import('./messages/messages-screen.tsx')),
      'MessagesScreen',
    ),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/messages/$id',
    component: lazyRouteComponent(
      withTexts(['messages'], () => import('./messages/message-screen.tsx')),
      'SingleMessageScreen',
    ),
  }),
  // The built-in inbox.
  createRoute({
    getParentRoute: inShell,
    path: '/inbox',
    validateSearch: tableSearch,
    component: lazyRouteComponent(
      withTexts(['inbox'], () => import('./inbox/inbox-screen.tsx')),
      'InboxScreen',
    ),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/inbox/$id',
    validateSearch: (raw: Record<string, unknown>): { view?: View } => (isView(raw.view) ? { view: raw.view } : {}),
    component: lazyRouteComponent(
      withTexts(['inbox'], () => import('./inbox/message-screen.tsx')),
      'MessageScreen',
    ),
  }),
  // Every shared part in all its states; in development only.
  ...(import.meta.env.DEV
    ? ([
        createRoute({
          getParentRoute: inShell,
          path: '/parts',
          validateSearch: tableSearch,
          component: lazyRouteComponent(() => import('./parts/parts-screen.tsx'), 'PartsScreen'),
        }),
      ] as const)
    : ([] as const)),
] as const;

/** Sign-in, the first run, and links to set a password. */
export const openScreens = [
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
    component: lazyRouteComponent(() => import('./sign-in/sign-in-screen.tsx'), 'SignInScreen'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/first-run',
    component: lazyRouteComponent(
      withTexts(['setup'], () => import('./sign-in/first-run-screen.tsx')),
      'FirstRunScreen',
    ),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/forgotten',
    component: lazyRouteComponent(() => import('./sign-in/forgotten-screen.tsx'), 'ForgottenScreen'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/reset',
    component: lazyRouteComponent(() => import('./sign-in/password-screen.tsx'), 'PasswordScreen'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/invite',
    component: lazyRouteComponent(() => import('./sign-in/invitation-screen.tsx'), 'InvitationScreen'),
  }),
  // The way back from an identity provider, and the link of the operator.
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/signed-in/$provider',
    component: lazyRouteComponent(() => import('./sign-in/signed-in-screen.tsx'), 'SignedInScreen'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/enter',
    component: lazyRouteComponent(() => import('./sign-in/enter-screen.tsx'), 'EnterScreen'),
  }),
] as const;
