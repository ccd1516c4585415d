// THE list of background tasks: payload, attempts and, for those that run on a timetable, when. A worker may die in the
// middle of a task, so every task must be safe to run twice. What a task does is in src/task-handlers.ts; a task
// without a handler does not compile.
import { z } from 'zod';
import type { App } from '../base/context.ts';
import type { Log } from '../base/log.ts';

export type TaskDefinition<P extends z.ZodType = z.ZodType> = {
  payload: P;
  /**
   * Maximum attempts. The pause before the next one is exp(attempt) seconds, at most six hours: 3 attempts take
   * 10 seconds, 8 half an hour, 12 sixteen hours, 25 four days.
   */
  attempts: number;
  /** Jobs of one queue run one after another, over all workers. */
  queue?: string;
  /** Which jobs are taken first when all slots of the workers are in use; `normal` by default. */
  priority?: keyof typeof priorities;
  /** Runs on its own at these times, a crontab pattern in UTC; its payload is {}. */
  cron?: string;
};

/** Lower numbers are taken first: what a person waits for must not wait for the million jobs of an import. */
export const priorities = { urgent: -10, soon: -5, normal: 0, background: 5, bulk: 10 };

const campaign = z.object({ account_id: z.int(), campaign_id: z.int() });
const membership = z.object({ account_id: z.int(), list_id: z.int(), contact_id: z.int() });
const fileImport = z.object({ account_id: z.int(), import_id: z.int() });
const empty = z.object({});

export const tasks = {
  /** Freezes the content and the audience of a campaign and cuts it into chunks. */
  launchCampaign: define({
    payload: campaign,
    // Nothing else starts a campaign that is being launched.
    attempts: 25,
    priority: 'urgent',
  }),
  /** Deletes the rows of a deleted campaign, a portion at a time. */
  purgeCampaign: define({
    // With `forget`, nothing is kept of its recipients.
    payload: campaign.extend({ forget: z.boolean().optional() }),
    // Rows left behind would never be deleted.
    attempts: 25,
    priority: 'background',
  }),
  /** Marks the remaining recipients of a large campaign that was stopped. */
  skipRest: define({
    payload: campaign,
    // The report and the event that ends the campaign wait for it.
    attempts: 25,
    priority: 'soon',
  }),
  /** Asks again whether what waits for a send window may leave: the window or the zone of the account has changed. */
  windowChanged: define({
    payload: z.object({ account_id: z.int() }),
    // Until then it waits for the old window.
    attempts: 25,
    priority: 'urgent',
  }),
  /** Makes the summary of a large campaign's recipients that segments read. */
  summariseRecipients: define({
    payload: campaign,
    // Without it segments are as right, but slower.
    attempts: 12,
    priority: 'background',
  }),
  /** Sends test messages of a campaign. */
  sendTestMails: define({
    payload: campaign.extend({
      emails: z.array(z.string()),
      send_type: z.enum(['both', 'html', 'plain']).default('both'),
      variant: z.int().default(0),
      /** Of a rehearsal: whose values they show, as a member of a list; 0: no one's. `event`: the name of the event that they show. */
      reader: z.object({ contact: z.int(), list: z.int(), event: z.string().default('') }).optional(),
      /** The tags have their defaults: who asked may not read contacts. */
      plain_values: z.boolean().optional(),
    }),
    // The author is waiting for it and asks again.
    attempts: 8,
    priority: 'soon',
  }),
  /** Adds the starter templates to a new account. */
  addStarterTemplates: define({
    payload: z.object({ account_id: z.int() }),
    // An account without them works, but nothing adds them later.
    attempts: 12,
  }),
  /** Draws the starter templates that an account has not changed in its new language. */
  translateStarterTemplates: define({
    payload: z.object({ account_id: z.int() }),
    attempts: 8,
    priority: 'background',
  }),
  /** Takes the pictures of templates again that show the name or the address of the account. */
  redrawPreviews: define({
    payload: z.object({ account_id: z.int() }),
    attempts: 8,
    priority: 'background',
  }),
  /** Takes the picture of a template. */
  drawPreview: define({
    payload: z.object({ account_id: z.int(), template_id: z.int() }),
    // Without a picture the template shows a drawing; the next change of the template asks again.
    attempts: 3,
    priority: 'background',
    // One Chromium at a time.
    queue: 'previews',
  }),
  /** Follows the links of a campaign that is being written, to see whether they lead to a page. */
  followLinks: define({
    payload: campaign,
    // The next check queues it again.
    attempts: 1,
    priority: 'bulk',
    // A host gets one request at a time.
    queue: 'links',
  }),
  /** Asks a pending contact to confirm. */
  sendConfirmation: define({
    // `further`: lists that the same link confirms.
    payload: membership.extend({ further: z.array(z.int()).optional() }),
    // As long as a mail server would retry (RFC 5321 4.5.4.1); without it the sign-up is lost.
    attempts: 25,
    priority: 'soon',
  }),
  /** Welcomes a contact who has just subscribed. */
  sendWelcome: define({
    payload: membership,
    // A welcome a day late is of no use.
    attempts: 12,
  }),
  /** Confirms to a contact that the subscription has ended. */
  sendGoodbye: define({
    payload: membership,
    // A day late it would only remind the contact of a list it has left.
    attempts: 12,
  }),
  /** Notifies the owner of the account that a contact has left a list. */
  sendUnsubscribeNotice: define({
    payload: membership,
    // The contact's page shows it too.
    attempts: 12,
  }),
  /** Sends a contact the link that confirms its new address, to that address. */
  sendAddressLink: define({
    payload: z.object({ account_id: z.int(), contact_id: z.int() }),
    // Without it the contact has to ask again.
    attempts: 25,
    priority: 'soon',
  }),
  /** Notifies the former address of a contact that it was changed. */
  sendMovedNotice: define({
    payload: z.object({ account_id: z.int(), contact_id: z.int() }),
    // If the change was another person's, the contact learns of it nowhere else.
    attempts: 25,
  }),
  /** Notifies the owner of an account of something that needs attention. */
  sendAccountNotice: define({
    payload: z.object({
      account_id: z.int(),
      subject: z.string(),
      text: z.string(),
      /** Instead of the account's main address. */
      to: z.string().optional(),
    }),
    // Its cause is often an outage of the relay, which may last days.
    attempts: 25,
    priority: 'soon',
  }),
  /** Sends a user a link to set a new password, if there is such a user. */
  sendSignInLink: define({
    payload: z.object({ email: z.string() }),
    attempts: 12,
    priority: 'urgent',
  }),
  /** Sends an invitation to its address, unless it is withdrawn. */
  sendInvitation: define({
    payload: z.object({ account_id: z.int(), invitation_id: z.int() }),
    // A relay may be down overnight.
    attempts: 12,
    priority: 'urgent',
  }),
  /** Asks a contact that an import has made pending to confirm, unless its mailbox has been asked often enough. */
  askToConfirm: define({
    payload: membership,
    // Nothing else asks these contacts.
    attempts: 25,
    priority: 'bulk',
  }),
  /** Acts on the notices that services have sent for an account. */
  takeNotices: define({
    payload: z.object({ account_id: z.int() }),
    // The next notice queues it again, but it may be the last one.
    attempts: 25,
  }),
  /** Reads the new messages of a bounce mailbox. */
  readBounceMailbox: define({
    payload: z.object({ account_id: z.int(), mailbox_id: z.int() }),
    // Queued again every minute.
    attempts: 1,
    priority: 'background',
  }),
  /** Removes what logs and files hold of an erased contact. */
  eraseCopies: define({
    payload: z.object({
      account_id: z.int(),
      contact_id: z.int(),
      /** Its address and earlier ones, in lower case. */
      addresses: z.array(z.string()),
      /** Replaces the address where a row must stay. */
      placeholder: z.string(),
      /** The numbers under which the address was a contact. */
      numbers: z.array(z.int()).optional(),
      /** By the database's clock. */
      erased_at: z.string().optional(),
      /** The address gets no mail in future. */
      suppressed: z.boolean().optional(),
      /** What was in progress then and may write of the contact: the search is repeated when it has ended. */
      open: z.array(z.string()).optional(),
      /** The pause until the next look, in milliseconds. */
      pause: z.int().optional(),
    }),
    // A person has asked for it, and nothing else does it.
    attempts: 25,
    priority: 'background',
  }),
  /** Compares a file with its list (dry), or imports it. */
  runImport: define({
    payload: fileImport.extend({ dry: z.boolean() }),
    // An import must end: until then the account's next one waits.
    attempts: 25,
    priority: 'background',
  }),
  /** Undoes an import. */
  undoImport: define({
    payload: fileImport,
    // Half undone is worse than either.
    attempts: 25,
    priority: 'background',
  }),

  /** Reads an export of another program, or brings what it contains. */
  /** Joins the values of the lists that share a field of the account. */
  joinAccountField: define({
    payload: z.object({ account_id: z.int(), tag: z.string() }),
    // Until it ends contacts have different values.
    attempts: 25,
    priority: 'background',
  }),
  runMigration: define({
    payload: z.object({ account_id: z.int(), migration_id: z.int() }),
    // It must end, as an import must.
    attempts: 25,
    priority: 'background',
  }),

  // Run on a timetable. Few attempts, since the next run does the same work.

  /** Puts recipients that wait but are in no chunk into new chunks. There should be none. */
  requeueForgotten: define({ payload: empty, attempts: 1, cron: '53 * * * *' }),
  /** Queues a launch for each campaign that is launching and has no job. */
  requeueLaunches: define({ payload: empty, attempts: 1, cron: '*/5 * * * *' }),
  /** Deletes uploaded files that are imported or were never used. */
  deleteOldUploads: define({ payload: empty, attempts: 3, cron: '41 * * * *' }),
  /** Queues the reading of all bounce mailboxes. */
  readBounceMailboxes: define({ payload: empty, attempts: 1, cron: '* * * * *' }),
  /** Merges the rows of the member counts that belong to the same number. */
  foldMemberTally: define({ payload: empty, attempts: 3, cron: '*/2 * * * *' }),
  /** Sums up what accounts have sent this month, and notifies their owners when the quota is nearly or fully used up. */
  watchQuotas: define({ payload: empty, attempts: 1, cron: '*/5 * * * *' }),
  /** Erases the accounts whose time has come, with everything in them. */
  eraseAccounts: define({ payload: empty, attempts: 3, priority: 'background', cron: '31 * * * *' }),
  /** Asks pending contacts once more to confirm, where their list wants it. */
  remindPending: define({ payload: empty, attempts: 1, cron: '*/10 * * * *' }),
  /** Notifies the owners of lists of who has subscribed or left. */
  sendListNotices: define({ payload: empty, attempts: 1, cron: '* * * * *' }),
  /** Does what the clean-up rules of all accounts say, a portion at a time. */
  cleanUpContacts: define({ payload: empty, attempts: 3, cron: '19 4 * * *' }),
  /** Looks at the segments whose joining and leaving contacts are events. */
  watchSegments: define({ payload: empty, attempts: 1, priority: 'background', cron: '* * * * *' }),
  /** Adds new records of the consent log to the chain of their account. */
  chainConsent: define({ payload: empty, attempts: 1, cron: '* * * * *' }),
  /** Begins the issues of recurring campaigns that are due. */
  beginIssues: define({ payload: empty, attempts: 1, cron: '* * * * *' }),
  /** Ends the waiting of recipients whose outcome is unclear, and notifies the owner of it. */
  decideHeld: define({ payload: empty, attempts: 1, cron: '* * * * *' }),
  /** Makes the issue of a recurring campaign that is due. */
  makeIssue: define({
    payload: z.object({ account_id: z.int(), recurring_id: z.int() }),
    // beginIssues begins it again.
    attempts: 1,
  }),
  /** Moves new opens and clicks to the summaries that segments read. */
  foldReactions: define({ payload: empty, attempts: 1, cron: '* * * * *' }),
  /** Notifies owners of complaint rates that are too high. */
  watchReputation: define({ payload: empty, attempts: 1, cron: '*/10 * * * *' }),
  /** Merges the sums of days that are over. */
  foldSendingDays: define({ payload: empty, attempts: 3, cron: '31 3 * * *' }),
  /** Checks the DNS records of sender domains again. */
  checkSenderDomains: define({ payload: empty, attempts: 1, cron: '*/10 * * * *' }),
  /** Writes a backup to BACKUP_DIR, if it is set. */
  makeNightlyBackup: define({
    payload: empty,
    // A disk that is full for a moment; the next night would be late.
    attempts: 5,
    cron: '11 2 * * *',
  }),
  /** Deletes expired sessions and links, and counts of sign-in attempts that are a day old. */
  purgeSignIns: define({ payload: empty, attempts: 3, cron: '17 3 * * *' }),
  /** Deletes sign-up and confirmation counts that are too old to limit anything. */
  deleteOldSignupCounts: define({ payload: empty, attempts: 3, cron: '23 * * * *' }),
  /** Deletes idempotency records a day after the call. */
  purgeIdempotencyRecords: define({ payload: empty, attempts: 3, cron: '41 * * * *' }),
  /** Deletes opens, clicks, inbox messages and audit entries older than their account keeps them. */
  purgeExpired: define({ payload: empty, attempts: 3, cron: '29 3 * * *' }),
  /** Makes the partitions of the next months. */
  makePartitions: define({ payload: empty, attempts: 3, cron: '7 * * * *' }),
  /** Collects planner statistics of partitioned tables as a whole. */
  analysePartitioned: define({ payload: empty, attempts: 3, cron: '13 */6 * * *' }),
  /** Deletes contents of single messages, and the messages, that are older than their account keeps them. */
  purgeMessages: define({ payload: empty, attempts: 3, cron: '37 3 * * *' }),
  /** Deletes automation runs that are older than their account keeps them. */
  purgeAutomationRuns: define({ payload: empty, attempts: 3, cron: '43 3 * * *' }),
  /** Keeps the sums of reports and deletes the recipients of campaigns that are older than their account keeps them. */
  forgetRecipients: define({ payload: empty, attempts: 3, cron: '59 2 * * *' }),
  /** Deletes chunks that are done. */
  deleteDoneChunks: define({ payload: empty, attempts: 3, cron: '53 3 * * *' }),
  /** Deletes jobs that failed permanently a month ago. */
  deleteFailedJobs: define({ payload: empty, attempts: 3, cron: '47 3 * * *' }),
  /** Deletes webhook attempts older than their account keeps them, and the oldest where there are too many. */
  purgeWebhookAttempts: define({ payload: empty, attempts: 3, cron: '17 * * * *' }),
  /** Deletes the oldest waiting events of webhooks where there are too many. */
  dropOldWebhookEvents: define({ payload: empty, attempts: 3, cron: '*/10 * * * *' }),
};

/** Keeps the type of the payload while the definition is checked. */
function define<P extends z.ZodType>(definition: TaskDefinition<P>): TaskDefinition<P> {
  return definition;
}

export type TaskName = keyof typeof tasks;
/** The payload as a handler receives it. */
export type Payload<K extends TaskName> = z.output<(typeof tasks)[K]['payload']>;
/** The payload as a caller of enqueue writes it. */
export type PayloadInput<K extends TaskName> = z.input<(typeof tasks)[K]['payload']>;

/**
 * The signal is aborted when the worker is stopping: long tasks then end early. `job` names the job, the same at each of
 * its attempts.
 */
export type TaskContext = { app: App; log: Log; signal: AbortSignal; job?: string };

/** `attempt` counts from 1. */
export type Handlers = {
  [K in TaskName]: (context: TaskContext, payload: Payload<K>, attempt: number) => Promise<void>;
};
