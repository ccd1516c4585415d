// How long the account keeps detailed data: the choices and the defaults.

/** The defaults in days, 0 to keep permanently; the same as the server's (a test compares them). */
export const usualDays = {
  keep_recipients_days: '0',
  keep_hits_days: '365',
  keep_inbox_days: '0',
  keep_webhook_attempts_days: '30',
  keep_audit_days: '365',
  keep_message_content_days: '30',
  keep_messages_days: '365',
  keep_automation_runs_days: '365',
  keep_events_days: '365',
} as const;

export type Kept = keyof typeof usualDays;
export const keptThings = Object.keys(usualDays) as Kept[];

const offered = ['0', '7', '30', '90', '180', '365', '730', '1095'];

/** The choices, including a different number of days set through the API. */
export function dayChoices(present: string): string[] {
  return [...new Set([...offered, present])].sort((a, b) => Number(a) - Number(b));
}
