// THE list of messages the program shows: faults and reasons, each by a key that is stable, with its values.
// One file an area; a key is written `area.what_is_wrong`. The web application gets German where the user chose it;
// programs always get English.
import { accountNotices } from './accounts/account-notices.ts';
import { accounts } from './accounts/accounts.ts';
import { domains } from './accounts/domains.ts';
import { approval } from './approval.ts';
import { audience } from './audience.ts';
import { automations } from './automations/automations.ts';
import { automationTemplates } from './automations/templates.ts';
import { calls } from './calls.ts';
import { campaigns } from './campaigns.ts';
import { checks } from './checks.ts';
import { contentImports } from './content-imports.ts';
import { contentSources } from './content-sources.ts';
import { delivery } from './delivery.ts';
import { doors } from './doors.ts';
import { imports } from './imports/imports.ts';
import { migrations } from './imports/migrations.ts';
import { mailMessages } from './mail-messages.ts';
import { parameters } from './parameters.ts';
import { recurring } from './recurring.ts';
import { segments } from './segments.ts';
import { webhooks } from './webhooks.ts';

export const messages = {
  ...accountNotices,
  ...accounts,
  ...approval,
  ...audience,
  ...automations,
  ...automationTemplates,
  ...calls,
  ...campaigns,
  ...checks,
  ...contentImports,
  ...contentSources,
  ...delivery,
  ...domains,
  ...doors,
  ...imports,
  ...mailMessages,
  ...migrations,
  ...parameters,
  ...recurring,
  ...segments,
  ...webhooks,
};
