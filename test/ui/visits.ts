// The address of each screen, one per route, and one per tab of screens with tabs. home.test.ts compares the routes
// with those of the application, so that a new screen must be added here; visitAll goes through all of them.
import type { Page } from 'playwright-core';
import { tabs } from '../../ui/src/screens/tabs.ts';
import type { DemoUi } from '../support/browser/demo.ts';
import { newErrors } from '../support/browser/ui.ts';

type Known = Pick<DemoUi, 'ids' | 'contact' | 'domain'>;

export const visits: Record<string, (known: Known) => string[]> = {
  '/': at('/'),
  '/$': at('/nowhere'),
  '/home': at('/home'),
  // Of an account that is not suspended it leads to Home.
  '/suspended': at('/suspended'),
  '/setup/{-$step}': at(
    '/setup',
    '/setup/address',
    '/setup/organisation',
    '/setup/relay',
    '/setup/domain',
    '/setup/test',
  ),
  '/campaigns': at('/campaigns'),
  '/campaigns/new': at('/campaigns/new'),
  '/campaigns/$id': ({ ids }) => [
    ...tabs.report.map((tab) => `/campaigns/${ids.sent}?tab=${tab}`),
    ...[ids.sending, ids.scheduled, ids.auto].map((id) => `/campaigns/${id}`),
  ],
  '/campaigns/$id/approval': ({ ids }) => [`/campaigns/${ids.draft}/approval`],
  '/campaigns/$id/edit': ({ ids }) => [ids.draft, ids.auto].map((id) => `/campaigns/${id}/edit`),
  '/recurring': at('/recurring'),
  '/recurring/new': at('/recurring/new'),
  '/recurring/$id': ({ ids }) => [`/recurring/${ids.recurring}`, `/recurring/${ids.recurring}?tab=settings`],
  '/automations': at('/automations'),
  '/automations/new': at('/automations/new'),
  '/automations/$id': ({ ids }) => [`/automations/${ids.automation}`],
  '/lists': at('/lists'),
  '/lists/new': at('/lists/new'),
  '/lists/$id': ({ ids }) => tabs.list.map((tab) => `/lists/${ids.list}?tab=${tab}`),
  '/lists/$id/segments/$segment': ({ ids }) => [`/lists/${ids.list}/segments/new`],
  '/lists/$id/import/$import': ({ ids }) => [`/lists/${ids.list}/import/${ids.import}`],
  '/lists/$id/form': ({ ids }) => tabs.form.map((tab) => `/lists/${ids.list}/form?tab=${tab}`),
  '/contacts': at('/contacts'),
  '/contacts/import': at('/contacts/import'),
  '/contacts/move': at('/contacts/move'),
  '/contacts/move/$migration': ({ ids }) => [`/contacts/move/${ids.migration}`],
  '/segments': at('/segments'),
  '/forms': at('/forms'),
  '/contacts/$email': ({ contact }) => [`/contacts/${contact}`],
  '/templates': at('/templates'),
  '/templates/$id': ({ ids }) => [`/templates/${ids.template}`],
  '/webhooks': at('/webhooks'),
  '/webhooks/new': at('/webhooks/new'),
  '/webhooks/$id': ({ ids }) => tabs.webhook.map((tab) => `/webhooks/${ids.webhook}?tab=${tab}`),
  '/webhooks/incoming': at('/webhooks/incoming'),
  '/webhooks/incoming/$id': ({ ids }) => [`/webhooks/incoming/${ids.incoming}`],
  '/messages': at('/messages'),
  '/messages/$id': ({ ids }) => [`/messages/${ids.message}`],
  '/settings': at('/settings'),
  '/settings/account': at('/settings/account'),
  '/settings/sending': at('/settings/sending'),
  '/settings/brand': at('/settings/brand'),
  '/settings/security': at('/settings/security'),
  '/settings/people': at('/settings/people'),
  '/settings/keys': at('/settings/keys'),
  '/settings/senders': at('/settings/senders'),
  '/settings/domains': at('/settings/domains'),
  '/settings/domains/$domain': ({ domain }) => [`/settings/domains/${domain}`],
  '/settings/relays': at('/settings/relays'),
  '/settings/returned': at('/settings/returned'),
  '/settings/suppression': at('/settings/suppression'),
  '/settings/fields': at('/settings/fields'),
  '/settings/clean-up': at('/settings/clean-up'),
  '/settings/accounts': at('/settings/accounts'),
  '/settings/archive': at('/settings/archive'),
  '/settings/audit': at('/settings/audit'),
  '/settings/data': at('/settings/data'),
  '/mail-access': at('/mail-access?error=access_denied'),
  '/api': at('/api'),
  '/api/$method': at('/api/campaignCreate', '/api/listBatchSubscribe', '/api/webhookAttempts'),
  '/inbox': at('/inbox'),
  '/inbox/$id': at('/inbox/1?view=shown', '/inbox/1?view=text', '/inbox/1?view=headers', '/inbox/1?view=source'),
  '/sign-in': at('/sign-in'),
  '/first-run': at('/first-run'),
  '/forgotten': at('/forgotten'),
  '/reset': at('/reset#somebody'),
  '/invite': at('/invite#somebody'),
  '/signed-in/$provider': at('/signed-in/company?error=access_denied'),
  '/enter': at('/enter#somebody'),
};

/** Screens for visitors who are not signed in. */
const outside = new Set([
  '/sign-in',
  '/first-run',
  '/forgotten',
  '/reset',
  '/invite',
  '/signed-in/$provider',
  '/enter',
]);

/** Browsers that are used at the same time. A page mostly waits, so this many take a third of the time of one. */
const atOnce = 4;

/** Where a screen is looked at, and how its findings are noted. */
export type Visit = { page: Page; address: string; note(finding: unknown): void };

/**
 * Looks at the addresses of all screens, each in a browser signed in to the demo, or in a visitor's where the screen is for visitors.
 * @param firstOnly of a screen with tabs only the first one
 * @param prepare each browser, before its first visit
 * @returns what was noted, with the addresses, and how many addresses were visited
 */
export async function visitAll(
  ui: DemoUi,
  look: (visit: Visit) => Promise<void>,
  { firstOnly = false, prepare }: { firstOnly?: boolean; prepare?: (page: Page) => Promise<void> } = {},
): Promise<{ problems: string[]; visited: number }> {
  const problems: string[] = [];
  const left = Object.entries(visits).flatMap(([route, addresses]) =>
    addresses(ui)
      .slice(0, firstOnly ? 1 : undefined)
      .map((address) => ({ address, isOutside: outside.has(route) })),
  );
  const visited = left.length;
  const storageState = await ui.page.context().storageState();
  const inTurn = async () => {
    const [member, stranger] = [await ui.visitor({ storageState }), await ui.visitor()];
    for (const page of [member, stranger]) await prepare?.(page);
    for (let next = left.shift(); next; next = left.shift()) {
      const { address, isOutside } = next;
      const page = isOutside ? stranger : member;
      // Addresses that differ only after the # would not be loaded again.
      await page.goto('about:blank');
      const note = (finding: unknown) => {
        const text = finding instanceof Error ? finding.message : String(finding);
        problems.push(`${address}: ${text.slice(0, 1_500)}`);
      };
      await look({ page, address, note });
      // A script that `prepare` adds to each page is blocked in frames without scripts, which Chromium reports.
      newErrors(page)
        .filter((error) => !prepare || !/^Blocked script execution in 'about:srcdoc'/.test(error))
        .forEach(note);
    }
    for (const page of [member, stranger]) await page.context().close();
  };
  await Promise.all(Array.from({ length: atOnce }, inTurn));
  return { problems, visited };
}

function at(...addresses: string[]) {
  return () => addresses;
}
