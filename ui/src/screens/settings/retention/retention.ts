// How long the account keeps detailed data: the choices.
import { type RetentionSetting, retentionDays } from '../../../../../src/accounts/account/retention-days.ts';

export const keptThings = Object.keys(retentionDays) as RetentionSetting[];

const offered = ['0', '7', '30', '90', '180', '365', '730', '1095'];

/** The choices, including a different number of days set through the API. */
export function dayChoices(present: string): string[] {
  return [...new Set([...offered, present])].sort((a, b) => Number(a) - Number(b));
}
