// The automation and the step that an email was opened from, in the address of its editor and its report, so that both lead back to it.

export type FlowSearch = { automation?: string | undefined; step?: string | undefined };

export const flowSearch = (raw: Record<string, unknown>): FlowSearch => ({
  automation: textOf(raw.automation),
  step: textOf(raw.step),
});

export const stepSearch = (raw: Record<string, unknown>): Pick<FlowSearch, 'step'> => ({ step: textOf(raw.step) });

/** The router parses digits as numbers. */
const textOf = (value: unknown): string | undefined =>
  (typeof value === 'string' || typeof value === 'number') && value !== '' ? String(value) : undefined;
