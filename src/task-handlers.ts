// THE list of background tasks that workers run.

import { checkSenderDomains } from './accounts/domains/watch.ts';
import { forgetSignIns } from './accounts/expire.ts';
import { purgeExpired } from './accounts/retention.ts';
import { purgeUploads, runImportTask, undoImportTask } from './audience/import/tasks.ts';
import { foldMemberTally } from './audience/members/tally.ts';
import { askToConfirm, forgetSignups } from './audience/signup/confirmation-limit.ts';
import { drawPreview } from './campaigns/templates/preview.ts';
import { addTemplatesTask } from './campaigns/templates/starter.ts';
import { purgeCampaign } from './delivery/control/pause.ts';
import { launchCampaign } from './delivery/launch/launch.ts';
import type { AnyTask } from './jobs/tasks.ts';
import { sendAccountNotice } from './mail/account-notice.ts';
import { listMailTasks } from './mail/list-mail.ts';
import { sendSignInLink } from './mail/sign-in-mail.ts';
import { sendTestMails } from './mail/test-mail.ts';
import { forgetAnswers } from './method/expire-idempotency.ts';
import { purgeWebhookAttempts } from './webhooks/purge.ts';

export const tasks: readonly AnyTask[] = [
  launchCampaign,
  purgeCampaign,
  sendTestMails,
  addTemplatesTask,
  drawPreview,
  ...listMailTasks,
  sendAccountNotice,
  sendSignInLink,
  forgetSignIns,
  forgetAnswers,
  purgeExpired,
  forgetSignups,
  askToConfirm,
  purgeWebhookAttempts,
  checkSenderDomains,
  runImportTask,
  undoImportTask,
  purgeUploads,
  foldMemberTally,
];
