// How many days an account keeps what, unless it sets another value; 0 keeps it permanently. Opens, clicks and audit entries have IP
// addresses, which are personal data: they are kept for a year, enough to compare a campaign with the one a year ago. Imports nothing,
// so that the screens show the same (bin/build-ui).
export const retentionDays = {
  keep_recipients_days: 0,
  keep_hits_days: 365,
  keep_inbox_days: 0,
  keep_webhook_attempts_days: 30,
  keep_audit_days: 365,
  keep_message_content_days: 30,
  keep_messages_days: 365,
  keep_automation_runs_days: 365,
  keep_events_days: 365,
} as const;
export type RetentionSetting = keyof typeof retentionDays;
