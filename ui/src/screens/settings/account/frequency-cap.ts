// Converts the frequency limit of an account (messages:days) to two fields and back. Pure.

export type FrequencyCap = { capMessages: string; capDays: string };

/** The days of an empty field; shown as a placeholder. */
export const usualDays = '7';

export function readFrequencyCap(text: string): FrequencyCap {
  const [capMessages = '', capDays = ''] = text.split(':');
  return { capMessages, capDays };
}

/** '' without a number of messages, which turns the limit off. */
export function frequencyCapText({ capMessages, capDays }: FrequencyCap): string {
  const messages = capMessages.trim();
  return messages === '' ? '' : `${messages}:${capDays.trim() || usualDays}`;
}
