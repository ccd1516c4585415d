// THE list of background tasks that workers run.

import { checkSenderDomains } from './accounts/domain-watch.ts';
import { forgetSignIns } from './accounts/purge.ts';
import { purgeExpired } from './accounts/retention.ts';
import { forgetAnswers } from './api/forget-answers.ts';
import { askToConfirm, forgetSignups } from './audience/confirmation-limit.ts';
import { purgeUploads, runImportTask, undoImportTask } from './audience/import/tasks.ts';
import { foldMemberTally } from './audience/member-tally.ts';
import { drawPreview } from './campaigns/preview.ts';
import { addTemplatesTask } from './campaigns/starter-templates.ts';
import { sendAccountNotice } from './delivery/account-mail.ts';
import { purgeCampaign } from './delivery/control.ts';
import { launchCampaign } from './delivery/launch.ts';
import { listMailTasks } from './delivery/list-mail.ts';
import { sendSignInLink } from './delivery/sign-in-mail.ts';
import { sendTestMails } from './delivery/test-mail.ts';
import type { AnyTask } from './jobs/tasks.ts';
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
