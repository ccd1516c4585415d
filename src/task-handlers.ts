// What each background task does. The list of tasks, with payloads and attempts, is src/jobs/tasks.ts.

import { purgeSignIns } from './accounts/access/expire.ts';
import { purgeAudit } from './accounts/account/retention.ts';
import { watchQuotas } from './accounts/notices/quota-notice.ts';
import { cleanUpContacts } from './audience/clean-up/run.ts';
import { askToConfirm, deleteOldSignupCounts } from './audience/confirmation/confirmation-limit.ts';
import { chainConsent } from './audience/consent/chain.ts';
import { eraseCopies } from './audience/erase/copies.ts';
import { purgeEvents } from './audience/events/retention.ts';
import { purgeIgnoredNames } from './audience/fields/ignored-names.ts';
import { joinAccountField } from './audience/fields/join.ts';
import { deleteOldUploads, runImportTask, undoImportTask } from './audience/import/tasks.ts';
import { purgeAddressChanges } from './audience/members/address-change.ts';
import { foldMemberTally } from './audience/model/tally.ts';
import { watchSegments } from './audience/segments/watch.ts';
import { purgeRefusals } from './audience/signup/refusals.ts';
import { remindPending } from './audience/signup/reminders.ts';
import { purgeAutomationRuns, purgeReceivedBodies, purgeRunEvents } from './automations/retention.ts';
import { makeNightlyBackup } from './backup/nightly.ts';
import { followLinks } from './campaigns/check/links/follow-links.ts';
import { addTemplatesTask, redrawPreviewsTask, translateTemplatesTask } from './campaigns/starter/starter.ts';
import { drawPreview } from './campaigns/templates/preview.ts';
import { analysePartitioned, makePartitions } from './db/partitions.ts';
import { deleteDoneChunks } from './delivery/control/done-chunks.ts';
import { forgetRecipients } from './delivery/control/forget-recipients.ts';
import { decideHeld } from './delivery/control/held-recipients.ts';
import { purgeCampaign } from './delivery/control/purge.ts';
import { skipRest } from './delivery/control/stop.ts';
import { windowChanged } from './delivery/control/window-change.ts';
import { foldSendingDays } from './delivery/daily/fold.ts';
import { watchReputation } from './delivery/daily/warnings.ts';
import { launchCampaign } from './delivery/launch/launch.ts';
import { requeueLaunches } from './delivery/launch/requeue.ts';
import { requeueForgotten } from './delivery/recovery/forgotten.ts';
import { erasureParts } from './erasure.ts';
import { purgeInbox } from './inbox/retention.ts';
import { deleteFailedJobs } from './jobs/failed-jobs.ts';
import type { Handlers } from './jobs/tasks.ts';
import { sendAddressLink, sendMovedNotice } from './mail/address-mail.ts';
import { sendConfirmation, sendGoodbye, sendUnsubscribeNotice, sendWelcome } from './mail/list-mail.ts';
import { sendListNotices } from './mail/list-notices.ts';
import { sendAccountNotice } from './mail/send-account-notice.ts';
import { sendInvitation, sendSignInLink } from './mail/sign-in-mail.ts';
import { sendTestMails } from './mail/test-mail.ts';
import { purgeMessages } from './messages/retention.ts';
import { purgeIdempotencyRecords } from './method/idempotency.ts';
import { runMigrationTask } from './migration/run.ts';
import { eraseAccounts } from './operator/erase.ts';
import { beginIssues, makeDueIssue } from './recurring/issue/due.ts';
import { readBounceMailbox, readBounceMailboxes } from './returned/mailboxes/read.ts';
import { takeNotices } from './returned/notices/take.ts';
import { forgetNotices, purgeNotices } from './returned/retention.ts';
import { checkSenderDomains } from './senders/domains/watch.ts';
import { purgeHits } from './tracking/retention.ts';
import { foldReactions, summariseRecipients } from './tracking/summaries.ts';
import { dropOldWebhookEvents, purgeWebhookAttempts } from './webhooks/purge.ts';

/** What each slice deletes at night because its account keeps it no longer; what takes long has a task of its own. */
export const retention = [purgeHits, purgeInbox, purgeAudit, purgeIgnoredNames, purgeEvents, purgeReceivedBodies];

export const handlers: Handlers = {
  launchCampaign,
  watchQuotas,
  eraseAccounts,
  purgeCampaign: async (context, payload) => {
    await purgeCampaign(context, payload);
    await purgeNotices(context, payload);
  },
  windowChanged,
  skipRest: (context, payload) => skipRest(context, payload),
  summariseRecipients: (context, payload) => summariseRecipients(context, payload),
  sendTestMails,
  addStarterTemplates: addTemplatesTask,
  translateStarterTemplates: translateTemplatesTask,
  redrawPreviews: redrawPreviewsTask,
  drawPreview,
  followLinks,
  sendConfirmation,
  sendWelcome,
  sendGoodbye,
  sendUnsubscribeNotice,
  sendAddressLink,
  sendMovedNotice,
  sendAccountNotice,
  sendInvitation,
  sendSignInLink,
  askToConfirm,
  takeNotices,
  readBounceMailbox,
  readBounceMailboxes,
  eraseCopies: (context, payload) => eraseCopies(context, payload, erasureParts),
  joinAccountField,
  runImport: runImportTask,
  undoImport: undoImportTask,
  runMigration: runMigrationTask,
  beginIssues,
  decideHeld,
  makeIssue: makeDueIssue,
  requeueForgotten,
  requeueLaunches,
  deleteOldUploads,
  foldMemberTally,
  chainConsent,
  cleanUpContacts,
  watchSegments,
  remindPending,
  sendListNotices,
  foldReactions,
  watchReputation,
  foldSendingDays,
  checkSenderDomains,
  makeNightlyBackup,
  purgeSignIns,
  deleteOldSignupCounts: async (context) => {
    await deleteOldSignupCounts(context);
    await purgeRefusals(context.app.db);
    await purgeAddressChanges(context.app.db);
  },
  purgeIdempotencyRecords,
  purgeExpired: async (context) => {
    for (const purge of retention) await purge(context);
  },
  makePartitions: async ({ app }) => {
    await makePartitions(app.db);
  },
  analysePartitioned: ({ app }) => analysePartitioned(app.db),
  purgeMessages,
  purgeAutomationRuns: async (context) => {
    await purgeAutomationRuns(context);
    await purgeRunEvents(context);
  },
  forgetRecipients: async (context) => {
    await forgetRecipients(context);
    await forgetNotices(context);
  },
  deleteDoneChunks,
  deleteFailedJobs,
  purgeWebhookAttempts,
  dropOldWebhookEvents,
};
