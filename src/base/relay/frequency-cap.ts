// The most emails of campaigns that a contact of an account gets within some days, as the setting has it: "3:7" is three in seven.

export type FrequencyCap = { messages: number; days: number };

const maxDays = 90;

/** @returns undefined for a text that is none, such as '' */
export function parseFrequencyCap(text: string): FrequencyCap | undefined {
  const [, messages, days] = /^(\d{1,3}):(\d{1,2})$/.exec(text.trim()) ?? [];
  const cap = { messages: Number(messages), days: Number(days) };
  return cap.messages >= 1 && cap.days >= 1 && cap.days <= maxDays ? cap : undefined;
}
