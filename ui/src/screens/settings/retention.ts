// How long the account keeps what is detail and not figure: what there is to choose, and what holds until it is chosen.

/** The days that hold unless the account says otherwise, 0 for ever; as the program has them (a test compares). */
export const usualDays = {
  keep_hits_days: '0',
  keep_inbox_days: '0',
  keep_webhook_attempts_days: '30',
  keep_audit_days: '0',
} as const;

export type Kept = keyof typeof usualDays;
export const keptThings = Object.keys(usualDays) as Kept[];

const offered = ['0', '7', '30', '90', '180', '365', '730', '1095'];

/** What can be chosen; a number of days that was set otherwise, through a program, is among it. */
export function dayChoices(present: string): string[] {
  return [...new Set([...offered, present])].sort((a, b) => Number(a) - Number(b));
}
